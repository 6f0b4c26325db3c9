"""Static types: what is known about a value before a program runs, and the patterns of signatures."""

from collections.abc import Iterable
from functools import cache, reduce
from typing import ClassVar, Literal

from arcbatt.dsl.types import is_grid
from arcbatt.dsl.values import Function, Value, is_location, ordered, sort_of
from arcbatt.interning import InternTable

TypeKind = Literal[
    "integer",
    "grid",
    "pair",
    "tuple",
    "set",
    "function",
    "closure",
    "any",
    "nothing",
    "union",
    "variable",
    "container",
]

DEEPEST = 12  # A type nested deeper becomes `any`.


class StaticType:
    """A type, or with variables a pattern of types; equal ones are one object.

    `pair` is a Tuple of two, `tuple` and `set` hold elements of one type. The last part of a `function` is
    its result. A `closure` is a function known by name and by the types of its parts; its result type depends
    on its arguments. `nothing` is the element type of an empty container, `any` is unknown.
    Only patterns hold a `variable`, a `union` or a `container`, which is a Tuple or a Set.

    `settled`: fully known. `hollow`: holds an empty container, so an element type is missing.
    `holds_function`: is a function or a container of some.

    >>> type_of(frozenset({(3, (0, 1))})), type_of(((0, 1, 2), (3, 4, 5))), type_of(((1, 2), 3))
    (Object, Grid, (IJ, Integer))
    """

    __slots__ = (
        "__weakref__",
        "arity",
        "depth",
        "holds_function",
        "hollow",
        "is_function",
        "is_pattern",
        "kind",
        "name",
        "parts",
        "settled",
    )
    _known: ClassVar["InternTable[StaticType]"] = InternTable()

    kind: TypeKind
    parts: tuple["StaticType", ...]
    name: str
    arity: int
    depth: int
    settled: bool
    hollow: bool
    is_pattern: bool
    is_function: bool
    holds_function: bool

    def __new__(
        cls, kind: TypeKind, parts: tuple["StaticType", ...] = (), name: str = "", arity: int = 0
    ) -> "StaticType":
        """The type with these parts; closures, variables and unions have a name, closures an arity."""
        key = (kind, parts, name, arity)
        known = cls._known.get(key)
        if known is not None:
            return known
        depth = 1 + max((part.depth for part in parts), default=0)
        if depth > DEEPEST:
            return unknown_function(arity) if kind == "closure" else ANY
        new = super().__new__(cls)
        new.kind, new.parts, new.name, new.depth = kind, parts, name, depth
        new.arity = len(parts) - 1 if kind == "function" else arity
        new.is_pattern = kind in ("variable", "union", "container") or any(part.is_pattern for part in parts)
        new.settled = kind != "any" and not new.is_pattern and all(part.settled for part in parts)
        new.is_function = kind in ("function", "closure")
        new.holds_function = new.is_function or any(part.holds_function for part in parts)
        new.hollow = kind == "nothing" or any(part.hollow for part in parts)
        return cls._known.keep(key, new)

    def __repr__(self) -> str:
        named = _NAMES.get(self)
        if named is not None:
            return named
        inner = ", ".join(map(repr, self.parts[: -1 if self.kind == "function" else None]))
        match self.kind:
            case "pair":
                return f"({inner})"
            case "function":
                return f"({inner} -> {self.parts[-1]!r})"
            case "tuple" | "set":
                return f"{self.kind.capitalize()}[{inner}]"
            case "container":
                return f"{self.name}[{inner}]"
            case "closure":
                return f"{self.name}({inner})" if inner else self.name
            case "union":
                return self.name or " | ".join(map(repr, self.parts))
            case _:
                return self.name or self.kind


ANY = StaticType("any")
NOTHING = StaticType("nothing")
INTEGER = StaticType("integer")
GRID = StaticType("grid")
IJ = StaticType("pair", (INTEGER, INTEGER))
CELL = StaticType("pair", (INTEGER, IJ))
INDICES = StaticType("set", (IJ,))
OBJECT = StaticType("set", (CELL,))
SAMPLES = StaticType("tuple", (StaticType("pair", (GRID, GRID)),))
ROW = StaticType("tuple", (INTEGER,))

NAMED = {
    "Integer": INTEGER,
    "IJ": IJ,
    "Cell": CELL,
    "Grid": GRID,
    "Indices": INDICES,
    "Object": OBJECT,
    "Samples": SAMPLES,
}
_NAMES = {known: name for name, known in NAMED.items()}
_TYPES_OF_SETS = {"indices": INDICES, "object": OBJECT}


@cache
def unknown_function(arity: int) -> StaticType:
    """The type of functions of which only the arity is known.

    >>> unknown_function(2)
    (any, any -> any)
    """
    return StaticType("function", (ANY,) * (arity + 1))


def type_of(value: Value) -> StaticType:
    """The type of a value; a primitive function is a closure without parts.

    >>> type_of((1, 2, 3)), type_of((1, 2)), type_of(())
    (Tuple[Integer], IJ, Tuple[nothing])
    """
    if type(value) is int:
        return INTEGER
    if isinstance(value, Function):
        return StaticType("closure", tuple(map(type_of, value.parts)), value.name, value.arity)
    if isinstance(value, frozenset):
        return _TYPES_OF_SETS.get(sort_of(value)) or StaticType(
            "set", (joined(map(type_of, ordered(value))),)
        )
    assert isinstance(value, tuple)
    if value and is_grid(value) and len(value[0]) != 2:
        return GRID
    if len(value) == 2:
        return IJ if is_location(value) else StaticType("pair", tuple(map(type_of, value)))
    return StaticType("tuple", (joined(map(type_of, value)),))


def joined(types: Iterable[StaticType]) -> StaticType:
    """The narrowest type that covers all of the types: their least upper bound."""
    return reduce(join, types, NOTHING)


def join(one: StaticType, other: StaticType) -> StaticType:
    """The narrowest type that covers both types: their least upper bound.

    >>> join(type_of((1, 2)), type_of((1, 2, 3))), join(INDICES, type_of(frozenset())), join(IJ, OBJECT)
    (Tuple[Integer], Indices, any)
    """
    if one is other or other is NOTHING:
        return one
    if one is NOTHING:
        return other
    if one.kind == other.kind and one.kind in ("set", "pair"):
        return StaticType(one.kind, tuple(map(join, one.parts, other.parts)))
    if one.is_function and other.is_function and one.arity == other.arity:
        if one.kind == other.kind and one.name == other.name and len(one.parts) == len(other.parts):
            return StaticType(one.kind, tuple(map(join, one.parts, other.parts)), one.name, one.arity)
        return unknown_function(one.arity)
    first, second = element_of(one), element_of(other)
    if first is None or second is None:
        return ANY
    if GRID in (one, other) and NOTHING in (first, second):
        return GRID
    return StaticType("tuple", (join(first, second),))


def element_of(container: StaticType) -> StaticType | None:
    """The element type of a Tuple type; None for any other type.

    >>> element_of(GRID), element_of(IJ), element_of(INDICES)
    (Tuple[Integer], Integer, None)
    """
    if container is GRID:
        return ROW
    return joined(container.parts) if container.kind in ("tuple", "pair") else None
