"""The writer of the results of programs on tasks."""

from collections.abc import Iterator, Sequence
from typing import Any

from arcbatt.archive.terms import Terms
from arcbatt.engine.backend import RunOptions
from arcbatt.engine.records.record import Record
from arcbatt.engine.records.verdicts import Outputs
from arcbatt.engine.run import run
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Batt, Program
from arcbatt.results.files import Files
from arcbatt.results.result_writer import ResultWriter
from arcbatt.results.run_description import OutputsLost, RunDescription
from arcbatt.tasks import Task, TaskSet


def program_writer(
    batt: Batt, tasks: TaskSet, pairs: str, settings: dict[str, Any], files: Files
) -> ResultWriter:
    """The writer of the results of programs; `settings` are those with which `run` runs a winner again."""
    terms = Terms.of_run(RunOptions(settings["limits"], settings["on_failure"]), batt)
    solvers: dict[str, Sequence[Program]] = {task.id: batt.programs for task in tasks}
    if pairs == "own":
        own: dict[str | None, list[Program]] = {}
        for program in batt:
            own.setdefault(program.task_id, []).append(program)
        solvers = {task.id: own.get(task.id, []) for task in tasks}

    def winning(program: Program, task: Task) -> Outputs:
        whole = batt if terms.batt is not None else program
        try:
            return run(whole, task, "all", **settings)[program, task].outputs
        except ArcbattError as error:  # an op of the user's own that was stopped
            raise OutputsLost(str(error)) from None

    description = RunDescription("run", _lines, winning, settings={"pairs": pairs})
    return ResultWriter(list(tasks), solvers, terms, description, files)


def _lines(record: Record) -> Iterator[tuple[Program, dict[str, Any]]]:
    """A line for each program; `ends` says on which samples it was stopped, and how."""
    ends: dict[int, list[object]] = {}
    for index, sample, end in record.lost:
        ends.setdefault(index, []).append([sample, end.status, end.kind, end.op])
    for index, outcome in enumerate(record.outcomes()):
        yield outcome.program, outcome.as_json() | ({"ends": ends[index]} if index in ends else {})
