"""Reading the body of a batt function: lines `tN = ...` in one of three styles, and outputs."""

import ast
import re
from typing import NamedTuple

from arcbatt.dsl.constants import INPUTS
from arcbatt.program.graph import Line, Listing, Node, Program, Style
from arcbatt.program.syntax import FunctionReader, describe, is_text

PARAMETERS = ("task_id", "S", "I", "C", "log_path")

_VARIABLE = re.compile(r"t(0|[1-9][0-9]*)")
_A_LINE = "a line is `tN = op(...)`"
LINES: dict[Style, str] = {
    "pile": "`tN = env.do_pile(N, [op, ...], tM.ok and ...)`",
    "guarded": "`try: tN = op(...)` with `except ...: tN = _get_safe_default(op)`",
    "vectorized": "`tN = op(...)`",
}
_AN_ENVIRONMENT = "`env = Env(<number>, task_id, S, log_path)`"
_SOLVER_OUTPUT = "`o.append((N, True or False, 'solver id', tN))`"
_DIFFER_OUTPUT = "`s.append((N, 'None' or 'solver id', 'differ id', tN))`"


class BattReader(FunctionReader):
    """Reads a function with the parameters of a batt."""

    def __init__(self, function: ast.FunctionDef, file: str) -> None:
        super().__init__(function, file)
        found = self.parameters()
        if tuple(found) != PARAMETERS:
            raise self.refuse(
                function, f"parameters are ({', '.join(found)}); they must be ({', '.join(PARAMETERS)})"
            )


def caught_by_name(caught: ast.expr | None) -> bool:
    """Whether an except clause is bare or names exceptions."""
    classes = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return all(part is None or isinstance(part, ast.Name | ast.Attribute) for part in classes)


class Output(NamedTuple):
    """An output of a batt: where it stands, the number and position of its line, and its program."""

    statement: ast.stmt
    number: int
    position: int
    program: Program


