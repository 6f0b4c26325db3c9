"""The differs of the library: full marks exactly where their aspect agrees, more for a closer candidate."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.dsl.types import RETURNS_NOTHING
from arcbatt.dsl.values import Value
from arcbatt.engine.backend import FailureMode
from arcbatt.library import load_library
from arcbatt.program.graph import Node, Program
from arcbatt.program.merge import batt_of
from arcbatt.tasks import Grid, Sample
from support.strategies import any_value, grids, programs

DIFFERS = load_library("differs")
NAMES = [differ.name for differ in DIFFERS]
BEST = 1000
MODES: tuple[FailureMode, ...] = ("fail", "default")
DEFAULTS: tuple[Value, ...] = (0, (), frozenset(), RETURNS_NOTHING, ((),), ((1,), (2, 3)))


def scores(
    pairs: list[tuple[Grid, Grid]], backend: str = "auto", on_failure: FailureMode = "fail"
) -> dict[str, list[int]]:
    """What each differ gives to each pair of a candidate and an expected output."""
    task = ab.Task("00000001", (), tuple(Sample(*pair) for pair in pairs))
    result = ab.run(DIFFERS, [task], pairs="all", backend=backend, on_failure=on_failure)
    assert not any(result.stats.failures.values())
    return {
        outcome.program.name: [output[0] for output in outcome.outputs]  # type: ignore[index]
        for outcome in result
    }


def grid(text: str) -> Grid:
    """A grid from rows of digits, such as `001 010`."""
    return tuple(tuple(map(int, row)) for row in text.split())


def cells(g: Grid) -> set[tuple[int, tuple[int, int]]]:
    return {(color, (i, j)) for i, row in enumerate(g) for j, color in enumerate(row)}


def colors(g: Grid) -> Counter[int]:
    return Counter(color for color, _ in cells(g))


def background(g: Grid) -> int:
    return min(colors(g), key=lambda color: (-colors(g)[color], color))


def objects(g: Grid) -> list[frozenset[tuple[int, tuple[int, int]]]]:
    return list(ab.call("objects", g, 1, 0, 1))  # type: ignore[arg-type]


def dots(g: Grid) -> set[object]:
    return {found for found in objects(g) if len(found) == 1}


def foreground(g: Grid, expected: Grid) -> set[tuple[int, tuple[int, int]]]:
    return {cell for cell in cells(g) if cell[0] != background(expected)}


def place(found: frozenset[tuple[int, tuple[int, int]]]) -> tuple[int, int]:
    return min(i for _, (i, _) in found), min(j for _, (_, j) in found)


def form(found: frozenset[tuple[int, tuple[int, int]]]) -> frozenset[tuple[int, int, int]]:
    top, left = place(found)
    return frozenset((color, i - top, j - left) for color, (i, j) in found)


def symmetries(g: Grid) -> list[bool]:
    turned = tuple(zip(*g[::-1]))
    upside_down = g[::-1]
    across = tuple(row[::-1] for row in g)
    half_turned = tuple(row[::-1] for row in upside_down)
    images = (upside_down, across, tuple(zip(*g)), tuple(zip(*half_turned)), turned, half_turned)
    return [image == g for image in images]


# When a candidate agrees with the expected output in the aspect that a differ looks at.
AGREES: dict[str, Callable[[Grid, Grid], bool]] = {
    "differ_shape": lambda x, c: (len(x), len(x[0])) == (len(c), len(c[0])),
    "differ_colors_too_many": lambda x, c: colors(x).keys() <= colors(c).keys(),
    "differ_colors_missing": lambda x, c: colors(c).keys() <= colors(x).keys(),
    "differ_color_counts": lambda x, c: colors(x) == colors(c),
    "differ_dots_too_many": lambda x, c: dots(x) <= dots(c),
    "differ_dots_missing": lambda x, c: dots(c) <= dots(x),
    "differ_cells": lambda x, c: x == c,
    "differ_foreground": lambda x, c: foreground(x, c) == foreground(c, c),
    "differ_mask": lambda x, c: {at for _, at in foreground(x, c)} == {at for _, at in foreground(c, c)},
    "differ_object_sizes": lambda x, c: sorted(map(len, objects(x))) == sorted(map(len, objects(c))),
    "differ_object_colors": lambda x, c: (
        Counter(min(found)[0] for found in objects(x)) == Counter(min(found)[0] for found in objects(c))
    ),
    "differ_object_positions": lambda x, c: set(map(place, objects(x))) == set(map(place, objects(c))),
    "differ_object_forms": lambda x, c: set(map(form, objects(x))) == set(map(form, objects(c))),
    "differ_symmetry": lambda x, c: symmetries(x) == symmetries(c),
}

# For each differ an expected output and candidates, each closer to it in that aspect than the one before; the
# last one agrees, though it may differ in other aspects.
APPROACHES = {
    "differ_shape": ("0000 0000", "0, 00, 000, 0000, 1111 2222"),
    "differ_colors_too_many": ("012", "3456, 3450, 340, 340012, 0123012, 01"),
    "differ_colors_missing": ("0123", "4567, 0456, 014, 0129, 32104"),
    "differ_color_counts": ("001122", "345666, 000222, 000122, 221100"),
    "differ_dots_too_many": ("010 000", "001 100, 010 101, 010 001, 000 000"),
    "differ_dots_missing": ("01001 10000", "00000 00000, 00001 00000, 01001 00000, 01001 10010"),
    "differ_cells": ("0123 4567", "9, 012, 0123, 0123 4599, 0123 4569, 0123 4567"),
    "differ_foreground": ("0120 0120", "0000, 1100 0000, 0120 0000, 0120 0121, 0120 0120 0000"),
    "differ_mask": ("0120 0120", "1000, 1100 0000, 0340 0000, 0340 0040, 0340 0340 0000"),
    "differ_object_sizes": ("11022 00000 33300", "00000, 11000, 11020, 44055 00000, 66000 00055 44400"),
    "differ_object_colors": ("10203 00000 10000", "00040, 10405 00060, 10200, 10203, 0302010 1110000"),
    "differ_object_positions": ("10201 00000 30000", "01000, 10010 03000, 40500, 40501, 44505 00000 66000"),
    "differ_object_forms": ("1102 0000 3000", "4440 0000, 0111 0200, 0110 2000, 0003 0110 2000"),
    "differ_symmetry": ("010 101 010", "012 345 678, 110 000 110, 000 111 000, 222 232 222"),
}


def test_there_are_many_differs_and_each_has_an_aspect_and_an_approach_here() -> None:
    assert len(DIFFERS) >= 10
    assert {differ.kind for differ in DIFFERS} == {"differ"}
    assert list(AGREES) == list(APPROACHES) == NAMES


@pytest.mark.parametrize("mode", MODES)
def test_the_expected_output_gets_full_marks_from_every_differ(mode: FailureMode) -> None:
    outputs = [sample.output for task in ab.load_tasks("arc1/training") for sample in task.samples]
    given = scores([(output, output) for output in outputs if output], on_failure=mode)
    assert {name: set(marks) for name, marks in given.items()} == {name: {BEST} for name in NAMES}


def giving(value: Value, name: str) -> Program:
    """A solver that gives one value whatever it gets."""
    return Program(name, "solver", ("I",), Node.op("identity", Node.constant(value)))


@pytest.mark.slow
@settings(derandomize=True, max_examples=60, database=None)
@given(grids(4), st.lists(any_value(4) | grids(4), min_size=1, max_size=6), st.lists(programs(), max_size=3))
def test_a_right_solver_never_scores_below_a_wrong_one(
    backend: str, expected: Grid, outputs: list[Value], others: list[Program]
) -> None:
    wrong = [giving(value, f"wrong_{k}") for k, value in enumerate([*DEFAULTS, *outputs])]
    wrong += [replace(program, name=f"other_{k}") for k, program in enumerate(others)]
    batt = batt_of([giving(expected, "right"), *wrong], DIFFERS)
    task = ab.Task("00000001", (Sample(expected, expected),), (Sample(((0,),), expected),))
    for mode in MODES:
        result = ab.run(batt, task, "all", backend, on_failure=mode)
        for name in NAMES:
            assert result[f"{name}(right)", task.id].scores == (BEST, BEST), name
            for solver in wrong:
                found = result[f"{name}({solver.name})", task.id].scores
                assert all(0 <= given <= BEST for given in found if given is not None), (name, solver)


@pytest.mark.slow
def test_grids_of_all_shapes_are_scored_from_0_to_1000() -> None:
    samples = [sample for task in ab.load_tasks("arc1/training") for sample in task.samples]
    known = [one for sample in samples for one in sample if one]
    random = Random(7)
    corners = [grid("3"), grid("12"), grid("1 2"), (tuple(k % 10 for k in range(30)),) * 30]
    found = scores(
        [(sample.input, sample.output) for sample in samples if sample.output]
        + [(random.choice(known), random.choice(known)) for _ in range(2000)]
        + [(one, other) for one in corners for other in known[:50]]
        + [(one, other) for one in known[:50] for other in corners]
    )
    for name, marks in found.items():
        assert min(marks) >= 0, name
        assert max(marks) == BEST, name
        assert len(set(marks)) >= 5, name


@pytest.fixture(scope="module")
def small_pairs() -> list[tuple[Grid, Grid]]:
    """Pairs of small grids of few colours, which often agree in something."""
    random = Random(3)

    def small() -> Grid:
        width = random.randint(1, 3)
        return tuple(
            tuple(random.choice((0, 0, 1, 2)) for _ in range(width)) for _ in range(random.randint(1, 3))
        )

    return [(small(), small()) for _ in range(600)]


@pytest.mark.slow
def test_full_marks_mean_that_the_aspect_agrees(backend: str, small_pairs: list[tuple[Grid, Grid]]) -> None:
    for name, marks in scores(small_pairs, backend).items():
        agreed = [AGREES[name](*pair) for pair in small_pairs]
        assert [mark == BEST for mark in marks] == agreed, name
        assert 0 < sum(agreed) < len(agreed), name


@pytest.mark.parametrize("name", NAMES)
def test_a_closer_candidate_gets_more(name: str, backend: str) -> None:
    expected, candidates = APPROACHES[name]
    marks = scores([(grid(candidate), grid(expected)) for candidate in candidates.split(", ")], backend)[name]
    assert marks == sorted(set(marks))
    assert marks[-1] == BEST


def test_a_differ_says_what_is_wrong() -> None:
    right, wrong = grid("000 050 000"), grid("000 000 003")
    task = ab.Task("00000001", (Sample(wrong, right),), ())
    given = {outcome.program.name: outcome.outputs[0] for outcome in ab.run(DIFFERS, [task], pairs="all")}
    assert given == {
        "differ_shape": (1000, (0, 0)),
        "differ_colors_too_many": (500, frozenset({3})),
        "differ_colors_missing": (500, frozenset({5})),
        "differ_color_counts": (333, ((0, 1000), (3, 0), (5, 0))),
        "differ_dots_too_many": (0, frozenset({(3, (2, 2))})),
        "differ_dots_missing": (0, frozenset({(5, (1, 1))})),
        "differ_cells": (777, frozenset({(5, (1, 1)), (0, (2, 2))})),
        "differ_foreground": (0, frozenset({(5, (1, 1))})),
        "differ_mask": (0, frozenset({(1, 1)})),
        "differ_object_sizes": (1000, ((1, 1),)),
        "differ_object_colors": (0, ((3, 0), (5, 0))),
        "differ_object_positions": (0, frozenset({(1, 1)})),
        "differ_object_forms": (0, frozenset({frozenset({(5, (0, 0))})})),
        "differ_symmetry": (166, (0, 2, 3, 4, 5)),
    }
