"""Running a batt on many samples: in this process, in worker processes, or on the nodes of a cluster."""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from itertools import chain
from math import inf
from time import perf_counter
from typing import Any, Literal, cast, get_args

from arcbatt.arguments import require_one_of
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.engine.backend import FailureMode, RunOptions, how_many
from arcbatt.engine.choose import choose
from arcbatt.engine.chunks import SECONDS, Chunk, ChunkQueue, chunks_of
from arcbatt.engine.plan import plan_of_lines, uses_foreign_ops, with_all_outcomes
from arcbatt.engine.records.record import Record, joined, record_of
from arcbatt.engine.records.replies import Reply
from arcbatt.engine.records.verdicts import Judged, Outputs
from arcbatt.engine.running.judge import first_of, judge_of
from arcbatt.engine.running.phase_clock import Phase, PhaseClock
from arcbatt.engine.work import Work
from arcbatt.program.graph import Batt, Style
from arcbatt.tasks import Task
from arcbatt.tasks.samples import TaskLike, demo_and_test

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
HALVES: tuple[Phase, Phase] = ("demo", "test")


class Runner:
    """A batt ready to run on many samples; a context manager, since it may keep worker processes.

    The native backend runs in this process, on `workers` threads, since limits bound the work of every op.
    The reference backend and ops of a user's own run in worker processes. There `memory` bounds the bytes
    that a sample may take beyond those that a worker starts with (on Linux). With `seconds`, the time limit
    of a sample, every backend runs in worker processes; without it, `own_seconds` is the limit for a batt
    with ops of a user's own. A sample that ends badly does not affect the others: its reply says how it
    ended. `auto` considers GPUs unless `devices` is False. The ops named in `on_reference` run in Python.
    With `partial_scores` solvers get partial scores. With a `clock`, the demo samples of tasks run before the
    test samples, and the time of both is counted. With `cluster`, the address of a Ray cluster, its nodes
    judge, and outputs are computed in this process.
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
        cluster: str | None = None,
    ) -> None:
        self.batt = batt
        self.on_failure = mode_of(batt, on_failure)
        self.workers = how_many("workers", workers)
        self._seconds, self._own_seconds, self._memory = seconds, own_seconds, memory
        nodes = None
        if cluster is not None:
            from arcbatt.engine.cluster.node_judge import Nodes  # most runs do without

            nodes = Nodes(cluster, backend, devices)
            backend, devices = nodes.cpu or "auto", False
        chosen, self.why = choose(backend, devices and seconds is None)
        options = RunOptions(limits, self.on_failure, self.workers, on_reference)
        self._take_on(Work.of_batt(batt, chosen, options, partial_scores))
        bounds = self.in_workers, self._seconds, memory
        self._cluster = None if nodes is None else nodes.pool(batt, self.work, True, *bounds)

    def _take_on(self, work: Work) -> None:
        """Set the work up, in worker processes if it needs them."""
        has_own_ops = uses_foreign_ops(work.plan)
        self.in_workers = self._seconds is not None or has_own_ops or not work.backend.uses_threads
        self.work = work.on_threads(1) if self.in_workers else work
        if self._seconds is None and has_own_ops:
            self._seconds = self._own_seconds
        self._judge = judge_of(self.work, self.in_workers, self.workers, self._seconds, self._memory)

    def of_every_line(self) -> "Runner":
        """A runner of the same options that runs all lines in file order and gives each step's outcome."""
        other = copy(self)
        other._cluster = None
        lines = self.work.plan if self.work.plan.whole else plan_of_lines(self.batt)
        options = replace(self.work.options, threads=self.workers)
        other._take_on(Work(self.work.backend, with_all_outcomes(lines), options))
        return other

    def __enter__(self) -> "Runner":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker processes, if there are any, and leave the cluster."""
        self._judge.close()
        if self._cluster is not None:
            self._cluster.close()

    def outputs(self, tasks: Sequence[TaskLike]) -> Iterator[Reply[Outputs]]:
        """The outputs of all programs, sample by sample."""
        for _, reply in self._replies(False, chunks_of(tasks, range(len(self.work.plan.roots)))):
            if reply.result is None:
                yield reply
                continue
            for row in reply.result:
                yield Reply("ok", row, seen=reply.seen)

    def records(self, tasks: Iterable[Task], batch_size: int | None = None) -> Iterator[Record]:
        """The verdicts and scores of all programs, task by task.

        A batch has `batch_size` samples or a few more; without a size, it is one task. In mode `default`, a
        solver with a failed line has the verdict of that failure, unless its output is exact.
        """
        programs, whole = self.work.programs, self._cluster is None or self.runs_whole_tasks
        wanted = (Chunk(number, task, range(len(programs))) for number, task in enumerate(tasks))
        parts: list[Record] = []
        for record, is_last in self._judged(ChunkQueue(wanted, whole), batch_size):
            parts.append(record)
            if is_last:
                yield joined(record.task, programs, parts)
                parts = []

    def portions(
        self, asked: Iterable[Asked], batch_size: int | None = None
    ) -> Iterator[tuple[Record, bool]]:
        """The same in chunks that take a fraction of a second; the last one of a task comes with True.

        For each task, groups of programs are asked for by their indices; a group runs in one chunk. Worker
        processes, whose limits are for a sample with all programs, and mode `pile`, where programs depend on
        each other, run whole tasks.
        """
        starts: set[int] = set()

        def wanted() -> Iterator[Chunk]:
            for number, (task, groups) in enumerate(asked):
                starts.clear()  # a task is asked for when the one before it is cut
                starts.update(group[0] for group in groups)
                every = range(len(self.work.programs)) if groups else ()
                flat = every if self.runs_whole_tasks else list(chain.from_iterable(groups))
                yield Chunk(number, task, flat)

        size = batch_size if self.in_workers or not self.work.plan.whole else None
        yield from self._judged(ChunkQueue(wanted(), self.runs_whole_tasks, starts=starts), size)

    @property
    def runs_whole_tasks(self) -> bool:
        """Whether the programs of a task run all together, always."""
        return self.in_workers or self.work.plan.whole

    def _judged(self, queue: ChunkQueue, batch_size: int | None) -> Iterator[tuple[Record, bool]]:
        """The records of chunks, and whether a chunk is the last one of its task."""
        judged: Iterator[tuple[Chunk, Iterable[tuple[int, Reply[Judged]]]]]
        if self._cluster is None:
            judged = self._in_batches(queue, batch_size or 0)
        else:
            from arcbatt.engine.cluster.node_judge import NodeBatches, judged_by_nodes

            judged = judged_by_nodes(self._cluster, NodeBatches(queue), in_order=True)
        for chunk, replies in judged:
            programs = self.work.programs
            if chunk.programs != range(len(programs)):
                programs = tuple(map(programs.__getitem__, chunk.programs))
            yield record_of(cast(Task, chunk.task), programs, replies), chunk.is_last

    def _in_batches(
        self, queue: ChunkQueue, samples: int
    ) -> Iterator[tuple[Chunk, Iterable[tuple[int, Reply[Judged]]]]]:
        """The chunks of a queue and their replies, judged in batches of so many samples or a few more."""
        while batch := queue.take(inf if queue.whole else SECONDS * self.workers, samples):
            chunks = [chunk for chunk in batch if chunk.programs]
            started = perf_counter()
            replies = self._replies(True, chunks)
            if not self.in_workers:
                replies = iter(list(replies))
                queue.note(chunks, (perf_counter() - started) * self.workers)
            for chunk in batch:
                yield chunk, first_of(replies, len(chunk.samples) if chunk.programs else 0)

    def _replies(self, judges: bool, chunks: Sequence[Chunk]) -> Iterator[tuple[int, Reply[Any]]]:
        """The replies for chunks, each after the number of its samples: judgements, or outputs by sample."""
        if self.clock is None:
            yield from self._judge.replies(judges, chunks)
        elif self.in_workers:
            yield from _waiting(self._judge.replies(judges, chunks), chunks, self.clock)
        else:
            yield from self._demo_first(judges, chunks, self.clock)

    def _demo_first(
        self, judges: bool, chunks: Sequence[Chunk], clock: PhaseClock
    ) -> Iterator[tuple[int, Reply[Any]]]:
        """The replies in the order of the chunks, where all demo samples run first, then the others."""
        halves = [_in_two(chunk) for chunk in chunks]
        found: list[Iterator[tuple[int, Reply[Any]]]] = []
        for phase, some in zip(HALVES, zip(*halves)):
            with clock.phase(phase):
                found.append(iter(list(self._judge.replies(judges, [half for half in some if half.samples]))))
        for both in halves:
            for half, replies in zip(both, found):
                yield from first_of(replies, len(half.samples))


def _in_two(chunk: Chunk) -> tuple[Chunk, Chunk]:
    """A chunk on the demo samples, and on the others."""
    demo = len(demo_and_test(chunk.task)[0].samples)
    return chunk.some(0, demo), chunk.some(demo)


def _waiting(
    replies: Iterator[tuple[int, Reply[Any]]], chunks: Sequence[Chunk], clock: PhaseClock
) -> Iterator[tuple[int, Reply[Any]]]:
    """The replies of workers; the time until one comes counts for the half that its sample belongs to."""
    for chunk in chunks:
        for phase, half in zip(HALVES, _in_two(chunk)):
            for _ in half.samples:
                with clock.phase(phase):
                    reply = next(replies)
                yield reply
