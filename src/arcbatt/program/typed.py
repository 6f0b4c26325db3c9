"""The static types of a program's nodes, inferred from the signatures of its ops without running anything."""

from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from arcbatt.dsl.static.matching import Types
from arcbatt.dsl.static.queries import REMEMBERED, OpIndex, op_index
from arcbatt.dsl.static.types import ANY, GRID, SAMPLES, StaticType, type_of
from arcbatt.dsl.values import Function
from arcbatt.program.graph import Node, NodeKind, Program, topological

REMEMBERED_PROGRAMS = 2048
TYPES_OF_INPUTS = {"I": GRID, "C": GRID, "S": SAMPLES}


class NodeType(NamedTuple):
    """The static type of a node, by the ops of an index.

    `sure`: every value of its arguments' types fits. `fits`: some may; else the type is `any`.
    """

    type: StaticType
    sure: bool
    fits: bool
    ops: OpIndex


def type_of_node(node: Node, index: OpIndex) -> NodeType:
    """The type of a node; it is inferred once and kept with the node.

    >>> type_of_node(Node.op("rot90", Node.input("I")), op_index()).type
    Grid
    >>> type_of_node(Node.op("rot90", Node.constant(3)), op_index()).fits
    False
    """
    known: NodeType | None = node.static_type
    if known is not None and known.ops is index:
        return known
    for arg in node.args:
        if arg.static_type is None or arg.static_type.ops is not index:
            for needed in topological(node.args):
                needed.static_type = _inferred(needed, index)
            break
    known = node.static_type = _inferred(node, index)
    return known


def _inferred(node: Node, index: OpIndex) -> NodeType:
    return type_of_parts(node.kind, node.head, tuple([arg.static_type.type for arg in node.args]), index)


def type_of_parts(kind: NodeKind, head: Any, arguments: Types, index: OpIndex) -> NodeType:
    """The type of a node of a kind, with a head and arguments of these types."""
    if kind in ("op", "call"):
        return sure_type(index, head, arguments) or _likely_type(index, head, arguments)
    if kind == "input":
        return NodeType(TYPES_OF_INPUTS.get(head, ANY), True, True, index)
    is_op = isinstance(head, Function) and not head.parts
    known = index.functions.get(head.name, ANY) if is_op else type_of(head)
    return NodeType(known, True, True, index)


@lru_cache(REMEMBERED)
def sure_type(index: OpIndex, name: str | None, arguments: Types) -> NodeType | None:
    """The type of an op, or with the name None of a call, on arguments that fit; None if one may not."""
    found = _result(index, name, arguments, sure=True)
    return None if found is None else NodeType(found, True, True, index)


@lru_cache(REMEMBERED)
def _likely_type(index: OpIndex, name: str | None, arguments: Types) -> NodeType:
    found = _result(index, name, arguments, sure=False)
    return NodeType(ANY if found is None else found, False, found is not None, index)


def _result(index: OpIndex, name: str | None, arguments: Types, sure: bool) -> StaticType | None:
    if name is None:
        return index.applied(arguments[0], arguments[1:], sure)
    return index.result(name, arguments, sure)


class TypedProgram:
    """The nodes of a program with their types, arguments before their users.

    `lines` are the places of ops and calls; `fits` tells whether every argument may fit its parameter.
    """

    def __init__(self, root: Node, index: OpIndex) -> None:
        self.nodes = tuple(topological([root]))
        self.types = tuple([type_of_node(node, index) for node in self.nodes])
        kinds = [node.kind for node in self.nodes]
        self.lines = tuple([place for place, kind in enumerate(kinds) if kind in ("op", "call")])
        self._users: dict[int, tuple[int, ...]] = {}

    @cached_property
    def fits(self) -> bool:
        """Whether every argument may fit its parameter."""
        return all(known.fits for known in self.types)

    @cached_property
    def _places(self) -> dict[StaticType, list[int]]:
        places: dict[StaticType, list[int]] = {}
        for place, known in enumerate(self.types):
            places.setdefault(known.type, []).append(place)
        return places

    def places(self, wanted: StaticType) -> list[int]:
        """The places of nodes of a type."""
        return self._places.get(wanted, [])

    def dependants(self, place: int) -> tuple[int, ...]:
        """The places of the nodes that depend on the one at a place."""
        known = self._users.get(place)
        if known is None:
            nodes = self.nodes
            reached = {nodes[place]}
            found = []
            for later in range(place + 1, len(nodes)):
                if not reached.isdisjoint(nodes[later].args):
                    reached.add(nodes[later])
                    found.append(later)
            known = self._users[place] = tuple(found)
        return known


typed = lru_cache(REMEMBERED_PROGRAMS)(TypedProgram)


def well_typed(program: Program) -> bool:
    """Whether every argument in a program may fit its parameter, by the signatures of the ops.

    >>> from arcbatt.program.parse import parse_programs
    >>> [well_typed(program) for program in parse_programs('''
    ... def solve_a(I): return rot90(I)
    ... def solve_b(I): return rot90(THREE)
    ... ''')]
    [True, False]
    """
    return typed(program.root, op_index()).fits
