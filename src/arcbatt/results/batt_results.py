"""The results of a batt on tasks, in portions: what is written of them, and what is known already."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from arcbatt.archive.terms import Terms
from arcbatt.engine.records.record import Record, joined
from arcbatt.engine.records.verdicts import Outputs
from arcbatt.engine.running.phase_clock import PhaseClock
from arcbatt.engine.running.sample_runner import Asked, Runner
from arcbatt.engine.scoring.tally import Marks, TaskTally, groups_of
from arcbatt.program.graph import Batt, Program
from arcbatt.results.files import Files
from arcbatt.results.result_keys import digest_of_differs, scoring_differs
from arcbatt.results.result_writer import ResultWriter
from arcbatt.results.run_description import OutputsLost, RunDescription
from arcbatt.signals import defer_interrupts
from arcbatt.tasks import Task, TaskSet


def batt_writer(
    runner: Runner, tasks: TaskSet, alone: Callable[[Batt], Runner], files: Files
) -> ResultWriter:
    """The writer of the results of a batt; `alone` makes a runner for a winner."""
    batt = runner.batt
    differs = scoring_differs(batt)
    options = runner.work.options

    def winning(program: Program, task: Task) -> Outputs:
        whole = batt if runner.work.plan.whole else Batt((program,))
        index = next(index for index, other in enumerate(whole) if other is program)
        with alone(whole) as one:
            answers = list(one.outputs([task]))
        outputs = [answer.result[index] for answer in answers if answer.result is not None]
        if len(outputs) < len(answers):
            raise OutputsLost(f"{program.name} solves {task.id}, but has no output when it runs again")
        return outputs

    terms = Terms(
        options.on_failure,
        options.limits,
        batt=Terms.of_run(options, batt).batt,
        tells_failures=options.on_failure == "default",
    )
    digest = digest_of_differs(differs)
    settings = {"differs": len(differs)} if differs else {}
    marking = _marks if differs else None
    description = RunDescription(
        "run-batt", _lines, winning, marking, digest, loses_samples=True, settings=settings
    )
    solvers = tuple(program for program in batt if program.kind == "solver")
    return ResultWriter(list(tasks), {task.id: solvers for task in tasks}, terms, description, files)


def _lines(record: Record) -> Iterator[tuple[Program, dict[str, Any]]]:
    """A line for each solver; `lost` counts samples lost to a crash or a limit, `ends` says which and how."""
    tally = TaskTally(record)
    marks = tally.marks_by_solver()
    lost: dict[str, Any] = {}
    if record.ends and not record.refused:
        ends = [[number, end.status, end.kind] for number, end in record.ends]
        lost = {"lost": len(ends), "ends": ends}
    for index, outcome in enumerate(record.outcomes()):
        if outcome.program.kind == "solver":
            given = {"marks": list(marks[index])} if marks[index].number else {}
            yield outcome.program, outcome.as_json() | lost | given


def _marks(record: Record) -> dict[Program, Marks]:
    found = TaskTally(record).marks_by_solver()
    return {record.programs[index]: marks for index, marks in found.items()}


class BattResults:
    """What a batt does on each task: portions of it go to the writer as soon as they are done.

    `refused` are the records of tasks that are too heavy, `ready` the other tasks. `count` is called with
    each task before a signal can end the run, so that totals and writer agree.
    """

    def __init__(
        self,
        runner: Runner,
        batch_size: int | None,
        refused: Iterable[Record],
        ready: Iterable[Task],
        writer: ResultWriter,
        count: Callable[[TaskTally], None],
        clock: PhaseClock,
    ) -> None:
        self._clock = clock
        self._runner, self._batch_size = runner, batch_size
        self._programs = runner.batt.programs
        self._groups = groups_of(self._programs)
        self._solvers = tuple(program for program in self._programs if program.kind == "solver")
        self._writer, self._count = writer, count
        self._refused, self._ready = deque(refused), deque(ready)
        self._known: dict[str, _Known] = {}  # of tasks that are not done
        self._parts: list[Record] = []  # of the first of these

    def __iter__(self) -> Iterator[TaskTally]:
        while self._refused:
            with defer_interrupts():
                record = self._refused.popleft()
                self._keep(record)
                tally = self._counted(TaskTally(record))
            yield tally
        for record, is_last in self._runner.portions(self._asked(), self._batch_size):
            with defer_interrupts():
                self._keep(record)
                self._parts.append(record)
                done = self._done(self._known.pop(record.task.id)) if is_last else None
            if done is not None:
                yield done

    def _keep(self, record: Record) -> None:
        with self._clock.phase("keeping"):
            self._writer.add(record)

    def unfinished(self) -> Iterator[TaskTally]:
        """After an interruption, what the files hold of tasks that are not done."""
        while self._ready:
            self._ask()
        for known in list(self._known.values()):
            if known.record is not None or self._parts_of(known.task):
                yield self._done(known)

    def _asked(self) -> Iterator[Asked]:
        while self._ready:
            known = self._ask()
            there = set() if known.record is None else set(map(id, known.record.programs))
            missing = [group for group in self._groups if id(self._programs[group[0]]) not in there]
            yield known.task, self._groups if missing and self._runner.runs_whole_tasks else missing

    def _ask(self) -> "_Known":
        """Ask for the known results of the next task."""
        with defer_interrupts(), self._clock.phase("keeping"):
            task = self._ready.popleft()
            known = _Known(task, *self._writer.known_with_marks(task, self._solvers))
            self._known[task.id] = known
        return known

    def _done(self, known: "_Known") -> TaskTally:
        """Count a task: the portions that have run, and what was known and has not run again."""
        parts = self._parts_of(known.task)
        self._parts = []
        there = {id(program) for part in parts for program in part.programs}
        if known.record is None or there.intersection(map(id, known.record.programs)):
            return self._counted(TaskTally(joined(known.task, self._programs, parts)))
        whole = joined(known.task, self._programs, [*parts, known.record])
        return self._counted(TaskTally(whole, known.marks))

    def _parts_of(self, task: Task) -> list[Record]:
        return self._parts if self._parts and self._parts[0].task is task else []

    def _counted(self, tally: TaskTally) -> TaskTally:
        self._count(tally)
        return tally


class _Known(NamedTuple):
    """The known results of a task, and the marks of differs there."""

    task: Task
    record: Record | None
    marks: Marks
