"""Reading the functions of a solver file; calls of other functions of the file are inlined."""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from arcbatt.dsl.constants import CONSTANTS, INPUTS
from arcbatt.dsl.table import find
from arcbatt.dsl.values import Value
from arcbatt.errors import ProgramError
from arcbatt.program.graph import HASH_MARK, NONE, Node, Program, depth_first, substituted, topological
from arcbatt.program.oddities import Oddities, refusal
from arcbatt.program.origin import Origin
from arcbatt.program.syntax import NO_STRAIGHT_LINES, TOO_DEEP, FunctionReader, Hints, describe, is_text

MOST_INLINED = 100_000  # nodes that inlined calls may add to a function
MOST_INLINED_OF_FILE = 1_000_000
BRED = "solve"  # the name of the function in a file of a kept population
_PROGRAM_NAME = re.compile("solve|solve_.*|differ.*")
_NAME_WITH_HASH = re.compile("(.+)_([0-9a-f]{6,32})")


@dataclass(frozen=True)
class Body:
    """The result of a function as an expression over its parameters, and its number of nodes."""

    parameters: tuple[str, ...]
    root: Node
    size: int


@dataclass
class FileFunction:
    """A function of a file; `body` is the result or the refusal, or None until it is read."""

    definition: ast.FunctionDef
    line: int
    body: Body | ProgramError | None = None

    @property
    def name(self) -> str:
        """The name in its file."""
        return self.definition.name

    @property
    def is_program(self) -> bool:
        """Whether it is a program, by its name or its parameters, and not only called by others."""
        if _PROGRAM_NAME.fullmatch(self.name):
            return True
        parameters = [argument.arg for argument in self.definition.args.args]
        return bool(parameters) and set(parameters) <= set(INPUTS)

    def program(self, file: str, text: str) -> Program:
        """The function of a text as a program; raises if it is refused or its parameters are not inputs."""
        if isinstance(self.body, ProgramError):
            raise self.body
        assert self.body is not None
        parameters, root = self.body.parameters, self.body.root
        if not parameters or not set(parameters) <= set(INPUTS):
            reason = f"parameters are ({', '.join(parameters)}); they must be (I) or (S, I, C)"
            raise refusal(self.definition, file, f"{self.name}: {reason}", self.name)
        kind: Literal["differ", "solver"] = "differ" if self.name.startswith("differ") else "solver"
        origin = Origin(file, text, self.line)
        return Program(_with_hash(self.name, root), kind, parameters, root, origin=origin)


def _with_hash(name: str, root: Node) -> str:
    """The name of a program: a mutant has `~` before its hash where its function has `_`."""
    found = _NAME_WITH_HASH.fullmatch(name)
    if found and root.digest.hex().startswith(found[2]):
        return f"{found[1]}{HASH_MARK}{found[2]}"
    return name


class _NotReadYet(Exception):
    """A function calls another one that has not been read yet."""


class FunctionTable:
    """The functions of a file, in order; those that call others are read last, by `finish`."""

    def __init__(self, file: str, names: Iterable[str], strict: bool = False) -> None:
        self.file, self.hints = file, Hints()
        self.odd = Oddities(file, strict)
        self.names = frozenset(names)  # of all functions, including those not added yet
        self.known: dict[str, FileFunction] = {}
        self.twice: set[str] = set()
        self.left = MOST_INLINED_OF_FILE
        self._waiting: dict[str, FileFunction] = {}

    def add(self, definition: ast.FunctionDef, lines_before: int = 0) -> FileFunction:
        """Add a function; `lines_before` is the offset of the piece of the file that it was parsed from."""
        function = FileFunction(definition, definition.lineno + lines_before)
        if self._reads(function, at_once=True) and isinstance(function.body, Body):
            _forget_lines(definition)
        elif lines_before:
            ast.increment_lineno(definition, lines_before)
            self._reads(function, at_once=True)
        if definition.name in self.known:
            self.twice.add(definition.name)
            reason = f"{definition.name!r} is defined twice; give each program its own name"
            function.body = refusal(definition, self.file, reason, definition.name)
            return function
        self.known[definition.name] = function
        if function.body is None:
            self._waiting[definition.name] = function
        return function

    def finish(self) -> None:
        """Read the functions that call others, callees first."""
        waiting, self._waiting = self._waiting, {}

        def callees(name: str) -> list[str]:
            return [used for used in names_in(waiting[name].definition) if used in waiting]

        for name in depth_first(waiting, callees):
            self._reads(waiting[name], at_once=False)

    def _reader(self, definition: ast.FunctionDef, at_once: bool) -> "DefinitionReader":
        return DefinitionReader(definition, self, at_once)

    def _reads(self, function: FileFunction, at_once: bool) -> bool:
        """Read a function into its `body`; False if it calls one that has not been read yet."""
        try:
            reader = self._reader(function.definition, at_once)
            function.body = reader.body()
            for statement, reason, effect in reader.odd_lines:
                self.odd.add(effect, statement, reason, effect)
        except _NotReadYet:
            return False
        except ProgramError as error:
            function.body = error
        except RecursionError:
            function.body = refusal(function.definition, self.file, TOO_DEEP, function.name)
        return True


