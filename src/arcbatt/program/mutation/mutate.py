"""Typed mutation: programs with small changes that fit where they stand, by the signatures of the ops."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any, TypeVar

from arcbatt.dsl.constants import INPUTS
from arcbatt.dsl.static.queries import op_index
from arcbatt.dsl.static.types import ANY, StaticType
from arcbatt.dsl.values import Function
from arcbatt.program.graph import Node, Program
from arcbatt.program.mutation.alternatives import alternatives_of, param_of
from arcbatt.program.mutation.edit import Edit
from arcbatt.program.mutation.task_hints import Pairs, TaskHints
from arcbatt.program.names import own_name
from arcbatt.program.typed import REMEMBERED_PROGRAMS, type_of_node, typed

DEFAULT_RATE = 0.05
TRIES_A_LINE = 12
TRIES_A_PROGRAM = 40
TRIES_A_MUTANT = 20
SHARE_OF_ALIKE = 0.8

Item = TypeVar("Item")


class _Line:
    """A node to change, with its type, those of its arguments, and where its constants and ops stand."""

    __slots__ = ("constants", "functions", "node", "place", "type", "types", "ways", "wrappable")

    def __init__(self, place: int, node: Node, type_of: Callable[[Node], StaticType | None]) -> None:
        self.place = place
        self.node = node
        self.type = type_of(node) or ANY
        self.types = tuple([type_of(arg) or ANY for arg in node.args])
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
        self._hints = TaskHints(task_pairs) if task_pairs else None
        self._index = op_index()
        self._alternatives = alternatives_of(self._index)
        self._lines: dict[Node, list[_Line]] = {}
        self._known_ways: dict[tuple[_Way, ...], tuple[_Way, ...]] = {}

    def mutated(self, program: Program) -> Program:
        """The program with at least one change; the program itself where none is found that fits.

        The name of a mutant is made of the program's name, without a hash that this has, and its own hash.
        """
        edit = self._edit(program, set())
        return _finished(edit, set()) if edit else program

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
            edit = self._edit(source, tried)
            if edit is None or source is not program:
                # All small changes of the program are made, so its mutants change further.
                source, tried = self._pick(list(known.values())), set()
            if edit is not None and edit.root not in known:
                mutant = known[edit.root] = _finished(edit, names)
                yield mutant

    def _edit(self, program: Program, tried: set[tuple[int, Node]]) -> Edit | None:
        """The program in the making with at least one change, which is not one of those tried before."""
        whole, lines = typed(program.root, self._index), self._lines_of(program.root)
        for _ in range(TRIES_A_PROGRAM):
            edit = Edit(program, whole, self._index, self._wild)
            # In order, since what is changed first must stand below what is changed next.
            for line in [line for line in lines if self._draw() < self._rate] or [self._pick(lines)]:
                self._change(edit, line, tried)
            if edit.root is not program.root:
                return edit
        return None

    def _lines_of(self, root: Node) -> list[_Line]:
        known = self._lines.get(root)
        if known is None:
            if len(self._lines) >= REMEMBERED_PROGRAMS:
                self._lines.clear()
            whole = typed(root, self._index)
            places = whole.lines or (len(whole.nodes) - 1,)
            known = [_Line(place, whole.nodes[place], whole.types.get) for place in places]
            self._lines[root] = known
        return known

    def _pick(self, items: Sequence[Item]) -> Item:
        return items[int(self._draw() * len(items))]

    def _change(self, edit: Edit, line: _Line, tried: set[tuple[int, Node]]) -> None:
        if edit.changes:
            edit.settle()
            line = _Line(line.place, edit.nodes[line.place], edit.type_of)
        ways = line.ways = line.ways or self._ways(line)
        for _ in range(TRIES_A_LINE if ways else 0):
            node = self._pick(ways)(edit, line)
            if node is None or (not edit.changes and (line.place, node) in tried):
                continue
            if not edit.changes:
                tried.add((line.place, node))
            if edit.put(line.place, node):
                return

    def _ways(self, line: _Line) -> tuple["_Way", ...]:
        """The ways to change a line, each as often as it is wanted and, if it has few results, less often."""
        line.wrappable = tuple([place for place in line.wrappable if self._wrappers(line, place)])
        has_arguments = len(line.node.args) > 0
        is_common = self._wild or (line.type.settled and not line.type.is_function)
        constants = sum(len(self._constants(line, place)) for place in line.constants)
        weights = (
            (self._other_constant, min(8, constants)),
            (self._other_op, min(6, len(self._names(line)))),
            (self._other_function, 4 if line.functions else 0),
            (self._other_argument, 2 if has_arguments else 0),
            (self._with_insertion, 3 if line.wrappable else 0),
            (self._with_deletion, 1 if has_arguments else 0),
            (self._crossed, 2 if self._partners and is_common else 0),
            (self._informed, 2 if self._hints and line.constants else 0),
        )
        ways = tuple([way for way, weight in weights for _ in range(weight)])
        return self._known_ways.setdefault(ways, ways)

    def _other_constant(self, edit: Edit, line: _Line) -> Node | None:
        """Another constant of the same family."""
        place = self._pick(line.constants)
        constants = self._constants(line, place)
        return line.with_argument(place, self._pick(constants)) if constants else None

    def _constants(self, line: _Line, place: int) -> Sequence[Node]:
        return self._alternatives.constants(param_of(line.node, place), line.node.args[place].head)

    def _other_op(self, edit: Edit, line: _Line) -> Node | None:
        """Another op on the same arguments."""
        return Node("op", self._pick(self._names(line)), line.node.args)

    def _names(self, line: _Line) -> Sequence[str]:
        if line.node.kind != "op":
            return ()
        if self._wild:
            return self._alternatives.names(len(line.node.args))
        return self._alternatives.ops(line.node.head, line.types, line.type)

    def _other_function(self, edit: Edit, line: _Line) -> Node | None:
        """Another op where an op stands as a function."""
        place = self._pick(line.functions)
        function: Function = line.node.args[place].head
        if self._wild:
            return line.with_argument(
                place, Node.function(self._pick(self._alternatives.names(function.arity)))
            )
        same, others = self._alternatives.functions(function.name)
        functions = same if same and self._draw() < SHARE_OF_ALIKE else others
        return line.with_argument(place, self._pick(functions)) if functions else None

    def _other_argument(self, edit: Edit, line: _Line) -> Node | None:
        """An earlier node as an argument, mostly one of the same type."""
        position = int(self._draw() * len(line.types))
        known = line.types[position]
        same = edit.typed.places.get(known, ()) if known.settled else ()
        alike = bisect_left(same, line.place)
        if alike > 1 and self._draw() < SHARE_OF_ALIKE:
            chosen = edit.nodes[same[int(self._draw() * alike)]]
            return line.with_argument(position, chosen) if edit.may_use(chosen) else None
        chosen = edit.nodes[int(self._draw() * line.place)]
        new = edit.type_of(chosen)
        if not edit.may_use(chosen) or new is None:
            return None
        node = line.with_argument(position, chosen)
        types = (*line.types[:position], new, *line.types[position + 1 :])
        fits = new.settled and type_of_node(node, types, self._index) is line.type
        return node if fits or self._wild else None

    def _with_insertion(self, edit: Edit, line: _Line) -> Node | None:
        """An op of one argument put around the line or around one of its arguments."""
        place = self._pick(line.wrappable)
        inner = line.node if place < 0 else line.node.args[place]
        outer = Node("op", self._pick(self._wrappers(line, place)), (inner,))
        return outer if place < 0 else line.with_argument(place, outer)

    def _wrappers(self, line: _Line, place: int) -> Sequence[str]:
        if self._wild:
            return self._alternatives.names(1)
        return self._alternatives.wrappers(line.type if place < 0 else line.types[place])

    def _with_deletion(self, edit: Edit, line: _Line) -> Node | None:
        """One of the arguments in place of the line, of the same type if there is one."""
        same = [arg for arg, known in zip(line.node.args, line.types) if known is line.type]
        return self._pick(same or line.node.args)

    def _crossed(self, edit: Edit, line: _Line) -> Node | None:
        """A node of the same type from another program."""
        partner = typed(self._pick(self._partners).root, self._index)
        places = partner.places.get(line.type, ())
        if not places or ((partner.ill_typed or not line.type.settled) and not self._wild):
            return None
        node = partner.nodes[self._pick(places)]
        edit.learn(node, line.type)
        return node if edit.may_use(node) else None

    def _informed(self, edit: Edit, line: _Line) -> Node | None:
        """An expression that computes a constant from the samples."""
        place = self._pick(line.constants)
        ref = param_of(line.node, place)
        if ref is None or self._hints is None:
            return None
        expression = self._hints.expression(ref.param.role, line.node.args[place].head)
        return line.with_argument(place, expression) if expression else None


_Way = Callable[[Edit, _Line], Node | None]


def _finished(edit: Edit, taken: set[str]) -> Program:
    """The mutant, under an id that is not taken yet."""
    program, root = edit.program, edit.root
    own_id = own_name(program.id, root.digest.hex(), taken)
    taken.add(own_id)
    name, entry_id = (own_id, None) if program.scored is None else (f"{own_id}({program.scored})", own_id)
    inputs = program.inputs if root.needs.issubset(program.inputs) else INPUTS
    changes: tuple[Any, ...] = (*program.changes, *edit.changes)  # the texts are costly and seldom read
    return replace(
        program, name=name, entry_id=entry_id, kept=None, root=root, inputs=inputs, evo=True, changes=changes
    )
