"""Reading the body of a batt function: lines `tN = ...`, each by its own shape, and outputs."""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from arcbatt.dsl.constants import CONSTANTS, INPUTS
from arcbatt.dsl.table import ALIASES, find
from arcbatt.errors import ProgramError
from arcbatt.program.batt_output import DIFFER_OUTPUT, SOLVER_OUTPUT, Entry, entry_of, number_in, odd_entry
from arcbatt.program.graph import NONE, Line, Listing, Node, Program, Style
from arcbatt.program.oddities import Oddities, Oddity
from arcbatt.program.syntax import FunctionReader, Hints, describe, is_text, quoted

PARAMETERS = ("task_id", "S", "I", "C", "log_path")
ENVIRONMENTS = ("Env", "GPUEnv")

_VARIABLE = re.compile(r"t(0|[1-9][0-9]{0,17})")
_A_LINE = "a line is `tN = op(...)`"
LINES: dict[Style, str] = {
    "pile": "`tN = env.do_pile(N, [op, ...], tM.ok and ...)`",
    "guarded": "`try: tN = op(...)` with `except ...: tN = _get_safe_default(op)`",
    "vectorized": "`tN = op(...)`",
}
_AN_ENVIRONMENT = "`env = Env(<number>, task_id, S, log_path)`"
_UNNUMBERED = -1

# What follows for a file in which something is odd.
_LINE_FAILS = "what uses it fails with TYPE"
_IS_READ = "it is read all the same"
_IS_SKIPPED = "it is skipped"

_NO_STRAIGHT_LINES = (
    *(ast.For, ast.AsyncFor, ast.While, ast.If, ast.Match, ast.Raise, ast.AsyncWith),
    *(ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.IfExp),
    *(ast.Yield, ast.YieldFrom, ast.Await),
)
_NEVER = None  # the condition of a line that is not run

Source = int | Node


def caught_by_name(caught: ast.expr | None) -> bool:
    """Whether an except clause is bare or names exceptions."""
    classes = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return all(part is None or isinstance(part, ast.Name | ast.Attribute) for part in classes)


class Output(NamedTuple):
    """An output of a batt: where it stands, the number that it names, its line's position, its program."""

    statement: ast.stmt
    number: int
    position: int
    program: Program
    into: str


