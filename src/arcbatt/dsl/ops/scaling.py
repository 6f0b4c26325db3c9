"""Composition and scaling: grids enlarged, reduced, joined and split."""

from arcbatt.dsl.contract import CELL_WEIGHT
from arcbatt.dsl.failures import OpFailed
from arcbatt.dsl.ops.grids import bounds, canvas_forecast, crop, extent
from arcbatt.dsl.ops.patches import fits
from arcbatt.dsl.table import Forecast, op
from arcbatt.dsl.types import Element, Grid, Grid0, Integer, NonZero, Tuple
from arcbatt.dsl.values import size_of
from arcbatt.dsl.work import SORTING


def _hupscale_forecast(grid: Grid0, factor: int) -> Forecast:
    rows, columns = extent(grid)
    return canvas_forecast(rows, columns * factor)


@op(forecast=_hupscale_forecast)
def hupscale(grid: Grid0, factor: Integer) -> Grid0:
    """Every cell repeated from left to right.

    >>> call("hupscale", ((1, 2),), 2)
    ((1, 1, 2, 2),)
    """
    return tuple(tuple(color for color in row for _ in range(factor)) for row in grid)


def _vupscale_forecast(grid: Grid0, factor: int) -> Forecast:
    rows, columns = extent(grid)
    return canvas_forecast(rows * factor, columns)


@op(forecast=_vupscale_forecast)
def vupscale(grid: Grid0, factor: Integer) -> Grid0:
    """Every row repeated downward.

    >>> call("vupscale", ((1,), (2,)), 2)
    ((1,), (1,), (2,), (2,))
    """
    return tuple(row for row in grid for _ in range(factor))


def _upscale_forecast(element: Element, factor: int) -> Forecast:
    if type(element) is tuple:
        rows, columns = extent(element)
        return canvas_forecast(rows * factor, columns * factor)
    if not element or factor <= 0:
        return Forecast(1, 1)
    top, left, bottom, right = bounds(element)
    far = (top + (bottom - top + 1) * factor - 1, left + (right - left + 1) * factor - 1)
    return Forecast(1 + CELL_WEIGHT * len(element) * factor * factor, 3, fits(*far))


@op(signature="Grid, Integer -> Grid; Object, Integer -> Object", forecast=_upscale_forecast, work=SORTING)
def upscale(element: Element, factor: Integer) -> Element:
    """Every cell enlarged to a square; an object keeps its upper left corner.

    >>> call("upscale", ((1, 2),), 2)
    ((1, 1, 2, 2), (1, 1, 2, 2))
    """
    if type(element) is tuple:
        return vupscale(hupscale(element, factor), factor)
    if not element:
        return element
    top, left, _, _ = bounds(element)
    return frozenset(
        (color, (top + (i - top) * factor + down, left + (j - left) * factor + right))
        for color, (i, j) in element
        for down in range(factor)
        for right in range(factor)
    )


@op(selects=True)
def downscale(grid: Grid, factor: NonZero) -> Grid:
    """Every factor-th row and column, beginning with the first.

    >>> call("downscale", ((1, 2, 3), (4, 5, 6), (7, 8, 9)), 2)
    ((1, 3), (7, 9))
    """
    step = abs(factor)
    return tuple(row[::step] for row in grid[::step])


@op
def hconcat(a: Grid0, b: Grid0) -> Grid0:
    """The rows of a and b joined left to right; the shorter grid sets the height.

    >>> call("hconcat", ((1,), (2,)), ((3,), (4,)))
    ((1, 3), (2, 4))
    """
    return tuple(left + right for left, right in zip(a, b))


@op
def vconcat(a: Grid0, b: Grid0) -> Grid0:
    """b below a; both must be equally wide.

    >>> call("vconcat", ((1, 2),), ((3, 4),))
    ((1, 2), (3, 4))
    """
    if a and b and len(a[0]) != len(b[0]):
        raise OpFailed("TYPE")
    return a + b


def _parts(length: int, n: int) -> tuple[int, int]:
    """The length of each of n parts and the step from one to the next."""
    part = length // n
    return part, part + (length % n > 0)


def _hsplit_forecast(grid: Grid, n: int) -> Forecast:
    rows, columns = extent(grid)
    if n > columns:
        return Forecast(1 + n * (1 + rows), 3)
    return Forecast(*size_of(hsplit(grid, n)))


@op(signature="Grid, Integer -> Tuple[Grid]", forecast=_hsplit_forecast)
def hsplit(grid: Grid, n: NonZero) -> Tuple:
    """n parts side by side; columns left over are dropped between them.

    >>> call("hsplit", ((1, 2, 3, 4),), 2)
    (((1, 2),), ((3, 4),))
    """
    rows, columns = extent(grid)
    part, step = _parts(columns, n)
    return tuple(crop(grid, (0, k * step), (rows, part)) for k in range(n))


def _vsplit_forecast(grid: Grid, n: int) -> Forecast:
    if n > len(grid):
        return Forecast(1 + n, 2)
    return Forecast(*size_of(vsplit(grid, n)))


@op(signature="Grid, Integer -> Tuple[Grid]", forecast=_vsplit_forecast)
def vsplit(grid: Grid, n: NonZero) -> Tuple:
    """n parts one below the other; rows left over are dropped between them.

    >>> call("vsplit", ((1,), (2,), (3,)), 2)
    (((1,),), ((3,),))
    """
    rows, columns = extent(grid)
    part, step = _parts(rows, n)
    return tuple(crop(grid, (k * step, 0), (part, columns)) for k in range(n))
