"""`ResultWriter`: writes the results of a run as they come, and knows those of earlier runs."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from arcbatt.archive.terms import Terms
from arcbatt.engine.records.record import Record
from arcbatt.engine.scoring.tally import NO_MARKS, Marks
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Program
from arcbatt.results.files import Files
from arcbatt.results.result_keys import Keys, WantedResults
from arcbatt.results.result_lines import ResultLines
from arcbatt.results.run_description import RunDescription
from arcbatt.signals import defer_interrupts
from arcbatt.tasks import Task

if TYPE_CHECKING:
    from arcbatt.results.archive_results import ArchiveResults


def _archive(file: str, wanted: WantedResults, terms: Terms, description: RunDescription) -> "ArchiveResults":
    from arcbatt.results.archive_results import ArchiveResults  # an import that many runs do without

    return ArchiveResults(file, wanted, terms, description)


class WritingStopped(KeyboardInterrupt):
    """Ends a run whose results cannot be written, with the results so far.

    Whatever runs programs takes it for Ctrl-C: `run` raises `Interrupted`, and worker processes end.
    """


class ResultWriter:
    """Writes the results of a run as they come: as lines of JSON, to an archive, to both, or nowhere.

    `add` takes a record. Lines are written at once, results are committed to the archive twice a second. If
    either fails, the error is kept for `require_written`, and WritingStopped ends the run: results so far can
    be shown. `known` gives results of earlier runs, with `resume`: those of the archive if there is one,
    else those of the lines.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        solvers: dict[str, Sequence[Program]],
        terms: Terms,
        description: RunDescription,
        files: Files,
    ) -> None:
        self._description, self._resume = description, files.resume
        self._error: ArcbattError | OSError | None = None
        wanted = WantedResults(tasks, solvers, Keys(terms, description.differs))
        self._archive = None if files.archive is None else _archive(files.archive, wanted, terms, description)
        self._json: ResultLines | None = None
        try:
            if files.json is not None:
                self._json = ResultLines(files.json, wanted, files.resume, description.loses_samples)
        except BaseException:
            if self._archive is not None:
                self._archive.close()
            raise

    def known(self, task: Task, programs: Sequence[Program]) -> Record | None:
        """The record of the programs whose results on a task are known; None if there are none."""
        return self.known_with_marks(task, programs)[0]

    def known_with_marks(self, task: Task, programs: Sequence[Program]) -> tuple[Record | None, Marks]:
        """The same, and the marks that differs gave to the outputs of these programs."""
        if not self._resume or self._error is not None:
            return None, NO_MARKS
        found: list[tuple[Record, Marks]] = []
        with defer_interrupts():
            self._attempt(lambda: found.append(self._known(task, programs)))
        if self._error is not None:
            raise WritingStopped(str(self._error)) from self._error
        return found[0] if found[0][0].programs else (None, NO_MARKS)

    def _known(self, task: Task, programs: Sequence[Program]) -> tuple[Record, Marks]:
        if self._archive is None:
            assert self._json is not None
            record, marks = self._json.known(task, programs)
        else:
            record, marks = self._archive.known(task, programs)
            if self._json is not None:
                self._json.add(task, self._description.lines(record))
        return record, Marks(sum(each.total for each in marks), sum(each.number for each in marks))

    def add(self, record: Record) -> None:
        """Write the results of some programs on a task."""
        if self._error is not None:
            return
        with defer_interrupts():
            self._attempt(lambda: self._add(record))
        if self._error is not None:
            raise WritingStopped(str(self._error)) from self._error

    def _add(self, record: Record) -> None:
        if not record.programs:
            return
        if self._json is not None:
            self._json.add(record.task, self._description.lines(record))
        if self._archive is not None:
            self._archive.add(record)

    def _attempt(self, action: Callable[[], None]) -> None:
        """Act, and keep the first error."""
        try:
            action()
        except (ArcbattError, OSError) as error:
            self._error = self._error or error

    def finish(self, summary: dict[str, Any]) -> None:
        """Commit what is left, and write the summary; errors are kept.

        Whoever finds the summary after a kill finds all results in the archive, too.
        """
        with defer_interrupts():
            self._close_archive()
            if self._error is None and self._json is not None:
                json = self._json
                self._attempt(lambda: json.finish(summary))
            self._close()

    def require_written(self) -> None:
        """Raise the error if something could not be written."""
        if self._error is not None:
            raise self._error

    def _close_archive(self) -> None:
        """Commit what is left, and close the archive."""
        if self._archive is not None:
            self._attempt(self._archive.commit)
            self._attempt(self._archive.close)
        self._archive = None

    def _close(self) -> None:
        """Commit what is left, and close the files."""
        self._close_archive()
        if self._json is not None:
            self._attempt(self._json.close)
        self._json = None

    def __enter__(self) -> "ResultWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
