"""Values: Integer (int), Tuple (tuple), Set (frozenset) and Function; their order, size and printed form."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from arcbatt.dsl.contract import CELL_WEIGHT, HIGHEST, LOCATION_WEIGHT, LOWEST
from arcbatt.dsl.failures import Kind
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.errors import LimitPassed, ValueRefused
from arcbatt.text import plural

# Sets recur from op to op as the same object and a frozenset keeps its hash: a small cache pays.
RECENT_SETS = 256
MOST_STAND_INS = 8  # objects that convert to each other before a value must come


# The parts of each composite: for a function the arities it may have, for any value None.
ANY_ARITY_TO_BIND = (2, 3, 4)
PART_ARITIES: dict[str, tuple[tuple[int, ...] | None, ...]] = {
    "compose": ((1,), (1,)),
    "chain": ((1,), (1,), (1,)),
    "fork": ((2,), (1,), (1,)),
    "matcher": ((1,), None),
    "lbind": (ANY_ARITY_TO_BIND, None),
    "rbind": (ANY_ARITY_TO_BIND, None),
}

A_VALUE = "an int, a tuple, a frozenset or arcbatt.fn(...)"


class Function:
    """A function as data: an op's name, or a composite such as `compose` with its parts.

    Two functions are equal when their names and parts are; `arcbatt.fn` makes them.

    >>> Function("compose", (Function("first", (), 1), Function("last", (), 1)), 1)
    compose(first, last)
    >>> Function("compose", (Function("first", (), 1),), 1)
    Traceback (most recent call last):
        ...
    arcbatt.errors.ValueRefused: 'compose' takes 2 parts, not 1
    """

    __slots__ = ("_hash", "arity", "name", "nest", "parts", "weight")

    def __init__(self, name: str, parts: tuple[Any, ...], arity: int) -> None:
        self.name = name
        self.parts = parts
        self.arity = arity
        if parts:
            self._require_fitting_parts()
        sizes = [size_of(part) for part in parts]
        self.weight: int = 1 + sum(weight for weight, _ in sizes)
        self.nest: int = 1 + max((nest for _, nest in sizes), default=0)
        self._hash = hash((name, parts, arity))

    def _require_fitting_parts(self) -> None:
        """Refuse parts that cannot make this function."""
        wanted = PART_ARITIES.get(self.name)
        if wanted is None:
            among = ", ".join(sorted(PART_ARITIES))
            raise ValueRefused(f"{self.name!r} takes no parts; a function with parts is one of {among}")
        if len(self.parts) != len(wanted):
            raise ValueRefused(f"{self.name!r} takes {len(wanted)} parts, not {len(self.parts)}")
        for place, (part, arities) in enumerate(zip(self.parts, wanted), 1):
            if arities is not None and not (isinstance(part, Function) and part.arity in arities):
                raise ValueRefused(f"{self.name!r}: part {place} must be a function of {_one_of(arities)}")
            if not isinstance(part, int | tuple | frozenset | Function):
                kind = type(part).__name__
                raise ValueRefused(f"{self.name!r}: part {place}: expected {A_VALUE}, got {kind}")
        arity = self.parts[0].arity - 1 if self.name in ("lbind", "rbind") else 1
        if self.arity != arity:
            takes = plural(arity, "argument")
            raise ValueRefused(f"{self.name!r} of these parts takes {takes}, not {self.arity}")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Function):
            return NotImplemented
        if self._hash != other._hash:
            return False
        return self.name == other.name and self.arity == other.arity and self.parts == other.parts

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return text(self)

    def __reduce__(self) -> tuple[type["Function"], tuple[str, tuple[Any, ...], int]]:
        return Function, (self.name, self.parts, self.arity)


def _one_of(arities: tuple[int, ...]) -> str:
    *others, last = arities
    return "".join(f"{arity} or " for arity in others) + plural(last, "argument")


Value: TypeAlias = int | tuple[Any, ...] | frozenset[Any] | Function
Sort: TypeAlias = Literal["empty", "integers", "indices", "object", "other"]


def is_location(value: Any) -> bool:
    """Whether a value is a pair of Integers (row, column)."""
    return type(value) is tuple and len(value) == 2 and type(value[0]) is int and type(value[1]) is int


def is_cell(value: Any) -> bool:
    """Whether a value is a pair (colour, location)."""
    return type(value) is tuple and len(value) == 2 and type(value[0]) is int and is_location(value[1])


@lru_cache(maxsize=RECENT_SETS)
def sort_of(elements: frozenset[Any]) -> Sort:
    """The sort of a Set's elements, as far as ops distinguish them.

    >>> sort_of(frozenset({(0, 1), (2, 3)}))
    'indices'
    """
    if not elements:
        return "empty"
    one = next(iter(elements))
    if type(one) is int:
        return "integers" if all(type(x) is int for x in elements) else "other"
    if is_location(one):
        return "indices" if all(map(is_location, elements)) else "other"
    if is_cell(one):
        return "object" if all(map(is_cell, elements)) else "other"
    return "other"


def order_key(value: Value) -> tuple[Any, ...]:
    """A key that sorts values canonically: Integer < Tuple < Set < Function, each by its content.

    >>> sorted([(1,), 5, frozenset(), (0, 7)], key=order_key)
    [5, (0, 7), (1,), frozenset()]
    """
    if type(value) is int:
        return (0, value)
    if type(value) is tuple:
        return (1, tuple(map(order_key, value)))
    if type(value) is frozenset:
        return (2, tuple(sorted(map(order_key, value))))
    assert isinstance(value, Function)
    return (3, value.name, tuple(map(order_key, value.parts)))


@lru_cache(maxsize=RECENT_SETS)
def _sorted_set(elements: frozenset[Any]) -> tuple[Any, ...]:
    """The elements ascending; Python's own order serves wherever it agrees with the canonical one."""
    if sort_of(elements) != "other":
        return tuple(sorted(elements))
    if all(type(x) is frozenset for x in elements):
        sorts = {sort_of(x) for x in elements} - {"empty"}
        if len(sorts) <= 1 and "other" not in sorts:
            return tuple(sorted(elements, key=_sorted_set))
    return tuple(sorted(elements, key=order_key))


