"""Values as pictures: grids, objects, sets of locations, and containers of these."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from arcbatt.dsl.types import is_filled_grid
from arcbatt.dsl.values import ordered, sort_of
from arcbatt.view.grids import MOST, Grid, Location
from arcbatt.view.svg import Cells, Picture, of_grid


def picture_of(value: Any, title: str = "", size: tuple[int, int] | None = None) -> Picture | None:
    """A value as a picture; None if it has none, such as a number or a function.

    An Object or a set of locations is drawn on an open grid of some size (height, width), which grows a bit
    if a cell lies outside; without a size it is cut out. Objects in a container share one open grid, the
    later ones on top; grids in a container are drawn side by side.

    >>> picture_of(((1, 2), (3, 4))).width
    2
    >>> picture_of(frozenset({(3, (5, 5)), (3, (5, 6))})).cells
    {(0, 0): 3, (0, 1): 3}
    >>> picture_of(frozenset({(0, 1)}), size=(2, 2))
    Picture(title='', cells={(0, 1): None}, height=2, width=2, sign='', marked=frozenset())
    >>> picture_of(7)
    """
    if is_filled_grid(value):
        return of_grid(title, value)
    if _is_patch(value):
        return _framed(title, _cells(value), size)
    if not isinstance(value, tuple | frozenset) or not value:
        return None
    if all(map(_is_patch, value)):
        joined = dict(chain.from_iterable(_cells(patch).items() for patch in ordered(value)))
        return _framed(title, joined, size)
    if all(map(is_filled_grid, value)):
        return _beside(title, ordered(value))
    return None


def _is_patch(value: Any) -> bool:
    return isinstance(value, frozenset) and sort_of(value) in ("indices", "object")


def _cells(patch: Iterable[Any]) -> dict[Location, int | None]:
    """The cells of an Object, or the locations of a set of them, which have no colour."""
    elements: Sequence[Any] = ordered(frozenset(patch))
    if sort_of(frozenset(elements)) == "object":
        return {location: color for color, location in elements}
    return dict.fromkeys(elements)


def _framed(title: str, cells: Mapping[Location, int | None], size: tuple[int, int] | None) -> Picture:
    """The cells moved so that the frame begins at (0, 0); only the size if all would be too much to draw."""
    corners = [] if size is None else [(0, 0), (size[0] - 1, size[1] - 1)]
    top, left, height, width = _frame([*cells, *corners])
    if corners and max(height, width) > MOST:
        top, left, height, width = _frame(corners)
    moved: Cells = {(i - top, j - left): color for (i, j), color in cells.items()}
    return Picture(title, moved, height, width)


def _frame(locations: Sequence[Location]) -> tuple[int, int, int, int]:
    """The top row, the left column, the height and the width of the smallest frame around locations."""
    rows, columns = zip(*locations)
    return min(rows), min(columns), max(rows) - min(rows) + 1, max(columns) - min(columns) + 1


def _beside(title: str, grids: Sequence[Grid]) -> Picture:
    """Grids side by side, with an open column between them."""
    cells: dict[Location, int | None] = {}
    left = 0
    for grid in grids:
        cells |= {(i, left + j): color for i, row in enumerate(grid) for j, color in enumerate(row)}
        left += len(grid[0]) + 1
    return Picture(title, cells, max(map(len, grids)), left - 1)
