"""Grids and objects as SVG: compact, readable on light and dark pages, marks that need no colour."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple, TypeAlias

from arcbatt.text import plural
from arcbatt.view.grids import MOST, PALETTE, shape
from arcbatt.view.markup import escape

Location: TypeAlias = tuple[int, int]
# A cell without a colour is a location, drawn as a small square.
Cells: TypeAlias = Mapping[Location, int | None]
Run: TypeAlias = tuple[int, int, int]  # row, first column, number of columns

COLORS = tuple(style.rpartition(" ")[2] for style in PALETTE)  # each style ends in the colour of the cell
OTHER_COLOR = "#ffffff"  # of an Integer that is not a colour; its digits are drawn on it
LINE = "#777777"
LARGEST = 100  # rows and columns of a picture in a file
CELL = 16
GAP = 34
TITLE = 22
LETTER = 7.3  # the width of one letter of a title


@dataclass(frozen=True)
class Picture:
    """Cells of a grid of some height and width; the other cells are left open.

    `sign`, such as an arrow, is drawn between this picture and the next. `marked` are cells with a diamond.
    """

    title: str
    cells: Cells
    height: int
    width: int
    sign: str = ""
    marked: frozenset[Location] = frozenset()

    @property
    def breadth(self) -> float:
        """The columns that it takes in the drawing."""
        return max(self.width * CELL, len(self.title) * LETTER)


def of_grid(
    title: str,
    grid: Sequence[Sequence[int]],
    sign: str = "",
    marked: frozenset[Location] = frozenset(),
) -> Picture:
    """The picture of a grid.

    >>> of_grid("input", ((1, 2),)).cells
    {(0, 0): 1, (0, 1): 2}
    """
    cells = {(i, j): int(color) for i, row in enumerate(grid) for j, color in enumerate(row)}
    width = len(grid[0]) if len(grid) else 0
    return Picture(title, cells, len(grid), width, sign, marked.intersection(cells))


def of_object(
    title: str, cells: Iterable[tuple[int, tuple[int, int]]], height: int, width: int, sign: str = ""
) -> Picture:
    """The picture of an Object, cells (colour, location), on an open grid.

    >>> of_object("x1", {(3, (0, 1))}, 1, 2).cells
    {(0, 1): 3}
    """
    return Picture(title, {location: color for color, location in sorted(cells)}, height, width, sign)


def clipped(picture: Picture, most: int) -> Picture:
    """The picture without cells outside its frame, and with at most this many rows and columns.

    >>> clipped(Picture("", {(0, 0): 1, (90, 0): 2, (0, -1): 3}, 100, 1), 60)
    Picture(title='', cells={(0, 0): 1}, height=60, width=1, sign='', marked=frozenset())
    """
    height, width = min(picture.height, most), min(picture.width, most)
    cells = {(i, j): color for (i, j), color in picture.cells.items() if 0 <= i < height and 0 <= j < width}
    return replace(
        picture, cells=cells, height=height, width=width, marked=picture.marked.intersection(cells)
    )


def grid_svg(
    grid: Sequence[Sequence[int]],
    *,
    marked: frozenset[Location] = frozenset(),
    cell: int = 14,
    description: str = "",
) -> str:
    """One grid as the text of an inline SVG; screen readers read the description.

    >>> print(grid_svg(((0, 1), (1, 1)), description="two colours"))  # doctest: +ELLIPSIS
    <svg xmlns="http://www.w3.org/2000/svg" width="29" height="29" ... role="img" aria-label="two colours">...
    """
    return picture_svg(of_grid("", grid, marked=marked), cell=cell, description=description)


def picture_svg(picture: Picture, *, cell: int = 14, description: str = "") -> str:
    """One picture, without its title, as the text of an inline SVG.

    >>> picture_svg(of_object("", {(3, (0, 1))}, 1, 2)).count("<path")
    3
    """
    seen = clipped(picture, MOST)
    height, width = seen.height, seen.width
    edge = 0.5 / cell  # half of the line around the picture
    box = f"{-edge:.3g} {-edge:.3g} {width + 2 * edge:.5g} {height + 2 * edge:.5g}"
    size = f'width="{width * cell + 1}" height="{height * cell + 1}" viewBox="{box}"'
    words = escape(description or _description(picture))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{words}">'
    return f"{head}{''.join(_drawn(seen, 1 / cell))}</svg>"


def _description(picture: Picture) -> str:
    size = f"{picture.height:,} x {picture.width:,}"
    marks = f", {plural(len(picture.marked), 'cell')} marked" if picture.marked else ""
    return f"picture of {size} cells{marks}"


class PlacedPicture(NamedTuple):
    """A picture, and the position of its upper left corner in a drawing; `sign_at` is that of its sign."""

    picture: Picture
    left: float
    top: int
    sign_at: tuple[float, float] | None


class Layout(NamedTuple):
    """Rows of positioned pictures, and the size of the whole drawing."""

    placed: tuple[PlacedPicture, ...]
    width: float
    height: int


def layout(rows: Sequence[Sequence[Picture]]) -> Layout:
    """The positions of pictures in rows; a sign is drawn between a picture and the next one of its row.

    >>> layout([[of_grid("a", ((1,),))], [of_grid("b", ((2,),))]])[1:]
    (18.0, 79)
    """
    placed: list[PlacedPicture] = []
    top, widest = 0, 0.0
    for row in rows:
        pictures = [clipped(picture, LARGEST) for picture in row]
        left = 1.0
        top += TITLE
        for number, picture in enumerate(pictures):
            right = left + picture.breadth
            middle = top + picture.height * CELL / 2
            is_last = number + 1 == len(pictures)
            placed.append(PlacedPicture(picture, left, top, None if is_last else (right + GAP / 2, middle)))
            left = right if is_last else right + GAP
        top += max((picture.height for picture in pictures), default=0) * CELL + 1
        widest = max(widest, left)
    return Layout(tuple(placed), widest + 1, top + 1)


def svg(pictures: Sequence[Picture], description: str) -> str:
    """A row of pictures as the text of an SVG file; screen readers read the description.

    >>> svg([of_grid("I", ((1,),))], "one blue cell").count("<title>")
    1
    """
    return svg_rows([pictures], description)


def svg_rows(rows: Sequence[Sequence[Picture]], description: str) -> str:
    """Rows of pictures as the text of an SVG file."""
    placed, width, height = layout(rows)
    parts: list[str] = []
    for picture, left, top, sign_at in placed:
        parts.append(_text(left, top - 8, picture.title, "start"))
        parts.append(f'<g transform="translate({left:g} {top}) scale({CELL})">')
        parts += [*_drawn(picture, 1 / CELL), "</g>"]
        if sign_at is not None:
            parts.append(_text(sign_at[0], sign_at[1] + 5, picture.sign, "middle"))
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(description)}">'
    return "\n".join([head, f"<title>{escape(description)}</title>", *parts, "</svg>", ""])


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-family="monospace" font-size="12" '
        f'fill="{LINE}">{escape(words)}</text>'
    )


def _drawn(picture: Picture, line: float) -> Iterator[str]:
    """The drawing of a picture whose cells are one unit wide; lines are `line` units."""
    if len(picture.cells) < picture.height * picture.width:
        yield (
            f'<path d="M0 0h{picture.width}v{picture.height}h-{picture.width}z" fill="none" stroke="{LINE}" '
            f'stroke-width="{line:.3g}" stroke-dasharray="{2 * line:.3g} {3 * line:.3g}"/>'
        )
    by_fill: dict[str, list[Run]] = {}
    for run, color in runs(picture.cells):
        if color is not None:
            by_fill.setdefault(fill(color), []).append(run)
    for drawn, found in by_fill.items():
        yield f'<path fill="{drawn}" shape-rendering="crispEdges" d="{"".join(map(_rectangle, found))}"/>'
    if picture.cells:
        yield f'<path fill="none" stroke="{LINE}" stroke-width="{line:.3g}" d="{_lines(picture.cells)}"/>'
    yield from _signs(picture, line)


def runs(cells: Cells) -> Iterator[tuple[Run, int | None]]:
    """Neighbours in a row with the same colour, as (row, first column, number of columns), and the colour.

    >>> list(runs({(0, 0): 5, (0, 1): 5, (0, 3): 5}))
    [((0, 0, 2), 5), ((0, 3, 1), 5)]
    """

    def kind(item: tuple[int, tuple[Location, int | None]]) -> tuple[int, int, int | None]:
        place, ((i, j), color) = item
        return i, j - place, color

    for (i, _, color), group in groupby(enumerate(sorted(cells.items(), key=_by_location)), kind):
        columns = [j for _, ((_, j), _) in group]
        yield (i, columns[0], len(columns)), color


def _by_location(cell: tuple[Location, int | None]) -> Location:
    return cell[0]


def fill(color: int) -> str:
    """The colour of a cell on a page."""
    return COLORS[color] if 0 <= color < len(COLORS) else OTHER_COLOR


def _rectangle(run: Run) -> str:
    i, j, count = run
    return f"M{j} {i}h{count}v1h-{count}z"


def _lines(cells: Cells) -> str:
    """The lines around all given cells, each as long as possible."""
    across = {(i + step, j) for i, j in cells for step in (0, 1)}
    down = {(j + step, i) for i, j in cells for step in (0, 1)}
    return _strokes(across, lambda i, j, count: f"M{j} {i}h{count}") + _strokes(
        down, lambda j, i, count: f"M{j} {i}v{count}"
    )


def _strokes(pieces: Iterable[Location], stroke: Callable[[int, int, int], str]) -> str:
    return "".join(stroke(*run) for run, _ in runs(dict.fromkeys(pieces, 0)))


def _signs(picture: Picture, line: float) -> Iterator[str]:
    """Small squares for locations, digits for Integers that are not colours, diamonds for marked cells."""
    spots = [location for location, color in picture.cells.items() if color is None]
    if spots:
        drawn = "".join(f"M{j}.25 {i}.25h.5v.5h-.5z" for i, j in sorted(spots))
        yield f'<path fill="{LINE}" d="{drawn}"/>'
    for (i, j), color in sorted(picture.cells.items(), key=_by_location):
        if color is not None and not 0 <= color < len(COLORS):
            size = min(0.6, 1.4 / len(str(color)))
            yield (
                f'<text x="{j}.5" y="{i + 0.5 + size / 3:.3g}" font-size="{size:.2g}" text-anchor="middle" '
                f'font-family="monospace" fill="#000000">{color}</text>'
            )
    if picture.marked:
        drawn = "".join(f"M{j}.5 {i}.2l.3 .3-.3 .3-.3-.3z" for i, j in sorted(picture.marked))
        yield f'<path fill="#ffffff" stroke="#000000" stroke-width="{line:.3g}" d="{drawn}"/>'


def grid_description(name: str, grid: Sequence[Sequence[int]], wrong: int = 0) -> str:
    """A description of the picture of a grid; `wrong` is the number of marked cells.

    >>> grid_description("input", ((1, 2),)), grid_description("output", ((1, 2),), 1)
    ('input, 1 x 2', 'output, 1 x 2, 1 wrong cell')
    """
    marks = f", {plural(wrong, 'wrong cell')}" if wrong else ""
    return f"{name}, {shape(grid)}{marks}"
