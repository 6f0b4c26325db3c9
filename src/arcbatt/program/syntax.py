"""Shared by the readers of program files: parsing, errors with line and column, names and literals."""

import ast
import os
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from arcbatt.arguments import require_path
from arcbatt.dsl.constants import CONSTANTS, INPUTS
from arcbatt.dsl.functions import fn
from arcbatt.dsl.table import ALIASES, TABLE, find, names, nearest
from arcbatt.dsl.values import Value, out_of_range
from arcbatt.errors import ProgramError
from arcbatt.files import DATABASE, UnreadableFile, content_of_file, opening_of_file
from arcbatt.program.graph import Node
from arcbatt.program.oddities import refusal
from arcbatt.text import plural

LONGEST_FILE = 600_000  # lines: 21,490 mutants in style hybrid take 460,000
LONGEST_PROGRAM = 20_000  # lines of one function: each takes 4.5 kB as a syntax tree
LARGEST_FILE = 32 << 20  # bytes
LONGEST_NAME = 60  # shown of a name in messages
LONGEST_NUMBER = 256  # bits: a number of more than 32 fails when it runs, one longer than this is refused
MOST_NAMES = 1000  # names that a wrong name is compared with
# A syntax tree takes about a kilobyte for each part of an expression, so a text with too many is refused.
# Most parts follow one of these, and programs have few on a line.
BETWEEN_PARTS = (*",;=+-*/<>|&^%@:[(", " and ", " or ", " if ", " for ", " not ")
PARTS_OF_ANY_TEXT, PARTS_OF_A_LINE = 400_000, 8
# Syntax that never occurs in a straight-line program, however odd.
NO_STRAIGHT_LINES = (
    *(ast.For, ast.AsyncFor, ast.While, ast.If, ast.Match, ast.Raise, ast.AsyncWith),
    *(ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.IfExp),
    *(ast.Yield, ast.YieldFrom, ast.Await),
)
# Files passed as programs by mistake, by their first bytes.
LOOKED_AT = 4096  # bytes
NO_PROGRAMS = {
    re.escape(DATABASE): "is a database, maybe an archive; `arcbatt archive export FILE OUT.py` writes the "
    "programs of an archive to a file",
    rb'\{"arcbatt":': "is an archive as JSON lines; `arcbatt archive import` makes an archive of them",
    rb'\{"(task|program)": .*"(answers|code)": ': "has the JSON lines of a search; `arcbatt submit` takes "
    "them, and solve and evolve write programs with --out",
    rb'\{"(program|summary)": ': "has the JSON lines of a run; `arcbatt report` takes them",
    rb"(?i:<!doctype|<html)": "is a page of HTML; a browser shows it",
}
TOO_DEEP = "an expression is nested too deeply; put its parts on separate lines"


def text_of_file(path: str | os.PathLike[str]) -> str:
    """Read the text of a program file; one that is too large or not text is refused."""
    require_path("path", path)
    file = os.fspath(path)
    _require_programs(file)
    try:
        content = content_of_file(path, LARGEST_FILE)
    except UnreadableFile as error:
        raise ProgramError(f"the file {error.reason}", file) from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        location = _location_after(error.object[: error.start].decode())
        reason = f"byte 0x{error.object[error.start]:02x} is not UTF-8; a program file is UTF-8 text"
        raise ProgramError(reason, file, *location) from None


def _require_programs(file: str) -> None:
    """Refuse a file that is plainly something else, and name the command that takes it."""
    opening = opening_of_file(file, LOOKED_AT)
    for start, reason in NO_PROGRAMS.items():
        if re.match(start, opening):
            raise ProgramError(f"the file {reason}", file)


def _location_after(text: str) -> tuple[int, int]:
    """The line and the column after a text.

    >>> _location_after("one\\r\\nnext")
    (2, 5)
    """
    lines = lines_of(text)
    return len(lines), len(lines[-1]) + 1


def lines_of(text: str) -> list[str]:
    """The lines of a text as Python counts them: a form feed or another separator does not end a line.

    >>> lines_of("one\\r\\ntwo\\x0cstill two\\nthree")
    ['one', 'two\\x0cstill two', 'three']
    """
    return re.split(r"\r\n?|\n", text)


