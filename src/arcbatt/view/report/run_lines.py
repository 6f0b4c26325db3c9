"""Findings from lines of JSON, as `run`, `run-batt` and `solve` write them."""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

from arcbatt.dsl.failures import KINDS
from arcbatt.errors import ArcbattError
from arcbatt.json_lines import BAD_DATA, FileLines, Row, is_summary, row_of
from arcbatt.program.graph import Program
from arcbatt.search.solve.solution import TaskAnswers, task_answers_from
from arcbatt.search.submit.sources import REFUSED_TASK
from arcbatt.tasks import Task
from arcbatt.view.report.findings import Pattern, ReportFindings, Subject, TaskFindings, letter_of
from arcbatt.view.report.matching import ProgramFinder, TaskFinder, notes
from arcbatt.view.report.results import of_answers

NO_SOURCE = (
    "is neither lines of JSON nor an archive; `arcbatt run --json FILE` and `arcbatt run --archive FILE` "
    "write such files"
)
JOINED = ("backend", "threads", "interrupted")  # what the summaries of joined files have in common
LETTERS = {verdict: letter_of(verdict) for verdict in (True, False, None)}


def of_lines(file: str, programs: Iterable[Program] | None, tasks: Iterable[Task] | None) -> ReportFindings:
    """The findings of a file of JSON lines; programs and tasks are among the given ones, or usual ones."""
    lines = _RunLines(file)
    rows = iter(lines)
    first = next((row for row in rows if not is_summary(row)), None)
    if first is None:
        raise ArcbattError(f"{file}: holds no results; `arcbatt run --json FILE` writes some")
    known = TaskFinder(tasks)
    if "answers" in first:
        findings = _of_search(lines, chain([first], rows), known)
    elif "demo" in first and "test" in first:
        findings = _of_run(lines, chain([first], rows), ProgramFinder(programs), known)
    elif "arcbatt" in first:
        raise ArcbattError(f"{file}: is an export of an archive; name the archive itself")
    else:
        lines.refuse("is no result of a run")
    findings.summary = lines.summary
    if "interrupted" in findings.summary or not findings.summary:
        findings.notes.insert(0, "The run was not finished: these are its results so far.")
    if lines.is_torn:
        findings.notes.insert(0, "The last line of the file is cut off and left out.")
    return findings


class _RunLines:
    """The lines of a file as plain data; its summaries, and whether the last line is cut off."""

    def __init__(self, file: str) -> None:
        self.file, self._reader = file, FileLines(file)
        self.summaries: list[Row] = []
        self.is_torn = False

    def __iter__(self) -> Iterator[Row]:
        if Path(self.file).exists() and not Path(self.file).is_file():
            raise ArcbattError(f"{self.file}: is no regular file; name a file of results, or an archive")
        for line in self._reader:
            row = self._row(line) if line.strip() else None
            if row is not None:
                yield row
        if not self._reader.number:
            raise ArcbattError(f"{self.file}: is empty; `arcbatt run --json FILE` writes results")

    def _row(self, line: bytes) -> Row | None:
        row = row_of(line)
        if row is None:
            if self._reader.number == 1:
                raise ArcbattError(f"{self.file}: {NO_SOURCE}")
            if line.endswith(b"\n"):
                self.refuse("is no line of JSON")
            self.is_torn = True
            return None
        if isinstance(row.get("summary"), dict):
            self.summaries.append(row["summary"])
        return None if row.keys() == REFUSED_TASK else row

    @property
    def summary(self) -> dict[str, Any]:
        """The summary of the run; where the files of several runs were joined, their times are added."""
        if len(self.summaries) < 2:
            return dict(self.summaries[0]) if self.summaries else {}
        seconds = [each.get("seconds") for each in self.summaries]
        whole = {key: value for each in self.summaries for key, value in each.items() if key in JOINED}
        return whole | {"seconds": sum(each for each in seconds if isinstance(each, int | float))}

    def refuse(self, what: str) -> NoReturn:
        """Refuse the line that was read last."""
        raise self._reader.refusal(what, "name a file that `arcbatt run --json` wrote")


def _of_run(
    lines: _RunLines, rows: Iterable[Row], programs: ProgramFinder, tasks: TaskFinder
) -> ReportFindings:
    reader = _RunReader(ReportFindings(Path(lines.file).name, "run"), programs, tasks)
    for row in rows:
        if not is_summary(row):
            try:
                reader.take(row)
            except BAD_DATA:
                lines.refuse("is no result of a run")
    return reader.finished()


class _RunReader:
    """Gathers the lines of `run` and `run-batt`: verdicts, with the programs and tasks they belong to."""

    def __init__(self, findings: ReportFindings, programs: ProgramFinder, tasks: TaskFinder) -> None:
        self._findings, self._programs, self._tasks = findings, programs, tasks
        self._by_id: dict[str, TaskFindings] = {}

    def take(self, row: Row) -> None:
        """Add the result that a line tells; one that is damaged raises an error."""
        pattern, task = _pattern(row), self._task(row)
        if len(pattern.exact) != task.demo + task.test:
            raise ValueError(pattern)
        name = str(row["program"])
        program = self._programs.find(name, task.task, str(row.get("key", "")))
        if program is None:
            number = self._findings.number_of(Subject(name))
        else:
            number = self._findings.number_of_program(program)
        self._findings.add(task, number, pattern)
        if "marks" in row:
            self._findings.kind = "run-batt"

    def _task(self, row: Row) -> TaskFindings:
        task_id = str(row["task"])
        found = self._by_id.get(task_id)
        if found is None:
            demo, test = len(row["demo"]), len(row["test"])
            found = TaskFindings(task_id, demo, test, self._tasks.find(task_id, demo, test))
            self._by_id[task_id] = found
        return found

    def finished(self) -> ReportFindings:
        """The findings, with the tasks in the order of the file."""
        self._findings.tasks = list(self._by_id.values())
        self._findings.on_failure = self._programs.on_failure
        self._findings.origin = self._programs.origin
        self._findings.notes = notes(self._programs, self._tasks)
        return self._findings


def _pattern(row: Row) -> Pattern:
    """The pattern of a line.

    >>> _pattern({"demo": [True, False], "test": [None], "failures": {"TYPE": 1}})
    Pattern(exact='10-', failures=(('TYPE', 1),), lost=0)
    """
    exact = "".join(LETTERS[verdict] for verdict in (*row["demo"], *row["test"]))
    told = row["failures"]
    failures = tuple((kind, int(told[kind])) for kind in KINDS if kind in told)
    return Pattern(exact, failures, int(row.get("lost", 0)))


def _of_search(lines: _RunLines, rows: Iterable[Row], tasks: TaskFinder) -> ReportFindings:
    """The findings of `solve`: its lines have the programs themselves.

    A search that was killed may have several lines of a task, of which the last counts.
    """
    answers: dict[str, TaskAnswers] = {}
    for row in rows:
        if is_summary(row):
            continue
        try:
            task = tasks.find_any(str(row["task"]))
            if task is not None:
                answers[task.id] = task_answers_from(task, row)
        except BAD_DATA:
            lines.refuse("is no task of a search, or one of other tasks than those at hand")
    findings = of_answers(answers.values(), {}, Path(lines.file).name)
    findings.notes = [f"{note} It is left out." for note in notes(ProgramFinder(()), tasks)]
    if not findings.tasks:
        raise ArcbattError(f"{lines.file}: none of its tasks is at hand; --tasks SPEC names them")
    return findings
