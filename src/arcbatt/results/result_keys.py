"""What tells results apart: a key of program, task and settings, and a number in the order of the run."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b

from arcbatt.archive.rows.tasks import digest_of_task
from arcbatt.archive.terms import DIGEST_SIZE, Terms, digest_of, own_ops_in
from arcbatt.dsl.table import names_of_own_ops
from arcbatt.program.graph import RAW_INPUT, Program
from arcbatt.tasks import Task

KEY_SIZE = 8  # bytes
INDEX_BITS = 32  # of the number of a result


def scoring_differs(programs: Iterable[Program]) -> list[Program]:
    """The differs among programs that score outputs of solvers."""
    return [each for each in programs if each.kind == "differ" and each.scored_id != RAW_INPUT]


def digest_of_differs(differs: Iterable[Program]) -> str:
    """The digest of differs that scored; equal ones under several names count as often as they scored."""
    hashes = {differ.name: differ.hash for differ in differs}
    return digest_of(repr(sorted(hashes.values())))


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


class WantedResults:
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
        start, indices = self._tasks[task.id] << INDEX_BITS, self._index(task.id)[1]
        return lambda program: start + indices[id(program)]

    def named(self, name: str, task_id: str) -> list[tuple[int, Program, Task]]:
        """The results of a name on a task: their numbers, programs and task.

        In mode `pile` a name may stand in several lines.
        """
        number = self._tasks.get(task_id)
        if number is None:
            return []
        solvers, _, by_name = self._index(task_id)
        indices = by_name.get(name, [])
        return [((number << INDEX_BITS) + index, solvers[index], self.tasks[number]) for index in indices]

    def _index(self, task_id: str) -> tuple[Sequence[Program], dict[int, int], dict[str, list[int]]]:
        """The solvers of a task, and their indices by object and by name; tasks may share all these."""
        solvers = self.solvers[task_id]
        if self._last[0] is not solvers:
            by_name: dict[str, list[int]] = {}
            for index, program in enumerate(solvers):
                by_name.setdefault(program.name, []).append(index)
            self._last = solvers, {id(program): index for index, program in enumerate(solvers)}, by_name
        return self._last
