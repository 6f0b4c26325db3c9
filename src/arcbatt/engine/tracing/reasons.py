"""Reasons of failures in words: what was wrong with which argument, and what would be right."""

from collections.abc import Callable
from typing import Any

from arcbatt.dsl.contract import HIGHEST, LOWEST
from arcbatt.dsl.failures import MEANINGS, Kind, OpFailed
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.machine import room_for
from arcbatt.dsl.ops.grids import colors
from arcbatt.dsl.table import FUNCTION_CALL, TABLE, Op, Param
from arcbatt.dsl.types import (
    CONDITION,
    GATHERER,
    has_no_cells,
    has_zero,
    is_container,
    is_filled_grid,
    is_grid,
)
from arcbatt.dsl.values import Function, Value, in_range, text
from arcbatt.engine.tracing.recording_machine import Application, Cause
from arcbatt.engine.tracing.words import LONGEST_VALUE, described, kind_in_words, taken
from arcbatt.program.graph import NONE, Node
from arcbatt.program.merge import WITHHELD
from arcbatt.text import plural

BOUNDS = f"{LOWEST:,} to {HIGHEST:,}"
OF_A_ROW = "size gives the number of elements of a row"
OF_A_GRID = "asobject makes an Object of a Grid, asindices gives its locations"
CELLS = ("Patch", "PatchT", "PatchC", "Object", "ObjectT", "Indices", "IndicesT")


def reason_of(cause: Cause, limits: Limits) -> str:
    """Why an application failed, as a sentence without its end."""
    failed = cause.path[-1]
    if cause.fault is not None:
        return f"its body failed: {cause.fault.error}"
    by_limit = {"SIZE": _size, "CALLS": _calls, "DEPTH": _depth}.get(cause.kind)
    if by_limit is not None:
        return by_limit(cause, limits)
    if isinstance(failed.callee, Function):
        return _arity(failed.callee, failed.arguments)
    if failed.callee == FUNCTION_CALL.name:
        return f"what is called is {described(failed.arguments[0])}; only a Function can be called"
    op = TABLE[failed.callee]
    by_arguments = {"TYPE": _type, "EMPTY": _empty, "ZERO": _zero, "INDEX": _index, "RANGE": _range}
    return by_arguments[cause.kind](op, failed.arguments, cause) or MEANINGS[cause.kind]


def reason_of_node(kind: Kind, node: Node, limits: Limits) -> str:
    """Why a node fails that applies nothing, or that a program has no room for.

    >>> reason_of_node("RANGE", Node.constant(5_000_000_000), Limits())
    '5000000000 does not fit 32 bits; an Integer goes from -2,147,483,648 to 2,147,483,647'
    """
    if node is NONE:
        return "None is no value of the language"
    if node is WITHHELD:
        return "C, the expected output, is not there for a solver; it gets I and S"
    if node.kind == "input":
        return f"the input {node.head} is not known for this sample"
    if node.kind != "constant":
        return f"the values of the program weigh together more than {limits.held:,} items, which is the limit"
    literal = text(node.head, LONGEST_VALUE)
    if kind == "RANGE":
        return f"{literal} does not fit 32 bits; an Integer goes from {BOUNDS}"
    return f"the literal {literal} is larger or nested deeper than the limits allow"


def _arity(function: Function, arguments: tuple[Value, ...]) -> str:
    takes = plural(function.arity, "argument")
    return f"the Function {text(function, LONGEST_VALUE)} takes {takes}, not {len(arguments)}"


def _argument(param: Param, value: Value, what: str = "") -> str:
    return f"its argument {param.name!r} is {described(value, what)}"


