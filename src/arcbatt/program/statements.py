"""The statements of a program as written: line, variable, text and node."""

import ast
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import lru_cache

from arcbatt.errors import ProgramError
from arcbatt.program.batt_files.body import BodyReader
from arcbatt.program.batt_files.read import body_in, is_batt
from arcbatt.program.emit import source_lines
from arcbatt.program.folders import bare_name
from arcbatt.program.forms.one_liners import as_definition
from arcbatt.program.functions import Body, DefinitionReader, FunctionTable, names_in
from arcbatt.program.graph import Node, Program, substituted
from arcbatt.program.merge import without_answer
from arcbatt.program.origin import Origin
from arcbatt.program.parse import FUNCTION, MOST_LINES_AT_ONCE, pieces_of
from arcbatt.program.syntax import lines_of, parsed

MOST_UNFOLDED = 2_000  # statements of called functions, for all calls together
PIECES_HELD = 100  # parsed pieces of a large file
RESULT = "return"  # the name of the statement that gives the result
FIRST_LINE = 2  # of the statements in source text that is written for a program


@dataclass(frozen=True)
class Subexpression:
    """An expression inside a statement, and its node."""

    text: str
    node: Node


@dataclass(frozen=True)
class Statement:
    """A statement: its line in the file, the name that it assigns, its text, and the node.

    `parts` are the calls inside it, in the order in which they run; the last is the whole expression.
    A statement of a function that the program calls names the `function`, and `calls` the lines of the calls
    that lead to it, the program's own first.
    """

    line: int
    name: str
    text: str
    node: Node
    parts: tuple[Subexpression, ...] = ()
    function: str = ""
    calls: tuple[int, ...] = ()

    @property
    def last_line(self) -> int:
        """The last of its lines in the file."""
        return self.line + self.text.count("\n")


@dataclass(frozen=True)
class StatementList:
    """The statements of a program in file order, and the file that contains these lines.

    `file` is empty for a program without a file, whose lines are those of `program.source()`. `left_out` is
    the number of calls of other functions with too many statements to list.
    """

    statements: tuple[Statement, ...]
    file: str = ""
    left_out: int = 0


def statements_of(program: Program) -> StatementList:
    """The statements of a program, from its file if that is known; C is withheld from a solver.

    >>> from arcbatt.program.parse import parse_programs
    >>> (program,) = parse_programs("def solve_x(I):\\n    y = hmirror(I)\\n    return rot90(y)\\n", "x.py")
    >>> [(each.line, each.name, each.text) for each in statements_of(program).statements]
    [(2, 'y', 'y = hmirror(I)'), (3, 'return', 'return rot90(y)')]
    """
    found = StatementList(())
    if program.origin is not None:
        with suppress(ProgramError):  # the text was read while other user-defined ops were registered
            found = _listed_in(program.origin, program.root)
    if not found.statements or found.statements[-1].node is not program.root:  # it has changed since
        lines = enumerate(source_lines(program), FIRST_LINE)
        found = StatementList(
            tuple(Statement(number, line.name, line.text, line.node) for number, line in lines)
        )
    if program.kind == "differ":
        return found
    return replace(found, statements=tuple(map(_without_answer, found.statements)))


def lines_written(program: Program) -> int:
    """The number of lines of a program as written, one op a line; `program.size` is the least.

    Unused lines count, so do repeats of equal lines, and lines that only rename a value.

    >>> from arcbatt.program.parse import parse_programs
    >>> text = "def solve_x(I):\\n x1 = hmirror(I)\\n x2 = trim(I)\\n O = rot90(hmirror(I))\\n return O"
    >>> (program,) = parse_programs(text)
    >>> lines_written(program), program.size
    (4, 2)
    """
    return sum(
        len(each.parts) if each.parts or each.name == RESULT else 1
        for each in statements_of(program).statements
    )


def _without_answer(statement: Statement) -> Statement:
    parts = tuple(Subexpression(part.text, without_answer(part.node)) for part in statement.parts)
    return replace(statement, node=without_answer(statement.node), parts=parts)


