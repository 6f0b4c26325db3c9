"""Values of extreme shapes, by name: large and small, wide, equal, nested, long and thin, of every kind."""

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import count
from typing import NamedTuple

from arcbatt.dsl.contract import HIGHEST, LOWEST
from arcbatt.dsl.functions import fn
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.types import RETURNS_NOTHING
from arcbatt.dsl.values import Function, Value, weight

LARGEST, SMALL = 250_000, 24  # weights of large and of small containers
WIDE = 1 << 24  # added to a coordinate or colour that shall fit neither a byte nor a packed key
DEEP = 60  # how deep nested values are
SIDES = (9, 30)  # of the grids that many elements are made of
INTEGERS = (0, 1, -1, 2, 3, 4, 6, 7, 9, 30, 100, 500, 50_000, -3, HIGHEST, LOWEST)
PAIRS = ((0, 0), (0, 1), (1, 0), (1, 1), (-1, 1), (-1, -1), (2, 2), (30, 30), (500, 500), (1, 100_000))
EDGES = ((HIGHEST, LOWEST), (LOWEST, 3))
CELLS = ((3, (1, 1)), (WIDE, (WIDE, -WIDE)))
Element = Callable[[int], Value]
Maker = Callable[[], Value]


class Extreme(NamedTuple):
    """A value with its name. `large` says that it is about as heavy as limits allow."""

    name: str
    value: Value
    large: bool


def _noise(k: int) -> int:
    """A number that looks random and is the same in every run."""
    return (k * 2_654_435_761 >> 7) & 0xFFFF


