"""The repertoire of edits: ops by what they take and give, those first that other programs use most."""

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple, TypeAlias

from arcbatt.dsl.static.matching import STRICT
from arcbatt.dsl.static.queries import OpIndex
from arcbatt.dsl.static.types import IJ, INTEGER, StaticType
from arcbatt.dsl.table import TABLE
from arcbatt.program.graph import Node
from arcbatt.program.mutation.alternatives import ParamRef, alternatives_of
from arcbatt.program.mutation.op_usage import OpUsage
from arcbatt.program.typed import NodeType, sure_type, type_of_node

# Cached answers. A long search meets ever new types, and an answer may be long.
REMEMBERED = 1 << 14
REMEMBERED_TYPES = 1 << 10
REMEMBERED_LISTS = 1 << 7

IDLE = frozenset({"identity"})  # ops that return their argument

# Functions by where they come from: all ops, ops with a constant bound to them, those that programs share.
Origin: TypeAlias = Literal["ops", "bound", "shared"]


class OpChoices(NamedTuple):
    """Ops that give one type."""

    result: NodeType
    names: tuple[str, ...]


class FunctionChoices(NamedTuple):
    """Function values of one type."""

    known: NodeType
    nodes: tuple[Node, ...]


class Binder(NamedTuple):
    """Functions to which `lbind` or `rbind` may bind an argument, at one position of their parameters."""

    result: NodeType
    builder: str
    place: int
    functions: tuple[Node, ...]


class FunctionUse(NamedTuple):
    """An op that takes a function and something else, the function, and whether it is the first argument."""

    name: str
    function: Node
    is_first: bool


class FunctionUses(NamedTuple):
    """Uses of functions whose results are of one type."""

    result: NodeType
    ways: tuple[FunctionUse, ...]


class Repertoire:
    """Ops by what they take and give; every answer is cached.

    >>> from arcbatt.dsl.static.queries import op_index
    >>> from arcbatt.dsl.static.types import GRID
    >>> index = op_index()
    >>> repertoire = Repertoire(index, OpUsage((), index))
    >>> [names for result, names in repertoire.takers((GRID, GRID)) if result.type is GRID]
    [('hconcat', 'vconcat')]
    """

    def __init__(self, index: OpIndex, material: OpUsage) -> None:
        self.index = index
        self.material = material
        self.alternatives = alternatives_of(index)
        remember = lru_cache(REMEMBERED_TYPES)
        self.takers = lru_cache(REMEMBERED)(self._takers)
        self.wrappers = remember(self._wrappers)
        self.functions = remember(self._functions)
        self.like_functions = remember(self._like_functions)
        self.higher_order = lru_cache(REMEMBERED_LISTS)(self._higher_order)
        self.binders = remember(self._binders)

    def constants(self, wanted: StaticType, ref: ParamRef | None) -> tuple[Node, ...]:
        """The constants of a type that a parameter may have; only Integers and pairs have any."""
        return self.alternatives.all_constants(wanted, ref) if wanted in (INTEGER, IJ) else ()

    def _takers(self, types: tuple[StaticType, ...]) -> tuple[OpChoices, ...]:
        """The ops that take these types, by their result type."""
        by_result: dict[StaticType, list[str]] = {}
        for name, result in self.alternatives.takers(types):
            if name not in IDLE and result.settled:
                by_result.setdefault(result, []).append(name)
        return tuple(
            OpChoices(NodeType(result, True, True, self.index), tuple(self.material.by_use(names)))
            for result, names in by_result.items()
        )

    def _wrappers(self, wrapped: StaticType) -> tuple[str, ...]:
        return tuple(self.material.by_use(self.alternatives.wrappers(wrapped)))

    def _functions(self, arity: int) -> tuple[FunctionChoices, ...]:
        """All ops of an arity as function values."""
        return tuple(
            FunctionChoices(known, self._by_use(functions))
            for known, functions in self.alternatives.by_signature(arity)
        )

    def _like_functions(self, name: str) -> tuple[Node, ...]:
        """The other ops with the signature of an op, as function values."""
        return self._by_use(self.alternatives.functions(name)[0])

    def _higher_order(self, known: StaticType, origin: Origin) -> tuple[FunctionUses, ...]:
        """The ops that take a function and a value of a type, except those that build functions."""
        found: dict[StaticType, list[FunctionUse]] = {}
        for name, is_first in self._appliers():
            if not _takes(name, int(is_first), known):
                continue
            for function, nodes in self._functions_from(origin):
                types = (function.type, known) if is_first else (known, function.type)
                result = self.index.result(name, types, True)
                if result is not None and result.settled:
                    ways = [FunctionUse(name, node, is_first) for node in nodes]
                    found.setdefault(result, []).extend(ways)
        uses = self.material.uses
        return tuple(
            FunctionUses(
                NodeType(result, True, True, self.index), tuple(sorted(ways, key=lambda way: -uses(way.name)))
            )
            for result, ways in found.items()
        )

    def _functions_from(self, origin: Origin) -> Sequence[FunctionChoices]:
        """The functions of one argument that have an origin."""
        if origin == "ops":
            return self.functions(1)
        return self._bound if origin == "bound" else self._shared

    @cached_property
    def _bound(self) -> list[FunctionChoices]:
        return [
            FunctionChoices(
                binder.result,
                tuple(
                    Node("op", binder.builder, (function, constant))
                    for function in binder.functions
                    for constant in self.constants(bound, ParamRef(function.head.name, binder.place))
                ),
            )
            for bound in (INTEGER, IJ)
            for binder in self.binders(1, bound)
        ]

    @cached_property
    def _shared(self) -> list[FunctionChoices]:
        return [FunctionChoices(type_of_node(node, self.index), (node,)) for node in self.material.functions]

    def _appliers(self) -> Iterator[tuple[str, bool]]:
        """The ops of two arguments that apply one of them, and whether that is the first."""
        for op in self.index.of_arity(2):
            if op.higher_order and op.restricts is None:
                yield op.name, op.params[0].type.is_function

    def _binders(self, arity: int, bound: StaticType) -> tuple[Binder, ...]:
        """The functions that take `arity` arguments once a value of a type is bound to them."""
        found = []
        for builder, place in (("lbind", 0), ("rbind", arity)):
            for known, functions in self.functions(arity + 1):
                if _takes(functions[0].head.name, place, bound):
                    result = sure_type(self.index, builder, (known.type, bound))
                    if result is not None:
                        found.append(Binder(result, builder, place, functions))
        return tuple(found)

    def _by_use(self, functions: Sequence[Node]) -> tuple[Node, ...]:
        return tuple(sorted(functions, key=lambda function: -self.material.uses(function.head.name)))


def _takes(name: str, place: int, known: StaticType) -> bool:
    """Whether an op may take a value of a type as an argument; ops of one signature take the same."""
    arrows = TABLE[name].signature.alternatives
    return any(STRICT.fits(arrow.params[place], known, {}) for arrow in arrows)


repertoire_of = lru_cache(maxsize=8)(Repertoire)