class BodyReader(BattReader):
    """Reads the body of one function: lines `tN = ...` in one of three styles, and outputs."""

    def __init__(self, function: ast.FunctionDef, file: str) -> None:
        super().__init__(function, file)
        self.variables = {name: Node.input(name) for name in INPUTS}
        self.positions: dict[str, int] = {}  # of the lines, by their variables
        self.lines: list[Line] = []
        self.outputs: list[Output] = []
        self.style: Style | None = None
        self.made: set[str] = set()

    def read(self) -> None:
        """Read all statements."""
        for statement in self.function.body[:-1]:
            self._statement(statement)
        match self.function.body[-1]:
            case ast.Return(ast.Tuple([ast.Name("o"), ast.Name("s")])) as last:
                self._require(last, "o", "`o = []`")
                self._require(last, "s", "`s = []`")
            case last:
                raise self.refuse(last, "the last line must be `return o, s`")
        if not self.outputs:
            raise self.refuse(self.function, f"there is no output; one is {_SOLVER_OUTPUT}")

    def listing(self) -> Listing:
        """The lines as they stand in the file."""
        return Listing(tuple(self.lines), tuple(output.position for output in self.outputs))

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Try():
                self._guarded_line(statement)
            case ast.Assign([ast.Name("o" | "s" | "env" as name)], value):
                self._beginning(statement, name, value)
            case ast.Assign([ast.Name(name)], ast.Call(ast.Attribute(ast.Name("env"), "do_pile")) as call):
                self._piled_line(statement, name, call)
            case ast.Assign([ast.Name(name)], ast.Call() as call):
                self._take_style(statement, "vectorized")
                self._line(statement, name, call)
            case ast.Assign([ast.Tuple(targets)], value):
                self._samples_at_once(statement, targets, value)
            case ast.Expr(ast.Call(ast.Attribute(ast.Name("o" | "s" as into), "append"), arguments, [])):
                self._output(statement, into, arguments)
            case ast.Assign():
                raise self.refuse(statement, f"{describe(statement.value)} is given to a name; {_A_LINE}")
            case ast.Return():
                raise self.refuse(statement, "return before the last line; lines after it would never run")
            case _ if not is_text(statement):
                raise self.refuse(statement, f"{describe(statement)} is no part of a batt; {_A_LINE}")

    def _require(self, node: ast.AST, name: str, form: str) -> None:
        if name not in self.made:
            raise self.refuse(node, f"{name!r} is not there yet; {form} comes before")

    def _beginning(self, statement: ast.stmt, name: str, value: ast.expr) -> None:
        """`o = []`, `s = []` or `env = Env(<number>, task_id, S, log_path)`."""
        if name in self.made:
            raise self.refuse(statement, f"{name!r} is made twice")
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
        form = _AN_ENVIRONMENT if name == "env" else f"`{name} = []`"
        raise self.refuse(statement, f"{name!r} is made in another way; it is {form}")

    def _take_style(self, statement: ast.stmt, style: Style) -> None:
        """All lines are of one style."""
        if self.style not in (None, style):
            raise self.refuse(
                statement, f"the lines above are of style {self.style}; a line is then {LINES[self.style]}"
            )
        self.style = style

    def _add(self, statement: ast.stmt, name: str, node: Node, args: tuple[int | Node, ...]) -> None:
        """A line for a new variable."""
        found = _VARIABLE.fullmatch(name)
        if found is None:
            raise self.refuse(statement, f"{name!r} is no variable of a batt; they are t1, t2, ...")
        if name in self.positions:
            raise self.refuse(statement, f"{name!r} is given a value twice; each name is assigned once")
        self.positions[name] = len(self.lines)
        self.lines.append(Line(int(found[1]), node, args))

    def _add_op(self, statement: ast.stmt, name: str, op: str, arguments: list[ast.expr]) -> None:
        args = tuple(map(self._source, arguments))
        self._add(statement, name, Node("op", op, tuple(map(self._node, args))), args)

    def _add_call(self, statement: ast.stmt, name: str, parts: list[ast.expr]) -> None:
        args = tuple(map(self._source, parts))
        self._add(statement, name, Node("call", None, tuple(map(self._node, args))), args)

    def _node(self, source: int | Node) -> Node:
        return self.lines[source].node if isinstance(source, int) else source

    def _source(self, node: ast.expr) -> int | Node:
        """Where an argument comes from: an earlier line by its position, or a node that needs no line."""
        if isinstance(node, ast.Name):
            position = self.positions.get(node.id)
            if position is None:
                return self.name(node)
            if self.style == "pile":
                raise self.refuse(node, f"{node.id!r} is an OKT here; its value is `{node.id}.t`")
            return position
        if isinstance(node, ast.Attribute) and self.style == "pile":
            return self._position(node, "t")
        if isinstance(node, ast.Call):
            raise self.refuse(node, f"{describe(node)} inside a line; give it a line of its own")
        return Node.constant(self.literal(node))

    def _position(self, node: ast.expr, attribute: str) -> int:
        """The position of the line that `tN.t` or `tN.ok` refers to."""
        match node:
            case ast.Attribute(ast.Name(name), found) if found == attribute and name in self.positions:
                return self.positions[name]
        raise self.refuse(node, f"this must be `tN.{attribute}` of an earlier line")

    def _is_variable(self, callee: ast.expr) -> bool:
        return isinstance(callee, ast.Name) and (callee.id in self.positions or callee.id in self.variables)

    def _line(self, statement: ast.stmt, name: str, call: ast.Call) -> None:
        """`tN = callee(argument, ...)`."""
        if self._is_variable(call.func):
            self._add_call(statement, name, [call.func, *self.positional(call)])
        else:
            op = self.op_called(call.func)
            self._add_op(statement, name, op, self.arguments(call, op))

    def _guarded_line(self, statement: ast.Try) -> None:
        match statement:
            case ast.Try(
                [ast.Assign([ast.Name(name)], ast.Call(ast.Name(callee)) as call)],
                [ast.ExceptHandler(caught, _, [rescue])],
                [],
                [],
            ) if caught_by_name(caught):
                self._take_style(statement, "guarded")
                self._line(statement.body[0], name, call)
            case _:
                raise self.refuse(statement, f"a guarded line is {LINES['guarded']}")
        match rescue:
            case ast.Assign(
                [ast.Name(again)], ast.Call(ast.Name("_get_safe_default"), [ast.Name(head)], [])
            ) if (again, head) == (name, callee):
                return
        raise self.refuse(
            rescue, f"this must be `{name} = _get_safe_default({callee})`, as in the line above"
        )

    def _piled_line(self, statement: ast.stmt, name: str, call: ast.Call) -> None:
        """`tN = env.do_pile(N, [callee, argument, ...], tM.ok and ...)`."""
        self._take_style(statement, "pile")
        self._require(statement, "env", _AN_ENVIRONMENT)
        match call:
            case ast.Call(
                _, [ast.Constant(int(number)) as said, ast.List([callee, *arguments]) as pile, ok], []
            ):
                if name != f"t{number}":
                    raise self.refuse(said, f"the number must be that of {name!r}")
            case _:
                raise self.refuse(call, f"a piled line is {LINES['pile']}")
        if isinstance(callee, ast.Attribute) or self._is_variable(callee):
            self._add_call(statement, name, pile.elts)
        else:
            op = self.op_called(callee)
            self._add_op(statement, name, op, self.counted(pile, op, arguments))
        self._check_condition(ok)

    def _check_condition(self, condition: ast.expr) -> None:
        """The line read last runs if all the lines it uses are ok."""
        match condition:
            case ast.Constant(True):
                parts = []
            case ast.BoolOp(ast.And(), parts):
                pass
            case _:
                parts = [condition]
        used = dict.fromkeys(arg for arg in self.lines[-1].args if isinstance(arg, int))
        if {self._position(part, "ok") for part in parts} != used.keys():
            wanted = " and ".join(f"t{self.lines[position].number}.ok" for position in used) or "True"
            raise self.refuse(condition, f"the condition must be `{wanted}`, since the line uses just that")

    def _samples_at_once(self, statement: ast.stmt, targets: list[ast.expr], value: ast.expr) -> None:
        """`t1, t2, t3, t4 = batch_process_samples_gpu(S)`: inputs, outputs, and the colours of each."""
        match targets, value:
            case [ast.Name(a), ast.Name(b), ast.Name(c), ast.Name(d)], ast.Call(
                ast.Name("batch_process_samples_gpu"), [ast.Name("S")], []
            ) if self.style != "pile":
                self.style = self.style or "vectorized"
                samples, colors = Node.input("S"), Node.function("p_g")
                for name, part in ((a, "first"), (b, "second")):
                    node = Node.op("apply", Node.function(part), samples)
                    self._add(statement, name, node, node.args)
                for name, of in ((c, a), (d, b)):
                    position = self.positions[of]
                    node = Node.op("mapply", colors, self.lines[position].node)
                    self._add(statement, name, node, (colors, position))
            case _:
                raise self.refuse(
                    statement, "several names; only `t1, t2, t3, t4 = batch_process_samples_gpu(S)` has them"
                )

    def _output(self, statement: ast.stmt, into: str, arguments: list[ast.expr]) -> None:
        """`o.append((N, evo, solver id, tN))` or `s.append((N, scored, differ id, tN))`."""
        match arguments:
            case [
                ast.Tuple(
                    [
                        ast.Constant(int(number)) as said,
                        ast.Constant(bool(evo)),
                        ast.Constant(str(name)),
                        value,
                    ]
                )
            ] if into == "o":
                root, position = self._output_line(said, number, value)
                inputs = ("I",) if root.needs <= {"I"} else INPUTS
                program = Program(name, "solver", inputs, root, evo, line=statement.lineno, entry_id=name)
            case [
                ast.Tuple(
                    [
                        ast.Constant(int(number)) as said,
                        ast.Constant(str(scored)),
                        ast.Constant(str(name)),
                        value,
                    ]
                )
            ] if into == "s":
                root, position = self._output_line(said, number, value)
                title = f"{name}({scored})"
                program = Program(
                    title, "differ", INPUTS, root, scored=scored, line=statement.lineno, entry_id=name
                )
            case _:
                raise self.refuse(
                    statement, f"an output is {_SOLVER_OUTPUT if into == 'o' else _DIFFER_OUTPUT}"
                )
        self._require(statement, into, f"`{into} = []`")
        self.outputs.append(Output(statement, number, position, program))

    def _output_line(self, said: ast.expr, number: int, value: ast.expr) -> tuple[Node, int]:
        """The node and the position of the line that an output gives."""
        if not isinstance(value, ast.Name) or value.id not in self.positions:
            raise self.refuse(value, "the value of an output must be the variable of a line above")
        if value.id != f"t{number}":
            raise self.refuse(said, f"the number must be that of {value.id!r}")
        position = self.positions[value.id]
        return self.lines[position].node, position