def _forget_lines(definition: ast.FunctionDef) -> None:
    """Drop the syntax tree of a function after reading: it takes far more memory than the graph."""
    definition.body = []


def names_in(definition: ast.FunctionDef) -> list[str]:
    """The free names of a function."""
    names = [node for node in ast.walk(definition) if isinstance(node, ast.Name)]
    own = {argument.arg for argument in definition.args.args}
    own |= {name.id for name in names if isinstance(name.ctx, ast.Store)}
    return [name.id for name in names if name.id not in own]


class DefinitionReader(FunctionReader):
    """Reads one function definition and inlines the functions of the file that it calls."""

    def __init__(self, function: ast.FunctionDef, functions: FunctionTable, at_once: bool) -> None:
        super().__init__(function, functions.file, functions.hints)
        self.functions, self.at_once = functions, at_once
        self.inlined = 0
        self.odd_lines: list[tuple[ast.stmt, str, str]] = []

    def body(self) -> Body:
        """The expression that the function returns."""
        parameters = tuple(self.parameters())
        self._check_names(parameters)
        self.variables = {name: Node.input(name) for name in parameters}
        body = self.function.body[1:] if is_text(self.function.body[0]) else self.function.body
        for statement in body[:-1]:
            self._statement(statement)
        if not body or not isinstance(body[-1], ast.Return) or body[-1].value is None:
            raise self.refuse(
                body[-1] if body else self.function, "the last line must be `return` with a value"
            )
        root = self._returned(body[-1], body[-1].value)
        return Body(parameters, root, len(topological([root])))

    def _statement(self, statement: ast.stmt) -> None:
        try:
            self._assign(statement)
        except ProgramError as error:
            self._take_odd(statement, error)

    def _returned(self, statement: ast.Return, value: ast.expr) -> Node:
        return self._expression(value)

    def _check_names(self, parameters: tuple[str, ...]) -> None:
        name = self.function.name
        if len(set(parameters)) < len(parameters):
            raise self.refuse(
                self.function, f"parameters are ({', '.join(parameters)}); each has its own name"
            )
        if not set(parameters) <= set(INPUTS) and (find(name) or name in CONSTANTS):
            raise self.refuse(
                self.function, f"{name!r} is a name of the language; give the function another one"
            )

    def _assign(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Return):
            raise self.refuse(statement, "return before the last line; lines after it would never run")
        if not isinstance(statement, ast.Assign) or isinstance(statement.value, ast.Lambda):
            what = describe(statement.value if isinstance(statement, ast.Assign) else statement)
            raise self.refuse(statement, f"expected a line `name = op(...)`, got {what}")
        if len(statement.targets) != 1 or not isinstance(statement.targets[0], ast.Name):
            raise self.refuse(statement, "a line gives one value to one name: `name = op(...)`")
        name = statement.targets[0].id
        if name in self.variables:
            raise self.refuse(statement, f"{name!r} is assigned twice; assign each name once")
        if find(name) or name in CONSTANTS or name in INPUTS:
            raise self.refuse(statement, f"{name!r} is a name of the language; give the variable another one")
        self.variables[name] = self._expression(statement.value)

    def _take_odd(self, statement: ast.stmt, error: ProgramError) -> None:
        """In a bred solver a malformed line costs only its dependants; elsewhere it costs the program."""
        is_straight = not any(isinstance(part, NO_STRAIGHT_LINES) for part in ast.walk(statement))
        if self.function.name != BRED or not is_straight or isinstance(statement, ast.Return):
            raise error
        given = self._value_given(statement)
        effect = "what uses it fails with TYPE" if given is NONE else "it is read all the same"
        self.odd_lines.append((statement, error.reason, effect))
        for part in ast.walk(statement):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store | ast.Del):
                self.variables[part.id] = given

    def _value_given(self, statement: ast.stmt) -> Node:
        """The value that an odd line assigns to its one name, if it can be read; otherwise NONE."""
        match statement:
            case ast.Assign([ast.Name()], value) | ast.AnnAssign(ast.Name(), _, ast.expr() as value):
                try:
                    return self._expression(value)
                except ProgramError:
                    return NONE
        return NONE

    def _expression(self, node: ast.expr) -> Node:
        if isinstance(node, ast.Name):
            self._require_one_meaning(node)
            if self._is_function(node):
                raise self.refuse(
                    node,
                    f"{node.id!r} is a function of this file: call it, but do not pass it as a value; "
                    "compose, chain, fork, lbind and rbind make functions to pass",
                )
            return self.name(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Constant) and node.value is None:
            return NONE
        return Node.constant(self.literal(node))

    def _literal_element(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Name) and node.id in self.variables:
            raise self.refuse(
                node, f"{node.id!r} stands in a literal, which holds numbers and constants only"
            )
        return super()._literal_element(node)

    def _is_function(self, node: ast.expr) -> bool:
        """Whether a name means another function of the file: variables and the language take precedence."""
        return (
            isinstance(node, ast.Name)
            and node.id in self.functions.names
            and node.id not in self.variables
            and node.id not in CONSTANTS
            and node.id not in INPUTS
            and find(node.id) is None
        )

    def _require_one_meaning(self, node: ast.expr) -> None:
        """Refuse a name of the language that the file gives to a function: Python would call the function."""
        if (
            isinstance(node, ast.Name)
            and node.id in self.functions.names
            and node.id not in self.variables
            and (find(node.id) or node.id in CONSTANTS)
        ):
            reason = f"{node.id!r} is a name of the language and a function of this file"
            raise self.refuse(node, f"{reason}; give the function another name")

    def _call(self, node: ast.Call) -> Node:
        callee = node.func
        if isinstance(callee, ast.Call):
            called = self._call(callee)
        elif isinstance(callee, ast.Name) and callee.id in self.variables:
            called = self.variables[callee.id]
        elif isinstance(callee, ast.Name) and self._is_function(callee):
            return self._inlined(node, callee.id)
        else:
            self._require_one_meaning(callee)
            name = self.op_called(callee)
            return Node.op(name, *map(self._expression, self.arguments(node, name)))
        return Node.call(called, *map(self._expression, self.positional(node)))

    def _inlined(self, node: ast.Call, name: str) -> Node:
        """The expression of another function, with the arguments in place of its parameters."""
        body = self._body_of(node, name)
        given = self.in_order(node, name, body.parameters, ", ".join(body.parameters))
        values = dict(zip(map(Node.input, body.parameters), map(self._expression, given)))
        self.inlined += body.size
        self.functions.left -= body.size
        if self.inlined > MOST_INLINED or self.functions.left < 0:
            raise self.refuse(
                node,
                f"with what the functions give that it calls, it has more than {MOST_INLINED:,} ops, "
                f"or the file more than {MOST_INLINED_OF_FILE:,}; call fewer, or smaller ones",
            )
        return self._filled_in(node, name, body, values)

    def _filled_in(self, node: ast.Call, name: str, body: Body, values: dict[Node, Node]) -> Node:
        return substituted(body.root, values)

    def _body_of(self, node: ast.Call, name: str) -> Body:
        if self.at_once:
            raise _NotReadYet
        if name in self.functions.twice:
            raise self.refuse(node, f"{name!r} is called and defined twice; give each function its own name")
        function = self.functions.known.get(name)
        body = function.body if function else None
        if function is None or isinstance(body, ProgramError):
            where = f" in line {body.line}" if isinstance(body, ProgramError) else ""
            raise self.refuse(node, f"{name!r} is called, and it is refused{where}")
        if body is None:
            whom = "itself" if name == self.function.name else f"{name!r}, which calls it in turn"
            raise self.refuse(node, f"it calls {whom}; a function must not call itself, even indirectly")
        return body
