"""The plan of a run: the nodes of the wanted programs in topological order, each in its earliest stage."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from arcbatt.dsl.contract import Stage
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.values import functions_in
from arcbatt.errors import ProgramError
from arcbatt.program.graph import (
    NONE,
    STAGE_OF_INPUT,
    Batt,
    Node,
    Program,
    core_graph,
    ops_named,
    topological,
)
from arcbatt.program.merge import WITHHELD, solving_root

if TYPE_CHECKING:
    from arcbatt import _core

_STAGES = tuple(Stage)


class PlanStep(NamedTuple):
    """A node to run, the numbers of the steps that compute its arguments, and the stage it runs in."""

    node: Node
    args: tuple[int, ...]
    stage: Stage


class GraphSteps(Sequence[PlanStep]):
    """The steps of a graph that the compiled core holds; the first read makes Python objects of all."""

    __slots__ = ("_made", "graph")

    def __init__(self, graph: "_core.Graph") -> None:
        self.graph = graph
        self._made: tuple[PlanStep, ...] = ()

    @property
    def all(self) -> tuple[PlanStep, ...]:
        """All of them."""
        if not self._made:
            rows = zip(self.graph.nodes, self.graph.rows())
            self._made = tuple(PlanStep(node, args, _STAGES[stage]) for node, (args, stage) in rows)
        return self._made

    def __len__(self) -> int:
        return len(self.graph)

    @overload
    def __getitem__(self, place: int) -> PlanStep: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[PlanStep, ...]: ...
    def __getitem__(self, place: int | slice) -> PlanStep | tuple[PlanStep, ...]:
        return self.all[place]

    def __eq__(self, other: object) -> bool:
        return self.all == tuple(other) if isinstance(other, GraphSteps | tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.all)

    def __reduce__(self) -> Any:
        return tuple, (self.all,)


@dataclass(frozen=True)
class Plan:
    """Steps in topological order, and the numbers of those whose outcomes are wanted: the roots.

    With `whole`, all steps run in their order, whichever roots are wanted: in mode `pile` an outcome depends
    on the number of failures before it. `lines` are then the steps of the batt's lines.
    """

    steps: Sequence[PlanStep]
    roots: tuple[int, ...]
    whole: bool = False
    lines: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        missing = next((name for name in sorted(self.ops) if name not in TABLE), None)
        if missing is not None:
            raise ProgramError(f"a program uses the op {missing!r}, which is not registered any more")

    @cached_property
    def ops(self) -> frozenset[str]:
        """The names of all ops of the plan, including those inside function values."""
        if isinstance(self.steps, GraphSteps):
            graph = self.steps.graph
            functions = (function for value in graph.compound_constants() for function in functions_in(value))
            return frozenset(graph.op_names().union(function.name for function in functions))
        run = {step.node.head for step in self.steps if step.node.kind == "op"}
        constants = (step.node for step in self.steps if step.node.kind == "constant")
        return frozenset(run.union(*map(ops_named, constants)))

    @property
    def nodes(self) -> Sequence[Node]:
        """The nodes of the steps."""
        if isinstance(self.steps, GraphSteps):
            return self.steps.graph.nodes
        return [step.node for step in self.steps]

    def needed(self, roots: Iterable[int]) -> list[int]:
        """The steps that some of the roots depend on; these are given by their places in `self.roots`."""
        if self.whole:
            return list(range(len(self.steps)))
        wanted = bytearray(len(self.steps))
        for root in roots:
            wanted[self.roots[root]] = 1
        for number in range(len(self.steps) - 1, -1, -1):
            if wanted[number]:
                for arg in self.steps[number].args:
                    wanted[arg] = 1
        return [number for number, flag in enumerate(wanted) if flag]

    def order(self, root: int | None) -> "Order":
        """How a root runs by itself: arguments first, from left to right. None: all steps, for all roots."""
        if root not in self._orders:
            wanted = set(self.roots) if root is None else {self.roots[root]}
            self._orders[root] = self._order(wanted, is_alone=root is not None)
        return self._orders[root]

    def _order(self, wanted: set[int], is_alone: bool) -> "Order":
        numbers: Sequence[int] = range(len(self.steps))
        if is_alone:
            place = {step.node: number for number, step in enumerate(self.steps)}
            numbers = [place[node] for node in topological(self.steps[root].node for root in wanted)]
        last_use: dict[int, int] = {}
        for place_in_order, number in enumerate(numbers):
            last_use.update(dict.fromkeys((number, *self.steps[number].args), place_in_order))
        released: list[list[int]] = [[] for _ in numbers]
        for number, place_in_order in last_use.items():
            if number not in wanted:
                released[place_in_order].append(number)
        return Order(numbers, released)

    @cached_property
    def _orders(self) -> "dict[int | None, Order]":
        return {}


class Order(NamedTuple):
    """Steps that run by themselves, and after each the steps whose outcomes nobody needs any more."""

    steps: Sequence[int]
    released: Sequence[Sequence[int]]


def with_all_outcomes(plan: Plan) -> Plan:
    """The plan with every step as a root."""
    return replace(plan, roots=tuple(range(len(plan.steps))))


def stage_of(node: Node) -> Stage:
    """The earliest stage in which all inputs of a node are known."""
    return _stage_of_needs(node.needs)


@cache
def _stage_of_needs(needs: frozenset[str]) -> Stage:
    return max((STAGE_OF_INPUT.get(name, Stage.constant) for name in needs), default=Stage.constant)


def wanted_root(program: Program) -> Node:
    """The root of a program as it is run: a differ (see `Program`) may read C, a solver may not."""
    return program.root if program.kind == "differ" else solving_root(program)


def plan(programs: Iterable[Program]) -> Plan:
    """The plan of some programs: only the nodes they depend on."""
    if isinstance(programs, Batt) and programs.graph is not None and not any(map(_is_withheld_c, programs)):
        return _plan_of_graph(programs.graph)
    return plan_of(wanted_root(program) for program in programs)


def _is_withheld_c(program: Program) -> bool:
    return "C" in program.root.needs and program.kind == "solver"


def _plan_of_graph(graph: "_core.Graph") -> Plan:
    return Plan(GraphSteps(graph), graph.roots)


def plan_for_outputs(differs: Iterable[Program]) -> Plan:
    """The plan of differs on many outputs of one sample, given as I: C is the same for all, as S is."""
    planned = plan(differs)
    steps = (
        step if "I" in step.node.needs else step._replace(stage=min(step.stage, Stage.task))
        for step in planned.steps
    )
    return replace(planned, steps=tuple(steps))


def plan_of(roots: Iterable[Node]) -> Plan:
    """The plan of some nodes."""
    roots = list(roots)
    graph = core_graph(roots)
    if graph is not None:
        return _plan_of_graph(graph)
    nodes = topological(roots)
    place = {node: number for number, node in enumerate(nodes)}
    steps = tuple(PlanStep(node, tuple(place[arg] for arg in node.args), stage_of(node)) for node in nodes)
    return Plan(steps, tuple(place[root] for root in roots))


def plan_of_lines(batt: Batt) -> Plan:
    """The plan that runs every line of a batt in file order; duplicate lines run again.

    A solver that reads C would see the answer, so it has no output here, nor has a differ of such a solver.
    """
    listing = batt.listing
    without_line = [arg for line in listing.lines for arg in line.args if isinstance(arg, Node)]
    sources = topological([*dict.fromkeys(without_line), WITHHELD])
    place = {node: number for number, node in enumerate(sources)}
    steps = [PlanStep(node, (), stage_of(node)) for node in sources]
    lines: list[int] = []
    for line in listing.lines:
        args = [place[arg] if isinstance(arg, Node) else lines[arg] for arg in line.args]
        if line.condition is not None and args:
            args = _conditional(steps, args, [lines[position] for position in line.condition])
        lines.append(len(steps))
        steps.append(PlanStep(line.node, tuple(args), Stage.sample))
    roots = [
        place[WITHHELD] if _would_see_answer(program) else lines[line]
        for program, line in zip(batt.programs, listing.outputs)
    ]
    return Plan(tuple(steps), tuple(roots), whole=True, lines=tuple(lines))


def _conditional(steps: list[PlanStep], args: list[int], condition: list[int]) -> list[int]:
    """The arguments of a line that runs only if the steps of a condition have not failed.

    A condition becomes steps of its own: `NONE` nodes with arguments. The outcome of such a step is its first
    argument, unless another one has failed: then the line does not run. If the first itself has failed, the
    outcome is None, on which the line runs and fails. Steps that are in the condition alone go with the first
    argument of the line.
    """
    unused = [step for step in condition if step not in args]
    made: list[int] = []
    for place, arg in enumerate(args):
        others = unused if place == 0 else []
        if others or (arg not in condition and steps[arg].node.kind in ("op", "call")):
            parts = (arg, *([arg] if arg in condition else []), *others)
            node = Node(NONE.kind, NONE.head, tuple(steps[part].node for part in parts))
            made.append(len(steps))
            steps.append(PlanStep(node, parts, Stage.sample))
        else:
            made.append(arg)
    return made


def _would_see_answer(program: Program) -> bool:
    return WITHHELD.head in program.root.needs or (program.kind == "solver" and "C" in program.root.needs)


def uses_foreign_ops(plan: Plan) -> bool:
    """Whether a plan has ops that are not trusted: a user's own, which may do anything."""
    return bool(own_ops(plan))


def own_ops(plan: Plan) -> list[str]:
    """The names of the ops of a user's own in a plan."""
    return sorted(name for name in plan.ops if not TABLE[name].trusted)


def own_ops_by_root(plan: Plan) -> list[frozenset[str]]:
    """For each root the ops of a user's own that it depends on."""
    own = own_ops(plan)
    bit_of = {name: 1 << bit for bit, name in enumerate(own)}
    bits: list[int] = []
    for step in plan.steps:
        node = step.node
        names = [node.head] if node.kind == "op" else ops_named(node) if node.kind == "constant" else ()
        found = sum(bit_of[name] for name in names if name in bit_of)
        for arg in step.args:
            found |= bits[arg]
        bits.append(found)
    sets = {found: frozenset(name for name in own if found & bit_of[name]) for found in set(bits)}
    return [sets[bits[root]] for root in plan.roots]
