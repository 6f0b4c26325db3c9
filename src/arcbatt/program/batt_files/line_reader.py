"""Reading the lines of a batt: the meaning of a call, a piled line and its condition, and of names."""

import ast
import re
from collections import Counter
from collections.abc import Callable, Sequence

from arcbatt.dsl.constants import CONSTANTS
from arcbatt.dsl.table import ALIASES, find
from arcbatt.errors import ProgramError
from arcbatt.program.batt_files.output import number_in
from arcbatt.program.graph import NONE, BattLine, Node, Style
from arcbatt.program.oddities import Oddities
from arcbatt.program.syntax import NO_STRAIGHT_LINES, FunctionReader, Hints, describe, quoted

_VARIABLE = re.compile(r"t(0|[1-9][0-9]{0,17})")
A_LINE = "a line `tN = op(...)`"
LINES: dict[Style, str] = {
    "pile": "`tN = env.do_pile(N, [op, ...], tM.ok and ...)`",
    "guarded": "`try: tN = op(...)` with `except ...: tN = _get_safe_default(op)`",
    "vectorized": "`tN = op(...)`",
    "gpu-direct": "`tN = op(...)`, inside the one `try`",
    "batch": "`tN = ops.batch('op', ...)`",
}
AN_ENVIRONMENT = "`env = Env(<number>, task_id, S, log_path)`"
UNNUMBERED = -1

# The effects of oddities.
LINE_FAILS = "what uses it fails with TYPE"
IS_READ = "it is read all the same"
IS_SKIPPED = "it is skipped"

# Oddities of functions whose ops never raise that Python and the engine take alike: a call that fails, a
# condition as it stands, and guards and handlers, which never run.
ALIKE = {"arguments", "condition", "handler", "rescue", "try"}
NAMES_ALIKE = {"constant called", "unknown name", "unknown op"}  # alike if the name is bound to a stand-in

_NEVER = None  # the condition of a line that never runs

Source = int | Node


def _uses(name: str, expression: ast.expr) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(expression))


