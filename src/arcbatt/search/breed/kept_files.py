"""The files of a folder of kept solvers: what their paths say, whether that is so, and which are the best."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from arcbatt.engine.backend import FailureMode
from arcbatt.engine.records.record import Outcome
from arcbatt.engine.run import run
from arcbatt.engine.scoring.differs import BEST_MARK
from arcbatt.errors import ArcbattError, ProgramError
from arcbatt.program.folders import program_files_of
from arcbatt.program.graph import Program
from arcbatt.program.kept.score_forms import known_outputs_of
from arcbatt.program.parse import load_programs
from arcbatt.tasks import Task
from arcbatt.text import plural, printable

NEARLY = 0.01  # scores in paths are rounded


@dataclass(frozen=True)
class KeptFile:
    """A file `solve_<id>/<score>/<time>/<name>` and its solver.

    A score goes from 0 to 1000, and a smaller time is better. In the historical form, where the name is not
    the hash of the program, the score is the number of exact samples, and a larger time is better.
    """

    path: Path
    program: Program

    @property
    def task(self) -> str:
        """The id of the task, as the folder has it."""
        return self.path.absolute().parts[-4].removeprefix("solve_")

    @property
    def score(self) -> float:
        """The score in the path."""
        return self.program.kept.score if self.program.kept else 0

    @cached_property
    def is_sum(self) -> bool:
        """Whether the score is a number of samples."""
        return self.program.kept is not None and self.program.kept.is_sum

    def rank(self, most: float) -> tuple[float, float, str]:
        """What orders the files of a task, the best first; `most` is the highest number of samples."""
        time = self.program.kept.time if self.program.kept else 0
        share = self.score / max(most, 1) if self.is_sum else self.score / BEST_MARK
        return -share, -time if self.is_sum else time, self.path.as_posix()


@dataclass(frozen=True)
class KeptFolder:
    """The kept solvers of a folder; `others` counts program files that are none, `refused` has reasons."""

    files: tuple[KeptFile, ...]
    others: int
    refused: tuple[ProgramError, ...]

    @cached_property
    def by_task(self) -> Mapping[str, Sequence[KeptFile]]:
        """The files of each task, the best first."""
        found: dict[str, list[KeptFile]] = {}
        for file in self.files:
            found.setdefault(file.task, []).append(file)
        return {task: _best_first(found[task]) for task in sorted(found)}

    def superfluous(self, keep: int) -> Iterator[tuple[KeptFile, str]]:
        """The files to remove so that each task has its best `keep` solvers, each once; and the reasons."""
        for files in self.by_task.values():
            seen: dict[str, KeptFile] = {}
            for file in files:
                first = seen.setdefault(file.program.hash, file)
                if first is not file:
                    yield file, f"the same program as {first.path}"
                elif len(seen) > keep:
                    yield file, f"not among the best {keep:,} of {file.task}"


def kept_folder_of(folder: str | os.PathLike[str]) -> KeptFolder:
    """The kept solvers of a folder and those below it; all other files stay out of account.

    >>> kept_folder_of("nowhere")
    Traceback (most recent call last):
    arcbatt.errors.ArcbattError: nowhere: expected a folder of kept solvers, got no folder; name one...
    """
    if not Path(folder).is_dir():
        reason = "expected a folder of kept solvers, got no folder; name one that is there"
        raise ArcbattError(f"{os.fspath(folder)}: {reason}")
    files: list[KeptFile] = []
    refused: list[ProgramError] = []
    others = 0
    for path in program_files_of(folder):
        try:
            programs = load_programs(path, on_refused="ignore")
        except ProgramError as error:
            refused.append(error)
            continue
        refused += programs.refused
        kept = [KeptFile(path, program) for program in programs if program.kept and program.kind == "solver"]
        if kept and len(programs) + len(programs.refused) > 1:  # no path tells of them all
            number = plural(len(programs) + len(programs.refused), "program")
            reason = f"expected one program in a kept file, got {number}; write a file for each"
            refused.append(ProgramError(reason, os.fspath(path)))
            continue
        files += kept
        others += not kept
    return KeptFolder(tuple(files), others, tuple(refused))


def _best_first(files: Sequence[KeptFile]) -> list[KeptFile]:
    sums = [file.score for file in files if file.is_sum]
    is_mixed = 0 < len(sums) < len(files)
    most = max((*sums, (known_outputs_of(files[0].task) or 0) if is_mixed else 0), default=0)
    return sorted(files, key=lambda file: file.rank(most))


def remove_file(path: Path, folder: Path) -> None:
    """Remove a file, and the folders that are empty then."""
    path.unlink()
    for above in path.parents:
        if above == folder or not above.is_relative_to(folder):
            return
        try:
            above.rmdir()
        except OSError:
            return


@dataclass(frozen=True)
class KeptFileCheck:
    """What a program does on its task, beside the score in its path."""

    file: KeptFile
    exact: int
    known: int
    demo_exact: int
    score: float

    @property
    def is_right(self) -> bool:
        """Whether the path says what the program does: of a number of samples, all or those of the demo."""
        if self.file.is_sum:
            return self.file.score in (self.exact, self.demo_exact)
        return abs(self.file.score - self.score) < NEARLY

    @property
    def words(self) -> str:
        """The two scores in a sentence."""
        found = f"exact on {self.exact} of {plural(self.known, 'sample')}, score {self.score:.6g}"
        return printable(f"{self.file.path}: the path says {self.file.score:g}, it is {found}")

    def as_json(self) -> dict[str, Any]:
        """The same as data."""
        return {
            "file": os.fspath(self.file.path),
            "task": self.file.task,
            "path_score": self.file.score,
            "exact": self.exact,
            "samples": self.known,
            "score": round(self.score, 3),
            "right": self.is_right,
        }


def checked(
    files: Iterable[KeptFile],
    tasks: Mapping[str, Task],
    on_failure: FailureMode,
    timeout: float | None = None,
) -> Iterator[KeptFileCheck]:
    """Run kept solvers again, task by task; files of other tasks are passed over.

    The score is 1000 if all samples with a known output are exact, else the mean partial score of the demo
    samples.
    """
    by_task: dict[str, list[KeptFile]] = {}
    for file in files:
        if file.task in tasks:
            by_task.setdefault(file.task, []).append(file)
    for task_id, some in by_task.items():
        task = tasks[task_id]
        programs = {file.program.root: file.program for file in some}
        found = run(
            list(programs.values()),
            [task],
            "all",
            on_failure=on_failure,
            partial_scores=True,
            timeout=timeout,
        )
        for file in some:
            yield _compared(file, found[programs[file.program.root], task])


def _compared(file: KeptFile, outcome: Outcome) -> KeptFileCheck:
    verdicts = [exact for exact in (*outcome.demo, *outcome.test) if exact is not None]
    parts = [score or 0 for score in outcome.scores[: len(outcome.demo)]]
    score = BEST_MARK if outcome.solved else sum(parts) / max(len(parts), 1)
    demo = sum(exact is True for exact in outcome.demo)
    return KeptFileCheck(file, sum(verdicts), len(verdicts), demo, score)
