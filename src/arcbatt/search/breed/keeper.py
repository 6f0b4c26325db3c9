"""Winners of a batt, kept as files."""

from collections.abc import Callable
from time import perf_counter

from arcbatt.dsl.contract import BEST_SCORE
from arcbatt.engine.running.sample_runner import Runner
from arcbatt.engine.scoring.tally import TaskTally
from arcbatt.errors import ArcbattError
from arcbatt.program.folders import FolderForm
from arcbatt.program.graph import Batt, Program
from arcbatt.program.kept.solver_folder import SolverFolder
from arcbatt.tasks import Task

TIMINGS = 3  # the best of so many runs is the time of a winner


class Keeper:
    """Writes each winner to a folder, and `ab.load_programs` reads them back.

    The score is 1000: a winner is exact wherever the output is known. In the historical form it is the number
    of these samples. The time is that of the winner running alone. A program that is no winner alone is not
    kept, nor is one that is kept already. `alone` makes a runner for a batt; `complain` gets a sentence on
    each failure to keep.
    """

    def __init__(
        self,
        folder: str,
        alone: Callable[[Batt], Runner],
        complain: Callable[[str], None],
        form: FolderForm = "mean",
    ) -> None:
        self._folder, self._alone, self._complain = SolverFolder(folder, form), alone, complain

    def keep(self, found: TaskTally) -> None:
        """Keep the winners of a task."""
        for program in found.winners:
            try:
                self._keep(program, found.task)
            except ArcbattError as error:
                self._complain(f"{program.name} on {found.task.id} is not kept: {error}")

    def _keep(self, program: Program, task: Task) -> None:
        if self._folder.has(program, task.id):
            return
        seconds, mode = self._run_alone(program, task)
        demo, test = len(task.demo), sum(sample.output is not None for sample in task.test)
        remark = f"Exact on all of {task.id} ({demo} demo, {test} test) with on_failure={mode!r}."
        score = self._folder.shown(BEST_SCORE, demo + test)
        self._folder.put(program, task.id, score, self._folder.time(seconds, len(task.samples)), remark)

    def _run_alone(self, program: Program, task: Task) -> tuple[float, str]:
        """The seconds that a winner takes alone, and the failure mode; refused if it is no winner alone."""
        batt, seconds = Batt((program,)), []
        with self._alone(batt) as runner:
            for _ in range(TIMINGS):
                started = perf_counter()
                (record,) = runner.records([task])
                seconds.append(perf_counter() - started)
            if not any(record.solved_by()):
                raise ArcbattError("alone it does not solve the task")
            return min(seconds), runner.on_failure
