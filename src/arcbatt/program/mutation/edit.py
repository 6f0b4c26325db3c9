"""Edits: nodes of a program are replaced one after the other, each time if all types still fit."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from arcbatt.arguments import require_kind
from arcbatt.dsl.constants import INPUTS
from arcbatt.dsl.static.matching import LENIENT
from arcbatt.dsl.static.queries import REMEMBERED, OpIndex
from arcbatt.dsl.static.types import GRID, StaticType
from arcbatt.interning import Reference
from arcbatt.program.graph import A_PROGRAM, Node, NodeKind, Program, ProgramKind, expression, stem
from arcbatt.program.names import free_name
from arcbatt.program.typed import NodeType, TypedProgram, sure_type, type_of_node, type_of_parts

LONGEST_SIDE = 200  # characters of the text of a change, before and after each


class Change(NamedTuple):
    """A change of one line: the node before and after; the text is made on demand.

    >>> print(Change(Node.op("rot90", Node.input("I")), Node.op("rot180", Node.input("I"))))
    was rot90(I), now rot180(I)
    """

    before: Node
    after: Node

    def __str__(self) -> str:
        return f"was {_text(self.before)}, now {_text(self.after)}"


class Candidate(NamedTuple):
    """The result of an edit: a root, and the changes that led to it.

    It has no name yet: most candidates are judged and forgotten. `program` turns it into a `Program`.
    """

    root: Node
    changes: tuple[Change, ...]

    def program(self, parent: Program) -> Program:
        """The candidate as a program: named after its parent, with its own hash in place of the parent's.

        >>> from arcbatt.program.parse import parse_programs
        >>> (parent,) = parse_programs("def solve_x(I): return rot90(I)")
        >>> after = Node.op("rot180", Node.input("I"))
        >>> Candidate(after, (Change(parent.root, after),)).program(parent)
        <solver solve_x~... ...>
        """
        require_kind(parent, Program, A_PROGRAM)
        return named_mutant(parent, self, set())


def named_mutant(parent: Program, candidate: Candidate, taken: set[str]) -> Program:
    """A candidate as a program with an unused id, which is added to the used ones."""
    root = candidate.root
    own_id = free_name(stem(parent.id), root.digest.hex(), taken)
    taken.add(own_id)
    name, entry_id = (own_id, None) if parent.scored is None else (f"{own_id}({parent.scored})", own_id)
    return parent.altered(
        name=name,
        entry_id=entry_id,
        kept=None,
        root=root,
        inputs=parent.inputs if root.needs.issubset(parent.inputs) else INPUTS,
        evo=True,
        changes=parent.changes + candidate.changes,  # the texts are costly and seldom read
    )


def _text(node: Node) -> str:
    """A node as an expression; in a long one each argument is cut off, so that the last still shows."""
    whole = expression(node, LONGEST_SIDE + 1)
    if len(whole) <= LONGEST_SIDE or node.kind not in ("op", "call"):
        return whole
    parts = [expression(arg, LONGEST_SIDE // len(node.args)) for arg in node.args]
    head = node.head if node.kind == "op" else parts.pop(0)
    return f"{head}({', '.join(parts)})"


def rebuild_in_python(
    nodes: Sequence[Node],
    places: Sequence[int],
    swapped: dict[Node, Node],
) -> None:
    """Rebuild the nodes at some places if one of their arguments has been replaced.

    `swapped` says which, and gets the new ones.
    """
    for place in places:
        before = nodes[place]
        args = tuple([swapped.get(arg, arg) for arg in before.args])
        if args != before.args:
            swapped[before] = Node(before.kind, before.head, args)


rebuild: Callable[..., None] = rebuild_in_python
remaker: "_core.Remaker | None" = None
try:
    from arcbatt import _core
except ImportError:
    pass  # the package is installed as pure Python
else:
    # The core does the same in a third of the time.
    remaker = _core.Remaker(Node, Node.known.references, Reference, Node.known.forget)
    rebuild = remaker.remake


# What replaces a node: an existing node, or the kind, the head and the arguments of a new one.
Draft: TypeAlias = Node | tuple[NodeKind, Any, tuple[Node, ...]]


class Edit:
    """A program under change: the current node at each place, and its type.

    Most edits are a single change, so the bookkeeping for a second one waits until `settle`.
    """

    __slots__ = ("_index", "_swapped", "_types", "_wild", "changes", "kind", "nodes", "root", "typed")

    def __init__(self, kind: ProgramKind, typed: TypedProgram, index: OpIndex, wild: bool) -> None:
        self.kind = kind
        self.typed = typed
        self.root = typed.nodes[-1]
        self.nodes: Sequence[Node] = typed.nodes
        self.changes: tuple[Change, ...] = ()
        self._types: Sequence[NodeType] = typed.types
        self._swapped: dict[Node, Node] = {}
        self._index = index
        self._wild = wild

    def may_use(self, node: Node) -> bool:
        """Whether a node may stand in the program: a solver sees no C."""
        return "C" not in node.needs or self.kind == "differ"

    def settle(self) -> None:
        """Update the nodes and their types after a change, before the next one."""
        self.nodes = [self._swapped.get(node, node) for node in self.nodes]
        self._types = [type_of_node(node, self._index) for node in self.nodes]

    def put(self, place: int, draft: Draft, keeps_type: bool = False) -> bool:
        """Replace the node at a place and rebuild its dependants; False, with no effect, if one misfits.

        `keeps_type`: the draft was chosen so that it has the type of the node, for sure if that one has it.
        """
        old, before = self.nodes[place], self._types[place]
        if keeps_type and before.sure and not before.type.hollow:
            new = before
        else:
            found = self._type_of(draft)
            if found is None or not (self._wild or (found.fits and stays_settled(before, found))):
                return False
            new = found
        changed = {old: new}
        # Dependants are affected only by another type.
        if new.type is not before.type and not self._retype(place, changed):
            return False
        node = draft if isinstance(draft, Node) else Node(*draft)
        if node is old:
            return False
        self._rebuild(place, node)
        self.changes += (Change(old, node),)
        return True

    def _type_of(self, draft: Draft) -> NodeType | None:
        """The type of a draft; None if an argument may not fit, or if a solver would see C."""
        if isinstance(draft, Node):
            return type_of_node(draft, self._index) if self.may_use(draft) else None
        kind, head, args = draft
        types = tuple([type_of_node(arg, self._index).type for arg in args])
        if self._wild:
            return type_of_parts(kind, head, types, self._index)
        return sure_type(self._index, head, types)

    def _retype(self, place: int, changed: dict[Node, NodeType]) -> bool:
        """Add to `changed` the dependants with another type; False if one of these does not fit."""
        nodes = self.nodes
        for later in self._dependants(place):
            node, before = nodes[later], self._types[later]
            if changed.keys().isdisjoint(node.args):
                continue
            known = [changed.get(arg) or type_of_node(arg, self._index) for arg in node.args]
            types = tuple([one.type for one in known])
            after: NodeType | None
            if before.sure and not self._wild:
                after = sure_type(self._index, node.head, types)
            else:
                after = type_of_parts(node.kind, node.head, types, self._index)
            if after is not before:
                if after is None or not (self._wild or may_become(before, after)):
                    return False
                changed[node] = after
        return self._wild or keeps_result(self.kind, self._types[-1], changed.get(self.root))

    def _rebuild(self, place: int, node: Node) -> None:
        """Rebuild the dependants of a place on top of its current node."""
        swapped = self._swapped = {self.nodes[place]: node}
        rebuild(self.nodes, self._dependants(place), swapped)
        self.root = swapped.get(self.root, self.root)

    def _dependants(self, place: int) -> Sequence[int]:
        """The places of nodes that may depend on the one at a place, in order."""
        return range(place + 1, len(self.nodes)) if self.changes else self.typed.dependants(place)


def keeps_result(kind: ProgramKind, before: NodeType, after: NodeType | None) -> bool:
    """Whether the result keeps its type; that of a solver may also become any type that a grid may have."""
    if after is None or before.type is after.type or not before.type.settled:
        return True
    return kind == "solver" and _may_be_grid(after.type)


@lru_cache(REMEMBERED)
def _may_be_grid(known: StaticType) -> bool:
    return LENIENT.fits(GRID, known, {})


def may_become(before: NodeType, after: NodeType) -> bool:
    """Whether the type of a dependant may change so: arguments fit, and a settled type stays settled."""
    return not before.fits or (after.fits and stays_settled(before, after))


def stays_settled(before: NodeType, after: NodeType) -> bool:
    """Whether a settled type stays settled."""
    return after.type.settled or not (before.fits and before.type.settled)
