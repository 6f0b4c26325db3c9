"""Drawing: grids with patches filled, painted, covered or moved; locations outside the grid are ignored."""

from collections.abc import Iterable
from typing import Any

from arcbatt.dsl.failures import OpFailed
from arcbatt.dsl.ops.grids import locations, mostcolor
from arcbatt.dsl.ops.patches import fits
from arcbatt.dsl.table import op
from arcbatt.dsl.types import IJ, Color, Grid, ObjectT, PatchT
from arcbatt.dsl.values import ordered
from arcbatt.dsl.work import BUILD, SCAN, TALLY, WorkRule


def _painted(grid: Grid, cells: Iterable[Any], only_on: int | None = None) -> Grid:
    """The grid with cells set one after the other; `only_on` limits this to cells of one current colour."""
    rows = [list(row) for row in grid]
    height, width = len(rows), len(rows[0])
    for color, (i, j) in cells:
        if 0 <= i < height and 0 <= j < width and (only_on is None or rows[i][j] == only_on):
            rows[i][j] = color
    return tuple(map(tuple, rows))


@op(idempotent=True)
def fill(grid: Grid, value: Color, patch: PatchT) -> Grid:
    """The locations of the patch set to a colour.

    >>> call("fill", ((0, 0), (0, 0)), 3, frozenset({(0, 1), (9, 9)}))
    ((0, 3), (0, 0))
    """
    return _painted(grid, ((value, location) for location in locations(patch)))


@op(order_sensitive=True, idempotent=True)
def paint(grid: Grid, obj: ObjectT) -> Grid:
    """The cells of the object drawn on the grid; the last one drawn wins.

    >>> call("paint", ((0, 0), (0, 0)), frozenset({(3, (0, 1))}))
    ((0, 3), (0, 0))
    """
    return _painted(grid, ordered(obj))


@op(order_sensitive=True)
def underfill(grid: Grid, value: Color, patch: PatchT) -> Grid:
    """The locations of the patch set to a colour where the grid shows its most frequent colour.

    >>> call("underfill", ((0, 0), (5, 0)), 3, frozenset({(0, 0), (1, 0)}))
    ((3, 0), (5, 0))
    """
    return _painted(grid, ((value, location) for location in locations(patch)), mostcolor(grid))


@op(order_sensitive=True)
def underpaint(grid: Grid, obj: ObjectT) -> Grid:
    """The cells of the object drawn where the grid shows its most frequent colour.

    >>> call("underpaint", ((0, 0), (5, 0)), frozenset({(3, (0, 0)), (4, (1, 0))}))
    ((3, 0), (5, 0))
    """
    return _painted(grid, ordered(obj), mostcolor(grid))


@op(order_sensitive=True, idempotent=True)
def cover(grid: Grid, patch: PatchT) -> Grid:
    """The locations of the patch set to the most frequent colour.

    >>> call("cover", ((0, 0), (5, 0)), frozenset({(1, 0)}))
    ((0, 0), (0, 0))
    """
    return fill(grid, mostcolor(grid), patch)


@op(order_sensitive=True, work=WorkRule((BUILD, TALLY, SCAN), BUILD))
def move(grid: Grid, obj: ObjectT, offset: IJ) -> Grid:
    """The object covered and drawn again at an offset.

    >>> call("move", ((0, 0), (5, 0)), frozenset({(5, (1, 0))}), (0, 1))
    ((0, 0), (0, 5))
    """
    down, right = offset
    if not all(fits(i + down, j + right) for _, (i, j) in obj):
        raise OpFailed("RANGE")
    moved = [(color, (i + down, j + right)) for color, (i, j) in ordered(frozenset(obj))]
    return _painted(cover(grid, obj), moved)
