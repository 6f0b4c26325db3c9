"""`Archive`: programs, tasks, results and runs in one database, which several processes may share."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, get_args

from arcbatt.archive import export as exporting
from arcbatt.archive import importing, queries
from arcbatt.archive.check import CheckFindings, check
from arcbatt.archive.connection import PATIENCE, ArchiveError, Connection
from arcbatt.archive.export import Form
from arcbatt.archive.importing import ImportResult
from arcbatt.archive.merging import merge_archive
from arcbatt.archive.rows.programs import StoredProgram
from arcbatt.archive.rows.results import StoredResult
from arcbatt.archive.runs import Run
from arcbatt.archive.scores import add_scores, find_score
from arcbatt.archive.terms import Terms, storable
from arcbatt.archive.writing import Outputting, RowWriter
from arcbatt.arguments import (
    listed,
    require_callable,
    require_count,
    require_flags,
    require_kind,
    require_one_of,
    require_path,
    require_seconds,
    require_text,
    shown,
)
from arcbatt.engine.backend import RunOptions
from arcbatt.engine.records.record import Record
from arcbatt.engine.records.verdicts import Outputs
from arcbatt.engine.results import Results
from arcbatt.engine.scoring.scores import Score, Scorer, Scores
from arcbatt.errors import ArcbattError, ResultMissing
from arcbatt.files import whole_file
from arcbatt.notices import tell
from arcbatt.program.folders import FolderForm
from arcbatt.program.graph import A_PROGRAM, Program, ProgramKind, Style
from arcbatt.rendered import Rendered, Tabular
from arcbatt.tasks import Task
from arcbatt.tasks.intake import GivenTasks, task_of, tasks_of
from arcbatt.text import plural, shorten

A_TERMS = "terms; arcbatt.Terms(...) makes them"
Asked = Program | StoredProgram | StoredResult | str  # what a program is asked for by
BETWEEN_COMMITS = 1.0  # seconds that `settle` waits after a commit


class Archive(Rendered, Tabular):
    """An archive: one SQLite file with programs, tasks, results and runs.

    Writes gather in memory. `commit` puts them into the file in one transaction, which is there whole or not
    at all whatever happens to the process; `settle` does so if the last commit is a second old. Queries see
    what is committed. At the end of a `with` block all is committed, and the file is closed.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> programs = parse_programs("def a(I): return rot90(I)\\ndef b(I): return vmirror(I)")
    >>> task = load_tasks("67a3c6ac")[0]
    >>> with Archive(f"{folder.name}/mine.db") as archive:
    ...     archive.add(run(programs, task, "all", partial_scores=True))
    ...     archive.best("67a3c6ac")
    [<b on 67a3c6ac: solved, 1 line>, <a on 67a3c6ac: 0 exact, score 575.0, 1 line>]
    >>> folder.cleanup()
    """

    def __init__(
        self, path: str | os.PathLike[str], *, readonly: bool = False, patience: float = PATIENCE
    ) -> None:
        require_path("path", path)
        require_flags(readonly=readonly)
        require_seconds("patience", patience, is_more_than_0=False)
        self.path = os.fspath(path)
        self.connection = Connection(self.path, readonly, patience)
        self.writer = RowWriter(self.connection)
        self._last_commit = monotonic()

    # Writing

    def add_programs(
        self, programs: Iterable[Program], parents: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """Add programs; `parents` has for the hash of a program the hashes of those it was made of.

        The text of `program.changes` is kept as the mutation. A score of the historical form is kept as the
        share of the samples of its task, if the task is published; else it is left out.
        """
        by_hash = {} if parents is None else parents
        require_kind(by_hash, Mapping, "mapping of parents, by the hash of a program")
        for program in listed(programs, Program, A_PROGRAM):
            mutation = "; ".join(map(str, program.changes))
            known = [(parent, mutation) for parent in by_hash.get(program.hash, ())]
            task_id = program.task_id or ""
            kept = None if program.kept is None else importing.in_our_form(program.kept, task_id)
            places = [] if kept is None else [(task_id, kept.score, kept.time)]
            self.writer.add_program(program, known, places)

    def add(self, results: Results) -> None:
        """Add all that a run has found, and commit.

        Give `run` the option `partial_scores` to have scores in the archive; else they are unknown.
        """
        require_kind(results, Results, "results of a run; arcbatt.run(...) makes them")
        terms = Terms.of_run(results.options or RunOptions(), results.whole)
        for record in results.records.values():
            winners = partial(_outputs, results, record.task)
            self.add_record(record, terms, winners)
            self.settle()
        self.commit()

    def add_record(self, record: Record, terms: Terms, outputs: Outputting | None = None) -> None:
        """Add all solvers of a record with their results on its task, and the partial scores if it has any.

        `outputs` gives the outcomes of a program on the samples of the task. It is called for winners only,
        and only if the task has samples without a known output.
        """
        require_kind(record, Record, "record of results; arcbatt.run(...).records has them")
        require_kind(terms, Terms, A_TERMS)
        self.writer.add_record(record, terms, outputs)

    def commit(self) -> None:
        """Put all that was added since the last commit into the file, in one transaction.

        If that fails, what was committed before is kept, and what was added waits for the next commit.
        """
        if self.writer.pending:
            self.commit_with(lambda: True)
        self._last_commit = monotonic()

    def commit_with(self, also: Callable[[], bool]) -> bool:
        """Commit, with what `also` writes; if it returns False, nothing is kept of either."""
        require_callable("also", also)
        self._last_commit = monotonic()
        try:
            with self.connection.transaction():
                self.writer.write()
                if not also():
                    raise _TooLate
        except _TooLate:
            self.writer.forget()
            self.writer.done()
            return False
        except BaseException:
            self.writer.forget()
            raise
        self.writer.done()
        self._last_commit = monotonic()
        return True

    def settle(self) -> bool:
        """Commit if the last commit was a second ago or longer; whether it did."""
        if monotonic() - self._last_commit < BETWEEN_COMMITS:
            return False
        self.commit()
        return True

    def run(self, kind: str, settings: dict[str, Any]) -> Run:
        """The run of this kind with these settings, which are plain data; it is new, or goes on."""
        require_text("kind", kind)
        return Run(self, storable("the kind of a run", kind), settings)

    # Scores by differs

    def add_scores(self, scores: Scores) -> None:
        """Add scores by differs and commit, each after its program got the same one alone."""
        require_kind(scores, Scores, "scores; arcbatt.batt.scoring.score(...) makes them")
        add_scores(self.writer, scores, scores.scorer)
        self.commit()

    def find_score(self, program: Program, task: GivenTasks, scorer: Scorer) -> Score | None:
        """The stored score of a program on a task with the settings of a scorer, if there is one."""
        require_kind(program, Program, A_PROGRAM)
        require_kind(scorer, Scorer, "scorer; that of scores is scores.scorer")
        return find_score(self.connection, program, task_of(task), scorer)

    # Questions

    def best(
        self, task: GivenTasks, count: int = 10, *, terms: Terms | None = None, blind: bool = False
    ) -> list[StoredResult]:
        """The best programs of a task: what solves it first, then by exact demo samples, score and size.

        A task is given by itself or by its id. With `blind` the order does not depend on test samples.
        """
        asked = _task_or_id(task)
        require_flags(blind=blind)
        require_count("count", count, 1)
        if terms is not None:
            require_kind(terms, Terms, A_TERMS)
        return queries.best(self.connection, asked, count, terms, blind)

    def solved(self) -> dict[str, StoredResult]:
        """The best winner of each solved task, by the id of the task."""
        return queries.solved(self.connection)

    def overview(self) -> list[queries.TaskSummary]:
        """The tasks with the numbers of their results and winners, and the best result of each."""
        return queries.overview(self.connection)

    def generalists(self, at_least: int = 2) -> list[tuple[StoredProgram, tuple[str, ...]]]:
        """The programs that solve several tasks, with the ids of these; those that solve most first."""
        require_count("at_least", at_least, 1)
        return queries.generalists(self.connection, at_least)

    def lineage(self, program: Asked) -> list[queries.Ancestor]:
        """A program and those it was made of, with the mutations, back to the first that are known."""
        return queries.lineage(self.connection, self.program(program))

    def kept(self, program: Asked) -> list[queries.KeptRow]:
        """The scores and times that a program was imported with, from kept populations."""
        return queries.kept(self.connection, self.program(program))

    def children(self, program: Asked) -> list[StoredProgram]:
        """The programs that were made of a program."""
        return queries.children(self.connection, self.program(program))

    def program(self, asked: Asked) -> StoredProgram:
        """A program: by itself, a result of it, its hash or six digits or more of it, or its name."""
        found = self.find(asked)
        if found is None:
            told = asked if isinstance(asked, str) else asked.name
            raise ResultMissing(f"{self.path}: there is no program {shorten(told)} in this archive")
        return found

    def read_or_tell(self, stored: StoredProgram) -> Program | None:
        """The program of a row; None after a message on standard error if it cannot be read."""
        require_kind(stored, StoredProgram, "row of a program; `programs` of an archive gives them")
        try:
            return stored.program
        except ArcbattError as error:
            tell(f"{self.path}: left out: {error}")
            return None

    def find(self, asked: Asked) -> StoredProgram | None:
        """A program as `program` takes it, or None if it is not there."""
        if isinstance(asked, StoredResult):
            asked = asked.stored
        if not isinstance(asked, Program | StoredProgram | str):
            raise ArcbattError(f"{shown(asked)} is no program; give its hash or its name, or a program")
        return queries.program(self.connection, asked)

    def programs(
        self, *, kind: ProgramKind | None = None, name: str | None = None
    ) -> Iterator[StoredProgram]:
        """The programs, in the order of their names: all, those of a kind, those with a name."""
        if kind is not None:
            require_one_of("kind", kind, get_args(ProgramKind))
        if name is not None:
            require_text("name", name)
        return queries.programs(self.connection, kind, name)

    def results(
        self,
        program: Asked | None = None,
        task: GivenTasks | None = None,
        *,
        solved: bool = False,
    ) -> Iterator[StoredResult]:
        """The results of a program, of a task, of both, or all; with `solved` those of winners alone."""
        require_flags(solved=solved)
        asked = None if task is None else _task_or_id(task)
        stored = None if program is None else self.program(program)
        return queries.results(self.connection, stored, asked, solved)

    def runs(self) -> list[queries.RunSummary]:
        """The runs that have written to the archive, and how far each got."""
        return queries.runs(self.connection)

    def tasks(self) -> list[Task]:
        """The tasks that results are there for."""
        return queries.tasks(self.connection)

    def known(
        self, task: GivenTasks, terms: Terms, programs: Iterable[Program], *, scored: bool = False
    ) -> queries.StoredResults:
        """The stored results of programs on a task, and the programs that have none under these terms.

        With `scored` results without partial scores count as missing.
        """
        require_kind(terms, Terms, A_TERMS)
        require_flags(scored=scored)
        asked = listed(programs, Program, A_PROGRAM)
        return queries.known(self.connection, task_of(task), terms, asked, scored)

    # Exchange

    def export(
        self,
        file: str | os.PathLike[str],
        form: Form = "json",
        *,
        task: str | None = None,
        solved: bool = False,
        count: int | None = None,
        style: Style = "vectorized",
        scores: FolderForm = "mean",
    ) -> list[str]:
        """Write the archive to a file: as JSON lines, a solver file, a batt, or a kept folder.

        `task` chooses the programs with results on a task, `solved` those that solve a task, `count` the best
        so many of each task. With `scores` "sum" a folder has the form of older tools. JSON lines are
        canonical: archives of equal content give equal bytes. Sources
        are written from the programs that were read. A program that cannot be read is left out; the result
        has the reasons.
        """
        require_path("file", file)
        require_flags(solved=solved)
        require_one_of("style", style, get_args(Style))
        require_one_of("form", form, get_args(Form))
        require_one_of("scores", scores, get_args(FolderForm))
        if count is not None:
            require_count("count", count, 1)
            if form == "json":
                raise ArcbattError("count goes with programs, not with JSON lines; leave it out")
        if task is not None:
            require_text("task", task)
        name, choice, refused = os.fspath(file), exporting.ExportFilter(task, solved, count), list[str]()
        with self.connection.snapshot():
            if task is not None and not queries.task_ids(self.connection, task):
                raise ResultMissing(f"{self.path}: there is no task {shorten(task)} in this archive")
            if form == "folder":
                exporting.kept_folder(self.connection, choice, name, scores, refused)
                return refused
            with whole_file(name) as out:
                out.writelines(exporting.text(self.connection, choice, form, style, refused))
        return refused

    def import_file(self, path: str | os.PathLike[str], tasks: GivenTasks = ()) -> ImportResult:
        """Import and commit a solver file, a batt, a kept population, or JSON lines; says what came of it.

        JSON lines are those of `export`, of a score file, or of `run --json`, whose programs must be in the
        archive. Tasks that are named there are the given ones, or published ones.
        """
        require_path("path", path)
        return importing.import_file(self, path, tasks_of(tasks).tasks)

    def merge(self, *others: "str | os.PathLike[str] | Archive") -> None:
        """Add the programs, tasks, results and lineage of other archives; their runs stay with them."""
        self.commit()
        for opened in [self._opened_beside(other) for other in others]:  # a wrong one costs no work
            merge_archive(self.connection, opened)

    def _opened_beside(self, other: "str | os.PathLike[str] | Archive") -> Connection:
        """Another archive, which was opened, brought to the newest version, and closed."""
        if isinstance(other, Archive):
            other.commit()
            other = other.path
        require_path("an archive to merge", other)
        opened = Connection(os.fspath(other), readonly=True)
        opened.close()
        if Path(other).samefile(self.path):
            raise ArcbattError(f"{self.path}: an archive cannot be merged into itself")
        return opened

    def check(self, *, replay: bool = False) -> CheckFindings:
        """Check the database and all rows; with `replay` the winners run again."""
        require_flags(replay=replay)
        with self.connection.snapshot():
            return check(self.connection, replay)

    def __len__(self) -> int:
        row = self.connection.one("SELECT count(*) FROM programs")
        return 0 if row is None else int(row[0])

    def __iter__(self) -> Iterator[StoredProgram]:
        return self.programs()

    def __contains__(self, program: object) -> bool:
        if not isinstance(program, Asked):
            return False
        return self.find(program) is not None

    def __repr__(self) -> str:
        try:
            row = self.connection.one("SELECT count(*) FROM tasks")
        except ArcbattError:
            return f"<archive {self.path}, closed>"
        return (
            f"<archive {self.path}: {plural(len(self), 'program')}, {plural(row[0] if row else 0, 'task')}>"
        )

    # The end

    def close(self) -> None:
        """Commit, and close the file."""
        try:
            if self.writer.pending:
                self.commit()
        finally:
            self.connection.close()

    def __enter__(self) -> "Archive":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except ArchiveError:
            if error is None:
                raise


def _task_or_id(task: GivenTasks) -> Task | str:
    """A task that a question is about; an id asks for all tasks that have it."""
    return task if isinstance(task, str) else task_of(task)


def _outputs(results: Results, task: Task, program: Program) -> Outputs:
    return results[program, task].outputs


class _TooLate(Exception):
    """Ends a transaction of a step that another process has done already."""
