"""Programs on tasks on a cluster: its nodes judge chunks in batches of about a second."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import chain
from math import inf
from time import perf_counter
from typing import Any, NamedTuple

from arcbatt.engine.backend import Backend, RunOptions
from arcbatt.engine.choose import best_cpu, choose, device_of_auto, is_of_devices, require_backend
from arcbatt.engine.chunks import TRIAL, Chunk, ChunkQueue
from arcbatt.engine.cluster.pool import AHEAD, ClusterPool, result_of
from arcbatt.engine.cluster.sending import require_cluster, require_no_own_ops
from arcbatt.engine.plan import own_ops
from arcbatt.engine.records.replies import Reply
from arcbatt.engine.records.verdicts import Judged
from arcbatt.engine.running.judge import ChunkJudge, JudgeInWorkers, first_of, judge_of
from arcbatt.engine.work import ChunkReport, Work
from arcbatt.errors import BackendError
from arcbatt.program.graph import Batt

SECONDS = 1.0  # what a batch should take
FULL = 0.75  # of these seconds, after which no other task is added to a batch


class BatchReply(NamedTuple):
    """What a batch gives: for each chunk the replies for its samples, and the seconds it took.

    There is one reply for all samples of a chunk, unless one of them is at fault: then the others have
    replies of their own, each after the number of its samples.
    """

    replies: list[list[tuple[int, Reply[Judged]]]]
    seconds: float


@dataclass(frozen=True)
class NodeJudge:
    """The function of a node: judges chunks of a batt.

    The batt goes to a node once, and is planned once in each worker process. `backend` is the name of the
    backend of CPUs, and `device` that of GPUs; "" where none is wanted. With `as_batt`, programs are judged
    as a `Runner` does it: a sample at fault does not affect the others, and in mode `default` a solver with a
    failed line has the failure as its verdict, unless it is exact. `in_workers` lets each process of a node
    start a worker of its own, under the limits of a `Runner`.
    """

    batt: Batt
    options: RunOptions
    backend: str
    device: str
    partial_scores: bool
    as_batt: bool = False
    in_workers: bool = False
    seconds: float | None = None
    memory: int | None = None

    @property
    def on_cpus(self) -> bool:
        """Whether batches may run on the CPUs of nodes."""
        return bool(self.backend)

    @property
    def on_devices(self) -> bool:
        """Whether batches may run on GPUs."""
        return bool(self.device)

    def __call__(self, chunks: Sequence[Chunk]) -> BatchReply:
        """The verdicts and scores of each chunk."""
        return self._judged(self._on_cpu, chunks)

    def on_device(self, chunks: Sequence[Chunk]) -> BatchReply:
        """The same on a GPU."""
        return self._judged(self._on_device, chunks)

    def _judged(self, judge: ChunkJudge | JudgeInWorkers, chunks: Sequence[Chunk]) -> BatchReply:
        started = perf_counter()
        replies = judge.replies(True, chunks)
        of_chunks = [list(first_of(replies, len(chunk.samples))) for chunk in chunks]
        return BatchReply(of_chunks, perf_counter() - started)

    @cached_property
    def _on_cpu(self) -> ChunkJudge | JudgeInWorkers:
        return self._judge(choose(self.backend)[0])

    @cached_property
    def _on_device(self) -> ChunkJudge | JudgeInWorkers:
        """What judges on a device; on a CPU where the device of a node cannot be opened."""
        try:
            return self._judge(choose(self.device)[0])
        except BackendError:
            if not self.backend:
                raise
            return self._on_cpu

    def _judge(self, backend: Backend) -> ChunkJudge | JudgeInWorkers:
        work = Work.of_batt(self.batt, backend, replace(self.options, threads=1), self.partial_scores)
        if not self.as_batt:
            return ChunkJudge(replace(work, failing=None), as_batt=False)
        return judge_of(work, self.in_workers, 1, self.seconds, self.memory)

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


class NodeBatches(Iterator[list[Chunk]]):
    """Batches of chunks of about a second, sized by the pace that the nodes have measured so far.

    It remembers the chunks of the batches that are under way. Where the work that is `left` is known, batches
    become shorter at the end, so that all `slots` of the cluster are done at about the same time.
    """

    def __init__(self, queue: ChunkQueue, left: float = inf) -> None:
        self._queue, self._left = queue, left
        self._under_way: dict[int, list[Chunk]] = {}
        self._count = 0
        self.slots = 1

    def __next__(self) -> list[Chunk]:
        # Only a task that is longer than a batch is cut: its chunks compute what they share again.
        seconds = self._queue.pace.wanted = self._seconds()
        chunks = _joined(self._queue.take(FULL * seconds))
        if not chunks:
            raise StopIteration
        self._left -= sum(chunk.work for chunk in chunks)
        self._under_way[self._count] = chunks
        self._count += 1
        return [chunk.packed() for chunk in chunks]

    def _seconds(self) -> float:
        """The seconds that the next batch should take."""
        pace = self._queue.pace
        if not pace.measured:
            return TRIAL
        return max(TRIAL, min(SECONDS, self._left * pace.seconds / (AHEAD * self.slots)))

    def done(self, number: int, seconds: float) -> list[Chunk]:
        """The chunks of a batch that is done; its pace counts for those to come."""
        chunks = self._under_way.pop(number)
        self._queue.note(chunks, seconds)
        return chunks


def _joined(chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks, those of one task as one: a batch has a task once."""
    tasks: dict[int, list[Chunk]] = {}
    for chunk in chunks:
        tasks.setdefault(chunk.number, []).append(chunk)
    return [some[0] if len(some) == 1 else _as_one(some) for some in tasks.values()]


