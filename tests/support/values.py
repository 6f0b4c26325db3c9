"""Values of the language as the tests see them."""

from arcbatt.dsl.static.types import StaticType
from arcbatt.dsl.types import is_grid
from arcbatt.dsl.values import Function, Value, ordered


def is_plain(value: Value) -> bool:
    """Whether a value consists of the four kinds alone: no bool, no list, no function bound to a machine."""
    if type(value) in (tuple, frozenset):
        return all(map(is_plain, value))
    return type(value) is int or (type(value) is Function and all(map(is_plain, value.parts)))


def rebuilt(value: Value) -> Value:
    """The value made of new objects; a Set joined from two halves is iterated by Python in another order."""
    if type(value) is tuple:
        return tuple(map(rebuilt, value))
    if type(value) is frozenset:
        elements = [rebuilt(element) for element in reversed(ordered(value))]
        half = len(elements) // 2
        return frozenset(elements[:half]) | frozenset(elements[half:])
    if type(value) is Function:
        return Function(value.name, tuple(map(rebuilt, value.parts)), value.arity)
    return value


def conforms(value: Value, expected: StaticType) -> bool:
    """Whether a value is of a static type; of a function only the arity is compared."""
    match expected.kind:
        case "integer":
            return type(value) is int
        case "grid":
            return is_grid(value)
        case "function" | "closure":
            return isinstance(value, Function) and value.arity == expected.arity
        case "pair":
            return type(value) is tuple and len(value) == 2 and all(map(conforms, value, expected.parts))
        case "tuple" | "set":
            kind = tuple if expected.kind == "tuple" else frozenset
            return type(value) is kind and all(conforms(element, expected.parts[0]) for element in value)
        case "union":
            return any(conforms(value, part) for part in expected.parts)
        case _:
            return expected.kind == "any"
