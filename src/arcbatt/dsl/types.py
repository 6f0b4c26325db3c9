"""Parameter and result types: exact predicates, typed defaults, and the annotations that op bodies use."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from operator import not_
from typing import Annotated, Any, Literal

from arcbatt.dsl.values import Function, Value, is_cell, is_location, size_of, sort_of

NOTHING = ()
NO_ELEMENTS: frozenset[Any] = frozenset()
# The types whose values are all Tuples.
TUPLE_KINDS = (
    "Cell",
    "Grid0",
    "IJ",
    "IntegersT",
    "LocationsT",
    "Samples",
    "Tuple",
)

# The types whose names differ in the notation of signatures (`dsl/static/notation.py`).
STATIC = {
    "Any": "a",
    "Boolean": "Integer",
    "Numerical": "Integer | IJ",
    "Tuple": "Tuple[a]",
    "Set": "Set[a]",
    "Container": "k[a]",
    "SetOrTuple": "k[a]",
    "Containers": "k[m[a]]",
    "Integers": "Tuple[Integer] | Set[Integer]",
    "IntegersT": "Tuple[Integer]",
    "LocationsT": "Tuple[IJ]",
    "Patch": "Indices | Object",
    "PatchT": "Indices | Object | Tuple[IJ] | Tuple[Cell]",
    "PatchC": "Indices | Object | Tuple[Cell]",
    "ObjectT": "Object | Tuple[Cell]",
    "Objects": "Set[Object] | Tuple[Object] | Set[Tuple[Cell]] | Tuple[Tuple[Cell]]",
    "Grid0": "Grid",
    "Element": "Grid | Object",
    "Piece": "Grid | Indices | Object",
    "IndicesT": "Indices | Tuple[IJ]",
    "Fn1": "(a -> b)",
    "Fn2": "(a, b -> c)",
    "Fn": "(a, b -> c) | (a, b, c -> d) | (a, b, c, d -> e)",
    "FnAny": "(a -> b) | (a, b -> c) | (a, b, c -> d) | (a, b, c, d -> e)",
    "Condition": "(a -> Integer)",
    "Gatherer": "(a -> k[b])",
    "Fns": "k[(a -> b)]",
}

# The default of a failed op that builds functions: x -> (), expressed in the language.
RETURNS_NOTHING = Function("rbind", (Function("lbind", (Function("branch", (), 3), 0), 2), NOTHING), 1)


def _size_of_grid(value: Any) -> tuple[int, int]:
    return (1 + len(value) * (1 + len(value[0])), 2) if value else (1, 1)


@dataclass(frozen=True)
class Type:
    """The values that a parameter admits; for a result, what to expect and the default on failure."""

    name: str
    admits: Callable[[Any], bool] = field(repr=False)
    default: Value = field(repr=False)
    doc: str = field(repr=False)
    size: Callable[[Any], tuple[int, int]] = field(default=size_of, repr=False)
    is_empty: Callable[[Any], bool] = field(default=not_, repr=False)
    is_function: bool = field(default=False, repr=False)

    @property
    def static(self) -> str:
        """The type in the notation of signatures."""
        return STATIC.get(self.name, self.name)

    @cached_property
    def is_ground(self) -> bool:
        """Whether all its values are of known static types, without variables."""
        return re.search(r"\b[a-z]\b", self.static) is None

    @property
    def is_one(self) -> bool:
        """Whether all its values are of one known static type."""
        return self.is_ground and "|" not in self.static

    @property
    def stand_in(self) -> Value | None:
        """The value of a failed line in failure mode `pile`: an empty Set or Tuple, or None."""
        if self.default == NO_ELEMENTS:
            return NO_ELEMENTS
        return NOTHING if self.name in TUPLE_KINDS else None


Requirement = Literal["filled", "nonzero"]
Role = Literal["color", "rank", "code", "turn"]


def has_no_cells(value: Any) -> bool:
    """Whether an Object is empty, or a grid has no rows or only empty ones."""
    return not value or (type(value) is tuple and not value[0])


def has_zero(value: Any) -> bool:
    """Whether an Integer is 0, or one of a pair is."""
    return value == 0 if type(value) is int else 0 in value


def _is_integer(value: Any) -> bool:
    return type(value) is int


def _is_tuple(value: Any) -> bool:
    return type(value) is tuple


def _is_set(value: Any) -> bool:
    return type(value) is frozenset


def is_container(value: Any) -> bool:
    """Whether a value is a Tuple or a Set."""
    return type(value) is tuple or type(value) is frozenset


def _holds(kind: Callable[[Any], bool], element: Callable[[Any], bool]) -> Callable[[Any], bool]:
    def admits(value: Any) -> bool:
        return kind(value) and all(map(element, value))

    return admits


def _is_set_of(*sorts: str) -> Callable[[Any], bool]:
    def admits(value: Any) -> bool:
        return type(value) is frozenset and sort_of(value) in sorts

    return admits


def _either(*parts: Callable[[Any], bool]) -> Callable[[Any], bool]:
    def admits(value: Any) -> bool:
        return any(part(value) for part in parts)

    return admits


def is_grid(value: Any) -> bool:
    """Whether a value is `()` or a Tuple of equally long Tuples of Integers."""
    if type(value) is not tuple:
        return False
    if not value:
        return True
    if set(map(type, value)) != {tuple}:
        return False
    width = len(value[0])
    return all(len(row) == width and set(map(type, row)) <= {int} for row in value)


def is_filled_grid(value: Any) -> bool:
    """Whether a value is a grid with cells."""
    return is_grid(value) and not has_no_cells(value)


def _is_sample(value: Any) -> bool:
    return type(value) is tuple and len(value) == 2 and all(map(is_filled_grid, value))


def _takes(*arities: int) -> Callable[[Any], bool]:
    def admits(value: Any) -> bool:
        return isinstance(value, Function) and value.arity in arities

    return admits


_is_indices = _is_set_of("empty", "indices")
_is_object = _is_set_of("empty", "object")
_is_patch = _is_set_of("empty", "indices", "object")
_is_locations = _holds(_is_tuple, is_location)
_is_cells = _holds(_is_tuple, is_cell)
_is_object_or_cells = _either(_is_object, _is_cells)

ANY = Type("Any", lambda value: True, NOTHING, "any value")
INTEGER = Type("Integer", _is_integer, 0, "an Integer", lambda value: (1, 0))
BOOLEAN = Type("Boolean", _is_integer, 0, "an Integer; 0 is false, all else is true", lambda value: (1, 0))
IJ_ = Type("IJ", is_location, NOTHING, "a pair of Integers (row, column)")
NUMERICAL = Type("Numerical", _either(_is_integer, is_location), 0, "an Integer or a pair of Integers")
CELL = Type("Cell", is_cell, NOTHING, "a pair (colour, (row, column))")
TUPLE = Type("Tuple", _is_tuple, NOTHING, "a Tuple of anything")
SET = Type("Set", _is_set, NO_ELEMENTS, "a Set of anything")
CONTAINER = Type("Container", is_container, NOTHING, "a Tuple or a Set")
SET_OR_TUPLE = Type("SetOrTuple", is_container, NO_ELEMENTS, "a Set; of a Tuple, a Tuple")
CONTAINERS = Type("Containers", _holds(is_container, is_container), NOTHING, "a Container of Containers")
INTEGERS = Type("Integers", _holds(is_container, _is_integer), NOTHING, "a Container of Integers")
INTEGERS_T = Type("IntegersT", _holds(_is_tuple, _is_integer), NOTHING, "a Tuple of Integers")
LOCATIONS_T = Type("LocationsT", _is_locations, NOTHING, "a Tuple of locations")
INDICES = Type("Indices", _is_indices, NO_ELEMENTS, "a Set of locations")
OBJECT = Type("Object", _is_object, NO_ELEMENTS, "a Set of Cells")
PATCH = Type("Patch", _is_patch, NO_ELEMENTS, "Indices or an Object")
PATCH_T = Type(
    "PatchT", _either(_is_patch, _is_locations, _is_cells), NO_ELEMENTS, "a Patch, or one as a Tuple"
)
PATCH_C = Type("PatchC", _either(_is_patch, _is_cells), NO_ELEMENTS, "a Patch, or a Tuple of Cells")
OBJECT_T = Type("ObjectT", _is_object_or_cells, NO_ELEMENTS, "an Object, or a Tuple of Cells")
OBJECTS = Type("Objects", _holds(is_container, _is_object_or_cells), NO_ELEMENTS, "a Container of Objects")
GRID0 = Type(
    "Grid0", is_grid, NOTHING, "equally long rows of Integers, perhaps none", _size_of_grid, has_no_cells
)
ELEMENT = Type(
    "Element", _either(is_grid, _is_object), NOTHING, "a Grid0 or an Object", is_empty=has_no_cells
)
PIECE = Type("Piece", _either(is_grid, _is_patch), NOTHING, "a Grid0 or a Patch")
INDICES_T = Type(
    "IndicesT", _either(_is_indices, _is_locations), NO_ELEMENTS, "Indices, or a Tuple of locations"
)
SAMPLES = Type("Samples", _holds(_is_tuple, _is_sample), NOTHING, "a Tuple of (Grid, Grid) pairs")
FN1 = Type("Fn1", _takes(1), RETURNS_NOTHING, "a Function of one argument", is_function=True)
FN2 = Type("Fn2", _takes(2), RETURNS_NOTHING, "a Function of two arguments", is_function=True)
FN = Type("Fn", _takes(2, 3, 4), RETURNS_NOTHING, "a Function of two to four arguments", is_function=True)
FN_ANY = Type("FnAny", _takes(1, 2, 3, 4), RETURNS_NOTHING, "any Function", is_function=True)
CONDITION = Type("Condition", _takes(1), RETURNS_NOTHING, "a Fn1 that gives Integers", is_function=True)
GATHERER = Type("Gatherer", _takes(1), RETURNS_NOTHING, "a Fn1 that gives Containers", is_function=True)
FNS = Type("Fns", _holds(is_container, _takes(1)), NOTHING, "a Container of Fn1", is_function=True)

TYPES = {kind.name: kind for kind in tuple(vars().values()) if isinstance(kind, Type)}

_Tuple = tuple[Any, ...]
_Set = frozenset[Any]

AnyValue = Annotated[Any, ANY]
Integer = Annotated[int, INTEGER]
NonZero = Annotated[int, INTEGER, "nonzero"]
Boolean = Annotated[int, BOOLEAN]
Color = Annotated[int, INTEGER, "color"]
Rank = Annotated[int, INTEGER, "rank"]
Code = Annotated[int, INTEGER, "code", range(8)]
Side = Annotated[int, INTEGER, "code", range(4)]
Turn = Annotated[int, INTEGER, "turn", range(8)]
PatchTurn = Annotated[int, INTEGER, "turn", range(5)]
IJ = Annotated[tuple[int, int], IJ_]
Numerical = Annotated[Any, NUMERICAL]
Divisor = Annotated[Any, NUMERICAL, "nonzero"]
Cell = Annotated[tuple[int, tuple[int, int]], CELL]
Tuple = Annotated[_Tuple, TUPLE]
FilledTuple = Annotated[_Tuple, TUPLE, "filled"]
Set = Annotated[_Set, SET]
FilledSet = Annotated[_Set, SET, "filled"]
Container = Annotated[_Tuple | _Set, CONTAINER]
FilledContainer = Annotated[_Tuple | _Set, CONTAINER, "filled"]
SetOrTuple = Annotated[_Tuple | _Set, SET_OR_TUPLE]
Containers = Annotated[_Tuple | _Set, CONTAINERS]
Integers = Annotated[_Tuple | _Set, INTEGERS]
FilledIntegers = Annotated[_Tuple | _Set, INTEGERS, "filled"]
IntegersT = Annotated[_Tuple, INTEGERS_T]
LocationsT = Annotated[_Tuple, LOCATIONS_T]
Indices = Annotated[_Set, INDICES]
Object = Annotated[_Set, OBJECT]
FilledObject = Annotated[_Set, OBJECT, "filled"]
Patch = Annotated[_Set, PATCH]
FilledPatch = Annotated[_Set, PATCH, "filled"]
PatchT = Annotated[_Tuple | _Set, PATCH_T]
FilledPatchT = Annotated[_Tuple | _Set, PATCH_T, "filled"]
PatchC = Annotated[_Tuple | _Set, PATCH_C]
FilledPatchC = Annotated[_Tuple | _Set, PATCH_C, "filled"]
ObjectT = Annotated[_Tuple | _Set, OBJECT_T]
FilledObjectT = Annotated[_Tuple | _Set, OBJECT_T, "filled"]
Objects = Annotated[_Tuple | _Set, OBJECTS]
Grid0 = Annotated[_Tuple, GRID0]
Grid = Annotated[_Tuple, GRID0, "filled"]
Element = Annotated[_Tuple | _Set, ELEMENT]
FilledElement = Annotated[_Tuple | _Set, ELEMENT, "filled"]
Piece = Annotated[_Tuple | _Set, PIECE]
IndicesT = Annotated[_Tuple | _Set, INDICES_T]
Samples = Annotated[_Tuple, SAMPLES]
FilledSamples = Annotated[_Tuple, SAMPLES, "filled"]
Fn1 = Annotated[Any, FN1]
Fn2 = Annotated[Any, FN2]
Fn = Annotated[Any, FN]
FnAny = Annotated[Any, FN_ANY]
Condition = Annotated[Any, CONDITION]
Gatherer = Annotated[Any, GATHERER]
Fns = Annotated[Any, FNS]
