"""The ways to change a line of a program, and for each what it may make of the line."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar

from arcbatt.dsl.static.queries import OpIndex
from arcbatt.dsl.static.types import StaticType
from arcbatt.dsl.values import Function
from arcbatt.program.graph import Node, Program
from arcbatt.program.mutation.alternatives import alternatives_of, param_of
from arcbatt.program.mutation.edit import Draft, Edit
from arcbatt.program.mutation.task_hints import TaskHints
from arcbatt.program.typed import sure_type, type_of_node, typed

SHARE_OF_ALIKE = 0.8  # of exchanges that keep the signature or the type, where there are such
REMEMBERED_LINES = 1 << 14

Item = TypeVar("Item")


class MutableLine:
    """A node to change, its type, those of its arguments, and the ways to change it."""

    __slots__ = ("constants", "functions", "node", "others", "type", "types", "ways", "weights")

    def __init__(self, node: Node, index: OpIndex) -> None:
        self.node = node
        self.type = type_of_node(node, index).type
        self.types = tuple([type_of_node(arg, index).type for arg in node.args])
        self.constants: list[int] = []  # the positions of constants, of ops, and of all other arguments
        self.functions: list[int] = []
        self.others: list[int] = []
        for position, arg in enumerate(node.args):
            if isinstance(arg.head, Function):
                if not arg.head.parts:
                    self.functions.append(position)
            elif arg.kind == "constant":
                self.constants.append(position)
            else:
                self.others.append(position)
        self.ways: tuple[EditRule, ...] = ()
        self.weights: list[float] = []

    def with_argument(self, position: int, arg: Node) -> Draft:
        """The node with another argument."""
        node = self.node
        args = node.args
        return node.kind, node.head, (*args[:position], arg, *args[position + 1 :])


class EditRule(NamedTuple):
    """A way to change a line: its weight, the cards that it deals, and what a card makes of the line.

    A way that deals None has endless cards: it makes something at random, or None if that does not fit.
    `keeps_type`: the result has the line's type.
    """

    weight: float
    deal: Callable[[MutableLine, Edit, int], "list[Any] | None"]
    make: Callable[[MutableLine, Any], Draft | None]
    keeps_type: bool = False


def running_sum(ways: Sequence[EditRule]) -> list[float]:
    """The cumulative weights of the ways, for comparison with a random number below the last."""
    return list(accumulate([way.weight for way in ways]))


class EditRules:
    """Finds the ways to change a line, and caches them for the next program with this line.

    `chance` gives a random number from 0 to 1, for ways with endless cards.
    """

    def __init__(
        self,
        index: OpIndex,
        chance: Callable[[], float],
        wild: bool,
        hints: TaskHints | None,
        partners: Sequence[Program],
    ) -> None:
        self._index = index
        self._chance = chance
        self._wild = wild
        self._hints = hints
        self._partners = partners
        self._alternatives = alternatives_of(index)
        self._lines: dict[Node, MutableLine] = {}

    def line(self, node: Node) -> MutableLine:
        """A node as a line, with the ways to change it; each weighs less where it has few results."""
        known = self._lines.get(node)
        if known is None:
            if len(self._lines) >= REMEMBERED_LINES:
                self._lines.clear()
            known = self._lines[node] = MutableLine(node, self._index)
            known.ways = tuple([way for way in self._ways(known) if way.weight])
            known.weights = running_sum(known.ways)
        return known

    def _ways(self, line: MutableLine) -> Iterator[EditRule]:
        keeps = not self._wild
        if line.constants:
            constants = sum([len(self._constants(line, position)) for position in line.constants])
            yield EditRule(min(8, constants), self._deal_constants, self._with_argument, keeps)
            if self._hints:
                yield EditRule(2, self._deal_hints, self._with_argument)
        yield EditRule(min(6, len(self._names(line))), self._deal_names, self._with_op, keeps)
        if line.functions:
            share = SHARE_OF_ALIKE if self._functions(line, is_alike=True) else 0
            yield EditRule(4 * share, self._deal_like_functions, self._with_argument, keeps)
            yield EditRule(4 - 4 * share, self._deal_other_functions, self._with_argument)
        if line.node.args:
            yield EditRule(2 * SHARE_OF_ALIKE, self._deal_like_arguments, self._with_argument, keeps)
            yield EditRule(2 - 2 * SHARE_OF_ALIKE, self._deal_other_arguments, self._with_argument, keeps)
            yield EditRule(1, self._deal_deletions, self._as_it_is)
        if any(self._wrappers(line, position) for position in (-1, *line.others)):
            yield EditRule(3, self._deal_insertions, self._with_insertion, keeps)
        if self._partners and (self._wild or (line.type.settled and not line.type.is_function)):
            yield EditRule(2, self._deal_nothing, self._crossed)

    def _deal_constants(self, line: MutableLine, edit: Edit, place: int) -> list[Any]:
        return [(position, node) for position in line.constants for node in self._constants(line, position)]

    def _constants(self, line: MutableLine, position: int) -> Sequence[Node]:
        return self._alternatives.constants(param_of(line.node, position), line.node.args[position].head)

    def _deal_hints(self, line: MutableLine, edit: Edit, place: int) -> list[Any]:
        """Expressions that compute a constant from the samples."""
        found = []
        for position in line.constants:
            ref = param_of(line.node, position)
            if ref is not None and self._hints is not None:
                node = self._hints.expression(ref.param.role, line.node.args[position].head)
                found += [(position, node)] if node else []
        return found

    def _deal_names(self, line: MutableLine, edit: Edit, place: int) -> list[Any]:
        return list(self._names(line))

    def _names(self, line: MutableLine) -> Sequence[str]:
        if line.node.kind != "op":
            return ()
        if self._wild:
            return self._alternatives.names(len(line.node.args))
        return self._alternatives.ops(line.node.head, line.types, line.type)

    def _deal_like_functions(self, line: MutableLine, edit: Edit, place: int) -> list[Any]:
        """Other ops of the same signature where an op stands as a function."""
        return self._functions(line, is_alike=True)

    def _deal_other_functions(self, line: MutableLine, edit: Edit, place: int) -> list[Any]:
        """Other ops of another signature, of any at all if wild, where an op stands as a function."""
        return self._functions(line, is_alike=False)

    def _functions(self, line: MutableLine, is_alike: bool) -> list[Any]:
        find = self._alternatives.any_function if self._wild else self._alternatives.functions
        return [
            (position, node)
            for position in line.functions
            for node in find(line.node.args[position].head.name)[0 if is_alike else 1]
        ]

    def _deal_like_arguments(self, line: MutableLine, edit: Edit, place: int) -> list[Any]:
        """Earlier nodes in place of arguments of the same type."""
        nodes, found = edit.nodes, []
        for position, known in enumerate(line.types):
            if known.settled:
                same = edit.typed.places(known)
                now = line.node.args[position]
                for earlier in same[: bisect_left(same, place)]:
                    node = nodes[earlier]
                    if node is not now and edit.may_use(node):
                        found.append((position, node))
        return found

    def _deal_other_arguments(self, line: MutableLine, edit: Edit, place: int) -> list[Any]:
        """Earlier nodes in place of arguments of another type, with which the line keeps its own."""
        earlier: dict[StaticType, list[Node]] = {}
        for node in edit.nodes[:place]:
            if edit.may_use(node):
                earlier.setdefault(type_of_node(node, self._index).type, []).append(node)
        return [
            (position, node)
            for position in range(len(line.types))
            for other, nodes in earlier.items()
            if self._fits(line, position, other)
            for node in nodes
        ]

    def _fits(self, line: MutableLine, position: int, other: StaticType) -> bool:
        """Whether an argument may be of another type."""
        if self._wild:
            return True
        if not other.settled or other is line.types[position]:
            return False
        types = (*line.types[:position], other, *line.types[position + 1 :])
        found = sure_type(self._index, line.node.head, types)
        return found is not None and found.type is line.type

    def _with_argument(self, line: MutableLine, card: tuple[int, Node]) -> Draft:
        return line.with_argument(*card)

    def _with_op(self, line: MutableLine, name: str) -> Draft:
        return "op", name, line.node.args

    def _deal_insertions(self, line: MutableLine, edit: Edit, place: int) -> list[Any]:
        """Ops of one argument to put around the line, at position -1, or around one of its arguments."""
        return [
            (position, name) for position in (-1, *line.others) for name in self._wrappers(line, position)
        ]

    def _wrappers(self, line: MutableLine, position: int) -> Sequence[str]:
        if self._wild:
            return self._alternatives.names(1)
        return self._alternatives.wrappers(line.type if position < 0 else line.types[position])

    def _with_insertion(self, line: MutableLine, card: tuple[int, str]) -> Draft:
        position, name = card
        if position < 0:
            return "op", name, (line.node,)
        return line.with_argument(position, Node("op", name, (line.node.args[position],)))

    def _deal_deletions(self, line: MutableLine, edit: Edit, place: int) -> list[Any]:
        """The arguments in place of the line, those of the same type if there are such."""
        same = [arg for arg, known in zip(line.node.args, line.types) if known is line.type]
        return same or list(line.node.args)

    def _as_it_is(self, line: MutableLine, card: Node) -> Node:
        return card

    def _deal_nothing(self, line: MutableLine, edit: Edit, place: int) -> None:
        return None

    def _crossed(self, line: MutableLine, card: None) -> Node | None:
        """A node of the same type from another program."""
        partner = typed(self._pick(self._partners).root, self._index)
        places = partner.places(line.type)
        if not places or not (self._wild or (partner.fits and line.type.settled)):
            return None
        return partner.nodes[self._pick(places)]

    def _pick(self, items: Sequence[Item]) -> Item:
        return items[int(self._chance() * len(items))]
