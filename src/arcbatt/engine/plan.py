"""The plan of a run: the nodes that the wanted programs need, numbered, in stages by what they depend on."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple

from arcbatt.dsl.contract import Stage
from arcbatt.dsl.table import TABLE
from arcbatt.errors import ProgramError
from arcbatt.program.graph import NONE, Batt, Node, Program, ops_named, topological
from arcbatt.program.merge import WITHHELD, solving_root

_STAGE_OF_INPUT = {"S": Stage.task, "I": Stage.sample, "C": Stage.sample, WITHHELD.head: Stage.constant}


class Step(NamedTuple):
    """A node to run, the steps that give its arguments, and when it runs."""

    node: Node
    args: tuple[int, ...]
    stage: Stage


@dataclass(frozen=True)
class Plan:
    """Steps, arguments before their users, and the steps whose outcomes are wanted.

    Where `whole` is set, all steps run, in their order, whatever is wanted: what a step gives may then
    depend on how many have failed before it. `lines` are then the steps of the lines of the batt.
    """

    steps: tuple[Step, ...]
    roots: tuple[int, ...]
    whole: bool = False
    lines: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        missing = next((name for name in sorted(self.ops) if name not in TABLE), None)
        if missing is not None:
            raise ProgramError(f"a program uses the op {missing!r}, which is not registered any more")

    @cached_property
    def ops(self) -> frozenset[str]:
        """The names of all ops in it, those inside function values included."""
        run = {step.node.head for step in self.steps if step.node.kind == "op"}
        constants = (step.node for step in self.steps if step.node.kind == "constant")
        return frozenset(run.union(*map(ops_named, constants)))

    def needed(self, roots: Iterable[int]) -> list[int]:
        """The steps that must run for some of the roots, given by their places in `roots`."""
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

    @cached_property
    def orders(self) -> "_Orders":
        """For each root how it runs by itself."""
        return _Orders(self)


class Order(NamedTuple):
    """The steps of something that runs by itself, and after each the steps that nobody needs any more."""

    steps: tuple[int, ...]
    released: tuple[tuple[int, ...], ...]


class _Orders(dict[int | None, Order]):
    """By root the order in which it runs by itself: arguments first, from left to right.

    With None: the order of all steps, which is theirs, for all roots together.
    """

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self._plan = plan

    def __missing__(self, root: int | None) -> Order:
        plan = self._plan
        wanted = set(plan.roots) if root is None else {plan.roots[root]}
        numbers = tuple(range(len(plan.steps))) if root is None else tuple(_needed_in_order(plan, *wanted))
        last_use: dict[int, int] = {}
        for place, number in enumerate(numbers):
            last_use.update(dict.fromkeys((number, *plan.steps[number].args), place))
        released: list[list[int]] = [[] for _ in numbers]
        for number, place in last_use.items():
            if number not in wanted:
                released[place].append(number)
        self[root] = Order(numbers, tuple(map(tuple, released)))
        return self[root]


def _needed_in_order(plan: Plan, root: int) -> Iterator[int]:
    """A step and all that it needs, depth first."""
    seen, stack = {root}, [(root, iter(plan.steps[root].args))]
    while stack:
        number, remaining = stack[-1]
        fresh = next((arg for arg in remaining if arg not in seen), None)
        if fresh is None:
            yield number
            stack.pop()
        else:
            seen.add(fresh)
            stack.append((fresh, iter(plan.steps[fresh].args)))


def with_all_outcomes(plan: Plan) -> Plan:
    """The plan with the outcome of every step wanted."""
    return replace(plan, roots=tuple(range(len(plan.steps))))


def stage_of(node: Node) -> Stage:
    """The earliest stage a node can run in, by the inputs it needs."""
    return _stage_of_needs(node.needs)


@cache
def _stage_of_needs(needs: frozenset[str]) -> Stage:
    return max((_STAGE_OF_INPUT[name] for name in needs), default=Stage.constant)


def wanted_root(program: Program) -> Node:
    """The root of a program as it is run: a differ gets the expected output as C, a solver does not."""
    return program.root if program.kind == "differ" else solving_root(program)


def plan(programs: Iterable[Program]) -> Plan:
    """The plan of some programs: only the nodes they need, each in the earliest stage it can run in."""
    return plan_of([wanted_root(program) for program in programs])


def plan_of(roots: Sequence[Node]) -> Plan:
    """The plan of some nodes."""
    nodes = topological(roots)
    place = {node: number for number, node in enumerate(nodes)}
    steps = tuple(Step(node, tuple(place[arg] for arg in node.args), stage_of(node)) for node in nodes)
    return Plan(steps, tuple(place[root] for root in roots))


def plan_of_lines(batt: Batt) -> Plan:
    """The plan that runs the lines of a batt one after the other, twice the one that stands there twice.

    A solver that looks at C has no output here, nor has a differ on it: it would see the answer.
    """
    listing = batt.listing
    without_line = [arg for line in listing.lines for arg in line.args if isinstance(arg, Node)]
    sources = topological([*dict.fromkeys(without_line), WITHHELD])
    place = {node: number for number, node in enumerate(sources)}
    steps = [Step(node, (), stage_of(node)) for node in sources]
    lines: list[int] = []
    for line in listing.lines:
        args = [place[arg] if isinstance(arg, Node) else lines[arg] for arg in line.args]
        if line.condition is not None and args:
            args = _conditional(steps, args, [lines[position] for position in line.condition])
        lines.append(len(steps))
        steps.append(Step(line.node, tuple(args), Stage.sample))
    roots = [
        place[WITHHELD] if _would_see_answer(program) else lines[line]
        for program, line in zip(batt.programs, listing.outputs)
    ]
    return Plan(tuple(steps), tuple(roots), whole=True, lines=tuple(lines))


def _conditional(steps: list[Step], args: list[int], condition: list[int]) -> list[int]:
    """The arguments of a line that runs if the steps of a condition are ok, some by steps of their own.

    Such a step is a `NONE` with arguments. It gives the first of them, if the others are ok: else the line is
    not run. If the first is not ok it is None, on which the line runs and fails. The first argument of a line
    brings the steps along that are in its condition alone.
    """
    unused = [step for step in condition if step not in args]
    made: list[int] = []
    for place, arg in enumerate(args):
        others = unused if place == 0 else []
        if others or (arg not in condition and steps[arg].node.kind in ("op", "call")):
            parts = (arg, *([arg] if arg in condition else []), *others)
            node = Node(NONE.kind, NONE.head, tuple(steps[part].node for part in parts))
            made.append(len(steps))
            steps.append(Step(node, parts, Stage.sample))
        else:
            made.append(arg)
    return made


def _would_see_answer(program: Program) -> bool:
    return WITHHELD.head in program.root.needs or (program.kind == "solver" and "C" in program.root.needs)
