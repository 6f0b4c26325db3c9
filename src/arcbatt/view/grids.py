"""Grids in the terminal: cells as colours or digits, wrong ones marked, side by side where they fit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import TypeAlias

from rich.text import Text

Grid: TypeAlias = Sequence[Sequence[int]]
Location: TypeAlias = tuple[int, int]
Palette: TypeAlias = tuple[str, ...]

# Styles by colour: those of ARC's own editor, and the nearest for terminals with only 16 colours.
# The first of each pair is black or white, whichever is more readable on the second.
PALETTE = (
    "#ffffff on #000000",
    "#ffffff on #0074d9",
    "#000000 on #ff4136",
    "#000000 on #2ecc40",
    "#000000 on #ffdc00",
    "#000000 on #aaaaaa",
    "#ffffff on #f012be",
    "#000000 on #ff851b",
    "#000000 on #7fdbff",
    "#ffffff on #870c25",
)
SMALL_PALETTE = (
    "white on black",
    "white on blue",
    "black on bright_red",
    "black on green",
    "black on bright_yellow",
    "white on bright_black",
    "white on magenta",
    "black on yellow",
    "black on bright_cyan",
    "white on red",
)
OTHER_NUMBER = "black on white"
DOT = "bright_black"  # on each black cell, so that the grid is visible on a black screen
OPEN, LOCATION = ".", "#"  # signs that replace a colour: no cell; a location, which has no colour
MOST = 60  # rows and columns that are drawn
CUT = f"only the first {MOST} rows and columns are shown"
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


def palette(color_system: str | None) -> Palette | None:
    """The styles for a terminal with these colours; None if cells must be drawn as digits."""
    if color_system is None:
        return None
    return SMALL_PALETTE if color_system in ("standard", "windows") else PALETTE


def grid_lines(
    grid: Sequence[Sequence[int | str]], styles: Palette | None, marked: frozenset[Location] = frozenset()
) -> tuple[Text, ...]:
    """The rows of a grid, as colours or as digits; a marked cell reads `><` or has an asterisk.

    A sign may replace a colour.

    >>> [line.plain for line in grid_lines(((0, 1), (2, 3)), None, marked=frozenset({(1, 0)}))]
    ['0 1', '2*3']
    >>> [line.plain for line in grid_lines(((OPEN, 12),), None)]
    [' . 12']
    """
    shown = [row[:MOST] for row in grid[:MOST]]
    digits = max((len(str(value)) for row in shown for value in row), default=1)
    lines = []
    for i, row in enumerate(shown):
        cells = [(value, (i, j) in marked) for j, value in enumerate(row)]
        lines.append(_colored_row(cells, styles, digits) if styles else _plain_row(cells, digits))
    if len(grid) > MOST or any(len(row) > MOST for row in grid):
        lines.append(Text(CUT))
    return tuple(lines)


def _plain_row(cells: Sequence[tuple[int | str, bool]], digits: int) -> Text:
    return Text("".join(f"{value:>{digits}}{'*' if mark else ' '}" for value, mark in cells).rstrip())


def _colored_row(cells: Sequence[tuple[int | str, bool]], styles: Palette, digits: int) -> Text:
    line = Text()
    for (value, mark), equal in groupby(cells):
        content, style = _colored_cell(value, mark, styles)
        line.append(content.rjust(digits + 1) * len(list(equal)), style)
    return line


def _colored_cell(value: int | str, mark: bool, styles: Palette) -> tuple[str, str]:
    if isinstance(value, str):
        return value, DOT if value == OPEN else "bold"
    if not 0 <= value < len(styles):
        return f"{value}{'*' if mark else ' '}", OTHER_NUMBER
    if mark:
        return "><", styles[value]
    if value == 0:
        return ".", f"{DOT} on {styles[value].partition(' on ')[2]}"
    return "", styles[value]


def side_by_side(panels: Sequence[Panel], width: int | None) -> Iterator[Text]:
    """Panels next to each other; those that do not fit go below.

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
