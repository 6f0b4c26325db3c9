"""Running a batt sample by sample: in this process where limits bound all it does, else in workers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import TracebackType
from typing import Any, Literal, NamedTuple, cast, get_args

from arcbatt.batt.selection import SELECTION, Selection
from arcbatt.batt.worker import Answer, failed
from arcbatt.batt.workers import WorkerPool
from arcbatt.dsl.failures import Failure, Kind
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.dsl.machine import out_of_memory_ends
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.values import intake
from arcbatt.engine.backend import Backend, FailureMode, Job, Terms, how_many, require
from arcbatt.engine.choose import choose
from arcbatt.engine.plan import Plan, plan, plan_of_lines, with_all_outcomes
from arcbatt.engine.results import Outputs, with_failure
from arcbatt.engine.run import plan_for
from arcbatt.errors import ArcbattError, ValueRefused
from arcbatt.program.graph import Batt, Style
from arcbatt.tasks.samples import Samples, TaskLike, singles

# The failure modes of a batt: those of the engine, and `file`, which is that of the style of its lines.
BattMode = Literal["fail", "default", "pile", "file"]
BATT_MODES: tuple[BattMode, ...] = get_args(BattMode)
BATT_MODE: BattMode = "default"  # typed defaults, which batts are written for

# What a failed line of a batt file gives, by the style of the line; for `hybrid`, in files that are written.
MODE_OF_STYLE: dict[Style | None, FailureMode] = {
    "pile": "pile",
    "guarded": "default",
    "hybrid": "default",
    "vectorized": "fail",
    None: "fail",
}


def mode_of(batt: Batt, on_failure: str) -> FailureMode:
    """The failure mode of the engine that a mode asks for on a batt.

    >>> from arcbatt.program.parse import parse_programs
    >>> pile = Batt(parse_programs("def a(I): return I"), manner="pile")
    >>> mode_of(pile, "default"), mode_of(pile, "file")
    ('default', 'pile')
    """
    require("on_failure", on_failure, BATT_MODES)
    return MODE_OF_STYLE[batt.manner] if on_failure == "file" else cast(FailureMode, on_failure)


OWN_SECONDS = 60.0  # for a sample of a batt with ops of a user's own, in commands
MOST_MEMORY = 2 << 30  # bytes that a worker may take beyond what it starts with
TRIES = 10  # of a sample whose worker dies: it may have been killed from outside


class Judgement(NamedTuple):
    """What the programs of a batt did on one sample: a verdict and a score of each, as in results.py.

    In mode `default` a solver that failed somewhere, and is not exact, has the verdict of its failure.
    """

    verdicts: bytes
    scores: tuple[int, ...]

    def with_failures(self, solvers: Sequence[int], failures: bytes) -> "Judgement":
        """The judgement with failures on the way to solvers' outputs, given the verdicts of mode `fail`."""
        verdicts = bytearray(self.verdicts)
        for place, failure in zip(solvers, failures):
            verdicts[place] = with_failure(verdicts[place], failure)
        return self._replace(verdicts=bytes(verdicts))


class _Failed(NamedTuple):
    """A failure on its way from a worker: its node by number, since a node brings its whole graph along."""

    kind: Kind
    step: int


Wanted = Literal["outputs", "judgements"]


@dataclass(frozen=True)
class _Work:
    """What is to be done with samples: a plan on a backend, and which of its roots are compared with C.

    In mode `default`, `solving` is the plan of these roots alone, to learn where they fail on their way.
    """

    backend: Backend
    plan: Plan
    terms: Terms
    judged: Sequence[bool]
    solving: Plan | None

    def run(self, wanted: Wanted, tasks: Sequence[TaskLike]) -> list[Any]:
        """The outputs or judgements of all samples."""
        if wanted == "outputs":
            return [row for rows in self.backend.outcomes(self.plan, tasks, self.terms) for row in rows]
        rows = self._judge(self.plan, self.judged, tasks, self.terms)
        if self.solving is None or not self.solving.roots:
            return rows
        solvers = [place for place, is_solver in enumerate(self.judged) if is_solver]
        failing = replace(self.terms, on_failure="fail")
        failures = self._judge(self.solving, [True] * len(solvers), tasks, failing)
        return [row.with_failures(solvers, failed.verdicts) for row, failed in zip(rows, failures)]

    def _judge(
        self, plan: Plan, judged_roots: Sequence[bool], tasks: Sequence[TaskLike], terms: Terms
    ) -> list[Judgement]:
        job = Job(plan, judged_roots, tasks, [range(len(plan.roots))] * len(tasks), terms)
        judged: dict[int, tuple[bytes, memoryview]] = {}

        def report(number: int, verdicts: bytes, scores: bytes) -> None:
            judged[number] = verdicts, memoryview(scores).cast("i")

        self.backend.run(job, report)
        return [
            Judgement(verdicts[sample::count], tuple(scores[sample::count]))
            for number, task in enumerate(tasks)
            for count in [len(task.samples)]
            for verdicts, scores in [judged[number]]
            for sample in range(count)
        ]

    def run_alone(self, wanted: Wanted, task: TaskLike) -> Any:
        """The row of one sample; where S is no value, what needs it fails, and the rest runs."""
        try:
            (row,) = self.run(wanted, [task])
        except ValueRefused:
            if _is_value(task.pairs, self.terms.limits):
                raise
            (row,) = self.run(wanted, [Samples(task.id, None, task.samples)])
        return row

    def run_one(self, item: tuple[Wanted, TaskLike]) -> Any:
        """What a worker does with one sample."""
        wanted, task = item
        with out_of_memory_ends():
            row = self.run_alone(wanted, task)
        if wanted == "judgements":
            return row
        return tuple(
            _Failed(outcome.kind, self._numbers[outcome.node]) if isinstance(outcome, Failure) else outcome
            for outcome in row
        )

    @cached_property
    def _numbers(self) -> dict[object, int]:
        """The number of a step by its node."""
        return {step.node: number for number, step in enumerate(self.plan.steps)}


