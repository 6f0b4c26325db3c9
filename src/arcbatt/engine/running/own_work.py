"""Programs with a user's own ops on tasks: in worker processes, under limits of time and memory."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from arcbatt import errors
from arcbatt.engine.chunks import Chunk
from arcbatt.engine.plan import own_ops_by_root
from arcbatt.engine.records.record import RecordBuilder
from arcbatt.engine.records.replies import Reply
from arcbatt.engine.records.verdicts import Judged
from arcbatt.engine.running.judge import ChunkJudge
from arcbatt.engine.running.worker_pool import WorkerPool
from arcbatt.engine.work import ChunkReport, Work
from arcbatt.errors import ArcbattError
from arcbatt.tasks import Task

EVALUATIONS_A_BLOCK = 200_000  # in this process, before programs with own ops get their turn
LEAST_MEMORY = 2 << 30  # bytes that a worker may take beyond what it starts with
TOGETHER = 64  # programs of a sample that are tried at once
SECONDS_TOGETHER = 2.0  # after which they run again, each by itself
# Samples that are tried before the programs of those that ended badly run again: few at first, then twice as
# many each time, since an op that always ends badly is given up after the first ones.
FIRST_STEP, LONGEST_STEP = 8, 64
TRIES = 3  # of a program whose worker dies: something outside may have killed it
# An op that a limit or a crash has ended so often, with no end of its own between or in all, is given up.
STOPS_IN_A_ROW, STOPS_IN_ALL = 5, 20


class _Page:
    """Some programs on a task, their record, and the number of samples that have not run."""

    def __init__(self, chunk: Chunk, work: Work) -> None:
        assert isinstance(chunk.task, Task)
        self.chunk, self.left = chunk, len(chunk.samples)
        programs = [work.programs[index] for index in chunk.programs]
        self.builder = RecordBuilder(chunk.task, programs, chunk.programs)
        self._row_of = {index: row for row, index in enumerate(chunk.programs)}

    def rows(self, chunk: Chunk) -> list[int]:
        """The rows of the programs of a chunk."""
        return [self._row_of[index] for index in chunk.programs]

    def lose(self, chunk: Chunk, end: Reply[Judged]) -> None:
        """Enter that programs have no result on a sample."""
        self.builder.lose(chunk.first, end, self.rows(chunk))


class _Item(NamedTuple):
    """Some programs of a page on one of its samples."""

    page: _Page
    chunk: Chunk

    def of(self, programs: Sequence[int]) -> "_Item":
        """Only some of the programs."""
        return self._replace(chunk=self.chunk._replace(programs=programs))


class OwnWork:
    """Judges programs with own ops in worker processes; a context manager, since it keeps the processes.

    `seconds` is the most time of one program on one sample; the memory that a worker may take beyond what it
    starts with has a limit, too (on Linux). The programs of a sample are tried together first, for a short
    time. If that ends badly, each runs by itself, so that only a program at fault has no result; in mode
    `pile` all have none. A program with an op that was stopped too often is given up.
    """

    def __init__(self, work: Work, workers: int, seconds: float) -> None:
        self._work, self._whole, self._seconds = work, work.plan.whole, seconds
        by_root = own_ops_by_root(work.plan)
        self._ops = [frozenset().union(*by_root)] * len(by_root) if self._whole else by_root
        self._in_a_row: Counter[str] = Counter()
        self._in_all: Counter[str] = Counter()
        self._given_up: dict[str, Reply[Judged]] = {}
        memory = max(LEAST_MEMORY, 2 * work.options.limits.memory)
        self._pool = WorkerPool(ChunkJudge(work, as_batt=False), workers, seconds, memory, TRIES)

    def __enter__(self) -> "OwnWork":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.close()

    def judge(self, wanted: Iterable[Chunk], report: ChunkReport) -> None:
        """Judge tasks in order, and report some programs at a time."""
        pages: deque[_Page] = deque()
        items = self._items(wanted, pages)
        length = FIRST_STEP
        while True:
            step = list(islice(items, length))
            length = min(2 * length, LONGEST_STEP)
            self._run(step)
            while pages and not pages[0].left:
                page = pages.popleft()
                record = page.builder.record()
                report(page.chunk, record.verdicts, record.scores, record.lost, record.op_errors)
            if not step:
                return

    def _items(self, wanted: Iterable[Chunk], pages: deque[_Page]) -> Iterator[_Item]:
        """The samples of each task with some of its programs, and a page for these."""
        for task in wanted:
            most = len(task.programs) if self._whole else TOGETHER
            for start in range(0, len(task.programs), most):
                page = _Page(task._replace(programs=task.programs[start : start + most]), self._work)
                pages.append(page)
                yield from (_Item(page, page.chunk.some(k, k + 1)) for k in range(page.left))

    def _run(self, step: Sequence[_Item]) -> None:
        """Run items: the programs of each together, then by themselves where that ended badly."""
        items = list(map(self._without_given_up, step))
        several = [item for item in items if len(item.chunk.programs) > 1 and not self._whole]
        seconds = min(SECONDS_TOGETHER, self._seconds)
        sent = ((True, item.chunk) for item in several)
        taken = {
            id(item)
            for reply, item in zip(self._pool.map(sent, seconds, tries=1), several)
            if self._is_taken(item, reply)
        }
        self._run_apart([part for item in items if id(item) not in taken for part in self._apart(item)])
        for item in items:
            item.page.left -= 1

    def _apart(self, item: _Item) -> list[_Item]:
        """The programs of an item one by one, or all together in mode `pile`."""
        if self._whole:
            return [item] if item.chunk.programs else []
        return [item.of((index,)) for index in item.chunk.programs]

    def _run_apart(self, items: Sequence[_Item]) -> None:
        """Run items under the full limits; the order of items, not of replies, decides who is given up."""
        sent = (None if self._end_of(item.chunk.programs[0]) else (True, item.chunk) for item in items)
        for reply, item in zip(self._pool.map(sent), items):
            first = item.chunk.programs[0]
            end = self._end_of(first)
            if end is not None:
                item.page.lose(item.chunk, end)
            elif not self._is_taken(item, reply):
                item.page.lose(item.chunk, reply)
                self._count_stop(self._ops[first], reply)

    def _is_taken(self, item: _Item, reply: Reply[Any]) -> bool:
        """Enter the results of an item, if there are any."""
        if reply.result is not None:
            judged, faults = reply.result
            item.page.builder.add(
                item.chunk.first, 1, Reply("ok", judged, seen=faults), item.page.rows(item.chunk)
            )
            for op in frozenset().union(*(self._ops[index] for index in item.chunk.programs)):
                self._in_a_row[op] = 0
            return True
        kind = getattr(errors, reply.kind, None) if reply.status == "failed" else None
        if isinstance(kind, type) and issubclass(kind, ArcbattError):  # bad input ends a run
            raise kind(reply.reason)
        return False

    def _count_stop(self, ops: frozenset[str], reply: Reply[Any]) -> None:
        """Blame the op that was at work, or all of the program if that is unknown."""
        if reply.status == "failed":
            return
        for op in {reply.op} & ops or ops:
            self._in_a_row[op] += 1
            self._in_all[op] += 1
            for count, most, how in (
                (self._in_a_row[op], STOPS_IN_A_ROW, " in a row"),
                (self._in_all[op], STOPS_IN_ALL, ""),
            ):
                if count == most and op not in self._given_up:
                    reason = f"stopped {count} times{how}, the last time: {reply.status}"
                    self._given_up[op] = Reply("given up", kind=op, reason=reason)

    def _end_of(self, index: int) -> Reply[Judged] | None:
        """The reply for a program that is given up."""
        op = min(self._ops[index] & self._given_up.keys(), default=None)
        return None if op is None else self._given_up[op]

    def _without_given_up(self, item: _Item) -> _Item:
        """An item without the programs that are given up; its page has their ends."""
        if not self._given_up:
            return item
        ends = {index: self._end_of(index) for index in item.chunk.programs}
        for index, end in ends.items():
            if end is not None:
                item.page.lose(item.of((index,)).chunk, end)
        return item.of(tuple(index for index, end in ends.items() if end is None))


def judge_with_own_ops(
    work: Work, wanted: Iterable[Chunk], workers: int, seconds: float, report: ChunkReport
) -> dict[str, float]:
    """Judge tasks: programs with own ops in worker processes, all others in this process.

    A block of tasks is judged here first, and in worker processes then: results come soon, and each call of
    the engine is worth its start. Returns the seconds spent by stage. In mode `pile`, where each line depends
    on all, workers judge every program.
    """
    is_own = [bool(ops) or work.plan.whole for ops in own_ops_by_root(work.plan)]
    others = work.of_some([index for index, own in enumerate(is_own) if not own])
    on_cpu = replace(work.on_threads(1), backend=work.backend.for_one_op)
    stages: Counter[str] = Counter()
    with OwnWork(on_cpu, workers, seconds) as own_work:
        for block in _blocks(wanted):
            here, there = (
                [
                    task._replace(programs=tuple(k for k in task.programs if is_own[k] == own))
                    for task in block
                ]
                for own in (False, True)
            )
            # A task of which nothing is wanted is done here.
            here = [some for some, rest in zip(here, there) if some.programs or not rest.programs]
            stages.update(others.judge_tasks(here, report))
            own_work.judge([task for task in there if task.programs], report)
    return dict(stages)


def _blocks(wanted: Iterable[Chunk]) -> Iterator[list[Chunk]]:
    block: list[Chunk] = []
    size = 0
    for task in wanted:
        block.append(task)
        size += len(task.programs) * len(task.samples)
        if size >= EVALUATIONS_A_BLOCK:
            yield block
            block, size = [], 0
    if block:
        yield block
