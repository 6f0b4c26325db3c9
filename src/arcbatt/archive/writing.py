"""Writing to an archive: rows gather in memory, and one transaction puts them into the database."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from arcbatt.archive.connection import Connection
from arcbatt.archive.rows.programs import ProgramRow, program_row
from arcbatt.archive.rows.results import ENDED, outputs_text, ranked, stored_scores
from arcbatt.archive.rows.tasks import task_digest, task_text
from arcbatt.archive.terms import Terms, own_ops_in, storable, terms_by_program
from arcbatt.arguments import shown
from arcbatt.dsl.contract import NO_SCORE
from arcbatt.dsl.table import names_of_own_ops
from arcbatt.engine.records.record import Record
from arcbatt.engine.records.verdicts import Outputs
from arcbatt.errors import ArcbattError
from arcbatt.json_lines import canonical
from arcbatt.program.graph import Node, Program
from arcbatt.tasks import Task

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

TASKS_REMEMBERED = 2_000
MOST_REMEMBERED = 100_000  # programs whose ids a writer knows

Outputting = Callable[[Program], Outputs]
ProgramKey = tuple[bytes, str]  # hash and kind
Parent = tuple[str, str]  # its hash, and the mutation that made a program of it
TaskRow = tuple[bytes, str, str]  # digest, id and content

# A name is the shortest that a program was ever given, of equally long ones the first in the alphabet: the
# order of writers does not matter. The same holds for every rule below.
ON_KNOWN_PROGRAM = """
ON CONFLICT (hash, kind) DO UPDATE
SET name = excluded.name, inputs = excluded.inputs, source = excluded.source, graph = excluded.graph,
    own_ops = excluded.own_ops
WHERE (length(excluded.name), excluded.name, length(excluded.inputs), excluded.inputs, excluded.source)
    < (length(programs.name), programs.name, length(programs.inputs), programs.inputs, programs.source)
"""
ADD_PROGRAM = """
INSERT INTO programs (hash, kind, name, inputs, size, source, graph, own_ops) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
ADD_PROGRAM += ON_KNOWN_PROGRAM
ADD_TASK = "INSERT INTO tasks (digest, name, content) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
ADD_TERMS = "INSERT INTO terms (digest, settings) VALUES (?, ?) ON CONFLICT DO NOTHING"
ADD_LINEAGE = "INSERT INTO lineage (child, parent, mutation) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
ADD_KEPT = "INSERT INTO kept (program, task, score, time) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
# Of two results one has nothing that the other lacks: a sample whose worker ended tells nothing, a run
# without partial scores has none, and a failure tells more than a wrong output in mode `default`.
PREFERENCE = (
    "(instr({0}.verdicts, x'03') = 0, {0}.scores IS NOT NULL, {0}.mean IS NOT NULL, {0}.verdicts, "
    "ifnull({0}.scores, x''), ifnull({0}.mean, -1))"
)
PREFERRED = f"{PREFERENCE.format('excluded')} > {PREFERENCE.format('results')}"
ON_KNOWN_RESULT = f"""
ON CONFLICT (task, terms, program) DO UPDATE SET solved = excluded.solved, demo_exact = excluded.demo_exact,
    rank = excluded.rank, verdicts = excluded.verdicts, scores = excluded.scores, mean = excluded.mean
WHERE {PREFERRED}
"""
RESULT_FIELDS = "task, terms, program, solved, demo_exact, rank, verdicts, scores, mean"
ADD_RESULT = f"INSERT INTO results ({RESULT_FIELDS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) {ON_KNOWN_RESULT}"
ON_OTHER_OUTPUTS = """
ON CONFLICT (task, terms, program) DO UPDATE SET outputs = excluded.outputs
WHERE excluded.outputs > outputs.outputs
"""
ADD_OUTPUTS = f"INSERT INTO outputs (task, terms, program, outputs) VALUES (?, ?, ?, ?) {ON_OTHER_OUTPUTS}"


class TaskResults(NamedTuple):
    """Results of solvers on one task under the same terms, to be written."""

    task: Task
    terms: Terms
    programs: Sequence[Program]
    verdicts: "npt.NDArray[np.uint8]"
    scores: "npt.NDArray[np.intc] | None" = None
    means: Sequence[float] | None = None
    outputs: Mapping[int, str] = {}  # of winners, by place


@dataclass
class Pending:
    """What waits for the next transaction."""

    programs: dict[ProgramKey, ProgramRow] = field(default_factory=dict)
    lineage: list[tuple[ProgramKey, bytes, str]] = field(default_factory=list)
    kept: list[tuple[ProgramKey, str, float, float]] = field(default_factory=list)
    only_kept: list[tuple[ProgramKey, str, float, float]] = field(default_factory=list)
    batches: list[TaskResults] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.programs or self.lineage or self.kept or self.only_kept or self.batches)


def key_of(program: Program) -> ProgramKey:
    """The identity of a program in an archive: its hash and its kind."""
    return program.root.digest, program.kind


