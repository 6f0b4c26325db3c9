"""Search and physics: falling until contact, finding an object again, periods."""

from collections.abc import Iterable
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from arcbatt.dsl.contract import REACH
from arcbatt.dsl.ops.grids import bounds, extent, locations
from arcbatt.dsl.ops.patches import middle, touching, vmatching
from arcbatt.dsl.table import op
from arcbatt.dsl.types import IJ, FilledPatch, Grid, Indices, Integer, Object, ObjectT
from arcbatt.dsl.values import ordered
from arcbatt.dsl.work import BUILD, NOTHING, SCAN, SORT, WorkRule


@op(work=WorkRule(4 * BUILD, BUILD))
def gravitate(source: FilledPatch, destination: FilledPatch) -> IJ:
    """How far the source moves, straight towards the destination, until they touch; at most 42 steps.

    >>> call("gravitate", frozenset({(0, 0)}), frozenset({(4, 0)}))
    (3, 0)
    """
    (si, sj), (di, dj) = middle(source), middle(destination)
    if vmatching(source, destination):
        down, right = (1 if si < di else -1), 0
    else:
        down, right = 0, (1 if sj < dj else -1)
    start, target = locations(source), locations(destination)
    for k in range(REACH):
        moved = frozenset((i + k * down, j + k * right) for i, j in start)
        if touching(moved, target):
            return (k * down, k * right)
    return (REACH * down, REACH * right)


@op(work=WorkRule(SCAN, BUILD, product=(0, 1)))
def occurrences(grid: Grid, obj: Object) -> Indices:
    """The upper left corners of the bounding box of the object wherever it occurs in the grid.

    >>> sorted(call("occurrences", ((1, 2, 1), (1, 2, 2)), frozenset({(1, (0, 0)), (2, (0, 1))})))
    [(0, 0), (1, 0)]
    """
    rows, columns = extent(grid)
    if not obj:
        return frozenset((i, j) for i in range(rows + 1) for j in range(columns + 1))
    top, left, _, _ = bounds(obj)
    height, width = extent(obj)
    if height > rows or width > columns:
        return frozenset()
    # Bit i * columns + j of a mask is location (i, j): one shift tests a cell at all positions at once.
    places_of = _places_by_color(grid)
    found = (1 << rows * columns) - 1
    for color, cells in groupby(ordered(obj), key=itemgetter(0)):
        mask = _mask(places_of.get(color, ()), rows * columns)
        for _, (i, j) in cells:
            found &= mask >> ((i - top) * columns + (j - left))
    corners = (divmod(place, columns) for place, bit in enumerate(f"{found:b}"[::-1]) if bit == "1")
    return frozenset((i, j) for i, j in corners if i <= rows - height and j <= columns - width)


def _places_by_color(grid: Grid) -> dict[int, list[int]]:
    places: dict[int, list[int]] = {}
    for place, color in enumerate(chain.from_iterable(grid)):
        places.setdefault(color, []).append(place)
    return places


def _mask(places: Iterable[int], length: int) -> int:
    bits = bytearray(length // 8 + 1)
    for place in places:
        bits[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(bits, "little")


def _period(cells: Any, axis: int) -> int:
    """The smallest shift along an axis that maps cells onto cells as far as they stay inside."""
    if not cells:
        return 0
    start = bounds(cells)[axis]
    members = frozenset((color, spot[1 - axis], spot[axis] - start) for color, spot in cells)
    length = 1 + max(place for _, _, place in members)
    its_color, its_line, _ = next(cell for cell in members if cell[2] == length - 1)
    candidates = sorted(
        length - 1 - place for color, line, place in members if (color, line) == (its_color, its_line)
    )
    for period in candidates:
        if period > 0 and all(
            place < period or (color, line, place - period) in members for color, line, place in members
        ):
            return period
    return length


@op(may_leave_range=True, work=WorkRule(SORT, NOTHING, product=(0, 0)))
def hperiod(obj: ObjectT) -> Integer:
    """The number of columns after which the object repeats; its width if it does not.

    >>> call("hperiod", frozenset({(1, (0, 0)), (2, (0, 1)), (1, (0, 2))}))
    2
    """
    return _period(obj, 1)


@op(may_leave_range=True, work=WorkRule(SORT, NOTHING, product=(0, 0)))
def vperiod(obj: ObjectT) -> Integer:
    """The number of rows after which the object repeats; its height if it does not.

    >>> call("vperiod", frozenset({(1, (0, 0)), (1, (1, 0))}))
    1
    """
    return _period(obj, 0)
