"""The results of a run: the outcomes of programs on tasks, and statistics."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any

from arcbatt.arguments import require_kind, shown
from arcbatt.dsl.failures import Kind
from arcbatt.dsl.own.errors import OpError, summed
from arcbatt.engine.records.record import Outcome, Record
from arcbatt.engine.records.replies import Ending
from arcbatt.engine.records.verdicts import Outputs, failures_in
from arcbatt.errors import AmbiguousName, ResultMissing
from arcbatt.program.graph import Batt, Program
from arcbatt.program.names import ProgramIndex
from arcbatt.rendered import Rendered, Tabular
from arcbatt.tasks import Task
from arcbatt.tasks.intake import id_of
from arcbatt.text import plural, solved_in_words

if TYPE_CHECKING:
    from arcbatt.engine.backend import RunOptions


@dataclass
class Stats:
    """The numbers of a run, and its time.

    `seconds` are those of the run itself, including packing; `seconds_by_stage` has earlier stages, too.
    `threads` are those of this process, or of all nodes of a cluster, one for each place where a unit runs.
    `elements` counts those that higher-order ops applied functions to in the core of this process, and
    `elements_in_columns` those of them that ran all at once.
    """

    backend: str
    why: str
    threads: int
    programs: int = 0
    tasks: int = 0
    nodes: int = 0
    evaluations: int = 0
    failures: dict[Kind, int] = field(default_factory=dict)
    seconds: float = 0.0
    seconds_by_stage: dict[str, float] = field(default_factory=dict)
    elements: int = 0
    elements_in_columns: int = 0

    @property
    def evaluations_per_second(self) -> float:
        """Programs run on samples in a second."""
        return self.evaluations / self.seconds if self.seconds else 0.0


class Results(Rendered, Tabular):
    """The outcomes of a run by (program, task); each is made when it is asked for.

    A program is asked for by itself, by its hash, or by its name; a name that several programs share means
    none of them. A task is asked for by itself or by its id.
    """

    def __init__(
        self,
        stats: Stats,
        rerun: Callable[[Program, Task], Outputs],
        options: "RunOptions | None" = None,
        whole: Batt | None = None,
    ) -> None:
        self.stats = stats
        self.options, self.whole = options, whole  # in mode `pile` results depend on the whole batt
        self.records: dict[str, Record] = {}
        self._rerun = rerun
        self._asked: dict[tuple[str, int], Outcome] = {}
        self._indices: dict[int, ProgramIndex] = {}  # by the ids of the programs, which the records keep

    def add(self, record: Record) -> None:
        """Add the record of a task; one that was refused counts neither as a task nor as evaluations."""
        require_kind(record, Record, "record of a task; `records` of results has them")
        self.records[record.task.id] = record
        self.__dict__.pop("solved", None)
        if record.refused:
            return
        self.stats.evaluations += len(record.verdicts)
        self.stats.tasks += bool(record.programs)

    @cached_property
    def solved(self) -> frozenset[tuple[str, str]]:
        """The pairs (program name, task id) that are exact on every sample with a known output."""
        return frozenset(
            (program.name, task_id)
            for task_id, record in self.records.items()
            for program in record.solved_by()
        )

    @property
    def tasks_solved(self) -> int:
        """The number of tasks that some program solves."""
        return len({task_id for _, task_id in self.solved})

    @property
    def solved_in_words(self) -> str:
        """The number of solved tasks as text, and of solving pairs if several programs solve a task."""
        return solved_in_words(len(self.solved), self.tasks_solved, self.stats.tasks)

    @property
    def programs_run(self) -> int:
        """The number of programs that ran on some task: with pairs `own` some may have none."""
        ran = {id(record.programs): record.programs for record in self.records.values()}
        return len({id(program) for programs in ran.values() for program in programs})

    def failures(self) -> dict[Kind, int]:
        """The number of failed evaluations by kind."""
        return failures_in([record.verdicts for record in self.records.values()])

    @property
    def op_errors(self) -> tuple[OpError, ...]:
        """The faults of a user's own ops: exceptions and wrong results, by op and line, the first first."""
        return summed(error for record in self.records.values() for error in record.op_errors)

    @property
    def lost(self) -> Counter[tuple[Ending, str]]:
        """The number of evaluations without a result, by how they ended and by own op or signal."""
        ends = (lost.end for record in self.records.values() for lost in record.lost)
        return Counter((end.status, end.kind or end.op) for end in ends)

    @property
    def refused(self) -> dict[str, str]:
        """The tasks that were too heavy to run any program on them, by id, and what each of them weighs."""
        return {task_id: record.refused for task_id, record in self.records.items() if record.refused}

    @property
    def given_up(self) -> dict[str, str]:
        """The own ops that were stopped so often that programs with them did not run any more, and why."""
        ends = (lost.end for record in self.records.values() for lost in record.lost)
        return {end.kind: end.reason for end in ends if end.status == "given up"}

    def __getitem__(self, key: tuple[Program | str, Task | str]) -> Outcome:
        record, places = self._found(key)
        if record is None or not places:
            raise ResultMissing(
                f"there is no result for {shown(key)} in this run; ask for (program name, task id)"
                f"{self._nearest(key)}"
            )
        outcomes = [self._remembered(record, place) for place in places]
        if len({(outcome.verdicts, outcome.scores) for outcome in outcomes}) > 1:
            lines = ", ".join(str(outcome.program.line) for outcome in outcomes)
            raise AmbiguousName(
                f"{outcomes[0].program.name!r} stands in lines {lines} of its file, and in mode pile these "
                "gave different results; go through the results to see them all"
            )
        return outcomes[0]

    def _nearest(self, key: object) -> str:
        """A hint at a task or program of a name that is nearly the one asked for."""
        match key:
            case (str() as program, str() as task):
                near = get_close_matches(task, self.records, 1)
                names = [each.name for each in self.records[near[0]].programs] if near else []
                known = get_close_matches(program, names, 1)
                return f"; the nearest is {(known[0], near[0])!r}" if known else ""
        return ""

    def __contains__(self, key: object) -> bool:
        try:
            return bool(self._found(key)[1])
        except AmbiguousName:
            return False

    def _found(self, key: object) -> tuple[Record | None, list[int]]:
        """The record of a task, and the places of the program in it."""
        match key:
            case ((Program() | str()) as program, task):
                record = self.records.get(task.id if isinstance(task, Task) else id_of(task) or "")
                if record is not None:
                    return record, self._index(record.programs).places(program)
        return None, []

    def _index(self, programs: Sequence[Program]) -> ProgramIndex:
        """The index of some programs by name, shared by tasks that ran the same ones."""
        known = self._indices.get(id(programs))
        if known is None or known.programs is not programs:
            known = self._indices[id(programs)] = ProgramIndex(programs)
        return known

    def _remembered(self, record: Record, place: int) -> Outcome:
        """The outcome of a place, the same object at each call, so that its outputs are computed once."""
        known = self._asked.get((record.task.id, place))
        if known is None or known.task is not record.task:
            known = self._asked[record.task.id, place] = record.outcome(place, self._rerun)
        return known

    def __iter__(self) -> Iterator[Outcome]:
        for record in self.records.values():
            for place in range(len(record.programs)):
                yield record.outcome(place, self._rerun)

    def __len__(self) -> int:
        return sum(len(record.programs) for record in self.records.values())

    def __repr__(self) -> str:
        stats = self.stats
        programs, tasks = plural(self.programs_run, "program"), plural(stats.tasks, "task")
        return f"<results of {programs} on {tasks}, {self.tasks_solved:,} solved>"

    def summary(self) -> dict[str, Any]:
        """The run in numbers, as plain data."""
        stats = self.stats
        lost = {" ".join(filter(None, how)): count for how, count in sorted(self.lost.items())}
        errors = [error.as_json() for error in self.op_errors]
        return {
            "programs": stats.programs,
            "tasks": stats.tasks,
            "evaluations": stats.evaluations,
            "solved": len(self.solved),
            "tasks_solved": self.tasks_solved,
            "seconds": round(stats.seconds, 6),
            "evaluations_per_second": round(stats.evaluations_per_second, 1),
            "backend": stats.backend,
            "threads": stats.threads,
            **({"lost": lost} if lost else {}),
            **({"refused": self.refused} if self.refused else {}),
            **({"given_up": self.given_up} if self.given_up else {}),
            **({"op_errors": errors} if errors else {}),
        }


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `results` has the tasks that were done."""

    def __init__(self, results: Results) -> None:
        super().__init__("the run was interrupted")
        self.results = results
