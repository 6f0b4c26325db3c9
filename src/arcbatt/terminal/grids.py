"""Grids in the terminal: cells as colours or digits, wrong ones marked, side by side where they fit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import TypeAlias

from rich.text import Text

Grid: TypeAlias = Sequence[Sequence[int]]
Location: TypeAlias = tuple[int, int]

# The colours of ARC's own editor, and black or white, whichever is read better on them.
PALETTE = (
    "#000000",
    "#0074d9",
    "#ff4136",
    "#2ecc40",
    "#ffdc00",
    "#aaaaaa",
    "#f012be",
    "#ff851b",
    "#7fdbff",
    "#870c25",
)
ON_PALETTE = ("white", "white", "black", "black", "black", "black", "white", "black", "black", "white")
NO_COLOR_OF_ARC = "black on white"
MOST = 60  # rows and columns that are drawn
GAP = 4
MARGIN = 2


@dataclass(frozen=True)
class Panel:
    """Lines under a title; `leads` puts an arrow to the next panel."""

    title: str
    lines: tuple[Text, ...]
    leads: bool = False

    @property
    def width(self) -> int:
        """The columns it needs."""
        return max(len(self.title), *(len(line) for line in self.lines), 0)


def shape(grid: Grid) -> str:
    """Rows and columns of a grid.

    >>> shape(((1, 2), (3, 4), (5, 6)))
    '3 x 2'
    """
    return f"{len(grid):,} x {len(grid[0]) if grid else 0:,}"


def differing(grid: Grid, expected: Grid) -> frozenset[Location]:
    """The cells of a grid that the expected one does not have.

    >>> differing(((1, 2, 3),), ((1, 0),))
    frozenset({(0, 1), (0, 2)})
    """
    height, width = len(expected), len(expected[0]) if expected else 0
    return frozenset(
        (i, j)
        for i, row in enumerate(grid)
        for j, value in enumerate(row)
        if i >= height or j >= width or value != expected[i][j]
    )


def grid_lines(
    grid: Grid, marked: frozenset[Location] = frozenset(), colored: bool = False
) -> tuple[Text, ...]:
    """The rows of a grid, as colours or as digits; a marked cell reads `><` or has an asterisk.

    >>> [line.plain for line in grid_lines(((0, 1), (2, 3)), frozenset({(1, 0)}))]
    ['0 1', '2*3']
    """
    shown = [row[:MOST] for row in grid[:MOST]]
    digits = max((len(str(value)) for row in shown for value in row), default=1)
    draw = _colored_row if colored else _plain_row
    lines = [draw(row, [(i, j) in marked for j in range(len(row))], digits) for i, row in enumerate(shown)]
    if len(grid) > MOST or any(len(row) > MOST for row in grid):
        lines.append(Text(f"only the first {MOST} rows and columns are shown"))
    return tuple(lines)


def _plain_row(row: Sequence[int], marks: Sequence[bool], digits: int) -> Text:
    cells = (f"{value:>{digits}}{'*' if mark else ' '}" for value, mark in zip(row, marks))
    return Text("".join(cells).rstrip())


def _colored_row(row: Sequence[int], marks: Sequence[bool], digits: int) -> Text:
    line = Text()
    for (value, mark), cells in groupby(zip(row, marks)):
        inside = 0 <= value < len(PALETTE)
        style = f"{ON_PALETTE[value]} on {PALETTE[value]}" if inside else NO_COLOR_OF_ARC
        cell = "" if inside and not mark else "><" if inside else f"{value}{'*' if mark else ''}"
        line.append(cell.rjust(digits + 1) * len(list(cells)), style)
    return line


def side_by_side(panels: Sequence[Panel], width: int | None) -> Iterator[Text]:
    """Panels next to each other, those that do not fit below.

    >>> left, right = Panel("a", (Text("1"),), leads=True), Panel("b", (Text("2"),))
    >>> [line.plain for line in side_by_side([left, right], None)]
    ['  a    b', '  1 -> 2']
    """
    for number, band in enumerate(_bands(panels, width)):
        if number:
            yield Text()
        yield from _band_lines(band)


def _bands(panels: Sequence[Panel], width: int | None) -> list[list[Panel]]:
    bands: list[list[Panel]] = []
    used = 0
    for panel in panels:
        if bands and (width is None or used + GAP + panel.width <= width):
            bands[-1].append(panel)
            used += GAP + panel.width
        else:
            bands.append([panel])
            used = MARGIN + panel.width
    return bands


def _band_lines(band: Sequence[Panel]) -> Iterator[Text]:
    yield _padded([Text(panel.title, "bold") for panel in band], band)
    arrow_line = min(len(panel.lines) for panel in band) // 2
    for number, cells in enumerate(zip_longest(*(panel.lines for panel in band), fillvalue=Text())):
        yield _padded(cells, band, arrows=number == arrow_line)


def _padded(cells: Sequence[Text], band: Sequence[Panel], arrows: bool = False) -> Text:
    line = Text(" " * MARGIN)
    last = max((place for place, cell in enumerate(cells) if cell), default=-1)
    for place, (cell, panel) in enumerate(zip(cells[: last + 1], band)):
        line.append_text(cell)
        if place < last:
            gap = " -> " if arrows and panel.leads else " " * GAP
            line.append(" " * (panel.width - len(cell)) + gap)
    return line
