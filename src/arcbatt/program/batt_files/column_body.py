"""Reading the body of `batt_batch`: lines `tN = ops.batch('op', ...)`, in which variables are columns."""

import ast
from typing import Any

from arcbatt.dsl.table import find
from arcbatt.program.batt_files.body import BATCH, BATCH_PARAMETERS, BodyReader
from arcbatt.program.batt_files.line_reader import IS_READ
from arcbatt.program.graph import Node

INPUTS_BY_COLUMN = {"Ss": "S", "Is": "I", "Cs": "C", "S": "S", "I": "I", "C": "C"}
# Methods of `GPUDSLOperations` whose names differ from the op that they run.
OPS_OF_METHODS = {"flip": "rot180", "transpose": "dmirror"}
MAKES_COLUMNS = "S, I, C, n = columns_of(Ss, Is, Cs)"
MAKES_OPS = "ops = GPUDSLOperations(on_failure='default')"
ENDS_BATCH = "return rows_of(o, s, n)"


class ColumnReader(BodyReader):
    """Reads the body of a function on columns; each line means what the op means on a row."""

    def _inputs(self) -> dict[str, Node]:
        if self.strict and tuple(self.parameters()) != BATCH_PARAMETERS:
            reason = f"parameters must be ({', '.join(BATCH_PARAMETERS)})"
            self._odd("parameters", self.function, reason, IS_READ)
        return {name: Node.input(meant) for name, meant in INPUTS_BY_COLUMN.items()}

    def _odd_return(self, last: ast.stmt) -> bool:
        return not is_written(last, ENDS_BATCH)

    def _is_prelude(self, statement: ast.stmt) -> bool:
        """Whether a statement makes the columns or the ops; notes one that does it in an unusual way."""
        match statement:
            case ast.Assign([ast.Tuple([ast.Name("S"), *_]) | ast.Name("n" | "S" | "I" | "C")]):
                form = MAKES_COLUMNS
            case ast.Assign([ast.Name()], ast.Call(ast.Name("GPUDSLOperations"))):
                form = MAKES_OPS
            case _:
                return False
        if not is_written(statement, form):
            self._require_straight(statement)
            self._odd("columns", statement, f"a batch begins with `{form}`", IS_READ)
        return True

    def _statement(self, statement: ast.stmt) -> None:
        if not self._is_prelude(statement):
            super()._statement(statement)

    def _assigned(self, statement: ast.stmt, name: str, value: ast.expr) -> None:
        call = _call_of_a_row(value)
        if call is None:
            super()._assigned(statement, name, _of_a_row(value))
        else:
            self._take_style(statement, "batch")
            self._bind(statement, name, self._line(name, call))


def is_written(statement: ast.stmt, text: str) -> bool:
    """Whether a statement equals the one in some text."""
    return ast.dump(statement) == ast.dump(ast.parse(text).body[0])


def _of_a_row(argument: ast.expr) -> ast.expr:
    """The argument of each row: x for `[x] * n`, which repeats it as a column."""
    match argument:
        case ast.BinOp(ast.List([one]), ast.Mult(), ast.Name() | ast.Call(ast.Name("len"))):
            return one
    return argument


def _call_of_a_row(value: ast.expr) -> ast.Call | None:
    """What a call of a method on columns does with each row; None for any other expression."""
    callee: Any
    match value:
        case ast.Call(ast.Attribute(ast.Name(), "batch"), [ast.Constant(str(op)), *arguments], []):
            callee = ast.Name(op)
        case ast.Call(ast.Attribute(ast.Name(), "batch_call" | "batch"), [function, *arguments], []):
            callee = _of_a_row(function)
        case ast.Call(ast.Attribute(ast.Name(), method), arguments, []) if method.startswith("batch_"):
            name = method.removeprefix("batch_")
            name = OPS_OF_METHODS.get(name, name)
            if find(name) is None:
                return None
            callee = ast.Name(name)
        case _:
            return None
    row = ast.Call(callee, [_of_a_row(argument) for argument in arguments], [])
    return ast.fix_missing_locations(ast.copy_location(row, value))


def is_one_sample_of(function: ast.FunctionDef) -> bool:
    """Whether a function returns the result of `batt_batch` for one sample."""
    match function.body[-1]:
        case ast.Return(ast.Subscript(ast.Call(ast.Name(name)), ast.Constant(0))):
            return name == BATCH
    return False
