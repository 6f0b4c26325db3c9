"""Bodies on packed keys give what the reference gives, whatever the number and the spread of keys."""

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import pytest

from arcbatt.dsl.limits import DEFAULT_LIMITS
from arcbatt.dsl.table import TABLE
from arcbatt.engine.choose import AVAILABLE, choose

pytestmark = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")

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


def rows(op: str) -> list[tuple[Any, ...]]:
    """Arguments for an op."""
    match op:
        case "merge":
            both = [(kind(group),) for group in groups(1) for kind in (tuple, frozenset)]
            return [*both, *((frozenset(a + b),) for a, b in zip(groups(2), groups(3)))]
        case _:
            raise NotImplementedError(op)


@pytest.mark.parametrize("backend", ["native", "emulated"])
@pytest.mark.parametrize("op", ["merge"])
def test_a_body_on_keys_gives_what_the_reference_gives(op: str, backend: str) -> None:
    calls = rows(op)
    columns = list(zip(*calls))
    expected, found = (
        choose(name)[0].call_many(TABLE[op], columns, DEFAULT_LIMITS) for name in ("reference", backend)
    )
    wrong = [call for call, wanted, got in zip(calls, expected, found) if wanted != got]
    assert not wrong, f"{len(wrong)} of {len(calls)} calls, the first: {op}{wrong[0]!r}"[:2000]
