"""Results in an archive, written as they come, with the marks of differs and the progress of the run."""

from collections import Counter
from collections.abc import Sequence
from time import monotonic

from arcbatt.archive.archive import Archive
from arcbatt.archive.terms import Terms, digest_of
from arcbatt.engine.records.record import Record
from arcbatt.engine.scoring.tally import NO_MARKS, Marks
from arcbatt.files import Presence
from arcbatt.program.graph import Program
from arcbatt.results.result_keys import WantedResults
from arcbatt.results.run_description import OutputsLost, RunDescription
from arcbatt.results.run_progress import RunProgress
from arcbatt.results.stored_marks import StoredMarks
from arcbatt.tasks import Task

BETWEEN_COMMITS = 0.5  # seconds; with a portion that is under way it is less than one second


class ArchiveResults:
    """The results of a run in an archive, which are committed twice a second."""

    def __init__(self, file: str, wanted: WantedResults, terms: Terms, description: RunDescription) -> None:
        self._terms, self._description = terms, description
        self._archive = Archive(file)
        try:
            self._presence = Presence(file)
            settings = {**description.settings, "terms": terms.settings}
            self._progress = RunProgress(self._archive, description.command, settings, wanted)
        except BaseException:
            self._archive.close()
            raise
        self._marks: StoredMarks | None = None
        if description.marking is not None:
            self._marks = StoredMarks(self._archive, digest_of(f"{description.differs} {terms.digest}"))
        self._committed = monotonic()

    def known(self, task: Task, programs: Sequence[Program]) -> tuple[Record, list[Marks]]:
        """The record of the programs whose results on a task are there, and their marks."""
        given: dict[int, Marks] = {}
        if self._marks is not None:
            given = self._marks.chosen(task, programs)
            programs = [program for program in programs if id(program) in given]
        record = self._archive.known(task, self._terms, self._distinct(programs), scored=True).record
        self._progress.count(record)
        return record, [given.get(id(program), NO_MARKS) for program in record.programs]

    def _distinct(self, programs: Sequence[Program]) -> Sequence[Program]:
        """In mode `pile`, where equal programs may differ in their results, those that stand in one line."""
        if self._terms.batt is None:
            return programs
        counts = Counter(program.root for program in programs)
        return [program for program in programs if counts[program.root] == 1]

    def add(self, record: Record) -> None:
        """Add the results of some programs on a task; they are committed now or soon."""
        task, winning, marking = record.task, self._description.winning, self._description.marking
        try:
            self._archive.add_record(record, self._terms, lambda program: winning(program, task))
        except OutputsLost:
            self._archive.add_record(record, self._terms)
        if self._marks is not None and marking is not None:
            self._marks.add(task, marking(record))
        self._progress.count(record)
        if monotonic() - self._committed >= BETWEEN_COMMITS:
            self.commit()

    def commit(self) -> None:
        """Commit what was added, with marks and progress, in one transaction."""
        self._presence.require()
        self._archive.commit_with(self._write_rest)
        self._committed = monotonic()

    def _write_rest(self) -> bool:
        if self._marks is not None:
            self._marks.write()
        self._progress.write()
        return True

    def close(self) -> None:
        """Close the archive."""
        self._archive.close()