def ordered(container: tuple[Any, ...] | frozenset[Any]) -> tuple[Any, ...]:
    """Iterate over a container: a Tuple in its order, a Set in ascending order.

    >>> ordered(frozenset({3, 1, 2}))
    (1, 2, 3)
    """
    return container if type(container) is tuple else _sorted_set(container)


@lru_cache(maxsize=RECENT_SETS)
def _size_of_set(elements: frozenset[Any]) -> tuple[int, int]:
    sort = sort_of(elements)
    if sort == "indices":
        return 1 + LOCATION_WEIGHT * len(elements), 2
    if sort == "object":
        return 1 + CELL_WEIGHT * len(elements), 3
    return _size_of_elements(elements)


def _size_of_elements(elements: Iterable[Any]) -> tuple[int, int]:
    weight, nest = 1, 0
    for element in elements:
        element_weight, element_nest = size_of(element)
        weight += element_weight
        nest = max(nest, element_nest)
    return weight, nest + 1


def size_of(value: Value) -> tuple[int, int]:
    """Weight and nesting of a value: an Integer is (1, 0), a container one more than its elements together.

    >>> size_of(((1, 2), (3, 4)))
    (7, 2)
    """
    if type(value) is int:
        return 1, 0
    if type(value) is tuple:
        return (1 + len(value), 1) if set(map(type, value)) <= {int} else _size_of_elements(value)
    if type(value) is frozenset:
        return _size_of_set(value)
    assert isinstance(value, Function)
    return value.weight, value.nest


def weight(value: Value) -> int:
    """The weight of a value: 1 for itself and the weights of all it holds."""
    return size_of(value)[0]


def in_range(value: Value) -> bool:
    """Whether every Integer of a value fits 32 bits."""
    if type(value) is int:
        return LOWEST <= value <= HIGHEST
    if type(value) is tuple or type(value) is frozenset:
        return all(map(in_range, value))
    return not isinstance(value, Function) or all(map(in_range, value.parts))


def judgement(value: Value, limits: Limits) -> Kind | None:
    """The failure of a value that breaks a limit: RANGE before DEPTH before SIZE; None if it breaks none.

    >>> judgement((1, 2), Limits()), judgement((1, 1 << 40), Limits()), judgement((1, 2), Limits(items=2))
    (None, 'RANGE', 'SIZE')
    """
    if type(value) is int:
        return None if LOWEST <= value <= HIGHEST else "RANGE"
    if not in_range(value):
        return "RANGE"
    weight, nest = size_of(value)
    if nest > limits.depth:
        return "DEPTH"
    return "SIZE" if weight > limits.items else None


def out_of_range(number: int) -> str:
    """The message for a number outside the range of Integers.

    >>> out_of_range(1 << 31)
    'an integer of 32 bits and a sign does not fit 32 bits; use a smaller one'
    """
    return f"an integer of {number.bit_length()} bits and a sign does not fit 32 bits; use a smaller one"


def functions_in(value: Value) -> Iterator[Function]:
    """All functions in a value: itself, its elements, their parts, and so on."""
    pending: list[Any] = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, Function):
            yield part
            pending.extend(part.parts)
        elif isinstance(part, tuple | frozenset):
            pending.extend(part)


