"""Results in an archive, written as they come, with the marks of differs and the progress of the run."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from struct import Struct
from time import monotonic
from typing import Any

from arcbatt.archive.archive import Archive
from arcbatt.archive.rows.tasks import digest_of_task
from arcbatt.archive.terms import Terms, digest_of
from arcbatt.engine.records.record import Record
from arcbatt.engine.scoring.tally import NO_MARKS, Marks
from arcbatt.errors import ArcbattError
from arcbatt.files import Presence
from arcbatt.program.graph import Program
from arcbatt.results.result_keys import WantedResults
from arcbatt.results.run_description import OutputsLost, RunDescription
from arcbatt.tasks import Task

BETWEEN_COMMITS = 0.5  # seconds; with a chunk that is under way it is less than one second
ROW = Struct("<16sqq")  # a solver, the sum and the number of its marks
PUT_MARKS = """
INSERT INTO marks (differs, task, portion, marks) VALUES (?, ?, ?, ?)
ON CONFLICT (differs, task, portion) DO UPDATE SET marks = excluded.marks
"""


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


class RunProgress:
    """Counts the results of a run, and writes their number into its row.

    A run is found by its settings, its programs and its tasks: where it goes on, the row is the same.
    """

    def __init__(
        self, archive: Archive, kind: str, settings: Mapping[str, Any], wanted: WantedResults
    ) -> None:
        programs = {id(program): program for task in wanted.tasks for program in wanted.solvers[task.id]}
        identity: dict[str, Any] = {
            "programs": len(programs),
            "tasks": len(wanted.tasks),
            "content": wanted.keys.of_all(programs.values(), wanted.tasks),
        }
        if wanted.tasks:
            identity |= {"first": wanted.tasks[0].id, "last": wanted.tasks[-1].id}
        self._run = archive.run(kind, identity | dict(settings))
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


class StoredMarks:
    """The marks of solvers on tasks by some differs, of which a digest is given: a row for each portion."""

    def __init__(self, archive: Archive, differs: str) -> None:
        self._connection, self._differs = archive.connection, bytes.fromhex(differs)
        self._waiting: list[tuple[bytes, ...]] = []

    def add(self, task: Task, marks: Mapping[Program, Marks]) -> None:
        """Add the marks of some solvers, to be written with the next commit."""
        rows = b"".join(ROW.pack(_identity(program), *given) for program, given in marks.items())
        if rows:  # a portion is known by its first solver
            self._waiting.append((self._differs, digest_of_task(task), rows[:16], rows))

    def write(self) -> None:
        """Write what waits, inside a transaction."""
        self._connection.execute_many(PUT_MARKS, self._waiting)
        self._waiting = []

    def of(self, task: Task) -> dict[bytes, Marks]:
        """The marks of solvers on a task, by their identity."""
        found: dict[bytes, Marks] = {}
        for (rows,) in self._connection.rows(
            "SELECT marks FROM marks WHERE differs = ? AND task = ? ORDER BY portion",
            (self._differs, digest_of_task(task)),
        ):
            if not isinstance(rows, bytes) or len(rows) % ROW.size:
                raise ArcbattError(
                    f"the marks of task {task.id} in the archive are damaged; take a new archive"
                )
            found |= {identity: Marks(total, count) for identity, total, count in ROW.iter_unpack(rows)}
        return found

    def chosen(self, task: Task, programs: Iterable[Program]) -> dict[int, Marks]:
        """The marks of those of the programs that have some, by the ids of the objects."""
        known = self.of(task)
        return {
            id(program): known[identity] for program in programs if (identity := _identity(program)) in known
        }


def _identity(program: Program) -> bytes:
    """A solver in its batt: equal ones under two names may have differs of their own."""
    return blake2b(f"{program.hash} {program.name}".encode(), digest_size=16).digest()
