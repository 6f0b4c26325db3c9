"""Grids, measures and colours: shape and palette, cutting, turning and recolouring grids."""

from collections import Counter
from itertools import chain
from typing import Any

from arcbatt.dsl.failures import OpFailed
from arcbatt.dsl.table import Forecast, op
from arcbatt.dsl.types import (
    IJ,
    Boolean,
    Color,
    Element,
    FilledElement,
    Grid,
    Grid0,
    Indices,
    Integer,
    Object,
    Piece,
    Set,
    has_no_cells,
)
from arcbatt.dsl.work import CONSTANT, COUNTING, MAKING, SCANNING


def locations(patch: Any) -> Any:
    """The locations of a patch as a Set; a Tuple of locations stays a Tuple."""
    if not patch:
        return frozenset()
    if type(next(iter(patch))[1]) is int:
        return patch
    return frozenset(location for _, location in patch)


def bounds(patch: Any) -> tuple[int, int, int, int]:
    """Top, left, bottom and right of a patch that is not empty."""
    spots = locations(patch)
    rows = [i for i, _ in spots]
    columns = [j for _, j in spots]
    return min(rows), min(columns), max(rows), max(columns)


def relocated(patch: Any, place: Any) -> frozenset[Any]:
    """The Set of a patch's elements, each moved to place(i, j); colours are kept."""
    if type(next(iter(patch))[1]) is int:
        return frozenset(place(i, j) for i, j in patch)
    return frozenset((color, place(i, j)) for color, (i, j) in patch)


def extent(piece: Any) -> tuple[int, int]:
    """Height and width of a grid or patch."""
    if type(piece) is tuple:
        return len(piece), len(piece[0]) if piece else 0
    if not piece:
        return 0, 0
    top, left, bottom, right = bounds(piece)
    return bottom - top + 1, right - left + 1


def colors(element: Element) -> Any:
    """The colours of all cells of a grid or object."""
    return chain.from_iterable(element) if type(element) is tuple else (color for color, _ in element)


@op(may_leave_range=True, work=SCANNING)
def height(piece: Piece) -> Integer:
    """The number of rows.

    >>> call("height", ((1, 2, 3), (4, 5, 6)))
    2
    """
    return extent(piece)[0]


@op(may_leave_range=True, work=SCANNING)
def width(piece: Piece) -> Integer:
    """The number of columns.

    >>> call("width", ((1, 2, 3), (4, 5, 6)))
    3
    """
    return extent(piece)[1]


@op(may_leave_range=True, work=SCANNING)
def shape(piece: Piece) -> IJ:
    """The pair (height, width).

    >>> call("shape", frozenset({(0, 0), (2, 4)}))
    (3, 5)
    """
    return extent(piece)


@op(work=SCANNING)
def portrait(piece: Piece) -> Boolean:
    """Whether the height is greater than the width.

    >>> call("portrait", ((1,), (2,)))
    1
    """
    rows, columns = extent(piece)
    return int(rows > columns)


@op(work=SCANNING)
def square(piece: Piece) -> Boolean:
    """Whether a grid is as high as wide, or a patch fills a box as high as wide.

    >>> call("square", ((1, 2), (3, 4)))
    1
    """
    rows, columns = extent(piece)
    if type(piece) is tuple:
        if has_no_cells(piece):
            raise OpFailed("EMPTY")
        return int(rows == columns)
    return int(rows == columns and rows * columns == len(piece))


@op(order_sensitive=True, selects=True, work=COUNTING)
def mostcolor(element: FilledElement) -> Integer:
    """The most frequent colour; of several the smallest.

    >>> call("mostcolor", ((1, 2), (2, 1)))
    1
    """
    counts = Counter(colors(element))
    most = max(counts.values())
    return min(color for color, count in counts.items() if count == most)


@op(order_sensitive=True, selects=True, work=COUNTING)
def leastcolor(element: FilledElement) -> Integer:
    """The least frequent colour among those present; of several the smallest.

    >>> call("leastcolor", ((1, 2), (2, 2)))
    1
    """
    counts = Counter(colors(element))
    fewest = min(counts.values())
    return min(color for color, count in counts.items() if count == fewest)


@op
def colorcount(element: Element, value: Color) -> Integer:
    """The number of cells of a colour.

    >>> call("colorcount", ((1, 2), (2, 2)), 2)
    3
    """
    return sum(color == value for color in colors(element))


