"""Work cut into portions of programs that take a fraction of a second, so that results come soon."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import starmap
from math import ceil
from time import perf_counter
from typing import Any, NamedTuple

from arcbatt.engine.work import Work
from arcbatt.tasks.samples import TaskLike

SECONDS = 0.2  # what a portion should take on one thread
TRIAL = 0.1  # seconds of the first call, whose pace is a guess
CALL = 1.0  # seconds of later calls, after each of which the pace is measured anew
SLOWEST = 1e-6  # seconds for a program and a unit of weight: the guess, about the pace of the reference
BASE = 50  # the weight of a sample of no cells


class Portion(NamedTuple):
    """Some of the programs of a task, by their places in the batt."""

    number: int
    places: Sequence[int]


class Pace:
    """How fast programs run, as measured so far; a portion should take `wanted` seconds, or `SECONDS`."""

    def __init__(self, wanted: float | None = None) -> None:
        self.seconds, self.wanted = SLOWEST, SECONDS if wanted is None else wanted
        self.measured = False

    def programs(self, task: TaskLike) -> int:
        """The number of programs that are a portion on all samples of a task; at least 1."""
        return max(1, int(self.wanted / (self.seconds * weight(task))))

    def note(self, work: float, seconds: float) -> None:
        """Learn from a measurement: programs times weights, and the seconds of one thread that they took.

        A slower pace counts at once. A faster one counts in steps: the next programs may be slow ones.
        """
        if work:
            self.measured = True
            self.seconds = max(seconds / work, self.seconds / 8)


def weight(task: TaskLike) -> int:
    """What a program costs on a task, roughly: its samples and their cells."""
    return sum(BASE + _cells(given) for given, _ in task.samples)


def _cells(grid: Any) -> int:
    try:
        return len(grid) * len(grid[0])
    except (TypeError, LookupError):  # it is no grid, and will be refused where it is packed
        return 1


# Called with each finished portion, the verdicts and the scores of its programs, as in `Report`.
PortionReport = Callable[[Portion, bytes, bytes], None]


def judge_in_portions(
    work: Work, tasks: Sequence[TaskLike], wanted: Iterable[Sequence[int]], report: PortionReport
) -> dict[str, float]:
    """Judge the wanted programs on each task, in portions; returns the seconds spent by stage.

    Programs give the same results together and apart, so portions change none. Only in mode `pile` programs
    depend on each other: there a task is one portion. `wanted` is asked for as the run goes on.
    """
    stages: Counter[str] = Counter()
    queue, threads, room = Queue(tasks, wanted, work.plan.whole), work.options.threads, TRIAL
    while portions := queue.take(room * threads):
        started = perf_counter()

        def tell(number: int, verdicts: bytes, scores: bytes, portions: list[Portion] = portions) -> None:
            report(portions[number], verdicts, scores)

        stages.update(
            work.judge([tasks[each.number] for each in portions], tell, [each.places for each in portions])
        )
        queue.pace.note(sum(map(queue.work, portions)), (perf_counter() - started) * threads)
        room = CALL
    return dict(stages)


class Queue:
    """The work that is left, and the pace of what was done."""

    def __init__(self, tasks: Sequence[TaskLike], wanted: Iterable[Sequence[int]], whole: bool) -> None:
        self.pace = Pace()
        self._tasks, self._whole = tasks, whole
        self._left = starmap(Portion, enumerate(wanted))
        self._rest: Portion | None = None

    def work(self, portion: Portion) -> float:
        """The work of a portion: programs times the weight of the task."""
        return len(portion.places) * weight(self._tasks[portion.number])

    def take(self, room: float) -> list[Portion]:
        """The next portions, which take about `room` seconds of one thread together; at least one."""
        taken: list[Portion] = []
        while room > 0 and (portion := self._next()):
            taken.append(portion)
            room -= self.work(portion) * self.pace.seconds
        return taken

    def _next(self) -> Portion | None:
        """The next task, or as many of its programs as make a portion: portions of a task are about equal."""
        task = self._rest or next(self._left, None)
        self._rest = None
        if task is None or self._whole:
            return task
        count = ceil(len(task.places) / self.pace.programs(self._tasks[task.number]))
        if count <= 1:
            return task
        size = ceil(len(task.places) / count)
        self._rest = Portion(task.number, task.places[size:])
        return Portion(task.number, task.places[:size])
