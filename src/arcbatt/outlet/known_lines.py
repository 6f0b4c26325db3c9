"""Results that a file of JSON lines holds already: each line is checked, and read back as verdicts."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from io import BufferedReader
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from arcbatt.archive.rows.tasks import digest_of_task
from arcbatt.archive.terms import DIGEST_SIZE, Terms, own_ops_in
from arcbatt.batt.breeding.tally import NO_MARKS, Marks
from arcbatt.dsl.contract import EXACT, FAILED, UNJUDGED, WRONG, Status
from arcbatt.dsl.failures import KINDS
from arcbatt.dsl.table import names_of_own_ops
from arcbatt.engine.results import Judged, Reply
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Program
from arcbatt.tasks import Task
from arcbatt.text import shorten

KEY_SIZE = 8  # bytes
PLACE_BITS = 32  # of the number of a result
LONGEST_LINE = 1 << 20  # bytes
ANOTHER = "name another file, or leave --resume out"


class Keys:
    """The keys of results: digests of program, task, settings and language, and of differs if there are any.

    A key tells whether a line of JSON is a result of this very run, whatever its names say.
    """

    def __init__(self, terms: Terms, differs: str = "") -> None:
        self._terms, self._own_ops, self._differs = terms, names_of_own_ops(), bytes.fromhex(differs)
        self._digests: dict[tuple[str, ...], str] = {}  # of the terms, by the own ops of a program
        self._programs: dict[int, tuple[Program, bytes]] = {}  # by the id of the object, which is kept
        self._tasks: dict[int, tuple[Task, bytes]] = {}

    def of(self, program: Program, task: Task) -> str:
        """The key of a program on a task."""
        content = self._of_task(task) + self._of_program(program) + self._differs
        return blake2b(content, digest_size=KEY_SIZE).hexdigest()

    def of_all(self, programs: Iterable[Program], tasks: Iterable[Task]) -> str:
        """A digest of all that the keys of these programs on these tasks depend on, and of the names."""
        content = blake2b(self._differs, digest_size=DIGEST_SIZE)
        for program in programs:
            content.update(self._of_program(program) + program.name.encode() + b"\n")
        for task in tasks:
            content.update(self._of_task(task))
        return content.hexdigest()

    def _of_program(self, program: Program) -> bytes:
        known = self._programs.get(id(program))
        if known is None:
            used = own_ops_in(program, self._own_ops)
            if used not in self._digests:
                self._digests[used] = self._terms.with_ops(used).digest
            known = self._programs[id(program)] = program, bytes.fromhex(program.hash + self._digests[used])
        return known[1]

    def _of_task(self, task: Task) -> bytes:
        known = self._tasks.get(id(task))
        if known is None:
            known = self._tasks[id(task)] = task, digest_of_task(task)
        return known[1]


class Work:
    """All that a run is to do: its tasks, the solvers of each in their order, and the keys of results.

    A result has a number, by which the lines of a whole run are sorted: that of its task, then that of its
    program.
    """

    def __init__(self, tasks: Sequence[Task], solvers: Mapping[str, Sequence[Program]], keys: Keys) -> None:
        self.tasks, self.solvers, self.keys = tasks, solvers, keys
        self._tasks = {task.id: number for number, task in enumerate(tasks)}
        self._last: tuple[Sequence[Program], dict[int, int], dict[str, list[int]]] = (), {}, {}

    def numbers(self, task: Task) -> Callable[[Program], int]:
        """A function that gives the number of the result of a program on a task."""
        start, places = self._tasks[task.id] << PLACE_BITS, self._index(task.id)[1]
        return lambda program: start + places[id(program)]

    def named(self, name: str, task_id: str) -> list[tuple[int, Program, Task]]:
        """The results of a name on a task: their numbers, programs and task.

        In mode `pile` a name may stand in several lines.
        """
        number = self._tasks.get(task_id)
        if number is None:
            return []
        solvers, _, by_name = self._index(task_id)
        places = by_name.get(name, [])
        return [((number << PLACE_BITS) + place, solvers[place], self.tasks[number]) for place in places]

    def _index(self, task_id: str) -> tuple[Sequence[Program], dict[int, int], dict[str, list[int]]]:
        """The solvers of a task, and their places by object and by name; tasks may share all these."""
        solvers = self.solvers[task_id]
        if self._last[0] is not solvers:
            by_name: dict[str, list[int]] = {}
            for place, program in enumerate(solvers):
                by_name.setdefault(program.name, []).append(place)
            self._last = solvers, {id(program): place for place, program in enumerate(solvers)}, by_name
        return self._last


class KnownLines:
    """The lines of a file that an earlier run left: the numbers of their results, and where they stand.

    All whole lines must be results of this run. A summary is passed over, and a torn last line is dropped.
    """

    def __init__(self, name: str, work: Work) -> None:
        self.name, self._work = name, work
        self.size = 0  # bytes up to the end of the last result
        self.starts: dict[int, int] = {}  # of the lines, by number
        self.is_plain = True  # the lines are as a run without interruption begins
        self._seen: dict[tuple[str, str], int] = {}
        try:
            with Path(name).open("rb") as file:
                self._read(file)
        except OSError as error:
            raise ArcbattError(f"{name}: cannot be read: {error.strerror or error}") from None

    def _read(self, file: BufferedReader) -> None:
        start, last = 0, -1
        for line_number in count(1):
            line = file.readline(LONGEST_LINE)
            if len(line) == LONGEST_LINE:
                raise self._refused(line_number, "is too long for a result")
            if not line.endswith(b"\n"):
                return
            number = self._number(line_number, line)
            if number is not None and number not in self.starts:
                self.is_plain &= number > last and start == self.size
                last = number
                self.starts[number] = start
                self.size = start + len(line)
            start += len(line)

    def _number(self, line_number: int, line: bytes) -> int | None:
        """The number of a result; None for a summary."""
        row = _parsed(line)
        if row is None:
            raise self._refused(line_number, "is no result of a run")
        if row.keys() == {"summary"}:
            return None
        name, task_id, key = (str(row.get(field)) for field in ("program", "task", "key"))
        what = f"has {shorten(name)} on {shorten(task_id)}"
        found = self._work.named(name, task_id)
        if not found:
            raise self._refused(line_number, f"{what}, which is not to run here")
        times = self._seen.get((name, task_id), 0)
        if len(found) > 1:
            self._seen[name, task_id] = times + 1
        number, program, task = found[min(times, len(found) - 1)]
        if self._work.keys.of(program, task) != key:
            raise self._refused(line_number, f"{what} with another program, task, setting or version")
        return number

    def _refused(self, line_number: int, what: str) -> ArcbattError:
        return ArcbattError(f"{self.name}:{line_number}: {what}; {ANOTHER}")

    def rows(self, numbers: Iterable[int]) -> Iterator[dict[str, Any]]:
        """The lines of some results, as plain data."""
        with Path(self.name).open("rb") as file:
            for number in numbers:
                file.seek(self.starts[number])
                row = _parsed(file.readline())
                if row is None:
                    raise ArcbattError(f"{self.name}: was changed while it was read")
                yield row


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def is_unfinished(name: str) -> bool:
    """Whether a file holds results of a run that did not come to its end."""
    try:
        with Path(name).open("rb") as file:
            first = _parsed(file.readline(LONGEST_LINE))
            if first is None or "key" not in first:
                return False
            file.seek(max(0, Path(name).stat().st_size - LONGEST_LINE))
            last = _parsed(file.read().rstrip(b"\n").rpartition(b"\n")[2])
    except OSError:
        return False
    summary = None if last is None else last.get("summary")
    return not isinstance(summary, dict) or "interrupted" in summary


class KnownResult(NamedTuple):
    """What a line tells of a solver on a task: verdicts, the marks of differs, samples that were lost."""

    codes: bytes
    marks: Marks
    ends: dict[int, Reply[Judged]]


def result_of(row: Mapping[str, Any], task: Task, file: str) -> KnownResult:
    """The result that a line tells; a damaged one is refused."""
    try:
        total, number = row.get("marks", NO_MARKS)
        ends: dict[int, Reply[Judged]] = {
            int(place): Reply(status, kind=str(kind), op=str("".join(op)))
            for place, status, kind, *op in row.get("ends", ())
        }
        return KnownResult(_codes(row, task), Marks(int(total), int(number)), ends)
    except (TypeError, AttributeError, ValueError, KeyError):
        raise ArcbattError(f"{file}: has a damaged result of task {shorten(task.id)}; {ANOTHER}") from None


def _codes(row: Mapping[str, Any], task: Task) -> bytes:
    """Verdicts that give the same line again.

    A line tells how many samples failed and not which; the first ones that are not exact get the failures.
    """
    exact = [*row["demo"], *row["test"]]
    kinds = [kind for kind in KINDS for _ in range(row["failures"].get(kind, 0))]
    if len(exact) != len(task.samples) or exact.count(True) + len(kinds) > len(exact):
        raise ValueError(exact)
    codes = bytearray()
    for verdict in exact:
        if verdict is True:
            codes.append(EXACT)
        elif kinds:
            codes.append(FAILED + Status[kinds.pop(0)])
        else:
            codes.append(UNJUDGED if verdict is None else WRONG)
    return bytes(codes)
