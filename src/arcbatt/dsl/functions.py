"""Making function values by hand: from an op's name, or from a composite and its parts."""

from typing import Any

from arcbatt.arguments import require_text
from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.dsl.table import find, no_op
from arcbatt.dsl.values import PART_ARITIES, Function, Value, intake
from arcbatt.errors import ValueRefused

COMPOSITES = frozenset(PART_ARITIES)


def fn(name: str, *parts: Any) -> Function:
    """A function value: an op by its name, or a composite such as `compose` or `rbind` with its parts.

    >>> fn("rbind", fn("add"), 3)
    rbind(add, 3)
    """
    require_text("the name of a function", name)
    record = find(name)
    if record is None:
        raise ValueRefused(no_op(name))
    if not parts:
        return Function(record.name, (), record.arity)
    if name not in COMPOSITES or len(parts) != record.arity:
        return Function(name, parts, 1)  # raises an error that says what is wrong
    values: list[Value] = [intake(part) for part in parts]
    for param, value in zip(record.params, values):
        if not param.type.admits(value):
            raise ValueRefused(f"{name!r}: {param.name} must be {param.type.doc}")
    result: Function = record.body(*values)
    return result