def _type(op: Op, arguments: tuple[Value, ...], cause: Cause) -> str:
    if len(arguments) != op.arity:
        return f"{op.name} takes {plural(op.arity, 'argument')}, not {len(arguments)}: {op.declaration}"
    for param, value in zip(op.params, arguments):
        if not param.type.admits(value):
            told = f"{_argument(param, value, _nearer_word(value, cause))}; {op.name} takes {taken(param)}"
            return f"{told}{_hint(op, param, value)}"
    latest = cause.latest
    for param in op.params:
        wanted = {CONDITION: "a condition gives an Integer", GATHERER: "it must give a Container"}
        if param.type in wanted and latest is not None and not _gives(param, latest.result):
            return f"{_given(latest)}; {wanted[param.type]}"
    return _of_body(op, arguments, cause)


def _hint(op: Op, param: Param, value: Value) -> str:
    """The op that is likely meant, after a frequent mistake."""
    is_row = type(value) is tuple and set(map(type, value)) == {int}
    if is_row and (op.restricts or op.name) in ("height", "width"):
        return f"; {OF_A_ROW}"
    return f"; {OF_A_GRID}" if is_filled_grid(value) and param.type.name in CELLS else ""


def _gives(param: Param, result: Value | None) -> bool:
    return type(result) is int if param.type is CONDITION else is_container(result)


def _given(latest: Application) -> str:
    """The result of a function that an op has applied, and for which element."""
    place = f"for {latest.element} " if latest.element is not None else ""
    return f"{place}its function gives {'nothing' if latest.result is None else described(latest.result)}"


def _nearer_word(value: Value, cause: Cause) -> str:
    """The word for a value that is an element of a container on the way, such as `row`."""
    return next(
        (each.element.what for each in cause.path if each.element and value is each.arguments[0]),
        "",
    )


def _of_body(op: Op, arguments: tuple[Value, ...], cause: Cause) -> str:
    """The reasons of kind TYPE that only an op itself can know."""
    name = op.restricts or op.name
    given: Any = arguments
    if name == "vconcat":
        return (
            f"its grids are {len(given[0][0])} and {len(given[1][0])} columns wide; they must be equally wide"
        )
    if name == "joined":
        return "its rows of grids do not fit: grids of a row must be equally high, and rows equally wide"
    if name == "power":
        return f"a Function of {given[0].arity} arguments cannot be composed with itself; it must take one"
    if name in ("mapply", "mpapply", "mfilter"):
        latest = cause.latest
        if latest is not None and not is_container(latest.result):
            return f"{_given(latest)}; it must give Containers, which are merged"
        return "its function gives results that are no Containers, and only Containers can be merged"
    if op.higher_order:
        return "the keys that its function gives are of different kinds, or Functions, and cannot be ranked"
    return ""


def _empty(op: Op, arguments: tuple[Value, ...], cause: Cause) -> str:
    for param, value in zip(op.params, arguments):
        if param.requirement == "filled" and param.type.is_empty(value):
            return (
                f"its argument {param.name!r} is {_emptiness(value)}; {op.name} takes one that is not empty"
            )
    for param, value in zip(op.params, arguments):
        if is_container(value) and has_no_cells(value):
            return (
                f"its argument {param.name!r} is {_emptiness(value)}; {op.name} takes one that is not empty"
            )
    for param, value in zip(op.params, arguments):
        if is_container(value) and any(not part for part in value):  # type: ignore[union-attr]
            return f"its argument {param.name!r}, {kind_in_words(value)}, holds an empty one"
    return ""


def _emptiness(value: Any) -> str:
    if value and is_grid(value):
        return f"a Grid of {plural(len(value), 'row')} without cells"
    return f"empty, {text(value)}" if type(value) is tuple else "empty, {}"


def _zero(op: Op, arguments: tuple[Value, ...], cause: Cause) -> str:
    for param, value in zip(op.params, arguments):
        if param.requirement == "nonzero" and has_zero(value):
            holds = "0" if type(value) is int else f"{text(value)}, which holds a 0"
            return f"its argument {param.name!r} is {holds}; it must be another number than 0"
    return ""


def _index(op: Op, arguments: tuple[Value, ...], cause: Cause) -> str:
    for param, value in zip(op.params, arguments):
        if param.role == "rank":
            return _rank(value, _ranked(op, arguments))
        if param.choices is not None and value not in param.choices:
            return f"its argument {param.name!r} is {value}; it must be from 0 to {param.choices[-1]}"
    known = INDEX_REASONS.get(op.restricts or op.name)
    return known(arguments) if known is not None else ""


