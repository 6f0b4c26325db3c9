"""Typed mutation: programs with small changes that fit where they stand, by the types of the op table."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any, TypeVar

from arcbatt.dsl.constants import INPUTS
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.values import Function
from arcbatt.program.choices import choices_of, seat_of
from arcbatt.program.draft import Draft
from arcbatt.program.forms import ANY, Form
from arcbatt.program.graph import Node, Program
from arcbatt.program.inference import REMEMBERED_PROGRAMS, inference_of_table
from arcbatt.program.knowledge import Knowledge, Pairs
from arcbatt.program.names import own_name

DEFAULT_RATE = 0.05
TRIES_A_LINE = 12
TRIES_A_PROGRAM = 40
TRIES_A_MUTANT = 20
SHARE_OF_ALIKE = 0.8

Item = TypeVar("Item")


class _Line:
    """A node to change, with its form, those of its arguments, and where its constants and ops stand."""

    __slots__ = ("constants", "form", "forms", "functions", "node", "place", "ways", "wrappable")

    def __init__(self, place: int, node: Node, form_of: Callable[[Node], Form | None]) -> None:
        self.place = place
        self.node = node
        self.form = form_of(node) or ANY
        self.forms = tuple([form_of(arg) or ANY for arg in node.args])
        constants, functions, others = [], [], []
        for position, arg in enumerate(node.args):
            if isinstance(arg.head, Function):
                if not arg.head.parts:
                    functions.append(position)
            elif arg.kind == "constant":
                constants.append(position)
            else:
                others.append(position)
        self.constants = tuple(constants)
        self.functions = tuple(functions)
        self.wrappable = (-1, *others)  # an op may be put around the line itself, or around its arguments
        self.ways: tuple[_Way, ...] = ()

    def with_argument(self, position: int, arg: Node) -> Node:
        """The node with another argument."""
        node = self.node
        return Node(node.kind, node.head, (*node.args[:position], arg, *node.args[position + 1 :]))


class Mutator:
    """Makes mutants of programs; the same seed and the same calls give the same mutants.

    Each line changes with chance `rate`, and one does in any case. A change fits where it stands, unless
    `wild` asks for any op of that arity and any node. With `task_pairs`, the S of a task, colours and angles
    may be replaced by expressions that compute them; subgraphs of `partners` may take the place of nodes.

    >>> from arcbatt.program.parse import parse_programs
    >>> (program,) = parse_programs("def solve_x(I): return fill(I, THREE, ofcolor(I, TWO))")
    >>> mutant = Mutator(7).mutated(program)
    >>> mutant
    <solver solve_x~... ...>
    >>> mutant.root
    fill(I, 4, ofcolor(I, 2))
    >>> print(*mutant.changes)
    was fill(I, 3, ofcolor(I, 2)), now fill(I, 4, ofcolor(I, 2))
    """

    def __init__(
        self,
        seed: int | Random = 0,
        *,
        rate: float = DEFAULT_RATE,
        wild: bool = False,
        task_pairs: Pairs | None = None,
        partners: Sequence[Program] = (),
    ) -> None:
        random = seed if isinstance(seed, Random) else Random(seed)
        self._draw = random.random  # the same numbers in every version of Python
        self._rate = rate
        self._wild = wild
        self._partners = partners
        self._knowledge = Knowledge(task_pairs) if task_pairs else None
        self._inference = inference_of_table()
        self._choices = choices_of(self._inference)
        self._lines: dict[Node, list[_Line]] = {}
        self._known_ways: dict[tuple[_Way, ...], tuple[_Way, ...]] = {}

    def mutated(self, program: Program) -> Program:
        """The program with at least one change; the program itself where none is found that fits.

        The name of a mutant is made of the program's name, without a hash that this has, and its own hash.
        """
        draft = self._draft(program, set())
        return _finished(draft, set()) if draft else program

    def mutants(self, program: Program, count: int) -> Iterator[Program]:
        """Up to `count` mutants, all different from each other and from the program.

        >>> from arcbatt.program.parse import parse_programs
        >>> (program,) = parse_programs("def solve_x(I): return rot90(I)")
        >>> len({mutant.root for mutant in Mutator(1).mutants(program, 5)})
        5
        """
        known = {program.root: program}
        names: set[str] = set()
        tried: set[tuple[int, Node]] = set()
        source = program
        for _ in range(TRIES_A_MUTANT * count):
            if len(known) > count:
                return
            draft = self._draft(source, tried)
            if draft is None or source is not program:
                # All small changes of the program are made, so its mutants change further.
                source, tried = self._pick(list(known.values())), set()
            if draft is not None and draft.root not in known:
                mutant = known[draft.root] = _finished(draft, names)
                yield mutant

    def _draft(self, program: Program, tried: set[tuple[int, Node]]) -> Draft | None:
        """The program in the making with at least one change, which is not one of those tried before."""
        analysis, lines = self._inference.analysis(program.root), self._lines_of(program.root)
        for _ in range(TRIES_A_PROGRAM):
            draft = Draft(program, analysis, self._inference, self._wild)
            # In order, since what is changed first must stand below what is changed next.
            for line in [line for line in lines if self._draw() < self._rate] or [self._pick(lines)]:
                self._change(draft, line, tried)
            if draft.root is not program.root:
                return draft
        return None

    def _lines_of(self, root: Node) -> list[_Line]:
        known = self._lines.get(root)
        if known is None:
            if len(self._lines) >= REMEMBERED_PROGRAMS:
                self._lines.clear()
            analysis = self._inference.analysis(root)
            places = analysis.lines or (len(analysis.nodes) - 1,)
            known = [_Line(place, analysis.nodes[place], analysis.forms.get) for place in places]
            self._lines[root] = known
        return known

    def _pick(self, items: Sequence[Item]) -> Item:
        return items[int(self._draw() * len(items))]

    def _change(self, draft: Draft, line: _Line, tried: set[tuple[int, Node]]) -> None:
        if draft.changes:
            draft.settle()
            line = _Line(line.place, draft.nodes[line.place], draft.form)
        ways = line.ways = line.ways or self._ways(line)
        for _ in range(TRIES_A_LINE if ways else 0):
            node = self._pick(ways)(draft, line)
            if node is None or (not draft.changes and (line.place, node) in tried):
                continue
            if not draft.changes:
                tried.add((line.place, node))
            if draft.put(line.place, node):
                return

    def _ways(self, line: _Line) -> tuple["_Way", ...]:
        """The ways to change a line, each as often as it is wanted and, if it has few results, less often."""
        line.wrappable = tuple([place for place in line.wrappable if self._wrappers(line, place)])
        has_arguments = len(line.node.args) > 0
        is_common = self._wild or (line.form.settled and line.form.kind != "function")
        constants = sum(len(self._constants(line, place)) for place in line.constants)
        weights = (
            (self._other_constant, min(8, constants)),
            (self._other_op, min(6, len(self._names(line)))),
            (self._other_function, 4 if line.functions else 0),
            (self._other_argument, 2 if has_arguments else 0),
            (self._with_insertion, 3 if line.wrappable else 0),
            (self._with_deletion, 1 if has_arguments else 0),
            (self._crossed, 2 if self._partners and is_common else 0),
            (self._informed, 2 if self._knowledge and line.constants else 0),
        )
        ways = tuple([way for way, weight in weights for _ in range(weight)])
        return self._known_ways.setdefault(ways, ways)

    def _other_constant(self, draft: Draft, line: _Line) -> Node | None:
        """Another constant of the same family."""
        place = self._pick(line.constants)
        constants = self._constants(line, place)
        return line.with_argument(place, self._pick(constants)) if constants else None

    def _constants(self, line: _Line, place: int) -> Sequence[Node]:
        return self._choices.constants(seat_of(line.node, place), line.node.args[place].head)

    def _other_op(self, draft: Draft, line: _Line) -> Node | None:
        """Another op on the same arguments."""
        return Node("op", self._pick(self._names(line)), line.node.args)

    def _names(self, line: _Line) -> Sequence[str]:
        if line.node.kind != "op":
            return ()
        if self._wild:
            return self._choices.names(len(line.node.args))
        return self._choices.alternatives(line.node.head, line.forms, line.form)

    def _other_function(self, draft: Draft, line: _Line) -> Node | None:
        """Another op where an op stands as a function."""
        place = self._pick(line.functions)
        function: Function = line.node.args[place].head
        if self._wild:
            return line.with_argument(place, Node.function(self._pick(self._choices.names(function.arity))))
        same, others = self._choices.functions(function.name)
        functions = same if same and self._draw() < SHARE_OF_ALIKE else others
        return line.with_argument(place, self._pick(functions)) if functions else None

    def _other_argument(self, draft: Draft, line: _Line) -> Node | None:
        """An earlier node as an argument, mostly one of the same form."""
        position = int(self._draw() * len(line.forms))
        form = line.forms[position]
        same = draft.analysis.places.get(form, ()) if form.settled else ()
        alike = bisect_left(same, line.place)
        if alike > 1 and self._draw() < SHARE_OF_ALIKE:
            chosen = draft.nodes[same[int(self._draw() * alike)]]
            return line.with_argument(position, chosen) if draft.may_use(chosen) else None
        chosen = draft.nodes[int(self._draw() * line.place)]
        new = draft.form(chosen)
        if not draft.may_use(chosen) or new is None:
            return None
        forms = (*line.forms[:position], new, *line.forms[position + 1 :])
        fits = new.settled and self._inference.result(line.node.head, forms) is line.form
        return line.with_argument(position, chosen) if fits or self._wild else None

    def _with_insertion(self, draft: Draft, line: _Line) -> Node | None:
        """An op of one argument put around the line or around one of its arguments."""
        place = self._pick(line.wrappable)
        inner = line.node if place < 0 else line.node.args[place]
        outer = Node("op", self._pick(self._wrappers(line, place)), (inner,))
        return outer if place < 0 else line.with_argument(place, outer)

    def _wrappers(self, line: _Line, place: int) -> Sequence[str]:
        if self._wild:
            return self._choices.names(1)
        return self._choices.insertions(line.form if place < 0 else line.forms[place])

    def _with_deletion(self, draft: Draft, line: _Line) -> Node | None:
        """One of the arguments in place of the line, of the same form if there is one."""
        same = [arg for arg, form in zip(line.node.args, line.forms) if form is line.form]
        return self._pick(same or line.node.args)

    def _crossed(self, draft: Draft, line: _Line) -> Node | None:
        """A node of the same form from another program."""
        partner = self._inference.analysis(self._pick(self._partners).root)
        places = partner.places.get(line.form, ())
        if not places or ((partner.ill_typed or not line.form.settled) and not self._wild):
            return None
        node = partner.nodes[self._pick(places)]
        draft.learn(node, line.form)
        return node if draft.may_use(node) else None

    def _informed(self, draft: Draft, line: _Line) -> Node | None:
        """An expression that computes a constant from the samples."""
        place = self._pick(line.constants)
        seat = seat_of(line.node, place)
        if seat is None or self._knowledge is None:
            return None
        role = TABLE[seat.op].params[seat.place].role
        expression = self._knowledge.expression(role, line.node.args[place].head)
        return line.with_argument(place, expression) if expression else None


_Way = Callable[[Draft, _Line], Node | None]


def _finished(draft: Draft, taken: set[str]) -> Program:
    """The mutant, under an id that is not taken yet."""
    program, root = draft.program, draft.root
    own_id = own_name(program.id, root.digest.hex(), taken)
    taken.add(own_id)
    name, entry_id = (own_id, None) if program.scored is None else (f"{own_id}({program.scored})", own_id)
    inputs = program.inputs if root.needs.issubset(program.inputs) else INPUTS
    changes: tuple[Any, ...] = (*program.changes, *draft.changes)  # the texts are costly and seldom read
    return replace(
        program, name=name, entry_id=entry_id, kept=None, root=root, inputs=inputs, evo=True, changes=changes
    )
