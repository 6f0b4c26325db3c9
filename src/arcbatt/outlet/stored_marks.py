"""The marks that the differs of a batt gave, kept in an archive for the report of a resumed run."""

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from struct import Struct
from typing import TYPE_CHECKING, Any

from arcbatt.archive.rows.tasks import digest_of_task
from arcbatt.batt.breeding.tally import Marks
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Program
from arcbatt.tasks import Task

if TYPE_CHECKING:
    from arcbatt.archive.archive import Archive

ROW = Struct("<16sqq")  # a solver, the sum and the number of its marks


class StoredMarks:
    """The marks of solvers on tasks, as states of a run: a state for each portion that was done."""

    def __init__(self, archive: "Archive", settings: dict[str, Any]) -> None:
        self._run = archive.run("run-batt", settings)
        self._waiting: dict[str, bytes] = {}

    def add(self, task: Task, marks: Mapping[Program, Marks]) -> None:
        """Add the marks of some solvers, to be written with the next commit."""
        rows = b"".join(ROW.pack(_identity(program), *given) for program, given in marks.items())
        if rows:
            self._waiting[f"{digest_of_task(task).hex()}/{rows[:16].hex()}"] = rows

    def write(self) -> bool:
        """Write what waits, inside a transaction."""
        if self._waiting:
            self._run.put(self._waiting)
            self._waiting = {}
        return True

    def of(self, task: Task) -> "dict[bytes, Marks]":
        """The marks of solvers on a task, by their identity."""
        found: dict[bytes, Marks] = {}
        for state in self._run.states_below(digest_of_task(task).hex()):
            if len(state) % ROW.size:
                raise ArcbattError(
                    f"the marks of task {task.id} in the archive are damaged; take a new archive"
                )
            found |= {identity: Marks(total, count) for identity, total, count in ROW.iter_unpack(state)}
        return found

    def chosen(self, task: Task, programs: Iterable[Program]) -> "dict[int, Marks]":
        """The marks of those of the programs that have some, by the ids of the objects."""
        known = self.of(task)
        return {
            id(program): known[identity] for program in programs if (identity := _identity(program)) in known
        }


def _identity(program: Program) -> bytes:
    """A solver in its batt: equal ones under two names may have differs of their own."""
    return blake2b(f"{program.hash} {program.name}".encode(), digest_size=16).digest()
