"""Programs with a user's own ops on tasks: in worker processes, under limits of time and memory."""

from array import array
from collections import Counter, OrderedDict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

from arcbatt import errors
from arcbatt.dsl.contract import NO_SCORE, WRONG
from arcbatt.dsl.machine import out_of_memory_ends
from arcbatt.dsl.own.errors import OpError, faults_noted, summed
from arcbatt.engine.plan import own_ops_by_root, plan
from arcbatt.engine.records.record import LostSample
from arcbatt.engine.records.replies import Reply
from arcbatt.engine.records.verdicts import Judged
from arcbatt.engine.running.sightings import Sighting, sightings
from arcbatt.engine.running.worker_pool import WorkerPool
from arcbatt.engine.work import Work
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Program
from arcbatt.tasks import Task
from arcbatt.tasks.samples import Samples, some_of

TOGETHER = 64  # programs of a sample that are tried at once
SECONDS_TOGETHER = 2.0  # after which they run again, each by itself
# Items that are tried before the programs of those that ended badly run again: few at first, then twice as
# many each time, since an op that always ends badly is given up after the first ones.
FIRST_STEP, LONGEST_STEP = 8, 64
TRIES = 3  # of a program whose worker dies: something outside may have killed it
# An op that a limit or a crash has ended so often, with no end of its own between or in all, is given up.
STOPS_IN_A_ROW, STOPS_IN_ALL = 5, 20
WORKS_KEPT = 256


class Found(NamedTuple):
    """The results of some programs, by place, on a task, by its number; the rest is as in a `Record`."""

    number: int
    places: tuple[int, ...]
    verdicts: bytes
    scores: bytes
    lost: tuple[LostSample, ...]
    op_errors: tuple[OpError, ...]


class _Item(NamedTuple):
    """Some programs, by their places in the work, on a sample of a task."""

    page: "_Page"
    sample: int
    places: tuple[int, ...]


@dataclass(frozen=True)
class Unit:
    """The function of a worker process: judges some programs, by place, on one sample.

    In mode `pile` programs cannot run apart, so the plan of the work runs as it is.
    """

    work: Work

    def __call__(self, item: tuple[Samples, tuple[int, ...]] | None) -> Any:
        """The verdicts and scores, and the faults of own ops that were seen; None of None."""
        if item is None:
            return None
        sample, places = item
        work = self.work if self.work.plan.whole else self._part(places)
        wanted = places if self.work.plan.whole else range(len(places))
        found: list[Judged] = []
        with out_of_memory_ends(), faults_noted() as notes:
            work.judge([sample], lambda _, *judged: found.append(judged), [wanted])
        return found[0], sightings(notes, work.plan, wanted)

    def _part(self, places: tuple[int, ...]) -> Work:
        """The work of some programs alone."""
        known = self._parts.pop(places, None)
        if known is None:
            programs = [self.work.programs[place] for place in places]
            work = self.work
            known = Work(work.backend, plan(programs), work.options, programs, None, work.partial_scores)
        self._parts[places] = known
        if len(self._parts) > WORKS_KEPT:
            self._parts.popitem(last=False)
        return known

    @cached_property
    def _parts(self) -> "OrderedDict[tuple[int, ...], Work]":
        return OrderedDict()


class _Page:
    """The results of some programs on a task, filled in as they come."""

    def __init__(self, number: int, task: Task, places: tuple[int, ...]) -> None:
        self.number, self.task, self.places = number, task, places
        self.row_of = {place: row for row, place in enumerate(places)}
        self.samples = self.left = len(task.samples)
        cells = len(places) * self.samples
        self._verdicts = bytearray([WRONG]) * cells
        self._scores = array("i", [NO_SCORE]) * cells
        self._lost: list[LostSample] = []
        self._seen: list[tuple[int, tuple[Sighting, ...]]] = []

    def put(self, item: _Item, result: tuple[Judged, tuple[Sighting, ...]]) -> None:
        """Enter the results of some programs on a sample."""
        (verdicts, scores), seen = result
        for place, verdict, score in zip(item.places, verdicts, memoryview(scores).cast("i")):
            cell = self.row_of[place] * self.samples + item.sample
            self._verdicts[cell], self._scores[cell] = verdict, score
        if seen:
            rows = [self.row_of[place] for place in item.places]
            self._seen.append((item.sample, tuple(one._replace(place=rows[one.place]) for one in seen)))

    def lose(self, item: _Item, end: Reply[Judged]) -> None:
        """Enter that programs have no result on a sample."""
        self._lost += [LostSample(self.row_of[place], item.sample, end) for place in item.places]

    def found(self, programs: Sequence[Program]) -> Found:
        """All results."""
        seen = [(sample, one) for sample, some in self._seen for one in some]
        ranked = sorted(seen, key=lambda each: (each[0], each[1].place))
        return Found(
            self.number,
            self.places,
            bytes(self._verdicts),
            self._scores.tobytes(),
            tuple(sorted(self._lost, key=lambda lost: lost[:2])),
            summed(one.on(programs, self.places[one.place], self.task, sample) for sample, one in ranked),
        )


