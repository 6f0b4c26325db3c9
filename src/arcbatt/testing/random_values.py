"""Random values of every type from a seed: mostly typical of ARC programs, often enough corner cases."""

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any, TypeAlias

from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.dsl.contract import HIGHEST, LOWEST
from arcbatt.dsl.static.matching import (
    STRICT,
    Binding,
    binding_order,
    closed,
    resolved,
    variables,
    without_containers,
)
from arcbatt.dsl.static.notation import static_type
from arcbatt.dsl.static.queries import op_index
from arcbatt.dsl.static.types import (
    ANY,
    CELL,
    GRID,
    IJ,
    INDICES,
    INTEGER,
    OBJECT,
    ROW,
    SAMPLES,
    StaticType,
    unknown_function,
)
from arcbatt.dsl.table import TABLE, Op, Param
from arcbatt.dsl.types import BOOLEAN, TYPES, Type
from arcbatt.dsl.values import PARTS, Function, Value

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
    known = TYPES[kind] if isinstance(kind, str) else kind
    if known is BOOLEAN:
        return random.randrange(2) if random.randrange(12) else integer(random)
    return value_of(random, static_type(known.static), size)


def random_argument(random: Random, param: Param, size: int = DEFAULT_SIZE) -> Value:
    """A value for a parameter, mostly one that meets its requirement and suits its role.

    >>> random_argument(Random(0), TABLE["mir_rot_t"].params[1])
    6
    """
    if param.choices is not None and random.randrange(8):
        return random.randrange(len(param.choices) + 1)
    if param.role is not None and random.randrange(8):
        return random.choice((0, -1, 1, -2, 2)) if param.role == "rank" else random.randrange(10)
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


def _powered(random: Random, arity: int, depth: int) -> Function:
    step = function(random, 1, depth)
    result = step
    for _ in range(random.choice((1, 1, 2, 3, 20))):
        result = Function("compose", (step, result), 1)
    return result


def _composite(name: str) -> Callable[[Random, int, int], Function]:
    """A maker of functions that an op such as `fork` puts together."""

    def make(random: Random, arity: int, depth: int) -> Function:
        parts = (function(random, part[0], depth) if part else anything(random, 2) for part in PARTS[name])
        return Function(name, tuple(parts), 1)

    return make


def _with_fixed(random: Random, arity: int, depth: int) -> Function:
    """A function with one argument fixed to a value that its first op admits, where that is known."""
    bound = function(random, arity + 1, depth)
    name, place = random.choice((("lbind", 0), ("rbind", -1)))
    if bound.parts:
        return Function(name, (bound, anything(random, 2)), arity)
    return Function(name, (bound, random_argument(random, TABLE[bound.name].params[place], 3)), arity)


_COMPOSITES: dict[int, tuple[Callable[[Random, int, int], Function], ...]] = {
    1: (
        *(_with_fixed, _with_fixed, _with_fixed),
        *map(_composite, ("compose", "chain", "fork", "matcher")),
        _powered,
    ),
    2: (_with_fixed,),
    3: (_with_fixed,),
}


def anything(random: Random, size: int = DEFAULT_SIZE) -> Value:
    """A value of any kind, also nested and mixed ones."""
    if size <= 0:
        return random.choice((0, 1, 2, (), frozenset(), (0, 0), Function("identity", (), 1)))
    choice = random.randrange(len(_ANYTHING) + 2)
    return value_of(random, _ANYTHING[choice], size) if choice < len(_ANYTHING) else _mixture(random, size)


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


def _patch_of(element: Maker) -> Callable[[Random, int], frozenset[Any]]:
    """A Set of locations or cells, of about as many as a grid of that size would show."""

    def make(random: Random, size: int) -> frozenset[Any]:
        count = 0 if random.randrange(16) == 0 else random.randrange(1, 2 * size + 2)
        return frozenset(element(random, size) for _ in range(count))

    return make


_some_cells = _patch_of(cell)


def _object(random: Random, size: int) -> frozenset[Any]:
    """Some cells, or every other time a connected object of one colour, as `objects` finds them."""
    if random.randrange(2):
        return _some_cells(random, size)
    its_color, spot = random.randrange(10), location(random, size)
    spots = [spot]
    for _ in range(random.randrange(2 * size + 1)):
        i, j = random.choice(spots)
        spots.append(random.choice(((i + 1, j), (i, j + 1), (i - 1, j), (i, j - 1), (i + 1, j + 1))))
    fits = (s for s in spots if all(LOWEST <= coordinate <= HIGHEST for coordinate in s))
    return frozenset((its_color, s) for s in fits)


def _samples(random: Random, size: int) -> tuple[Any, ...]:
    """Pairs of grids; one time in six no output differs from its input."""
    odds = 8 if random.randrange(6) else 1
    inputs = [grid(random, max(1, size - 2)) for _ in range(_length(random, size))]
    return tuple((one, grid(random, size) if random.randrange(odds) else one) for one in inputs)


