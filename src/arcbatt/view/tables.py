"""Lines in columns: tables, and entries whose explanation hangs beside or below them."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

GAP = 2
NARROWEST = 40  # columns that an explanation needs beside its entry


@dataclass(frozen=True)
class Column:
    """The heading of a column, and whether its cells stand at the right."""

    title: str
    right: bool = False


def table(columns: Sequence[Column], rows: Sequence[Sequence[Text]]) -> Iterator[Text]:
    """A heading and a line for each row.

    >>> [line.plain for line in table([Column("op"), Column("n", right=True)], [[Text("add"), Text("12")]])]
    ['op    n', 'add  12']
    """
    heading = [Text(column.title, "bold") for column in columns]
    lines = [heading, *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(columns))]
    for line in lines:
        yield _joined(line, columns, widths)


def _joined(cells: Sequence[Text], columns: Sequence[Column], widths: Sequence[int]) -> Text:
    joined = Text()
    for cell, column, width in zip(cells, columns, widths):
        space = " " * (width - len(cell))
        joined.append_text(Text.assemble(space, cell) if column.right else Text.assemble(cell, space))
        joined.append(" " * GAP)
    joined.rstrip()
    return joined


def hanging(entry: Text, explanation: str, column: int, width: int | None) -> Iterator[Text]:
    """An entry with its explanation from a column on, or below it where the width does not allow that.

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
