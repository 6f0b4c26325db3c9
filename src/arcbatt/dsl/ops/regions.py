"""Regions: connected cells of one colour, holes, rectangles, and the neighbours of cells."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from arcbatt.dsl.ops.grids import extent, locations
from arcbatt.dsl.ops.objects import AROUND, SIDES
from arcbatt.dsl.table import op
from arcbatt.dsl.types import Color, Grid, Indices, Integer, PatchT
from arcbatt.dsl.work import BUILDING, COUNTING, SORT, SORTING, WorkRule

FLOODING = WorkRule(SORT, SORT // 8)


def _spread(grid: Grid, starts: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """The locations connected to some others by cells of one colour, side by side."""
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
    """The cells of a colour that no path through that colour, side by side, connects to the edge.

    >>> call("enclosed", ((1, 1, 1), (1, 0, 1), (1, 1, 0)), 0)
    frozenset({(1, 1)})
    """
    height, width = extent(grid)
    own = {(i, j) for i in range(height) for j in range(width) if grid[i][j] == color}
    open_ones = [(i, j) for i, j in own if i in (0, height - 1) or j in (0, width - 1)]
    return frozenset(own - _spread(grid, open_ones))


@op(work=FLOODING)
def flood(grid: Grid, starts: PatchT) -> Indices:
    """The regions of one colour that contain a start; cells are connected side by side.

    Starts outside the grid are ignored.

    >>> sorted(call("flood", ((1, 1, 0), (0, 1, 0)), frozenset({(0, 0)})))
    [(0, 0), (0, 1), (1, 1)]
    """
    height, width = extent(grid)
    inside = {(i, j) for i, j in locations(starts) if 0 <= i < height and 0 <= j < width}
    return frozenset(_spread(grid, inside))


@op(order_sensitive=True, work=WorkRule(SORT // 4, SORT // 8), idempotent=True)
def nearest(grid: Grid, free: Color) -> Grid:
    """Every free cell in the colour of the nearest cell that is not free; of several the smallest colour.

    Distances count steps from side to side. A grid without other cells stays unchanged.

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


def _part_count(spots: set[tuple[int, int]]) -> int:
    """How many parts some locations form; locations that touch at sides or corners belong together."""
    rest, count = set(spots), 0
    while rest:
        count += 1
        frontier = [rest.pop()]
        while frontier:
            i, j = frontier.pop()
            beside = {(i + di, j + dj) for di, dj in AROUND} & rest
            rest -= beside
            frontier += beside
    return count


@op(work=SORTING)
def holes(patch: PatchT) -> Integer:
    """The number of holes: regions, side by side, of other locations enclosed by the patch.

    >>> call("holes", frozenset({(0, 1), (1, 0), (1, 2), (2, 1)}))
    1
    """
    spots = set(locations(patch))
    corners = {(i + down, j + right) for i, j in spots for down in (0, 1) for right in (0, 1)}
    level = {(i + down, j) for i, j in spots for down in (0, 1)}
    upright = {(i, j + right) for i, j in spots for right in (0, 1)}
    # Euler: squares plus corners minus edges is parts minus holes.
    return _part_count(spots) - (len(spots) + len(corners) - len(level) - len(upright))


@op(order_sensitive=True, work=BUILDING)
def rectangle(grid: Grid, color: Color) -> Indices:
    """The largest rectangle of cells of a colour; of several the uppermost, leftmost, tallest.

    >>> sorted(call("rectangle", ((0, 0, 1), (0, 0, 0), (1, 0, 0)), 0))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """
    best = (0, 0, 0, 1)
    depths = [0] * len(grid[0])  # of the colour, from each cell of a row upwards
    for i, row in enumerate(grid):
        depths = [depth + 1 if cell == color else 0 for depth, cell in zip(depths, row)]
        begun: list[tuple[int, int]] = []  # rectangles that continue to the right: left and height, ascending
        for j, depth in enumerate((*depths, 0)):
            left = j
            while begun and begun[-1][1] > depth:
                left, tall = begun.pop()
                best = max(best, (tall * (j - left), tall - 1 - i, -left, tall))
            if depth > (begun[-1][1] if begun else 0):
                begun.append((left, depth))
    area, top, left, tall = best
    return frozenset((k - top, m - left) for k in range(tall) for m in range(area // tall))


def _crowded(grid: Grid, color: int, count: int, steps: Any) -> frozenset[tuple[int, int]]:
    """The locations with this many neighbours of a colour some steps away."""
    own = {(i, j) for i, row in enumerate(grid) for j, cell in enumerate(row) if cell == color}
    return frozenset(
        (i, j)
        for i, row in enumerate(grid)
        for j in range(len(row))
        if sum((i + di, j + dj) in own for di, dj in steps) >= count
    )


@op(work=COUNTING)
def crowded(grid: Grid, color: Color, count: Integer) -> Indices:
    """The locations with at least this many of their eight neighbours in a colour.

    >>> sorted(call("crowded", ((1, 0, 0), (1, 1, 0)), 1, 3))
    [(0, 1)]
    """
    return _crowded(grid, color, count, AROUND)


@op(work=COUNTING)
def dcrowded(grid: Grid, color: Color, count: Integer) -> Indices:
    """The locations with at least this many of their four direct neighbours in a colour.

    >>> sorted(call("dcrowded", ((1, 0, 0), (1, 1, 0)), 1, 2))
    [(0, 1), (1, 0)]
    """
    return _crowded(grid, color, count, SIDES)


@op(order_sensitive=True, work=FLOODING)
def denoised(grid: Grid) -> Grid:
    """Each cell that equals none of its eight neighbours takes the most frequent colour among them.

    Of several such colours it takes the smallest. All cells are judged by their original colours.

    >>> call("denoised", ((1, 1, 1), (1, 5, 1), (1, 1, 1)))
    ((1, 1, 1), (1, 1, 1), (1, 1, 1))
    """
    height, width = extent(grid)

    def judged(i: int, j: int) -> int:
        around = Counter(
            grid[i + di][j + dj] for di, dj in AROUND if 0 <= i + di < height and 0 <= j + dj < width
        )
        if not around or grid[i][j] in around:
            return grid[i][j]
        return min(around, key=lambda color: (-around[color], color))

    return tuple(tuple(judged(i, j) for j in range(width)) for i in range(height))
