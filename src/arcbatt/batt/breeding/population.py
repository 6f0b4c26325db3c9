"""Populations kept as files in folders by task, score and time."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from hashlib import md5
from pathlib import Path
from time import perf_counter

from arcbatt.dsl.constants import INPUTS
from arcbatt.engine.running.sample_runner import Runner
from arcbatt.engine.scoring.differs import BEST_MARK
from arcbatt.engine.scoring.tally import TaskTally
from arcbatt.errors import ArcbattError, ProgramError, TaskError
from arcbatt.files import PARTIAL, write_whole
from arcbatt.program.folders import DIFFER, FolderForm
from arcbatt.program.forms.one_liners import one_liner
from arcbatt.program.graph import Batt, KeptScore, KeptSum, Program
from arcbatt.program.parse import load_programs, parse_programs
from arcbatt.tasks import Task
from arcbatt.tasks.published import published_task

TIMINGS = 3  # the best of so many runs is the time of a winner
LONGEST_TIME = 11  # of the historical form: what takes a second has 11, what takes longer has less
_FOLDER_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,99}")


def score_text(score: float) -> str:
    """A score as a folder has it.

    >>> score_text(1000), score_text(812.3334), score_text(0.5)
    ('1000', '812.333', '0.5')
    """
    return f"{score:.3f}".rstrip("0").rstrip(".")


def historical_time(seconds: float) -> int:
    """A time as the historical form has it: a number that is larger for what is faster.

    >>> [historical_time(seconds) for seconds in (1, 0.05, 0.0004)]
    [11, 13, 18]
    """
    return LONGEST_TIME - int(math.log(max(seconds, 1e-9)))


def seconds_of_historical(time: float) -> float:
    """A time in seconds that has this number in the historical form.

    >>> [historical_time(seconds_of_historical(time)) for time in (8, 11, 18)]
    [8, 11, 18]
    """
    exponent = LONGEST_TIME - time
    return math.exp(exponent + math.copysign(0.5, exponent) if exponent else 0.0)


def known_outputs(task: Task) -> int:
    """The number of samples whose output is known: the highest score of the historical form."""
    return sum(sample.output is not None for sample in task.samples)


def known_outputs_of(task_id: str) -> int | None:
    """The same of a published task; None if there is no such task."""
    try:
        return known_outputs(published_task(task_id))
    except TaskError:
        return None


def in_means(kept: KeptScore, samples: int) -> KeptScore:
    """Score and time of a program as the mean of so many samples, from those of the historical form.

    >>> in_means(KeptSum(3, 17), 4)
    KeptScore(score=750.0, time=376)
    """
    if not kept.is_sum:
        return kept
    share = min(kept.score / samples, 1)
    return KeptScore(BEST_MARK * share, max(1, round(seconds_of_historical(kept.time) * 1e6 / samples)))


def in_sums(score: float, time: float, samples: int) -> KeptSum:
    """Score and time of a program in the historical form, from those of the mean of so many samples.

    >>> in_sums(750, 376, 4)
    KeptSum(score=3, time=17)
    """
    exact = int(score * samples / BEST_MARK + 1e-6)
    return KeptSum(exact, historical_time(time * samples / 1e6))


def differ_folder(folder: str) -> str:
    """The folder of differs that goes with a folder of solvers.

    >>> differ_folder("pop/solver_dir"), differ_folder("night")
    ('pop/differ_dir', 'night_differs')
    """
    path = Path(folder)
    path = path if path.name not in ("", "..") else path.resolve()  # `.` has the name of the folder it is
    if not path.name:
        raise ArcbattError(f"{folder}: no folder stands beside this one, for differs; name one inside it")
    name = path.name.replace("solver", DIFFER) if "solver" in path.name else f"{path.name}_differs"
    return str(path.with_name(name))


class SolverFolder:
    """A folder of kept programs: `solve_<id>/<score>/<time>/<hash>.py`, and `differ/...` for differs.

    In the form "mean" the score goes from 0 to 1000, the time is that of a sample in microseconds, and a file
    is named by the hash of its program. In the historical form, "sum", the score is the number of exact
    samples, the time is `11 - int(log(seconds))`, and a file is named by the MD5 digest of its text, which
    stands in the folder `solver_md5` beside the folder as well; `solver_def` has it as one expression.

    Each file appears whole, and is on the disk at once; with `waits` false the system puts it there later.
    """

    def __init__(self, folder: str, form: FolderForm = "mean", waits: bool = True) -> None:
        self.folder, self.form, self._waits = Path(folder), form, waits
        _make(self.folder)

    def put(self, program: Program, task_id: str | None, score: str, time: str, remark: str = "") -> Path:
        """Write a program, for a task or as a differ; where it is with this score, it stays as it is.

        A remark stands in the first line of a file, but for the historical form.
        """
        text = self._text(program)
        name = self._name(program, text)
        place = self._place(task_id)
        there = sorted(path for path in (place / score).glob(f"*/{name}.py") if path.stat().st_size)
        if there:
            return there[0]
        if self.form == "sum":
            self._write(self._beside("md5") / f"{name}.py", text)
            self._write_nested(program, name)
        elif remark:
            text = f"# {remark}\n{text}"
        path = place / score / time / f"{name}.py"
        self._write(path, text)
        return path

    def shown(self, score: float, exact: int) -> str:
        """The name of the folder of a score."""
        return score_text(score) if self.form == "mean" else str(exact)

    def time(self, seconds: float, samples: int) -> str:
        """The name of the folder of a time, that of so many samples together."""
        if self.form == "sum":
            return str(historical_time(seconds))
        return str(max(1, round(seconds * 1e6 / max(samples, 1))))

    def files_of(self, program: Program, task_id: str | None) -> list[Path]:
        """The files of a program for a task, or as a differ, whatever its score and its time."""
        return sorted(self._place(task_id).glob(f"*/*/{self._name(program, self._text(program))}.py"))

    def has(self, program: Program, task_id: str) -> bool:
        """Whether a program is kept for a task with some score."""
        return any(_holds(file, program) for file in self.files_of(program, task_id))

    def _place(self, task_id: str | None) -> Path:
        if task_id is None:
            return self.folder / DIFFER
        if not _FOLDER_NAME.fullmatch(task_id):
            raise ArcbattError(f"the id of task {task_id!r} cannot be the name of a folder")
        return self.folder / f"solve_{task_id}"

    def _name(self, program: Program, text: str) -> str:
        return program.hash if self.form == "mean" else md5(text.encode(), usedforsecurity=False).hexdigest()

    def _text(self, program: Program) -> str:
        """A program as the text of a file; it reads back as the same program."""
        text = _as_kept(program).source()
        if not _reads_back(text, program):
            raise ArcbattError("its source does not read back as the same program")
        return text

    def _beside(self, ending: str) -> Path:
        """The folder beside the folder: `solver_md5` of `solver_dir`."""
        return self.folder.parent / f"{self.folder.name.removesuffix('_dir')}_{ending}"

    def _write_nested(self, program: Program, name: str) -> None:
        """Write a program as one expression beside the folder, if Python can read it."""
        try:
            text = one_liner(program, "solve" if program.kind == "solver" else DIFFER)
        except ArcbattError:  # too long, or too deep
            return
        self._write(self._beside("def") / f"{name}.def", text)

    def _write(self, path: Path, text: str) -> None:
        if path.exists() and path.stat().st_size:
            if path.read_text("utf-8", "replace") == text:
                return
            raise ArcbattError(f"{path} holds something else")
        _make(path.parent)
        if self._waits:
            write_whole(str(path), text.encode())
            return
        unfinished = path.with_name(f".{path.name}{PARTIAL}")
        try:
            unfinished.write_text(text, "utf-8")
            unfinished.replace(path)
        except OSError as error:
            raise ArcbattError(f"{path}: cannot be written: {error.strerror or error}") from None


def _as_kept(program: Program) -> Program:
    """A program under the name and with the inputs that it has in its file."""
    return replace(program, name="solve" if program.kind == "solver" else DIFFER, inputs=INPUTS)


def _reads_back(text: str, program: Program) -> bool:
    try:
        return [again.root for again in parse_programs(text, on_refused="ignore")] == [program.root]
    except ProgramError:
        return False


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ArcbattError(f"{folder}: the folder cannot be made: {reason}") from None


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
        score = self._folder.shown(BEST_MARK, demo + test)
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


def _holds(file: Path, program: Program) -> bool:
    try:
        kept = load_programs(file, on_refused="ignore")
        return any(each.root is program.root for each in kept)
    except ProgramError:
        return False
