"""Lines in columns: tables, and entries with an explanation beside or below them."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from arcbatt.view.screen import printable_text

GAP = 2
NARROWEST = 40  # columns that an explanation needs beside its entry
INDENT = 4  # of a row's second line, if each row is a paragraph
ANY_WIDTH = 1_000_000


@dataclass(frozen=True)
class Column:
    """The heading of a column, whether its cells are aligned right, and whether they may be folded."""

    title: str
    right: bool = False
    folds: bool = False


def table(columns: Sequence[Column], rows: Sequence[Sequence[Text]], width: int | None) -> Iterator[Text]:
    """A heading and a line for each row, folded at words if a width is given.

    If even the longest words do not fit beside each other, each row becomes a paragraph.

    >>> cells = [[Text("add"), Text("12"), Text("TYPE 3, SIZE 1")]]
    >>> columns = [Column("op"), Column("n", right=True), Column("failures", folds=True)]
    >>> [line.plain for line in table(columns, cells, None)]
    ['op    n  failures', 'add  12  TYPE 3, SIZE 1']
    >>> [line.plain for line in table(columns, cells, 18)]
    ['op    n  failures', 'add  12  TYPE 3,', '         SIZE 1']
    >>> [line.plain for line in table(columns, cells, 16)]
    ['op add; n 12;', '    failures', '    TYPE 3, SIZE', '    1']
    """
    rows = [[printable_text(cell) for cell in row] for row in rows]
    room = width or ANY_WIDTH
    widths = _widths(columns, rows, room)
    if widths is None:
        yield from _paragraphs(columns, rows, room)
        return
    drawn = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    for column, cells in zip(columns, widths):
        drawn.add_column(column.title, justify="right" if column.right else "left", width=cells)
    for row in rows:
        drawn.add_row(*row)
    # Cells are padded with spaces; those at the end of a line are removed.
    console = Console(width=room)
    for segments in Segment.split_lines(console.render(drawn)):
        line = Text.assemble(*((segment.text, segment.style or "") for segment in segments))
        line.rstrip()
        yield line


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[Text]], room: int) -> list[int] | None:
    """The widths of the columns in a table that fits without breaking words; None if it cannot fit."""
    by_column = [[column.title, *(row[place].plain for row in rows)] for place, column in enumerate(columns)]
    widths = [max(map(cell_len, cells)) for cells in by_column]
    longest_words = [max(cell_len(word) for cell in cells for word in cell.split()) for cells in by_column]
    excess = sum(widths) + GAP * (len(widths) - 1) - room
    for _ in range(excess):
        spare = [
            (cells, place)
            for place, (cells, least) in enumerate(zip(widths, longest_words))
            if columns[place].folds and cells > least
        ]
        if not spare:
            return None
        widths[max(spare)[1]] -= 1
    return widths


def _paragraphs(columns: Sequence[Column], rows: Sequence[Sequence[Text]], room: int) -> Iterator[Text]:
    wrapper = textwrap.TextWrapper(room, subsequent_indent=" " * INDENT, break_on_hyphens=False)
    for row in rows:
        parts = [f"{column.title} {cell.plain}" for column, cell in zip(columns, row) if cell.plain]
        yield from map(Text, wrapper.wrap("; ".join(parts)))


def hanging(entry: Text, explanation: str, column: int, width: int | None) -> Iterator[Text]:
    """An entry with its explanation from a column on, or below it if the width does not allow that.

    >>> [line.plain for line in hanging(Text("add"), "The sum.", 6, None)]
    ['add   The sum.']
    """
    if width is None:
        yield Text.assemble(entry, " " * max(GAP, column - len(entry)), explanation)
        return
    beside = width - column >= NARROWEST
    indent = column if beside else 8
    lines = textwrap.wrap(explanation, max(width - indent, 10)) or [""]
    if beside and len(entry) + GAP <= column:
        yield Text.assemble(entry, " " * (column - len(entry)), lines.pop(0))
    else:
        yield entry
    for line in lines:
        yield Text(" " * indent + line)