class LineReader(FunctionReader):
    """Reads lines into `lines`; names refer to lines, by their `positions`, or to nodes in `variables`."""

    def __init__(self, function: ast.FunctionDef, file: str, strict: bool, hints: Hints | None) -> None:
        super().__init__(function, file, hints)
        self.strict = strict
        self.odd = Oddities(file, strict=False)  # what is refused is never noted
        self.positions: dict[str, int] = {}
        self.lines: list[BattLine] = []
        self.places: list[int] = []  # the line number of each of them in the file
        self._place = function.lineno  # the line number of the current statement
        self.styles: Counter[Style] = Counter()
        self.made: set[str] = set()  # which of o, s and env exist
        self.reads_lambdas = False
        self.takes_environments = False  # whether an environment may take its arguments by position or name
        # For a function whose ops never raise: whether a name is bound to what gives a default when called.
        self.is_stand_in: Callable[[str], bool] | None = None
        # By position of a line, the names that stand for nothing there, as its log tells them.
        self.unknown: dict[int, tuple[str, ...]] = {}
        self._met: list[str] = []  # such names since the last line
        self._piled = False  # whether the current expression is inside a pile

    def _odd(self, kind: str, node: ast.AST, reason: str | Callable[[], str], effect: str) -> None:
        """Note an oddity, or refuse it."""
        if self._refuses(kind, node):
            raise self.refuse(node, reason if isinstance(reason, str) else reason())
        self.odd.add(kind, node, reason, effect)

    def _noted(self, kind: str, node: ast.AST, error: ProgramError) -> None:
        """Note a refusal as an oddity, or refuse."""
        if self._refuses(kind, node):
            raise error
        if kind not in ("arguments", "constant called"):
            self._met.append(node.id if isinstance(node, ast.Name) else NONE.head)
        self.odd.add(kind, node, error.reason.removeprefix(f"{self.function.name}: "), LINE_FAILS)

    def _refuses(self, kind: str, node: ast.AST) -> bool:
        if not self.strict or self.is_stand_in is None:
            return self.strict
        if kind in NAMES_ALIKE:
            return not (isinstance(node, ast.Name) and self.is_stand_in(node.id))
        is_none = isinstance(node, ast.Constant) and node.value is None
        return kind not in ALIKE and not (kind == "no value" and is_none)

    @property
    def _takes_lost(self) -> bool:
        """Whether a line may name another that is lost."""
        return not self.strict or self.is_stand_in is not None

    def _bind_all(self, target: ast.expr, name: str | None) -> None:
        """Bind the names of a target to what another name means, or to nothing."""
        source: Source = NONE if name is None else self.positions.get(name, self.variables.get(name, NONE))
        for part in ast.walk(target):
            if isinstance(part, ast.Name):
                self._bind(target, part.id, source if isinstance(target, ast.Name) else NONE)

    def _require_straight(self, node: ast.AST) -> None:
        """Refuse loops, lambdas, comprehensions and conditions, except inside inner functions."""
        pending = [node]
        while pending:
            part = pending.pop()
            if isinstance(part, NO_STRAIGHT_LINES):
                raise self.refuse(part, f"expected {A_LINE}, got {describe(part)}")
            if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                pending.extend(ast.iter_child_nodes(part))

    def _require(self, node: ast.AST, name: str, form: str) -> None:
        if name not in self.made:
            self.made.add(name)
            self._odd(f"no {name}", node, f"{name!r} is not defined yet; {form} comes before", IS_READ)

    def _take_style(self, statement: ast.stmt, style: Style) -> None:
        """Note the style of a line; mixed styles are odd."""
        never_raises = self.is_stand_in is not None
        is_alike = never_raises and {style, *self.styles} <= {"guarded", "vectorized", "gpu-direct"}
        if self.styles and style not in self.styles and not is_alike:
            first = next(iter(self.styles))
            reason = f"the lines above are of style {first}; a line is then {LINES[first]}"
            self._odd("styles", statement, reason, "each line is read by its own style")
        self.styles[style] += 1

    def _bind(self, statement: ast.AST, name: str, source: Source) -> None:
        """Bind a name to a line, given by its position, or to a node."""
        if _VARIABLE.fullmatch(name) is None:
            reason = f"expected a variable t1, t2, ..., got {quoted(name)}"
            self._odd("variable", statement, reason, IS_READ)
        elif name in self.positions or name in self.variables:
            reason = f"{name!r} is assigned twice; assign each name once"
            self._odd("twice", statement, reason, "the later one counts from there on")
        self.positions.pop(name, None)
        if isinstance(source, int):
            self.positions[name] = source
        else:
            self.variables[name] = source

    def _add(
        self, name: str | None, node: Node, args: tuple[Source, ...], condition: tuple[int, ...] | None = None
    ) -> int:
        found = _VARIABLE.fullmatch(name or "")
        if self._met:
            self.unknown[len(self.lines)], self._met = tuple(self._met), []
        self.lines.append(BattLine(int(found[1]) if found else UNNUMBERED, node, args, condition))
        self.places.append(self._place)
        return len(self.lines) - 1

    def _node(self, source: Source) -> Node:
        return self.lines[source].node if isinstance(source, int) else source

    def _line(self, name: str | None, call: ast.Call) -> int:
        node, args = self._applied(call.func, call)
        return self._add(name, node, args)

    def _applied(
        self, callee: ast.expr, call: ast.AST, arguments: Sequence[ast.expr] = ()
    ) -> tuple[Node, tuple[Source, ...]]:
        """The node of a callee with the arguments of the call, and its sources."""
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
            self._noted("keywords" if op is None else "arguments", call, error)
            # With keywords that do not fit, the number of arguments may still be right.
            given, misfit = [*given, *keywords], (NONE,) if keywords else ()
        args: tuple[Source, ...] = (*map(self._source, given), *misfit)
        if op is None:
            of_arguments, self._met = self._met, []
            args = (self._callee(callee), *args)
            self._met += of_arguments
        elif not args:
            args = (Node.function(op),)  # a call of it without arguments, so that a condition has a place
            op = None
        nodes = tuple(map(self._node, args))
        return (Node("call", None, nodes) if op is None else Node("op", op, nodes)), args

    def _op(self, callee: ast.expr) -> str | None:
        """The op that a callee names; None if it is not an op."""
        if not isinstance(callee, ast.Name):
            if self.strict and not (self._piled and isinstance(callee, ast.Attribute)):
                self.op_called(callee)
            return None
        if callee.id in self.positions or callee.id in self.variables or find(callee.id) is None:
            return None
        return ALIASES.get(callee.id, callee.id)

    def _callee(self, callee: ast.expr) -> Source:
        """The source of a callee that is not an op."""
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
        """The source of an argument: an earlier line by its position, or a node that needs no line."""
        match node:
            case ast.Name(name):
                if name in self.positions and self._piled:
                    reason = f"{name!r} is an OKT here; its value is `{name}.t`"
                    self._odd("no .t", node, reason, "its value is taken")
                return self.positions[name] if name in self.positions else self._named(node)
            case ast.Attribute(ast.Name(name) as of, "t") if self._piled or not self.strict:
                if name in self.positions:
                    return self.positions[name]
                lost = self._named(of) if self._takes_lost else None
                if lost is None or (self.strict and lost is not NONE):
                    raise self.refuse(node, "this must be `tN.t` of an earlier line")
                self._met[-1:] = [NONE.head] if lost is NONE else self._met[-1:]
                return lost
            case ast.Attribute() if self._piled and self.strict:
                raise self.refuse(node, "this must be `tN.t` of an earlier line")
            case ast.Call():
                reason = f"{describe(node)} inside a line; give it a separate line"
                self._odd("nested call", node, reason, "it is read as a separate line")
                if isinstance(node.func, ast.Attribute) and node.func.attr == "do_pile":
                    return self._pile(None, node)
                return self._line(None, node)
            case ast.Lambda() if self.reads_lambdas:
                return self._function(node)
        return self._literal(node)

    def _function(self, node: ast.Lambda) -> Source:
        """A lambda of one expression as a function value, made by unnamed lines.

        The expression is a composition of ops and functions that contains the parameter; parts that do not
        depend on the parameter are bound.
        """
        match node.args:
            case ast.arguments([], [ast.arg(parameter)], None, [], [], None, []):
                return self._function_of(parameter, node.body)
        raise self.refuse(node, "expected a lambda with one parameter, got another")

    def _function_of(self, parameter: str, body: ast.expr) -> Source:
        """The function that maps its parameter to an expression."""
        match body:
            case ast.Name(name) if name == parameter:
                return Node.function("identity")
            case ast.Call(callee, [_, *_] as given, []) if _uses(parameter, body):
                arguments = list(given)
            case _:
                raise self.refuse(
                    body,
                    f"{describe(body)} as the result of a lambda; it must be a call that uses {parameter!r}",
                )
        if _uses(parameter, callee):
            raise self.refuse(body, "a lambda cannot call its parameter; call an op")
        op = self._op(callee)
        function = self._callee(callee) if op is None else Node.function(op)
        if op is not None:
            self.counted(body, op, arguments)
        while not _uses(parameter, arguments[0]):
            function = self._made("lbind", function, self._fixed(arguments.pop(0)))
        while not _uses(parameter, arguments[-1]):
            function = self._made("rbind", function, self._fixed(arguments.pop()))
        match arguments:
            case [ast.Name()]:
                return function
            case [inner]:
                return self._made("compose", function, self._function_of(parameter, inner))
            case [one, other] if _uses(parameter, one) and _uses(parameter, other):
                parts = (self._function_of(parameter, one), self._function_of(parameter, other))
                return self._made("fork", function, *parts)
        raise self.refuse(
            body, f"{parameter!r} stands in more than two arguments of a call, or around another"
        )

    def _fixed(self, node: ast.expr) -> Source:
        """An argument that does not depend on the parameter; a call becomes an unnamed line."""
        return self._line(None, node) if isinstance(node, ast.Call) else self._source(node)

    def _made(self, op: str, *sources: Source) -> int:
        return self._add(None, Node.op(op, *map(self._node, sources)), sources)

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

    def _pile(self, name: str | None, call: ast.Call) -> int:
        """The line of `tN = env.do_pile(N, [callee, argument, ...], tM.ok and ...)`, by its position."""
        number, pile, ok = self._pile_arguments(call)
        if number is not None and name is not None and name != f"t{number_in(number)}":
            self._odd("number", number, f"the number must be that of {quoted(name)}", IS_READ)
        if pile is None:
            return self._add(name, NONE, ())
        outer, self._piled = self._piled, True
        callee, *arguments = pile.elts
        node, args = self._applied(callee, pile, arguments)
        self._piled = outer
        condition = self._condition(ok)
        if condition is _NEVER or any(self.lines[position].node is NONE for position in condition):
            if not self._takes_lost:
                raise self.refuse(ok or call, "this must be `tN.ok` of an earlier line")
            return self._add(name, NONE, ())
        used = dict.fromkeys(arg for arg in args if isinstance(arg, int))
        own = None
        if condition != used.keys():
            own = tuple(sorted(condition))
            named = [position for position in used if self.lines[position].number != UNNUMBERED]
            if condition != set(named):  # calls inside the line have no name that a condition could use
                wanted = " and ".join(f"t{self.lines[position].number}.ok" for position in named) or "True"
                reason = f"the condition must be `{wanted}`, since the line uses just that"
                self._odd("condition", ok or call, reason, "it is read as written")
        return self._add(name, node, args, own)

    def _pile_arguments(
        self, call: ast.Call
    ) -> tuple[ast.expr | None, ast.List | ast.Tuple | None, ast.expr | None]:
        """The number, the pile and the condition of a piled line; without a pile it cannot run."""
        match call:
            case ast.Call(_, [ast.Constant(int()) as number, ast.List([_, *_]) as pile, ok], []):
                return number, pile, ok
        self._require_straight(call)
        given: dict[str, ast.expr] = dict(zip(("t_num", "pile", "isok"), call.args))
        given |= {str(keyword.arg): keyword.value for keyword in call.keywords}
        reason = f"a piled line is {LINES['pile']}"
        match given.get("pile"):
            case ast.List([_, *_]) | ast.Tuple([_, *_]) as found:
                self._odd("pile", call, reason, IS_READ)
                return given.get("t_num"), found, given.get("isok")
        self._odd("no pile", call, reason, LINE_FAILS)
        return given.get("t_num"), None, None

    def _condition(self, condition: ast.expr | None) -> frozenset[int] | None:
        """The positions of the lines that must be ok; `_NEVER` if one of them cannot be."""
        match condition:
            case None | ast.Constant(True):
                return frozenset()
            case ast.BoolOp(ast.And(), parts):
                found = [self._condition(part) for part in parts]
                return None if None in found else frozenset().union(*(part for part in found if part))
            case ast.Attribute(ast.Name(name), "ok") if name in self.positions:
                return frozenset((self.positions[name],))
        match condition:
            case ast.Constant(value) if self._takes_lost:
                return frozenset() if value else _NEVER
            case ast.Attribute(ast.Name(name) as of, "ok") if self._takes_lost:
                if self._named(of) is NONE:
                    return _NEVER
                if not self.strict:
                    return frozenset()
        if self.strict:
            raise self.refuse(condition, "this must be `tN.ok` of an earlier line")
        self._require_straight(condition)
        reason = f"a condition is {describe(condition)}; it must be `tN.ok` of earlier lines"
        self._odd("another condition", condition, reason, "the line runs if the lines named there are ok")
        named = {part.id for part in ast.walk(condition) if isinstance(part, ast.Name)}
        return frozenset(self.positions[name] for name in named if name in self.positions)
