"""Profiling: the cost and the failures of each op and node of a batt, and the time that the engine saves."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, get_args

from arcbatt.arguments import require_one_of
from arcbatt.dsl.contract import Stage
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.engine.backend import FailureMode, RunOptions
from arcbatt.engine.choose import best_cpu, choose
from arcbatt.engine.plan import Plan, plan
from arcbatt.engine.profile.costs import Cost, PlanRuns, clock_seconds, computes, step_costs, total
from arcbatt.engine.profile.sharing import Sharing, sharing_by_value
from arcbatt.engine.run import Pairs
from arcbatt.engine.running.idle import nothing_to_run
from arcbatt.engine.work import plan_for
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Batt, Listing, Node, Program, expression
from arcbatt.program.merge import merge
from arcbatt.tasks import Task

LONGEST_EXPRESSION = 100


@dataclass(frozen=True)
class OpCost:
    """An op, the number of its nodes, and their cost together."""

    name: str
    nodes: int
    cost: Cost


@dataclass
class Merging:
    """Nodes and turns if each program ran alone, those of the merged graph, and the seconds saved."""

    nodes_alone: int = 0
    nodes: int = 0
    turns_alone: int = 0
    turns: int = 0
    seconds: float = 0.0


@dataclass
class Staging:
    """Turns of nodes if each ran on every sample, the real turns, and the seconds saved."""

    turns_unstaged: int = 0
    turns: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class LineCounts:
    """The lines of a batt file, the lines that no output depends on, and the lines that repeat another."""

    lines: int
    unneeded: int
    repeated: int
    all_run: bool


@dataclass(frozen=True)
class Profile:
    """The cost of a batt on tasks on one backend. Nodes are ops and calls: the rest costs nothing."""

    backend: str
    why: str
    on_failure: FailureMode
    pairs: Pairs
    programs: int
    tasks: int
    samples: int
    clock_seconds: float
    nodes: Mapping[Node, Cost] = field(repr=False)
    merging: Merging
    staging: Staging
    lines: LineCounts | None
    sharing: Sharing

    @cached_property
    def cost(self) -> Cost:
        """The cost of all nodes together."""
        return total(self.nodes.values())

    @property
    def ops(self) -> list[OpCost]:
        """The cost of each op, the most expensive first."""
        by_name: dict[str, list[Cost]] = {}
        for node, cost in self.nodes.items():
            by_name.setdefault(node.callee.name, []).append(cost)
        ops = [OpCost(name, len(costs), total(costs)) for name, costs in by_name.items()]
        return sorted(ops, key=lambda op: (-op.cost.seconds, op.name))

    def slowest(self, count: int) -> list[tuple[str, Cost]]:
        """The most expensive nodes as expressions, with their costs."""
        ranked = sorted(self.nodes.items(), key=lambda item: -item[1].seconds)
        return [(expression(node, LONGEST_EXPRESSION), cost) for node, cost in ranked[:count]]

    def share(self, cost: Cost) -> float:
        """The share of a cost in all seconds."""
        seconds = self.cost.seconds
        return cost.seconds / seconds if seconds else 0.0

    @property
    def seconds_by_sharing(self) -> float:
        """The seconds that one run of nodes with equal op and equal argument values would save."""
        return self.sharing.share_of_time * self.cost.seconds

    def as_json(self, top: int) -> dict[str, Any]:
        """The profile as plain data: all ops, and the `top` slowest nodes."""
        return {
            "backend": self.backend,
            "on_failure": self.on_failure,
            "pairs": self.pairs,
            "programs": self.programs,
            "tasks": self.tasks,
            "samples": self.samples,
            "clock_seconds": self.clock_seconds,
            "total": {"nodes": len(self.nodes)} | self.cost.as_json(),
            "ops": [
                {"op": op.name, "nodes": op.nodes, "share": self.share(op.cost)} | op.cost.as_json()
                for op in self.ops
            ],
            "slowest_nodes": [
                {"node": text, "share": self.share(cost)} | cost.as_json() for text, cost in self.slowest(top)
            ],
            "merging": asdict(self.merging),
            "staging": asdict(self.staging),
            "lines": None if self.lines is None else asdict(self.lines),
            "sharing_by_value": asdict(self.sharing) | {"seconds": self.seconds_by_sharing},
        }


def profile(
    batt: Iterable[Program] | Program,
    tasks: Iterable[Task],
    pairs: Pairs = "own",
    backend: str = "auto",
    on_failure: FailureMode = "default",
    limits: Limits = DEFAULT_LIMITS,
    on_task: Callable[[object], None] = lambda task: None,
) -> Profile:
    """The cost of programs on tasks: each on the task its name says (`pairs="own"`), or all on all.

    >>> from arcbatt.program.parse import parse_programs
    >>> from arcbatt.tasks import load_tasks
    >>> programs = parse_programs("def solve_x(I): return rot90(rot90(I))")
    >>> profile(programs, load_tasks("00d62c1b"), pairs="all").cost.runs
    12
    """
    require_one_of("pairs", pairs, get_args(Pairs))
    require_one_of("on_failure", on_failure, get_args(FailureMode))
    chosen, why = choose(backend, devices=False)
    if not chosen.tells_times:
        why = f"{chosen.name} does not tell times by op"
        chosen, _ = best_cpu()
    merged = merge([batt] if isinstance(batt, Program) else batt)
    works = _works(merged, list(tasks), pairs, on_failure)
    options = RunOptions(limits, on_failure)
    clock = clock_seconds(chosen, options)
    costs = [step_costs(chosen, work, options, clock, on_task) for work in works]
    account = _Account()
    for work, steps in zip(works, costs):
        account.add(work, steps)
    return Profile(
        chosen.name,
        why,
        on_failure,
        pairs,
        sum(len(work.plan.roots) for work in works),
        sum(len(work.tasks) for work in works),
        sum(work.samples for work in works),
        clock,
        {node: total(costs) for node, costs in account.steps.items()},
        account.merging,
        account.staging,
        None if merged.read is None else _lines(merged.read, on_failure),
        sharing_by_value(chosen, works, costs, options),
    )


def _works(batt: Batt, given: list[Task], pairs: Pairs, on_failure: FailureMode) -> list[PlanRuns]:
    """Plans with their tasks: one of all programs, or one a task; in mode `pile` always one of all."""
    by_task: dict[str | None, list[Program]] = {}
    for program in batt:
        by_task.setdefault(program.task_id, []).append(program)
    tasks = [task for task in given if pairs == "all" or task.id in by_task]
    if not tasks:
        raise ArcbattError(nothing_to_run(batt.programs, given))
    if pairs == "all" or on_failure == "pile":
        return [PlanRuns(plan_for(batt, on_failure), tasks)]
    return [PlanRuns(plan(by_task[task.id]), [task]) for task in tasks]


class _Account:
    """Sums of the costs of steps, and of what they would have cost without merging or staging."""

    def __init__(self) -> None:
        self.steps: dict[Node, list[Cost]] = {}
        self.merging, self.staging = Merging(), Staging()

    def add(self, work: PlanRuns, costs: Sequence[Cost]) -> None:
        """Add the steps of a plan; a constant of an earlier plan is not computed again."""
        merging, staging = self.merging, self.staging
        for step, cost, users in zip(work.plan.steps, costs, users_of(work.plan)):
            if not computes(step.node):
                continue
            new = step.stage != Stage.constant or step.node not in self.steps
            turns = cost.turns if new else 0
            merging.nodes_alone += users
            merging.turns_alone += users * cost.turns
            staging.turns_unstaged += work.samples
            staging.turns += turns
            staging.seconds += (work.samples - turns) * cost.seconds_per_turn
            if users:
                merging.nodes += step.node not in self.steps or work.plan.whole
                merging.turns += turns
                merging.seconds += (users * cost.turns - turns) * cost.seconds_per_turn
            if new:
                self.steps.setdefault(step.node, []).append(cost)


def users_of(plan: Plan) -> list[int]:
    """For each step the number of roots that depend on it."""
    users = [0] * len(plan.steps)
    for root in plan.roots:
        seen, waiting = {root}, [root]
        while waiting:
            number = waiting.pop()
            users[number] += 1
            fresh = set(plan.steps[number].args) - seen
            seen |= fresh
            waiting += fresh
    return users


def _lines(listing: Listing, on_failure: FailureMode) -> LineCounts:
    needed = set(listing.outputs)
    for position in range(len(listing.lines) - 1, -1, -1):
        if position in needed:
            needed.update(arg for arg in listing.lines[position].args if isinstance(arg, int))
    nodes = {listing.lines[position].node for position in needed}
    count = len(listing.lines)
    return LineCounts(count, count - len(needed), len(needed) - len(nodes), on_failure == "pile")
