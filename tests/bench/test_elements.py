"""The measurements of loops go over the elements that they name."""

from arcbatt.bench.elements import MEASURES, SIDE, mean_indices
from arcbatt.bench.measures import Bench
from support.backends import needs_core


@needs_core
def test_each_measurement_tells_the_elements_it_went_over() -> None:
    bench = Bench(quick=True)
    indices = f"{len(mean_indices(bench))} indices of the mean grid"
    found = [measure(bench) for measure in MEASURES]
    lines = [measure.line() for measure in found]
    expected = [indices, f"{SIDE**4} pairs of locations", indices, f"{SIDE**2} locations", "grids"]
    assert all(part in line for part, line in zip(expected, lines, strict=True)), lines
    assert all(measure.figure > 0 for measure in found[:4])
