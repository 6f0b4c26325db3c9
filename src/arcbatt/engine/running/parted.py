"""A run in two parts: programs with a user's own ops in worker processes, all others in this process."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from arcbatt.dsl.own.errors import OpError
from arcbatt.engine.plan import own_ops_by_root, plan
from arcbatt.engine.portions import Portion, judge_in_portions
from arcbatt.engine.records.record import LostSample
from arcbatt.engine.running.own_work import OwnWork
from arcbatt.engine.work import Work
from arcbatt.tasks import Task

EVALUATIONS_A_BLOCK = 200_000  # in this process, before programs with own ops get their turn
LEAST_MEMORY = 2 << 30  # bytes that a worker may take beyond what it starts with


# Tasks by number, each with the places of its wanted programs.
Block = list[tuple[int, tuple[int, ...]]]


class Report(Protocol):
    """Called with each finished portion, as in `portions`, and with what was lost and went wrong there."""

    def __call__(
        self,
        portion: Portion,
        verdicts: bytes,
        scores: bytes,
        lost: tuple[LostSample, ...] = (),
        op_errors: tuple[OpError, ...] = (),
    ) -> None: ...


def judge_in_parts(
    work: Work,
    tasks: Sequence[Task],
    wanted: Iterable[Sequence[int]],
    workers: int,
    seconds: float,
    report: Report,
) -> dict[str, float]:
    """Judge the wanted programs on each task; returns the seconds spent by stage.

    A block of tasks is judged in this process first, and in worker processes then: results come soon, and
    each call of the engine is worth its start.
    """
    parts = _Parts(work)
    stages: Counter[str] = Counter()
    memory = max(LEAST_MEMORY, 2 * work.options.limits.memory)
    with OwnWork(parts.own, workers, seconds, memory) as own_work:
        for block in _blocks(tasks, wanted):
            ours, theirs = parts.split(block)

            def tell(portion: Portion, verdicts: bytes, scores: bytes, ours: Block = ours) -> None:
                places = [parts.here[place] for place in portion.places]
                report(Portion(ours[portion.number][0], places), verdicts, scores)

            some = [tasks[number] for number, _ in ours]
            stages.update(judge_in_portions(parts.others, some, (places for _, places in ours), tell))
            for found in own_work.judge([(tasks[number], places) for number, places in theirs]):
                portion = Portion(theirs[found.number][0], [parts.there[place] for place in found.places])
                report(portion, *found[2:])
    return dict(stages)


def _blocks(tasks: Sequence[Task], wanted: Iterable[Sequence[int]]) -> Iterator[Block]:
    block: Block = []
    size = 0
    for number, places in enumerate(wanted):
        block.append((number, tuple(places)))
        size += len(places) * len(tasks[number].samples)
        if size >= EVALUATIONS_A_BLOCK:
            yield block
            block, size = [], 0
    if block:
        yield block


class _Parts:
    """The programs of some work by where they run; in mode `pile` each line depends on all, so in workers."""

    def __init__(self, work: Work) -> None:
        self._is_own = [bool(ops) or work.plan.whole for ops in own_ops_by_root(work.plan)]
        self.here = [place for place, own in enumerate(self._is_own) if not own]
        self.there = [place for place, own in enumerate(self._is_own) if own]
        self._place_in_part = {place: k for part in (self.here, self.there) for k, place in enumerate(part)}
        on_cpu = replace(work, backend=work.backend.for_one_op, options=replace(work.options, threads=1))
        self.own = on_cpu if work.plan.whole else _part(on_cpu, self.there)
        self.others = _part(work, self.here)

    def split(self, block: Block) -> tuple[Block, Block]:
        """The tasks that are wanted here, and in workers, with their programs by their places in the part.

        A task of which nothing is wanted is done here.
        """
        ours: Block = []
        theirs: Block = []
        for number, places in block:
            here, there = (
                tuple(self._place_in_part[place] for place in places if self._is_own[place] == is_own)
                for is_own in (False, True)
            )
            if here or not there:
                ours.append((number, here))
            if there:
                theirs.append((number, there))
        return ours, theirs


def _part(work: Work, places: Sequence[int]) -> Work:
    programs = [work.programs[place] for place in places]
    return replace(work, plan=plan(programs), programs=programs)
