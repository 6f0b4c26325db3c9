"""What columns merge on a board, or gather as numbers, is what the reference makes of single results."""

from random import Random
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.dsl.functions import fn
from arcbatt.testing.fuzz import ways_of
from support.backends import needs_core

pytestmark = needs_core

LOWEST, HIGHEST = -(2**31), 2**31 - 1
SPARSE = frozenset({(0, 0), (3, 1), (-2, 5), (7, 7), (2, 40)})
PLACES: dict[str, frozenset[Any]] = {
    "near": SPARSE,
    "one": frozenset({(4, 4)}),
    "many": frozenset((i, j) for i in range(14) for j in range(0, 80, 4)),
    "edges": frozenset({(-2048, -2048), (2047, 2047), (-2048, 2047), (2047, -2048)}),
    "inside the edges": frozenset({(-2047, -2047), (2046, 2046)}),
    "beyond the edges": frozenset({(-2049, 0), (0, 2048), (1, 1)}),
    "far": frozenset({(1 << 28, 3), (-(1 << 28), 3)}),
    "wide": frozenset({(HIGHEST, LOWEST), (1, 1)}),
}
DIRECTIONS = ((-1, 0), (0, 1), (1, -1), (-1, -1), (0, 0), (2, 1), (1 << 27, 1), (1 << 27, 0), (1, HIGHEST))
ENDS = ((0, 0), (3, 9), (-2, 40), (2047, -2048), (2048, 3), (1 << 28, 3), (LOWEST, HIGHEST))
STEP = frozenset({(0, 0), (1, 2)})
PAINTED = frozenset({(-128, (0, 0)), (127, (1, 2)), (3, (0, 63))})
MOVED = (STEP, PAINTED, frozenset({(-2048, 2047)}), frozenset(), frozenset({(200, (1, 1))}), tuple(STEP))
LINES = [
    *(fn("rbind", fn("shoot"), direction) for direction in DIRECTIONS),
    *(fn("lbind", fn("connect"), end) for end in ENDS),
    *map(fn, ("hfrontier", "vfrontier")),
]
AROUND = [*map(fn, ("neighbors", "dneighbors", "ineighbors"))]
MOVES = [fn("lbind", fn("shift"), patch) for patch in MOVED]
COLORS = [
    *(fn("rbind", fn("multiply"), 0), fn("first"), fn("last")),
    *(fn("compose", fn("rbind", fn("add"), by), fn("first")) for by in (127, 128, -128, -129)),
]
PAINTS = [
    fn("fork", fn("recolor"), color, drawn) for color in COLORS for drawn in (LINES[1], *AROUND[:1], MOVES[0])
]
FIXED = [
    fn("compose", fn("lbind", fn("recolor"), color), drawn)
    for color in (-129, -128, 127, 128)
    for drawn in (LINES[0], LINES[5], AROUND[1], *MOVES[:2])
]
MERGED = {"lines": LINES, "around": AROUND, "moved": MOVES, "painted": PAINTS, "in one colour": FIXED}


def require_agreement(op: str, *arguments: Any, ways: tuple[str, ...] = ("reference", "native")) -> None:
    """The op must have one outcome in columns, without them, and on the reference."""
    found = [way.call(op, *arguments, limits=ab.Limits()) for way in ways_of(ways, "both")]
    assert all(other == found[0] for other in found), (op, *arguments)


@pytest.mark.slow
@pytest.mark.parametrize("drawn", MERGED)
@pytest.mark.parametrize("places", PLACES)
def test_patches_that_are_merged_on_a_board_are_those_of_the_reference(places: str, drawn: str) -> None:
    for function in MERGED[drawn]:
        for container in (PLACES[places], tuple(PLACES[places])):
            require_agreement("mapply", function, container)


@pytest.mark.parametrize("function", [LINES[2], LINES[6], AROUND[0], MOVES[1], PAINTS[0], PAINTS[3]])
def test_patches_are_merged_on_a_warp_as_on_the_reference(function: Any) -> None:
    require_agreement("mapply", function, SPARSE, ways=("reference", "emulated"))


def test_a_line_over_the_whole_range_of_integers_is_too_heavy() -> None:
    ends = (fn("rbind", fn("multiply"), number) for number in (LOWEST, HIGHEST))
    require_agreement("mapply", fn("fork", fn("connect"), *ends), frozenset({(1, 0)}))


def numbers(count: int, high: int) -> tuple[int, ...]:
    """Integers in any order, some of them repeated."""
    random = Random(count)
    return tuple(random.randrange(-high, high) for _ in range(count))


AS_INTEGER = fn("rbind", fn("add"), 5)
AS_LOCATION = fn("fork", fn("astuple"), fn("rbind", fn("multiply"), 3), fn("increment"))
AS_CELL = fn("fork", fn("astuple"), fn("double"), AS_LOCATION)
AS_PAIR = fn("fork", fn("astuple"), AS_LOCATION, AS_LOCATION)
GATHERED = {"Integers": AS_INTEGER, "locations": AS_LOCATION, "cells": AS_CELL, "pairs": AS_PAIR}


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 3, 255, 256, 257, 700])
@pytest.mark.parametrize("kind", GATHERED)
def test_numbers_that_are_gathered_make_the_container_of_the_reference(kind: str, count: int) -> None:
    for high in (3, 60, 2000, 1 << 20, HIGHEST // 3):
        given = numbers(count, high)
        require_agreement("apply", GATHERED[kind], given)
        require_agreement("apply", GATHERED[kind], frozenset(given))
    require_agreement("papply", fn("astuple"), given, given)
    require_agreement("prapply", fn("add"), frozenset(given[:40]), given[:40])


@pytest.mark.parametrize("kind", GATHERED)
def test_numbers_are_gathered_on_a_warp_as_on_the_reference(kind: str) -> None:
    for container in (numbers(300, 60), frozenset(numbers(300, 2000))):
        require_agreement("apply", GATHERED[kind], container, ways=("reference", "emulated"))


@pytest.mark.slow
@pytest.mark.parametrize("place", [0, 1, 15, 16, 17, 255, 271, 272, 273, 699])
@pytest.mark.parametrize("odd", [0, (1, 2), (3, (1, 2)), (), frozenset(), (1 << 30, 1)], ids=str)
def test_results_of_one_block_may_be_of_another_kind(odd: Any, place: int) -> None:
    """Blocks become longer: places are at the ends of the first ones and inside of others."""
    for usual in (7, (4, 5), (6, (4, 5))):
        given = tuple(odd if k == place else usual for k in range(700))
        require_agreement("apply", fn("identity"), given)
        require_agreement("apply", fn("identity"), frozenset((k, given[k]) for k in range(700)))
        require_agreement("apply", fn("last"), tuple((k, given[k]) for k in range(700)))