def _listed_in(origin: Origin, root: Node) -> StatementList:
    """The statements of the program at an origin; empty if it cannot be found there."""
    source = _source(origin.text, origin.file)
    if source.whole is not None and is_batt(source.whole):
        body = body_in(source.whole, origin.file, strict=False)
        return StatementList(tuple(_batt_statements(body, origin, root)), origin.file)
    needed = source.definitions(origin.line)
    functions = _FunctionStatements(source)
    for definition in needed:
        functions.add(definition)
    functions.finish()
    unfolding = _Unfolding(functions.stated)
    statements = tuple(unfolding.statements(needed[0].name)) if needed else ()
    return StatementList(statements, origin.file, unfolding.left_out)


class _SourceFile:
    """The text of a program file and its parsed parts; finds the functions by line and name.

    A large file is not parsed as a whole, but only the pieces with these functions.
    """

    def __init__(self, text: str, file: str) -> None:
        self.file, self.lines, self.names = file, lines_of(text), frozenset(FUNCTION.findall(text))
        at_once = text.count("\n") < MOST_LINES_AT_ONCE or "batt" in self.names
        module = parsed(text, file) if at_once else None
        self.whole = module if isinstance(module, ast.Module) else None
        self._bare = bare_name(file)
        self._pieces = list(pieces_of(text)) if self.whole is None else [(1, text)]
        self._first_lines = [first_line for first_line, _ in self._pieces]
        self._places: dict[str, int] = {}
        for place, (_, piece) in enumerate(self._pieces):
            for name in FUNCTION.findall(piece):
                self._places.setdefault(name, place)
        self._functions_of = lru_cache(maxsize=PIECES_HELD)(self._parsed_functions)

    def definitions(self, line: int) -> list[ast.FunctionDef]:
        """The function at a line, and the functions of the file that it calls, directly or indirectly."""
        here = bisect_right(self._first_lines, line) - 1
        found = {each.name: each for each in self._functions_of(here) if each.lineno == line}
        pending = list(found.values())
        while pending:
            for name in names_in(pending.pop()):
                if name in self._places and name not in found:
                    inside = self._functions_of(self._places[name])
                    callee = next((each for each in inside if each.name == name), None)
                    if callee is not None:
                        found[name] = callee
                        pending.append(callee)
        return [deepcopy(each) for each in found.values()]  # callers empty what they read

    def _parsed_functions(self, place: int) -> list[ast.FunctionDef]:
        first_line, text = self._pieces[place]
        module = self.whole or parsed(text, self.file, first_line)
        if isinstance(module, ProgramError):
            raise module
        if first_line > 1:
            ast.increment_lineno(module, first_line - 1)
        found = (as_definition(statement, self._bare) for statement in module.body)
        return [definition for definition in found if definition is not None]


_source = lru_cache(maxsize=1)(_SourceFile)  # the programs of a file come one after the other


@dataclass(frozen=True)
class _InlinedCall:
    """A call of another function of the file: its location, and the values of the parameters."""

    function: str
    line: int
    values: dict[Node, Node]


@dataclass(frozen=True)
class _StatementTemplate:
    """A statement over the parameters of its function, and the calls of other functions in it."""

    statement: Statement
    calls: tuple[_InlinedCall, ...]


class _FunctionStatements(FunctionTable):
    """The functions of a file, with the statements of each."""

    def __init__(self, source: _SourceFile) -> None:
        super().__init__(source.file, source.names)
        self.lines = source.lines
        self.stated: dict[str, list[_StatementTemplate]] = {}

    def _reader(self, definition: ast.FunctionDef, at_once: bool) -> DefinitionReader:
        return _StatementReader(definition, self, at_once)