class Execution:
    """A batt made ready to run on many samples; a context, since it may keep worker processes.

    The native backend runs in this process, on `workers` threads: limits bound whatever a program does. The
    reference backend, and ops of a user's own, run in worker processes, where `memory` bounds a sample: bytes
    beyond what a worker starts with, on Linux. `seconds` bounds the time of a sample: where it is given every
    backend runs in worker processes; without it `own_seconds` bounds samples of a batt with ops of a user's
    own. A sample that comes to a bad end costs only
    itself: its answer says how it ended. `auto` considers GPUs unless `devices` is False. With `every_line`
    all lines of the batt run in their order, and the outputs are those of all steps of their plan. Ops that
    `selection` puts on the reference run there.
    """

    def __init__(
        self,
        batt: Batt,
        backend: str = "auto",
        on_failure: BattMode = BATT_MODE,
        limits: Limits = DEFAULT_LIMITS,
        workers: int | None = None,
        seconds: float | None = None,
        own_seconds: float | None = None,
        memory: int | None = MOST_MEMORY,
        devices: bool = True,
        every_line: bool = False,
        selection: Selection = SELECTION,
    ) -> None:
        self.batt = batt
        self.on_failure = mode_of(batt, on_failure)
        self.backend, self.why = choose(backend, devices and seconds is None)
        self.workers = how_many("workers", workers)
        self.plan = with_all_outcomes(plan_of_lines(batt)) if every_line else plan_for(batt, self.on_failure)
        has_own_ops = uses_foreign_ops(self.plan)
        self.in_workers = seconds is not None or has_own_ops or not self.backend.uses_threads
        longest = own_seconds if seconds is None and has_own_ops else seconds
        threads = 1 if self.in_workers else self.workers
        self.terms = Terms(limits, self.on_failure, threads, selection.on_reference)
        judged = [program.kind == "solver" for program in batt]
        solving = plan(batt.solvers) if self.on_failure == "default" and not every_line else None
        self._work = _Work(self.backend, self.plan, self.terms, judged, solving)
        # The pool holds the work and not the execution, so that both go at once when nobody holds them.
        self._pool = (
            WorkerPool(self._work.run_one, self.workers, longest, memory, TRIES) if self.in_workers else None
        )

    def __enter__(self) -> "Execution":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the worker processes, if there are any."""
        if self._pool is not None:
            self._pool.close()

    def outputs(self, tasks: Sequence[TaskLike]) -> Iterator[Answer[Outputs]]:
        """For each sample of each task what each program gives."""
        answers = self._answers("outputs", tasks)
        return answers if self._pool is None else map(self._with_nodes, answers)

    def judgements(self, tasks: Sequence[TaskLike]) -> Iterator[Answer[Judgement]]:
        """For each sample of each task the verdicts on the programs, and the scores that differs give."""
        return self._answers("judgements", tasks)

    def _answers(self, wanted: Wanted, tasks: Sequence[TaskLike]) -> Iterator[Answer[Any]]:
        if self._pool is None:
            return self._in_process(wanted, tasks)
        return self._pool.map((wanted, part) for part in singles(tasks))

    def _in_process(self, wanted: Wanted, tasks: Sequence[TaskLike]) -> Iterator[Answer[Any]]:
        """The answers of a batch; one that cannot run whole runs in halves, down to the sample at fault."""
        samples = sum(len(task.samples) for task in tasks)
        try:
            rows = [self._work.run_alone(wanted, tasks[0])] if samples == 1 else self._work.run(wanted, tasks)
        except (ArcbattError, MemoryError) as error:
            if samples == 1:
                yield failed(error)
            for half in _halves(tasks, samples):
                yield from self._in_process(wanted, half)
            return
        for row in rows:
            yield Answer("ok", row)

    def _with_nodes(self, answer: Answer[Any]) -> Answer[Outputs]:
        if answer.result is None:
            return answer
        steps = self.plan.steps
        outputs = tuple(
            Failure(outcome.kind, steps[outcome.step].node) if isinstance(outcome, _Failed) else outcome
            for outcome in answer.result
        )
        return Answer(answer.status, outputs)


def _is_value(candidate: Any, limits: Limits) -> bool:
    try:
        intake(candidate, limits)
    except ValueRefused:
        return False
    return True


def uses_foreign_ops(plan: Plan) -> bool:
    """Whether a plan has ops that are not trusted: a user's own, which may do anything."""
    return any(not TABLE[name].trusted for name in plan.ops)


def _halves(tasks: Sequence[TaskLike], samples: int) -> list[list[TaskLike]]:
    """Two batches with about half of the samples each; none for a single sample."""
    if samples < 2:
        return []
    parts: list[list[TaskLike]] = [[], []]
    before = 0
    for task in tasks:
        cut = min(max(samples // 2 - before, 0), len(task.samples))
        before += len(task.samples)
        for half, chosen in zip(parts, (task.samples[:cut], task.samples[cut:])):
            if chosen:
                half.append(Samples(task.id, task.pairs, chosen))
    return parts