def _ranked(op: Op, arguments: Any) -> int:
    """How many things an op ranks."""
    if op.name.startswith("get_color_rank"):
        return len(set(colors(arguments[0])))
    return len(set(arguments[0])) if op.name.startswith("get_common_rank") else len(arguments[0])


def _rank(rank: Any, count: int) -> str:
    if count == 1:
        return f"there is no rank {rank} of a single element; its rank is 0 or -1"
    return f"there is no rank {rank} among {count:,}; ranks go from 0 to {count - 1}, or from -1 to {-count}"


def _cell(arguments: Any) -> str:
    grid, (i, j) = arguments
    return (
        f"the location ({i}, {j}) is outside a Grid of {len(grid)} x {len(grid[0])}; "
        f"rows go from 0 to {len(grid) - 1}, columns from 0 to {len(grid[0]) - 1}"
    )


def _second(arguments: Any) -> str:
    return f"there is no second element in {described(arguments[0])}"


def _other(arguments: Any) -> str:
    return f"every element of {described(arguments[0])}, equals {text(arguments[1], LONGEST_VALUE)}"


def _extract(arguments: Any) -> str:
    return f"the condition holds for none of {plural(len(arguments[0]), 'element')}"


def _cellwise(arguments: Any) -> str:
    a, b = arguments[:2]
    return (
        f"its second grid, {len(b)} x {len(b[0])}, does not cover its first one, {len(a)} x {len(a[0])}; "
        "it must be at least as high and as wide"
    )


def _turn(arguments: Any) -> str:
    return "no turn or mirroring makes every input of the samples its output"


INDEX_REASONS: dict[str, Callable[[Any], str]] = {
    "index": _cell,
    "second": _second,
    "other": _other,
    "extract": _extract,
    "cellwise": _cellwise,
    "a_mr": _turn,
}


def _range(op: Op, arguments: tuple[Value, ...], cause: Cause) -> str:
    number = None if op.higher_order or op.forecast is not None else _out_of_range(op, arguments)
    which = f"{number:,}" if number is not None else "an Integer of the result"
    return f"{which} does not fit 32 bits; an Integer goes from {BOUNDS}"


def _out_of_range(op: Op, arguments: tuple[Value, ...]) -> int | None:
    """The first Integer of a result that is out of range; the result is computed once more."""
    if not op.trusted:
        return None
    try:
        with room_for(1):
            pending: list[Any] = [op.body(*arguments)]
    except OpFailed:
        return None
    while pending:
        part = pending.pop()
        if type(part) is int and not in_range(part):
            return part
        if is_container(part):
            pending.extend(part)
    return None


def _size(cause: Cause, limits: Limits) -> str:
    unit = "a value weighs 1, and what it holds"
    if cause.judged is not None:
        return f"its result would weigh {cause.judged.weight:,}; the limit is {limits.items:,} items ({unit})"
    after = f" after {cause.latest.element}" if cause.latest is not None and cause.latest.element else ""
    return f"what it has collected{after} weighs more than the limit of {limits.items:,} items ({unit})"


def _calls(cause: Cause, limits: Limits) -> str:
    if cause.work > limits.work:
        costs = "`arcbatt ops NAME` tells the cost of an op"
        return f"the work of the program is more than the limit of {limits.work:,}; {costs}"
    return f"the op of the line makes more than {limits.calls:,} applications, which is the limit"


def _depth(cause: Cause, limits: Limits) -> str:
    failed = cause.path[-1]
    if cause.judged is not None:
        return f"its result would be nested {cause.judged.nest:,} deep; the limit is {limits.depth}"
    if failed.callee == "power":
        return f"its argument 'n' is {failed.arguments[1]}; it must be 1 or more"
    return f"functions are applied within functions more than {limits.depth} deep, which is the limit"
