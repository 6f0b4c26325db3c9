"""Forms: what is known of a value before a program runs, found by looking at values and testing specimens."""

from collections.abc import Iterable
from functools import cache, reduce
from typing import Any, ClassVar, Literal
from weakref import WeakValueDictionary

from arcbatt.dsl.types import Type, is_grid
from arcbatt.dsl.values import Function, Value, is_location, ordered, sort_of

FormKind = Literal["integer", "grid", "pair", "tuple", "set", "function", "nothing", "any"]

DEEPEST = 12  # What is built deeper than this is taken for anything.
MOST_SPECIMENS = 4
ARROW = "->"  # a function of which only what it gives is known: its part
UNKNOWN = "?"  # a function that is to be asked for


class Arrow(Function):
    """A function of which only what it gives is known: any of its parts."""

    __slots__ = ()

    def _require_fitting_parts(self) -> None:
        """Any parts fit."""


class Form:
    """The form of a value: an Integer, a grid, a pair, a Tuple or Set of one form, a function with its parts.

    Equal forms are one object. `nothing` is the form of the elements of an empty container; what has such a
    part is hollow. A form is settled if no part of it is open; of a function without a name only the arity is
    known.

    >>> form_of(frozenset({(3, (0, 1))})), form_of(((0, 1, 2), (3, 4, 5)))
    (set[pair[integer, pair[integer, integer]]], grid)
    """

    __slots__ = (
        "__weakref__",
        "_admitted",
        "_specimens",
        "arity",
        "depth",
        "hollow",
        "kind",
        "name",
        "parts",
        "settled",
    )
    _known: ClassVar["WeakValueDictionary[tuple[Any, ...], Form]"] = WeakValueDictionary()

    kind: FormKind
    parts: tuple["Form", ...]
    name: str
    arity: int
    depth: int
    settled: bool
    hollow: bool
    _admitted: dict[str, bool]
    _specimens: tuple[Value, ...] | None

    def __new__(
        cls, kind: FormKind, parts: tuple["Form", ...] = (), name: str = "", arity: int = 0
    ) -> "Form":
        """The form with these parts; a function has a name and an arity."""
        key = (kind, parts, name, arity)
        known = cls._known.get(key)
        if known is not None:
            return known
        depth = 1 + max((part.depth for part in parts), default=0)
        if depth > DEEPEST:
            return _functions(arity) if kind == "function" else ANY
        form = super().__new__(cls)
        form.kind, form.parts, form.name, form.arity, form.depth = kind, parts, name, arity, depth
        is_open = kind == "any" or (kind == "function" and not name)
        form.settled = not is_open and all(part.settled for part in parts)
        form.hollow = kind == "nothing" or any(part.hollow for part in parts)
        form._admitted = {}
        form._specimens = None
        return cls._known.setdefault(key, form)

    @property
    def specimens(self) -> tuple[Value, ...]:
        """A few values of the form; of an open one, some of what it may be."""
        if self._specimens is None:
            self._specimens = _BANK.get(self) or _built(self)
        return self._specimens

    def __repr__(self) -> str:
        inner = f"[{', '.join(map(repr, self.parts))}]" if self.parts else ""
        return (self.name or f"function/{self.arity}" if self.kind == "function" else self.kind) + inner


ANY = Form("any")
NOTHING = Form("nothing")
INTEGER = Form("integer")
GRID = Form("grid")
LOCATION = Form("pair", (INTEGER, INTEGER))
CELL = Form("pair", (INTEGER, LOCATION))
INDICES = Form("set", (LOCATION,))
OBJECT = Form("set", (CELL,))
SAMPLES = Form("tuple", (Form("pair", (GRID, GRID)),))
ROW = Form("tuple", (INTEGER,))
_EMPTY = Form("tuple", (NOTHING,))
_SETS: dict[str, Form] = {"indices": INDICES, "object": OBJECT}

# Small numbers and few colours, so that filters find something; no grid is two cells wide, as locations are.
_BANK: dict[Form, tuple[Value, ...]] = {
    INTEGER: (1, 0, 2, 3),
    GRID: (
        ((1, 0, 1), (0, 3, 0), (1, 0, 1)),
        ((2, 0, 0, 0), (0, 2, 0, 1), (0, 0, 2, 0)),
        ((0, 0, 0, 0, 0), (0, 1, 0, 2, 2), (0, 0, 0, 2, 0), (3, 3, 3, 3, 3), (0, 0, 1, 0, 0)),
    ),
    INDICES: (frozenset({(0, 1), (1, 1), (1, 2)}), frozenset({(2, 2)}), frozenset({(0, 0), (2, 1)})),
    OBJECT: (
        frozenset({(1, (0, 0))}),
        frozenset((2, (i, j)) for i in range(3) for j in range(3) if i + j < 4),
        frozenset({(3, (2, 0)), (1, (2, 1))}),
    ),
}


