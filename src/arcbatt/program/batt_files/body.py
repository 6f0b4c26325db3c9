"""Reading the body of a batt function: lines `tN = ...`, each by its own shape, and outputs."""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from arcbatt.dsl.constants import INPUTS
from arcbatt.program.batt_files.line_reader import (
    A_LINE,
    AN_ENVIRONMENT,
    IS_READ,
    IS_SKIPPED,
    LINE_FAILS,
    LINES,
    UNNUMBERED,
    LineReader,
    Source,
)
from arcbatt.program.batt_files.output import DIFFER_OUTPUT, SOLVER_OUTPUT, Entry, entry_of, odd_entry
from arcbatt.program.graph import NONE, BattLine, Listing, Node, Program, Style
from arcbatt.program.oddities import Oddity
from arcbatt.program.syntax import Hints, describe, is_text, quoted

PARAMETERS = ("task_id", "S", "I", "C", "log_path")
BATCH, BATCH_PARAMETERS = "batt_batch", ("task_ids", "Ss", "Is", "Cs", "log_paths")
ENVIRONMENTS = ("Env", "GPUEnv")
PARAMETERS_OF_ENVIRONMENT = ("seed", "task_id", "S", "log_path", "score")


def makes_environment(value: ast.expr) -> bool:
    """Whether an expression makes an environment from the arguments of the batt, passed by position or name.

    >>> parsed = ast.parse("GPUEnv(7, task_id, S=S, log_path=log_path, score=3)", mode="eval")
    >>> makes_environment(parsed.body)
    True
    """
    if not (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ENVIRONMENTS
    ):
        return False
    given = dict(zip(PARAMETERS_OF_ENVIRONMENT, value.args)) | {
        keyword.arg: keyword.value for keyword in value.keywords
    }
    names = {name: part.id for name, part in given.items() if isinstance(part, ast.Name)}
    others = given.keys() - names.keys()
    return (
        len(given) == len(value.args) + len(value.keywords)
        and names == {name: name for name in ("task_id", "S", "log_path")}
        and others <= {"seed", "score", "enable_gpu"}
        and all(is_number(given[name]) for name in others)
    )


def is_number(part: ast.expr) -> bool:
    """Whether an expression is a number, with or without a sign."""
    number = part.operand if isinstance(part, ast.UnaryOp) else part
    return isinstance(number, ast.Constant) and isinstance(number.value, int | float)


def caught_by_name(caught: ast.expr | None) -> bool:
    """Whether an except clause is bare or names exceptions."""
    classes = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return all(part is None or isinstance(part, ast.Name | ast.Attribute) for part in classes)


class Output(NamedTuple):
    """An output of a batt: its location, the number that it names, its line's position, its program."""

    statement: ast.stmt
    number: int
    position: int
    program: Program
    into: str


