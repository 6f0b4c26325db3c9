"""Running a batt on many samples: in this process if limits bound all its ops, else in worker processes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from time import perf_counter
from typing import Any, Literal, NamedTuple, cast, get_args

from arcbatt.arguments import require_one_of
from arcbatt.dsl.failures import Failure, Kind
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.dsl.machine import out_of_memory_ends
from arcbatt.dsl.own.errors import faults_noted
from arcbatt.dsl.values import intake
from arcbatt.engine.backend import FailureMode, RunOptions, how_many
from arcbatt.engine.choose import choose
from arcbatt.engine.plan import plan, plan_of_lines, uses_foreign_ops, with_all_outcomes
from arcbatt.engine.portions import SECONDS, Pace, weight
from arcbatt.engine.records.record import Record, record_of
from arcbatt.engine.records.replies import Reply
from arcbatt.engine.records.verdicts import Judged, Outputs
from arcbatt.engine.running.phase_clock import Phase, PhaseClock
from arcbatt.engine.running.sightings import sightings
from arcbatt.engine.running.worker import failed
from arcbatt.engine.running.worker_pool import WorkerPool
from arcbatt.engine.work import Work, plan_for
from arcbatt.errors import ArcbattError, ValueRefused
from arcbatt.program.graph import Batt, Style
from arcbatt.tasks import Task
from arcbatt.tasks.samples import (
    Samples,
    TaskLike,
    batches,
    count_samples,
    demo_and_test,
    in_halves,
    singles,
)

# A task, and groups of programs that are to run on it, by their places.
Asked = tuple[Task, Sequence[Sequence[int]]]
# The failure modes of a batt: those of the engine, and `file`, the mode that the style of its lines sets.
BattMode = Literal["fail", "default", "pile", "file"]
BATT_MODES: tuple[BattMode, ...] = get_args(BattMode)
BATT_MODE: BattMode = "default"  # a failed line gives the default value of its type

# The failure mode that the style of a batt file's lines sets; `hybrid` is for files that are written.
MODE_OF_STYLE: dict[Style | None, FailureMode] = {
    "pile": "pile",
    "guarded": "default",
    "hybrid": "default",
    "vectorized": "fail",
    "gpu-direct": "fail",
    "batch": "default",
    None: "fail",
}


def mode_of(batt: Batt, on_failure: str) -> FailureMode:
    """The engine's failure mode for a batt, given the mode that was asked for.

    >>> from arcbatt.program.parse import parse_programs
    >>> pile = Batt(parse_programs("def a(I): return I"), line_style="pile")
    >>> mode_of(pile, "default"), mode_of(pile, "file")
    ('default', 'pile')
    """
    require_one_of("on_failure", on_failure, BATT_MODES)
    return MODE_OF_STYLE[batt.line_style] if on_failure == "file" else cast(FailureMode, on_failure)


MOST_MEMORY = 2 << 30  # bytes that a worker may take beyond what it starts with
ENDS_A_SAMPLE = (ArcbattError, MemoryError)  # errors that cost one sample
TRIES = 10  # of a sample whose worker dies: something outside may have killed it


class _Failed(NamedTuple):
    """A failure as a worker sends it: its node by number, since a node is pickled with its whole graph."""

    kind: Kind
    step: int


@dataclass(frozen=True)
class Unit:
    """The function of a worker process: runs the sample that it is sent."""

    work: Work

    def __call__(self, item: tuple[bool, Samples]) -> Any:
        """The verdicts and scores, or else the outputs, of a sample; and the faults of own ops."""
        judges, sample = item
        with out_of_memory_ends(), faults_noted() as notes:
            (found,) = self.run(judges, [sample])
        sent = found if judges else [tuple(map(self._sent, row)) for row in found]
        return sent, sightings(notes, self.work.plan)

    def run(
        self, judges: bool, tasks: Sequence[TaskLike], wanted: Mapping[str, Sequence[int]] | None = None
    ) -> list[Any]:
        """The same of each task; if S of a single sample is not a value, the nodes that need S fail.

        `wanted` are the places of the programs that are judged, by the id of the task; by default all are.
        """
        places = None if wanted is None else [wanted[task.id] for task in tasks]
        run: Callable[[Sequence[TaskLike]], list[Any]]
        run = partial(self.work.judged, wanted=places) if judges else self.work.outputs
        try:
            return run(tasks)
        except ValueRefused:
            if count_samples(tasks) != 1 or all(self._is_value(task.pairs) for task in tasks):
                raise
        return run([Samples(task.id, None, task.samples) for task in tasks])

    def _is_value(self, candidate: Any) -> bool:
        try:
            intake(candidate, self.work.options.limits)
        except ValueRefused:
            return False
        return True

    def _sent(self, outcome: Any) -> Any:
        if isinstance(outcome, Failure):
            return _Failed(outcome.kind, self._numbers[outcome.node])
        return outcome

    @cached_property
    def _numbers(self) -> dict[object, int]:
        """The number of a step by its node."""
        return {node: number for number, node in enumerate(self.work.plan.nodes)}

    def received(self, outcome: Any) -> Any:
        """The outcome that a worker sent."""
        if isinstance(outcome, _Failed):
            return Failure(outcome.kind, self.work.plan.nodes[outcome.step])
        return outcome


class Part(NamedTuple):
    """Some programs of a task that are to be judged; `last` if there are no more."""

    task: Task
    places: list[int]
    last: bool


def work_of(part: Part) -> int:
    """The work of a part: programs times the weight of the task."""
    return len(part.places) * weight(part.task)


def _batched(asked: Iterable[Asked], size: int | None) -> Iterator[list[Asked]]:
    """Tasks in lists that have `size` samples or a few more; without a size, one by one."""
    batch: list[Asked] = []
    for each in asked:
        batch.append(each)
        if count_samples(task for task, _ in batch) >= (size or 0):
            yield batch
            batch = []
    if batch:
        yield batch


def parts_of(asked: Iterable[Asked], pace: Pace) -> Iterator[Part]:
    """Portions of tasks, each as large as the pace at its time allows; at least one of each task."""
    for task, groups in asked:
        rest, last = list(groups), False
        while not last:
            places, rest = _first(rest, pace.programs(task))
            last = not rest
            yield Part(task, places, last)


def _first(groups: list[Sequence[int]], count: int) -> tuple[list[int], list[Sequence[int]]]:
    """The places of the first groups, about `count` of them, and the groups that are left."""
    places: list[int] = []
    for taken, group in enumerate(groups):
        if places and len(places) + len(group) > count:
            return places, groups[taken:]
        places += group
    return places, []


class Runner:
    """A batt ready to run on many samples; a context manager, since it may keep worker processes.

    The native backend runs in this process, on `workers` threads, since limits bound the work of every op.
    The reference backend and ops of a user's own run in worker processes. There `memory` bounds the bytes
    that a sample may take beyond those that a worker starts with (on Linux). With `seconds`, the time limit
    of a sample, every backend runs in worker processes; without it, `own_seconds` is the limit for a batt
    with ops of a user's own. A sample that ends badly does not affect the others: its answer says how it
    ended. `auto` considers GPUs unless `devices` is False. The ops named in `on_reference` run in Python.
    With `partial_scores` solvers get partial scores. With a `clock`, the demo samples of tasks run before the
    test samples, and the time of both is counted.
    """

    clock: PhaseClock | None = None

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
        on_reference: frozenset[str] = frozenset(),
        partial_scores: bool = False,
    ) -> None:
        self.batt = batt
        self.on_failure = mode_of(batt, on_failure)
        self.workers = how_many("workers", workers)
        self._seconds, self._own_seconds, self._memory = seconds, own_seconds, memory
        chosen, self.why = choose(backend, devices and seconds is None)
        options = RunOptions(limits, self.on_failure, self.workers, on_reference)
        solving = plan(batt.solvers) if self.on_failure == "default" else None
        planned = plan_for(batt, self.on_failure)
        self._take_on(Work(chosen, planned, options, batt.programs, solving, partial_scores))

    def _take_on(self, work: Work) -> None:
        """Set the work up, with a pool of workers if it needs one."""
        has_own_ops = uses_foreign_ops(work.plan)
        self.in_workers = self._seconds is not None or has_own_ops or not work.backend.uses_threads
        self.work = replace(work, options=replace(work.options, threads=1)) if self.in_workers else work
        seconds = self._own_seconds if self._seconds is None and has_own_ops else self._seconds
        self._unit = Unit(self.work)
        # The pool holds the unit and not the runner: without a cycle both are freed at once.
        self._pool = (
            WorkerPool(self._unit, self.workers, seconds, self._memory, TRIES) if self.in_workers else None
        )

    def of_every_line(self) -> "Runner":
        """A runner of the same options that runs all lines in file order and gives each step's outcome."""
        other = copy(self)
        lines = self.work.plan if self.work.plan.whole else plan_of_lines(self.batt)
        options = replace(self.work.options, threads=self.workers)
        other._take_on(Work(self.work.backend, with_all_outcomes(lines), options))
        return other

    def __enter__(self) -> "Runner":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker processes, if there are any."""
        if self._pool is not None:
            self._pool.close()

    def outputs(self, tasks: Sequence[TaskLike]) -> Iterator[Reply[Outputs]]:
        """The outputs of all programs, sample by sample."""
        for _, answer in self._answers(False, tasks):
            if answer.result is None:
                yield answer
                continue
            for row in answer.result:
                outputs = row if self._pool is None else tuple(map(self._unit.received, row))
                yield Reply("ok", outputs, seen=answer.seen)

    def records(self, tasks: Iterable[Task], batch_size: int | None = None) -> Iterator[Record]:
        """The verdicts and scores of all programs, task by task.

        A batch has `batch_size` samples; without a size, it is one task. In mode `default`, a solver with a
        failed line has the verdict of that failure, unless its output is exact.
        """
        tasks = list(tasks)
        answers = (each for batch in batches(tasks, batch_size) for each in self._answers(True, batch))
        for task in tasks:
            parts: list[tuple[TaskLike, Reply[Judged]]] = []
            while count_samples(part for part, _ in parts) < len(task.samples):
                parts.append(next(answers))
            yield record_of(task, self.work.programs, parts)

    def portions(
        self, asked: Iterable[Asked], batch_size: int | None = None
    ) -> Iterator[tuple[Record, bool]]:
        """The same in portions that take a fraction of a second; the last one of a task comes with True.

        For each task, groups of programs are asked for by their places; a group runs in one portion. Worker
        processes, whose limits are for a sample with all programs, and mode `pile`, where programs depend on
        each other, run whole tasks.
        """
        if self.runs_whole_tasks:
            size = batch_size if self._pool is not None else None
            for some in _batched(asked, size):
                records = self.records([task for task, groups in some if groups], size)
                for task, groups in some:
                    yield next(records) if groups else Record(task, (), b"", b""), True
            return
        pace, batch = Pace(), list[Part]()
        for part in parts_of(asked, pace):
            batch.append(part)
            samples = count_samples(each.task for each in batch)
            seconds = sum(map(work_of, batch)) * pace.seconds
            is_full = samples >= (batch_size or 0) or seconds >= SECONDS * self.workers
            if is_full or not part.last:
                yield from self._judged(batch, pace)
                batch = []
        yield from self._judged(batch, pace)

    @property
    def runs_whole_tasks(self) -> bool:
        """Whether the programs of a task run all together, always."""
        return self._pool is not None or self.work.plan.whole

    def _judged(self, batch: "list[Part]", pace: Pace) -> "Iterator[tuple[Record, bool]]":
        """The records of portions of different tasks, which run together."""
        started = perf_counter()
        wanted = {part.task.id: part.places for part in batch}
        answers = iter(list(self._answers(True, [part.task for part in batch], wanted)))
        pace.note(sum(map(work_of, batch)), (perf_counter() - started) * self.workers)
        for part in batch:
            found: list[tuple[TaskLike, Reply[Judged]]] = []
            while count_samples(some for some, _ in found) < len(part.task.samples):
                found.append(next(answers))
            programs = tuple([self.work.programs[place] for place in part.places])
            yield record_of(part.task, programs, found), part.last

    def _answers(
        self, judges: bool, tasks: Sequence[TaskLike], wanted: Mapping[str, Sequence[int]] | None = None
    ) -> Iterator[tuple[TaskLike, Reply[Any]]]:
        """The answers for tasks or parts of them: verdicts and scores if `judges`, else outputs by sample."""
        if self._pool is not None:
            answers = self._pool.map((judges, sample) for sample in singles(tasks))
            if self.clock is not None:
                answers = _waiting(answers, tasks, self.clock)
            for answer, sample in zip(answers, singles(tasks)):
                if answer.result is not None:
                    answer = replace(answer, result=answer.result[0], seen=answer.result[1])
                yield sample, answer
            return
        run = partial(self._unit.run, judges, wanted=wanted)
        if self.clock is None:
            halves = in_halves(run, tasks, ENDS_A_SAMPLE)
        else:
            halves = _demo_first(run, tasks, self.clock)
        for part, found in halves:
            yield part, failed(found) if isinstance(found, Exception) else Reply("ok", found)


def _demo_first(
    run: Callable[[Sequence[TaskLike]], Sequence[Any]], tasks: Sequence[TaskLike], clock: PhaseClock
) -> Iterator[tuple[TaskLike, Any]]:
    """The results of `run` in the order of the tasks, where all demo samples run first, then the others."""
    halves = [demo_and_test(task) for task in tasks]
    found: list[Iterator[tuple[TaskLike, Any]]] = []
    phases: tuple[Phase, Phase] = ("demo", "test")
    for number, phase in enumerate(phases):
        some = [half[number] for half in halves if half[number].samples]
        with clock.phase(phase):
            found.append(iter(list(in_halves(run, some, ENDS_A_SAMPLE)) if some else ()))
    for both in halves:
        for half, results in zip(both, found):
            left = len(half.samples)
            while left:
                part, result = next(results)
                left -= len(part.samples)
                yield part, result


def _waiting(
    answers: Iterator[Reply[Any]], tasks: Sequence[TaskLike], clock: PhaseClock
) -> Iterator[Reply[Any]]:
    """The answers of workers; the time until one comes counts for the half that its sample belongs to."""
    for task in tasks:
        demo, test = demo_and_test(task)
        for phase, half in (("demo", demo), ("test", test)):
            for _ in half.samples:
                with clock.phase(cast(Phase, phase)):
                    answer = next(answers)
                yield answer
