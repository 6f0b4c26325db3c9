"""Saving winners, solvers that solve a task, as files in folders by task, score and time."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from arcbatt.batt.breeding.tally import TaskTally
from arcbatt.dsl.constants import INPUTS
from arcbatt.engine.differs import BEST_MARK
from arcbatt.engine.running.sample_runner import Runner
from arcbatt.errors import ArcbattError, ProgramError
from arcbatt.files import whole_file
from arcbatt.program.graph import Batt, Program
from arcbatt.program.parse import load_programs, parse_programs
from arcbatt.tasks import Task

TIMINGS = 3  # the best of so many runs is the time of a winner
_FOLDER_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,99}")


class Keeper:
    """Writes each winner to `solve_<id>/<score>/<time>/<hash>.py`, and `ab.load_programs` reads them back.

    The score is 1000: a winner is exact wherever the output is known. The time is the mean of a sample, in
    microseconds, when the winner runs alone. A program that is no winner alone is not kept, nor is one that
    is kept already. `alone` makes a runner for a batt; `complain` gets a sentence on each failure to keep.
    """

    def __init__(self, folder: str, alone: Callable[[Batt], Runner], complain: Callable[[str], None]) -> None:
        self.folder, self._alone, self._complain = Path(folder), alone, complain
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise ArcbattError(f"{folder}: the folder cannot be made: {reason}") from None

    def keep(self, found: TaskTally) -> None:
        """Keep the winners of a task."""
        for program in found.winners:
            try:
                self._keep(program, found.task)
            except ArcbattError as error:
                self._complain(f"{program.name} on {found.task.id} is not kept: {error}")

    def _keep(self, program: Program, task: Task) -> None:
        if not _FOLDER_NAME.fullmatch(task.id):
            raise ArcbattError("the id of the task cannot be the name of a folder")
        known = self.folder / f"solve_{task.id}"
        if any(_holds(file, program) for file in known.glob(f"*/*/{program.hash}.py")):
            return
        seconds, mode = self._run_alone(program, task)
        text = _source(program, task, mode)
        microseconds = max(1, round(seconds * 1e6 / len(task.samples)))
        path = known / str(BEST_MARK) / str(microseconds) / f"{program.hash}.py"
        if path.exists():
            raise ArcbattError(f"{path} holds something else")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ArcbattError(f"{path.parent} cannot be made: {error.strerror or error}") from None
        with whole_file(str(path)) as file:
            file.write(text)

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


def _holds(file: Path, program: Program) -> bool:
    try:
        kept = load_programs(file, on_refused="ignore")
        return any(each.root is program.root for each in kept)
    except ProgramError:
        return False


def _source(program: Program, task: Task, mode: str) -> str:
    """A winner as the text of a file, with its task and failure mode; it reads back as the same program."""
    text = replace(program, name="solve", inputs=INPUTS).source()
    (again,) = parse_programs(text)
    if again.root is not program.root:
        raise ArcbattError("its source does not read back as the same program")
    demo, test = len(task.demo), sum(sample.output is not None for sample in task.test)
    return f"# Exact on all of {task.id} ({demo} demo, {test} test) with on_failure={mode!r}.\n{text}"