# Grids of a height and width that follow from the weight, and what each cell is.
SHAPES: dict[str, Callable[[int], tuple[int, int]]] = {
    "1 x n": lambda heavy: (1, heavy - 2),
    "n x 1": lambda heavy: (heavy // 2 - 1, 1),
    "2 x n": lambda heavy: (2, heavy // 2 - 2),
    "n x 2": lambda heavy: (heavy // 3 - 1, 2),
    "n x n": lambda heavy: (int(heavy**0.5) - 1, int(heavy**0.5) - 1),
}
FILLS: dict[str, Callable[[int, int], int]] = {
    "blank": lambda i, j: 0,
    "noise": lambda i, j: _noise(i * 4099 + j) % 10,
    "chequered": lambda i, j: (i + j) % 2,
    "spiral walls": lambda i, j: int(j % 2 and not (i == 0 and j % 4 == 1)),
    "wide": lambda i, j: WIDE + _noise(i * 4099 + j),
    "many colours": lambda i, j: i * 4099 + j,
}


def _square(side: int, fill: Callable[[int, int], int]) -> Value:
    return _grid(side, side, fill)


def _large_grid(k: int) -> Value:
    return _square(SIDES[1], lambda i, j: _noise(k * 900 + i * 30 + j) % 10)


def _nested(value: Value, around: Callable[[Value], Value]) -> Value:
    for _ in range(DEEP):
        value = around(value)
    return value


@cache
def _primitives(arity: int) -> tuple[Function, ...]:
    """All ops of an arity as functions."""
    return tuple(fn(op.name) for op in TABLE.values() if op.arity == arity)


def _bound(k: int) -> Function:
    """The k-th function of one argument."""
    return Function("rbind", (_primitives(2)[k % 50], k), 1)


def _stacked(function: Function) -> Function:
    for _ in range(DEEP):
        function = Function("compose", (function, function if function.nest < 3 else _bound(0)), 1)
    return function


# The elements of containers, the k-th of each kind. None is equal to another of its kind.
ELEMENTS: dict[str, Element] = {
    "Integer": lambda k: k,
    "wide Integer": lambda k: k * 7_919 - HIGHEST // 2,
    "IJ": lambda k: (k // 300, k % 300),
    "IJ of a row": lambda k: (0, k),
    "IJ of a diagonal": lambda k: (k, k),
    "IJ scattered": lambda k: (_noise(k), k),
    "wide IJ": lambda k: (k * 7_919 - HIGHEST // 2, k),
    "Cell": lambda k: (k % 10, (k // 300, k % 300)),
    "Cell of a column": lambda k: (1, (k, 0)),
    "Cell of many colours": lambda k: (k % 100, (_noise(k) % 100, k)),
    "wide Cell of a row": lambda k: (1, (0, k * 7_919 - HIGHEST // 2)),
    "wide Cell": lambda k: (WIDE + k, (k, -k)),
    "triple": lambda k: (k, 0, 1),
    "IJ with IJ": lambda k: ((k // 300, k % 300), (k % 300, k // 300)),
    "Integer with Object": lambda k: (k, frozenset({(1, (k, k))})),
    "1-Tuple": lambda k: (k,),
    "1-Tuple of 1-Tuple": lambda k: ((k,),),
    "1-Set": lambda k: frozenset({k}),
    "1-Set of wide": lambda k: frozenset({k * 7_919 - HIGHEST // 2}),
    "1-Set of 1-Set": lambda k: frozenset({frozenset({k})}),
    "1-Indices": lambda k: frozenset({(k // 300, k % 300)}),
    "1-Object": lambda k: frozenset({(k % 10, (k // 300, k % 300))}),
    "wide 1-Object": lambda k: frozenset({(1, (k * 7_919 - HIGHEST // 2, k))}),
    "2-Object of two colours": lambda k: frozenset({(0, (0, 0)), (1, (1, k))}),
    "1-Tuple of Cell": lambda k: ((k % 10, (k // 300, k % 300)),),
    "1-Set of Function": lambda k: frozenset({_bound(k)}),
    "Function": _bound,
    "deep Function": lambda k: _stacked(_bound(k)),
    "Set of Tuple of Set": lambda k: frozenset({(frozenset({k}), k)}),
    "mixed": lambda k: (k, (k, k), (k % 10, (k, k)), frozenset({k}), _bound(k))[k % 5],
    "deep Tuple": lambda k: _nested(k, lambda value: (value,)),
    "deep Set": lambda k: _nested(k, lambda value: frozenset({value})),
    "row that differs at its end": lambda k: (*(0,) * 100, k),
    "wide row that differs at its end": lambda k: (*(WIDE,) * 100, k),
    "Set that differs at its end": lambda k: frozenset({*range(100), 100 + k}),
    "Set of rows that differs at its end": lambda k: frozenset({*((m,) for m in range(60)), (60 + k,)}),
    "Tuple of Sets that differs at its end": lambda k: (*(frozenset({1}),) * 50, frozenset({k})),
    "Object that differs at its end": lambda k: frozenset({*((0, (0, m)) for m in range(60)), (1, (k, 0))}),
    "wide Object that differs at its end": lambda k: frozenset(
        {*((0, (WIDE, m)) for m in range(60)), (1, (WIDE, k))}
    ),
    "1 x 1 grid": lambda k: ((k % 128,),),
    "wide 1 x 1 grid": lambda k: ((k,),),
    "grid": lambda k: _square(SIDES[0], lambda i, j: _noise(k * 81 + i * 9 + j) % 10),
    "grid of one colour": lambda k: _square(SIDES[0], lambda i, j: k % 128),
    "large grid": _large_grid,
    "sample": lambda k: (((k % 128,),), ((k % 10, 1),)),
    "sample of large grids": lambda k: (_large_grid(k), _large_grid(k + 1)),
}


def _filling(heavy: int, elements: Iterator[Value]) -> tuple[Value, ...]:
    """Elements that weigh so much together at most."""
    left, found = heavy - 1, []
    for element in elements:
        left -= weight(element)
        if left < 0:
            break
        found.append(element)
    return tuple(found)


def _distinct(element: Element, heavy: int) -> tuple[Value, ...]:
    return _filling(heavy, map(element, count()))


def _set(element: Element, heavy: int) -> Value:
    return frozenset(_distinct(element, heavy))


def _shuffled(element: Element, heavy: int) -> Value:
    distinct = _distinct(element, heavy)
    return tuple(distinct[k] for k in sorted(range(len(distinct)), key=_noise))


def _equal(element: Element, heavy: int) -> Value:
    return _filling(heavy, (element(3) for _ in count()))


def _grid(height: int, width: int, fill: Callable[[int, int], int]) -> Value:
    return tuple(tuple(fill(i, j) for j in range(width)) for i in range(height))


def _two_large_sets(heavy: int) -> Value:
    return frozenset(frozenset(range(k, heavy // 2 - 2 + k)) for k in range(2))


def _large_sample(heavy: int) -> Value:
    grid = _square(int((heavy // 2) ** 0.5) - 1, FILLS["noise"])
    return ((grid, grid),)


def _containers(heavy: int) -> Iterator[tuple[str, Maker]]:
    for kind, element in ELEMENTS.items():
        if weight(element(0)) < heavy:
            yield f"Set of {kind}", partial(_set, element, heavy)
            yield f"Tuple of {kind}", partial(_shuffled, element, heavy)
            yield f"Tuple of equal {kind}", partial(_equal, element, heavy)
    yield "Set of two large Sets", lambda: _two_large_sets(heavy)
    yield "Tuple of empty Tuples", lambda: ((),) * (heavy - 1)
    yield "Tuple of empty Sets", lambda: (frozenset(),) * (heavy - 1)
    yield "Tuple of a large Tuple", lambda: (tuple(range(heavy - 2)),)


def _grids(heavy: int) -> Iterator[tuple[str, Maker]]:
    for shape, sides in SHAPES.items():
        height, width = sides(heavy)
        for name, fill in FILLS.items():
            if min(height, width) > 2 or name != "spiral walls":
                yield f"{shape} grid, {name}", partial(_grid, height, width, fill)
    yield "sample of one large grid", lambda: _large_sample(heavy)


def _makers(heavy: int) -> dict[str, Maker]:
    """What makes each large value of that weight, and each small one, by name."""
    made = {}
    for size, prefix in ((SMALL, "small"), (heavy, "large")):
        for name, maker in (*_containers(size), *_grids(size)):
            made[f"{prefix} {name}"] = maker
    return made


def _plain() -> Iterator[Extreme]:
    values: tuple[Value, ...] = (*INTEGERS, *PAIRS, *EDGES, *CELLS, (), frozenset())
    for value in values:
        yield Extreme(repr(value), value, False)


@cache
def extremes(heavy: int = LARGEST) -> tuple[Extreme, ...]:
    """Values of every kind, large ones of that weight; the order and the names are the same in every run.

    >>> extremes(100)[0]
    Extreme(name='0', value=0, large=False)
    """
    made = (Extreme(name, maker(), name.startswith("large")) for name, maker in _makers(heavy).items())
    return (*_plain(), *made)


def extreme(name: str, heavy: int = LARGEST) -> Value:
    """The value, or the function, of a name.

    >>> extreme("small Tuple of Cell", 100)
    ((0, (0, 0)), (3, (0, 3)), (1, (0, 1)), (2, (0, 2)))
    """
    maker = _makers(heavy).get(name)
    if maker is not None:
        return maker()
    known = (*_plain(), *(entry for arity in (1, 2, 3, 4) for entry in functions(arity)))
    found = next((entry.value for entry in known if entry.name == name), None)
    return int(name) if found is None else found


@cache
def functions(arity: int) -> tuple[Extreme, ...]:
    """Functions of an arity: every op, and of one argument also those that give the same for all."""
    made = [Extreme(op.name, op, False) for op in _primitives(arity)]
    if arity == 1:
        constants = [
            Extreme(f"always {entry.name}", always(entry.value), False)
            for entry in extremes(SMALL)
            if not entry.large
        ]
        made += constants
    return tuple(made)


def always(value: Value) -> Function:
    """The function that gives this value for every argument, as the default of failed functions is made."""
    return Function(RETURNS_NOTHING.name, (RETURNS_NOTHING.parts[0], value), 1)