@op(signature="Element -> Set[Integer]", work=COUNTING)
def palette(element: Element) -> Set:
    """The Set of the colours present.

    >>> sorted(call("palette", ((1, 2), (2, 2))))
    [1, 2]
    """
    return frozenset(colors(element))


@op(work=COUNTING)
def numcolors(element: Element) -> Integer:
    """The number of different colours.

    >>> call("numcolors", ((1, 2), (2, 2)))
    2
    """
    return len(palette(element))


@op
def asindices(grid: Grid0) -> Indices:
    """All locations of a grid.

    >>> sorted(call("asindices", ((7, 7),)))
    [(0, 0), (0, 1)]
    """
    return frozenset((i, j) for i, row in enumerate(grid) for j in range(len(row)))


@op
def asobject(grid: Grid0) -> Object:
    """All cells of a grid.

    >>> sorted(call("asobject", ((7, 8),)))
    [(7, (0, 0)), (8, (0, 1))]
    """
    return frozenset((color, (i, j)) for i, row in enumerate(grid) for j, color in enumerate(row))


@op
def ofcolor(grid: Grid0, value: Color) -> Indices:
    """The locations of a colour.

    >>> call("ofcolor", ((7, 8),), 8)
    frozenset({(0, 1)})
    """
    return frozenset((i, j) for i, row in enumerate(grid) for j, color in enumerate(row) if color == value)


@op(selects=True, work=CONSTANT)
def index(grid: Grid, loc: IJ) -> Integer:
    """The colour at a location.

    >>> call("index", ((1, 2), (3, 4)), (1, 0))
    3
    """
    i, j = loc
    if 0 <= i < len(grid) and 0 <= j < len(grid[0]):
        return grid[i][j]
    raise OpFailed("INDEX")


def canvas_forecast(rows: int, columns: int) -> Forecast:
    """The size of a grid of so many rows and columns; negative numbers count as 0."""
    rows, columns = max(rows, 0), max(columns, 0)
    return Forecast(1 + rows + rows * columns, 2 if rows else 1)


@op(forecast=lambda value, dimensions: canvas_forecast(*dimensions), work=MAKING)
def canvas(value: Color, dimensions: IJ) -> Grid0:
    """A grid of one colour.

    >>> call("canvas", 3, (2, 2))
    ((3, 3), (3, 3))
    """
    rows, columns = dimensions
    return ((value,) * columns,) * rows if rows > 0 else ()


@op(selects=True)
def crop(grid: Grid0, start: IJ, dims: IJ) -> Grid0:
    """The part of a grid of dimensions dims that begins at start; numbers as in Python slices.

    >>> call("crop", ((1, 2, 3), (4, 5, 6)), (0, 1), (2, 2))
    ((2, 3), (5, 6))
    """
    (top, left), (rows, columns) = start, dims
    return tuple(row[left : left + columns] for row in grid[top : top + rows])


@op
def rot90(grid: Grid0) -> Grid0:
    """A quarter turn clockwise.

    >>> call("rot90", ((1, 2), (3, 4)))
    ((3, 1), (4, 2))
    """
    return tuple(zip(*grid[::-1]))


@op(involution=True)
def rot180(grid: Grid0) -> Grid0:
    """A half turn.

    >>> call("rot180", ((1, 2), (3, 4)))
    ((4, 3), (2, 1))
    """
    return tuple(row[::-1] for row in grid[::-1])


@op
def rot270(grid: Grid0) -> Grid0:
    """A quarter turn anticlockwise.

    >>> call("rot270", ((1, 2), (3, 4)))
    ((2, 4), (1, 3))
    """
    return tuple(zip(*grid))[::-1]


def _filled_bounds(patch: Any) -> tuple[int, int, int, int]:
    if not patch:
        raise OpFailed("EMPTY")
    return bounds(patch)


@op(signature="Grid -> Grid; Indices -> Indices; Object -> Object", involution=True)
def hmirror(piece: Piece) -> Piece:
    """Upside down; a patch within its bounding box.

    >>> call("hmirror", ((1, 2), (3, 4)))
    ((3, 4), (1, 2))
    """
    if type(piece) is tuple:
        return piece[::-1]
    top, _, bottom, _ = _filled_bounds(piece)
    return relocated(piece, lambda i, j: (top + bottom - i, j))


@op(signature="Grid -> Grid; Indices -> Indices; Object -> Object", involution=True)
def vmirror(piece: Piece) -> Piece:
    """Left and right exchanged; a patch within its bounding box.

    >>> call("vmirror", ((1, 2), (3, 4)))
    ((2, 1), (4, 3))
    """
    if type(piece) is tuple:
        return tuple(row[::-1] for row in piece)
    _, left, _, right = _filled_bounds(piece)
    return relocated(piece, lambda i, j: (i, left + right - j))