class OwnWork:
    """Judges programs with own ops in worker processes; a context manager, since it keeps the processes.

    `seconds` is the most time of one program on one sample, and `memory` the bytes that a worker may take
    beyond those that it starts with (on Linux). The programs of a sample are tried together first, for a
    short time. If that ends badly, each runs by itself, so that only a program at fault has no result; in
    mode `pile` all have none. A program with an op that was stopped too often is given up.
    """

    def __init__(self, work: Work, workers: int, seconds: float, memory: int) -> None:
        self._programs, self._whole, self._seconds = work.programs, work.plan.whole, seconds
        by_root = own_ops_by_root(work.plan)
        self._ops = [frozenset().union(*by_root)] * len(by_root) if self._whole else by_root
        self._in_a_row: Counter[str] = Counter()
        self._in_all: Counter[str] = Counter()
        self._given_up: dict[str, Reply[Judged]] = {}
        self._pool = WorkerPool(Unit(work), workers, seconds, memory, TRIES)

    def __enter__(self) -> "OwnWork":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.close()

    def judge(self, asked: Iterable[tuple[Task, tuple[int, ...]]]) -> Iterator[Found]:
        """The results of each task, in order and some programs at a time.

        A task is given with its programs, by their places in the work.
        """
        pages: deque[_Page] = deque()
        items = self._items(asked, pages)
        length = FIRST_STEP
        while True:
            step = list(islice(items, length))
            length = min(2 * length, LONGEST_STEP)
            self._run(step)
            while pages and not pages[0].left:
                yield pages.popleft().found(self._programs)
            if not step:
                return

    def _items(self, asked: Iterable[tuple[Task, tuple[int, ...]]], pages: "deque[_Page]") -> Iterator[_Item]:
        """The samples of each task with some of its programs, and a page for these."""
        for number, (task, places) in enumerate(asked):
            most = len(places) if self._whole else TOGETHER
            for start in range(0, len(places), most):
                page = _Page(number, task, places[start : start + most])
                pages.append(page)
                yield from (_Item(page, sample, page.places) for sample in range(page.samples))

    def _run(self, step: Sequence[_Item]) -> None:
        """Run items: the programs of each together, then by themselves where that ended badly."""
        items = list(map(self._without_given_up, step))
        several = [item for item in items if len(item.places) > 1 and not self._whole]
        seconds = min(SECONDS_TOGETHER, self._seconds)
        taken = {
            id(item)
            for answer, item in zip(self._pool.map(map(_sent, several), seconds, tries=1), several)
            if self._is_taken(item, answer)
        }
        self._run_apart([part for item in items if id(item) not in taken for part in self._parts(item)])
        for item in items:
            item.page.left -= 1

    def _parts(self, item: _Item) -> list[_Item]:
        """The programs of an item one by one, or all together in mode `pile`."""
        if self._whole:
            return [item] if item.places else []
        return [item._replace(places=(place,)) for place in item.places]

    def _run_apart(self, items: Sequence[_Item]) -> None:
        """Run items under the full limits; the order of items, not of answers, decides who is given up."""
        sent = (None if self._end_of(item.places[0]) else _sent(item) for item in items)
        for answer, item in zip(self._pool.map(sent), items):
            end = self._end_of(item.places[0])
            if end is not None:
                item.page.lose(item, end)
            elif not self._is_taken(item, answer):
                item.page.lose(item, answer)
                self._count_stop(self._ops[item.places[0]], answer)

    def _is_taken(self, item: _Item, answer: Reply[Any]) -> bool:
        """Enter the results of an item, if there are any."""
        if answer.result is not None:
            item.page.put(item, answer.result)
            for op in frozenset().union(*(self._ops[place] for place in item.places)):
                self._in_a_row[op] = 0
            return True
        kind = getattr(errors, answer.kind, None) if answer.status == "failed" else None
        if isinstance(kind, type) and issubclass(kind, ArcbattError):  # bad input ends a run
            raise kind(answer.reason)
        return False

    def _count_stop(self, ops: frozenset[str], answer: Reply[Any]) -> None:
        """Blame the op that was at work, or all of the program if that is unknown."""
        if answer.status == "failed":
            return
        for op in {answer.op} & ops or ops:
            self._in_a_row[op] += 1
            self._in_all[op] += 1
            for count, most, how in (
                (self._in_a_row[op], STOPS_IN_A_ROW, " in a row"),
                (self._in_all[op], STOPS_IN_ALL, ""),
            ):
                if count == most and op not in self._given_up:
                    reason = f"stopped {count} times{how}, the last time: {answer.status}"
                    self._given_up[op] = Reply("given up", kind=op, reason=reason)

    def _end_of(self, place: int) -> Reply[Judged] | None:
        """The answer for a program that is given up."""
        op = min(self._ops[place] & self._given_up.keys(), default=None)
        return None if op is None else self._given_up[op]

    def _without_given_up(self, item: _Item) -> _Item:
        """An item without the programs that are given up; the page says so."""
        if not self._given_up:
            return item
        for place in item.places:
            end = self._end_of(place)
            if end is not None:
                item.page.lose(item._replace(places=(place,)), end)
        return item._replace(places=tuple(place for place in item.places if self._end_of(place) is None))


def _sent(item: _Item) -> tuple[Samples, tuple[int, ...]]:
    """An item as a worker gets it."""
    return some_of(item.page.task, item.sample, item.sample + 1), item.places
