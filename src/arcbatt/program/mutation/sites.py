"""Sites: the places of a program where a node may be replaced, and the roots that replacements make."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations, islice
from typing import Any, NamedTuple

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

MOST_USES = 6  # of a node, if only some of them are replaced at once
MOST_COPIES = 3  # of lines on the way to a node that is replaced in a copy
MOST_IN_COPIES = 100  # sites
KEPT, REPLACED = -1, 0  # an argument of a row that stays, and one that the replacement takes over


class Use(NamedTuple):
    """A use of a node: the place of the line that has it as an argument, and at which position."""

    user: int
    position: int


class FingerprintsInPython:
    """The roots seen so far; the first new ones are skipped. The core stores numbers instead."""

    def __init__(self, passed_over: int) -> None:
        self._met: set[bytes] = set()
        self._passed_over = passed_over

    def meet(self, root: Node) -> None:
        """Note a root."""
        self._met.add(root.digest)

    def is_wanted(self, root: Node) -> bool:
        """Whether a root is new and comes after the ones to skip."""
        if root.digest in self._met:
            return False
        self._met.add(root.digest)
        self._passed_over -= 1
        return self._passed_over < 0


class RebuilderInPython:
    """Replaces a node, and rebuilds the nodes that depend on it.

    `nodes` are these in order. For each argument of each, `sources` says what it becomes: `KEPT`,
    `REPLACED`, or the number of an earlier node of them, counted from 1. With `changes_user` the line that
    changes is the first of them, otherwise the replaced node itself.
    """

    def __init__(self, nodes: Sequence[Node], sources: Sequence[Sequence[int]], changes_user: bool) -> None:
        self._rows = list(zip(nodes, sources))
        self._changed = int(changes_user)

    def candidates(
        self,
        drafts: Iterable[Draft],
        prints: FingerprintsInPython,
        before: Node,
        candidate_class: type[Candidate],
        change_class: type[Change],
    ) -> list[Candidate]:
        """The candidates that replacements make, without those whose root was seen before.

        `before` is the line that changes.
        """
        found = []
        for draft in drafts:
            made = [draft if isinstance(draft, Node) else Node(*draft)]
            for old, sources in self._rows:
                args = [arg if source < 0 else made[source] for arg, source in zip(old.args, sources)]
                made.append(Node(old.kind, old.head, tuple(args)))
            if prints.is_wanted(made[-1]):
                change = change_class(before, made[self._changed])
                found.append(candidate_class(made[-1], (change,)))
        return found


def fingerprints(passed_over: int = 0) -> Any:
    """An empty collection of seen roots. The first new ones may be skipped, which takes less time."""
    if remaker is None:
        return FingerprintsInPython(passed_over)
    from arcbatt._core import Fingerprints

    return Fingerprints(Node, passed_over)


def rebuilder(nodes: Sequence[Node], sources: Sequence[Sequence[int]], changes_user: bool) -> Any:
    """A `RebuilderInPython`, or the core's version, which takes a fifth of the time."""
    if remaker is None:
        return RebuilderInPython(nodes, sources, changes_user)
    from arcbatt._core import Rebuilder

    return Rebuilder(remaker, nodes, sources, changes_user)


