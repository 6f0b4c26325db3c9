"""Reading programs from source text with `ast`: nothing of it runs, what is not plain DSL is refused."""

import ast
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

from arcbatt.dsl.constants import CONSTANTS, INPUTS
from arcbatt.dsl.functions import fn
from arcbatt.dsl.table import ALIASES, TABLE, find, names, nearest
from arcbatt.dsl.values import HIGHEST, LOWEST, Value
from arcbatt.errors import ProgramError
from arcbatt.program.graph import Node, Program

LONGEST_FILE = 200_000  # lines
LARGEST_FILE = 16 << 20  # bytes
TOO_DEEP = "an expression is nested too deeply; put its parts on lines of their own"


class Programs(list[Program]):
    """The programs of a file, and in `refused` the reasons why others of it could not be read."""

    def __init__(self, programs: list[Program], refused: list[ProgramError]) -> None:
        super().__init__(programs)
        self.refused = refused


def load_programs(path: str | os.PathLike[str], strict: bool = False) -> Programs:
    """The programs of a solver file; one that is not plain DSL does not cost the others, unless `strict`."""
    file = os.fspath(path)
    try:
        with Path(file).open("rb") as stream:
            content = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ProgramError(f"the file cannot be read: {error.strerror}", file) from None
    if len(content) > LARGEST_FILE:
        raise ProgramError(f"the file is too large; a program file may have {LARGEST_FILE:,} bytes", file)
    try:
        return parse_programs(content.decode("utf-8-sig"), file, strict)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ProgramError(
            f"byte {error.start} is not UTF-8; a program file is UTF-8 text", file, line
        ) from None


def parse_programs(text: str, file: str = "<string>", strict: bool = False) -> Programs:
    """The programs of a source text.

    >>> parse_programs("def solve_x(I): return rot90(hmirror(I))")
    [<solver solve_x ...>]
    """
    lines = text.count("\n") + 1
    if lines > LONGEST_FILE:
        raise ProgramError(f"the file has {lines:,} lines; a program file may have {LONGEST_FILE:,}", file)
    programs: dict[str, Program] = {}
    refused: list[ProgramError] = []
    for found in _statements(text, file):
        try:
            if isinstance(found, ProgramError):
                raise found
            program = _read_statement(found, file)
            if program is None:
                continue
            if program.name in programs:
                raise _refusal(
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


def _parsed(text: str, file: str, first_line: int = 1) -> ast.Module | ProgramError:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, file)
    except SyntaxError as error:
        line = (error.lineno or 1) + first_line - 1
        return ProgramError(f"this is not Python: {error.msg}", file, line, error.offset or 1)
    except (RecursionError, MemoryError):
        return ProgramError(
            "an expression is nested too deeply; put its parts on lines of their own", file, first_line
        )
    except ValueError as error:
        return ProgramError(f"this is not Python: {error}", file, first_line)


def _statements(text: str, file: str) -> Iterator[ast.stmt | ProgramError]:
    """The statements of the file; if it does not parse as a whole, those of each piece that does."""
    whole = _parsed(text, file)
    if isinstance(whole, ast.Module):
        yield from whole.body
        return
    pieces = list(_pieces(text))
    if len(pieces) == 1:
        yield whole
        return
    for first_line, piece in pieces:
        part = _parsed(piece, file, first_line)
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


def _refusal(node: ast.AST, file: str, reason: str) -> ProgramError:
    return ProgramError(reason, file, getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1)


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _read_statement(statement: ast.stmt, file: str) -> Program | None:
    """The program that a top-level statement defines; none for an import line or a string."""
    if isinstance(statement, ast.Import | ast.ImportFrom) or _is_text(statement):
        return None
    if isinstance(statement, ast.FunctionDef):
        try:
            return _Reader(statement, file).program()
        except RecursionError:
            raise _refusal(statement, file, TOO_DEEP) from None
    what = _describe(statement)
    raise _refusal(
        statement, file, f"{what} outside a function; a file holds imports and `def solve_x(I):` only"
    )


