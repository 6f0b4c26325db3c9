"""A run on a cluster: portions of programs on tasks are judged on its nodes, results come as they are done."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import Any, NamedTuple

from arcbatt.dsl.limits import Limits
from arcbatt.engine.backend import FailureMode, RunOptions
from arcbatt.engine.choose import choose
from arcbatt.engine.cluster.pool import ClusterPool
from arcbatt.engine.portions import Portion, PortionReport, Queue
from arcbatt.engine.results import Judged
from arcbatt.engine.work import Work, plan_for
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Batt
from arcbatt.tasks import Task

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


Asked = list[tuple[int, Places]]  # tasks by number, each with the places of its programs


class Judging(NamedTuple):
    """The verdicts and scores of the portions of a unit, and the seconds it took."""

    judged: list[Judged]
    seconds: float


@dataclass(frozen=True)
class Judge:
    """The function of a node: judges programs of a batt on tasks, which came with it."""

    batt: Batt
    tasks: Sequence[Task]
    on_failure: FailureMode
    limits: Limits
    backend: str
    partial_scores: bool

    def __call__(self, asked: Asked) -> Judging:
        """The verdicts and scores of each portion."""
        return _judging(self._work, self.tasks, asked)

    def on_device(self, asked: Asked) -> Judging:
        """The same on a GPU."""
        return _judging(self._device_work, self.tasks, asked)

    @cached_property
    def _work(self) -> Work:
        options = RunOptions(self.limits, self.on_failure, 1)
        return Work(
            choose(self.backend, devices=False)[0],
            plan_for(self.batt, self.on_failure),
            options,
            self.batt.programs,
            partial_scores=self.partial_scores,
        )

    @cached_property
    def _device_work(self) -> Work:
        return replace(self._work, backend=choose("cuda")[0])

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if not name.endswith("work")}


def _judging(work: Work, tasks: Sequence[Task], asked: Asked) -> Judging:
    started = perf_counter()
    judged = work.judged([tasks[number] for number, _ in asked], [each.places for _, each in asked])
    return Judging(judged, perf_counter() - started)


def judge_on_cluster(
    address: str, judge: Judge, wanted: Iterable[Sequence[int]], whole: bool, report: PortionReport
) -> dict[str, float]:
    """Judge the wanted programs on each task, on the nodes of a cluster; returns the seconds spent by stage.

    Units are sized by the pace that the nodes have measured so far.
    """
    queue = Queue(judge.tasks, wanted, whole)
    given: dict[int, list[Portion]] = {}
    started = perf_counter()

    def units() -> Iterator[Asked]:
        while portions := queue.take(SECONDS if queue.pace.measured else 0.1):
            given[len(given) + done] = portions
            yield [(portion.number, Places.of(portion.places)) for portion in portions]

    done = 0
    with ClusterPool[Asked, Judging](judge, address) as pool:
        for number, answer in pool.as_answered(units()):
            portions = given.pop(number)
            done += 1
            if answer.result is None:
                raise ArcbattError(f"a node of the cluster cannot do its work: {answer.kind}: {answer.reason}")
            queue.pace.note(sum(map(queue.work, portions)), answer.result.seconds)
            for portion, judged in zip(portions, answer.result.judged, strict=True):
                report(portion, *judged)
    return {"evaluation": perf_counter() - started}
