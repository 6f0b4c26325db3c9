"""Questions to an archive: best programs of a task, what solves several, where a program comes from."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from arcbatt.archive.connection import ArchiveError, Connection
from arcbatt.archive.rows.programs import PROGRAM_COLUMNS, StoredProgram, stored_program
from arcbatt.archive.rows.results import (
    RESULT_COLUMNS,
    RESULTS_JOINED,
    OfTask,
    StoredResult,
    scores_of,
    stored_result,
)
from arcbatt.archive.rows.tasks import digest_of_task, task_from_text
from arcbatt.archive.terms import Terms, terms_by_program
from arcbatt.archive.writing import key_of
from arcbatt.engine.records.record import Record
from arcbatt.engine.records.verdicts import VERDICTS
from arcbatt.errors import AmbiguousName, ArcbattError
from arcbatt.program.graph import Program
from arcbatt.tasks import Task
from arcbatt.text import shorten

SETTLED = bytes(VERDICTS)  # verdicts of which a result is complete
NAMED = 5  # programs that the message on an ambiguous name lists
_HASH = re.compile("[0-9a-f]{6,32}")


class Ancestor(NamedTuple):
    """A step of a lineage: a program, the number of steps from the one asked for, and what came of it.

    `program` is None if the archive does not have it. `child` is the hash of the program that was made of
    it, by `mutation`.
    """

    hash: str
    program: StoredProgram | None
    depth: int
    child: str | None
    mutation: str


class TaskSummary(NamedTuple):
    """A task with the numbers of its results and of the programs that solve it, and the best result."""

    task: str
    results: int
    winners: int
    best: StoredResult


class RunSummary(NamedTuple):
    """A run with its settings, and how much of it is done: results of `run` in all, else steps."""

    kind: str
    digest: str
    settings: dict[str, Any]
    done: int
    total: int | None  # None where a run has no end of its own


class KeptRow(NamedTuple):
    """Score and time that a program had in a kept population, for a task."""

    task: str
    score: float
    time: float


class StoredResults(NamedTuple):
    """The stored results of a task for some programs, and the programs that have none yet."""

    record: Record
    missing: list[Program]

    def joined(self, programs: Sequence[Program], new: Record) -> Record:
        """The record of all programs, in their order; `new` is that of the missing ones."""
        samples = len(self.record.task.samples)
        rows: dict[tuple[bytes, str], tuple[bytes, bytes]] = {}
        for record in (self.record, new):
            for place, program in enumerate(record.programs):
                start = 4 * samples * place
                rows[key_of(program)] = record.codes(place), record.scores[start : start + 4 * samples]
        found = [rows[key_of(program)] for program in programs]
        verdicts, scores = (b"".join(parts) for parts in zip(*found)) if found else (b"", b"")
        return Record(self.record.task, tuple(programs), verdicts, scores, new.ends)


def best(
    connection: Connection, task: Task | str, count: int, terms: Terms | None, blind: bool
) -> list[StoredResult]:
    """The best results of a task, of each program one.

    With `blind` the test samples do not matter; else programs that solve the task come first.
    """
    ids = task_ids(connection, task)
    wanted = "" if terms is None else " AND results.terms = (SELECT id FROM terms WHERE digest = ?)"
    values = () if terms is None else (bytes.fromhex(terms.digest),)
    groups = [_leading(connection, ids, solved, count, wanted, values) for solved in (1, 0)]
    rows = [row for group in groups for row in group]
    if blind:
        rows.sort(key=lambda row: (-row[0], row[1]))
    chosen: dict[int, tuple[Any, ...]] = {}
    for row in rows:
        chosen.setdefault(row[1], row)
    return [result_of_row(connection, *row[1:]) for row in list(chosen.values())[:count]]


def _leading(
    connection: Connection, ids: list[int], solved: int, count: int, wanted: str, values: tuple[Any, ...]
) -> list[tuple[Any, ...]]:
    """Rows (rank, program, task, terms) of the best results that solve, or do not; each program once."""
    found: dict[int, tuple[Any, ...]] = {}
    for task in ids:
        seen: set[int] = set()
        rows = connection.rows(
            "SELECT rank, program, task, terms FROM results INDEXED BY best_of_task "
            f"WHERE task = ? AND solved = ? AND typeof(rank) = 'integer'{wanted} ORDER BY rank DESC",
            (task, solved, *values),
        )
        for row in rows:
            seen.add(row[1])
            if row[1] not in found or found[row[1]][0] < row[0]:
                found[row[1]] = row
            if len(seen) >= count:
                break
    return sorted(found.values(), key=lambda row: (-row[0], row[1]))[:count]


def result_of_row(connection: Connection, program: int, task: int, terms: int) -> StoredResult:
    """The result with these numbers of its program, task and terms."""
    found = next(
        _results_of(connection, task, "results.terms = ? AND results.program = ?", (terms, program)), None
    )
    if found is None:
        raise ArchiveError(f"{connection.path}: a result is damaged: its program or task is missing")
    return found


def _results_of(
    connection: Connection, task: int, condition: str = "1", values: Sequence[Any] = ()
) -> Iterator[StoredResult]:
    """The results of the row of a task under a condition, best first."""
    row = connection.one("SELECT name, content FROM tasks WHERE id = ?", (task,))
    if row is None:
        return
    shared = OfTask(str(row[0]), str(row[1]), dict(connection.rows("SELECT id, settings FROM terms")))
    # Of a program there are few results, found by their key and sorted; those of a task are in the index.
    sign, index = ("+", "") if "program" in condition else ("", "INDEXED BY best_of_task ")
    rows = connection.rows(
        f"SELECT {RESULT_COLUMNS} FROM results {index}{RESULTS_JOINED} "
        f"WHERE results.task = ? AND {condition} ORDER BY {sign}results.solved DESC, {sign}results.rank DESC",
        (task, *values),
    )
    for each in rows:
        yield stored_result(each, shared)


def task_ids(connection: Connection, task: Task | str) -> list[int]:
    """The ids of the rows of a task: the task itself, or all tasks with an id, whatever their grids."""
    if isinstance(task, Task):
        rows = connection.rows("SELECT id FROM tasks WHERE digest = ?", (digest_of_task(task),))
    else:
        rows = connection.rows("SELECT id FROM tasks WHERE name = ? ORDER BY digest", (task,))
    return [int(row[0]) for row in rows]


def task_names(connection: Connection) -> list[str]:
    """The ids of the tasks."""
    return [str(row[0]) for row in connection.rows("SELECT DISTINCT name FROM tasks ORDER BY name")]


def tasks(connection: Connection) -> list[Task]:
    """The tasks of the archive."""
    rows = connection.rows("SELECT name, content FROM tasks ORDER BY name, digest")
    return [task_from_text(str(name), str(content)) for name, content in rows]


def programs(connection: Connection, kind: str | None, name: str | None) -> Iterator[StoredProgram]:
    """The programs, in the order of their names."""
    conditions = {"kind": kind, "name": name}
    asked = {column: value for column, value in conditions.items() if value is not None}
    where = " AND ".join(f"programs.{column} = ?" for column in asked) or "1"
    rows = connection.rows(
        f"SELECT {PROGRAM_COLUMNS} FROM programs WHERE {where} ORDER BY name, hash, kind", asked.values()
    )
    return map(stored_program, rows)


def program(connection: Connection, asked: Program | StoredProgram | str) -> StoredProgram | None:
    """A program, by itself, by its hash or the beginning of it, or by its name."""
    if isinstance(asked, Program | StoredProgram):
        where, values = "hash = ? AND kind = ?", (bytes.fromhex(asked.hash), asked.kind)
        return _only(connection, asked.name, where, values)
    found = _only(connection, asked, "name = ?", (asked,))
    if found is None and _HASH.fullmatch(asked):
        low, high = (bytes.fromhex(asked.ljust(32, digit)) for digit in "0f")
        found = _only(connection, asked, "hash BETWEEN ? AND ?", (low, high))
    return found


def _only(connection: Connection, asked: str, where: str, values: Sequence[Any]) -> StoredProgram | None:
    rows = connection.rows(
        f"SELECT {PROGRAM_COLUMNS} FROM programs WHERE {where} ORDER BY hash, kind DESC LIMIT {NAMED + 1}",
        values,
    )
    found = [stored_program(row) for row in rows]
    if len({each.hash for each in found}) > 1:
        hashes = ", ".join(each.hash[:12] for each in found[:NAMED])
        raise AmbiguousName(f"{shorten(asked)} may mean any of {hashes}; ask by one of these hashes")
    return found[0] if found else None


def results(
    connection: Connection, stored: StoredProgram | None, task: Task | str | None, solved: bool
) -> Iterator[StoredResult]:
    """Results of a program, of a task, or all; by task, best first."""
    conditions, values = ["results.solved = 1"] if solved else [], list[Any]()
    if stored is not None:
        # Every key of the table begins with task and terms; of terms there are few.
        conditions.append("results.terms IN (SELECT id FROM terms)")
        conditions.append("results.program = (SELECT id FROM programs WHERE hash = ? AND kind = ?)")
        values = [bytes.fromhex(stored.hash), stored.kind]
    if task is None:
        numbers = [int(row[0]) for row in connection.rows("SELECT id FROM tasks ORDER BY name, digest")]
    else:
        numbers = task_ids(connection, task)
    for number in numbers:
        yield from _results_of(connection, number, " AND ".join(conditions) or "1", values)


def overview(connection: Connection) -> list[TaskSummary]:
    """The tasks that have results, with their counts and their best program."""
    counts = connection.rows(
        "SELECT tasks.name, sum(counted.results) FROM tasks JOIN "
        "(SELECT task, count(*) AS results FROM results GROUP BY task) AS counted "
        "ON counted.task = tasks.id GROUP BY tasks.name ORDER BY tasks.name"
    )
    winners = dict(
        connection.rows(
            "SELECT tasks.name, count(DISTINCT results.program) FROM results "
            "JOIN tasks ON tasks.id = results.task WHERE results.solved GROUP BY tasks.name"
        )
    )
    return [
        TaskSummary(name, results, winners.get(name, 0), found)
        for name, results in list(counts)
        for found in best(connection, name, 1, None, False)
    ]


def runs(connection: Connection) -> list[RunSummary]:
    """The runs, in the order in which they began."""
    rows = connection.rows("SELECT kind, lower(hex(digest)), settings, done, total FROM runs ORDER BY id")
    return [
        RunSummary(kind, digest, _run_settings(settings, digest), *rest)
        for kind, digest, settings, *rest in rows
    ]


def _run_settings(text: str, digest: str) -> dict[str, Any]:
    try:
        settings = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        settings = None
    if not isinstance(settings, dict):
        raise ArcbattError(f"the settings of run {digest} are damaged; they are no JSON object")
    return settings


def solved(connection: Connection) -> dict[str, StoredResult]:
    """The best winner of each task that is solved, by the id of the task."""
    found: dict[str, StoredResult] = {}
    for name in task_names(connection):
        leading = _leading(connection, task_ids(connection, name), 1, 1, "", ())
        if leading:
            found[name] = result_of_row(connection, *leading[0][1:])
    return found


def generalists(connection: Connection, at_least: int) -> list[tuple[StoredProgram, tuple[str, ...]]]:
    """The programs that solve at least so many tasks, with these; those that solve most come first."""
    by_program: dict[int, set[str]] = {}
    rows = connection.rows(
        "SELECT results.program, tasks.name FROM results JOIN tasks ON tasks.id = results.task "
        "WHERE results.solved"
    )
    for number, name in rows:
        by_program.setdefault(number, set()).add(name)
    found = [
        (program_of_row(connection, number), tuple(sorted(names)))
        for number, names in by_program.items()
        if len(names) >= at_least
    ]
    return sorted(found, key=lambda pair: (-len(pair[1]), pair[0].size, pair[0].hash))


def program_of_row(connection: Connection, number: int) -> StoredProgram:
    """The program with a number."""
    row = connection.one(f"SELECT {PROGRAM_COLUMNS} FROM programs WHERE id = ?", (number,))
    if row is None:
        raise ArchiveError(f"{connection.path}: a result is damaged: its program is missing")
    return stored_program(row)


def lineage(connection: Connection, stored: StoredProgram) -> list[Ancestor]:
    """A program and all that it comes from, breadth first; each program once."""
    found = [Ancestor(stored.hash, stored, 0, None, "")]
    seen = {stored.hash}
    for step in found:  # grows meanwhile
        rows = connection.rows(
            "SELECT DISTINCT lower(hex(parent)), mutation FROM lineage JOIN programs ON programs.id = child "
            "WHERE programs.hash = ? ORDER BY parent, mutation",
            (bytes.fromhex(step.hash),),
        )
        for parent, mutation in rows:
            if parent not in seen:
                seen.add(parent)
                own = _only(connection, parent, "hash = ?", (bytes.fromhex(parent),))
                found.append(Ancestor(parent, own, step.depth + 1, step.hash, mutation))
    return found


def steps(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """All steps of lineage: the hashes of child and parent, and the mutation."""
    return connection.rows(
        "SELECT lower(hex(programs.hash)), lower(hex(parent)), mutation FROM lineage "
        "JOIN programs ON programs.id = child ORDER BY programs.name, programs.hash, parent, mutation"
    )


def children(connection: Connection, stored: StoredProgram) -> list[StoredProgram]:
    """The programs that were made of a program."""
    rows = connection.rows(
        f"SELECT {PROGRAM_COLUMNS} FROM programs WHERE id IN (SELECT child FROM lineage WHERE parent = ?) "
        "ORDER BY name, hash",
        (bytes.fromhex(stored.hash),),
    )
    return [stored_program(row) for row in rows]


def kept(connection: Connection, stored: StoredProgram) -> list[KeptRow]:
    """The scores and times that a program had in kept populations."""
    rows = connection.rows(
        "SELECT kept.task, kept.score, kept.time FROM kept JOIN programs ON programs.id = kept.program "
        "WHERE programs.hash = ? AND programs.kind = ? ORDER BY kept.task, kept.score, kept.time",
        (bytes.fromhex(stored.hash), stored.kind),
    )
    return [KeptRow(*row) for row in rows]


def kept_times(connection: Connection) -> Iterator[tuple[str, str, float, float]]:
    """The scores and times of all solvers in kept populations: hash, task, score and time."""
    return connection.rows(
        "SELECT lower(hex(programs.hash)), kept.task, kept.score, kept.time FROM kept "
        "JOIN programs ON programs.id = kept.program WHERE programs.kind = 'solver' "
        "ORDER BY programs.name, programs.hash, kept.task, kept.score, kept.time"
    )


def known(
    connection: Connection, task: Task, terms: Terms, programs: Sequence[Program], scored: bool
) -> StoredResults:
    """The stored results of programs on a task; with `scored` only those that have partial scores.

    A result with a sample whose worker ended counts as missing.
    """
    by_program = terms_by_program(terms, programs)
    digest = digest_of_task(task)
    stored = {  # by the identity of terms: comparing them takes longer
        key: _complete(connection, task, digest, own, scored)
        for key, own in {id(own): own for own in by_program}.items()
    }
    found: list[Program] = []
    missing: list[Program] = []
    rows: list[tuple[bytes, bytes | None]] = []
    for own, each in zip(by_program, programs):
        row = stored[id(own)].get(each.root.digest) if each.kind == "solver" else None
        if row is None:
            missing.append(each)
        else:
            found.append(each)
            rows.append(row)
    verdicts = b"".join(codes for codes, _ in rows)
    parts = b"".join(scores for _, scores in rows if scores is not None) if scored else None
    return StoredResults(Record(task, tuple(found), verdicts, scores_of(parts, len(verdicts))), missing)


def _complete(
    connection: Connection, task: Task, digest: bytes, terms: Terms, scored: bool
) -> dict[bytes, tuple[bytes, bytes | None]]:
    """Verdicts and partial scores of a task, by the hash of the solver; damaged rows are left out."""
    samples = len(task.samples)
    rows = connection.rows(
        "SELECT programs.hash, results.verdicts, results.scores FROM results "
        "JOIN programs ON programs.id = results.program "
        "WHERE results.task = (SELECT id FROM tasks WHERE digest = ?) "
        "AND results.terms = (SELECT id FROM terms WHERE digest = ?) AND programs.kind = 'solver' "
        "AND typeof(results.verdicts) = 'blob' AND typeof(results.scores) IN ('blob', 'null')",
        (digest, bytes.fromhex(terms.digest)),
    )
    return {
        program: (verdicts, scores)
        for program, verdicts, scores in rows
        if len(verdicts) == samples
        and not verdicts.translate(None, SETTLED)
        and (not scored if scores is None else len(scores) == 2 * samples)
    }
