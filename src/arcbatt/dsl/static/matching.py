"""Matching of patterns with types, which binds type variables: strictly, or as far as a value may fit."""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from typing import Literal, NamedTuple, TypeAlias

from arcbatt.dsl.static.types import ANY, GRID, NOTHING, ROW, StaticType, join, joined

Binding: TypeAlias = dict[str, StaticType]
Types: TypeAlias = tuple[StaticType, ...]
Application: TypeAlias = Callable[[StaticType, Types], StaticType | None]


def resolved(pattern: StaticType, binding: Mapping[str, StaticType]) -> StaticType:
    """The pattern with its bound variables replaced."""
    if not binding or not pattern.is_pattern:
        return pattern
    if pattern.kind == "variable":
        return binding.get(pattern.name, pattern)
    parts = tuple([resolved(part, binding) for part in pattern.parts])
    if pattern.kind == "container" and pattern.name in binding:
        return StaticType(binding[pattern.name].kind, parts)
    return pattern if parts == pattern.parts else StaticType(pattern.kind, parts, pattern.name, pattern.arity)


def variables(pattern: StaticType, kind: Literal["variable", "container"] = "variable") -> Iterator[str]:
    """The names of the variables in a pattern, or of its container variables, in order of occurrence."""
    if pattern.kind == kind:
        yield pattern.name
    if pattern.is_pattern:
        for part in pattern.parts:
            yield from variables(part, kind)


def closed(pattern: StaticType) -> StaticType:
    """The pattern with `any` for its variables, and with unions joined."""
    if not pattern.is_pattern:
        return pattern
    if pattern.kind in ("variable", "container"):
        return ANY
    parts = tuple(map(closed, pattern.parts))
    if pattern.kind == "union":
        return joined(parts)
    return StaticType(pattern.kind, parts, pattern.name, pattern.arity)


def without_containers(pattern: StaticType) -> Iterator[StaticType]:
    """The pattern with each container variable replaced by Tuple, and by Set.

    >>> from arcbatt.dsl.static.notation import static_type
    >>> list(without_containers(static_type("(k[a] -> k[b])")))
    [(Tuple[a] -> Tuple[b]), (Set[a] -> Set[b])]
    """
    names = dict.fromkeys(variables(pattern, "container"))
    for kinds in product((_TUPLE, _SET), repeat=len(names)):
        yield resolved(pattern, dict(zip(names, kinds)))


_TUPLE, _SET = StaticType("tuple", (ANY,)), StaticType("set", (ANY,))


class Arrow(NamedTuple):
    """One alternative of a signature: its parameters and its result, without container variables."""

    params: Types
    result: StaticType

    def __repr__(self) -> str:
        return f"{', '.join(map(repr, self.params))} -> {self.result!r}"

    def bound(self, binding: Mapping[str, StaticType]) -> "Arrow":
        """The arrow with its bound variables replaced."""
        return Arrow(
            tuple([resolved(param, binding) for param in self.params]), resolved(self.result, binding)
        )


@lru_cache(maxsize=1 << 14)
def binding_order(params: Types) -> tuple[int, ...]:
    """The indices of parameters in the order of matching, so that variables are bound before they are needed.

    Functions come last, each once the variables of its arguments are bound, otherwise from right to left.
    """
    pending = [place for place, param in enumerate(params) if param.holds_function]
    first = [place for place in range(len(params)) if place not in pending]
    order = sorted(first, key=lambda place: params[place].kind == "variable")
    known = {name for place in order for name in variables(params[place])}
    while pending:
        ready = (place for place in pending if known.issuperset(_needed(params[place])))
        place = next(ready, pending[-1])
        pending.remove(place)
        order.append(place)
        known.update(variables(params[place]))
    return tuple(order)


def _needed(pattern: StaticType) -> Iterator[str]:
    """The variables in the arguments of the functions in a pattern."""
    if pattern.kind == "function":
        for part in pattern.parts[:-1]:
            yield from variables(part)
    else:
        for part in pattern.parts:
            yield from _needed(part)


