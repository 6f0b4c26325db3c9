"""A run on a cluster: its nodes judge portions of programs on tasks, results come as they are done."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

from arcbatt.dsl.limits import Limits
from arcbatt.engine.backend import FailureMode, RunOptions
from arcbatt.engine.choose import choose
from arcbatt.engine.cluster.pool import ClusterPool
from arcbatt.engine.plan import plan
from arcbatt.engine.portions import TRIAL, Portion, PortionReport, Queue
from arcbatt.engine.results import Answer, Judged
from arcbatt.engine.running.worker import failed
from arcbatt.engine.work import Work, plan_for
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Batt
from arcbatt.tasks import Task
from arcbatt.tasks.samples import TaskLike, in_halves

Result = TypeVar("Result")

SECONDS = 1.0  # what a unit should take


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
        if end - first == len(places) and all(place == first + k for k, place in enumerate(places)):
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

    answers: list[list[tuple[int, Answer[Judged]]]]
    seconds: float


@dataclass(frozen=True)
class Judge:
    """The function of a node: judges programs of a batt on tasks.

    The batt goes to a node once, and is planned once in each worker process. In mode `default` with
    `tells_failures`, a solver that failed at some node has the failure as its verdict, unless it is exact.
    """

    batt: Batt
    on_failure: FailureMode
    limits: Limits
    backend: str
    partial_scores: bool
    tells_failures: bool = False
    on_reference: frozenset[str] = frozenset()

    def __call__(self, asked: Sequence[Asked]) -> Judging:
        """The verdicts and scores on each task."""
        return _judging(self._work, asked)

    def on_device(self, asked: Sequence[Asked]) -> Judging:
        """The same on a GPU."""
        return _judging(self._device_work, asked)

    @cached_property
    def _work(self) -> Work:
        solving = plan(self.batt.solvers) if self.tells_failures and self.on_failure == "default" else None
        return Work(
            choose(self.backend, devices=False)[0],
            plan_for(self.batt, self.on_failure),
            RunOptions(self.limits, self.on_failure, 1, self.on_reference),
            self.batt.programs,
            solving,
            self.partial_scores,
        )

    @cached_property
    def _device_work(self) -> Work:
        return replace(self._work, backend=choose("cuda")[0])

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}


def _judging(work: Work, asked: Sequence[Asked]) -> Judging:
    started = perf_counter()
    wanted = {task.id: places.places for task, places in asked}
    answers: dict[str, list[tuple[int, Answer[Judged]]]] = {task.id: [] for task, _ in asked}

    def judged(tasks: Sequence[TaskLike]) -> list[Judged]:
        return work.judged(tasks, [wanted[task.id] for task in tasks])

    for part, found in in_halves(judged, [task for task, _ in asked], (ArcbattError, MemoryError)):
        answer = failed(found) if isinstance(found, Exception) else Answer("ok", found)
        answers[part.id].append((len(part.samples), answer))
    return Judging(list(answers.values()), perf_counter() - started)


class Units:
    """Portions of tasks in units of about a second, sized by the pace that the nodes have measured so far.

    It is an iterator of units, and remembers the portions of those that are under way.
    """

    def __init__(self, tasks: Sequence[Task], wanted: Iterable[Sequence[int]], whole: bool) -> None:
        self._tasks, self._queue = tasks, Queue(tasks, wanted, whole)
        self._given: dict[int, list[Portion]] = {}
        self._count = 0

    def __iter__(self) -> "Units":
        return self

    def __next__(self) -> list[Asked]:
        portions = _joined(self._queue.take(SECONDS if self._queue.pace.measured else TRIAL))
        if not portions:
            raise StopIteration
        self._given[self._count] = portions
        self._count += 1
        return [Asked(self._tasks[portion.number], Places.of(portion.places)) for portion in portions]

    def done(self, number: int, seconds: float) -> list[Portion]:
        """The portions of a unit that is done; its pace counts for those to come."""
        portions = self._given.pop(number)
        self._queue.pace.note(sum(map(self._queue.work, portions)), seconds)
        return portions


def _joined(portions: Iterable[Portion]) -> list[Portion]:
    """The portions, those of one task as one: a unit has a task once."""
    places: dict[int, list[int]] = {}
    for portion in portions:
        places.setdefault(portion.number, []).extend(portion.places)
    return [Portion(number, some) for number, some in places.items()]


def judge_on_cluster(address: str, judge: Judge, units: Units, report: PortionReport) -> dict[str, float]:
    """Judge units on the nodes of a cluster; returns the seconds spent by stage."""
    started = perf_counter()
    with ClusterPool[Sequence[Asked], Judging](judge, address) as pool:
        for number, answer in pool.as_answered(units):
            judging = result_of(answer)
            for portion, found in zip(units.done(number, judging.seconds), judging.answers, strict=True):
                ((_, judged),) = found if len(found) == 1 else [(0, _failed_one(found))]
                report(portion, *result_of(judged))
    return {"evaluation": perf_counter() - started}


def _failed_one(answers: Sequence[tuple[int, Answer[Judged]]]) -> Answer[Judged]:
    return next(answer for _, answer in answers if answer.result is None)


def result_of(answer: Answer[Result]) -> Result:
    """The result of a node; an error if it has none."""
    if answer.result is None:
        raise ArcbattError(f"a node of the cluster cannot do its work: {answer.kind}: {answer.reason}")
    return answer.result
