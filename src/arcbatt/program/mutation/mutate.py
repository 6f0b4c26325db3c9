"""Typed mutation: a `Mutator` chooses a line and a change, an `Edit` applies it if all types still fit."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any, NamedTuple, TypeVar

from arcbatt.dsl.constants import INPUTS
from arcbatt.dsl.static.matching import LENIENT
from arcbatt.dsl.static.queries import OpIndex, op_index
from arcbatt.dsl.static.types import ANY, GRID, StaticType
from arcbatt.dsl.values import Function
from arcbatt.program.graph import Node, Program, expression
from arcbatt.program.mutation.alternatives import alternatives_of, param_of
from arcbatt.program.mutation.task_hints import Pairs, TaskHints
from arcbatt.program.names import own_name
from arcbatt.program.typed import REMEMBERED_PROGRAMS, TypedProgram, type_of_node, typed

DEFAULT_RATE = 0.05
TRIES_A_LINE = 12
TRIES_A_PROGRAM = 40
TRIES_A_MUTANT = 20
SHARE_OF_ALIKE = 0.8  # of exchanges that keep the signature or the type, where there are such
LONGEST_SIDE = 200  # characters of the text of a change, before and after each

Item = TypeVar("Item")


class Change(NamedTuple):
    """A change of one line: the node before and after; the text is made on demand.

    >>> print(Change(Node.op("rot90", Node.input("I")), Node.op("rot180", Node.input("I"))))
    was rot90(I), now rot180(I)
    """

    before: Node
    after: Node

    def __str__(self) -> str:
        return f"was {_text(self.before)}, now {_text(self.after)}"


def _text(node: Node) -> str:
    """A node as an expression; in a long one each argument is cut off, so that the last still shows."""
    whole = expression(node, LONGEST_SIDE + 1)
    if len(whole) <= LONGEST_SIDE or node.kind not in ("op", "call"):
        return whole
    parts = [expression(arg, LONGEST_SIDE // len(node.args)) for arg in node.args]
    head = node.head if node.kind == "op" else parts.pop(0)
    return f"{head}({', '.join(parts)})"


class Edit:
    """A program under change: the current node at each place, and the types of all nodes.

    Most edits are a single change, so the bookkeeping for a second one is put off until `settle`.
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
        """Record the type of a node that comes from another program."""
        self._new[node] = known

    def may_use(self, node: Node) -> bool:
        """Whether a node may stand in the program: a solver sees no C."""
        return self.program.kind == "differ" or "C" not in node.needs

    def settle(self) -> None:
        """Update `nodes` and the types after a change, before the next one."""
        for before, after in self._swapped.items():
            if after not in self._new:
                self._new[after] = self._known(before)
        self.nodes = [self._swapped.get(node, node) for node in self.nodes]
        self._swapped = {}

    def put(self, place: int, node: Node) -> bool:
        """Replace the node at a place and rebuild its dependants; False, with no effect, if one misfits."""
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
        if not same and not self._keeps_result(root):
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
        """Whether a node's type may become `new`: no argument misfits, and a settled type stays settled."""
        if self._wild or before in self.typed.ill_typed:
            return True
        return new is not None and (new.settled or not self._known(before).settled)

    def _keeps_result(self, root: Node) -> bool:
        """Whether the result keeps its type; of a solver it may also be any type that a grid may have."""
        before, after = self._known(self.root), self._known(root)
        if before is after or self._wild or not before.settled:
            return True
        return self.program.kind == "solver" and LENIENT.fits(GRID, after, {})


class _Line:
    """A node to change, its type, the types of its arguments, and the positions of constants and ops."""

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

    Each line changes with probability `rate`, and at least one does. Types fit after a change, unless `wild`
    admits any op of the arity and any node. With `task_pairs`, the S of a task, colours and angles
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
        """The program with at least one change; the program itself if none is found that fits.

        A mutant is named after the program, with its own hash in place of the program's.
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
        """The program with at least one change that was not tried before; None if none is found."""
        whole, lines = typed(program.root, self._index), self._lines_of(program.root)
        for _ in range(TRIES_A_PROGRAM):
            edit = Edit(program, whole, self._index, self._wild)
            # In topological order: a change rebuilds only nodes after it.
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
        """The ways to change a line, each repeated by its weight, which is lower where it has few results."""
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
        """An earlier node in place of an argument, mostly one of the same type."""
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
    """The mutant under an id of its own."""
    program, root = edit.program, edit.root
    own_id = own_name(program.id, root.digest.hex(), taken)
    taken.add(own_id)
    name, entry_id = (own_id, None) if program.scored is None else (f"{own_id}({program.scored})", own_id)
    inputs = program.inputs if root.needs.issubset(program.inputs) else INPUTS
    changes: tuple[Any, ...] = (*program.changes, *edit.changes)  # the texts are costly and seldom read
    return replace(
        program, name=name, entry_id=entry_id, kept=None, root=root, inputs=inputs, evo=True, changes=changes
    )