def _describe(node: ast.AST) -> str:
    """What a piece of syntax is called, for messages."""
    if isinstance(node, ast.Expr):
        node = node.value
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else "..."
        return f"a call of {name!r}"
    known: dict[type[ast.AST], str] = {
        ast.For: "a loop",
        ast.While: "a loop",
        ast.Lambda: "a lambda",
        ast.Attribute: "an attribute",
        ast.ListComp: "a comprehension",
        ast.SetComp: "a comprehension",
        ast.DictComp: "a comprehension",
        ast.GeneratorExp: "a comprehension",
        ast.If: "an if",
        ast.IfExp: "an if",
        ast.Import: "an import",
        ast.ImportFrom: "an import",
        ast.ClassDef: "a class",
        ast.FunctionDef: "a function inside a function",
        ast.AsyncFunctionDef: "an async function",
        ast.Assign: "an assignment",
        ast.AugAssign: "an assignment that changes a variable",
        ast.Subscript: "an index in brackets",
        ast.Starred: "a starred argument",
        ast.NamedExpr: "an assignment inside an expression",
        ast.JoinedStr: "a string",
        ast.BinOp: "an arithmetic operator",
        ast.UnaryOp: "an operator",
        ast.Compare: "a comparison",
        ast.BoolOp: "an operator",
        ast.List: "a list",
        ast.Set: "a set",
        ast.Dict: "a dictionary",
        ast.Try: "a try",
        ast.With: "a with",
    }
    if isinstance(node, ast.Constant):
        return f"a value of type {type(node.value).__name__}"
    return known.get(type(node), f"a {type(node).__name__.lower()}")


