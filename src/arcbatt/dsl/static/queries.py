"""Queries on the op table by static type: the result type of an op, and the ops that take or give types."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.dsl.static.matching import (
    LENIENT,
    STRICT,
    Arrow,
    Binding,
    Matching,
    Types,
    binding_order,
    closed,
    resolved,
)
from arcbatt.dsl.static.types import ANY, INTEGER, StaticType, join, joined
from arcbatt.dsl.table import TABLE, Op
from arcbatt.dsl.values import PART_ARITIES

REMEMBERED = 1 << 16


class Taker(NamedTuple):
    """An op that takes some arguments, and its result type for them."""

    name: str
    result: StaticType


class PartialTaker(NamedTuple):
    """An op that takes some arguments and lacks one more: its first, or else its last."""

    name: str
    arrow: Arrow
    is_first: bool

    @property
    def missing(self) -> StaticType:
        """The type of the argument that is missing."""
        return self.arrow.params[0 if self.is_first else -1]


class Giver(NamedTuple):
    """An op that gives some type, with the argument types that it needs for that."""

    name: str
    arrow: Arrow


class OpIndex:
    """The ops of the table by their static types; every answer is cached.

    >>> from arcbatt.dsl.static.types import GRID, IJ, INDICES, OBJECT
    >>> index = op_index()
    >>> index.result("objects", (GRID, INTEGER, INTEGER, INTEGER))
    Set[Object]
    >>> print(index.result("rot90", (INTEGER,)))
    None
    >>> [taker for taker in index.takers((INDICES, IJ), wanted=INDICES) if taker.name == "shift"]
    [Taker(name='shift', result=Indices)]
    >>> [taker for taker in index.partial_takers((OBJECT,), wanted=OBJECT) if taker.name == "upscale_f"]
    [PartialTaker(name='upscale_f', arrow=Object, Integer -> Object, is_first=False)]
    """

    def __init__(self) -> None:
        self.table: list[Op] = list(TABLE.values())
        self._ops = {op.name: op for op in self.table}
        self._by_arity: dict[int, list[Op]] = {}
        representatives: dict[object, str] = {}
        self._like: dict[str, str] = {}  # for each op the first of the same signature
        self.functions: dict[str, StaticType] = {}
        for op in self.table:
            self._by_arity.setdefault(op.arity, []).append(op)
            # Ops of one signature have one type as function values.
            name = op.name if op.name in _BUILDERS else representatives.setdefault(op.signature, op.name)
            self._like[op.name] = name
            self.functions[op.name] = StaticType("closure", (), name, op.arity)
        remember = lru_cache(REMEMBERED)
        self._strictly = remember(self._strict_result)
        self.result = remember(self._result)
        self.applied = remember(self._application)
        self.takers = remember(self._takers)
        self.partial_takers = remember(self._partial_takers)
        self.givers = remember(self._givers)
        self._strict = Matching(applied=lambda function, arguments: self.applied(function, arguments, True))
        self._lenient = Matching(lenient=True, applied=self.applied)

    def of_arity(self, arity: int) -> list[Op]:
        """The ops of an arity."""
        return self._by_arity.get(arity, [])

    def _result(self, name: str, arguments: Types, sure: bool = False) -> StaticType | None:
        """The result type of an op; None if an argument never fits or, with `sure`, may not fit."""
        op = self._ops.get(name)
        if op is None or op.arity != len(arguments):
            return None
        if name in _BUILDERS:
            return _built(name, arguments)
        if all(argument.settled and not argument.hollow for argument in arguments):
            found = self._strictly(self._like[name], arguments)
            if found is not None:
                return found
        if sure:
            return None
        results = [self._lenient.result(arrow, arguments) for arrow in op.signature.alternatives]
        possible = [result for result in results if result is not None]
        return joined(possible) if possible else None

    def _strict_result(self, name: str, arguments: Types) -> StaticType | None:
        for arrow in self._ops[name].signature.alternatives:
            result = self._strict.result(arrow, arguments)
            if result is not None:
                return result
        return None

    def _application(self, function: StaticType, arguments: Types, sure: bool = False) -> StaticType | None:
        """The result type of a function; None if an argument never fits or, with `sure`, may not fit.

        >>> index = op_index()
        >>> halves = index.result("rbind", (index.functions["divide"], INTEGER))
        >>> index.applied(halves, (INTEGER,))
        Integer
        """
        if function is ANY:
            return None if sure else ANY
        if function.arity != len(arguments) or not function.is_function:
            return None
        parts = function.parts
        if function.kind == "function":
            binding: Binding = {}
            matching = STRICT if sure else LENIENT
            fits = matching.all_fit(parts[:-1], arguments, binding)
            return closed(resolved(parts[-1], binding)) if fits else None
        if not parts:
            return self.result(function.name, arguments, sure)
        match function.name:
            case "compose" | "chain":
                given: StaticType | None = None
                for part in reversed(parts):
                    given = self.applied(part, arguments, sure)
                    if given is None:
                        return None
                    arguments = (given,)
                return given
            case "fork":
                first, second = (self.applied(part, arguments, sure) for part in parts[1:])
                return self.applied(parts[0], (first, second), sure) if first and second else None
            case "matcher":
                return INTEGER if self.applied(parts[0], arguments, sure) else None
            case "lbind":
                return self.applied(parts[0], (parts[1], *arguments), sure)
            case "rbind":
                return self.applied(parts[0], (*arguments, parts[1]), sure)
        assert function.name == "power"
        once = self.applied(parts[0], arguments, sure)
        twice = once and self.applied(parts[0], (once,), sure)
        return once if once is None or twice is None else join(once, twice)

    def _takers(self, arguments: Types, wanted: StaticType = ANY) -> tuple[Taker, ...]:
        """The ops that take every value of these types and give the wanted type."""
        if wanted is not ANY:
            return tuple(taker for taker in self.takers(arguments) if STRICT.fits(wanted, taker.result, {}))
        found = []
        for op in self.of_arity(len(arguments)):
            is_closure = op.name in _BUILDERS and any(argument.kind == "closure" for argument in arguments)
            result = (
                _built(op.name, arguments) if is_closure else self._strictly(self._like[op.name], arguments)
            )
            if result is not None:
                found.append(Taker(op.name, result))
        return tuple(found)

    def _partial_takers(self, arguments: Types, wanted: StaticType = ANY) -> tuple[PartialTaker, ...]:
        """The ops that take one argument more than these, at either end, and may give the wanted type."""
        if wanted is not ANY:
            return tuple(
                taker
                for taker in self.partial_takers(arguments)
                if taker.arrow.result.is_pattern or STRICT.fits(wanted, taker.arrow.result, {})
            )
        found = []
        for op in self.of_arity(len(arguments) + 1):
            for arrow in op.signature.alternatives:
                for is_first in (True, False):
                    binding: Binding = {}
                    given = arrow.params[1:] if is_first else arrow.params[:-1]
                    if self._strict.all_fit(given, arguments, binding):
                        found.append(PartialTaker(op.name, arrow.bound(binding), is_first))
        return tuple(found)

    def _givers(self, wanted: StaticType, have: Types) -> tuple[Giver, ...]:
        """The ops that give the wanted type from values of the available types.

        Functions need not be among these: a search builds them, and the arrow says of which type.

        >>> from arcbatt.dsl.static.types import GRID, INDICES
        >>> givers = op_index().givers(INDICES, (GRID, INTEGER))
        >>> [giver.arrow for giver in givers if giver.name in ("asindices", "ofcolor", "valmax")]
        [Grid, (Tuple[Integer] -> Indices) -> Indices, Grid -> Indices, Grid, Integer -> Indices]
        """
        found: dict[Giver, None] = {}
        for op in self.table:
            for arrow in op.signature.alternatives:
                binding: Binding = {}
                if STRICT.fits(arrow.result, wanted, binding):
                    bound = arrow.bound(binding)
                    if STRICT.fits(wanted, closed(bound.result), {}):
                        arrows = _filled(bound, binding_order(bound.params), have)
                        found.update((Giver(op.name, filled), None) for filled in arrows)
        return tuple(found)


def _filled(arrow: Arrow, places: tuple[int, ...], have: Types) -> Iterator[Arrow]:
    """The arrow with available types at these indices; functions stay unchanged."""
    if not places:
        yield arrow
        return
    place, *later = places
    pattern = arrow.params[place]
    if pattern.holds_function:
        yield from _filled(arrow, tuple(later), have)
        return
    for known in have:
        binding: Binding = {}
        if STRICT.fits(pattern, known, binding):
            bound = arrow.bound(binding)
            params = (*bound.params[:place], known, *bound.params[place + 1 :])
            yield from _filled(Arrow(params, bound.result), tuple(later), have)


# Ops that build functions: the result is a closure of their name and parts.
_BUILDERS = {**PART_ARITIES, "power": ((1, 2, 3, 4), None)}


def _built(name: str, parts: Types) -> StaticType | None:
    """The type of a built function; None if a part is not a function of the arity it needs."""
    for part, arities in zip(parts, _BUILDERS[name]):
        if arities is not None and part is not ANY and not (part.is_function and part.arity in arities):
            return None
    if name == "power":
        return StaticType("closure", parts[:1], name, parts[0].arity)
    if name not in ("lbind", "rbind"):
        return StaticType("closure", parts, name, 1)
    return ANY if parts[0] is ANY else StaticType("closure", parts, name, parts[0].arity - 1)


_indexes: list[OpIndex] = []


def op_index() -> OpIndex:
    """The index of the current table, rebuilt after ops were registered or removed."""
    table = list(TABLE.values())
    for known in _indexes:
        if known.table == table:
            return known
    _indexes[:] = [OpIndex()]
    return _indexes[0]