class _StatementReader(DefinitionReader):
    """Reads a function and notes its statements."""

    def __init__(self, function: ast.FunctionDef, functions: _FunctionStatements, at_once: bool) -> None:
        super().__init__(function, functions, at_once)
        self._lines = functions.lines
        self._stated = functions.stated[function.name] = []
        self._parts: list[Subexpression] = []
        self._calls: list[_InlinedCall] = []

    def _statement(self, statement: ast.stmt) -> None:
        super()._statement(statement)
        names = [
            part.id
            for part in ast.walk(statement)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        ]
        for name in names:
            self._note(statement, name, self.variables[name])

    def _returned(self, statement: ast.Return, value: ast.expr) -> Node:
        root = super()._returned(statement, value)
        self._note(statement, RESULT, root)
        return root

    def _note(self, statement: ast.stmt, name: str, node: Node) -> None:
        text = _text_of(statement, self._lines)
        made = Statement(statement.lineno, name, text, node, tuple(self._parts))
        self._stated.append(_StatementTemplate(made, tuple(self._calls)))
        self._parts, self._calls = [], []

    def _call(self, node: ast.Call) -> Node:
        made = super()._call(node)
        self._parts.append(Subexpression(ast.unparse(node), made))
        return made

    def _filled_in(self, node: ast.Call, name: str, body: Body, values: dict[Node, Node]) -> Node:
        self._calls.append(_InlinedCall(name, node.lineno, values))
        return super()._filled_in(node, name, body, values)


def _text_of(statement: ast.stmt, lines: Sequence[str]) -> str:
    """The text of a statement, without its indentation; columns of `ast` count bytes."""
    first, last = statement.lineno - 1, (statement.end_lineno or statement.lineno) - 1
    found = [line.encode("utf-8", "surrogatepass") for line in lines[first : last + 1]]
    found[-1] = found[-1][: statement.end_col_offset]
    found[0] = found[0][statement.col_offset :]
    return "\n".join(line.decode("utf-8", "surrogatepass") for line in found)


class _Unfolding:
    """Puts the statements of a called function before the statement that calls it; equal calls only once."""

    def __init__(self, stated: Mapping[str, Sequence[_StatementTemplate]]) -> None:
        self._stated = stated
        self._seen: set[tuple[object, ...]] = set()
        self._room = MOST_UNFOLDED
        self.left_out = 0

    def statements(self, program: str) -> Iterator[Statement]:
        """The statements of a program."""
        for each in self._stated.get(program, ()):
            yield from self._called(each, {}, ())
            yield each.statement

    def _called(
        self, caller: _StatementTemplate, values: dict[Node, Node], lines: tuple[int, ...]
    ) -> Iterator[Statement]:
        """The statements of the functions that a statement calls, with the arguments for the parameters."""
        for call in caller.calls:
            given = {parameter: substituted(node, values) for parameter, node in call.values.items()}
            key = (call.function, *given.items())
            if key in self._seen:
                continue
            self._seen.add(key)
            called = self._stated.get(call.function, ())
            self._room -= len(called)
            if self._room < 0:
                self.left_out += 1
                continue
            for each in called:
                yield from self._called(each, given, (*lines, call.line))
                statement = each.statement
                yield replace(
                    statement,
                    node=substituted(statement.node, given),
                    parts=tuple(
                        Subexpression(part.text, substituted(part.node, given)) for part in statement.parts
                    ),
                    function=call.function,
                    calls=(*lines, call.line),
                )


def _batt_statements(body: BodyReader, origin: Origin, root: Node) -> list[Statement]:
    """The lines of a batt that the output at an origin needs, and the output."""
    output = next(
        (each for each in body.outputs if each.statement.lineno == origin.line and each.program.root is root),
        None,
    )
    if output is None:
        return []
    needed, pending = {output.position}, [output.position]
    while pending:
        for arg in body.lines[pending.pop()].args:
            if isinstance(arg, int) and arg not in needed:
                needed.add(arg)
                pending.append(arg)
    lines = lines_of(origin.text)
    numbered = body.listing().lines
    found = [
        Statement(
            body.places[position],
            f"t{numbered[position].number}",
            lines[body.places[position] - 1].strip(),
            numbered[position].node,
        )
        for position in sorted(needed)
    ]
    return [*found, Statement(origin.line, RESULT, _text_of(output.statement, lines), root)]
