"""A program while it is edited: nodes are exchanged one by one, and each must fit where it stands."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from arcbatt.dsl.static.matching import LENIENT
from arcbatt.dsl.static.queries import OpIndex
from arcbatt.dsl.static.types import ANY, GRID, StaticType
from arcbatt.program.graph import Node, Program, expression
from arcbatt.program.typed import TypedProgram, type_of_node

LONGEST_SIDE = 200  # of a change as text


class Change(NamedTuple):
    """What stood in a line and what stands there now; the text is made when it is wanted.

    >>> print(Change(Node.op("rot90", Node.input("I")), Node.op("rot180", Node.input("I"))))
    was rot90(I), now rot180(I)
    """

    before: Node
    after: Node

    def __str__(self) -> str:
        return f"was {_line(self.before)}, now {_line(self.after)}"


def _line(node: Node) -> str:
    """A node as an expression; of a long one each argument is cut, so that the last can be seen, too."""
    whole = expression(node, LONGEST_SIDE + 1)
    if len(whole) <= LONGEST_SIDE or node.kind not in ("op", "call"):
        return whole
    parts = [expression(arg, LONGEST_SIDE // len(node.args)) for arg in node.args]
    head = node.head if node.kind == "op" else parts.pop(0)
    return f"{head}({', '.join(parts)})"


class Edit:
    """An edit of a program: what stands at each place by now, and the types of all nodes.

    Most edits are one change. So what only a further change needs is made when that comes: see `settle`.
    """

    __slots__ = ("_index", "_new", "_swapped", "_wild", "changes", "nodes", "program", "root", "typed")

    def __init__(self, program: Program, typed: TypedProgram, index: OpIndex, wild: bool) -> None:
        self.program = program
        self.typed = typed
        self.root = program.root
        self.nodes: Sequence[Node] = typed.nodes
        self.changes: list[Change] = []
        self._new: dict[Node, StaticType] = {}
        self._swapped: dict[Node, Node] = {}
        self._index = index
        self._wild = wild

    def type_of(self, node: Node) -> StaticType | None:
        """The type of a node; None if an argument never fits."""
        known = self._new.get(node) or self.typed.types.get(node)
        if known is None:
            arguments = [found for found in map(self.type_of, node.args) if found is not None]
            if len(arguments) == len(node.args):
                known = type_of_node(node, arguments, self._index, sure=not self._wild)
            if known is None and self._wild:
                known = ANY
            if known is not None:
                self._new[node] = known
        return known

    def learn(self, node: Node, known: StaticType) -> None:
        """Take the type of a node from elsewhere for known."""
        self._new[node] = known

    def may_use(self, node: Node) -> bool:
        """Whether a node may stand in the program: a solver sees no C."""
        return self.program.kind == "differ" or "C" not in node.needs

    def settle(self) -> None:
        """Let all places show what stands there after the latest change."""
        for before, after in self._swapped.items():
            if after not in self._new:
                self._new[after] = self._known(before)
        self.nodes = [self._swapped.get(node, node) for node in self.nodes]
        self._swapped = {}

    def put(self, place: int, node: Node) -> bool:
        """Let another node stand at a place, and rebuild what depends on it; False if it does not fit."""
        old = self.nodes[place]
        new = self.type_of(node)
        if node is old or new is None or not self._is_fit(new, old):
            return False
        swapped = {old: node}
        same = new is self._known(old)
        for before in self._dependants(place):
            args = tuple([swapped.get(arg, arg) for arg in before.args])
            if args == before.args:
                continue
            if same:
                swapped[before] = Node(before.kind, before.head, args)
                continue
            sure = not self._wild and before not in self.typed.unsure
            given = type_of_node(before, [self._known(arg) for arg in args], self._index, sure)
            if not self._is_fit(given, before):
                return False
            after = swapped[before] = Node(before.kind, before.head, args)
            self._new[after] = given or ANY
        root = swapped.get(self.root, self.root)
        if not same and not self._gives_the_same(root):
            return False
        self.root = root
        self.changes.append(Change(old, node))
        self._swapped = swapped
        return True

    def _known(self, node: Node) -> StaticType:
        return self._new.get(node) or self.typed.types[node]

    def _dependants(self, place: int) -> Iterable[Node]:
        """The nodes that may depend on the one at a place, in order."""
        if self.changes:
            return self.nodes[place + 1 :]
        return self.typed.dependants(place)

    def _is_fit(self, new: StaticType | None, before: Node) -> bool:
        """Whether a type may take the place of a node's: no type errs, and what was settled stays so."""
        if self._wild or before in self.typed.ill_typed:
            return True
        return new is not None and (new.settled or not self._known(before).settled)

    def _gives_the_same(self, root: Node) -> bool:
        """Whether a new root gives what the old one gives, or at least a grid where the program solves."""
        before, after = self._known(self.root), self._known(root)
        if before is after or self._wild or not before.settled:
            return True
        return self.program.kind == "solver" and LENIENT.fits(GRID, after, {})
