"""Panels: grids cut at separators, joined, overlaid, repeated and multiplied."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain, groupby
from typing import Any

from arcbatt.dsl.failures import OpFailed
from arcbatt.dsl.ops.grids import canvas_forecast, crop, extent
from arcbatt.dsl.table import Forecast, op
from arcbatt.dsl.types import IJ, Color, Grid, Grid0, Tuple, is_grid


@op(idempotent=True)
def overlay(under: Grid, over: Grid, transparent: Color) -> Grid:
    """One grid on top of another, aligned at the upper left corner, without its cells of one colour.

    The result has the shape of the grid below; cells outside it are cut off.

    >>> call("overlay", ((1, 1, 1), (1, 1, 1)), ((0, 2), (3, 0), (4, 4)), 0)
    ((1, 2, 1), (3, 1, 1))
    """
    rows = [list(row) for row in under]
    for row, above in zip(rows, over):
        for j, color in enumerate(above[: len(row)]):
            if color != transparent:
                row[j] = color
    return tuple(map(tuple, rows))


def _plain(lines: Sequence[Sequence[int]]) -> list[int | None]:
    """The colour of each line of a single colour; None for other lines."""
    return [line[0] if len(set(line)) == 1 else None for line in lines]


def _between(plain: list[int | None], separator: int) -> list[tuple[int, int]]:
    """The beginning and the length of each run of lines between separators."""
    found, start = [], 0
    for is_separator, run in groupby(plain, lambda color: color == separator):
        length = len(list(run))
        if not is_separator:
            found.append((start, length))
        start += length
    return found


@op(signature="Grid -> Tuple[Grid]", order_sensitive=True)
def panels(grid: Grid) -> Tuple:
    """The parts of a grid between its separators, row by row.

    A separator is a row or column of one colour, the same for all: the colour of most one-coloured rows and
    columns; of several such colours one other than 0, then the smallest. Without a separator the grid itself
    is the only part. A grid of separators only has no parts.

    >>> call("panels", ((1, 5, 2), (5, 5, 5), (3, 5, 4)))
    (((1,),), ((2,),), ((3,),), ((4,),))
    """
    return tuple(chain.from_iterable(panel_rows(grid)))


@op(signature="Grid -> Tuple[Tuple[Grid]]", order_sensitive=True)
def panel_rows(grid: Grid) -> Tuple:
    """The parts of a grid between its separators, each row of parts as one Tuple; see `panels`.

    >>> call("panel_rows", ((1, 5, 2), (5, 5, 5), (3, 5, 4)))
    ((((1,),), ((2,),)), (((3,),), ((4,),)))
    """
    rows, columns = _plain(grid), _plain([*zip(*grid)])
    times = Counter(color for color in rows + columns if color is not None)
    if not times:
        return ((grid,),)
    separator = min(times, key=lambda color: (-times[color], color == 0, color))
    return tuple(
        tuple(crop(grid, (top, left), (height, width)) for left, width in _between(columns, separator))
        for top, height in _between(rows, separator)
    )


@op(signature="Tuple[Tuple[Grid]] -> Grid", selects=True)
def joined(rows: Tuple) -> Grid0:
    """Rows of grids put together, left to right and top to bottom.

    The grids of one row must be equally high, and all non-empty rows equally wide.

    >>> call("joined", ((((1,), (2,)), ((3, 4), (5, 6))), (((7, 8, 9),),)))
    ((1, 3, 4), (2, 5, 6), (7, 8, 9))
    """
    for row in rows:
        if type(row) is not tuple or not all(map(is_grid, row)) or len({*map(len, row)}) > 1:
            raise OpFailed("TYPE")
    lines = tuple(tuple(chain.from_iterable(parts)) for row in rows for parts in zip(*row))
    if len({*map(len, lines)}) > 1:
        raise OpFailed("TYPE")
    return lines


@op(forecast=lambda grid, dimensions: canvas_forecast(*dimensions))
def tile(grid: Grid, dimensions: IJ) -> Grid0:
    """A grid of these dimensions, covered with copies of another from the upper left corner.

    >>> call("tile", ((1, 2),), (2, 5))
    ((1, 2, 1, 2, 1), (1, 2, 1, 2, 1))
    """
    rows, columns = dimensions
    height, width = extent(grid)
    return tuple(tuple(grid[i % height][j % width] for j in range(columns)) for i in range(rows))


def _outer_forecast(a: Any, b: Any, free: int) -> Forecast:
    (rows, columns), (height, width) = extent(a), extent(b)
    return canvas_forecast(rows * height, columns * width)


@op(forecast=_outer_forecast)
def outer(a: Grid, b: Grid, free: Color) -> Grid:
    """The outer product of two grids: b for each cell of a, or a block of the free colour where a is free.

    >>> call("outer", ((1, 0),), ((2, 0), (2, 2)), 0)
    ((2, 0, 0, 0), (2, 2, 0, 0))
    """
    return tuple(
        tuple(color if cell != free else free for cell in block for color in row) for block in a for row in b
    )


@op(forecast=_outer_forecast)
def outer_color(a: Grid, b: Grid, free: Color) -> Grid:
    """The outer product of two grids in the colours of a: b for each of its cells, free where either is.

    >>> call("outer_color", ((1, 0),), ((2, 0), (2, 2)), 0)
    ((1, 0, 0, 0), (1, 1, 0, 0))
    """
    return tuple(
        tuple(cell if color != free else free for cell in block for color in row) for block in a for row in b
    )


@op(selects=True)
def condense(grid: Grid) -> Grid:
    """The grid with equal adjacent rows merged into one, and equal adjacent columns too.

    >>> call("condense", ((1, 1, 2), (1, 1, 2), (3, 3, 3)))
    ((1, 2), (3, 3))
    """
    rows = [row for row, _ in groupby(grid)]
    return tuple(zip(*(column for column, _ in groupby(zip(*rows)))))


@op(selects=True, idempotent=True)
def stripped(grid: Grid, color: Color) -> Grid:
    """The grid without outer rows and columns of this colour only; one cell if it has no other colour.

    >>> call("stripped", ((0, 0, 0), (0, 1, 0), (0, 0, 2), (0, 0, 0)), 0)
    ((1, 0), (0, 2))
    """
    rows = [i for i, row in enumerate(grid) if {*row} != {color}] or [0]
    columns = [j for j, column in enumerate(zip(*grid)) if {*column} != {color}] or [0]
    return tuple(row[columns[0] : columns[-1] + 1] for row in grid[rows[0] : rows[-1] + 1])
