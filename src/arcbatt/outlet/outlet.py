"""`Outlet`: where the results of a run go as they come, and what is known of them before they run."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from types import TracebackType
from typing import Any

from arcbatt.archive.archive import Archive
from arcbatt.archive.terms import Terms
from arcbatt.engine.results import Outputs, Record
from arcbatt.errors import ArcbattError
from arcbatt.files import Presence
from arcbatt.outlet.json_lines import JsonLines
from arcbatt.outlet.known_lines import Keys, Work
from arcbatt.program.graph import Program
from arcbatt.signals import undisturbed
from arcbatt.tasks import Task

BETWEEN_COMMITS = 0.5  # seconds; with a portion that is under way it is less than one second

# The lines of JSON of a record: each solver with plain data.
Lines = Callable[[Record], Iterable[tuple[Program, dict[str, Any]]]]
Winning = Callable[[Program, Task], Outputs]


class Outlet:
    """Lines of JSON, an archive, both, or nothing: where the results of a run go as they come.

    `add` takes a record. Lines are written at once, results are committed to the archive twice a second. If
    either fails, the error is kept for `require_written`, and the run ends as by Ctrl-C: results so far
    can be shown. `known` gives results of earlier runs, with `resume`: those of the archive if there is one,
    else those of the lines.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        solvers: dict[str, Sequence[Program]],
        terms: Terms,
        lines: Lines,
        winning: Winning,
        json_file: str | None = None,
        archive_file: str | None = None,
        resume: bool = False,
    ) -> None:
        if resume and json_file in (None, "-") and archive_file is None:
            raise ArcbattError("--resume needs the results so far; name their file with --archive or --json")
        self._terms, self._lines, self._winning, self._resume = terms, lines, winning, resume
        self._error: ArcbattError | OSError | None = None
        self._archive = Archive(archive_file) if archive_file is not None else None
        self._presence = Presence(archive_file) if archive_file is not None else None
        self._committed = monotonic()
        try:
            work = Work(tasks, solvers, Keys(terms))
            self._json = JsonLines(json_file, work, resume) if json_file is not None else None
        except BaseException:
            if self._archive is not None:
                self._archive.close()
            raise

    def known(self, task: Task, programs: Sequence[Program]) -> Record | None:
        """The record of the programs whose results on a task are known; None if there are none."""
        if not self._resume:
            return None
        if self._archive is not None:
            found = self._archive.known(task, self._terms, self._distinct(programs)).record
            if found.programs and self._json is not None:
                self._json.add(task, self._lines(found))
        else:
            assert self._json is not None
            found = self._json.record(task, *self._json.known(task, programs))
        return found if found.programs else None

    def _distinct(self, programs: Sequence[Program]) -> Sequence[Program]:
        """In mode `pile`, where equal programs may differ in their results, those that stand in one line."""
        if self._terms.batt is None:
            return programs
        counts = Counter(program.root for program in programs)
        return [program for program in programs if counts[program.root] == 1]

    def add(self, record: Record) -> None:
        """Write the results of some programs on a task."""
        if self._error is not None:
            return
        with undisturbed():
            self._attempt(lambda: self._add(record))
        if self._error is not None:
            raise KeyboardInterrupt

    def _add(self, record: Record) -> None:
        if not record.programs:
            return
        if self._json is not None:
            self._json.add(record.task, self._lines(record))
        if self._archive is not None:
            task = record.task
            self._archive.add_record(record, self._terms, lambda program: self._winning(program, task))
            if monotonic() - self._committed >= BETWEEN_COMMITS:
                self._commit()

    def _commit(self) -> None:
        assert self._archive is not None
        assert self._presence is not None
        self._presence.require()
        self._archive.commit()
        self._committed = monotonic()

    def _attempt(self, action: Callable[[], None]) -> None:
        """Act, and keep the first error."""
        try:
            action()
        except (ArcbattError, OSError) as error:
            self._error = self._error or error

    def finish(self, summary: dict[str, Any]) -> None:
        """Write the summary, and commit what is left; errors are kept."""
        with undisturbed():
            if self._error is None and self._json is not None:
                json = self._json
                self._attempt(lambda: json.finish(summary))
            self._close()

    def require_written(self) -> None:
        """Raise the error if something could not be written."""
        if self._error is not None:
            raise self._error

    def _close(self) -> None:
        """Commit what is left, and close the files."""
        archive, json, self._archive, self._json = self._archive, self._json, None, None
        if json is not None:
            self._attempt(json.close)
        if archive is not None:
            if self._presence is not None and self._error is None:
                self._attempt(self._presence.require)
            self._attempt(archive.close)

    def __enter__(self) -> "Outlet":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._close()
