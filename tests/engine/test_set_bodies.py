"""Bodies on packed values give what the reference gives, whatever the number and the spread of elements."""

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.dsl.limits import DEFAULT_LIMITS
from arcbatt.dsl.table import TABLE
from arcbatt.engine.choose import choose
from support.backends import needs_core

pytestmark = needs_core

# How many elements, and the rows and columns they lie in: near and far, below zero, beyond what a key holds.
SPREADS = (
    *((0, 0, 1), (1, 5, 6), (1, -3000, 3000), (2, 0, 3), (5, -2, 3), (9, 0, 30), (14, -3, 12), (30, 0, 6)),
    *((60, 0, 30), (50, -70, 130), (40, -2048, 2048), (70, 0, 70), (7, -3000, 3000), (300, 0, 20)),
)
# The colours of cells: one, those of tasks, those of a byte, others.
PALETTES = ((3, 4), (0, 10), (-128, 128), (-300, 300))

Patch = frozenset[Any]


def patch(random: Random, spread: tuple[int, int, int], palette: tuple[int, int] | None) -> Patch:
    """Locations or, with a palette, cells."""
    count, low, high = spread
    spots = [(random.randrange(low, high), random.randrange(low, high)) for _ in range(count)]
    return frozenset((random.randrange(*palette), spot) if palette else spot for spot in spots)


def patches(seed: int) -> Iterator[Patch]:
    """Patches of every spread and palette."""
    random = Random(seed)
    for spread, palette in product(SPREADS, (None, *PALETTES)):
        yield patch(random, spread, palette)


def groups(seed: int) -> Iterator[list[Patch]]:
    """Some patches of each spread and palette, empty ones among them."""
    random = Random(seed)
    for spread, palette in product(SPREADS, (None, *PALETTES)):
        yield [patch(random, (random.randrange(spread[0] + 1), *spread[1:]), palette) for _ in range(6)]


def numbers(seed: int) -> Iterator[tuple[int, ...]]:
    """Tuples of Integers: none, one, two, the same again and again, near each other and far apart."""
    random = Random(seed)
    for count, high in product((0, 1, 2, 3, 8, 40, 90), (1, 4, 10, 200, 3000, 1 << 31)):
        yield tuple(random.randrange(-high, high) for _ in range(count))


