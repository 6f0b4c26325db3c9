"""Writing programs as readable source text."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from arcbatt.dsl.constants import FAMILIES
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.types import Role
from arcbatt.dsl.values import Function, Value, text
from arcbatt.program.graph import Node, Program
from arcbatt.program.merge import WITHHELD

_NAMES: dict[Value, str] = {}
for _name, _value in (*FAMILIES["number"].items(), *FAMILIES["pair"].items()):
    _NAMES.setdefault(_value, _name)
_NAMES_BY_ROLE: dict[str, dict[Value, str]] = {
    role: {value: name for name, value in FAMILIES[role].items()} for role in ("rank", "code", "turn")
}


def constant_name(value: Value, role: Role | None = None) -> str:
    """How a constant is written: by a name that fits its role, or else as a literal.

    >>> constant_name(2), constant_name(-1, "rank"), constant_name((0, 7))
    ('TWO', 'L1', '(0, 7)')
    """
    named = _NAMES_BY_ROLE.get(role or "", {}).get(value) or _NAMES.get(value)
    return named if named is not None else text(value)


class SourceLine(NamedTuple):
    """A line of source text: the name that it assigns, or `return`, its text, and the node."""

    name: str
    text: str
    node: Node


def source(program: Program) -> str:
    """A program as source text: one op a line, `x1`, `x2`, ... and `O` for the result."""
    head = f"def {function_name(program)}({', '.join(program.inputs)}):"
    return "\n".join([head, *(f"    {line.text}" for line in source_lines(program))]) + "\n"


def source_lines(program: Program) -> Iterator[SourceLine]:
    """The lines of a program's source text below the first.

    >>> from arcbatt.program.parse import parse_programs
    >>> (program,) = parse_programs("def solve_x(I): return rot90(hmirror(I))")
    >>> [line.text for line in source_lines(program)]
    ['x1 = hmirror(I)', 'O = rot90(x1)', 'return O']
    """
    variables: dict[Node, str] = {}
    for node in program.nodes:
        called = _called(node)
        if called is not None and called not in variables and not called.needs:
            # A constant that is called needs a variable: its name alone would be read as an op.
            name = variables[called] = f"x{len(variables) + 1}"
            yield SourceLine(name, f"{name} = {argument(called, None, {})}", called)
        if node.kind in ("op", "call"):
            name = variables[node] = "O" if node is program.root else f"x{len(variables) + 1}"
            yield SourceLine(name, f"{name} = {_statement(node, variables)}", node)
    yield SourceLine("return", f"return {argument(program.root, None, variables)}", program.root)


def function_name(program: Program) -> str:
    """A Python name for a program: the solver 00d62c1b becomes `solve_00d62c1b`."""
    name = re.sub(r"\W+", "_", program.name).rstrip("_")
    return name if name.isidentifier() else f"{'solve' if program.kind == 'solver' else 'differ'}_{name}"


def _called(node: Node) -> Node | None:
    """The function that a node calls: the callee of a call, or an op with a wrong number of arguments."""
    if node.kind == "call":
        return node.args[0]
    miscounted = node.kind == "op" and len(node.args) != TABLE[node.head].arity
    return Node.function(node.head) if miscounted else None


def _statement(node: Node, variables: dict[Node, str]) -> str:
    called = _called(node)
    if called is not None:
        args = node.args if node.kind == "op" else node.args[1:]
        called_with = (argument(arg, None, variables) for arg in args)
        return f"{variables.get(called) or called.head}({', '.join(called_with)})"
    arguments = (argument(arg, role, variables) for arg, role in zip(node.args, roles(node)))
    return f"{node.head}({', '.join(arguments)})"


def roles(node: Node) -> list[Role | None]:
    """The role of each argument; an argument bound to an op has the role that the op gives it."""
    params = TABLE[node.head].params
    parts = [param.role for param in params] + [None] * (len(node.args) - len(params))
    bound = node.args[0].head if node.head in ("lbind", "rbind") and node.args else None
    if isinstance(bound, Function) and not bound.parts:
        parts[1] = TABLE[bound.name].params[0 if node.head == "lbind" else -1].role
    return parts


def argument(node: Node, role: Role | None, variables: Mapping[Node, str]) -> str:
    """How an argument is written: an input or an op by its name, a constant, or the variable of a line."""
    if node.kind == "input":
        return "C" if node is WITHHELD else str(node.head)
    if node.kind == "constant":
        return node.head.name if isinstance(node.head, Function) else constant_name(node.head, role)
    return variables[node]
