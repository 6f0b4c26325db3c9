"""Partial scores: how near an output comes to the expected grid, equal on every backend."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.dsl.contract import HIGHEST, LOWEST
from arcbatt.dsl.values import Value
from arcbatt.engine.records.verdicts import partial_score
from arcbatt.tasks import Grid, Sample, Task
from support.backends import HERE, needs_core
from support.strategies import any_value, grids

law = settings(derandomize=True, max_examples=60, database=None)
cells = st.integers(0, 9) | st.integers(-3, 12) | st.sampled_from((LOWEST, -129, 127, 128, 300, HIGHEST))
shapes = st.tuples(st.integers(1, 5), st.integers(1, 5))


def grids_of(shape: tuple[int, int]) -> st.SearchStrategy[Grid]:
    """Grids of a shape, most of them of few colours, so that cells agree."""
    height, width = shape
    some = st.one_of(cells, st.integers(0, 1), st.integers(0, 1))
    return st.tuples(*[st.tuples(*[some] * width)] * height)


pairs = st.tuples(shapes.flatmap(grids_of), shapes.flatmap(grids_of)) | shapes.flatmap(
    lambda shape: st.tuples(grids_of(shape), grids_of(shape))
)


def scores(backend: str, outputs: list[Value], expected: Grid) -> list[int | None]:
    """The partial scores of outputs, each given back by a program."""
    task = Task("00000001", (), tuple(Sample(output, expected) for output in outputs))  # type: ignore[arg-type]
    same = ab.parse_programs("def same(I): return I")
    return list(ab.run(same, task, "all", backend, partial_scores=True)["same", task.id].scores)


@pytest.mark.parametrize(
    ("output", "expected", "score"),
    [
        (((1, 2), (3, 4)), ((1, 2), (3, 4)), 1000),
        (((1, 2), (3, 4)), ((1, 2), (3, 3)), 200 + 700 * 3 // 4 + 100 * 3 // 4),
        (((0,),), ((1,),), 200),
        (((1,),), ((1, 1), (1, 1)), 700 // 4 + 100),
        (((1, 1, 1), (1, 1, 1)), ((1, 1), (1, 1)), 100 + 700 * 4 // 6 + 100),
        (((1, 2, 3),), ((3,), (2,), (1,)), 100),
        (((-1,), (11,)), ((300,), (7,)), 200 + 100 // 2),
        (((300,),), ((300,),), 1000),
        ((), ((1,),), 0),
        (((), ()), ((1,),), 0),
        (7, ((1,),), 0),
        (frozenset({(1, (0, 0))}), ((1,),), 0),
        (((1, 2), (3,)), ((1, 2), (3, 3)), 0),
    ],
)
def test_height_width_cells_and_colours_each_have_a_part(
    backend: str, output: Value, expected: Grid, score: int
) -> None:
    assert scores(backend, [output], expected) == [score]


@law
@given(pairs)
@example((((1,) * 30,) * 30, ((1,) * 30,) * 29 + ((1,) * 29 + (2,),)))
def test_only_the_expected_grid_has_all_of_it(both: tuple[Grid, Grid]) -> None:
    output, expected = both
    found = partial_score(output, expected)
    assert 0 <= found <= 1000
    assert (found == 1000) == (output == expected)
    assert partial_score(expected, output) == found


@needs_core
@settings(law, max_examples=25)
@given(
    st.lists(pairs.map(lambda both: both[0]) | grids(degenerate=True) | any_value(), min_size=1, max_size=12),
    pairs,
)
def test_partial_scores_are_equal_on_all_backends(outputs: list[Value], both: tuple[Grid, Grid]) -> None:
    near, expected = both
    tried = [*outputs, near, expected]
    reference, *others = (scores(name, tried, expected) for name in HERE)
    assert reference[-1] == 1000
    assert all(other == reference for other in others)


@pytest.mark.parametrize("name", HERE)
def test_failures_have_none_of_it_and_unknown_outputs_no_score(name: str) -> None:
    solvers = ab.parse_programs(
        "def failing(I): return divide(1, 0)\ndef same(I): return I\n"
        "def differ_x(S, I, C): return astuple(7, C)"
    )
    task = Task("00000001", (Sample(((1,),), ((1,),)),), (Sample(((1,),), None),))
    results = ab.run(solvers, task, "all", name, partial_scores=True)
    assert results["failing", task.id].scores == (0, None)
    assert results["same", task.id].scores == (1000, None)
    assert results["differ_x", task.id].scores == (7, None)


def test_solvers_have_no_scores_unless_asked_for(backend: str) -> None:
    (same,) = ab.parse_programs("def same(I): return I")
    task = Task("00000001", (Sample(((1,),), ((1,),)),), ())
    assert ab.run(same, task, "all", backend)["same", task.id].scores == (None,)
