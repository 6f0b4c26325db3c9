"""Differs on the outputs of solvers: each runs once for each distinct output of a demo sample."""

from collections import Counter
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from arcbatt.dsl.contract import Judging
from arcbatt.dsl.failures import Kind
from arcbatt.engine.backend import NO_OUTPUT, Job, SolverScores
from arcbatt.engine.plan import plan_for_outputs
from arcbatt.engine.records.verdicts import failures_in
from arcbatt.engine.run import Setting
from arcbatt.program.graph import Program
from arcbatt.tasks import Task

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Marks: TypeAlias = npt.NDArray[np.integer]

BEST_MARK = 1000  # what a differ gives where its aspect agrees; 0 is the worst
MOST_OUTPUTS = 1 << 18  # of solvers, equal ones included, that are looked at before differs run on them


class ScoredRecord(NamedTuple):
    """The solvers of a task, the verdicts on them, and the scores of their outputs on demo samples."""

    task: Task
    programs: Sequence[Program]
    scored: SolverScores

    def codes(self, index: int) -> bytes:
        """The verdicts on a solver, one for each sample."""
        count = len(self.task.samples)
        return self.scored.verdicts[index * count : (index + 1) * count]


def scored_records(setting: Setting, differs: Sequence[Program]) -> Iterator[ScoredRecord]:
    """Run solvers, and differs on their outputs, task by task.

    A differ is a program of its own, which has an output as I. Statistics count solvers and differs.
    """
    planned = plan_for_outputs(differs)
    stats, failures = setting.stats, Counter[Kind]()
    for tasks, wanted in _portions(setting):
        started, before = perf_counter(), setting.backend.elements
        judged = [Judging.as_whole] * len(setting.plan.roots)
        job = Job(setting.plan, judged, tasks, wanted, setting.options)
        found = setting.backend.score(job, [len(task.demo) for task in tasks], planned)
        stats.seconds += perf_counter() - started
        failures.update(failures_in([scored.verdicts for scored in found]))
        stats.failures = dict(failures)
        elements = setting.backend.elements - before
        stats.elements += elements.count
        stats.elements_in_columns += elements.in_columns
        for task, asked, scored in zip(tasks, wanted, found):
            stats.tasks += bool(asked)
            stats.evaluations += len(scored.verdicts) + sum(len(scores) // 4 for scores in scored.scores)
            yield ScoredRecord(task, [setting.batt.programs[index] for index in asked], scored)


def _portions(setting: Setting) -> Iterator[tuple[list[Task], list[tuple[int, ...]]]]:
    """The tasks, and the solvers that each wants, in portions whose outputs fit in memory."""
    tasks: list[Task] = []
    wanted: list[tuple[int, ...]] = []
    room = MOST_OUTPUTS
    for task, asked in zip(setting.tasks, setting.wanted):
        tasks.append(task)
        wanted.append(asked)
        room -= len(asked) * len(task.demo)
        if room <= 0:
            yield tasks, wanted
            tasks, wanted, room = [], [], MOST_OUTPUTS
    if tasks:
        yield tasks, wanted


def marks_of(scores: bytes, rows: int, columns: int = -1) -> "Marks":
    """The scores of a record, or of outputs, as a table of marks from 0 to BEST_MARK.

    A score beyond either end is clipped to it. A differ that failed has given no score; its mark is 0.
    """
    import numpy as np  # not above: the import takes longer than the start of a command without it

    return np.clip(np.frombuffer(scores, np.intc).reshape(rows, columns), 0, BEST_MARK)


def sums_of_marks(
    outputs: bytes, scores: Sequence[bytes], solvers: int, samples: int, differs: int
) -> "Marks":
    """For each solver and sample the sum of the differs' marks; 0 where it is exact.

    `outputs` and `scores` are as in `SolverScores`.
    """
    import numpy as np

    numbers = np.frombuffer(outputs, np.uintc).reshape(solvers, samples)
    sums = np.zeros(numbers.shape, np.int64)
    for sample, of_sample in enumerate(scores if differs else ()):
        by_output = marks_of(of_sample, differs).sum(axis=0)
        wrong = numbers[:, sample] != NO_OUTPUT
        sums[wrong, sample] = by_output[numbers[wrong, sample]]
    return sums


def every_mark(outputs: bytes, scores: Sequence[bytes], solvers: int, samples: int, differs: int) -> "Marks":
    """The mark of each differ for each solver and sample; BEST_MARK where it is exact.

    `outputs` and `scores` are as in `SolverScores`.
    """
    import numpy as np

    marks = np.full((differs, solvers, samples), BEST_MARK, np.int64)
    if differs:
        numbers = np.frombuffer(outputs, np.uintc).reshape(solvers, samples)
        for sample, of_sample in enumerate(scores):
            wrong = np.flatnonzero(numbers[:, sample] != NO_OUTPUT)
            marks[:, wrong, sample] = marks_of(of_sample, differs)[:, numbers[wrong, sample]]
    return marks