def value_of(random: Random, wanted: StaticType, size: int = DEFAULT_SIZE) -> Value:
    """A value of a static type; each variable in it stands for one type, chosen at random.

    >>> value_of(Random(5), static_type("Set[(IJ, Integer)]"), size=1)
    frozenset({((0, 1), -1), ((0, 1), 0)})
    """
    if wanted.kind == "container":
        wanted = random.choice(list(without_containers(wanted)))
    if wanted.kind == "union":
        wanted = random.choice(wanted.parts)
    open_ones = dict.fromkeys(variables(wanted))
    wanted = resolved(wanted, {name: random.choice(_USUAL) for name in open_ones})
    maker = _MAKERS.get(wanted)
    if maker is not None:
        made: Value = maker(random, size)
        return made
    inner = max(1, size - 2)
    match wanted.kind:
        case "function" | "closure":
            return function_of(random, wanted) if wanted.settled else function(random, wanted.arity)
        case "pair":
            return tuple(value_of(random, part, size) for part in wanted.parts)
        case "tuple":
            return tuple(value_of(random, wanted.parts[0], inner) for _ in range(_length(random, size)))
        case "set":
            return frozenset(value_of(random, wanted.parts[0], inner) for _ in range(_length(random, size)))
        case "container" | "union":  # what a variable stood for
            return value_of(random, wanted, size)
    return anything(random, size)


_MAKERS: dict[StaticType, Maker] = {
    INTEGER: integer,
    IJ: location,
    CELL: cell,
    GRID: grid_or_none,
    INDICES: _patch_of(location),
    OBJECT: _object,
    SAMPLES: _samples,
    StaticType("tuple", (ROW,)): grid_or_none,
}
# The types that variables are bound to.
_USUAL = (
    INTEGER,
    IJ,
    CELL,
    OBJECT,
    INDICES,
    GRID,
    ROW,
    static_type("(Integer, Object)"),
    unknown_function(1),
    ANY,
)
_ANYTHING = (
    *(INTEGER, IJ, CELL, GRID, INDICES, OBJECT, SAMPLES),
    *map(static_type, ("Tuple[IJ]", "Tuple[Cell]", "k[Integer]", "k[Object]", "k[Grid]", "k[Tuple[IJ]]")),
    *map(static_type, ("FnAny", "Fn1", "Fns")),
)


def random_arguments(
    random: Random, op: Op, size: int = DEFAULT_SIZE
) -> tuple[tuple[Value, ...], StaticType]:
    """Random arguments for an op by its signature, and the type of the result it promises for them.

    >>> random_arguments(Random(1), TABLE["interval"])[1]
    Tuple[Integer]
    """
    arrow = random.choice(op.signature.alternatives)
    binding: Binding = {}
    arguments: dict[int, Value] = {}
    for place in binding_order(arrow.params):
        pattern, param = resolved(arrow.params[place], binding), op.params[place]
        if pattern.kind == "function":
            function = _function_argument(random, pattern, binding)
            if function is None:
                return random_arguments(random, op, size)
            arguments[place] = function
        elif param.type.static == "Integer":
            arguments[place] = random_argument(random, param, size)
        else:
            members = pattern.parts if pattern.kind == "union" else (pattern,)
            concrete = _bound(random, random.choice(members), binding)
            for _ in range(4):
                arguments[place] = value_of(random, concrete, size)
                if not _is_wanting(param, arguments[place]):
                    break
    return tuple(arguments[place] for place in range(op.arity)), closed(resolved(arrow.result, binding))


def _bound(random: Random, pattern: StaticType, binding: Binding) -> StaticType:
    """The pattern with a random type for every open variable, which is added to the binding."""
    for name in variables(resolved(pattern, binding)):
        binding.setdefault(name, random.choice(_USUAL[:-2]))
    return resolved(pattern, binding)


def _function_argument(random: Random, pattern: StaticType, binding: Binding) -> Function | None:
    """A function of a type whose result may be open; its result type is added to the binding."""
    arguments = tuple(_bound(random, part, binding) for part in pattern.parts[:-1])
    wanted = resolved(pattern.parts[-1], binding)
    takers = [taker for taker in op_index().takers(arguments, wanted) if taker.result.settled]
    if takers:
        chosen = random.choice(takers)
        STRICT.fits(wanted, chosen.result, binding)
        return Function(chosen.name, (), len(arguments))
    if len(arguments) > 1:
        return None
    return function_of(random, StaticType("function", (*arguments, _bound(random, wanted, binding))))


def function_of(random: Random, wanted: StaticType) -> Function:
    """A Function of a type: an op, an op with one argument bound, or a constant function.

    >>> function_of(Random(1), static_type("(Grid -> Integer)")).arity
    1
    """
    arguments, result = wanted.parts[:-1], wanted.parts[-1]
    takers = op_index().takers(arguments, result)
    if takers and random.randrange(2):
        return Function(random.choice(takers).name, (), wanted.arity)
    known = (
        taker for taker in op_index().partial_takers(arguments, result) if not taker.missing.holds_function
    )
    partial = [taker for taker in known if taker.arrow.result is result]
    if partial:
        chosen = random.choice(partial)
        place, binder = (0, "lbind") if chosen.is_first else (-1, "rbind")
        param = TABLE[chosen.name].params[place]
        plays_a_part = param.type.static == "Integer"
        fixed = random_argument(random, param) if plays_a_part else value_of(random, chosen.missing, 3)
        return Function(binder, (Function(chosen.name, (), wanted.arity + 1), fixed), wanted.arity)
    if takers:
        return Function(random.choice(takers).name, (), wanted.arity)
    if wanted.arity > 1:
        return function(random, wanted.arity)
    branch = Function("lbind", (Function("branch", (), 3), 0), 2)
    return Function("rbind", (branch, value_of(random, result, 3)), 1)