def _require_known_ops(function: Function) -> None:
    """Refuse a function that contains an unregistered op, or one with a wrong number of arguments."""
    from arcbatt.dsl.table import TABLE

    for part in functions_in(function):
        op = TABLE.get(part.name)
        if op is None:
            raise ValueRefused(f"a function uses the op {part.name!r}, which is not registered")
        if not part.parts and part.arity != op.arity:
            raise ValueRefused(f"op {part.name!r} takes {plural(op.arity, 'argument')}, not {part.arity}")


def is_value(given: object) -> bool:
    """Whether an object is already a value, without the conversions of `intake`."""
    if type(given) is tuple or type(given) is frozenset:
        return all(map(is_value, given))
    return type(given) is int or isinstance(given, Function)


def intake(value: Any, limits: Limits = DEFAULT_LIMITS) -> Value:
    """Convert a Python object to a value: lists become Tuples, booleans Integers; other objects are refused.

    Arrays and numbers of NumPy become the lists and numbers that they hold. An object with a method
    `__arcbatt_value__` becomes the value that the method returns.

    >>> intake([[0, True], [2, 3]])
    ((0, 1), (2, 3))
    """
    return _Intake(limits).taken(value, limits.depth)


class _Intake:
    """Converts one value and sums its weight on the way, so that it refuses a heavy one early."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.weight = 0

    def taken(self, value: Any, depth: int) -> Value:
        """Convert an object, nested at most `depth` deep."""
        if isinstance(value, Function):
            self._weigh(value.weight)
            if value.nest > depth:
                raise LimitPassed(f"the value is nested deeper than the limit of {self.limits.depth}")
            _require_known_ops(value)
            return value
        self._weigh(1)
        if isinstance(value, int):
            if not LOWEST <= value <= HIGHEST:
                raise ValueRefused(out_of_range(value))
            return int(value)
        if not isinstance(value, tuple | list | set | frozenset):
            kind = type(value).__name__
            if _stands_for(type(value)) is not None:
                self._weigh(-1)
                return self.taken(meant(value), depth)
            raise ValueRefused(f"expected {A_VALUE}, got {kind}")
        if depth == 0:
            raise LimitPassed(f"the value is nested deeper than the limit of {self.limits.depth}")
        elements = [self.taken(element, depth - 1) for element in value]
        return tuple(elements) if isinstance(value, tuple | list) else frozenset(elements)

    def _weigh(self, weight: int) -> None:
        self.weight += weight
        if self.weight > self.limits.items:
            raise LimitPassed(f"the value is heavier than the limit of {self.limits.items} items")


def meant(value: Any) -> Any:
    """The object that another stands for, directly or indirectly: an array for its list, most for themselves.

    >>> meant(5)
    5
    """
    kind = type(value).__name__
    for _ in range(MOST_STAND_INS):
        stands_for = _stands_for(type(value))
        if stands_for is None:
            return value
        value = stands_for(value)
    raise ValueRefused(f"{kind} cannot be converted: it gives one object after the other and never a value")


def _stands_for(kind: type) -> Callable[[Any], Any] | None:
    """The conversion of objects of a class to values; None if the class has none."""
    if hasattr(kind, "__array__"):
        return getattr(kind, "tolist", None)
    return getattr(kind, "__arcbatt_value__", None)


def text(value: Value, limit: int | None = None) -> str:
    """A value as one line, cut off after `limit`: sets in canonical order, functions as expressions.

    >>> text(frozenset({(1, (0, 0))}))
    '{(1, (0, 0))}'
    >>> text(tuple(range(100)), 20)
    '(0, 1, 2, 3, 4, 5...'
    """
    pieces: list[str] = []
    _write(value, pieces, limit)
    line = "".join(pieces)
    return line if limit is None or len(line) <= limit else line[: limit - 3] + "..."


def _write(value: Value, pieces: list[str], limit: int | None) -> None:
    if limit is not None and len(pieces) > limit:
        return
    if type(value) is int:
        pieces.append(str(value))
    elif isinstance(value, Function):
        pieces.append(value.name)
        if value.parts:
            _write_all(value.parts, "()", pieces, limit)
    elif type(value) is frozenset:
        _write_all(ordered(value), "{}", pieces, limit)
    elif type(value) is tuple:
        _write_all(value, "()", pieces, limit)
        if len(value) == 1:
            pieces[-1] = ",)"


def _write_all(elements: tuple[Any, ...], brackets: str, pieces: list[str], limit: int | None) -> None:
    pieces.append(brackets[0])
    for position, element in enumerate(elements):
        if position:
            pieces.append(", ")
        _write(element, pieces, limit)
    pieces.append(brackets[1])
