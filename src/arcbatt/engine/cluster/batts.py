"""A batt on a cluster: a runner whose samples are judged on the nodes."""

from collections.abc import Iterable, Iterator
from typing import Any

from arcbatt.engine.cluster.judging import SECONDS, Asked, Judge, Judging, Places, backends
from arcbatt.engine.cluster.pool import ClusterPool, result_of
from arcbatt.engine.cluster.sending import require_no_own_ops
from arcbatt.engine.plan import own_ops
from arcbatt.engine.portions import TRIAL, Pace
from arcbatt.engine.records.record import Record, joined, record_of
from arcbatt.engine.records.replies import Reply
from arcbatt.engine.records.verdicts import Judged
from arcbatt.engine.running.sample_runner import Asked as AskedGroups
from arcbatt.engine.running.sample_runner import Part, Runner, parts_of, work_of
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Batt
from arcbatt.tasks import Task
from arcbatt.tasks.samples import TaskLike, some_of


class ClusterRunner(Runner):
    """A runner that judges on the nodes of a cluster; it computes outputs in this process."""

    def __init__(self, batt: Batt, backend: str, *args: Any, cluster: str, **settings: Any) -> None:
        cpu, device = backends(backend)
        super().__init__(batt, cpu or "auto", *args, **settings | {"devices": False})
        require_no_own_ops(own_ops(self.work.plan))
        if self.in_workers:
            raise ArcbattError(
                "a time limit and the reference backend need worker processes, which a cluster does not "
                "have; leave cluster out, or run parts of the tasks with --shard on several machines"
            )
        work, options = self.work, self.work.options
        judge = Judge(
            batt,
            options.on_failure,
            options.limits,
            cpu,
            device if settings.get("devices", True) or not cpu else "",
            work.partial_scores,
            as_batt=True,
            on_reference=options.on_reference,
        )
        self._cluster: ClusterPool[list[Asked], Judging] = ClusterPool(judge, cluster)

    def close(self) -> None:
        """Leave the cluster."""
        self._cluster.close()
        super().close()

    def records(self, tasks: Iterable[Task], batch_size: int | None = None) -> Iterator[Record]:
        """The verdicts and scores of all programs, task by task."""
        programs = self.work.programs
        parts: list[Record] = []
        groups = [[place] for place in range(len(programs))]
        for record, is_last in self.portions((task, groups) for task in tasks):
            parts.append(record)
            if is_last:
                yield joined(record.task, programs, parts)
                parts = []

    def portions(
        self, asked: Iterable[AskedGroups], batch_size: int | None = None
    ) -> Iterator[tuple[Record, bool]]:
        """The same in portions; a unit of the cluster has portions that take about a second together."""
        pace, given = Pace(SECONDS), list[list[Part]]()

        def units() -> Iterator[list[Asked]]:
            for some in _units(asked, pace, self.runs_whole_tasks):
                given.append(some)
                yield [Asked(part.task, Places.of(part.places)) for part in some]

        for answer in self._cluster.map(units()):
            judging, some = result_of(answer), given.pop(0)
            pace.note(sum(map(work_of, some)), judging.seconds)
            for part, found in zip(some, judging.answers, strict=True):
                yield record_of(part.task, self._programs(part), _by_samples(part.task, found)), part.last

    def _programs(self, part: Part) -> Any:
        programs = self.work.programs
        return programs if len(part.places) == len(programs) else [programs[place] for place in part.places]


def _units(asked: Iterable[AskedGroups], pace: Pace, whole: bool) -> Iterator[list[Part]]:
    """Parts of tasks that take about a second together; no unit has two parts of one task."""
    unit: list[Part] = []
    parts = (
        (Part(task, [place for group in groups for place in group], True) for task, groups in asked)
        if whole
        else parts_of(asked, pace)
    )
    for part in parts:
        unit.append(part)
        room = SECONDS if pace.measured else TRIAL
        if not part.last or sum(map(work_of, unit)) * pace.seconds >= room:
            yield unit
            unit = []
    if unit:
        yield unit


def _by_samples(
    task: Task, found: Iterable[tuple[int, Reply[Judged]]]
) -> Iterator[tuple[TaskLike, Reply[Judged]]]:
    """The answers of a node for parts of the samples of a task, with these parts."""
    done = 0
    for count, answer in found:
        yield some_of(task, done, done + count), answer
        done += count
