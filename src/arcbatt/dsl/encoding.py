"""The JSON form of values, as the conformance vectors use it."""

from typing import Any

from arcbatt.arguments import shown
from arcbatt.dsl.functions import fn
from arcbatt.dsl.values import A_VALUE, Function, Value, in_range, intake, ordered, out_of_range
from arcbatt.errors import ValueRefused


def encode(value: Value) -> Any:
    """A value as JSON data: `{"t": [...]}` a Tuple, `{"s": [...]}` a Set, `{"g": [...]}` a grid of digits.

    >>> encode(((1, 2), (3, 4)))
    {'g': ['12', '34']}
    >>> encode(frozenset({(5, (0, 1))}))
    {'s': [{'t': [5, {'t': [0, 1]}]}]}
    """
    try:
        _require_value(value)
        return _encoded(value)
    except RecursionError:
        raise _too_deep() from None


def _require_value(value: Any) -> None:
    """Refuse an object that is not a value: a list or a boolean would be decoded as another object."""
    if type(value) is int:
        if not in_range(value):
            raise ValueRefused(out_of_range(value))
    elif type(value) is tuple or type(value) is frozenset:
        for element in value:
            _require_value(element)
    elif not isinstance(value, Function):
        kind = type(value).__name__
        raise ValueRefused(f"expected {A_VALUE}, got {kind}")


def _encoded(value: Value) -> Any:
    if type(value) is int:
        return value
    if isinstance(value, Function):
        return {"f": [value.name, *map(_encoded, value.parts)]}
    if type(value) is frozenset:
        return {"s": list(map(_encoded, ordered(value)))}
    assert type(value) is tuple
    if _is_digits(value):
        return {"g": ["".join(map(str, row)) for row in value]}
    return {"t": list(map(_encoded, value))}


def _is_digits(rows: tuple[Any, ...]) -> bool:
    if not rows or type(rows[0]) is not tuple or not rows[0]:
        return False
    width = len(rows[0])
    return all(
        type(row) is tuple and len(row) == width and all(type(v) is int and 0 <= v <= 9 for v in row)
        for row in rows
    )


def decode(data: Any) -> Value:
    """Decode a value from JSON data that `encode` made.

    >>> decode({"f": ["rbind", {"f": ["add"]}, 3]})
    rbind(add, 3)
    """
    try:
        return intake(_decoded(data))
    except (IndexError, TypeError, ValueError) as error:
        if isinstance(error, ValueRefused):
            raise
        raise _no_value(data) from None
    except RecursionError:
        raise _too_deep() from None


def _decoded(data: Any) -> Value:
    if isinstance(data, int):
        return int(data)
    if not isinstance(data, dict) or len(data) != 1:
        raise _no_value(data)
    ((form, content),) = data.items()
    if not isinstance(content, list):
        raise _no_value(data)
    if form == "t":
        return tuple(map(_decoded, content))
    if form == "s":
        return frozenset(map(_decoded, content))
    if form == "g":
        return tuple(tuple(map(int, row)) for row in content)
    if form == "f" and content and isinstance(content[0], str):
        return fn(content[0], *map(_decoded, content[1:]))
    raise _no_value(data)


def _too_deep() -> ValueRefused:
    return ValueRefused("the value is nested too deeply")


def _no_value(data: Any) -> ValueRefused:
    return ValueRefused(f"expected an integer or one of the forms t, s, g, f, got {shown(data)}")
