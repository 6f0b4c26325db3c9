"""Findings from an archive: its results, the lineage of its programs, the times of kept ones, its runs."""

from functools import lru_cache

from arcbatt.archive import queries
from arcbatt.archive.archive import Archive
from arcbatt.archive.rows.programs import StoredProgram
from arcbatt.archive.rows.results import StoredResult, terms_from_text
from arcbatt.archive.rows.tasks import digest_of_task
from arcbatt.dsl.limits import Limits
from arcbatt.engine.backend import FailureMode
from arcbatt.errors import ArcbattError
from arcbatt.tasks import Task
from arcbatt.view.report.findings import (
    NO_MEAN,
    KeptTime,
    LineageStep,
    ReportFindings,
    Subject,
    TaskFindings,
    pattern_of_verdicts,
)
from arcbatt.view.terminal.archive_report import done_text, run_text

DIGITS = 6  # of the digest of a task that shares its id with another


def of_archive(archive: Archive, title: str) -> ReportFindings:
    """The findings of an archive; of several results of a program on a task only the best."""
    findings = ReportFindings(title, "archive")
    findings.runs = [(run.kind, done_text(run), run_text(run.settings)) for run in archive.runs()]
    settings: set[tuple[FailureMode, Limits]] = set()
    names: set[str] = set()
    numbers: dict[tuple[str, str], int] = {}
    for task in archive.tasks():
        told = TaskFindings(_label(task, names), len(task.demo), len(task.test), task)
        seen: set[int] = set()
        for result in archive.results(task=task):
            stored = result.stored
            number = numbers.get((stored.name, stored.hash))
            if number is None:  # a program is read only once
                number = numbers[stored.name, stored.hash] = findings.number_of(_subject(stored))
            if number not in seen:
                seen.add(number)
                findings.add(told, number, pattern_of_verdicts(result.verdicts, task.samples), _score(result))
                settings.add(_settings(result.terms_text))
        if seen:
            findings.tasks.append(told)
    if not findings.tasks:
        raise ArcbattError(f"{title}: holds no results; `arcbatt run --archive FILE` adds some")
    if len(settings) == 1:
        ((findings.on_failure, findings.limits),) = settings
    else:
        findings.notes.append("Results have several settings; outputs are those of the usual ones.")
    _add_lineage(findings, archive)
    return findings


@lru_cache(1000)  # few of many results differ
def _settings(terms: str) -> tuple[FailureMode, Limits]:
    read = terms_from_text(terms)
    return read.on_failure, read.limits


def _label(task: Task, names: set[str]) -> str:
    """The id of a task, with a part of its digest if another one has the same id."""
    label = task.id if task.id not in names else f"{task.id} ({digest_of_task(task).hex()[:DIGITS]})"
    names.add(label)
    return label


def _subject(stored: StoredProgram) -> Subject:
    try:
        return Subject(stored.name, stored.hash, stored.source, stored.program)
    except ArcbattError as error:
        return Subject(stored.name, stored.hash, f"# {error}\n", None)


def _score(result: StoredResult) -> int:
    is_computed = result.scores is not None or result.mean is not None
    return round(result.score) if is_computed and result.score is not None else NO_MEAN


def _add_lineage(findings: ReportFindings, archive: Archive) -> None:
    """Add the parents of the programs, also of those without results, and the times of kept ones."""
    steps = list(queries.steps(archive.connection))
    related = {digest for child, parent, _ in steps for digest in (child, parent)}
    numbers = {subject.hash: number for number, subject in enumerate(findings.subjects)}
    for stored in archive.programs(kind="solver"):
        if stored.hash in related and stored.hash not in numbers:
            numbers[stored.hash] = findings.number_of(_subject(stored))
    findings.steps = [
        LineageStep(numbers[child], parent, mutation) for child, parent, mutation in steps if child in numbers
    ]
    findings.kept = [
        KeptTime(numbers[digest], task, score, time)
        for digest, task, score, time in queries.kept_times(archive.connection)
        if digest in numbers
    ]
