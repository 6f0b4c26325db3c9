"""What each step of a plan costs on a backend: how often it ran or was skipped, how long, how it failed."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from time import thread_time_ns
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from arcbatt.dsl.contract import FAILED, Stage
from arcbatt.dsl.failures import KINDS, Failure, Kind
from arcbatt.dsl.values import Value
from arcbatt.engine.backend import Backend, Job, Terms
from arcbatt.engine.cores import cores
from arcbatt.engine.plan import Plan, Step, plan_of, with_all_outcomes
from arcbatt.engine.reference import Evaluator
from arcbatt.program.graph import Node
from arcbatt.tasks.samples import Samples, TaskLike

if TYPE_CHECKING:
    from arcbatt.engine.native import NativeBackend

READINGS, ROUNDS = 1000, 5  # of the clock, to learn what one costs
REPEATS = 3  # of a profile; the median of each step's times counts
LONGEST = 10.0  # seconds after which a profile is not repeated
FAILURE_FLAGS = bytes(code >= FAILED for code in range(256))


@dataclass(frozen=True)
class Cost:
    """What a step, a node or all nodes of an op have cost.

    The turn of a step comes as its stage says. It is then run, or skipped where an argument has failed;
    `failures` are its own.
    """

    runs: int
    skipped: int
    seconds: float
    failures: Mapping[Kind, int]

    @property
    def turns(self) -> int:
        """How often its turn came."""
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
        }


def total(costs: Iterable[Cost]) -> Cost:
    """The sum of some costs.

    >>> total([Cost(2, 1, 0.5, {"TYPE": 1}), Cost(1, 0, 0.25, {})])
    Cost(runs=3, skipped=1, seconds=0.75, failures=Counter({'TYPE': 1}))
    """
    runs, skipped, seconds, failures = 0, 0, 0.0, Counter[Kind]()
    for cost in costs:
        runs, skipped, seconds = runs + cost.runs, skipped + cost.skipped, seconds + cost.seconds
        failures.update(cost.failures)
    return Cost(runs, skipped, seconds, failures)


class Work(NamedTuple):
    """A plan and the tasks it runs on."""

    plan: Plan
    tasks: Sequence[TaskLike]

    @property
    def samples(self) -> int:
        """The number of samples of the tasks."""
        return sum(len(task.samples) for task in self.tasks)

    def turns(self, stage: Stage) -> int:
        """How often the turn of a step comes: once in all, once a task or once a sample."""
        if stage == Stage.constant:
            return 1
        return len(self.tasks) if stage == Stage.task else self.samples


def is_due(stage: Stage, task: int, sample: int) -> bool:
    """Whether the turn of a step comes at a sample, both counted from 0."""
    return stage == Stage.sample or (sample == 0 and (stage == Stage.task or task == 0))


def computes(node: Node) -> bool:
    """Whether a node runs an op or calls a function; inputs and constants are only there."""
    return node.kind in ("op", "call")


# Nanoseconds that the thread has run by now.
Clock = Callable[[], int]


def clock_seconds(backend: Backend, terms: Terms, clock: Clock = thread_time_ns) -> float:
    """What timing a step costs by itself, which is taken off all times."""
    if backend.name != "native":
        readings = ([clock() for _ in range(READINGS + 1)] for _ in range(ROUNDS))
        return min(reading[-1] - reading[0] for reading in readings) / READINGS / 1e9
    nothing = plan_of([Node.input("I")])
    samples = [Samples("", (), [(((0,),), None)] * READINGS)]
    rounds = (cast("NativeBackend", backend).profile(nothing, samples, terms) for _ in range(ROUNDS))
    return min(nanoseconds for ((_, nanoseconds, _),) in rounds) / READINGS / 1e9


def step_costs(
    backend: Backend,
    work: Work,
    terms: Terms,
    clock_cost: float,
    on_task: Callable[[object], None],
    clock: Clock = thread_time_ns,
) -> list[Cost]:
    """What each step of a plan costs on all samples of its tasks; `on_task` is told of each that is done.

    All runs several times, unless that takes long, and the median of a step's times counts. With the time of
    the thread instead of the day's, no interruption makes a step expensive.
    """
    if backend.name == "native":
        costs = _native_costs(cast("NativeBackend", backend), work, terms, clock_cost, clock)
        for task in work.tasks:
            on_task(task)
        return costs

    def evaluated(number: int) -> TimedEvaluator:
        evaluator = TimedEvaluator(work.plan, terms, clock)
        for task in work.tasks:
            for _ in evaluator.run_task(task):
                pass
            if number == 0:
                on_task(task)
        return evaluator

    evaluators = _repeated(evaluated, clock)
    times = _medians([evaluator.times() for evaluator in evaluators])
    return evaluators[0].costs(times, clock_cost)


Round = TypeVar("Round")


def _repeated(run: Callable[[int], Round], clock: Clock) -> list[Round]:
    """What some runs give, by their numbers; after long ones there is no other."""
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


class TimedEvaluator(Evaluator):
    """The reference, with a clock at every step."""

    def __init__(self, plan: Plan, terms: Terms, clock: Clock = thread_time_ns) -> None:
        super().__init__(plan, range(len(plan.roots)), terms)
        count = len(plan.steps)
        self.clock = clock
        self.turns, self.skipped, self.nanoseconds = [0] * count, [0] * count, [0] * count
        self.failed: list[Counter[Kind]] = [Counter() for _ in plan.steps]
        self._number = 0

    def times(self) -> list[float]:
        """The mean nanoseconds of a turn of each step."""
        return [_mean(nanoseconds, turns) for nanoseconds, turns in zip(self.nanoseconds, self.turns)]

    def costs(self, times: Sequence[float], clock_cost: float) -> list[Cost]:
        """What the steps cost whose turns take some nanoseconds, without what the clock costs."""
        return [
            Cost(turns - skipped, skipped, _seconds(time, clock_cost) * turns, failures)
            for turns, skipped, time, failures in zip(self.turns, self.skipped, times, self.failed)
        ]

    def _run_stage(self, stage: Stage) -> None:
        for number in self.stages[stage]:
            self._number = number
            started = self.clock()
            self.outcomes[number] = self._outcome(self.plan.steps[number])
            self.nanoseconds[number] += self.clock() - started
            self.turns[number] += 1

    def _attempt(self, step: Step) -> Value | Failure:
        outcome = super()._attempt(step)
        if isinstance(outcome, Failure):
            if any(isinstance(self.outcomes[arg], Failure) for arg in step.args):
                self.skipped[self._number] += 1
            else:
                self.failed[self._number][outcome.kind] += 1
        return outcome


def _mean(nanoseconds: int, runs: int) -> float:
    return nanoseconds / runs if runs else 0.0


def _seconds(nanoseconds: float, clock_cost: float) -> float:
    """The seconds of a turn without the clock."""
    return max(nanoseconds / 1e9 - clock_cost, 0.0)


def _native_costs(
    backend: "NativeBackend", work: Work, terms: Terms, clock_cost: float, clock: Clock
) -> list[Cost]:
    rounds = _repeated(lambda _: backend.profile(work.plan, work.tasks, terms), clock)
    times = _medians([[_mean(nanoseconds, runs) for runs, nanoseconds, _ in rows] for rows in rounds])
    many = replace(terms, threads=cores())
    skipped = _skipped(backend, work, many)
    failing = [number for number, (_, _, failures) in enumerate(rounds[0]) if failures]
    failures = _failures(backend, work, many, failing)
    costs: list[Cost] = []
    for number, (step, (runs, _, _)) in enumerate(zip(work.plan.steps, rounds[0])):
        # Not `runs`: a lane that runs out of memory starts anew in a larger one, and times some steps again.
        turns = work.turns(step.stage) if runs else 0
        seconds = _seconds(times[number], clock_cost) * turns
        costs.append(Cost(turns - skipped[number], skipped[number], seconds, failures[number]))
    return costs


def _skipped(backend: Backend, work: Work, terms: Terms) -> list[int]:
    """For each step how often an argument of it had failed."""
    plan, tasks = work.plan, work.tasks
    counts = [0] * len(plan.steps)

    def count(number: int, verdicts: bytes, _: bytes) -> None:
        samples = len(tasks[number].samples)
        flags = verdicts.translate(FAILURE_FLAGS)
        failed: list[int] = []  # of each step a number with a byte for each sample
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
    backend.run(Job(every, judged, tasks, wanted, terms), count)
    return counts


def _failures(backend: Backend, work: Work, terms: Terms, failing: Sequence[int]) -> list[Counter[Kind]]:
    """For each step its own failures by kind: the steps known to fail run again on their arguments."""
    steps = work.plan.steps
    counts: list[Counter[Kind]] = [Counter() for _ in steps]
    needed = sorted({arg for number in failing for arg in steps[number].args})
    if not needed:
        return counts
    arguments = replace(work.plan, roots=tuple(needed))
    for task_number, task in enumerate(work.tasks):
        (rows,) = backend.outcomes(arguments, [task], terms)
        for sample_number, row in enumerate(rows):
            given = dict(zip(needed, row))
            for number in failing:
                if is_due(steps[number].stage, task_number, sample_number):
                    values = [given[arg] for arg in steps[number].args]
                    failure = _own_failure(backend, steps[number].node, values, terms)
                    if failure is not None:
                        counts[number][failure.kind] += 1
    return counts


def _own_failure(
    backend: Backend, node: Node, arguments: Sequence[Value | Failure], terms: Terms
) -> Failure | None:
    values = tuple(argument for argument in arguments if not isinstance(argument, Failure))
    if len(values) < len(arguments):
        return None
    outcome = backend.call(node.callee, values, terms.limits)
    return outcome if isinstance(outcome, Failure) else None
