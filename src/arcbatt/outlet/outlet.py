"""`Outlet`: where the results of a run go as they come, and what is known of them before they run."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any

from arcbatt.archive.terms import Terms, digest_of
from arcbatt.batt.breeding.tally import NO_MARKS, Marks
from arcbatt.engine.results import Outputs, Record
from arcbatt.errors import ArcbattError
from arcbatt.files import Presence
from arcbatt.outlet.files import Files
from arcbatt.outlet.known_lines import Keys, Work
from arcbatt.outlet.run_progress import RunProgress
from arcbatt.outlet.stored_marks import StoredMarks
from arcbatt.program.graph import Program
from arcbatt.signals import undisturbed
from arcbatt.tasks import Task

if TYPE_CHECKING:
    from arcbatt.archive.archive import Archive
    from arcbatt.outlet.json_lines import JsonLines

BETWEEN_COMMITS = 0.5  # seconds; with a portion that is under way it is less than one second

# The lines of JSON of a record: each solver with plain data.
Lines = Callable[[Record], Iterable[tuple[Program, dict[str, Any]]]]
Winning = Callable[[Program, Task], Outputs]
Marking = Callable[[Record], dict[Program, Marks]]


@dataclass(frozen=True)
class Telling:
    """What a run tells of a record: lines of JSON, the outputs of a winner, the marks of differs.

    `differs` is a digest of the differs, if there are any: marks belong to them. With `loses_samples` a lost
    sample is lost for all programs of its task, else for one. The archive tells of the run by `command`,
    and by `settings` besides programs, tasks and terms.
    """

    command: str
    lines: Lines
    winning: Winning
    marking: Marking | None = None
    differs: str = ""
    loses_samples: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)


class OutputsLost(ArcbattError):
    """A winner that runs again for its outputs, and has none: a limit of time or memory came first."""


def _archive(file: str) -> "Archive":
    from arcbatt.archive.archive import Archive  # an import that most runs do without

    return Archive(file)


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
        telling: Telling,
        files: Files,
    ) -> None:
        self._terms, self._telling, self._resume = terms, telling, files.resume
        self._error: ArcbattError | OSError | None = None
        self._archive = _archive(files.archive) if files.archive is not None else None
        self._presence = Presence(files.archive) if files.archive is not None else None
        self._marks: StoredMarks | None = None
        if self._archive is not None and telling.marking is not None:
            self._marks = StoredMarks(self._archive, digest_of(f"{telling.differs} {terms.digest}"))
        self._progress: RunProgress | None = None
        self._committed = monotonic()
        try:
            work = Work(tasks, solvers, Keys(terms, telling.differs))
            if self._archive is not None:
                settings = {**telling.settings, "terms": terms.settings}
                self._progress = RunProgress(self._archive, telling.command, settings, work)
            self._json = self._lines_of(files, work, telling)
        except BaseException:
            if self._archive is not None:
                self._archive.close()
            raise

    @staticmethod
    def _lines_of(files: Files, work: Work, telling: Telling) -> "JsonLines | None":
        if files.json is None:
            return None
        from arcbatt.outlet.json_lines import JsonLines

        return JsonLines(files.json, work, files.resume, telling.loses_samples)

    def known(self, task: Task, programs: Sequence[Program]) -> Record | None:
        """The record of the programs whose results on a task are known; None if there are none."""
        return self.known_with_marks(task, programs)[0]

    def known_with_marks(self, task: Task, programs: Sequence[Program]) -> tuple[Record | None, Marks]:
        """The same, and the marks that differs gave to the outputs of these programs."""
        if not self._resume or self._error is not None:
            return None, NO_MARKS
        found: list[tuple[Record, Marks]] = []
        with undisturbed():
            self._attempt(lambda: found.append(self._known(task, programs)))
        if self._error is not None:
            raise KeyboardInterrupt
        return found[0] if found[0][0].programs else (None, NO_MARKS)

    def _known(self, task: Task, programs: Sequence[Program]) -> tuple[Record, Marks]:
        if self._archive is None:
            assert self._json is not None
            record, marks = self._json.known(task, programs)
        else:
            given = {} if self._marks is None else self._marks.chosen(task, programs)
            if self._marks is not None:
                programs = [program for program in programs if id(program) in given]
            asked = self._distinct(programs)
            record = self._archive.known(task, self._terms, asked, scored=True).record
            marks = [given.get(id(program), NO_MARKS) for program in record.programs]
            if self._progress is not None:
                self._progress.count(record)
            if self._json is not None:
                self._json.add(task, self._telling.lines(record))
        return record, Marks(sum(each.total for each in marks), sum(each.number for each in marks))

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
            self._json.add(record.task, self._telling.lines(record))
        if self._archive is not None:
            task, winning = record.task, self._telling.winning
            try:
                self._archive.add_record(record, self._terms, lambda program: winning(program, task))
            except OutputsLost:
                self._archive.add_record(record, self._terms)
            if self._marks is not None and self._telling.marking is not None:
                self._marks.add(record.task, self._telling.marking(record))
            if self._progress is not None:
                self._progress.count(record)
            if monotonic() - self._committed >= BETWEEN_COMMITS:
                self._commit()

    def _commit(self) -> None:
        assert self._archive is not None
        assert self._presence is not None
        self._presence.require()
        self._archive.commit_with(self._write_rest)
        self._committed = monotonic()

    def _write_rest(self) -> bool:
        """Write marks and progress, inside the transaction of the results."""
        for part in (self._marks, self._progress):
            if part is not None:
                part.write()
        return True

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
        if self._json is not None:
            self._attempt(self._json.close)
        if self._archive is not None:
            self._attempt(self._commit)
            self._attempt(self._archive.close)
        self._json = self._archive = None

    def __enter__(self) -> "Outlet":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._close()
