"""The measurements of loops go over the elements that they name."""

import pytest

pytest.importorskip("arcbatt._core", reason="the compiled core is not installed")

from arcbatt.bench.elements import MEASURES, SIDE, mean_indices
from arcbatt.bench.measures import Bench
from arcbatt.engine.choose import AVAILABLE

pytestmark = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is switched off")


def test_each_measurement_tells_the_elements_it_went_over() -> None:
    bench = Bench(quick=True)
    indices = f"{len(mean_indices(bench))} indices of the mean grid"
    lines = [measure(bench).line() for measure in MEASURES]
    expected = [indices, f"{SIDE**4} pairs of locations", indices, f"{SIDE**2} locations", "grids"]
    assert all(part in line for part, line in zip(expected, lines, strict=True)), lines
    assert all(measure(bench).figure > 0 for measure in MEASURES[:4])
