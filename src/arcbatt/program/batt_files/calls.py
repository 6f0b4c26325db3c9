"""The companion of a batt file: its lines as data, by number, for programs that trace an output back."""

import re

from arcbatt.program.batt_files.write import batt_source
from arcbatt.program.graph import Batt

LINE = re.compile(r"^    t([0-9]+) = ([^\s(]+)(?:\((.*)\))?$", re.MULTILINE)


def calls_source(batt: Batt) -> str:
    """The lines of a batt as a dictionary: for line N the op and its arguments, separated by commas.

    >>> from arcbatt.program.parse import parse_programs
    >>> print(calls_source(Batt(tuple(parse_programs("def solve_x(I): return fill(I, TWO, trim(I))")))))
    # The lines of a batt: t_call[N] has the op of line tN and its arguments.
    t_call = {
        1: 'trim, I',
        2: 'fill, I, TWO, t1',
    }
    <BLANKLINE>
    """
    lines = [
        f"    {number}: {', '.join(part for part in (callee, arguments) if part)!r},"
        for number, callee, arguments in LINE.findall(batt_source(batt, "vectorized"))
    ]
    head = "# The lines of a batt: t_call[N] has the op of line tN and its arguments."
    return "\n".join((head, "t_call = {", *lines, "}")) + "\n"
