"""Rays: lines over a grid in a direction until an obstacle.

Only the signs of a direction count; the direction (0, 0) leads nowhere.
"""

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Any

from arcbatt.dsl.contract import LOCATION_WEIGHT
from arcbatt.dsl.ops.grids import extent, locations
from arcbatt.dsl.ops.numbers import sign
from arcbatt.dsl.ops.objects import objects
from arcbatt.dsl.table import Forecast, op
from arcbatt.dsl.types import IJ, Color, Grid, Indices, Object, PatchT
from arcbatt.dsl.work import SORTING


def _lines(grid: Grid, direction: IJ) -> Iterator[list[tuple[int, int]]]:
    """The lines of a grid along a direction: the locations of each, in order."""
    di, dj = sign(direction)
    height, width = extent(grid)
    if di == dj == 0:
        return
    for i in range(height):
        for j in range(width):
            if not (0 <= i - di < height and 0 <= j - dj < width):
                line, k, m = [], i, j
                while 0 <= k < height and 0 <= m < width:
                    line.append((k, m))
                    k, m = k + di, m + dj
                yield line


@op
def smear(grid: Grid, direction: IJ, free: Color) -> Grid:
    """Every cell that is not free extends in a direction through free cells, to an obstacle or the edge.

    So a free cell takes the colour of the first cell that is not free, looking against the direction.

    >>> call("smear", ((0, 1, 0, 2, 0),), (0, 1), 0)
    ((0, 1, 1, 2, 2),)
    """
    rows = [list(row) for row in grid]
    for line in _lines(grid, direction):
        carried = free
        for i, j in line:
            if rows[i][j] == free:
                rows[i][j] = carried
            carried = rows[i][j]
    return tuple(map(tuple, rows))


@op
def rays(grid: Grid, starts: PatchT, direction: IJ, free: Color) -> Indices:
    """The free locations from the starts in a direction, up to the first that is not free.

    A start is included only if another start's ray passes it. Starts outside the grid are ignored.

    >>> sorted(call("rays", ((0, 0, 0, 5, 0),), frozenset({(0, 0)}), (0, 1), 0))
    [(0, 1), (0, 2)]
    """
    begun, passed = set(locations(starts)), set()
    for line in _lines(grid, direction):
        runs = False
        for i, j in line:
            runs = runs and grid[i][j] == free
            if runs:
                passed.add((i, j))
            runs = runs or (i, j) in begun
    return frozenset(passed)


@op(idempotent=True)
def sink(grid: Grid, direction: IJ, free: Color) -> Grid:
    """In each row or column, the cells that are not free moved to its end in a direction, in their order.

    A diagonal direction leaves the grid unchanged.

    >>> call("sink", ((1, 0, 2, 0),), (0, 1), 0)
    ((0, 0, 1, 2),)
    """
    if 0 not in direction:
        return grid
    rows = [list(row) for row in grid]
    for line in _lines(grid, direction):
        kept = [grid[i][j] for i, j in line if grid[i][j] != free]
        for (i, j), color in zip(line, [free] * (len(line) - len(kept)) + kept):
            rows[i][j] = color
    return tuple(map(tuple, rows))


@op(work=SORTING)
def linked(grid: Grid, direction: IJ, free: Color) -> Object:
    """The free cells between two cells of one colour along a direction, in that colour.

    All cells between the two must be free.

    >>> sorted(call("linked", ((1, 0, 0, 1, 0, 2),), (0, 1), 0))
    [(1, (0, 1)), (1, (0, 2))]
    """
    found: set[tuple[int, tuple[int, int]]] = set()
    for line in _lines(grid, direction):
        begun = None
        for k, (i, j) in enumerate(line):
            color = grid[i][j]
            if color == free:
                continue
            if begun is not None and begun[1] == color:
                found.update((color, location) for location in line[begun[0] + 1 : k])
            begun = (k, color)
    return frozenset(found)


def _drops(grid: Grid, direction: IJ, parts: dict[tuple[int, int], int]) -> dict[int, int]:
    """How far each part moves: at most to the edge, and to the parts before it once they have moved.

    These are the shortest paths over the gaps between parts, starting from the edge.
    """
    drops: dict[int, int] = {}
    behind: dict[int, list[tuple[int, int]]] = {}
    for line in _lines(grid, direction):
        filled = [(k, parts[at]) for k, at in enumerate(line) if at in parts]
        for (k, part), (m, before) in pairwise(filled):
            if part != before:
                behind.setdefault(before, []).append((part, m - k - 1))
        for k, part in filled[-1:]:
            drops[part] = min(drops.get(part, len(line)), len(line) - 1 - k)
    waiting = [(drop, part) for part, drop in drops.items()]
    heapify(waiting)
    while waiting:
        drop, part = heappop(waiting)
        for other, gap in behind.pop(part, []):
            if other not in drops or drop + gap < drops[other]:
                drops[other] = drop + gap
                heappush(waiting, (drop + gap, other))
    return drops


@op(work=SORTING, idempotent=True)
def settle(grid: Grid, direction: IJ, free: Color) -> Grid:
    """Objects moved in a direction until the edge or an object at rest stops them.

    An object consists of cells of one colour, not the free one, that touch at sides or corners. Objects stay
    whole and keep their order; interlocked objects fall together.

    >>> call("settle", ((1, 1, 0), (0, 1, 0), (0, 0, 0), (2, 0, 0)), (1, 0), 0)
    ((0, 0, 0), (0, 0, 0), (1, 1, 0), (2, 1, 0))
    """
    di, dj = sign(direction)
    parts = {
        at: part for part, cells in enumerate(objects(grid, 1, 1, 0)) for color, at in cells if color != free
    }
    drops = _drops(grid, direction, parts) if (di, dj) != (0, 0) else dict.fromkeys(parts.values(), 0)
    height, width = extent(grid)
    rows = [[free] * width for _ in range(height)]
    for (i, j), part in parts.items():
        rows[i + di * drops[part]][j + dj * drops[part]] = grid[i][j]
    return tuple(map(tuple, rows))


def _gaps(patch: Any, direction: IJ) -> Iterator[tuple[tuple[int, int], tuple[int, int], int]]:
    """The gaps in the lines of a patch: the location before each, the step to the next, and its length."""
    di, dj = sign(direction)
    if di == dj == 0:
        return
    step = (1, di * dj) if di else (0, 1)
    placed = sorted((dj * i - di * j, i if di else j, (i, j)) for i, j in set(locations(patch)))
    for (line, place, at), (other_line, other_place, _) in pairwise(placed):
        if line == other_line and other_place - place > 1:
            yield at, step, other_place - place - 1


def _between_forecast(patch: Any, direction: IJ) -> Forecast:
    count = sum(length for _, _, length in _gaps(patch, direction))
    return Forecast(1 + LOCATION_WEIGHT * count, 2 if count else 1)


@op(forecast=_between_forecast, work=SORTING)
def between(patch: PatchT, direction: IJ) -> Indices:
    """The locations between those of a patch, on all lines along a direction, that are not in the patch.

    >>> sorted(call("between", frozenset({(0, 0), (0, 3), (2, 3)}), (0, 1)))
    [(0, 1), (0, 2)]
    """
    return frozenset(
        (i + k * down, j + k * right)
        for (i, j), (down, right), length in _gaps(patch, direction)
        for k in range(1, length + 1)
    )
