"""Replacements that fit: ops by their signatures, constants by the role of their parameter."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from arcbatt.dsl.constants import FAMILIES
from arcbatt.dsl.static.matching import STRICT, variables
from arcbatt.dsl.static.queries import REMEMBERED, OpIndex, Taker
from arcbatt.dsl.static.signatures import may_stand_for
from arcbatt.dsl.static.types import INTEGER, StaticType
from arcbatt.dsl.table import TABLE, Op, Param
from arcbatt.dsl.types import BOOLEAN
from arcbatt.dsl.values import Function, Value, is_location
from arcbatt.program.graph import Node
from arcbatt.program.typed import NodeType


class ParamRef(NamedTuple):
    """A reference to a parameter of an op."""

    op: str
    place: int

    @property
    def param(self) -> Param:
        """The record of the parameter."""
        return TABLE[self.op].params[self.place]


def open_params(function: Node) -> tuple[ParamRef, ...]:
    """The open parameters of a function that is an op with arguments bound to it.

    >>> open_params(Node.op("lbind", Node.function("fill"), Node.input("I")))
    (ParamRef(op='fill', place=1), ParamRef(op='fill', place=2))
    """
    if function.kind == "op" and function.head in ("lbind", "rbind"):
        of_bound = open_params(function.args[0]) if function.args else ()
        return of_bound[1:] if function.head == "lbind" else of_bound[:-1]
    if isinstance(function.head, Function) and not function.head.parts:
        return tuple(ParamRef(function.head.name, place) for place in range(function.head.arity))
    return ()


def param_of(node: Node, place: int) -> ParamRef | None:
    """The parameter that an argument is for; an argument bound to an op is for a parameter of that op."""
    if node.kind == "call":
        taken = open_params(node.args[0])
        return taken[place - 1] if 0 < place <= len(taken) else None
    if node.head in ("lbind", "rbind") and place == 1:
        taken = open_params(node.args[0])
        return (taken[0] if node.head == "lbind" else taken[-1]) if taken else None
    op = TABLE.get(node.head)
    return ParamRef(node.head, place) if op is not None and place < op.arity else None


def family(ref: ParamRef | None, value: Value) -> tuple[Value, ...]:
    """The constants that may replace one, without itself.

    >>> family(ParamRef("mir_rot_t", 1), 6), family(ParamRef("rot90", 0), (0, 0))[:3]
    ((0, 1, 2, 3, 4, 5, 7), ((1, 0), (0, 1), (-1, 0)))
    """
    param = ref.param if ref else None
    members: list[Value]
    if is_location(value):
        members = list(FAMILIES["pair"].values())
    elif type(value) is not int:
        return ()
    elif param is None:
        members = _near(value, list(FAMILIES["number"].values()))
    elif param.choices is not None:
        members = list(param.choices)
    elif param.role == "color":
        members = list(FAMILIES["color"].values())
    elif param.type is BOOLEAN:
        members = list(FAMILIES["truth"].values())
    else:
        members = _near(value, list(FAMILIES["rank" if param.role == "rank" else "number"].values()))
    banned = 0 if param is not None and param.requirement == "nonzero" else value
    return tuple(member for member in members if member not in (value, banned))


def _near(value: int, members: list[Value]) -> list[Value]:
    """The members close to a value, in size or except for the sign; all members if none is."""
    wanted = {value - 2, value - 1, value + 1, value + 2, -value, -1, 0, 1, 2}
    return [member for member in members if member in wanted and member != value] or members


def constants_for(ref: ParamRef | None, wanted: StaticType) -> tuple[Value, ...]:
    """The constants of a type, Integer or IJ, that a parameter may have; small numbers come first.

    >>> from arcbatt.dsl.static.types import IJ
    >>> constants_for(ParamRef("objects", 1), INTEGER), constants_for(ParamRef("shift", 1), IJ)[:2]
    ((0, 1), ((0, 0), (1, 0)))
    """
    if wanted is not INTEGER:
        return tuple(FAMILIES["pair"].values())
    param = ref.param if ref else None
    members: Iterable[Value]
    if param is not None and param.choices is not None:
        members = param.choices
    elif param is not None and param.role == "color":
        members = FAMILIES["color"].values()
    elif param is not None and param.type is BOOLEAN:
        members = FAMILIES["truth"].values()
    else:
        members = FAMILIES["rank" if param is not None and param.role == "rank" else "number"].values()
    is_nonzero = param is not None and param.requirement == "nonzero"
    return tuple(member for member in members if member != 0 or not is_nonzero)


class Alternatives:
    """Ops and constants that may replace others; every answer is cached.

    >>> from arcbatt.dsl.static.queries import op_index
    >>> from arcbatt.dsl.static.types import GRID
    >>> Alternatives(op_index()).ops("rot90", (GRID,), GRID)[:3]
    ('identity', 'rot180', 'rot270')
    """

    def __init__(self, index: OpIndex) -> None:
        self._index = index
        remember = lru_cache(REMEMBERED)
        self.names = remember(self._names)
        self.any_function = remember(self._any_function)
        self.ops = remember(self._ops)
        self.wrappers = remember(self._wrappers)
        self.functions = remember(self._functions)
        self._stand_ins = remember(self._ops_like)
        self.constants = remember(self._constants)
        self.all_constants = remember(self._all_constants)
        self.by_signature = remember(self._by_signature)

    def _names(self, arity: int) -> tuple[str, ...]:
        return tuple(op.name for op in self._index.of_arity(arity))

    def _any_function(self, name: str) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        """`functions`, of any signature: those with another one, and all of the arity."""
        return (), tuple(map(Node.function, self.names(TABLE[name].arity)))

    def _ops(self, name: str, arguments: tuple[StaticType, ...], wanted: StaticType) -> tuple[str, ...]:
        """The ops that take these types and give the wanted one, without `name` and its restrictions."""
        return tuple(op.name for op in self._fitting(arguments, wanted) if _base(op) != _base(TABLE[name]))

    def _wrappers(self, wrapped: StaticType) -> tuple[str, ...]:
        """The ops of one argument that take and give a type, and look at the value."""
        return tuple(op.name for op in self._fitting((wrapped,), wrapped) if _looks_at(op, wrapped))

    def _fitting(self, arguments: tuple[StaticType, ...], wanted: StaticType) -> Iterable[Op]:
        # Function types differ from op to op, and a type that is not settled could be anything.
        if wanted.is_function or not all(known.settled for known in (wanted, *arguments)):
            return ()
        takers = self._index.takers(arguments)
        return _one_of_each(TABLE[taker.name] for taker in takers if taker.result is wanted)

    def _functions(self, name: str) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        """The ops, as function values, with the signature of an op, and those whose signature overlaps it."""
        types = self._index.functions  # ops of one signature share one
        stand_ins = self._stand_ins(types[name])
        likely = _one_of_each(other for other in stand_ins if _base(other) != _base(TABLE[name]))
        same = [other.name for other in likely if types[other.name] is types[name]]
        others = [other.name for other in likely if types[other.name] is not types[name]]
        return tuple(map(Node.function, same)), tuple(map(Node.function, others))

    def _ops_like(self, wanted: StaticType) -> list[Op]:
        """The ops that may stand for those of a type of functions."""
        ops = self._index.of_arity(wanted.arity)
        by_type = {self._index.functions[op.name]: op.signature for op in reversed(ops)}
        stands = {known: may_stand_for(signature, by_type[wanted]) for known, signature in by_type.items()}
        return [op for op in ops if stands[self._index.functions[op.name]]]

    def _constants(self, ref: ParamRef | None, value: Value) -> tuple[Node, ...]:
        """`family`, as nodes."""
        return tuple(map(Node.constant, family(ref, value)))

    def _all_constants(self, wanted: StaticType, ref: ParamRef | None) -> tuple[Node, ...]:
        """`constants_for`, as nodes."""
        return tuple(map(Node.constant, constants_for(ref, wanted)))

    def takers(self, arguments: tuple[StaticType, ...]) -> tuple[Taker, ...]:
        """The ops that take these types, of an op and its restrictions only the first."""
        if not all(known.settled for known in arguments):
            return ()
        found: dict[str, Taker] = {}
        for taker in self._index.takers(arguments):
            found.setdefault(_base(TABLE[taker.name]), taker)
        return tuple(found.values())

    def _by_signature(self, arity: int) -> tuple[tuple[NodeType, tuple[Node, ...]], ...]:
        """The ops of an arity as function values, of an op and its restrictions only the first, by type."""
        found: dict[StaticType, list[Node]] = {}
        for op in _one_of_each(self._index.of_arity(arity)):
            found.setdefault(self._index.functions[op.name], []).append(Node.function(op.name))
        return tuple(
            (NodeType(known, True, True, self._index), tuple(functions)) for known, functions in found.items()
        )


def _looks_at(op: Op, argument: StaticType) -> bool:
    """Whether an op of one argument looks at the value: one with a type variable just passes it on."""
    params = (arrow.params[0] for arrow in op.signature.alternatives)
    return any(STRICT.fits(param, argument, {}) and not any(variables(param)) for param in params)


def _base(op: Op) -> str:
    """The name of an op, or of the op that it restricts."""
    return op.restricts or op.name


def _one_of_each(ops: Iterable[Op]) -> list[Op]:
    """The ops, only the first of each op and its restrictions."""
    found: dict[str, Op] = {}
    for op in ops:
        found.setdefault(_base(op), op)
    return list(found.values())


alternatives_of = lru_cache(maxsize=4)(Alternatives)
