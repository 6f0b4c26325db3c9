"""How often each op occurs in programs, printed like `sort | uniq -c | sort -rn`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from arcbatt.program.graph import Batt, Node

FUNCTION_VALUE = "tN"  # a call of an earlier line


def op_counts(batt: Batt) -> Counter[str]:
    """Count the lines of a batt file by op, or the ops of other programs.

    >>> from arcbatt.program.parse import parse_programs
    >>> text = "def solve_x(I):\\n x1 = compose(rot90, trim)\\n x2 = x1(I)\\n return fill(x2, ONE, trim(I))"
    >>> op_counts(Batt(tuple(parse_programs(text))))
    Counter({'compose': 1, 'tN': 1, 'trim': 1, 'fill': 1})
    """
    if batt.style:
        return _counted(line.node for line in batt.listing.lines)
    return _counted(node for program in batt for node in program.nodes)


def _counted(nodes: Iterable[Node]) -> Counter[str]:
    names = {"call": FUNCTION_VALUE}
    return Counter(names.get(node.kind, node.head) for node in nodes if node.kind in ("op", "call"))


def count_lines(counts: Mapping[str, int]) -> Iterator[str]:
    """The table, most frequent op first; equally frequent ops are in reverse order.

    >>> list(count_lines({"rot90": 2, "fill": 11, "trim": 2}))
    ['     11 fill', '      2 trim', '      2 rot90']
    """
    for name, count in sorted(counts.items(), key=lambda item: (item[1], item[0]), reverse=True):
        yield f"{count:7d} {name}"
