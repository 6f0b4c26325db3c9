"""Random values of every type, from a seed: mostly what ARC programs meet, and often enough the corners."""

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any, TypeAlias

from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.dsl.contract import HIGHEST, LOWEST
from arcbatt.dsl.table import TABLE, Param
from arcbatt.dsl.types import Type
from arcbatt.dsl.values import Function, Value

Maker: TypeAlias = Callable[[Random, int], Any]

EDGES = (LOWEST, LOWEST + 1, -65536, -42, 29, 30, 42, 255, 256, 32767, 65536, HIGHEST - 1, HIGHEST)
EASY = {"Any", "Container"}
GREATEST_ARITY = 4
DEFAULT_SIZE = 6


def random_value(random: Random, kind: str | Type, size: int = DEFAULT_SIZE) -> Value:
    """A value that a type admits; `size` is about how many elements a container and rows a grid has at most.

    >>> random_value(Random(3), "Grid0", size=2)
    ((2, 9, 2), (1, 2, 0), (8, 7, 0))
    """
    name = kind if isinstance(kind, str) else kind.name
    value: Value = MAKERS[name](random, size)
    return value


def random_argument(random: Random, param: Param, size: int = DEFAULT_SIZE) -> Value:
    """A value for a parameter, mostly filled or not zero where it must be, and with the role it plays.

    >>> random_argument(Random(0), TABLE["mir_rot_t"].params[1])
    6
    """
    if param.role is not None and random.randrange(8):
        return _ROLES[param.role](random)
    value = random_value(random, param.type, size)
    for _ in range(3):
        if not _is_wanting(param, value):
            break
        value = random_value(random, param.type, size)
    return value


def _is_wanting(param: Param, value: Value) -> bool:
    if param.requirement == "filled":
        return param.type.is_empty(value)
    return param.requirement == "nonzero" and value == 0


_ROLES: dict[str, Callable[[Random], int]] = {
    "color": lambda random: random.randrange(10),
    "rank": lambda random: random.choice((0, -1, 1, -2, 2)),
    "code": lambda random: random.randrange(9),
    "turn": lambda random: random.randrange(9),
}


def integer(random: Random, size: int = DEFAULT_SIZE) -> int:
    """An Integer: mostly a digit, sometimes negative or larger, now and then at an edge of the range."""
    roll = random.randrange(12)
    if roll < 7:
        return random.randrange(10)
    if roll < 9:
        return random.randrange(-4, 5)
    if roll < 11:
        return random.randrange(-40, 100)
    return random.choice(EDGES)


def color(random: Random) -> int:
    """A colour: one of few more often than any, so that objects form; rarely an Integer that is none."""
    roll = random.randrange(40)
    if roll < 28:
        return random.choice((0, 0, 0, 1, 2))
    return random.randrange(10) if roll < 39 else integer(random)


def location(random: Random, size: int = DEFAULT_SIZE) -> tuple[int, int]:
    """A pair of Integers, mostly inside a grid of that size."""
    roll = random.randrange(16)
    if roll < 13:
        return random.randrange(size + 1), random.randrange(size + 1)
    if roll < 15:
        return random.randrange(-size - 1, size + 2), random.randrange(-size - 1, size + 2)
    return integer(random), integer(random)


def cell(random: Random, size: int = DEFAULT_SIZE) -> tuple[int, tuple[int, int]]:
    """A pair (colour, location)."""
    return color(random), location(random, size)


def grid(random: Random, size: int = DEFAULT_SIZE) -> tuple[tuple[int, ...], ...]:
    """A grid with at least one cell."""
    side = size + 1
    height, width = 1 + random.randrange(side), 1 + random.randrange(side)
    if random.randrange(8) == 0:
        return ((color(random),) * width,) * height
    return tuple(tuple(color(random) for _ in range(width)) for _ in range(height))


def grid_or_none(random: Random, size: int = DEFAULT_SIZE) -> tuple[tuple[int, ...], ...]:
    """A grid, one time in twelve a degenerate one: no rows, or rows without cells."""
    if random.randrange(12) == 0:
        return ((),) * random.randrange(4)
    return grid(random, size)