def grids(seed: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Grids of few and many rows, some of them repeated, with colours of a byte and others."""
    random = Random(seed)
    for height, width, high in product((0, 1, 2, 5, 80), (0, 1, 2, 3, 17), (2, 128, 1 << 31)):
        some = [tuple(random.randrange(-high, high) for _ in range(width)) for _ in range(1 + height // 2)]
        yield tuple(random.choice(some) for _ in range(height))


def mixed(seed: int) -> list[Any]:
    """Values of every kind."""
    every = [*patches(seed), *numbers(seed), *grids(seed), *map(frozenset, numbers(seed))]
    groups_of_each = [kind(group) for group in groups(seed) for kind in (tuple, frozenset)]
    return [*every, *groups_of_each, 3, (1, 2), (5, (1, 2)), (1 << 30, -1), ab.fn("add"), (ab.fn("first"), 1)]


def tuples(seed: int) -> list[tuple[Any, ...]]:
    """Tuples of every kind."""
    return [value for value in mixed(seed) if isinstance(value, tuple)]


def containers(seed: int) -> list[Any]:
    """Tuples and Sets of every kind."""
    return [value for value in mixed(seed) if isinstance(value, tuple | frozenset)]


def spots() -> list[tuple[int, int]]:
    """Locations in the middle and at the edges of what a key, an inline pair and an Integer hold."""
    edges = (-(1 << 31), -(1 << 29), -2049, -2048, -2047, -1, 0, 7, 2046, 2047, 2048, 1 << 29, (1 << 31) - 1)
    return list(product(edges, repeat=2))


def some_pairs(first: list[Any], second: list[Any], seed: int, count: int = 400) -> list[tuple[Any, Any]]:
    """Random pairs, and each of the first with itself."""
    random = Random(seed)
    pairs = [(random.choice(first), random.choice(second)) for _ in range(count)]
    return [*pairs, *((value, value) for value in first)]


def some_elements(seed: int) -> list[tuple[Any, Any]]:
    """Containers, each with some of its elements and with values that may not be in it."""
    random, others = Random(seed), mixed(seed + 1)
    found = []
    for container in containers(seed):
        elements = list(container)
        picked = random.sample(elements, min(3, len(elements)))
        found += [(value, container) for value in (*picked, random.choice(others), (0, 0), (1, (0, 0)), 0)]
    return found


def calls_of(op: str) -> list[tuple[Any, ...]]:
    """Arguments for an op."""
    sets = [value for value in containers(1) if isinstance(value, frozenset)]
    match op:
        case "merge" | "merge_t":
            both = [(kind(group),) for group in groups(1) for kind in (tuple, frozenset)]
            rows = [(kind(some),) for some in grids(1) for kind in (tuple, frozenset)]
            many = [(tuple(grids(2))[k : k + 3],) for k in range(40)]
            return [*both, *((frozenset(a + b),) for a, b in zip(groups(2), groups(3))), *rows, *many]
        case "combine" | "difference" | "intersection":
            near = [pair for a, b in zip(groups(4), groups(5)) for pair in zip(a, b)]
            few = [(a, frozenset(list(b)[:1])) for a, b in near]
            first = sets if op == "intersection" else containers(1)
            second = sets if op == "intersection" else containers(2)
            same_kind = [(a, b) for a, b in some_pairs(first, second, 6) if type(a) is type(b)]
            return [*near, *few, *((b, a) for a, b in few), *same_kind]
        case "insert":
            return [(value, some) for value, some in some_elements(7) if isinstance(some, frozenset)]
        case "remove" | "contained":
            return some_elements(8)
        case "product":
            small = [value for value in containers(9) if len(value) <= 30]
            return some_pairs(small, small, 10, 300)
        case "pair":
            return some_pairs(tuples(11), tuples(12), 13)
        case "repeat":
            return [(value, count) for value in mixed(14) for count in (0, 1, 2, 3, 40)]
        case "get_common_rank":
            return [(value, rank) for value in containers(15) for rank in (0, 1, -1)]
        case "toobject":
            some = [grid for grid in grids(19) if len(grid) > 1]
            return [(spots, grid) for spots in patches(20) for grid in some[::7]]
        case "connect":
            near = [(a, b) for a in spots() for b in spots() if max(abs(a[0] - b[0]), abs(a[1] - b[1])) < 99]
            return [*near, *((a, (a[0] + n, a[1] - n)) for a in spots()[:9] for n in (3, -40, 5000))]
        case "shoot":
            return [(spot, (i, j)) for spot in spots() for i, j in product((-1, 0, 1, 40), repeat=2)]
        case "neighbors" | "dneighbors" | "ineighbors" | "vfrontier" | "hfrontier":
            return [(spot,) for spot in spots()]
        case "hmatching" | "vmatching":
            return [pair for a, b in zip(groups(21), groups(22)) for pair in product(a, b)]
        case "interval":
            ends = (-(1 << 31), -300, -1, 0, 1, 2, 3, 40, 300, (1 << 31) - 1)
            steps = (1, -1, 2, 7, -100, 1 << 30, -(1 << 31), 0)
            return [(start, stop, step) for start, stop in product(ends, repeat=2) for step in steps]
        case "toindices" | "corners" | "box" | "inbox" | "outbox" | "backdrop" | "delta":
            return [(some,) for some in patches(23)]
        case "recolor":
            return [(color, some) for some in patches(24) for color in (0, 5, -128, 127, 128, -4000)]
        case "dedupe":
            doubled = [(value + value,) for value in tuples(16)]
            return [*doubled, *((value,) for value in tuples(17))]
        case _:
            return [(value,) for value in containers(18)]


OPS = (
    *("merge", "merge_t", "combine", "difference", "intersection", "insert", "remove", "contained"),
    *("product", "pair", "repeat", "dedupe", "totuple", "mostcommon", "leastcommon", "get_common_rank"),
    *("toobject", "connect", "shoot", "neighbors", "dneighbors", "ineighbors", "vfrontier", "hfrontier"),
    *("hmatching", "vmatching", "interval", "toindices", "corners", "box", "inbox", "outbox", "backdrop"),
    *("delta", "recolor"),
)


@pytest.mark.parametrize("backend", ["native", "emulated"])
@pytest.mark.parametrize("op", OPS)
def test_a_body_on_packed_values_gives_what_the_reference_gives(op: str, backend: str) -> None:
    calls = calls_of(op)[:: 15 if backend == "emulated" else 4]
    columns = list(zip(*calls))
    expected, found = (
        choose(name)[0].call_many(TABLE[op], columns, DEFAULT_LIMITS) for name in ("reference", backend)
    )
    wrong = [call for call, wanted, got in zip(calls, expected, found) if wanted != got]
    assert not wrong, f"{len(wrong)} of {len(calls)} calls, the first: {op}{wrong[0]!r}"[:2000]


@pytest.mark.parametrize("op", OPS)
def test_a_result_is_packed_like_the_same_value_from_outside(op: str) -> None:
    for call in calls_of(op)[::40]:
        value = ab.call(op, *call, backend="reference")
        if isinstance(value, ab.Failure):
            continue
        body = ab.fn(op)
        for argument in call[:-1]:
            body = ab.fn("lbind", body, argument)
        same = ab.fn("compose", ab.fn("lbind", ab.fn("equality"), value), body)
        assert ab.call(same, call[-1], backend="native") == 1, f"{op}{call!r}"[:2000]
