"""The marks that the differs of a batt gave, kept in an archive for the report of a resumed run."""

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from struct import Struct
from typing import TYPE_CHECKING

from arcbatt.archive.rows.tasks import digest_of_task
from arcbatt.engine.scoring.tally import Marks
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Program
from arcbatt.tasks import Task

if TYPE_CHECKING:
    from arcbatt.archive.archive import Archive

ROW = Struct("<16sqq")  # a solver, the sum and the number of its marks
PUT_MARKS = """
INSERT INTO marks (differs, task, portion, marks) VALUES (?, ?, ?, ?)
ON CONFLICT (differs, task, portion) DO UPDATE SET marks = excluded.marks
"""


class StoredMarks:
    """The marks of solvers on tasks by some differs, of which a digest is given: a row for each portion."""

    def __init__(self, archive: "Archive", differs: str) -> None:
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