class _StoredProgramId(NamedTuple):
    """What the row of a program holds; a damaged one may have anything as its size."""

    id: int
    size: object
    name: str
    inputs: str


class RowWriter:
    """Gathers rows, and writes them in one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.pending = Pending()
        self._programs: dict[ProgramKey, _StoredProgramId] = {}
        self._task_rows: dict[int, tuple[Task, TaskRow]] = {}  # by the id of the object, which is kept
        self._tasks: dict[bytes, int] = {}
        self._terms: dict[Terms, int] = {}
        self._last: tuple[Sequence[Program], list[int], list[int]] | None = None

    def add_program(
        self, program: Program, parents: Iterable[Parent] = (), kept: Iterable[tuple[str, float, float]] = ()
    ) -> None:
        """Add a program with its parents, and what it was kept for: tasks, scores and times."""
        key = key_of(program)
        lineage = [(key, _digest_of(parent), storable("mutation", mutation)) for parent, mutation in parents]
        places = [(key, *_kept(*each)) for each in kept]
        self._gather([program])
        self.pending.lineage += lineage
        self.pending.kept += places

    def keep_as(self, program: Program, task: str, score: float, time: float) -> None:
        """Let a program be kept for a task with this score and time, and with no others."""
        self._gather([program])
        self.pending.only_kept.append((key_of(program), *_kept(task, score, time)))

    def _gather(self, programs: Iterable[Program]) -> None:
        """Let programs wait, but for those that are there already under no other name."""
        own = names_of_own_ops()
        for program in programs:
            key = key_of(program)
            known = self.pending.programs.get(key) or self._programs.get(key)
            inputs = ",".join(program.inputs)
            if known is None or _order(program.name, inputs) < _order(known.name, known.inputs):
                # The row is made at once: an own op may be out of scope when it is written.
                self.pending.programs[key] = program_row(program, own_ops_in(program, own))

    def add_record(self, record: Record, terms: Terms, outputs: Outputting | None = None) -> None:
        """Add the solvers of a record with their results; `outputs` gives those of a winner."""
        import numpy as np

        table = record.table()
        scores = np.frombuffer(record.scores, np.intc).reshape(table.shape) if record.scores else None
        if record.ends or record.lost:
            table = table.copy()
            table[:, _ended(record)] = ENDED
            for place, sample, _ in record.lost:
                table[place, sample] = ENDED
        for own, places in _by_terms(record.programs, terms).items():
            if len(places) == len(record.programs):
                programs, rows, parts = record.programs, table, scores
            else:
                programs = [record.programs[place] for place in places]
                rows, parts = table[places], None if scores is None else scores[places]
            if parts is not None and not (parts != NO_SCORE).any():
                parts = None
            self.add_batch(TaskResults(record.task, own, programs, rows, parts), outputs)

    def add_batch(self, batch: TaskResults, outputs: Outputting | None = None) -> None:
        """Add results; winners run again for outputs that nobody knows."""
        if self._last is None or self._last[0] is not batch.programs or type(batch.programs) is not tuple:
            self._gather(batch.programs)
        self._row_of(batch.task)  # refuses a task that cannot be kept before anything waits
        if outputs is not None and any(sample.output is None for sample in batch.task.samples):
            record = Record(batch.task, batch.programs, batch.verdicts.tobytes(), b"")
            winners = {id(winner) for winner in record.solved_by()}
            found = {
                place: outputs_text(batch.task, outputs(program))
                for place, program in enumerate(batch.programs)
                if id(program) in winners
            }
            batch = batch._replace(outputs=found)
        self.pending.batches.append(batch)

    def write(self) -> None:
        """Write what waits, inside a transaction; `forget` follows if the transaction fails."""
        connection, pending = self._connection, self.pending
        rows = pending.programs.values()
        connection.execute_many(ADD_PROGRAM, rows)
        if len(self._programs) + len(rows) > MOST_REMEMBERED:
            self._programs.clear()
        for row in rows:
            self._programs[row.hash, row.kind] = self._found(row.hash, row.kind)
        connection.execute_many(
            ADD_LINEAGE, [(self._id(key), parent, mutation) for key, parent, mutation in pending.lineage]
        )
        connection.execute_many(ADD_KEPT, [(self._id(key), *rest) for key, *rest in pending.kept])
        only = [(self._id(key), *rest) for key, *rest in pending.only_kept]
        connection.execute_many("DELETE FROM kept WHERE program = ? AND task = ?", [row[:2] for row in only])
        connection.execute_many(ADD_KEPT, only)
        for batch in pending.batches:
            self._write_batch(batch)

    def done(self) -> None:
        """Forget what has been committed."""
        self.pending = Pending()

    def forget(self) -> None:
        """Forget ids that a failed transaction may have given."""
        self._programs.clear()
        self._tasks.clear()
        self._terms.clear()
        self._last = None

    def _found(self, digest: bytes, kind: str) -> _StoredProgramId:
        statement = "SELECT id, size, name, inputs FROM programs WHERE hash = ? AND kind = ?"
        row = self._connection.one(statement, (digest, kind))
        assert row is not None
        number, size, name, inputs = row  # an archive may come from anybody: text may be bytes
        return _StoredProgramId(number, size, str(name), str(inputs))

    def _id(self, key: ProgramKey) -> int:
        known = self._programs.get(key) or self._found(*key)
        return known.id

    def _ids(self, programs: Sequence[Program]) -> tuple[list[int], list[int]]:
        """The ids and sizes of programs; those of a run are the same for all its tasks."""
        if self._last is None or self._last[0] is not programs or type(programs) is not tuple:
            known = [self._programs.get(key) or self._found(*key) for key in map(key_of, programs)]
            sizes = [
                each.size if type(each.size) is int else program.size
                for each, program in zip(known, programs)
            ]
            self._last = programs, [each.id for each in known], sizes
        return self._last[1:]

    def task_id(self, task: Task) -> int:
        """The id of a task, which is added if it is new."""
        digest, name, text = self._row_of(task)
        known = self._tasks.get(digest)
        if known is None:
            self._connection.execute(ADD_TASK, (digest, name, text))
            row = self._connection.one("SELECT id FROM tasks WHERE digest = ?", (digest,))
            assert row is not None
            known = self._tasks[digest] = int(row[0])
        return known

    def _row_of(self, task: Task) -> TaskRow:
        """The row of a task; those of the last tasks are remembered."""
        known = self._task_rows.get(id(task))
        if known is None:
            text = task_text(task)
            if len(self._task_rows) >= TASKS_REMEMBERED:
                self._task_rows.clear()
            known = self._task_rows[id(task)] = task, (task_digest(task.id, text), task.id, text)
        return known[1]

    def terms_id(self, terms: Terms) -> int:
        """The id of terms, which are added if they are new."""
        known = self._terms.get(terms)
        if known is None:
            digest = bytes.fromhex(terms.digest)
            self._connection.execute(ADD_TERMS, (digest, canonical(terms.settings)))
            row = self._connection.one("SELECT id FROM terms WHERE digest = ?", (digest,))
            assert row is not None
            known = self._terms[terms] = int(row[0])
        return known

    def _write_batch(self, batch: TaskResults) -> None:
        import numpy as np

        if not len(batch.programs) or not batch.task.samples:
            return
        task, terms = self.task_id(batch.task), self.terms_id(batch.terms)
        ids, sizes = self._ids(batch.programs)
        means = None if batch.means is None else np.array(batch.means, np.float64)
        columns = ranked(batch.task, batch.verdicts, batch.scores, means, np.array(sizes, np.int64))
        samples = len(batch.task.samples)
        verdicts = _cut(batch.verdicts.tobytes(), samples)
        scores: Iterable[bytes | None] = repeat(None)
        if batch.scores is not None:
            scores = _cut(stored_scores(batch.scores.tobytes()), 2 * samples)
        self._connection.execute_many(
            ADD_RESULT,
            zip(
                repeat(task),
                repeat(terms),
                ids,
                columns.solved.tolist(),
                columns.demo_exact.tolist(),
                columns.rank.tolist(),
                verdicts,
                scores,
                batch.means or repeat(None),
            ),
        )
        found = [(task, terms, ids[place], text) for place, text in batch.outputs.items()]
        self._connection.execute_many(ADD_OUTPUTS, found)


def _digest_of(parent: str) -> bytes:
    """The hash of a parent, as it is stored."""
    try:
        digest = bytes.fromhex(parent)
    except (ValueError, TypeError):
        digest = b""
    if len(digest) != Node.DIGEST_SIZE:
        raise ArcbattError(f"{shown(parent)} is no hash of a program")
    return digest


def _kept(task: str, score: float, time: float) -> tuple[str, float, float]:
    """A row of a kept population; SQLite has no place for numbers that are none."""
    if not (isfinite(score) and isfinite(time)):
        raise ArcbattError(f"score {score} and time {time} of a kept program must be finite")
    return storable("task", task), float(score), float(time)


def _order(name: str, inputs: str) -> tuple[int, str, int, str]:
    """What `ADD_PROGRAM` compares: of two names for a program the lesser one stays."""
    return len(name), name, len(inputs), inputs


def _cut(content: bytes, size: int) -> list[bytes]:
    """Bytes in pieces of equal size."""
    return [content[start : start + size] for start in range(0, len(content), size)]


def _by_terms(programs: Sequence[Program], terms: Terms) -> dict[Terms, list[int]]:
    """The places of the solvers among programs, by their terms: these name the own ops that each uses."""
    found: dict[int, tuple[Terms, list[int]]] = {}  # by identity: comparing terms takes longer
    for place, (program, own) in enumerate(zip(programs, terms_by_program(terms, programs))):
        if program.kind == "solver":
            found.setdefault(id(own), (own, []))[1].append(place)
    return dict(found.values())


def _ended(record: Record) -> list[int]:
    """The numbers of the samples whose worker ended."""
    return [number for number, _ in record.ends]