class BodyReader(LineReader):
    """Reads the body of one function: lines `tN = ...`, and outputs.

    An unreadable part becomes `NONE`, so it costs only its dependants, and `warnings` says why; `strict`
    refuses it. `known` are the constants of the file.
    """

    def __init__(
        self,
        function: ast.FunctionDef,
        file: str,
        strict: bool = False,
        known: Mapping[str, Node] | None = None,
        hints: Hints | None = None,
    ) -> None:
        super().__init__(function, file, strict, hints)
        self.lists = {"o": "o", "s": "s"}
        self.outputs: list[Output] = []
        self._guarded = False  # whether the current statement is inside a try
        self._bare: Style = "vectorized"  # the style of lines that nothing guards
        self.variables = {**(known or {}), **self._inputs()}

    @property
    def style(self) -> Style | None:
        """The style of most of its lines."""
        return max(self.styles, key=self.styles.__getitem__, default=None)

    @property
    def warnings(self) -> tuple[Oddity, ...]:
        """The oddities of the body."""
        return self.odd.found

    def _inputs(self) -> dict[str, Node]:
        """The inputs by the names of the parameters."""
        arguments = self.function.args
        every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        found = [argument.arg for argument in every]
        if self.strict:
            found = self.parameters()
        if tuple(found) != PARAMETERS or self.function.decorator_list or arguments.defaults:
            reason = f"parameters are ({ast.unparse(arguments)}); they must be ({', '.join(PARAMETERS)})"
            if self.function.decorator_list:
                reason = "a batt has no decorators"
            self._odd("parameters", self.function, reason, IS_READ)
        by_place = len(found) == len(PARAMETERS) and not set(INPUTS) & set(found)
        named = zip(found, PARAMETERS) if by_place else zip(found, found)
        return {name: Node.input(meant) for name, meant in named if meant in INPUTS}

    def read(self) -> None:
        """Read all statements."""
        body = self.function.body
        returns = [place for place, part in enumerate(body) if isinstance(part, ast.Return)]
        end = returns[0] if returns else len(body)
        last = body[min(end, len(body) - 1)]
        is_odd = self._odd_return(last)
        for after in body[end + 1 :]:
            reason = "return before the last line; lines after it would never run"
            self._odd("after return", last if self.strict else after, reason, IS_SKIPPED)
        for statement in body[:end]:
            self._statement(statement)
        if is_odd:
            self._odd("return", last, "the last line must be `return o, s`", IS_READ)
        for name in self.lists.values():
            self._require(last, name, f"`{name} = []`")
        if not self.outputs:
            reason = f"there is no output; one is {SOLVER_OUTPUT}"
            self._odd("no output", self.function, reason, "there are no programs")

    def _odd_return(self, last: ast.stmt) -> bool:
        """Whether the last line is odd; it may rename the lists of outputs."""
        match last:
            case ast.Return(ast.Tuple([ast.Name("o"), ast.Name("s")])):
                return False
            case ast.Return(ast.Tuple([ast.Name(o), ast.Name(s)])) if not {o, s} & {"o", "s"} and o != s:
                self.lists = {o: "o", s: "s"}
        return True

    def listing(self) -> Listing:
        """The lines in file order; a variable other than tN gets the next free number."""
        highest = max((line.number for line in self.lines), default=0)
        lines: list[BattLine] = []
        for line in self.lines:
            if line.number == UNNUMBERED:
                highest = max(highest, 0) + 1
                line = line._replace(number=highest)
            lines.append(line)
        numbers = tuple(output.number for output in self.outputs)
        listing = Listing(tuple(lines), tuple(output.position for output in self.outputs))
        return listing if listing.entry_numbers == numbers else replace(listing, numbers=numbers)

    def _statement(self, statement: ast.stmt) -> None:
        self._place = statement.lineno
        match statement:
            case ast.Try():
                self._try(statement)
            case ast.Assign([ast.Name("o" | "s" | "env" as name)], value):
                self._beginning(statement, name, value)
            case ast.Assign([ast.Name(name)], value):
                self._assigned(statement, name, value)
            case ast.Assign([ast.Tuple(targets)], value):
                self._several(statement, targets, value)
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), method), arguments, [])) if (
                name in self.lists
            ):
                self._outputs(statement, self.lists[name], method, arguments)
            case _ if not is_text(statement):
                self._odd_statement(statement)

    def _odd_statement(self, statement: ast.stmt) -> None:
        """Take a statement that does not belong in a batt; a plain effect in Python is reproduced."""
        self._require_straight(statement)
        match statement:
            case ast.Assign(_, value):
                reason = f"expected {A_LINE}, got an assignment of {describe(value)}"
            case _:
                reason = f"expected {A_LINE}, got {describe(statement)}"
        kind = type(statement).__name__.removesuffix("From")
        is_read = isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.With | ast.Delete)
        self._odd(kind, statement, reason, IS_READ if is_read else IS_SKIPPED)
        match statement:
            case ast.Assign([ast.Name(first), *others], value):
                self._statement(ast.copy_location(ast.Assign([ast.Name(first)], value), statement))
                for other in others:
                    self._bind_all(other, first)
            case ast.AnnAssign(ast.Name() as name, _, ast.expr() as value):
                self._statement(ast.copy_location(ast.Assign([name], value), statement))
            case ast.AugAssign(ast.Name(list_), ast.Add(), ast.List(elements)) if list_ in self.lists:
                self._output_all(statement, self.lists[list_], elements)
            case ast.AugAssign(ast.Name(changed)):
                self._bind(statement, changed, NONE)
            case ast.With(_, body):
                for inner in body:
                    self._statement(inner)
            case ast.Delete(targets):
                for target in targets:
                    self._bind_all(target, None)

    def _beginning(self, statement: ast.stmt, name: str, value: ast.expr) -> None:
        """`o = []`, `s = []` or `env = Env(<number>, task_id, S, log_path)`."""
        if name in self.made:
            effect = IS_READ if name == "env" else "outputs before are lost"
            self._odd(f"{name} twice", statement, f"{name!r} is made twice", effect)
            self.outputs = [output for output in self.outputs if output.into != name]
        self.made.add(name)
        match value:
            case ast.List([]) if name != "env":
                return
            case ast.Call(
                ast.Name("Env"), [seed, ast.Name("task_id"), ast.Name("S"), ast.Name("log_path")], []
            ) if name == "env":
                if is_number(seed):
                    return
        if name == "env" and self.takes_environments and makes_environment(value):
            return
        self._require_straight(value)
        form = AN_ENVIRONMENT if name == "env" else f"`{name} = []`"
        self._odd(f"another {name}", statement, f"{name!r} is made in another way than {form}", IS_READ)

    def _assigned(self, statement: ast.stmt, name: str, value: ast.expr) -> None:
        """`name = value`: a line of any style, a list of outputs, or another name for something."""
        match value:
            case ast.Call(ast.Attribute(ast.Name(environment), "do_pile")) if (
                environment == "env" or not self.strict
            ):
                self._take_style(statement, "pile")
                self._require(statement, "env", AN_ENVIRONMENT)
                self._bind(statement, name, self._pile(name, value))
            case ast.Call():
                self._take_style(statement, "guarded" if self._guarded else self._bare)
                self._bind(statement, name, self._line(name, value))
            case ast.List([]) if name in self.lists:
                self.made.add(self.lists[name])
            case ast.Lambda() if self.reads_lambdas and "env" not in self.made:
                self._bind(statement, name, self._function(value))
            case _:
                reason = f"expected {A_LINE}, got an assignment of {describe(value)}"
                self._odd("no call", statement, reason, IS_READ)
                self._bind(statement, name, self._source(value))

    def _try(self, statement: ast.Try) -> None:
        inner = (*statement.body, *statement.orelse, *statement.finalbody)
        if self.strict and any(isinstance(part, ast.Return) for part in inner):
            raise self.refuse(statement, f"a guarded line is {LINES['guarded']}")
        match statement:
            case ast.Try(
                [ast.Assign([ast.Name(name)], ast.Call(ast.Name(callee))) as line],
                [ast.ExceptHandler(caught, _, [rescue])],
                [],
                [],
            ) if caught_by_name(caught):
                self._guard([line])
            case _ if self._is_around_all(statement):
                self._direct(statement)
                return
            case _:
                self._odd("try", statement, f"a guarded line is {LINES['guarded']}", IS_READ)
                self._guard(inner)
                return
        match rescue:
            case ast.Assign(
                [ast.Name(again)], ast.Call(ast.Name("_get_safe_default"), [ast.Name(head), *_], [])
            ) if (again, head) == (name, callee):
                return
        reason = f"this must be `{name} = _get_safe_default({callee})`, as in the line above"
        self._odd("rescue", rescue, reason, "it is read as if it were")

    def _is_around_all(self, statement: ast.Try) -> bool:
        """Whether a try is around all lines and outputs, as in style `gpu-direct`."""
        return (
            not (self.lines or self._guarded or statement.orelse or statement.finalbody)
            and any(isinstance(part, ast.Expr) and not is_text(part) for part in statement.body)
            and len(statement.handlers) == 1
        )

    def _direct(self, statement: ast.Try) -> None:
        """The lines of a body in one try: bare ones."""
        handler = statement.handlers[0]
        if not (isinstance(handler.body[0], ast.Pass) and caught_by_name(handler.type)):
            reason = "the handler of a try around all lines is `except Exception: pass`"
            self._odd("handler", handler, reason, IS_READ)
        self._bare = "gpu-direct"
        for inner in statement.body:
            if not isinstance(inner, ast.Return):
                self._statement(inner)
        self._bare = "vectorized"

    def _guard(self, statements: Iterable[ast.stmt]) -> None:
        before, self._guarded = self._guarded, True
        for statement in statements:
            if not isinstance(statement, ast.Return):
                self._statement(statement)
        self._guarded = before

    def _several(self, statement: ast.stmt, targets: list[ast.expr], value: ast.expr) -> None:
        """`t1, t2, t3, t4 = batch_process_samples_gpu(S)`: inputs, outputs, and the colours of each."""
        match targets, value:
            case [ast.Name(a), ast.Name(b), ast.Name(c), ast.Name(d)], ast.Call(
                ast.Name("batch_process_samples_gpu"), [ast.Name("S")], []
            ) if not (self.strict and "pile" in self.styles):
                if not self.styles:
                    self.styles["vectorized"] += 1
                samples, colors = Node.input("S"), Node.function("p_g")
                made: list[int] = []
                for name, part in ((a, "first"), (b, "second")):
                    node = Node.op("apply", Node.function(part), samples)
                    made.append(self._add(name, node, node.args))
                for name, position in ((c, made[0]), (d, made[1])):
                    node = Node.op("mapply", colors, self.lines[position].node)
                    made.append(self._add(name, node, (colors, position)))
                for name, position in zip((a, b, c, d), made):
                    self._bind(statement, name, position)
                return
        self._require_straight(value)
        reason = "several names; only `t1, t2, t3, t4 = batch_process_samples_gpu(S)` has them"
        match value:
            case ast.Tuple(values) if len(values) == len(targets):
                self._odd("several names", statement, reason, IS_READ)
                for target, each in zip(targets, values):
                    self._statement(ast.copy_location(ast.Assign([target], each), statement))
            case _:
                self._odd("unpacked", statement, reason, LINE_FAILS)
                for target in targets:
                    self._bind_all(target, None)

    def _outputs(self, statement: ast.stmt, into: str, method: str, arguments: list[ast.expr]) -> None:
        """`o.append(...)`, or several at once with `o.extend([...])`."""
        match method, arguments:
            case "append", _:
                self._output(statement, into, arguments)
            case "extend", [ast.List(elements) | ast.Tuple(elements)] if not self.strict:
                form = SOLVER_OUTPUT if into == "o" else DIFFER_OUTPUT
                self._odd("output", statement, f"an output is {form}", IS_READ)
                self._output_all(statement, into, elements)
            case _:
                self._require_straight(statement)
                reason = f"expected {A_LINE}, got {describe(statement)}"
                self._odd("Expr", statement, reason, IS_SKIPPED)

    def _output_all(self, statement: ast.stmt, into: str, elements: Iterable[ast.expr]) -> None:
        for element in elements:
            self._output(statement, into, [element])

    def _output(self, statement: ast.stmt, into: str, arguments: list[ast.expr]) -> None:
        """`o.append((N, evo, solver id, tN))` or `s.append((N, scored, differ id, tN))`."""
        entry = entry_of(into, arguments)
        if entry is None:
            form = SOLVER_OUTPUT if into == "o" else DIFFER_OUTPUT
            self._odd("output", statement, f"an output is {form}", "what it lacks is taken as None")
            self._require_straight(statement)
            entry = odd_entry(into, arguments)
        if entry is None:
            return
        self._require(statement, into, f"`{into} = []`")
        position = self._output_line(statement, entry)
        number = self.lines[position].number if entry.number is None else entry.number
        root = self.lines[position].node
        self.outputs.append(Output(statement, number, position, entry.program(root, statement.lineno), into))

    def _output_line(self, statement: ast.stmt, entry: Entry) -> int:
        """The position of the line that gives an output."""
        value, number = entry.value, entry.number
        if isinstance(value, ast.Name) and value.id in self.positions:
            if value.id != f"t{number}":
                reason = f"the number must be that of {quoted(value.id)}"
                self._odd("output number", entry.said or statement, reason, IS_READ)
            return self.positions[value.id]
        reason = "the value of an output must be the variable of a line above"
        self._odd("output value", value or statement, reason, "what is unknown fails with TYPE")
        source: Source = NONE if value is None else self._source(value)
        if isinstance(source, int):
            return source
        name = None if number is None or number < 0 else f"t{number}"
        if source is NONE:
            return self._add(name, NONE, ())
        return self._add(name, Node.op("identity", source), (source,))
