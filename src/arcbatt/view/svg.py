"""Grids and objects as SVG: a row of pictures with titles and arrows, readable on light and dark pages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

from arcbatt.view.grids import PALETTE

Cells: TypeAlias = Mapping[tuple[int, int], int]

COLORS = tuple(style.rpartition(" ")[2] for style in PALETTE)  # each style ends in the colour of the cell
OTHER_COLOR = "#ffffff"  # of an Integer that is no colour
LINE = "#777777"
CELL = 16
GAP = 34
TITLE = 22
LETTER = 7.3  # the width of one letter of a title


@dataclass(frozen=True)
class Picture:
    """Cells of a grid of some height and width; cells that are not given are left open.

    `sign` stands between this picture and the next one: an arrow, say.
    """

    title: str
    cells: Cells
    height: int
    width: int
    sign: str = ""

    @property
    def breadth(self) -> float:
        """The columns of the drawing that it takes."""
        return max(self.width * CELL, len(self.title) * LETTER)


def of_grid(title: str, grid: Sequence[Sequence[int]], sign: str = "") -> Picture:
    """The picture of a grid.

    >>> of_grid("input", ((1, 2),)).cells
    {(0, 0): 1, (0, 1): 2}
    """
    cells = {(i, j): color for i, row in enumerate(grid) for j, color in enumerate(row)}
    return Picture(title, cells, len(grid), len(grid[0]) if grid else 0, sign)


def of_object(
    title: str, cells: Iterable[tuple[int, tuple[int, int]]], height: int, width: int, sign: str = ""
) -> Picture:
    """The picture of an Object, cells (colour, location), on an open grid.

    >>> of_object("x1", {(3, (0, 1))}, 1, 2).cells
    {(0, 1): 3}
    """
    return Picture(title, {location: color for color, location in sorted(cells)}, height, width, sign)


def svg(pictures: Sequence[Picture], description: str) -> str:
    """A row of pictures as the text of an SVG file; the description is what a screen reader says.

    >>> svg([of_grid("I", ((1,),))], "one blue cell").count("<rect")
    2
    """
    height = TITLE + max((picture.height for picture in pictures), default=0) * CELL + 2
    parts: list[str] = []
    left = 1.0
    for number, picture in enumerate(pictures):
        parts += _drawn(picture, left)
        left += picture.breadth
        if number + 1 < len(pictures):
            middle = TITLE + picture.height * CELL / 2
            parts.append(_text(left + GAP / 2, middle + 5, picture.sign, "middle"))
            left += GAP
    size = f'width="{left + 1:g}" height="{height:g}" viewBox="0 0 {left + 1:g} {height:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(description)}">'
    return "\n".join([head, f"<title>{escape(description)}</title>", *parts, "</svg>", ""])


def _drawn(picture: Picture, left: float) -> list[str]:
    frame = f'width="{picture.width * CELL}" height="{picture.height * CELL}"'
    cells = [
        f'<rect x="{left + j * CELL:g}" y="{TITLE + i * CELL}" width="{CELL}" height="{CELL}" '
        f'fill="{COLORS[color] if 0 <= color < len(COLORS) else OTHER_COLOR}" stroke="{LINE}"/>'
        for (i, j), color in sorted(picture.cells.items())
    ]
    around = f'<rect x="{left:g}" y="{TITLE}" {frame} fill="none" stroke="{LINE}" stroke-dasharray="2 3"/>'
    return [_text(left, TITLE - 8, picture.title, "start"), around, *cells]


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-family="monospace" font-size="12" '
        f'fill="{LINE}">{escape(words)}</text>'
    )
