"""Sites: the places of a program where a node may be replaced, and the roots that replacements give."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arcbatt.dsl.static.queries import OpIndex
from arcbatt.dsl.static.types import StaticType
from arcbatt.program.graph import Node, ProgramKind
from arcbatt.program.mutation.alternatives import ParamRef, param_of
from arcbatt.program.mutation.edit import (
    Candidate,
    Change,
    Draft,
    keeps_result,
    may_become,
    remaker,
    stays_settled,
)
from arcbatt.program.typed import NodeType, TypedProgram, sure_type, type_of_node, type_of_parts

KEPT, REPLACED = -1, 0  # an argument of a row that stays, and one that the replacement takes the place of


class FingerprintsInPython:
    """The roots that were met; the core notes a number for each instead."""

    def __init__(self) -> None:
        self._met: set[bytes] = set()

    def meet(self, root: Node) -> bool:
        """Note a root; tells whether it was met for the first time."""
        is_new = root.digest not in self._met
        self._met.add(root.digest)
        return is_new


class RebuilderInPython:
    """Replaces a node, and makes the nodes that depend on it anew.

    `nodes` are these in order. For each argument of each, `sources` says what it is afterwards: `KEPT`,
    `REPLACED`, or the number of an earlier node of them, counted from 1.
    """

    def __init__(self, nodes: Sequence[Node], sources: Sequence[Sequence[int]]) -> None:
        self._rows = list(zip(nodes, sources))

    def candidates(
        self,
        drafts: Iterable[Draft],
        known: NodeType,
        types: Sequence[NodeType],
        prints: FingerprintsInPython,
        before: Node,
        candidate_class: type[Candidate],
        change_class: type[Change],
    ) -> list[Candidate]:
        """The candidates that replacements of one type give, without those with a root that was met.

        `types` are the types of the dependants; `before` is the line that changes.
        """
        found = []
        for draft in drafts:
            first = draft if isinstance(draft, Node) else Node(*draft)
            first.static_type = known
            made = [first]
            for (old, sources), known_after in zip(self._rows, types):
                args = [arg if source < 0 else made[source] for arg, source in zip(old.args, sources)]
                node = Node(old.kind, old.head, tuple(args))
                node.static_type = known_after
                made.append(node)
            if prints.meet(made[-1]):
                change = change_class(before, made[min(1, len(made) - 1)])
                found.append(candidate_class(made[-1], (change,)))
        return found


def fingerprints() -> Any:
    """The roots that were met: none yet."""
    if remaker is None:
        return FingerprintsInPython()
    from arcbatt._core import Fingerprints

    return Fingerprints(Node)


def rebuilder(nodes: Sequence[Node], sources: Sequence[Sequence[int]]) -> Any:
    """A `RebuilderInPython`, or what the core has for it, which takes a fifth of the time."""
    if remaker is None:
        return RebuilderInPython(nodes, sources)
    from arcbatt._core import Rebuilder

    return Rebuilder(remaker, nodes, sources)


class Site:
    """One use of a node, or all its uses, where another node may take its place.

    `user` is the line whose argument is replaced; None if all uses are, or the result of the program is.
    `ref` is the parameter that it is an argument for.
    """

    def __init__(self, program: "SitedProgram", place: int, use: tuple[int, int] | None) -> None:
        nodes, types = program.typed.nodes, program.typed.types
        self.node, self.known = nodes[place], types[place]
        self.user = None if use is None else nodes[use[0]]
        start = place if use is None else use[0]
        after = program.typed.dependants(start)
        self.barred = frozenset((start, *after))  # places that would depend on themselves
        rows = after if use is None else (start, *after)
        number = {nodes[row]: position + 1 for position, row in enumerate(rows)}
        sources = [[number.get(arg, KEPT) for arg in nodes[row].args] for row in rows]
        uses = [use] if use is not None else program.uses[place]
        positions = {row: position for position, row in enumerate(rows)}
        for row, argument in uses:
            sources[positions[row]][argument] = REPLACED
        first = uses[0] if uses else None
        self.ref: ParamRef | None = None if first is None else param_of(nodes[first[0]], first[1])
        self._program = program
        self._nodes = tuple([nodes[row] for row in rows])
        self._types = tuple([types[row] for row in rows])
        self._sources = tuple(map(tuple, sources))
        self._rebuilder = rebuilder(self._nodes, self._sources)
        self._after: dict[StaticType, tuple[NodeType, ...] | None] = {self.known.type: self._types}

    @property
    def line(self) -> Node:
        """The line that a replacement changes: the user, or the node itself."""
        return self.node if self.user is None else self.user

    def types_after(self, known: NodeType) -> tuple[NodeType, ...] | None:
        """The types of the dependants after a replacement of a type; None if one of them misfits."""
        if known.type not in self._after:
            self._after[known.type] = self._inferred(known)
        return self._after[known.type]

    def candidates(self, drafts: Iterable[Draft], known: NodeType, prints: Any) -> list[Candidate]:
        """The candidates that replacements of a type give, if it fits, without those that were met."""
        types = self.types_after(known)
        if types is None:
            return []
        found: list[Candidate] = self._rebuilder.candidates(
            drafts, known, types, prints, self.line, Candidate, Change
        )
        return found

    def _inferred(self, known: NodeType) -> tuple[NodeType, ...] | None:
        if not known.fits or not stays_settled(self.known, known):
            return None
        index = self._program.index
        made = [known]
        for node, sources, before in zip(self._nodes, self._sources, self._types):
            types = tuple(
                [
                    type_of_node(arg, index).type if source == KEPT else made[source].type
                    for arg, source in zip(node.args, sources)
                ]
            )
            after: NodeType | None
            if before.sure:
                after = sure_type(index, node.head, types)
            else:
                after = type_of_parts(node.kind, node.head, types, index)
            if after is not before and (after is None or not may_become(before, after)):
                return None
            made.append(after)
        program = self._program
        return tuple(made[1:]) if keeps_result(program.kind, program.result, made[-1]) else None


class SitedProgram:
    """A program with its sites: each use of a node, all uses of one that has several, and the result."""

    def __init__(self, typed: TypedProgram, kind: ProgramKind, index: OpIndex) -> None:
        self.typed = typed
        self.kind = kind
        self.index = index
        self.result = typed.types[-1]
        place_of = {node: place for place, node in enumerate(typed.nodes)}
        self.uses: list[list[tuple[int, int]]] = [[] for _ in typed.nodes]
        for place in typed.lines:
            for position, arg in enumerate(typed.nodes[place].args):
                self.uses[place_of[arg]].append((place, position))
        self.sites = tuple(self._sites())

    def _sites(self) -> Iterator[Site]:
        last = len(self.typed.nodes) - 1
        for place in range(last, -1, -1):
            uses = self.uses[place]
            if len(uses) != 1:
                yield Site(self, place, None)
            for use in uses:
                yield Site(self, place, use)
