"""The row of a run in an archive: its settings, and how many of its results are done."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from arcbatt.engine.records.record import Record
from arcbatt.results.result_keys import WantedResults

if TYPE_CHECKING:
    from arcbatt.archive.archive import Archive


class RunProgress:
    """Counts the results of a run, and writes their number into its row.

    A run is found by its settings, its programs and its tasks: where it goes on, the row is the same.
    """

    def __init__(
        self, archive: "Archive", kind: str, settings: Mapping[str, Any], wanted: WantedResults
    ) -> None:
        programs = {id(program): program for task in wanted.tasks for program in wanted.solvers[task.id]}
        told = {
            "programs": len(programs),
            "tasks": len(wanted.tasks),
            "content": wanted.keys.of_all(programs.values(), wanted.tasks),
        }
        if wanted.tasks:
            told |= {"first": wanted.tasks[0].id, "last": wanted.tasks[-1].id}
        self._run = archive.run(kind, told | dict(settings))
        self._totals = {task.id: len(wanted.solvers[task.id]) for task in wanted.tasks}
        self._done: dict[str, int] = {}

    def count(self, record: Record) -> None:
        """Count the results of a record, known or new; known ones may run again with the rest of a task."""
        task_id = record.task.id
        solvers = sum(program.kind == "solver" for program in record.programs)
        self._done[task_id] = min(self._done.get(task_id, 0) + solvers, self._totals[task_id])

    def write(self) -> None:
        """Write how far the run is, inside a transaction."""
        self._run.put_progress(sum(self._done.values()), sum(self._totals.values()))
