"""Programs as fragments: the source, with an explanation of each op."""

import re

from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.dsl.table import TABLE
from arcbatt.program.graph import Program
from arcbatt.text import plural
from arcbatt.view.fragments.html_pieces import more, paragraph
from arcbatt.view.html import element, escape

MOST_LINES = 60
LONGEST_LINE = 500
KEYWORDS = ("def", "return")
_WORD = re.compile(r"\w+|\W+")


def program(one: Program) -> str:
    """A program: its name, and its source with the ops explained."""
    told = f"{one.kind} {one.name}: {plural(len(one.nodes), 'node')}, hash {one.hash[:12]}"
    return paragraph(told, "title") + program_source(one)


def program_source(one: Program) -> str:
    """The source of a program."""
    return source_html(one.source().rstrip("\n").split("\n"))


def source_html(lines: list[str]) -> str:
    """Lines of source: keywords are bold, and the title of an op is the first line of its documentation.

    >>> print(source_html(["    return rot90(I)"]))
    <pre>    <b>return</b> <abbr title="A quarter turn clockwise.">rot90</abbr>(I)</pre>
    """
    shown = "\n".join(map(_line, lines[:MOST_LINES]))
    return element("pre", shown) + more(len(lines) - MOST_LINES, "line")


def _line(line: str) -> str:
    words = "".join(map(_word, _WORD.findall(line[:LONGEST_LINE])))
    return words + ("..." if len(line) > LONGEST_LINE else "")


def _word(word: str) -> str:
    if word in KEYWORDS:
        return element("b", word)
    if word in TABLE:
        return element("abbr", escape(word), title=TABLE[word].summary)
    return escape(word)