class _Reader:
    """Reads one function definition into a program."""

    def __init__(self, function: ast.FunctionDef, file: str) -> None:
        self.function, self.file = function, file
        self.variables: dict[str, Node] = {}

    def program(self) -> Program:
        inputs = self._inputs()
        self.variables = {name: Node.input(name) for name in inputs}
        body = self.function.body[1:] if _is_text(self.function.body[0]) else self.function.body
        for statement in body[:-1]:
            self._assign(statement)
        if not body or not isinstance(body[-1], ast.Return) or body[-1].value is None:
            raise self._refuse(
                body[-1] if body else self.function, "the last line must be `return` with a value"
            )
        root = self._expression(body[-1].value)
        kind = "differ" if self.function.name.startswith("differ") else "solver"
        return Program(self.function.name, kind, inputs, root)  # type: ignore[arg-type]

    def _refuse(self, node: ast.AST, reason: str) -> ProgramError:
        return _refusal(node, self.file, f"{self.function.name}: {reason}")

    def _inputs(self) -> tuple[str, ...]:
        arguments = self.function.args
        plain = [arg.arg for arg in arguments.args]
        others = arguments.posonlyargs or arguments.vararg or arguments.kwonlyargs or arguments.kwarg
        if self.function.decorator_list or others or arguments.defaults:
            raise self._refuse(self.function, "a program has no decorators, defaults or starred parameters")
        if not plain or len(set(plain)) < len(plain) or not set(plain) <= set(INPUTS):
            raise self._refuse(
                self.function, f"parameters are ({', '.join(plain)}); they must be (I) or (S, I, C)"
            )
        return tuple(plain)

    def _assign(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Return):
            raise self._refuse(statement, "return before the last line; lines after it would never run")
        if not isinstance(statement, ast.Assign) or isinstance(statement.value, ast.Lambda):
            what = _describe(statement.value if isinstance(statement, ast.Assign) else statement)
            raise self._refuse(statement, f"{what} is no part of the language; a line is `name = op(...)`")
        if len(statement.targets) != 1 or not isinstance(statement.targets[0], ast.Name):
            raise self._refuse(statement, "a line gives one value to one name: `name = op(...)`")
        name = statement.targets[0].id
        if name in self.variables:
            raise self._refuse(statement, f"{name!r} is given a value twice; each name is assigned once")
        if find(name) or name in CONSTANTS or name in INPUTS:
            raise self._refuse(
                statement, f"{name!r} is a name of the language; give the variable another one"
            )
        self.variables[name] = self._expression(statement.value)

    def _expression(self, node: ast.expr) -> Node:
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        return Node.constant(self._literal(node))

    def _name(self, node: ast.Name) -> Node:
        if node.id in self.variables:
            return self.variables[node.id]
        if node.id in CONSTANTS:
            return Node.constant(CONSTANTS[node.id])
        if find(node.id):
            return Node.constant(fn(node.id))
        if node.id in INPUTS:
            wanted = ", ".join(name for name in INPUTS if name == node.id or name in self.variables)
            raise self._refuse(
                node, f"{node.id!r} is used but is no parameter; write `def {self.function.name}({wanted})`"
            )
        hint = nearest(node.id, [*self.variables, *names()])
        raise self._refuse(
            node, f"{node.id!r} is neither an op, a constant nor a variable defined above{hint}"
        )

    def _literal(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return self._in_range(node, int(node.value))
        if (
            isinstance(node, ast.UnaryOp)
            and isinstance(node.op, ast.USub)
            and isinstance(node.operand, ast.Constant)
        ):
            operand = node.operand.value
            if isinstance(operand, int):
                return self._in_range(node, -operand)
        if isinstance(node, ast.Tuple):
            return tuple(self._literal_element(element) for element in node.elts)
        raise self._refuse(
            node, f"{_describe(node)} is no part of the language; use ops, constants and earlier lines"
        )

    def _literal_element(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Name) and node.id in CONSTANTS:
            return CONSTANTS[node.id]
        return self._literal(node)

    def _in_range(self, node: ast.expr, number: int) -> int:
        if not LOWEST <= number <= HIGHEST:
            raise self._refuse(node, f"an integer of {number.bit_length()} bits does not fit 32 bits")
        return number

    def _call(self, node: ast.Call) -> Node:
        if isinstance(node.func, ast.Call):
            return Node.call(self._call(node.func), *self._positional(node))
        if not isinstance(node.func, ast.Name):
            what = _describe(node.func)
            raise self._refuse(
                node.func, f"a call of {what} is no part of the language; call an op or a variable"
            )
        name = node.func.id
        if name in self.variables:
            return Node.call(self.variables[name], *self._positional(node))
        if find(name) is None:
            if name in CONSTANTS:
                raise self._refuse(node.func, f"{name!r} is a constant and cannot be called")
            hint = nearest(name, [*self.variables, *TABLE, *ALIASES])
            raise self._refuse(node.func, f"there is no op or variable {name!r}{hint}")
        return Node.op(ALIASES.get(name, name), *self._arguments(node, ALIASES.get(name, name)))

    def _positional(self, node: ast.Call) -> list[Node]:
        if node.keywords:
            raise self._refuse(node, "a call of a variable takes no keyword arguments")
        return [self._expression(arg) for arg in node.args]

    def _arguments(self, node: ast.Call, name: str) -> list[Node]:
        params = [param.name for param in TABLE[name].params]
        given = dict(zip(params, node.args))
        if len(node.args) > len(params):
            raise self._wrong_count(node, name, len(node.args) + len(node.keywords))
        for keyword in node.keywords:
            if keyword.arg not in params:
                hint = nearest(str(keyword.arg), params)
                raise self._refuse(node, f"{name!r} has no parameter {keyword.arg!r}{hint}")
            if keyword.arg in given:
                raise self._refuse(node, f"{name!r} gets its parameter {keyword.arg!r} twice")
            given[keyword.arg] = keyword.value
        if len(given) < len(params):
            raise self._wrong_count(node, name, len(given))
        return [self._expression(given[param]) for param in params]

    def _wrong_count(self, node: ast.Call, name: str, count: int) -> ProgramError:
        record = TABLE[name]
        return self._refuse(node, f"{name!r} takes {record.arity} arguments, not {count}: {record.signature}")
