"""The static types of a program's nodes, inferred from the signatures of its ops without running anything."""

from collections.abc import Sequence
from functools import lru_cache

from arcbatt.dsl.static.queries import OpIndex, op_index
from arcbatt.dsl.static.types import ANY, GRID, SAMPLES, StaticType, type_of
from arcbatt.dsl.values import Function
from arcbatt.program.graph import Node, Program, topological

REMEMBERED_PROGRAMS = 2048
TYPES_OF_INPUTS = {"I": GRID, "C": GRID, "S": SAMPLES}


def type_of_node(
    node: Node, arguments: Sequence[StaticType], index: OpIndex, sure: bool = False
) -> StaticType | None:
    """The type of a node by those of its arguments; None if one never fits, or if `sure` may not fit."""
    if node.kind == "op":
        return index.result(node.head, tuple(arguments), sure)
    if node.kind == "call":
        return index.applied(arguments[0], tuple(arguments[1:]), sure)
    if node.kind == "input":
        return TYPES_OF_INPUTS.get(node.head, ANY)
    is_op = isinstance(node.head, Function) and not node.head.parts
    return index.functions.get(node.head.name, ANY) if is_op else type_of(node.head)


class TypedProgram:
    """The nodes of a program with their types, arguments before their users.

    `lines` are the places of ops and calls, `places` the places of each type. `ill_typed` holds the nodes
    with an argument that never fits, `unsure` also the nodes with one that may not fit.
    """

    def __init__(self, root: Node, index: OpIndex) -> None:
        self.nodes = tuple(topological([root]))
        self.lines = tuple(place for place, node in enumerate(self.nodes) if node.kind in ("op", "call"))
        self.types: dict[Node, StaticType] = {}
        self.ill_typed: set[Node] = set()
        self.unsure: set[Node] = set()
        self.places: dict[StaticType, list[int]] = {}
        self._dependants: dict[int, tuple[Node, ...]] = {}
        for place, node in enumerate(self.nodes):
            arguments = [self.types[arg] for arg in node.args]
            found = type_of_node(node, arguments, index, sure=True)
            if found is None:
                self.unsure.add(node)
                found = type_of_node(node, arguments, index)
            if found is None:
                self.ill_typed.add(node)
                found = ANY
            self.types[node] = found
            self.places.setdefault(found, []).append(place)

    def dependants(self, place: int) -> tuple[Node, ...]:
        """The nodes that depend on the one at a place, in topological order."""
        known = self._dependants.get(place)
        if known is None:
            reached = dict.fromkeys((self.nodes[place],))
            for later in self.nodes[place + 1 :]:
                if not reached.keys().isdisjoint(later.args):
                    reached[later] = None
            known = self._dependants[place] = tuple(reached)[1:]
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
    return not typed(program.root, op_index()).ill_typed
