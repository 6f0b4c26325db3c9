"""The cost of each step of a plan on a backend: how often it ran or was skipped, its time, its failures."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from time import thread_time_ns
from typing import Any, NamedTuple, TypeVar

from arcbatt.dsl.contract import FAILED, Stage
from arcbatt.dsl.failures import KINDS, Failure, Kind
from arcbatt.dsl.values import Value
from arcbatt.engine.backend import Backend, Clock, Elements, Job, RunOptions, StepTime
from arcbatt.engine.cores import cores
from arcbatt.engine.plan import Plan, with_all_outcomes
from arcbatt.program.graph import Node
from arcbatt.tasks.samples import TaskLike, count_samples

READINGS, ROUNDS = 1000, 5  # of the clock, to time one reading
REPEATS = 3  # of a profile; the median of each step's times counts
LONGEST = 10.0  # seconds after which a profile is not repeated
FAILURE_FLAGS = bytes(code >= FAILED for code in range(256))


@dataclass(frozen=True)
class Cost:
    """The cost of a step, of a node or of all nodes of an op.

    A step has a turn as often as its stage says: it then runs, or is skipped because an argument has failed.
    `failures` are its own, not those of its arguments. `elements` are those that it applied functions to.
    """

    runs: int
    skipped: int
    seconds: float
    failures: Mapping[Kind, int]
    elements: Elements = field(default_factory=Elements)

    @property
    def turns(self) -> int:
        """The number of turns."""
        return self.runs + self.skipped

    @property
    def failed(self) -> int:
        """The runs that failed, whatever the kind."""
        return sum(self.failures.values())

    @property
    def seconds_per_run(self) -> float:
        """The mean time of a run."""
        return self.seconds / self.runs if self.runs else 0.0

    @property
    def seconds_per_turn(self) -> float:
        """The mean time of a turn."""
        return self.seconds / self.turns if self.turns else 0.0

    def as_json(self) -> dict[str, Any]:
        """The cost as plain data."""
        return {
            "runs": self.runs,
            "skipped": self.skipped,
            "failed": self.failed,
            "failures": {kind: self.failures[kind] for kind in KINDS if self.failures.get(kind)},
            "seconds": self.seconds,
            "seconds_per_run": self.seconds_per_run,
            "elements": self.elements.count,
            "elements_in_columns": self.elements.in_columns,
        }


def total(costs: Iterable[Cost]) -> Cost:
    """The sum of some costs.

    >>> total([Cost(2, 1, 0.5, {"TYPE": 1}), Cost(1, 0, 0.25, {})]).failures
    Counter({'TYPE': 1})
    """
    runs, skipped, seconds, failures, elements = 0, 0, 0.0, Counter[Kind](), Elements()
    for cost in costs:
        runs, skipped, seconds = runs + cost.runs, skipped + cost.skipped, seconds + cost.seconds
        failures.update(cost.failures)
        elements += cost.elements
    return Cost(runs, skipped, seconds, failures, elements)


class PlanRuns(NamedTuple):
    """A plan and the tasks it runs on."""

    plan: Plan
    tasks: Sequence[TaskLike]

    @property
    def samples(self) -> int:
        """The number of samples of the tasks."""
        return count_samples(self.tasks)

    def turns(self, stage: Stage) -> int:
        """The turns of a step: one in all, one a task or one a sample."""
        if stage == Stage.constant:
            return 1
        return len(self.tasks) if stage == Stage.task else self.samples


def is_due(stage: Stage, task: int, sample: int) -> bool:
    """Whether a step has a turn at a sample; task and sample are counted from 0."""
    return stage == Stage.sample or (sample == 0 and (stage == Stage.task or task == 0))


def computes(node: Node) -> bool:
    """Whether a node runs an op or calls a function; inputs and constants cost nothing."""
    return node.kind in ("op", "call")


def clock_seconds(backend: Backend, options: RunOptions, clock: Clock = thread_time_ns) -> float:
    """The seconds that timing a step takes by itself, which are subtracted from all times."""
    return min(backend.time_of_nothing(READINGS, options, clock) for _ in range(ROUNDS)) / READINGS / 1e9


def step_costs(
    backend: Backend,
    work: PlanRuns,
    options: RunOptions,
    clock_cost: float,
    on_task: Callable[[object], None],
    clock: Clock = thread_time_ns,
) -> list[Cost]:
    """The cost of each step of a plan on all samples of its tasks; `on_task` is called after each task.

    The plan runs several times, unless that takes long, and the median of a step's times counts. The clock is
    that of the thread, so an interruption makes no step expensive.
    """

    def profiled(number: int) -> list[StepTime]:
        tell = on_task if number == 0 else lambda task: None
        return backend.profile(work.plan, work.tasks, options, tell, clock)

    rounds = _repeated(profiled, clock)
    times = _medians([[_mean(step.nanoseconds, step.turns) for step in steps] for steps in rounds])
    many = replace(options, threads=cores())
    skipped = _skipped(backend, work, many)
    failures = _failures(
        backend, work, many, [number for number, step in enumerate(rounds[0]) if step.failures]
    )
    costs: list[Cost] = []
    for number, (step, timed) in enumerate(zip(work.plan.steps, rounds[0])):
        # Not `timed.turns`: a lane that runs out of memory starts again in a larger one and repeats steps.
        turns = work.turns(step.stage) if timed.turns else 0
        seconds = max(times[number] / 1e9 - clock_cost, 0.0) * turns
        costs.append(
            Cost(turns - skipped[number], skipped[number], seconds, failures[number], timed.elements)
        )
    return costs


Round = TypeVar("Round")


def _repeated(run: Callable[[int], Round], clock: Clock) -> list[Round]:
    """The results of several runs, by number; a run that takes long is not repeated."""
    started = clock()
    rounds = [run(0)]
    while len(rounds) < REPEATS and clock() - started < LONGEST * 1e9:
        rounds.append(run(len(rounds)))
    return rounds


def _medians(rounds: Sequence[Sequence[float]]) -> list[float]:
    """For each step the median of its times.

    >>> _medians([[1.0, 5.0], [900.0, 5.5], [1.5, 5.0]])
    [1.5, 5.0]
    """
    return [median(times) for times in zip(*rounds)]


def _mean(nanoseconds: int, runs: int) -> float:
    return nanoseconds / runs if runs else 0.0


def _skipped(backend: Backend, work: PlanRuns, options: RunOptions) -> list[int]:
    """For each step the number of turns at which an argument had failed."""
    plan, tasks = work.plan, work.tasks
    counts = [0] * len(plan.steps)

    def count(number: int, verdicts: bytes, _: bytes) -> None:
        samples = len(tasks[number].samples)
        flags = verdicts.translate(FAILURE_FLAGS)
        failed: list[int] = []  # for each step a number whose bytes are the samples
        for place, step in enumerate(plan.steps):
            failed.append(int.from_bytes(flags[place * samples : (place + 1) * samples], "little"))
            lost = 0
            for arg in step.args:
                lost |= failed[arg]
            if lost:
                due = sum(is_due(step.stage, number, sample) for sample in range(samples))
                counts[place] += min(lost.bit_count(), due)

    every = with_all_outcomes(plan)
    judged = [False] * len(every.roots)
    wanted = [range(len(every.roots))] * len(tasks)
    backend.run(Job(every, judged, tasks, wanted, options), count)
    return counts


def _failures(
    backend: Backend, work: PlanRuns, options: RunOptions, failing: Sequence[int]
) -> list[Counter[Kind]]:
    """For each step its own failures by kind: steps that are known to fail run again on their arguments."""
    steps = work.plan.steps
    counts: list[Counter[Kind]] = [Counter() for _ in steps]
    needed = sorted({arg for number in failing for arg in steps[number].args})
    if not needed:
        return counts
    arguments = replace(work.plan, roots=tuple(needed))
    for task_number, task in enumerate(work.tasks):
        (rows,) = backend.outcomes(arguments, [task], options)
        for sample_number, row in enumerate(rows):
            given = dict(zip(needed, row))
            for number in failing:
                if is_due(steps[number].stage, task_number, sample_number):
                    values = [given[arg] for arg in steps[number].args]
                    failure = _own_failure(backend, steps[number].node, values, options)
                    if failure is not None:
                        counts[number][failure.kind] += 1
    return counts


def _own_failure(
    backend: Backend, node: Node, arguments: Sequence[Value | Failure], options: RunOptions
) -> Failure | None:
    values = tuple(argument for argument in arguments if not isinstance(argument, Failure))
    if len(values) < len(arguments):
        return None
    outcome = backend.call(node.callee, values, options.limits)
    return outcome if isinstance(outcome, Failure) else None
