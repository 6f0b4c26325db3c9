"""Rays: what goes along a direction over a grid until something is in the way.

Of a direction the signs count alone; the direction (0, 0) leads nowhere.
"""

from collections.abc import Iterator

from arcbatt.dsl.ops.grids import extent, locations
from arcbatt.dsl.ops.numbers import sign
from arcbatt.dsl.table import op
from arcbatt.dsl.types import IJ, Color, Grid, Indices, Object, PatchT
from arcbatt.dsl.work import BUILD, SORT, Work


def _lines(grid: Grid, direction: IJ) -> Iterator[list[tuple[int, int]]]:
    """The lines of a grid along a direction: the locations of each, in the order in which they are passed."""
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
    """Every cell that is not free goes on in a direction through free cells, to an obstacle or the edge.

    So a free cell takes the colour of the first cell before it, against the direction, that is not free.

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
    """The free locations that are passed from the starts in a direction, to the first that is not free.

    A start is not passed itself, but by rays of others. Starts outside the grid are ignored.

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


@op
def sink(grid: Grid, direction: IJ, free: Color) -> Grid:
    """The cells of each row or column that are not free moved to its end in a direction, their order kept.

    A diagonal direction leaves the grid as it is.

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


@op(work=Work(BUILD, SORT))
def linked(grid: Grid, direction: IJ, free: Color) -> Object:
    """The free cells between two of one colour along a direction, in that colour.

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