def _built(form: Form) -> tuple[Value, ...]:
    """Specimens made from those of the parts."""
    columns = [part.specimens for part in form.parts]
    rows = range(min(MOST_SPECIMENS, max(map(len, columns), default=1)))
    if form.kind == "any":
        return tuple(value for each in _usual() for value in each.specimens[:2])
    if form.name == ARROW:
        return (Arrow(ARROW, columns[0], form.arity),)
    if form.kind == "function" and all(columns):
        parts = (tuple(column[row % len(column)] for column in columns) for row in rows)
        return tuple(Function(form.name or "identity", part, form.arity) for part in parts)
    if form.kind == "pair" and all(columns):
        return tuple(
            (columns[0][row % len(columns[0])], columns[1][(row + 1) % len(columns[1])]) for row in rows
        )
    if form.kind in ("tuple", "set"):
        elements = columns[0]
        choices = [elements[:3], elements[1:2] or elements, elements[2:] + elements[:1]]
        if form.parts[0] is ANY:
            choices = [(element,) for element in elements]
        make = tuple if form.kind == "tuple" else frozenset
        return tuple(dict.fromkeys(make(choice) for choice in choices))
    return ()


@cache
def _usual() -> tuple[Form, ...]:
    """The forms that types are tested with."""
    elements = (INTEGER, LOCATION, CELL, GRID, INDICES, OBJECT, ROW)
    functions = (Form("function", (), name, arity) for name, arity in _FUNCTIONS)
    held = (*elements, _functions(1), Form("tuple", (LOCATION,)), Form("tuple", (CELL,)))
    containers = (Form(kind, (element,)) for kind in ("tuple", "set") for element in held)
    return tuple(dict.fromkeys((*elements, *functions, SAMPLES, *containers)))


_FUNCTIONS = (("identity", 1), ("size", 1), ("astuple", 2), ("add", 2), ("branch", 3), ("objects", 4))


def form_of(value: Value) -> Form:
    """The form of a value.

    >>> form_of((1, 2, 3)), form_of((1, 2)), form_of(((1, 2), 3))
    (tuple[integer], pair[integer, integer], pair[pair[integer, integer], integer])
    """
    if type(value) is int:
        return INTEGER
    if isinstance(value, Function):
        return Form("function", tuple(map(form_of, value.parts)), value.name, value.arity)
    if isinstance(value, frozenset):
        return _SETS.get(sort_of(value)) or Form("set", (_joined(map(form_of, ordered(value))),))
    assert isinstance(value, tuple)
    if value and is_grid(value) and len(value[0]) != 2:
        return GRID
    if len(value) == 2:
        return LOCATION if is_location(value) else Form("pair", (form_of(value[0]), form_of(value[1])))
    return Form("tuple", (_joined(map(form_of, value)),))


def _joined(forms: Iterable[Form]) -> Form:
    return reduce(join, forms, NOTHING)


def join(one: Form, other: Form) -> Form:
    """The narrowest form of all values that are of one or of the other.

    >>> join(form_of((1, 2)), form_of((1, 2, 3))), join(INDICES, form_of(frozenset()))
    (tuple[integer], set[pair[integer, integer]])
    """
    if one is other or other is NOTHING:
        return one
    if one is NOTHING:
        return other
    if one.kind == other.kind and one.kind in ("set", "pair"):
        return Form(one.kind, tuple(map(join, one.parts, other.parts)))
    if one.kind == other.kind == "function" and one.arity == other.arity:
        if one.name == other.name and len(one.parts) == len(other.parts):
            return Form("function", tuple(map(join, one.parts, other.parts)), one.name, one.arity)
        return _functions(one.arity)
    first, second = _element(one), _element(other)
    if first is None or second is None:
        return ANY
    if one is GRID or other is GRID:
        narrow = second if one is GRID else first
        if narrow in (LOCATION, _EMPTY, NOTHING):
            return GRID
    return Form("tuple", (join(first, second),))


def _element(form: Form) -> Form | None:
    """The form of the elements of a form of Tuples."""
    if form is GRID:
        return ROW
    return _joined(form.parts) if form.kind in ("tuple", "pair") else None


def may_be(kind: Type, form: Form) -> bool:
    """Whether a type admits some values of a form.

    >>> from arcbatt.dsl.types import PIECE
    >>> may_be(PIECE, GRID), may_be(PIECE, INTEGER)
    (True, False)
    """
    if form.kind == "function":
        form = _functions(
            form.arity
        )  # types tell functions apart by nothing but the number of their arguments
    known = form._admitted.get(kind.name)
    if known is None:
        known = form._admitted[kind.name] = form is NOTHING or any(map(kind.admits, form.specimens))
    return known


@cache
def _functions(arity: int) -> Form:
    return Form("function", (), "", arity)


def declared(kind: Type) -> Form:
    """What a type says of the form of its values.

    >>> from arcbatt.dsl.types import GRID0, INTEGERS_T, NUMERICAL
    >>> declared(GRID0), declared(INTEGERS_T), declared(NUMERICAL)
    (grid, tuple[integer], any)
    """
    return _joined(form for form in _usual() if all(map(kind.admits, form.specimens)))


def specimens(kind: Type) -> tuple[Value, ...]:
    """Values of a type, of every form that it admits.

    >>> from arcbatt.dsl.types import IJ_
    >>> specimens(IJ_)
    ((1, 0), (0, 2), (2, 3), (3, 1))
    """
    return tuple(value for form in _usual() for value in form.specimens if kind.admits(value))


def extent(kind: Type) -> int:
    """The usual forms of which a type admits some values, as bits: types with a bit in common may overlap."""
    return sum(1 << place for place, form in enumerate(_usual()) if may_be(kind, form))