class BodyReader(FunctionReader):
    """Reads the body of one function: lines `tN = ...`, and outputs.

    A line that is no good costs what depends on it: what it cannot make sense of is `NONE`. What was odd is
    in `warnings`; where it is `strict`, it is refused. `known` are the constants of the file.
    """

    def __init__(
        self,
        function: ast.FunctionDef,
        file: str,
        strict: bool = False,
        known: Mapping[str, Node] | None = None,
        hints: Hints | None = None,
    ) -> None:
        super().__init__(function, file, hints)
        self.strict = strict
        self.odd = Oddities(file, strict)
        self.lists = {"o": "o", "s": "s"}
        self.positions: dict[str, int] = {}  # of the lines, by their variables
        self.lines: list[Line] = []
        self.outputs: list[Output] = []
        self.styles: Counter[Style] = Counter()
        self.made: set[str] = set()
        self._guarded = self._piled = False  # whether the statement at hand is inside a try, or a pile
        self.variables = {**(known or {}), **self._inputs()}

    @property
    def style(self) -> Style | None:
        """The style of most of its lines."""
        return max(self.styles, key=self.styles.__getitem__, default=None)

    @property
    def warnings(self) -> tuple[Oddity, ...]:
        """What was odd."""
        return self.odd.found

    def _inputs(self) -> dict[str, Node]:
        """The inputs by the names that the parameters give them."""
        arguments = self.function.args
        every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        found = [argument.arg for argument in every]
        if self.strict:
            found = self.parameters()
        if tuple(found) != PARAMETERS or self.function.decorator_list or arguments.defaults:
            reason = f"parameters are ({', '.join(found)}); they must be ({', '.join(PARAMETERS)})"
            self._odd("parameters", self.function, reason, _IS_READ)
        by_place = len(found) == len(PARAMETERS) and not set(INPUTS) & set(found)
        named = zip(found, PARAMETERS) if by_place else zip(found, found)
        return {name: Node.input(meant) for name, meant in named if meant in INPUTS}

    def _odd(self, kind: str, node: ast.AST, reason: str | Callable[[], str], effect: str) -> None:
        """Note something odd, or refuse it."""
        if self.strict:
            raise self.refuse(node, reason if isinstance(reason, str) else reason())
        self.odd.add(kind, node, reason, effect)

    def _noted(self, kind: str, node: ast.AST, error: ProgramError) -> None:
        """Note a refusal as something odd, or refuse."""
        if self.strict:
            raise error
        self.odd.add(kind, node, error.reason.removeprefix(f"{self.function.name}: "), _LINE_FAILS)

    def read(self) -> None:
        """Read all statements."""
        body = self.function.body
        returns = [place for place, part in enumerate(body) if isinstance(part, ast.Return)]
        end = returns[0] if returns else len(body)
        last = body[min(end, len(body) - 1)]
        is_odd = self._odd_return(last)
        for after in body[end + 1 :]:
            reason = "return before the last line; lines after it would never run"
            self._odd("after return", last if self.strict else after, reason, _IS_SKIPPED)
        for statement in body[:end]:
            self._statement(statement)
        if is_odd:
            self._odd("return", last, "the last line must be `return o, s`", _IS_READ)
        for name in self.lists.values():
            self._require(last, name, f"`{name} = []`")
        if not self.outputs:
            reason = f"there is no output; one is {SOLVER_OUTPUT}"
            self._odd("no output", self.function, reason, "there are no programs")

    def _odd_return(self, last: ast.stmt) -> bool:
        """Whether the last line is odd; it may give other names to the lists of outputs."""
        match last:
            case ast.Return(ast.Tuple([ast.Name("o"), ast.Name("s")])):
                return False
            case ast.Return(ast.Tuple([ast.Name(o), ast.Name(s)])) if not {o, s} & {"o", "s"} and o != s:
                self.lists = {o: "o", s: "s"}
        return True

    def listing(self) -> Listing:
        """The lines as they stand in the file; a variable that is no tN gets a number behind all others."""
        highest = max((line.number for line in self.lines), default=0)
        lines: list[Line] = []
        for line in self.lines:
            if line.number == _UNNUMBERED:
                highest = max(highest, 0) + 1
                line = line._replace(number=highest)
            lines.append(line)
        numbers = tuple(output.number for output in self.outputs)
        listing = Listing(tuple(lines), tuple(output.position for output in self.outputs))
        return listing if listing.entry_numbers == numbers else replace(listing, numbers=numbers)

    def _statement(self, statement: ast.stmt) -> None:
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
        """A statement that is no part of a batt: what Python would do is done where that is plain."""
        self._require_straight(statement)
        match statement:
            case ast.Assign(_, value):
                reason = f"{describe(value)} is given to a name; {_A_LINE}"
            case _:
                reason = f"{describe(statement)} is no part of a batt; {_A_LINE}"
        self._odd(type(statement).__name__, statement, reason, _IS_READ)
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

    def _bind_all(self, target: ast.expr, name: str | None) -> None:
        """Let the names of a target stand for what another name stands for, or for nothing."""
        source: Source = NONE if name is None else self.positions.get(name, self.variables.get(name, NONE))
        for part in ast.walk(target):
            if isinstance(part, ast.Name):
                self._bind(target, part.id, source if isinstance(target, ast.Name) else NONE)

    def _require_straight(self, node: ast.AST) -> None:
        """Refuse what is no straight line: loops, lambdas, comprehensions, conditions."""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return
        for part in ast.walk(node):
            if isinstance(part, _NO_STRAIGHT_LINES):
                raise self.refuse(part, f"{describe(part)} is no part of a batt; {_A_LINE}")

    def _require(self, node: ast.AST, name: str, form: str) -> None:
        if name not in self.made:
            self.made.add(name)
            self._odd(f"no {name}", node, f"{name!r} is not there yet; {form} comes before", _IS_READ)

    def _beginning(self, statement: ast.stmt, name: str, value: ast.expr) -> None:
        """`o = []`, `s = []` or `env = Env(<number>, task_id, S, log_path)`."""
        if name in self.made:
            effect = _IS_READ if name == "env" else "outputs before are lost"
            self._odd(f"{name} twice", statement, f"{name!r} is made twice", effect)
            self.outputs = [output for output in self.outputs if output.into != name]
        self.made.add(name)
        match value:
            case ast.List([]) if name != "env":
                return
            case ast.Call(
                ast.Name("Env"), [seed, ast.Name("task_id"), ast.Name("S"), ast.Name("log_path")], []
            ) if name == "env":
                number = seed.operand if isinstance(seed, ast.UnaryOp) else seed
                if isinstance(number, ast.Constant) and isinstance(number.value, int | float):
                    return
        self._require_straight(value)
        form = _AN_ENVIRONMENT if name == "env" else f"`{name} = []`"
        self._odd(f"another {name}", statement, f"{name!r} is made in another way; it is {form}", _IS_READ)

    def _assigned(self, statement: ast.stmt, name: str, value: ast.expr) -> None:
        """`name = value`: a line of any style, a list of outputs, or another name for something."""
        match value:
            case ast.Call(ast.Attribute(ast.Name(environment), "do_pile")) if (
                environment == "env" or not self.strict
            ):
                self._take_style(statement, "pile")
                self._require(statement, "env", _AN_ENVIRONMENT)
                self._piled_line(statement, name, value)
            case ast.Call():
                self._take_style(statement, "guarded" if self._guarded else "vectorized")
                self._bind(statement, name, self._line(name, value))
            case ast.List([]) if name in self.lists:
                self.made.add(self.lists[name])
            case _:
                reason = f"{describe(value)} is given to a name; {_A_LINE}"
                self._odd("no call", statement, reason, _IS_READ)
                self._bind(statement, name, self._source(value))

    def _take_style(self, statement: ast.stmt, style: Style) -> None:
        """Lines are of one style."""
        if self.styles and style not in self.styles:
            first = next(iter(self.styles))
            reason = f"the lines above are of style {first}; a line is then {LINES[first]}"
            self._odd("styles", statement, reason, "each line is read by its own style")
        self.styles[style] += 1

    def _bind(self, statement: ast.AST, name: str, source: Source) -> None:
        """Let a name stand for a line, given by its position, or for a node."""
        if _VARIABLE.fullmatch(name) is None:
            reason = f"{quoted(name)} is no variable of a batt; they are t1, t2, ..."
            self._odd("variable", statement, reason, _IS_READ)
        elif name in self.positions or name in self.variables:
            reason = f"{name!r} is given a value twice; each name is assigned once"
            self._odd("twice", statement, reason, "the later one counts from there on")
        self.positions.pop(name, None)
        if isinstance(source, int):
            self.positions[name] = source
        else:
            self.variables[name] = source

    def _add(
        self, name: str | None, node: Node, args: tuple[Source, ...], condition: tuple[int, ...] | None = None
    ) -> int:
        """A new line, by its position."""
        found = _VARIABLE.fullmatch(name or "")
        self.lines.append(Line(int(found[1]) if found else _UNNUMBERED, node, args, condition))
        return len(self.lines) - 1

    def _node(self, source: Source) -> Node:
        return self.lines[source].node if isinstance(source, int) else source

    def _line(self, name: str | None, call: ast.Call) -> int:
        """The line of a call `callee(argument, ...)`."""
        node, args = self._applied(call.func, call)
        return self._add(name, node, args)

    def _applied(
        self, callee: ast.expr, call: ast.AST, arguments: Sequence[ast.expr] = ()
    ) -> tuple[Node, tuple[Source, ...]]:
        """The node of a callee with its arguments, which are those of the call, and its sources."""
        op = self._op(callee)
        given = call.args if isinstance(call, ast.Call) else arguments
        keywords = [keyword.value for keyword in call.keywords] if isinstance(call, ast.Call) else []
        misfit: tuple[Node, ...] = ()
        try:
            if isinstance(call, ast.Call):
                given = self.positional(call) if op is None else self.arguments(call, op)
            elif op is not None:
                self.counted(call, op, list(given))
        except ProgramError as error:
            self._noted("arguments", call, error)
            # With keywords that do not fit, the arguments may still be as many as they should be.
            given, misfit = [*given, *keywords], (NONE,) if keywords else ()
        args: tuple[Source, ...] = (*map(self._source, given), *misfit)
        if op is None:
            args = (self._callee(callee), *args)
        elif not args:
            args = (Node.function(op),)  # a call of it without arguments, so that a condition has a place
            op = None
        nodes = tuple(map(self._node, args))
        return (Node("call", None, nodes) if op is None else Node("op", op, nodes)), args

    def _op(self, callee: ast.expr) -> str | None:
        """The op that a callee names; None: it is something else."""
        if not isinstance(callee, ast.Name):
            if self.strict and not (self._piled and isinstance(callee, ast.Attribute)):
                self.op_called(callee)
            return None
        if callee.id in self.positions or callee.id in self.variables or find(callee.id) is None:
            return None
        return ALIASES.get(callee.id, callee.id)

    def _callee(self, callee: ast.expr) -> Source:
        """Where a callee that is no op comes from."""
        if (
            isinstance(callee, ast.Name)
            and callee.id not in self.positions
            and callee.id not in self.variables
        ):
            try:
                self.op_called(callee)
            except ProgramError as error:
                self._noted("constant called" if callee.id in CONSTANTS else "unknown op", callee, error)
            return Node.constant(CONSTANTS[callee.id]) if callee.id in CONSTANTS else NONE
        return self._source(callee)

    def _source(self, node: ast.expr) -> Source:
        """Where an argument comes from: an earlier line by its position, or a node that needs no line."""
        match node:
            case ast.Name(name):
                if name in self.positions and self._piled:
                    reason = f"{name!r} is an OKT here; its value is `{name}.t`"
                    self._odd("no .t", node, reason, "its value is taken")
                return self.positions[name] if name in self.positions else self._named(node)
            case ast.Attribute(ast.Name(name) as of, "t") if self._piled or not self.strict:
                if name in self.positions:
                    return self.positions[name]
                if self.strict:
                    raise self.refuse(node, "this must be `tN.t` of an earlier line")
                return self._named(of)
            case ast.Attribute() if self._piled and self.strict:
                raise self.refuse(node, "this must be `tN.t` of an earlier line")
            case ast.Call():
                reason = f"{describe(node)} inside a line; give it a line of its own"
                self._odd("nested call", node, reason, "it is read as a line of its own")
                return self._line(None, node)
        return self._literal(node)

    def _named(self, node: ast.Name) -> Node:
        try:
            return self.name(node)
        except ProgramError as error:
            self._noted("unknown name", node, error)
            return NONE

    def _literal(self, node: ast.expr) -> Node:
        try:
            return Node.constant(self.literal(node))
        except ProgramError as error:
            self._require_straight(node)
            self._noted("no value", node, error)
            return NONE

    def _try(self, statement: ast.Try) -> None:
        match statement:
            case ast.Try(
                [ast.Assign([ast.Name(name)], ast.Call(ast.Name(callee))) as line],
                [ast.ExceptHandler(caught, _, [rescue])],
                [],
                [],
            ) if caught_by_name(caught):
                self._guard([line])
            case _:
                self._odd("try", statement, f"a guarded line is {LINES['guarded']}", _IS_READ)
                self._guard([*statement.body, *statement.orelse, *statement.finalbody])
                return
        match rescue:
            case ast.Assign(
                [ast.Name(again)], ast.Call(ast.Name("_get_safe_default"), [ast.Name(head), *_], [])
            ) if (again, head) == (name, callee):
                return
        reason = f"this must be `{name} = _get_safe_default({callee})`, as in the line above"
        self._odd("rescue", rescue, reason, "it is read as if it were")

    def _guard(self, statements: Iterable[ast.stmt]) -> None:
        before, self._guarded = self._guarded, True
        for statement in statements:
            if not isinstance(statement, ast.Return):
                self._statement(statement)
        self._guarded = before

    def _piled_line(self, statement: ast.stmt, name: str, call: ast.Call) -> None:
        """`tN = env.do_pile(N, [callee, argument, ...], tM.ok and ...)`."""
        number, pile, ok = self._pile_arguments(name, call)
        if number is not None and name != f"t{number_in(number)}":
            self._odd("number", number, f"the number must be that of {quoted(name)}", _IS_READ)
        if pile is None:
            self._bind(statement, name, self._add(name, NONE, ()))
            return
        self._piled = True
        callee, *arguments = pile.elts
        node, args = self._applied(callee, pile, arguments)
        self._piled = False
        condition = self._condition(ok)
        if condition is _NEVER or any(self.lines[position].node is NONE for position in condition):
            self._bind(statement, name, self._add(name, NONE, ()))
            if self.strict:
                raise self.refuse(ok or call, "this must be `tN.ok` of an earlier line")
            return
        used = dict.fromkeys(arg for arg in args if isinstance(arg, int))
        own = None
        if condition != used.keys():
            own = tuple(sorted(condition))
            wanted = " and ".join(f"t{self.lines[position].number}.ok" for position in used) or "True"
            reason = f"the condition must be `{wanted}`, since the line uses just that"
            self._odd("condition", ok or call, reason, "it is read as it stands")
        self._bind(statement, name, self._add(name, node, args, own))

    def _pile_arguments(
        self, name: str, call: ast.Call
    ) -> tuple[ast.expr | None, ast.List | ast.Tuple | None, ast.expr | None]:
        """The number, the pile and the condition of a piled line; no pile: it cannot run."""
        match call:
            case ast.Call(_, [ast.Constant(int()) as number, ast.List([_, *_]) as pile, ok], []):
                return number, pile, ok
        self._odd("pile", call, f"a piled line is {LINES['pile']}", _IS_READ)
        self._require_straight(call)
        given: dict[str, ast.expr] = dict(zip(("t_num", "pile", "isok"), call.args))
        given |= {str(keyword.arg): keyword.value for keyword in call.keywords}
        match given.get("pile"):
            case ast.List([_, *_]) | ast.Tuple([_, *_]) as found:
                return given.get("t_num"), found, given.get("isok")
        return given.get("t_num"), None, None

    def _condition(self, condition: ast.expr | None) -> frozenset[int] | None:
        """The positions of the lines that must be ok; `_NEVER` where one cannot be."""
        match condition:
            case None | ast.Constant(True):
                return frozenset()
            case ast.BoolOp(ast.And(), parts):
                found = [self._condition(part) for part in parts]
                return None if None in found else frozenset().union(*(part for part in found if part))
            case ast.Attribute(ast.Name(name), "ok") if name in self.positions:
                return frozenset((self.positions[name],))
        if self.strict:
            raise self.refuse(condition, "this must be `tN.ok` of an earlier line")
        match condition:
            case ast.Constant(value):
                return frozenset() if value else _NEVER
            case ast.Attribute(ast.Name(name) as of, "ok"):
                return _NEVER if self._named(of) is NONE else frozenset()
        self._require_straight(condition)
        reason = f"a condition is {describe(condition)}; it must be `tN.ok` of earlier lines"
        self._odd("another condition", condition, reason, "the line runs if the lines named there are ok")
        named = {part.id for part in ast.walk(condition) if isinstance(part, ast.Name)}
        return frozenset(self.positions[name] for name in named if name in self.positions)

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
                self._odd("several names", statement, reason, _IS_READ)
                for target, each in zip(targets, values):
                    self._statement(ast.copy_location(ast.Assign([target], each), statement))
            case _:
                self._odd("unpacked", statement, reason, _LINE_FAILS)
                for target in targets:
                    self._bind_all(target, None)

    def _outputs(self, statement: ast.stmt, into: str, method: str, arguments: list[ast.expr]) -> None:
        """`o.append(...)`, or several at once with `o.extend([...])`."""
        match method, arguments:
            case "append", _:
                self._output(statement, into, arguments)
            case "extend", [ast.List(elements) | ast.Tuple(elements)] if not self.strict:
                form = SOLVER_OUTPUT if into == "o" else DIFFER_OUTPUT
                self._odd("output", statement, f"an output is {form}", _IS_READ)
                self._output_all(statement, into, elements)
            case _:
                self._require_straight(statement)
                reason = f"{describe(statement)} is no part of a batt; {_A_LINE}"
                self._odd("Expr", statement, reason, _IS_SKIPPED)

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
        """The position of the line that an output gives."""
        value, number = entry.value, entry.number
        if isinstance(value, ast.Name) and value.id in self.positions:
            if value.id != f"t{number}":
                reason = f"the number must be that of {quoted(value.id)}"
                self._odd("output number", entry.said or statement, reason, _IS_READ)
            return self.positions[value.id]
        reason = "the value of an output must be the variable of a line above"
        self._odd("output value", value or statement, reason, "it is None if it is unknown")
        source: Source = NONE if value is None else self._source(value)
        if isinstance(source, int):
            return source
        name = None if number is None or number < 0 else f"t{number}"
        if source is NONE:
            return self._add(name, NONE, ())
        return self._add(name, Node.op("identity", source), (source,))
