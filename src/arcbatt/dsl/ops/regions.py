"""Regions: cells of one colour that hang together, and areas around cells."""

from collections.abc import Iterable

from arcbatt.dsl.ops.grids import extent, locations
from arcbatt.dsl.ops.objects import SIDES
from arcbatt.dsl.table import op
from arcbatt.dsl.types import Color, Grid, Indices, PatchT
from arcbatt.dsl.work import SORT, Work

FLOODING = Work(SORT, SORT // 8)


def _spread(grid: Grid, starts: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """The locations that are joined to one of some by cells of one colour, side by side."""
    height, width = extent(grid)
    reached = set(starts)
    frontier = list(reached)
    while frontier:
        i, j = frontier.pop()
        for di, dj in SIDES:
            k, m = i + di, j + dj
            inside = 0 <= k < height and 0 <= m < width
            if inside and (k, m) not in reached and grid[k][m] == grid[i][j]:
                reached.add((k, m))
                frontier.append((k, m))
    return reached


@op(work=FLOODING)
def enclosed(grid: Grid, color: Color) -> Indices:
    """The cells of a colour from which no way through that colour, side by side, leads to the edge.

    >>> call("enclosed", ((1, 1, 1), (1, 0, 1), (1, 1, 0)), 0)
    frozenset({(1, 1)})
    """
    height, width = extent(grid)
    own = {(i, j) for i in range(height) for j in range(width) if grid[i][j] == color}
    open_ones = [(i, j) for i, j in own if i in (0, height - 1) or j in (0, width - 1)]
    return frozenset(own - _spread(grid, open_ones))


@op(work=FLOODING)
def flood(grid: Grid, starts: PatchT) -> Indices:
    """The regions of one colour that have one of the starts; cells hang together side by side.

    Starts outside the grid are ignored.

    >>> sorted(call("flood", ((1, 1, 0), (0, 1, 0)), frozenset({(0, 0)})))
    [(0, 0), (0, 1), (1, 1)]
    """
    height, width = extent(grid)
    inside = {(i, j) for i, j in locations(starts) if 0 <= i < height and 0 <= j < width}
    return frozenset(_spread(grid, inside))


@op(order_sensitive=True, work=Work(SORT // 4, SORT // 8))
def nearest(grid: Grid, free: Color) -> Grid:
    """Every free cell in the colour of the nearest one that is not; of several the smallest colour.

    Distances count steps from side to side. A grid that is all free stays as it is.

    >>> call("nearest", ((1, 0, 0, 0, 2),), 0)
    ((1, 1, 1, 2, 2),)
    """
    height, width = extent(grid)
    colors = {(i, j): grid[i][j] for i in range(height) for j in range(width) if grid[i][j] != free}
    frontier = list(colors)
    while frontier:
        beside: dict[tuple[int, int], int] = {}
        for i, j in frontier:
            for di, dj in SIDES:
                k, m = i + di, j + dj
                if 0 <= k < height and 0 <= m < width and (k, m) not in colors:
                    beside[k, m] = min(colors[i, j], beside.get((k, m), colors[i, j]))
        colors |= beside
        frontier = list(beside)
    return tuple(tuple(colors.get((i, j), free) for j in range(width)) for i in range(height))
