"""What pools run on chunks, in this process, in worker processes and on the nodes of a cluster."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import itemgetter
from typing import Any, NamedTuple

from arcbatt.dsl.failures import Failure, Kind
from arcbatt.dsl.machine import out_of_memory_ends
from arcbatt.dsl.own.errors import Fault, faults_noted
from arcbatt.dsl.values import intake
from arcbatt.engine.chunks import Chunk, in_halves
from arcbatt.engine.plan import Plan
from arcbatt.engine.records.replies import OpFault, Reply
from arcbatt.engine.running.worker import failed
from arcbatt.engine.running.worker_pool import WorkerPool
from arcbatt.engine.work import Work
from arcbatt.errors import ArcbattError, ValueRefused
from arcbatt.tasks.samples import Samples, count_samples

ENDS_A_SAMPLE = (ArcbattError, MemoryError)  # errors that cost one sample
PLANS_KEPT = 256
TRIES = 10  # of a sample whose worker dies: something outside may have killed it


class _FailureSent(NamedTuple):
    """A failure as a worker sends it: its node by number, since a node is pickled with its whole graph."""

    kind: Kind
    step: int


@dataclass(frozen=True)
class ChunkJudge:
    """Judges chunks, or computes the outputs of all programs on their samples.

    With `as_batt`, a bad sample costs itself alone, and if S of a single sample is not a value, the nodes
    that need S fail. Without it bad input raises an error, and in workers the programs of a chunk are planned
    by themselves, but in mode `pile`, where they cannot run apart.
    """

    work: Work
    as_batt: bool = True

    def __call__(self, item: tuple[bool, Chunk] | None) -> Any:
        """Of a chunk, in a worker, what was asked for, and the faults of own ops; None of None."""
        if item is None:
            return None
        judges, chunk = item
        together = self.as_batt or self.work.plan.whole
        work = self.work if together else self._planned(tuple(chunk.programs))
        with out_of_memory_ends(), faults_noted() as notes:
            (found,) = self._run(work, judges, [chunk])
        sent = found if judges else [tuple(map(self._sent, row)) for row in found]
        return sent, op_faults(notes, work.plan, work.rows_of(chunk))

    def replies(self, judges: bool, chunks: Sequence[Chunk]) -> Iterator[tuple[int, Reply[Any]]]:
        """The replies for chunks in order, each after the number of its samples: a bad sample has its own."""
        errors = ENDS_A_SAMPLE if self.as_batt else ()
        for count, found in in_halves(partial(self._run, self.work, judges), chunks, errors):
            yield count, failed(found) if isinstance(found, Exception) else Reply("ok", found)

    def close(self) -> None:
        """Nothing has to be ended."""

    def _run(self, work: Work, judges: bool, chunks: Sequence[Chunk]) -> list[Any]:
        run: Callable[[Sequence[Chunk]], list[Any]] = work.judged if judges else work.outputs
        try:
            return run(chunks)
        except ValueRefused:
            tasks = [chunk.task for chunk in chunks]
            is_single = self.as_batt and count_samples(tasks) == 1
            if not is_single or all(self._is_value(task.pairs) for task in tasks):
                raise
        return run([each._replace(task=Samples(each.task.id, None, each.samples)) for each in chunks])

    def _is_value(self, candidate: Any) -> bool:
        try:
            intake(candidate, self.work.options.limits)
        except ValueRefused:
            return False
        return True

    def _planned(self, programs: tuple[int, ...]) -> Work:
        """The work of some programs alone."""
        work = self._plans.pop(programs, None) or self.work.of_some(programs)
        self._plans[programs] = work
        if len(self._plans) > PLANS_KEPT:
            self._plans.popitem(last=False)
        return work

    @cached_property
    def _plans(self) -> "OrderedDict[tuple[int, ...], Work]":
        return OrderedDict()

    def _sent(self, outcome: Any) -> Any:
        if isinstance(outcome, Failure):
            return _FailureSent(outcome.kind, self._numbers[outcome.node])
        return outcome

    @cached_property
    def _numbers(self) -> dict[object, int]:
        """The number of a step by its node."""
        return {node: number for number, node in enumerate(self.work.plan.nodes)}

    def received(self, outcome: Any) -> Any:
        """The outcome that a worker sent."""
        if isinstance(outcome, _FailureSent):
            return Failure(outcome.kind, self.work.plan.nodes[outcome.step])
        return outcome


class JudgeInWorkers:
    """Does the same in worker processes, where what a sample may take is limited, and own ops may run.

    `seconds` is the time limit of a sample, and `memory` bounds the bytes that it may take beyond those that
    a worker starts with (on Linux).
    """

    def __init__(self, work: Work, workers: int, seconds: float | None, memory: int | None) -> None:
        self._judge = ChunkJudge(work)
        self.pool: WorkerPool[Any, Any] = WorkerPool(self._judge, workers, seconds, memory, TRIES)

    def replies(self, judges: bool, chunks: Sequence[Chunk]) -> Iterator[tuple[int, Reply[Any]]]:
        """The replies for chunks, sample by sample."""
        samples = (chunk.some(k, k + 1) for chunk in chunks for k in range(len(chunk.samples)))
        for reply in self.pool.map((judges, sample) for sample in samples):
            if reply.result is not None:
                found, faults = reply.result
                rows = found if judges else [tuple(map(self._judge.received, row)) for row in found]
                reply = replace(reply, result=rows, seen=faults)
            yield 1, reply

    def close(self) -> None:
        """End the worker processes."""
        self.pool.close()


def judge_of(
    work: Work, in_workers: bool, workers: int, seconds: float | None, memory: int | None
) -> ChunkJudge | JudgeInWorkers:
    """What judges chunks, in this process or in workers of its own."""
    return JudgeInWorkers(work, workers, seconds, memory) if in_workers else ChunkJudge(work)


def first_of(replies: Iterator[tuple[int, Reply[Any]]], samples: int) -> Iterator[tuple[int, Reply[Any]]]:
    """The next replies, those for so many samples."""
    while samples > 0:
        count, reply = next(replies)
        samples -= count
        yield count, reply


def op_faults(notes: Iterable[tuple[Any, Fault]], plan: Plan, wanted: Sequence[int]) -> tuple[OpFault, ...]:
    """The kinds of fault among notes of failed nodes, in the order of the wanted programs.

    A fault comes up in every program that has the failed node: that program alone would have met it, too. So
    the count does not depend on which programs ran together.
    """
    notes = list(notes)
    if not notes:
        return ()
    programs = _programs_by_node(plan, wanted)
    concerned: dict[tuple[str, str, str, int], int] = {}
    first: dict[tuple[str, str, str, int], tuple[int, Fault]] = {}
    met: set[Any] = set()
    for node, fault in notes:
        if node in met:  # a lane that ran out of memory has started again
            continue
        met.add(node)
        places = programs.get(node, 0)
        if places:
            place = _lowest(places)
            concerned[fault.key] = concerned.get(fault.key, 0) | places
            if fault.key not in first or place < first[fault.key][0]:
                first[fault.key] = place, fault
    return tuple(
        OpFault(fault.error, place, concerned[fault.key].bit_count())
        for place, fault in sorted(first.values(), key=itemgetter(0))
    )


def _programs_by_node(plan: Plan, wanted: Sequence[int]) -> dict[Any, int]:
    """For each node the wanted programs that have it, as the bits of a number."""
    places = [0] * len(plan.steps)
    for place, root in enumerate(wanted):
        places[plan.roots[root]] |= 1 << place
    for number in range(len(places) - 1, -1, -1):
        for arg in plan.steps[number].args:
            places[arg] |= places[number]
    found: dict[Any, int] = {}
    for step, bits in zip(plan.steps, places):
        found[step.node] = found.get(step.node, 0) | bits
    return found


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1
