"""The results of a batt on tasks, in portions: what an outlet gets of them, and what it knows already."""

from collections.abc import Callable, Iterator
from typing import Any

from arcbatt.archive.terms import Terms, digest_of
from arcbatt.batt.breeding.tally import NO_MARKS, Marks, TaskTally, groups_of
from arcbatt.batt.coordinator import MegaBatchCoordinator
from arcbatt.engine.results import Outputs, Record, joined
from arcbatt.engine.running.sample_runner import Asked, Runner
from arcbatt.outlet.files import Files
from arcbatt.outlet.outlet import Outlet
from arcbatt.outlet.telling import OutputsLost, Telling
from arcbatt.program.graph import RAW_INPUT, Batt, Program
from arcbatt.tasks import Task, TaskSet


def batt_outlet(runner: Runner, tasks: TaskSet, alone: Callable[[Batt], Runner], files: Files) -> Outlet:
    """Where the results of a batt go; `alone` makes a runner for a winner."""
    batt = runner.batt
    differs = [program for program in batt if program.kind == "differ" and program.scored_id != RAW_INPUT]
    options = runner.work.options

    def winning(program: Program, task: Task) -> Outputs:
        whole = batt if runner.work.plan.whole else Batt((program,))
        place = next(place for place, other in enumerate(whole) if other is program)
        with alone(whole) as one:
            answers = list(one.outputs([task]))
        outputs = [answer.result[place] for answer in answers if answer.result is not None]
        if len(outputs) < len(answers):
            raise OutputsLost(f"{program.name} solves {task.id}, but has no output when it runs again")
        return outputs

    terms = Terms(
        options.on_failure,
        options.limits,
        batt=Terms.of_run(options, batt).batt,
        tells_failures=options.on_failure == "default",
    )
    digest = digest_of(repr(sorted(differ.hash for differ in differs)))
    told = {"differs": len(differs)} if differs else {}
    marking = _marks if differs else None
    telling = Telling("run-batt", _lines, winning, marking, digest, loses_samples=True, settings=told)
    solvers = tuple(program for program in batt if program.kind == "solver")
    return Outlet(list(tasks), {task.id: solvers for task in tasks}, terms, telling, files)


def _lines(record: Record) -> Iterator[tuple[Program, dict[str, Any]]]:
    """A line for each solver; `lost` counts samples lost to a crash or a limit, `ends` says which and how."""
    tally = TaskTally(record)
    marks = tally.marks_by_solver()
    lost: dict[str, Any] = {}
    if record.ends:
        ends = [[number, end.status, end.kind] for number, end in record.ends]
        lost = {"lost": len(ends), "ends": ends}
    for place, outcome in enumerate(record.outcomes()):
        if outcome.program.kind == "solver":
            given = {"marks": list(marks[place])} if marks[place].number else {}
            yield outcome.program, outcome.as_json() | lost | given


def _marks(record: Record) -> dict[Program, Marks]:
    found = TaskTally(record).marks_by_solver()
    return {record.programs[place]: marks for place, marks in found.items()}


def tallies_in_portions(
    coordinator: MegaBatchCoordinator, tasks: TaskSet, outlet: Outlet
) -> Iterator[TaskTally]:
    """What a batt does on each task, where portions of it go to the outlet as soon as they are done."""
    programs = coordinator.batt.programs
    groups = groups_of(programs)
    solvers = tuple(program for program in programs if program.kind == "solver")
    known: dict[str, tuple[Record | None, Marks]] = {}

    def asked() -> Iterator[Asked]:
        for task in tasks:
            known[task.id] = found, _ = outlet.known_with_marks(task, solvers)
            there = set() if found is None else set(map(id, found.programs))
            missing = [group for group in groups if id(programs[group[0]]) not in there]
            if missing and coordinator.runner.runs_whole_tasks:
                known[task.id], missing = (None, NO_MARKS), groups
            yield task, missing

    parts: list[Record] = []
    for record, is_last in coordinator.runner.portions(asked(), coordinator.batch_size):
        outlet.add(record)
        parts.append(record)
        if is_last:
            found, marks = known.pop(record.task.id)
            whole = joined(record.task, programs, [*parts, *([] if found is None else [found])])
            parts = []
            yield TaskTally(whole, marks)
