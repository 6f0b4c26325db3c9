"""A run on a cluster: its nodes judge portions of programs on tasks, results come as they are done."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, partial
from time import perf_counter
from typing import Any, NamedTuple

from arcbatt.dsl.limits import Limits
from arcbatt.engine.backend import Backend, FailureMode, RunOptions
from arcbatt.engine.choose import best_cpu, choose, device_of_auto, is_of_devices, require_backend
from arcbatt.engine.cluster.pool import AHEAD, ClusterPool, result_of
from arcbatt.engine.plan import plan
from arcbatt.engine.portions import TRIAL, Portion, PortionReport, Queue, weight
from arcbatt.engine.records.replies import Reply
from arcbatt.engine.records.verdicts import Judged
from arcbatt.engine.running.sample_runner import Unit
from arcbatt.engine.running.worker import failed
from arcbatt.engine.work import Work, plan_for
from arcbatt.errors import ArcbattError, BackendError
from arcbatt.program.graph import Batt
from arcbatt.tasks import Task
from arcbatt.tasks.samples import TaskLike, in_halves

SECONDS = 1.0  # what a unit should take
FULL = 0.75  # of these seconds, after which no other task is added to a unit


class Places(NamedTuple):
    """The places of programs, in few bytes: those from a first to a last one, or each by itself."""

    first: int
    end: int
    each: bytes = b""

    @classmethod
    def of(cls, places: Sequence[int]) -> "Places":
        """Pack places.

        >>> Places.of([4, 5, 6]), list(Places.of([1, 7]).places)
        (Places(first=4, end=7, each=b''), [1, 7])
        """
        first, end = (places[0], places[-1] + 1) if places else (0, 0)
        if end - first == len(places) and list(places) == list(range(first, end)):
            return cls(first, end)
        return cls(0, 0, array("q", places).tobytes())

    @property
    def places(self) -> Sequence[int]:
        """The places themselves."""
        return array("q", self.each) if self.each else range(self.first, self.end)


class Asked(NamedTuple):
    """A task, and the places of the programs that are wanted on it."""

    task: Task
    places: Places


class Judging(NamedTuple):
    """What a unit gives: for each task the answers for its samples, and the seconds it took.

    There is one answer for all samples of a task, unless one of them is at fault: then the others have
    answers of their own, each with their number.
    """

    answers: list[list[tuple[int, Reply[Judged]]]]
    seconds: float


@dataclass(frozen=True)
class Judge:
    """The function of a node: judges programs of a batt on tasks.

    The batt goes to a node once, and is planned once in each worker process. `backend` is the name of the
    backend of CPUs, and `device` that of GPUs; "" where none is wanted. With `as_batt`, programs are judged
    as a `Runner` does it: a sample at fault does not affect the others, and in mode `default` a solver with a
    failed line has the failure as its verdict, unless it is exact.
    """

    batt: Batt
    on_failure: FailureMode
    limits: Limits
    backend: str
    device: str
    partial_scores: bool
    as_batt: bool = False
    on_reference: frozenset[str] = frozenset()

    @property
    def on_cpus(self) -> bool:
        """Whether units may run on the CPUs of nodes."""
        return bool(self.backend)

    @property
    def on_devices(self) -> bool:
        """Whether units may run on GPUs."""
        return bool(self.device)

    def __call__(self, asked: Sequence[Asked]) -> Judging:
        """The verdicts and scores on each task."""
        return self._judged(self._on_cpu, asked)

    def on_device(self, asked: Sequence[Asked]) -> Judging:
        """The same on a GPU."""
        return self._judged(self._on_device, asked)

    def _judged(self, work: Work, asked: Sequence[Asked]) -> Judging:
        started = perf_counter()
        tasks, places = [task for task, _ in asked], {task.id: places.places for task, places in asked}
        answers: dict[str, list[tuple[int, Reply[Judged]]]] = {task.id: [] for task in tasks}
        run = partial(Unit(work).run, True, wanted=places) if self.as_batt else partial(_at, work, places)
        for part, found in in_halves(run, tasks, (ArcbattError, MemoryError) if self.as_batt else ()):
            answer = failed(found) if isinstance(found, Exception) else Reply("ok", found)
            answers[part.id].append((len(part.samples), answer))
        return Judging(list(answers.values()), perf_counter() - started)

    @cached_property
    def _on_cpu(self) -> Work:
        return self._work(choose(self.backend)[0])

    @cached_property
    def _on_device(self) -> Work:
        """The work on a device; on a CPU where the device of a node cannot be opened."""
        try:
            return self._work(choose(self.device)[0])
        except BackendError:
            if not self.backend:
                raise
            return self._on_cpu

    def _work(self, backend: Backend) -> Work:
        solving = plan(self.batt.solvers) if self.as_batt and self.on_failure == "default" else None
        options = RunOptions(self.limits, self.on_failure, 1, self.on_reference)
        planned = plan_for(self.batt, self.on_failure)
        return Work(backend, planned, options, self.batt.programs, solving, self.partial_scores)

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}


def backends(name: str) -> tuple[str, str]:
    """The names of the backends that nodes use on CPUs and on GPUs, given the name that was asked for.

    >>> backends("reference"), backends("cuda")
    (('reference', ''), ('', 'cuda'))
    """
    if name == "auto":
        return best_cpu()[0].name, device_of_auto()
    require_backend(name)
    return ("", name) if is_of_devices(name) else (name, "")


def _at(work: Work, places: Mapping[str, Sequence[int]], tasks: Sequence[TaskLike]) -> list[Judged]:
    return work.judged(tasks, [places[task.id] for task in tasks])


class Units:
    """Portions of tasks in units of about a second, sized by the pace that the nodes have measured so far.

    It is an iterator of units, and remembers the portions of those that are under way. Units become shorter
    at the end, so that all `places` of the cluster are done at about the same time. `most` tells how many
    programs each task wants at most: some of those that are `wanted` may turn out to be known.
    """

    def __init__(
        self, tasks: Sequence[Task], wanted: Iterable[Sequence[int]], most: Iterable[int], whole: bool
    ) -> None:
        self._tasks, self._queue = tasks, Queue(tasks, wanted, whole)
        # As `Queue.work` counts.
        self._left: float = sum(count * weight(task) for task, count in zip(tasks, most))
        self._given: dict[int, list[Portion]] = {}
        self._count = 0
        self.places = 1

    def __iter__(self) -> "Units":
        return self

    def __next__(self) -> list[Asked]:
        # Only a task that is longer than a unit is cut: its parts compute what they share again.
        room = self._queue.pace.wanted = self._room()
        portions = _joined(self._queue.take(FULL * room))
        if not portions:
            raise StopIteration
        self._left -= sum(map(self._queue.work, portions))
        self._given[self._count] = portions
        self._count += 1
        return [Asked(self._tasks[portion.number], Places.of(portion.places)) for portion in portions]

    def _room(self) -> float:
        """The seconds that the next unit should take."""
        pace = self._queue.pace
        if not pace.measured:
            return TRIAL
        return max(TRIAL, min(SECONDS, self._left * pace.seconds / (AHEAD * self.places)))

    def done(self, number: int, seconds: float) -> list[Portion]:
        """The portions of a unit that is done; its pace counts for those to come."""
        portions = self._given.pop(number)
        self._queue.pace.note(sum(map(self._queue.work, portions)), seconds)
        return portions


def _joined(portions: Iterable[Portion]) -> list[Portion]:
    """The portions, those of one task as one: a unit has a task once."""
    tasks: dict[int, list[Portion]] = {}
    for portion in portions:
        tasks.setdefault(portion.number, []).append(portion)
    return [some[0] if len(some) == 1 else _as_one(some) for some in tasks.values()]


def _as_one(portions: Sequence[Portion]) -> Portion:
    return Portion(portions[0].number, [place for portion in portions for place in portion.places])


def judge_on_cluster(
    address: str, judge: Judge, units: Units, report: PortionReport
) -> tuple[dict[str, float], int]:
    """Judge units on the nodes of a cluster; returns the seconds spent by stage, and the number of places."""
    started = perf_counter()
    with ClusterPool[Sequence[Asked], Judging](judge, address) as pool:
        pool.reach()
        reached = perf_counter()
        for number, answer in pool.as_answered(units):
            judging, units.places = result_of(answer), max(1, pool.places)
            for portion, found in zip(units.done(number, judging.seconds), judging.answers, strict=True):
                ((_, judged),) = found
                report(portion, *result_of(judged))
        done = perf_counter()
    return {"reaching the cluster": reached - started, "evaluation": done - reached}, pool.places