def function(random: Random, arity: int, depth: int = 3) -> Function:
    """A Function of that arity, an op or a composite of Functions and values up to `depth` deep.

    >>> function(Random(1), 2).arity
    2
    """
    ways = _COMPOSITES.get(arity, ()) if depth > 0 else ()
    if ways and random.randrange(2):
        return random.choice(ways)(random, arity, depth - 1)
    return random.choice(_primitives(arity, random.randrange(3) == 0) or _primitives(arity, False))


@cache
def _primitives(arity: int, easy: bool) -> tuple[Function, ...]:
    """The ops of an arity, or the easy ones among them: those that take almost anything."""
    found = (op for op in TABLE.values() if op.arity == arity)
    names = [op.name for op in found if not easy or {param.type.name for param in op.params} <= EASY]
    return tuple(Function(name, (), arity) for name in names)


def _composed(random: Random, arity: int, depth: int) -> Function:
    return Function("compose", (function(random, 1, depth), function(random, 1, depth)), 1)


def _powered(random: Random, arity: int, depth: int) -> Function:
    step = function(random, 1, depth)
    result = step
    for _ in range(random.choice((1, 1, 2, 3, 20))):
        result = Function("compose", (step, result), 1)
    return result


def _chained(random: Random, arity: int, depth: int) -> Function:
    return Function("chain", tuple(function(random, 1, depth) for _ in range(3)), 1)


def _forked(random: Random, arity: int, depth: int) -> Function:
    parts = (function(random, 2, depth), function(random, 1, depth), function(random, 1, depth))
    return Function("fork", parts, 1)


def _matching(random: Random, arity: int, depth: int) -> Function:
    return Function("matcher", (function(random, 1, depth), anything(random, 2)), 1)


def _bound(random: Random, arity: int, depth: int) -> Function:
    """A function with one argument fixed to a value that its first op admits, where that is known."""
    bound = function(random, arity + 1, depth)
    name, place = random.choice((("lbind", 0), ("rbind", -1)))
    if bound.parts:
        return Function(name, (bound, anything(random, 2)), arity)
    return Function(name, (bound, random_argument(random, TABLE[bound.name].params[place], 3)), arity)


_COMPOSITES: dict[int, tuple[Callable[[Random, int, int], Function], ...]] = {
    1: (_bound, _bound, _bound, _composed, _chained, _forked, _matching, _powered),
    2: (_bound,),
    3: (_bound,),
}


def anything(random: Random, size: int = DEFAULT_SIZE) -> Value:
    """A value of any kind, also nested and mixed ones."""
    if size <= 0:
        return random.choice((0, 1, 2, (), frozenset(), (0, 0), Function("identity", (), 1)))
    value: Value = _pick(random, size, _ANYTHING)
    return value


def _mixture(random: Random, size: int) -> Value:
    """A container of values that have nothing in common, at times nested deep."""
    if random.randrange(10) == 0:
        return _nested(random, random.randrange(2, 14))
    elements = (anything(random, random.randrange(min(size, 3))) for _ in range(_length(random, size)))
    return tuple(elements) if random.randrange(2) else frozenset(elements)


def _nested(random: Random, depth: int) -> Value:
    value: Value = integer(random)
    for _ in range(depth):
        value = frozenset((value,)) if random.randrange(2) else (value,)
    return value


def _length(random: Random, size: int) -> int:
    """How many elements a container has: seldom none, seldom many."""
    roll = random.randrange(24)
    return 0 if roll == 0 else 2 * size + 1 if roll == 1 else random.randrange(1, size + 2)


def _pick(random: Random, size: int, makers: tuple[Maker, ...]) -> Any:
    return random.choice(makers)(random, size)


def _either(*makers: Maker) -> Maker:
    return lambda random, size: _pick(random, size, makers)


def _tuple_of(element: Maker) -> Maker:
    def make(random: Random, size: int) -> tuple[Any, ...]:
        inner = max(1, size - 2)
        return tuple(element(random, inner) for _ in range(_length(random, size)))

    return make


def _set_of(element: Maker) -> Maker:
    make = _tuple_of(element)
    return lambda random, size: frozenset(make(random, size))