class Matching:
    """Matches patterns with types and binds their variables.

    Strictly, every value of the type must fit the pattern, and a variable has one type throughout; a pair and
    a grid serve as Tuples. Leniently, it is enough that some value may fit: `any` fits everywhere, and a
    variable is bound to the join of all types that it matches. `applied` gives the result type of a closure.

    >>> from arcbatt.dsl.static.notation import static_type
    >>> binding: Binding = {}
    >>> STRICT.fits(static_type("Tuple[a]"), GRID, binding), binding
    (True, {'a': Tuple[Integer]})
    >>> grid, rows = static_type("Grid"), static_type("Tuple[Tuple[Integer]]")
    >>> STRICT.fits(grid, rows, {}), LENIENT.fits(grid, rows, {})
    (False, True)
    """

    def __init__(self, lenient: bool = False, applied: Application | None = None) -> None:
        self.lenient = lenient
        self._applied = applied

    def result(self, arrow: Arrow, arguments: Types) -> StaticType | None:
        """The result type of an op for these arguments, by one alternative; None if they do not match."""
        binding: Binding = {}
        for place in binding_order(arrow.params):
            if not self.fits(arrow.params[place], arguments[place], binding):
                return None
        return closed(resolved(arrow.result, binding))

    def fits(self, pattern: StaticType, actual: StaticType, binding: Binding) -> bool:
        """Whether a type fits a pattern; extends the binding by the variables of the pattern."""
        if pattern is actual and not pattern.is_pattern:
            return True
        match pattern.kind:
            case "variable":
                return self._binds(pattern.name, actual, binding)
            case "any":
                return True
            case "union":
                return any(self._fits_one(part, actual, binding) for part in pattern.parts)
            case "container":
                return any(self._fits_one(part, actual, binding) for part in without_containers(pattern))
        if actual is NOTHING or pattern is NOTHING:
            return True
        if actual.kind in ("any", "union", "variable"):
            return self.lenient
        if pattern.kind == "function":
            return actual.is_function and self._fits_function(pattern, actual, binding)
        if pattern.kind == "tuple" and actual.kind in ("pair", "grid"):
            if actual is GRID and pattern.parts[0].kind == "pair":
                return False  # only a grid of two columns is a Tuple of pairs
            parts = actual.parts or (ROW,)
            return all(self.fits(pattern.parts[0], part, binding) for part in parts)
        if pattern.kind == actual.kind:
            return len(pattern.parts) == len(actual.parts) and self.all_fit(
                pattern.parts, actual.parts, binding
            )
        return self.lenient and self._may_fit(pattern, actual, binding)

    def _fits_one(self, pattern: StaticType, actual: StaticType, binding: Binding) -> bool:
        """Like `fits`, but a mismatch leaves the binding unchanged."""
        extended = dict(binding)
        if not self.fits(pattern, actual, extended):
            return False
        binding.update(extended)
        return True

    def all_fit(self, patterns: Types, types: Types, binding: Binding) -> bool:
        """Whether each type fits the pattern at its index."""
        return all(self.fits(pattern, actual, binding) for pattern, actual in zip(patterns, types))

    def _binds(self, name: str, actual: StaticType, binding: Binding) -> bool:
        bound = binding.get(name)
        if bound is None or bound is actual:
            binding[name] = actual
            return True
        if not self.lenient and not bound.hollow and not actual.hollow:
            if self.fits(bound, actual, {}):
                return True
            if not self.fits(actual, bound, {}):
                return False
        binding[name] = join(bound, actual)
        return True

    def _may_fit(self, pattern: StaticType, actual: StaticType, binding: Binding) -> bool:
        """Whether some Tuple has both types, if one of them does not fix the length."""
        if pattern.kind == "pair" and actual.kind == "tuple":
            return self.all_fit(pattern.parts, actual.parts * 2, binding)
        if pattern is GRID and actual.kind in ("tuple", "pair"):
            return all(self.fits(ROW, element, binding) for element in actual.parts)
        return False

    def _fits_function(self, pattern: StaticType, actual: StaticType, binding: Binding) -> bool:
        if pattern.arity != actual.arity:
            return False
        if actual.kind == "function":
            return self.all_fit(pattern.parts, actual.parts, binding)
        arguments = tuple([closed(resolved(part, binding)) for part in pattern.parts[:-1]])
        given = self._applied(actual, arguments) if self._applied is not None else ANY
        return given is not None and self.fits(pattern.parts[-1], given, binding)


STRICT = Matching()
LENIENT = Matching(lenient=True)
