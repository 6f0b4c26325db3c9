"""Checks of an archive: the database itself, every row against its digest, and winners run again."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby, islice
from typing import Any

from arcbatt.archive.connection import DAMAGE, Connection
from arcbatt.archive.queries import program_of_row, result_of_row
from arcbatt.archive.rows.results import (
    TOLD,
    StoredResult,
    outputs_from_text,
    ranked,
    scores_of,
    terms_from_text,
)
from arcbatt.archive.rows.tasks import task_digest, task_from_text
from arcbatt.archive.terms import digest_of, language_version, terms_by_program
from arcbatt.dsl.table import TABLE
from arcbatt.engine.records.record import Outcome
from arcbatt.engine.run import run
from arcbatt.errors import ArcbattError
from arcbatt.json_lines import canonical
from arcbatt.tasks import Task
from arcbatt.text import plural, shorten

Row = tuple[Any, ...]
FAULTS_OF_DATABASE = 20  # that SQLite is asked for
ROWS_AT_ONCE = 50_000


@dataclass
class CheckFindings:
    """What a check has found: faults, notes on what could not be checked here, and counts."""

    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    programs: int = 0
    tasks: int = 0
    results: int = 0
    replayed: int = 0


def check(connection: Connection, replay: bool) -> CheckFindings:
    """Check all of an archive; with `replay` its winners run again. A fault is a finding, not an error."""
    findings = CheckFindings()
    steps = [
        _database,
        _programs,
        _tasks,
        _terms,
        _results,
        _outputs,
        _lineage,
        *([_replayed] if replay else []),
    ]
    for step in steps:
        try:
            findings.faults += step(connection, findings)
        except ArcbattError as error:
            findings.faults.append(str(error).removeprefix(f"{connection.path}: "))
    return findings


def _database(connection: Connection, findings: CheckFindings) -> Iterator[str]:
    for (text,) in connection.rows(f"PRAGMA integrity_check({FAULTS_OF_DATABASE})"):
        if text != "ok":
            yield f"the database is damaged: {text}"
    missing = list(connection.rows("PRAGMA foreign_key_check"))
    if missing:
        table, _, other, _ = missing[0]
        yield f"{plural(len(missing), 'row')} refer to missing rows, such as one of {table} to {other}"


def _programs(connection: Connection, findings: CheckFindings) -> Iterator[str]:
    strange = set[str]()
    rows = connection.rows("SELECT id, name, lower(hex(hash)) FROM programs ORDER BY name, hash, kind")
    for number, name, digest in rows:
        findings.programs += 1
        try:
            stored = program_of_row(connection, number)
            unknown = {op for op in stored.own_ops if op not in TABLE}
            strange |= unknown
            if unknown:
                continue
            size = sum(node.kind in ("op", "call") for node in stored.program.nodes)
        except (ArcbattError, *DAMAGE) as error:
            yield _of_row(connection, f"program {shorten(str(name))} ({digest})", error)
            continue
        if size != stored.size:
            yield f"program {shorten(stored.name)} ({stored.hash}) has {size} lines, not {stored.size}"
        if type(name) is not str:
            yield f"program {shorten(stored.name)} ({stored.hash}): its name is no text"
        if not _is_one_function(stored.source_text):
            yield f"program {shorten(stored.name)} ({stored.hash}): its source has more than its function"
    if strange:
        names = ", ".join(sorted(map(shorten, strange)))
        findings.notes.append(f"programs with your own ops are not read, for these are missing here: {names}")


def _is_one_function(source: str) -> bool:
    """Whether a source looks as `emit` writes it: one definition, and all other lines are indented."""
    first, *others = source.rstrip("\n").split("\n")
    return first.startswith("def ") and all(line.startswith("    ") for line in others)


def _of_row(connection: Connection, row: str, error: Exception) -> str:
    """A fault of a row, which is named; the archive stands in the message of an error of SQLite."""
    if not isinstance(error, ArcbattError):
        return f"{row} is damaged: {type(error).__name__}: {error}"
    reason = str(error).removeprefix(f"{connection.path}: ")
    return reason if reason.startswith(row) else f"{row}: {reason}"


def _tasks(connection: Connection, findings: CheckFindings) -> Iterator[str]:
    for digest, name, content in connection.rows("SELECT digest, name, content FROM tasks ORDER BY id"):
        findings.tasks += 1
        try:
            task_from_text(str(name), str(content))
        except ArcbattError as error:
            yield str(error)
            continue
        if task_digest(name, content) != digest:
            yield f"task {shorten(str(name))} is damaged: its content does not have its digest"


def _terms(connection: Connection, findings: CheckFindings) -> Iterator[str]:
    for digest, settings in connection.rows("SELECT digest, settings FROM terms ORDER BY id"):
        try:
            terms_from_text(settings)
        except ArcbattError as error:
            yield str(error)
            continue
        if bytes.fromhex(digest_of(canonical(json.loads(settings)))) != digest:
            yield "the terms of a result are damaged: they do not have their digest"


def _lineage(connection: Connection, findings: CheckFindings) -> Iterator[str]:
    row = connection.one(
        "SELECT count(*) FROM lineage WHERE typeof(parent) != 'blob' OR length(parent) != 16"
    )
    if row is not None and row[0]:
        yield f"the lineage is damaged: {plural(row[0], 'parent')} without a hash"


def _outputs(connection: Connection, findings: CheckFindings) -> Iterator[str]:
    for (outputs,) in connection.rows("SELECT outputs FROM outputs"):
        try:
            outputs_from_text(outputs)
        except ArcbattError as error:
            yield str(error)


def _results(connection: Connection, findings: CheckFindings) -> Iterator[str]:
    """Results whose columns contradict their verdicts and scores."""
    for number, name, content in list(connection.rows("SELECT id, name, content FROM tasks ORDER BY id")):
        try:
            task = task_from_text(str(name), str(content))
        except ArcbattError:
            continue  # told with the tasks
        rows = connection.rows(
            "SELECT results.solved, results.demo_exact, results.rank, programs.size, results.mean, "
            "results.scores, results.verdicts FROM results "
            "JOIN programs ON programs.id = results.program WHERE results.task = ?",
            (number,),
        )
        wrong = 0
        while some := list(islice(rows, ROWS_AT_ONCE)):
            findings.results += len(some)
            kinds = groupby(sorted(some, key=_columns), _columns)
            wrong += sum(_contradictions(task, list(group)) for _, group in kinds)
        if wrong:
            yield f"{plural(wrong, 'result')} of task {shorten(name)} contradict their own verdicts"


def _columns(row: Row) -> tuple[bool, bool]:
    """Which optional columns a result has: the mean of differs, partial scores."""
    return row[4] is None, row[5] is None


def _contradictions(task: Task, rows: list[Row]) -> int:
    """How many rows do not follow from their verdicts and scores; all of them have the same columns."""
    import numpy as np  # not above: the import takes longer than the start of a command without it

    samples = len(task.samples)
    sound = [row for row in rows if _is_sound(row, samples)]
    if not sound:
        return len(rows)
    solved, demo_exact, rank, sizes, means, scores, verdicts = zip(*sound)
    table = np.frombuffer(b"".join(verdicts), np.uint8).reshape(-1, samples)
    parts = None if scores[0] is None else scores_of(b"".join(scores), 0)
    found = ranked(
        task,
        table,
        None if parts is None else np.frombuffer(parts, np.intc).reshape(-1, samples),
        None if means[0] is None else np.array(means, np.float64),
        np.array(sizes, np.int64),
    )
    same = (found.solved == solved) & (found.demo_exact == demo_exact) & (found.rank == rank)
    return len(rows) - int(same.sum())


def _is_sound(row: Row, samples: int) -> bool:
    """Whether the columns of a row are of the right types and lengths."""
    *numbers, mean, scores, verdicts = row
    return (
        all(type(number) is int for number in numbers)
        and (mean is None or type(mean) is float)
        and (scores is None or (type(scores) is bytes and len(scores) == 2 * samples))
        and type(verdicts) is bytes
        and len(verdicts) == samples
        and all(code in TOLD for code in verdicts)
    )


def _replayed(connection: Connection, findings: CheckFindings) -> Iterator[str]:
    """Winners that cannot run again, or do not solve their task then, on the terms of their result."""
    language, skipped = language_version(), 0
    rows = connection.rows(
        "SELECT results.program, results.task, results.terms, programs.name, lower(hex(programs.hash)), "
        "tasks.name FROM results JOIN programs ON programs.id = results.program "
        "JOIN tasks ON tasks.id = results.task WHERE results.solved "
        "ORDER BY tasks.name, tasks.digest, programs.name, programs.hash, results.terms"
    )
    for *key, name, digest, task in rows:
        winner = f"{shorten(str(name))} ({digest})"
        try:
            result = result_of_row(connection, *key)
            terms = result.terms
            is_same = terms.language == language and terms.batt is None and terms.origin is None
            if not is_same or any(op not in TABLE for op in result.stored.own_ops):
                skipped += 1
                continue
            (own,) = terms_by_program(replace(terms, own_ops=()), [result.program])
            if not set(own.own_ops) <= set(terms.own_ops):
                skipped += 1
                continue
            outcome = _run_again(result)
        except (ArcbattError, *DAMAGE) as error:
            yield _of_row(connection, f"winner {winner} of {shorten(str(task))} cannot run again", error)
            continue
        findings.replayed += 1
        if not outcome.solved:
            yield f"{winner} does not solve {shorten(str(task))} any more"
    if skipped:
        findings.notes.append(
            f"not run again: {plural(skipped, 'winner')} of other versions, ops or settings than here"
        )


def _run_again(result: StoredResult) -> Outcome:
    program, task, terms = result.program, result.whole_task, result.terms
    found = run(program, task, "all", on_failure=terms.on_failure, limits=terms.limits)
    return found[program, task]
