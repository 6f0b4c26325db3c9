"""Profiling: which ops and nodes of a batt cost how much, how they fail, and what the engine saves."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, get_args

from arcbatt.dsl.contract import Stage
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.engine.backend import FailureMode, RunOptions, require
from arcbatt.engine.choose import best_cpu, choose
from arcbatt.engine.plan import Plan, plan
from arcbatt.engine.profile.costs import Cost, Work, clock_seconds, computes, step_costs, total
from arcbatt.engine.profile.sharing import Sharing, sharing_by_value
from arcbatt.engine.run import Pairs, plan_for
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Batt, Listing, Node, Program, expression
from arcbatt.program.merge import merge
from arcbatt.tasks import Task

LONGEST_EXPRESSION = 100


@dataclass(frozen=True)
class OpCost:
    """An op, in how many nodes it stands, and what these cost."""

    name: str
    nodes: int
    cost: Cost


@dataclass(frozen=True)
class Merging:
    """Nodes and their turns if each program ran alone, those of the merged graph, and the seconds saved."""

    nodes_alone: int
    nodes: int
    turns_alone: int
    turns: int
    seconds: float


@dataclass(frozen=True)
class Staging:
    """Turns of nodes if each came at every sample, those that came, and the seconds saved."""

    turns_unstaged: int
    turns: int
    seconds: float


@dataclass(frozen=True)
class Lines:
    """The lines of a batt file, those that no output needs, and those that repeat an earlier one."""

    lines: int
    unneeded: int
    repeated: int
    all_run: bool


@dataclass(frozen=True)
class Profile:
    """What a batt costs on some tasks on one backend. Nodes are ops and calls: the rest costs nothing."""

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
    lines: Lines | None
    sharing: Sharing

    @cached_property
    def cost(self) -> Cost:
        """What all nodes cost together."""
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
        """The part of all time that something took."""
        seconds = self.cost.seconds
        return cost.seconds / seconds if seconds else 0.0

    @property
    def seconds_by_sharing(self) -> float:
        """What running nodes of equal op and argument values once would save."""
        return self.sharing.share_of_time * self.cost.seconds

    def as_json(self, top: int) -> dict[str, Any]:
        """The profile as plain data: all ops, and so many of the slowest nodes."""
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
    """What programs cost on tasks: each on the task its name says (`pairs="own"`), or all on all.

    >>> from arcbatt.program.parse import parse_programs
    >>> from arcbatt.tasks import load_tasks
    >>> programs = parse_programs("def solve_x(I): return rot90(rot90(I))")
    >>> profile(programs, load_tasks("00d62c1b"), pairs="all").cost.runs
    12
    """
    require("pairs", pairs, get_args(Pairs))
    require("on_failure", on_failure, get_args(FailureMode))
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
        account.nodes(),
        account.merging(),
        account.staging(),
        None if merged.read is None else _lines(merged.read, on_failure),
        sharing_by_value(chosen, works, costs, options),
    )


def _works(batt: Batt, tasks: list[Task], pairs: Pairs, on_failure: FailureMode) -> list[Work]:
    """What is to run on what: all programs together, or those of each task, a pile always as a whole."""
    by_task: dict[str | None, list[Program]] = {}
    for program in batt:
        by_task.setdefault(program.task_id, []).append(program)
    if pairs == "own":
        tasks = [task for task in tasks if task.id in by_task]
    if not tasks:
        raise ArcbattError("no program runs on any of the tasks; pairs all runs each program on every task")
    if pairs == "all" or on_failure == "pile":
        return [Work(plan_for(batt, on_failure), tasks)]
    return [Work(plan(by_task[task.id]), [task]) for task in tasks]


class _Account:
    """Adds up what steps cost and what they would have cost."""

    def __init__(self) -> None:
        self.steps: dict[Node, list[Cost]] = {}
        self.nodes_alone = self.nodes_needed = 0
        self.turns_alone = self.turns_needed = self.turns_unstaged = self.turns = 0
        self.seconds_by_merging = self.seconds_by_staging = 0.0

    def add(self, work: Work, costs: Sequence[Cost]) -> None:
        """Take in the steps of a plan; a constant that an earlier plan had is not computed again."""
        for step, cost, users in zip(work.plan.steps, costs, users_of(work.plan)):
            if not computes(step.node):
                continue
            new = step.stage != Stage.constant or step.node not in self.steps
            turns = cost.turns if new else 0
            self.nodes_alone += users
            self.turns_alone += users * cost.turns
            self.turns_unstaged += work.samples
            self.turns += turns
            self.seconds_by_staging += (work.samples - turns) * cost.seconds_per_turn
            if users:
                self.nodes_needed += step.node not in self.steps or work.plan.whole
                self.turns_needed += turns
                self.seconds_by_merging += (users * cost.turns - turns) * cost.seconds_per_turn
            if new:
                self.steps.setdefault(step.node, []).append(cost)

    def nodes(self) -> dict[Node, Cost]:
        """The cost of each node."""
        return {node: total(costs) for node, costs in self.steps.items()}

    def merging(self) -> Merging:
        """What it saves that programs share nodes."""
        return Merging(
            self.nodes_alone, self.nodes_needed, self.turns_alone, self.turns_needed, self.seconds_by_merging
        )

    def staging(self) -> Staging:
        """What it saves that nodes wait for what they depend on."""
        return Staging(self.turns_unstaged, self.turns, self.seconds_by_staging)


def users_of(plan: Plan) -> list[int]:
    """For each step of a plan how many of its roots need it."""
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


def _lines(listing: Listing, on_failure: FailureMode) -> Lines:
    needed = set(listing.outputs)
    for position in range(len(listing.lines) - 1, -1, -1):
        if position in needed:
            needed.update(arg for arg in listing.lines[position].args if isinstance(arg, int))
    nodes = {listing.lines[position].node for position in needed}
    count = len(listing.lines)
    return Lines(count, count - len(needed), len(needed) - len(nodes), on_failure == "pile")
