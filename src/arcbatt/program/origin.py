"""The origin of a program: the text of its file, shared by all programs of the file, and its line."""

from typing import NamedTuple


class Origin(NamedTuple):
    """The file of a program, the text that was read from it, and the line at which the program begins.

    A program of a batt file begins at its output, such as `o.append(...)`.

    >>> from arcbatt.program.parse import parse_programs
    >>> (program,) = parse_programs("\\n\\ndef solve_x(I): return rot90(I)", "mine.py")
    >>> program.origin.file, program.origin.line
    ('mine.py', 3)
    """

    file: str
    text: str
    line: int
