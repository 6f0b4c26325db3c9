"""Tables in terminals of any width: words stay whole, and nothing is lost."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from arcbatt.view.tables import INDENT, Column, table
from support.commands import Command

WORDS = st.text("abc,1", min_size=1, max_size=9)
CELLS = st.lists(WORDS, max_size=6).map(" ".join)
COLUMNS = st.lists(
    st.builds(lambda word, right: Column(word, right, folds=not right), WORDS, st.booleans()),
    min_size=1,
    max_size=5,
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Column], list[list[str]]]:
    columns = draw(COLUMNS)
    row = st.tuples(*(CELLS if column.folds else WORDS for column in columns)).map(list)
    return columns, draw(st.lists(row, max_size=4))


@pytest.mark.slow
@given(tables(), st.integers(INDENT + 10, 100) | st.none())
def test_folded_tables_have_whole_words_and_fit(
    made: tuple[list[Column], list[list[str]]], width: int | None
) -> None:
    columns, rows = made
    lines = [line.plain for line in table(columns, [list(map(Text, row)) for row in rows], width)]
    words = {
        word for row in [[column.title for column in columns], *rows] for cell in row for word in cell.split()
    }
    shown = {word.removesuffix(";") for line in lines for word in line.split()}
    assert shown <= words
    assert {word for row in rows for cell in row for word in cell.split()} <= shown
    assert all(line == line.rstrip() for line in lines)
    assert width is None or all(len(line) <= width for line in lines)
    assert width is not None or len(lines) == len(rows) + 1


@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize("words", ["run {}", "run {} --pairs all --limit 5", "ops", "ops objects"])
def test_a_terminal_gets_the_words_that_a_file_gets(
    cli: Command, solvers: Path, monkeypatch: pytest.MonkeyPatch, words: str, width: int
) -> None:
    command = words.format(solvers).split()
    plain = cli(*command).out
    for name, value in {"FORCE_COLOR": "1", "NO_COLOR": "1", "COLUMNS": str(width)}.items():
        monkeypatch.setenv(name, value)
    shown = cli(*command).out.replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert "\x1b" not in shown
    assert all(len(line) <= width for line in shown.splitlines())

    def told(text: str) -> set[str]:
        """The words, without the figures that differ from run to run."""
        flowing = re.sub(r"[\d.]+ s, [\d,]+ evaluations? a second", "", " ".join(text.split()))
        return {word.rstrip(";") for word in flowing.split()}

    assert told(shown) == told(plain)