def _as_one(chunks: Sequence[Chunk]) -> Chunk:
    return chunks[-1]._replace(programs=list(chain.from_iterable(chunk.programs for chunk in chunks)))


class Nodes:
    """The nodes of a cluster, which judge the chunks of a run or of a batt.

    `cpu` and `device` are the backends that they use, given the one that was asked for; "" where none is.
    """

    def __init__(self, address: str, backend: str, devices: bool = True) -> None:
        require_cluster(address)
        self._address = address
        self.cpu, device = backends(backend)
        self.device = device if devices or not self.cpu else ""

    def pool(
        self,
        batt: Batt,
        work: Work,
        as_batt: bool = False,
        in_workers: bool = False,
        seconds: float | None = None,
        memory: int | None = None,
    ) -> ClusterPool[list[Chunk], BatchReply]:
        """A pool for the work of a batt; the rest is as in `NodeJudge`."""
        require_no_own_ops(own_ops(work.plan))
        limits = in_workers, seconds, memory
        judge = NodeJudge(batt, work.options, self.cpu, self.device, work.partial_scores, as_batt, *limits)
        return ClusterPool(judge, self._address)

    def judge(
        self, batt: Batt, work: Work, wanted: Iterable[Chunk], left: float, report: ChunkReport
    ) -> tuple[dict[str, float], int]:
        """Judge tasks as a run does; returns the seconds spent by stage, and the number of slots."""
        started = perf_counter()
        with self.pool(batt, work) as pool:
            pool.reach()
            reached = perf_counter()
            batches = NodeBatches(ChunkQueue(wanted, work.plan.whole), left)
            for chunk, replies in judged_by_nodes(pool, batches, in_order=False):
                report(chunk, *(result_of(replies[-1][1]) if replies else (b"", b"")))
            done = perf_counter()
        return {"reaching the cluster": reached - started, "evaluation": done - reached}, pool.places


def judged_by_nodes(
    pool: ClusterPool[list[Chunk], BatchReply], batches: NodeBatches, in_order: bool
) -> Iterator[tuple[Chunk, list[tuple[int, Reply[Judged]]]]]:
    """The chunks of batches and their replies, in the order of the chunks or as they come."""
    for number, reply in enumerate(pool.map(batches)) if in_order else pool.as_answered(batches):
        batch, batches.slots = result_of(reply), max(1, pool.places)
        yield from zip(batches.done(number, batch.seconds), batch.replies, strict=True)
