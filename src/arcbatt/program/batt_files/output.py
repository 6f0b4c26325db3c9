"""The outputs of a batt: entries `(N, evo, solver id, tN)` of `o` and `(N, scored, differ id, tN)` of `s`."""

import ast
from typing import NamedTuple

from arcbatt.dsl.constants import INPUTS
from arcbatt.program.graph import Node, Program

SOLVER_OUTPUT = "`o.append((N, True or False, 'solver id', tN))`"
DIFFER_OUTPUT = "`s.append((N, 'None' or 'solver id', 'differ id', tN))`"


class Entry(NamedTuple):
    """An entry of `o` or `s` as written: the number, the second field, the id, and the value."""

    number: int | None
    second: bool | str
    name: str
    value: ast.expr | None
    said: ast.expr | None = None  # the syntax of the number

    def program(self, root: Node, line: int) -> Program:
        """The program that gives this output."""
        if isinstance(self.second, bool):
            inputs = ("I",) if root.needs <= {"I"} else INPUTS
            return Program(self.name, "solver", inputs, root, self.second, line=line, entry_id=self.name)
        title = f"{self.name}({self.second})"
        return Program(
            title,
            "differ",
            INPUTS,
            root,
            scored=self.second,
            line=line,
            entry_id=self.name,
        )


def is_number(value: object) -> bool:
    """Whether an object can be the number of a line."""
    return type(value) is int and abs(value) < 10**18


def number_in(node: ast.expr) -> int | None:
    """The number in a piece of syntax, if it can be that of a line."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int) and is_number(value) else None


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else str(value) if is_number(value) else "None"


def entry_of(into: str, arguments: list[ast.expr]) -> Entry | None:
    """The entry passed to `o.append` or `s.append`, if it is well-formed."""
    match arguments:
        case [ast.Tuple([ast.Constant(int(number)) as said, second, ast.Constant(str(name)), value])] if (
            is_number(number)
        ):
            match into, second:
                case "o", ast.Constant(bool(evo)):
                    return Entry(number, evo, name, value, said)
                case "s", ast.Constant(str(scored)):
                    return Entry(number, scored, name, value, said)
    return None


def odd_entry(into: str, arguments: list[ast.expr]) -> Entry | None:
    """The entry of another form, with None for what it lacks; None if it has no id."""
    parts = arguments[0].elts if arguments and isinstance(arguments[0], ast.Tuple | ast.List) else []
    if len(parts) < 3:
        return None
    number, second, name = (part.value if isinstance(part, ast.Constant) else None for part in parts[:3])
    return Entry(
        number if isinstance(number, int) and is_number(number) else None,
        bool(second) if into == "o" else _as_text(second),
        _as_text(name),
        parts[3] if len(parts) > 3 else None,
        parts[0],
    )