def _container_of(element: Maker) -> Maker:
    return _either(_tuple_of(element), _set_of(element))


def _patch_of(element: Maker) -> Maker:
    """A Set of locations or cells, of about as many as a grid of that size would show."""

    def make(random: Random, size: int) -> frozenset[Any]:
        count = 0 if random.randrange(16) == 0 else random.randrange(1, 2 * size + 2)
        return frozenset(element(random, size) for _ in range(count))

    return make


def _shape_of_one_color(random: Random, size: int) -> frozenset[Any]:
    """A connected object, as `objects` finds them."""
    its_color, spot = random.randrange(10), location(random, size)
    spots = [spot]
    for _ in range(random.randrange(2 * size + 1)):
        i, j = random.choice(spots)
        spots.append(random.choice(((i + 1, j), (i, j + 1), (i - 1, j), (i, j - 1), (i + 1, j + 1))))
    fits = (s for s in spots if all(LOWEST <= coordinate <= HIGHEST for coordinate in s))
    return frozenset((its_color, s) for s in fits)


def _pair_of_grids(random: Random, size: int) -> tuple[Any, Any]:
    before = grid(random, size)
    return (before, before) if random.randrange(8) == 0 else (before, grid(random, size))


def _function_of(*arities: int) -> Maker:
    return lambda random, size: function(random, random.choice(arities))


def _bit(random: Random, size: int) -> int:
    return random.randrange(2) if random.randrange(12) else integer(random)


_indices = _patch_of(location)
_object = _either(_shape_of_one_color, _patch_of(cell))
_patch = _either(_indices, _object)
_cells = _tuple_of(cell)
_locations = _tuple_of(location)
_samples = _tuple_of(_pair_of_grids)
_numerical = _either(integer, location)
_any_function = _function_of(*range(1, GREATEST_ARITY + 1))
_object_or_cells = _either(_object, _object, _cells)

_ANYTHING: tuple[Maker, ...] = (
    integer,
    location,
    cell,
    grid_or_none,
    _indices,
    _object,
    _container_of(integer),
    _container_of(_object),
    _container_of(_locations),
    _locations,
    _cells,
    _container_of(grid),
    _samples,
    _any_function,
    _function_of(1),
    _container_of(_function_of(1)),
    _mixture,
    _mixture,
)
_container: Maker = _either(
    _indices,
    _object,
    grid_or_none,
    _cells,
    *(_container_of(element) for element in (integer, location, _object, grid, _function_of(1), anything)),
)
_inner: Maker = _either(_indices, _object, location, cell, grid, _tuple_of(integer))
_as_tuple: Maker = _either(
    grid_or_none, _locations, _cells, location, *map(_tuple_of, (integer, _object, anything))
)
_as_set: Maker = _either(_indices, _object, *map(_set_of, (integer, _object, location, _locations, anything)))

MAKERS: dict[str, Maker] = {
    "Any": anything,
    "Integer": integer,
    "Boolean": _bit,
    "IJ": location,
    "Numerical": _numerical,
    "Cell": cell,
    "Tuple": _as_tuple,
    "Set": _as_set,
    "Container": _container,
    "SetOrTuple": _container,
    "Containers": _container_of(_inner),
    "Integers": _container_of(integer),
    "IntegersT": _tuple_of(integer),
    "LocationsT": _locations,
    "Indices": _indices,
    "Object": _object,
    "Patch": _patch,
    "PatchT": _either(_patch, _patch, _locations, _cells),
    "PatchC": _either(_patch, _patch, _cells),
    "ObjectT": _object_or_cells,
    "Objects": _container_of(_object_or_cells),
    "Grid0": grid_or_none,
    "Element": _either(grid_or_none, _object),
    "Piece": _either(grid_or_none, _patch),
    "IndicesT": _either(_indices, _locations),
    "Samples": _samples,
    "Fn1": _function_of(1),
    "Fn2": _function_of(2),
    "Fn": _function_of(2, 3, 4),
    "FnAny": _any_function,
    "Condition": _function_of(1),
    "Gatherer": _function_of(1),
    "Fns": _container_of(_function_of(1)),
}
