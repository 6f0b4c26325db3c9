"""Findings from the results of a run, or of a search, that are in memory."""

from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Any

from arcbatt.dsl.contract import NO_SCORE
from arcbatt.engine.records.record import Record
from arcbatt.engine.results import Results
from arcbatt.engine.run import run
from arcbatt.search.solve.solution import Solution, TaskAnswers
from arcbatt.view.report.findings import NO_MEAN, ReportFindings, TaskFindings, pattern_of


def of_results(results: Results, title: str) -> ReportFindings:
    """The findings of a run."""
    findings = ReportFindings(title, "run", results.summary())
    if results.options is not None:
        findings.on_failure, findings.limits = results.options.on_failure, results.options.limits
    for record in results.records.values():
        if record.programs:
            findings.tasks.append(task_of_record(findings, record))
    return findings


def task_of_record(findings: ReportFindings, record: Record) -> TaskFindings:
    """A task with the solvers of a record."""
    task = record.task
    told = TaskFindings(task.id, len(task.demo), len(task.test), task)
    scores = demo_scores(record)
    for outcome, score in zip(record.outcomes(), scores):
        if outcome.program.kind == "solver":
            findings.add(told, findings.number_of_program(outcome.program), pattern_of(outcome), score)
    return told


def demo_scores(record: Record) -> list[int]:
    """For each program of a record the mean partial score of the demo samples, or `NO_MEAN`."""
    samples, demo = len(record.task.samples), len(record.task.demo)
    parts = memoryview(record.scores).cast("i")
    rows = (parts[start : start + demo].tolist() for start in range(0, len(parts), max(1, samples)))
    return [sum(row) // demo if row and NO_SCORE not in row else NO_MEAN for row in rows]


def of_solution(solution: Solution, title: str) -> ReportFindings:
    """The findings of a search."""
    return of_answers(solution.found.values(), solution.summary(), title)


def of_answers(found: Iterable[TaskAnswers], summary: Mapping[str, Any], title: str) -> ReportFindings:
    """The findings of a search: its programs run again, to tell what they do on each sample."""
    findings = ReportFindings(title, "solve", dict(summary))
    for each in found:
        task = each.task
        told = TaskFindings(task.id, len(task.demo), len(task.test), task, each.seconds)
        programs = [answer.program for answer in sorted(each.answers, key=attrgetter("rank"))]
        if programs:
            record = run(programs, task, "all", partial_scores=True).records[task.id]
            told = task_of_record(findings, record)
            told.seconds, told.is_ranked = each.seconds, True
        findings.tasks.append(told)
    return findings
