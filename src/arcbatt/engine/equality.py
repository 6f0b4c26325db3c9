"""Whether programs do the same: their values and failures on the samples of tasks, compared one by one."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from arcbatt.dsl.failures import Failure
from arcbatt.dsl.values import Value
from arcbatt.engine.backend import FailureMode, RunOptions, how_many
from arcbatt.engine.choose import best_cpu
from arcbatt.engine.plan import plan
from arcbatt.engine.records.verdicts import Outputs
from arcbatt.program.graph import Node, Program
from arcbatt.tasks import Task
from arcbatt.tasks.sample_names import sample_name
from arcbatt.tasks.samples import Samples

ANOTHER = "another value"
PROGRAMS_AT_ONCE, TASKS_AT_ONCE = 500, 20  # whose outputs are held in memory


class Difference(NamedTuple):
    """A sample on which two programs do not do the same, and what they give, in words."""

    task: str
    sample: str
    before: str
    after: str

    def __str__(self) -> str:
        what = self.after if self.after == ANOTHER else f"{self.after} instead of {self.before}"
        return f"on {self.task} {self.sample} it gives {what}"


def first_differences(
    programs: Sequence[Program],
    others: Sequence[Node],
    tasks: Sequence[Task],
    modes: Iterable[FailureMode] = ("fail",),
    on_task: Callable[[Task], None] | None = None,
) -> list[Difference | None]:
    """For each program the first sample on which another expression in its place gives another result.

    Failures are the same if they are of one kind. A differ is compared on the inputs, and on the expected
    outputs as candidates. None means that all results are equal, in each of the failure modes.

    >>> from arcbatt.program.parse import parse_programs
    >>> from arcbatt.tasks import load_tasks
    >>> programs = parse_programs("def solve_x(I): return rot90(rot90(I))")
    >>> others = [program.root for program in parse_programs("def solve_x(I): return hmirror(I)")]
    >>> tasks = load_tasks("00d62c1b")
    >>> first_differences(programs, [programs[0].root], tasks), first_differences(programs, others, tasks)
    ([None], [Difference(task='00d62c1b', sample='demo 1', before='a value', after='another value')])
    """
    found: list[Difference | None] = [None] * len(programs)
    for first in range(0, len(tasks), TASKS_AT_ONCE):
        some = tasks[first : first + TASKS_AT_ONCE]
        for start in range(0, len(programs), PROGRAMS_AT_ONCE):
            end = min(start + PROGRAMS_AT_ONCE, len(programs))
            indices = [index for index in range(start, end) if found[index] is None]
            for mode in modes if indices else ():
                for index, difference in _differing(programs, others, indices, some, mode):
                    found[index] = found[index] or difference
        if on_task is not None:
            for task in some:
                on_task(task)
    return found


def _differing(
    programs: Sequence[Program],
    others: Sequence[Node],
    indices: Sequence[int],
    tasks: Sequence[Task],
    mode: FailureMode,
) -> Iterator[tuple[int, Difference]]:
    """The programs that differ on the tasks, each with a difference or several."""
    # Most results are values, which one op compares where they are; only the rest become Python objects.
    equal = _outcomes([_compared(programs[index], others[index]) for index in indices], tasks, mode)
    for task, rows in zip(tasks, equal):
        rest = [index for index, *column in zip(indices, *rows) if any(one != 1 for one in column)]
        if not rest:
            continue
        both = [programs[index] for index in rest]
        both += [program.altered(root=others[index]) for program, index in zip(both, rest)]
        for number, row in enumerate(_outcomes(both, [task], mode)[0]):
            for index, before, after in zip(rest, row, row[len(rest) :]):
                words = _different(before, after)
                if words is not None and (number < len(task.samples) or programs[index].kind == "differ"):
                    yield index, Difference(task.id, _name(task, number), *words)


def _compared(program: Program, other: Node) -> Program:
    return program.altered(root=Node.op("equality", program.root, other))


def _outcomes(programs: Sequence[Program], tasks: Sequence[Task], mode: FailureMode) -> list[list[Outputs]]:
    """The outcomes by task and sample; where there are differs, also on the expected outputs as inputs."""
    backend, _ = best_cpu()
    scores = any(program.kind == "differ" for program in programs)
    parts = [
        Samples(task.id, task.pairs, [*task.samples, *(_candidates(task) if scores else ())])
        for task in tasks
    ]
    options = RunOptions(on_failure=mode, threads=how_many("threads", None))
    return list(backend.outcomes(plan(programs), parts, options))


def _candidates(task: Task) -> list[tuple[Any, Any]]:
    return [(output, output) for _, output in task.samples if output is not None]


def _name(task: Task, number: int) -> str:
    return sample_name(task, number) if number < len(task.samples) else "its expected outputs"


def _different(before: Value | Failure, after: Value | Failure) -> tuple[str, str] | None:
    """Two results that differ, in words; None if they are the same."""
    if isinstance(before, Failure) or isinstance(after, Failure):
        kinds = tuple(
            f"a failure {each.kind}" if isinstance(each, Failure) else "a value" for each in (before, after)
        )
        return None if kinds[0] == kinds[1] else (kinds[0], kinds[1])
    return None if before == after else ("a value", ANOTHER)
