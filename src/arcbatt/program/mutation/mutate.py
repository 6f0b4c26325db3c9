"""Typed mutation: a `Mutator` chooses lines of a program and changes for them, after which all types fit."""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from random import Random
from typing import Any, TypeVar

from arcbatt.arguments import listed, require_count, require_flags, require_kind, require_number, unexpected
from arcbatt.dsl.static.queries import OpIndex, op_index
from arcbatt.program.graph import A_PROGRAM, Node, Program, ProgramKind
from arcbatt.program.mutation.crossing import crossed
from arcbatt.program.mutation.edit import Candidate, Draft, Edit, named_mutant
from arcbatt.program.mutation.edit_rules import EditRule, EditRules, MutableLine, running_sum
from arcbatt.program.mutation.op_usage import material_of
from arcbatt.program.mutation.repertoire import Repertoire, repertoire_of
from arcbatt.program.mutation.single_edits import SingleEdits
from arcbatt.program.mutation.task_hints import TaskHints
from arcbatt.program.typed import typed
from arcbatt.tasks.intake import GivenTasks, pairs_of

DEFAULT_RATE = 0.05
TRIES_A_LINE = 12
TRIES_A_PROGRAM = 40
TRIES_A_MUTANT = 20
USES_OF_A_MUTANT = 8  # as a source of others, at a time
LONGEST_GAP = 64

Item = TypeVar("Item")


class _Hand:
    """The ways that are left to change a line, and of each the cards that are left once it was dealt."""

    __slots__ = ("_cards", "_known", "_line", "_place", "_weights", "ways")

    def __init__(self, line: MutableLine, place: int) -> None:
        self.ways: Sequence[EditRule] = line.ways
        self._line = line
        self._place = place
        self._weights = line.weights
        self._cards: list[list[Any] | None] = [None] * len(line.ways)
        self._known: set[Draft] = set()

    def play(self, edit: Edit, chance: Callable[[], float]) -> bool:
        """Draw a card, which is gone then, and change the line by it; False if it does not fit."""
        number = bisect_right(self._weights, chance() * self._weights[-1])
        way, cards = self.ways[number], self._cards[number]
        if cards is None:
            cards = self._cards[number] = way.deal(self._line, edit, self._place)
            if cards is None:
                return self._play_by_chance(edit, way)
        if not cards:
            self._leave_out(number)
            return False
        chosen = int(chance() * len(cards))
        card = cards[chosen]
        cards[chosen] = cards[-1]
        cards.pop()
        if not cards:
            self._leave_out(number)
        draft = way.make(self._line, card)
        return draft is not None and edit.put(self._place, draft, way.keeps_type)

    def _play_by_chance(self, edit: Edit, way: EditRule) -> bool:
        """Change the line by what a way without cards makes, if it is something new."""
        draft = way.make(self._line, None)
        if draft is None or draft in self._known:
            return False
        self._known.add(draft)
        return edit.put(self._place, draft)

    def _leave_out(self, number: int) -> None:
        self.ways = (*self.ways[:number], *self.ways[number + 1 :])
        self._weights = running_sum(self.ways)
        del self._cards[number]


class _MutationSource:
    """A program to make others of: what is left to change in it. `changes` are those that led to it."""

    __slots__ = ("changes", "hands", "kind", "lines", "root", "typed", "uses")

    def __init__(self, candidate: Candidate, kind: ProgramKind, index: OpIndex) -> None:
        self.root, self.changes = candidate
        self.kind = kind
        self.typed = typed(self.root, index)
        self.lines = list(self.typed.lines or (len(self.typed.nodes) - 1,))
        self.hands: dict[int, _Hand] = {}
        self.uses = 0