def parsed(text: str, file: str, first_line: int = 1) -> ast.Module | ProgramError:
    """The syntax tree of a text, or the error that says why it has none; raises if the text is too long."""
    lines = text.count("\n") + 1
    if lines > LONGEST_FILE:
        raise ProgramError(f"the file has {lines:,} lines; a program file may have {LONGEST_FILE:,}", file)
    if "\0" in text:
        line, column = _location_after(text.partition("\0")[0])
        reason = "this is not Python: there is a null byte"
        return ProgramError(reason, file, line + first_line - 1, column)
    parts, most = sum(map(text.count, BETWEEN_PARTS)), PARTS_OF_ANY_TEXT + lines * PARTS_OF_A_LINE
    if parts > most:
        reason = (
            f"about {parts:,} commas and operators are too many for {lines:,} lines; {most:,} are the most"
        )
        return ProgramError(reason, file, first_line)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, file)
    except SyntaxError as error:
        line = (error.lineno or 1) + first_line - 1
        return ProgramError(f"this is not Python: {error.msg}", file, line, error.offset or 1)
    except (RecursionError, MemoryError):
        return ProgramError(TOO_DEEP, file, first_line)
    except ValueError as error:
        return ProgramError(f"this is not Python: {error}", file, first_line)


def shown(name: str) -> str:
    """A name of the file for messages, shortened if it is long.

    >>> shown("rot90"), len(shown("x" * 10_000))
    ('rot90', 60)
    """
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 3] + "..."


def quoted(name: str) -> str:
    """A name of the file in quotes."""
    return repr(shown(name))