@op(signature="Grid -> Grid; Indices -> Indices; Object -> Object", may_leave_range=True, involution=True)
def dmirror(piece: Piece) -> Piece:
    """Mirrored at the main diagonal; a patch keeps its upper left corner.

    >>> call("dmirror", ((1, 2), (3, 4)))
    ((1, 3), (2, 4))
    """
    if type(piece) is tuple:
        return tuple(zip(*piece))
    top, left, _, _ = _filled_bounds(piece)
    return relocated(piece, lambda i, j: (j - left + top, i - top + left))


@op(signature="Grid -> Grid; Indices -> Indices; Object -> Object", may_leave_range=True, involution=True)
def cmirror(piece: Piece) -> Piece:
    """Mirrored at the counter-diagonal; a patch keeps its upper left corner.

    >>> call("cmirror", ((1, 2), (3, 4)))
    ((4, 2), (3, 1))
    """
    if type(piece) is tuple:
        return tuple(zip(*(row[::-1] for row in piece[::-1])))
    top, left, bottom, right = _filled_bounds(piece)
    return relocated(piece, lambda i, j: (top + right - j, left + bottom - i))


@op(selects=True)
def trim(grid: Grid0) -> Grid0:
    """Without its first and last row and column.

    >>> call("trim", ((1, 2, 3), (4, 5, 6), (7, 8, 9)))
    ((5,),)
    """
    return tuple(row[1:-1] for row in grid[1:-1])


@op(selects=True)
def tophalf(grid: Grid0) -> Grid0:
    """The upper half; the middle row of an odd number is left out.

    >>> call("tophalf", ((1,), (2,), (3,)))
    ((1,),)
    """
    return grid[: len(grid) // 2]


@op(selects=True)
def bottomhalf(grid: Grid0) -> Grid0:
    """The lower half; the middle row of an odd number is left out.

    >>> call("bottomhalf", ((1,), (2,), (3,)))
    ((3,),)
    """
    return grid[len(grid) - len(grid) // 2 :]


@op(selects=True)
def lefthalf(grid: Grid0) -> Grid0:
    """The left half; the middle column of an odd number is left out.

    >>> call("lefthalf", ((1, 2, 3),))
    ((1,),)
    """
    half = extent(grid)[1] // 2
    return tuple(row[:half] for row in grid) if half else ()


@op(selects=True)
def righthalf(grid: Grid0) -> Grid0:
    """The right half; the middle column of an odd number is left out.

    >>> call("righthalf", ((1, 2, 3),))
    ((3,),)
    """
    half = extent(grid)[1] // 2
    return tuple(row[-half:] for row in grid) if half else ()


@op(idempotent=True)
def replace(grid: Grid0, replacee: Color, replacer: Color) -> Grid0:
    """One colour replaced by another.

    >>> call("replace", ((1, 2), (2, 1)), 2, 5)
    ((1, 5), (5, 1))
    """
    return tuple(tuple(replacer if color == replacee else color for color in row) for row in grid)


@op(involution=True)
def switch(grid: Grid0, a: Color, b: Color) -> Grid0:
    """Two colours exchanged.

    >>> call("switch", ((1, 2), (2, 3)), 1, 2)
    ((2, 1), (1, 3))
    """
    exchanged = {a: b, b: a}
    return tuple(tuple(exchanged.get(color, color) for color in row) for row in grid)


@op
def cellwise(a: Grid, b: Grid, fallback: Color) -> Grid:
    """The cells on which a and b agree, in the shape of a; the fallback colour elsewhere.

    >>> call("cellwise", ((1, 2),), ((1, 3),), 0)
    ((1, 0),)
    """
    if len(b) < len(a) or len(b[0]) < len(a[0]):
        raise OpFailed("INDEX")
    return tuple(tuple(x if x == y else fallback for x, y in zip(*rows)) for rows in zip(a, b))


@op(selects=True)
def compress(grid: Grid0) -> Grid0:
    """Without the rows and columns of a single colour.

    >>> call("compress", ((1, 1, 1), (1, 2, 1), (1, 1, 1)))
    ((2,),)
    """
    if has_no_cells(grid):
        return grid
    kept = [j for j, column in enumerate(zip(*grid)) if len(set(column)) > 1]
    return tuple(tuple(row[j] for j in kept) for row in grid if len(set(row)) > 1)