class Site:
    """Some uses of a node, or the result of the program, where another node may replace it.

    With `copied`, uses from the node upwards, only a copy of its users gets the replacement; the last of them
    replaces its original at `uses`. `line` is the line that changes: the user if there is one use, else the
    node. `ref` is the parameter that the node is an argument for. `barred` are the places of nodes that would
    depend on themselves.
    """

    def __init__(
        self, program: "SitedProgram", place: int, uses: Sequence[Use], copied: Sequence[Use] = ()
    ) -> None:
        nodes, types = program.typed.nodes, program.typed.types
        self.node, self.known = nodes[place], types[place]
        users = {user for user, _ in uses}
        rows = sorted(users.union(*[program.typed.dependants(user) for user in users]))
        self.barred = frozenset(rows if uses else (place,))
        number = {nodes[row]: position for position, row in enumerate(rows, 1 + len(copied))}
        sources = {row: [number.get(arg, KEPT) for arg in nodes[row].args] for row in rows}
        for user, position in uses:
            sources[user][position] = len(copied)  # the last copy, or else the replacement
        copies = [_with_source(nodes[user], position, k) for k, (user, position) in enumerate(copied)]
        first = (*copied, *uses)[:1]
        is_one = len(copied) + len(uses) == 1 or bool(copied)
        self.line = nodes[first[0].user] if is_one else self.node
        self.ref: ParamRef | None = param_of(nodes[first[0].user], first[0].position) if first else None
        self._program = program
        rows = [*(user for user, _ in copied), *rows]
        self._nodes = tuple([nodes[row] for row in rows])
        self._types = tuple([types[row] for row in rows])
        self._sources = (*copies, *map(tuple, sources.values()))
        self._rebuilder = rebuilder(self._nodes, self._sources, is_one)
        self._fitting: dict[StaticType, bool] = {self.known.type: True}

    def admits(self, known: NodeType) -> bool:
        """Whether all dependants still fit after a replacement of a type."""
        found = self._fitting.get(known.type)
        if found is None:
            found = self._fitting[known.type] = self._fits(known)
        return found

    def candidates(self, drafts: Iterable[Draft], known: NodeType, prints: Any) -> list[Candidate]:
        """The candidates that replacements of a type make, if it fits, without those seen before."""
        if not self.admits(known):
            return []
        found: list[Candidate] = self._rebuilder.candidates(drafts, prints, self.line, Candidate, Change)
        return found

    def _fits(self, known: NodeType) -> bool:
        if not known.fits or known.type.is_function != self.known.type.is_function:
            return False
        if not stays_settled(self.known, known):
            return False
        index = self._program.index
        made, types_before = [known], [self.known.type, *[before.type for before in self._types]]
        for node, sources, before in zip(self._nodes, self._sources, self._types):
            if all(source == KEPT or made[source].type is types_before[source] for source in sources):
                made.append(before)
                continue
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
                return False
            made.append(after)
        return keeps_result(self._program.kind, self._program.result, made[-1])


class SitedProgram:
    """A program with its sites: each use of a node, all uses of a node with several, and the result."""

    def __init__(self, typed: TypedProgram, kind: ProgramKind, index: OpIndex) -> None:
        self.typed = typed
        self.kind = kind
        self.index = index
        self.result = typed.types[-1]
        self._place_of = place_of = {node: place for place, node in enumerate(typed.nodes)}
        self._uses: list[list[Use]] = [[] for _ in typed.nodes]
        for place in typed.lines:
            for position, arg in enumerate(typed.nodes[place].args):
                self._uses[place_of[arg]].append(Use(place, position))

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        """The sites, from the last line to the first."""
        return tuple(self._sites())

    def _sites(self) -> Iterator[Site]:
        for place, uses in reversed(list(enumerate(self._uses))):
            if len(uses) != 1:
                yield Site(self, place, uses)
            for use in uses:
                yield Site(self, place, [use])

    @cached_property
    def further_sites(self) -> tuple[Site, ...]:
        """Sites in nodes of several uses: any two uses, all but one, and those within a copy for one use."""
        found: list[Site] = []
        for place, uses in reversed(list(enumerate(self._uses))):
            if 2 < len(uses) <= MOST_USES:
                some = [*combinations(uses, 2), *combinations(uses, len(uses) - 1)]
                found += [Site(self, place, group) for group in dict.fromkeys(some)]
        return (*found, *islice(self._sites_in_copies(), MOST_IN_COPIES))

    def _sites_in_copies(self) -> Iterator[Site]:
        """The arguments of lines that have several uses, and theirs in turn, nearest first."""
        paths: list[tuple[Use, tuple[Use, ...]]] = [
            (use, (Use(place, position),))
            for place, uses in reversed(list(enumerate(self._uses)))
            if len(uses) > 1
            for use in uses
            for position in range(len(self.typed.nodes[place].args))
        ]
        for _ in range(MOST_COPIES):
            deeper: list[tuple[Use, tuple[Use, ...]]] = []
            for use, copied in paths:
                user, position = copied[0]
                place = self._place_of[self.typed.nodes[user].args[position]]
                yield Site(self, place, [use], copied)
                positions = range(len(self.typed.nodes[place].args))
                deeper += [(use, (Use(place, below), *copied)) for below in positions]
            paths = deeper


def _with_source(node: Node, position: int, source: int) -> tuple[int, ...]:
    """The sources of a copy: one argument comes from another row."""
    return tuple([source if place == position else KEPT for place in range(len(node.args))])