def is_text(statement: ast.stmt) -> bool:
    """Whether a statement is just a string, such as a docstring."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


_DESCRIPTIONS: dict[type[ast.AST], str] = {
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
    ast.AnnAssign: "an assignment with a type",
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


def describe(node: ast.AST) -> str:
    """The name of a piece of syntax in messages."""
    if isinstance(node, ast.Expr):
        node = node.value
    if isinstance(node, ast.Call):
        function = node.func
        name = getattr(function, "id", getattr(function, "attr", "..."))
        return f"a call of {quoted(name)}"
    if isinstance(node, ast.Constant):
        return f"a value of type {type(node.value).__name__}"
    name = type(node).__name__.lower()
    return _DESCRIPTIONS.get(type(node), f"{'an' if name[0] in 'aeiou' else 'a'} {name}")


class Hints:
    """The nearest known name for unknown names; only the first few of a file are looked up."""

    MOST = 20  # each costs about half a millisecond

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], str] = {}

    def nearest(self, name: str, among: Callable[[], Iterable[str]], of: str = "") -> str:
        """A hint such as `; did you mean 'fill'?`, or an empty text; parameters are those `of` some op."""
        if (name, of) not in self._known and len(self._known) < self.MOST and len(name) <= LONGEST_NAME:
            self._known[name, of] = nearest(name, list(islice(among(), MOST_NAMES)))
        return self._known.get((name, of), "")


class FunctionReader:
    """Reads names, literals and argument lists in one function definition; `variables` are the known ones."""

    def __init__(self, function: ast.FunctionDef, file: str, hints: Hints | None = None) -> None:
        self.function, self.file = function, file
        self.hints = hints or Hints()
        self.variables: dict[str, Node] = {}

    def refuse(self, node: ast.AST, reason: str) -> ProgramError:
        """The error that refuses a part of the function."""
        name = self.function.name
        return refusal(node, self.file, f"{shown(name)}: {reason}", name)

    def parameters(self) -> list[str]:
        """The names of the function's parameters, which must be plain."""
        arguments = self.function.args
        others = arguments.posonlyargs or arguments.vararg or arguments.kwonlyargs or arguments.kwarg
        if self.function.decorator_list or others or arguments.defaults:
            raise self.refuse(self.function, "a program has no decorators, defaults or starred parameters")
        return [argument.arg for argument in arguments.args]

    def name(self, node: ast.Name) -> Node:
        """The node that a name denotes: a variable, a constant or an op as a function value."""
        if node.id in self.variables:
            return self.variables[node.id]
        if node.id in CONSTANTS:
            return Node.constant(CONSTANTS[node.id])
        if find(node.id):
            return Node.constant(fn(node.id))
        if node.id in INPUTS:
            wanted = ", ".join(name for name in INPUTS if name == node.id or name in self.variables)
            raise self.refuse(
                node, f"{node.id!r} is used but not a parameter; write `def {self.function.name}({wanted})`"
            )
        hint = self.hints.nearest(node.id, lambda: (*names(), *self.variables))
        raise self.refuse(
            node, f"{quoted(node.id)} is neither an op, a constant nor a variable defined above{hint}"
        )

    def literal(self, node: ast.expr) -> Value:
        """The value of a literal: an Integer, or a Tuple of literals and constants.

        One that breaks a limit fails when it runs, like a result.
        """
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return self._number(node, int(node.value))
        if (
            isinstance(node, ast.UnaryOp)
            and isinstance(node.op, ast.USub)
            and isinstance(node.operand, ast.Constant)
        ):
            operand = node.operand.value
            if isinstance(operand, int):
                return self._number(node, -operand)
        if isinstance(node, ast.Tuple):
            return tuple(self._literal_element(element) for element in node.elts)
        raise self.refuse(node, f"expected an op, a constant or an earlier line, got {describe(node)}")

    def _literal_element(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Name) and node.id in CONSTANTS:
            return CONSTANTS[node.id]
        return self.literal(node)

    def _number(self, node: ast.expr, number: int) -> int:
        if number.bit_length() > LONGEST_NUMBER:
            raise self.refuse(node, out_of_range(number))
        return number

    def op_called(self, node: ast.expr) -> str:
        """The name of the op that a callee names."""
        if not isinstance(node, ast.Name):
            what = describe(node)
            raise self.refuse(node, f"expected a call of an op or a variable, got a call of {what}")
        if find(node.id) is None:
            if node.id in CONSTANTS:
                raise self.refuse(node, f"{node.id!r} is a constant and cannot be called")
            hint = self.hints.nearest(node.id, lambda: (*TABLE, *ALIASES, *self.variables))
            raise self.refuse(node, f"there is no op or variable {quoted(node.id)}{hint}")
        return ALIASES.get(node.id, node.id)

    def positional(self, node: ast.Call) -> list[ast.expr]:
        """The arguments of a call of a variable."""
        if node.keywords:
            raise self.refuse(node, "a call of a variable takes no keyword arguments")
        return node.args

    def arguments(self, node: ast.Call, name: str) -> list[ast.expr]:
        """The arguments of a call of an op, in the order of its parameters."""
        if not node.keywords:
            return self.counted(node, name, node.args)
        record = TABLE[name]
        return self.in_order(node, name, [param.name for param in record.params], record.declaration)

    def in_order(self, node: ast.Call, name: str, params: Sequence[str], declared: str) -> list[ast.expr]:
        """The arguments of a call, positional ones and keywords, in the order of the parameters."""
        count = len(node.args) + len(node.keywords)
        if len(node.args) > len(params):
            raise self._wrong_count(node, name, len(params), count, declared)
        given = dict(zip(params, node.args))
        for keyword in node.keywords:
            param = "**" if keyword.arg is None else keyword.arg
            if param not in params:
                hint = self.hints.nearest(param, lambda: params, name)
                raise self.refuse(node, f"{name!r} has no parameter {quoted(param)}{hint}")
            if param in given:
                raise self.refuse(node, f"{name!r} gets its parameter {param!r} twice")
            given[param] = keyword.value
        if count < len(params):
            raise self._wrong_count(node, name, len(params), count, declared)
        return [given[param] for param in params]

    def counted(self, node: ast.AST, name: str, arguments: list[ast.expr]) -> list[ast.expr]:
        """The arguments, if their number is what the op takes."""
        record = TABLE[name]
        if len(arguments) != record.arity:
            raise self._wrong_count(node, name, record.arity, len(arguments), record.declaration)
        return arguments

    def _wrong_count(self, node: ast.AST, name: str, arity: int, count: int, declared: str) -> ProgramError:
        return self.refuse(node, f"{name!r} takes {plural(arity, 'argument')}, not {count}: {declared}")
