"""Ops on grids of odd shapes and colours give the same on every backend, emulated devices included.

The compiled bodies look at many cells at once, so a row may end, and the colours change, anywhere.
"""

from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from arcbatt.dsl.limits import DEFAULT_LIMITS
from arcbatt.dsl.table import TABLE
from arcbatt.engine.choose import choose
from support.backends import needs_core

pytestmark = needs_core

SHAPES = ((1, 1), (1, 7), (9, 1), (8, 8), (1, 64), (64, 1), (3, 63), (2, 65), (5, 13), (12, 11), (2, 130))
PALETTES = (
    (0, 1),
    (0, 0, 0, 3),
    tuple(range(10)),
    (-1, 0, 5),
    (-128, 127, 0),
    (63, 64, 65),
    (100, 0),
    (0, 128, 5),
    (-2147483648, 2147483647, 7),
)
FLAGS = [(univalued, diagonal, without) for univalued in (0, 1) for diagonal in (0, 1) for without in (0, 1)]
CALLS: list[tuple[str, tuple[Any, ...]]] = [
    *(("objects", flags) for flags in FLAGS),
    *((op, ()) for op in ("partition", "fgpartition", "asobject", "asindices", "frontiers", "compress")),
    *((op, ()) for op in ("mostcolor", "leastcolor", "palette", "numcolors")),
    *((op, (color,)) for op in ("ofcolor", "colorcount") for color in (0, 5, -1, 128)),
    *((op, ()) for op in ("rot90", "rot180", "rot270", "hmirror", "vmirror", "dmirror", "cmirror")),
    *((op, ()) for op in ("tophalf", "bottomhalf", "lefthalf", "righthalf", "trim")),
    *((op, (factor,)) for op in ("upscale", "hupscale", "vupscale") for factor in (1, 2, 3, 9)),
    *((op, (2,)) for op in ("downscale", "hsplit", "vsplit")),
    ("crop", ((1, 1), (5, 17))),
]


def stretched(
    random: Random, height: int, width: int, palette: tuple[int, ...]
) -> tuple[tuple[int, ...], ...]:
    """A grid with stretches of equal colour."""
    cells: list[int] = []
    while len(cells) < height * width:
        cells.extend([random.choice(palette)] * random.choice((1, 1, 2, 5, 17)))
    return tuple(tuple(cells[k * width : (k + 1) * width]) for k in range(height))


def grids() -> Iterator[tuple[tuple[int, ...], ...]]:
    random = Random(3)
    for number, (height, width) in enumerate(SHAPES):
        for palette in (*PALETTES, *PALETTES)[number % 9 :][:3]:
            yield stretched(random, height, width, palette)
        yield ((4,) * width,) * height


@pytest.mark.slow
@pytest.mark.parametrize(("op", "more"), CALLS, ids=str)
def test_op_gives_the_same_on_grids_of_every_shape(op: str, more: tuple[Any, ...]) -> None:
    check(op, [(grid, *more) for grid in grids()])


@pytest.mark.parametrize("op", ["hconcat", "vconcat"])
def test_grids_of_every_shape_are_joined_alike(op: str) -> None:
    every = list(grids())
    check(op, list(pairwise(every)) + list(zip(every, every)))


@pytest.mark.parametrize("op", ["fill", "paint", "underfill", "underpaint", "cover", "move"])
def test_drawing_is_the_same_on_grids_of_every_shape(op: str) -> None:
    patch = frozenset((color, (i, j)) for color in (1, 5) for i in range(-1, 4) for j in range(-2, 70, 3))
    more: tuple[Any, ...] = {"fill": (5, patch), "underfill": (5, patch), "move": (patch, (1, -2))}.get(
        op, (patch,)
    )
    check(op, [(grid, *more) for grid in grids()])


@pytest.mark.parametrize("op", ["asobject", "partition", "fgpartition"])
def test_op_gives_the_same_on_a_grid_too_long_for_packed_cells(op: str) -> None:
    check(op, [(stretched(Random(1), 1, 2050, (0, 0, 1, -3)),)])


def test_objects_are_the_same_on_a_grid_too_long_for_packed_cells() -> None:
    grid = tuple((k % 7 % 3,) for k in range(2060))
    check("objects", [(grid, *flags) for flags in ((1, 0, 1), (0, 1, 1))])


def check(op: str, calls: list[tuple[Any, ...]]) -> None:
    columns = list(zip(*calls))
    expected, *found = (
        choose(name)[0].call_many(TABLE[op], columns, DEFAULT_LIMITS)
        for name in ("reference", "native", "emulated")
    )
    for outcomes in found:
        for grid, outcome, wanted in zip(columns[0], outcomes, expected):
            assert outcome == wanted, grid
