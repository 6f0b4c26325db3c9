"""Folders of kept programs, in two forms."""

import re
from dataclasses import replace
from hashlib import md5
from pathlib import Path

from arcbatt.dsl.constants import INPUTS
from arcbatt.errors import ArcbattError, ProgramError
from arcbatt.files import PARTIAL, write_whole
from arcbatt.program.folders import DIFFER, FolderForm
from arcbatt.program.forms.one_liners import one_liner
from arcbatt.program.graph import Program
from arcbatt.program.kept.score_forms import historical_time
from arcbatt.program.parse import load_programs, parse_programs

_FOLDER_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,99}")


def score_text(score: float) -> str:
    """A score as a folder has it.

    >>> score_text(1000), score_text(812.3334), score_text(0.5)
    ('1000', '812.333', '0.5')
    """
    return f"{score:.3f}".rstrip("0").rstrip(".")


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


def _holds(file: Path, program: Program) -> bool:
    try:
        kept = load_programs(file, on_refused="ignore")
        return any(each.root is program.root for each in kept)
    except ProgramError:
        return False
