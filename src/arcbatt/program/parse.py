"""Reading programs from source text with `ast`: nothing of it runs, what is not plain DSL is refused."""

import ast
import os
from collections.abc import Iterator

from arcbatt.collection import collection_put_off
from arcbatt.dsl.constants import CONSTANTS, INPUTS
from arcbatt.dsl.table import find
from arcbatt.errors import ProgramError
from arcbatt.program.graph import Node, Program
from arcbatt.program.read_batt import batt_in, is_batt
from arcbatt.program.syntax import (
    TOO_DEEP,
    FunctionReader,
    describe,
    is_text,
    parsed,
    refusal,
    text_of_file,
)


class Programs(list[Program]):
    """The programs of a file, and in `refused` the reasons why others of it could not be read."""

    def __init__(self, programs: list[Program], refused: list[ProgramError]) -> None:
        super().__init__(programs)
        self.refused = refused


def load_programs(path: str | os.PathLike[str], strict: bool = False) -> Programs:
    """The programs of a solver file or a batt file.

    A program that is not plain DSL does not cost the others, unless `strict`; a batt file is read as a whole.
    """
    return parse_programs(text_of_file(path), os.fspath(path), strict)


@collection_put_off()
def parse_programs(text: str, file: str = "<string>", strict: bool = False) -> Programs:
    """The programs of a source text.

    >>> parse_programs("def solve_x(I): return rot90(hmirror(I))")
    [<solver solve_x ...>]
    """
    whole = parsed(text, file)
    if isinstance(whole, ast.Module) and is_batt(whole):
        return Programs(list(batt_in(whole, file)), [])
    programs: dict[str, Program] = {}
    refused: list[ProgramError] = []
    for found in _statements(whole, text, file):
        try:
            if isinstance(found, ProgramError):
                raise found
            program = _read_statement(found, file)
            if program is None:
                continue
            if program.name in programs:
                raise refusal(
                    found, file, f"{program.name!r} is defined twice; give each program its own name"
                )
            programs[program.name] = program
        except ProgramError as error:
            if strict:
                raise
            refused.append(error)
    if not programs and refused:
        refused[0].others = refused[1:]
        raise refused[0]
    if not programs:
        raise ProgramError("there is no program; one looks like `def solve_x(I):`", file)
    return Programs(list(programs.values()), refused)


def _statements(whole: ast.Module | ProgramError, text: str, file: str) -> Iterator[ast.stmt | ProgramError]:
    """The statements of the file; if it does not parse as a whole, those of each piece that does."""
    if isinstance(whole, ast.Module):
        yield from whole.body
        return
    pieces = list(_pieces(text))
    if len(pieces) == 1:
        yield whole
        return
    for first_line, piece in pieces:
        part = parsed(piece, file, first_line)
        if isinstance(part, ProgramError):
            yield part
            continue
        ast.increment_lineno(part, first_line - 1)
        yield from part.body


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The text cut before every line that begins with `def`, each piece with the number of its first line."""
    start = 0
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if line.startswith("def ") and number > start:
            yield start + 1, "".join(lines[start:number])
            start = number
    yield start + 1, "".join(lines[start:])


def _read_statement(statement: ast.stmt, file: str) -> Program | None:
    """The program that a top-level statement defines; none for an import line or a string."""
    if isinstance(statement, ast.Import | ast.ImportFrom) or is_text(statement):
        return None
    if isinstance(statement, ast.FunctionDef):
        try:
            return _ProgramReader(statement, file).program()
        except RecursionError:
            raise refusal(statement, file, TOO_DEEP) from None
    what = describe(statement)
    raise refusal(
        statement, file, f"{what} outside a function; a file holds imports and `def solve_x(I):` only"
    )


class _ProgramReader(FunctionReader):
    """Reads one function definition into a program."""

    def program(self) -> Program:
        inputs = self._inputs()
        self.variables = {name: Node.input(name) for name in inputs}
        body = self.function.body[1:] if is_text(self.function.body[0]) else self.function.body
        for statement in body[:-1]:
            self._assign(statement)
        if not body or not isinstance(body[-1], ast.Return) or body[-1].value is None:
            raise self.refuse(
                body[-1] if body else self.function, "the last line must be `return` with a value"
            )
        root = self._expression(body[-1].value)
        kind = "differ" if self.function.name.startswith("differ") else "solver"
        return Program(self.function.name, kind, inputs, root)  # type: ignore[arg-type]

    def _inputs(self) -> tuple[str, ...]:
        plain = self.parameters()
        if not plain or len(set(plain)) < len(plain) or not set(plain) <= set(INPUTS):
            raise self.refuse(
                self.function, f"parameters are ({', '.join(plain)}); they must be (I) or (S, I, C)"
            )
        return tuple(plain)

    def _assign(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Return):
            raise self.refuse(statement, "return before the last line; lines after it would never run")
        if not isinstance(statement, ast.Assign) or isinstance(statement.value, ast.Lambda):
            what = describe(statement.value if isinstance(statement, ast.Assign) else statement)
            raise self.refuse(statement, f"{what} is no part of the language; a line is `name = op(...)`")
        if len(statement.targets) != 1 or not isinstance(statement.targets[0], ast.Name):
            raise self.refuse(statement, "a line gives one value to one name: `name = op(...)`")
        name = statement.targets[0].id
        if name in self.variables:
            raise self.refuse(statement, f"{name!r} is given a value twice; each name is assigned once")
        if find(name) or name in CONSTANTS or name in INPUTS:
            raise self.refuse(statement, f"{name!r} is a name of the language; give the variable another one")
        self.variables[name] = self._expression(statement.value)

    def _expression(self, node: ast.expr) -> Node:
        if isinstance(node, ast.Name):
            return self.name(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        return Node.constant(self.literal(node))

    def _call(self, node: ast.Call) -> Node:
        callee = node.func
        if isinstance(callee, ast.Call):
            called = self._call(callee)
        elif isinstance(callee, ast.Name) and callee.id in self.variables:
            called = self.variables[callee.id]
        else:
            name = self.op_called(callee)
            return Node.op(name, *map(self._expression, self.arguments(node, name)))
        return Node.call(called, *map(self._expression, self.positional(node)))