class Mutator:
    """Makes mutants of programs; the same seed and the same calls give the same mutants.

    Each line changes with probability `rate`, and at least one does. Types fit after a change, unless `wild`
    admits any op of the arity and any node. With `task_pairs`, a task or its S, colours and angles
    may be replaced by expressions that compute them; subgraphs of `partners` may take the place of nodes.
    `single_edits` leaves nothing to chance and is never wild: it tries what partners use most first.

    >>> from arcbatt.program.parse import parse_programs
    >>> (program,) = parse_programs("def solve_x(I): return fill(I, THREE, ofcolor(I, TWO))")
    >>> mutant = Mutator(8).mutated(program)
    >>> mutant
    <solver solve_x~... ...>
    >>> mutant.root
    fill(I, 7, ofcolor(I, 2))
    >>> print(*mutant.changes)
    was fill(I, 3, ofcolor(I, 2)), now fill(I, 7, ofcolor(I, 2))
    """

    def __init__(
        self,
        seed: int | Random = 0,
        *,
        rate: float = DEFAULT_RATE,
        wild: bool = False,
        task_pairs: GivenTasks | None = None,
        partners: Sequence[Program] = (),
    ) -> None:
        if not isinstance(seed, int | Random):
            raise unexpected("seed", "an integer or a random.Random", seed)
        require_number("rate", rate, 0, 1)
        require_flags(wild=wild)
        random = seed if isinstance(seed, Random) else Random(seed)
        self._chance = random.random  # the same numbers in every version of Python
        self._gaps = _gaps(rate)
        self._wild = wild
        self._index = op_index()
        pairs = () if task_pairs is None else pairs_of(task_pairs)
        self._hints = TaskHints(pairs) if pairs else None
        self._partners = tuple(listed(partners, Program, A_PROGRAM))
        self._ways = EditRules(self._index, self._chance, wild, self._hints, self._partners)

    @cached_property
    def _repertoire(self) -> Repertoire:
        material = material_of(tuple([partner.root for partner in self._partners]), self._index)
        return repertoire_of(self._index, material)

    def mutated(self, program: Program) -> Program:
        """The program with at least one change; the program itself if none is found that fits.

        A mutant is named after the program, with its own hash in place of the program's.
        """
        require_kind(program, Program, A_PROGRAM)
        edit = self._edit(_MutationSource(Candidate(program.root, ()), program.kind, self._index))
        return Candidate(edit.root, edit.changes).program(program) if edit else program

    def mutants(self, program: Program, count: int) -> Iterator[Program]:
        """Up to `count` mutants, all different from each other and from the program.

        >>> from arcbatt.program.parse import parse_programs
        >>> (program,) = parse_programs("def solve_x(I): return rot90(I)")
        >>> len({mutant.root for mutant in Mutator(1).mutants(program, 5)})
        5
        """
        names = set[str]()
        return (named_mutant(program, each, names) for each in self.candidates(program, count))

    def candidates(self, program: Program, count: int) -> Iterator[Candidate]:
        """`mutants`, without what costs time: names and programs.

        >>> from arcbatt.program.parse import parse_programs
        >>> (program,) = parse_programs("def solve_x(I): return rot90(I)")
        >>> [candidate.root for candidate in Mutator(1).candidates(program, 2)]
        [trim(rot90(I)), rot270(rot90(I))]
        """
        require_kind(program, Program, A_PROGRAM)
        require_count("count", count)
        return self._candidates(program, count)

    def _candidates(self, program: Program, count: int) -> Iterator[Candidate]:
        start = Candidate(program.root, ())
        known, roots = [start], {program.root}
        source = _MutationSource(start, program.kind, self._index)
        for _ in range(TRIES_A_MUTANT * count):
            if len(known) > count:
                return
            edit, changes, root = self._edit(source), source.changes, source.root
            source.uses += 1
            if edit is None or (root is not program.root and source.uses == USES_OF_A_MUTANT):
                # All small changes of the program are made, so its mutants change further.
                source = _MutationSource(self._pick(known), program.kind, self._index)
            if edit is not None and edit.root not in roots:
                candidate = Candidate(edit.root, changes + edit.changes)
                roots.add(edit.root)
                known.append(candidate)
                yield candidate

    def single_edits(
        self, program: Program, lines: Collection[Node] | None = None, start: int = 0
    ) -> Iterator[Candidate]:
        """Every single edit of a program after which its types fit, likely ones first; no chance is at work.

        A node is replaced at one of its uses, or at all of them: by another constant, another node of the
        program, an op on such nodes, an expression that several partners share, or one of the hints of the
        task. With `lines`, only these change. The first `start` edits are left out, as `islice` would do it,
        in less time: a search goes on where it stopped.

        >>> from arcbatt.program.parse import parse_programs
        >>> (program,) = parse_programs("def solve_x(I): return fill(I, THREE, ofcolor(I, TWO))")
        >>> from itertools import islice
        >>> for candidate in islice(Mutator().single_edits(program), 3):
        ...     print(candidate.root)
        I
        underfill(I, 3, ofcolor(I, 2))
        fill(I, 3, enclosed(I, 2))
        """
        require_kind(program, Program, A_PROGRAM)
        if lines is not None:
            lines = frozenset(listed(lines, Node, "line of a program; its `nodes` are such"))
        require_count("start", start)
        return SingleEdits(program, self._repertoire, self._hints).candidates(lines, start)

    def crossed(self, program: Program, partner: Program, count: int) -> Iterator[Candidate]:
        """Up to `count` different programs that have a part of `partner` in place of a node of its type.

        >>> from arcbatt.program.parse import parse_programs
        >>> one, other = parse_programs('''
        ... def solve_x(I): return fill(I, THREE, ofcolor(I, TWO))
        ... def solve_y(I): return vconcat(rot90(I), I)
        ... ''')
        >>> for candidate in Mutator().crossed(one, other, 2):
        ...     print(candidate.root)
        fill(rot90(I), 3, ofcolor(I, 2))
        fill(I, 3, ofcolor(vconcat(rot90(I), I), 2))
        """
        require_kind(program, Program, A_PROGRAM)
        require_kind(partner, Program, A_PROGRAM)
        require_count("count", count)
        return crossed(program, partner, count, self._index, self._chance)

    def _edit(self, source: _MutationSource) -> Edit | None:
        """The program with at least one change that was not tried before; None if none is found."""
        for _ in range(TRIES_A_PROGRAM):
            if not source.lines:
                return None
            edit = Edit(source.kind, source.typed, self._index, self._wild)
            # In topological order: a change rebuilds only nodes after it.
            for place in self._places(source.lines):
                self._change(edit, source, place)
            if edit.root is not source.root:
                return edit
        return None

    def _places(self, lines: Sequence[int]) -> list[int]:
        """The places to change: each line with the probability `rate`, and at least one."""
        chosen: list[int] = []
        position = 0
        while True:
            gap = bisect_right(self._gaps, self._chance())
            position += gap
            if position >= len(lines):
                return chosen or [self._pick(lines)]
            if gap < LONGEST_GAP:
                chosen.append(lines[position])
                position += 1

    def _change(self, edit: Edit, source: _MutationSource, place: int) -> None:
        """Change a line; the first change of an edit is one that the source has not had yet."""
        is_first = not edit.changes
        if not is_first:
            edit.settle()
        hand = source.hands.get(place) if is_first else None
        if hand is None:
            hand = _Hand(self._ways.line(edit.nodes[place]), place)
            if is_first:
                source.hands[place] = hand
        for _ in range(TRIES_A_LINE):
            if not hand.ways:
                break
            if hand.play(edit, self._chance):
                break
        if is_first and not hand.ways:
            source.lines.remove(place)

    def _pick(self, items: Sequence[Item]) -> Item:
        return items[int(self._chance() * len(items))]


def _gaps(rate: float) -> list[float]:
    """The chance that at most so many lines, none first, stay as they are before one changes.

    >>> _gaps(0.25)[:3]
    [0.25, 0.4375, 0.578125]
    """
    unchanged, chances = 1.0, []
    for _ in range(LONGEST_GAP):
        unchanged *= 1 - rate
        chances.append(1 - unchanged)
    return chances
