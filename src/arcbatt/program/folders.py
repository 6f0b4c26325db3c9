"""Folders of program files, and populations kept in files whose paths hold task, score and time."""

import os
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Literal

from arcbatt.errors import ProgramError
from arcbatt.program.graph import KeptScore, KeptSum, Program
from arcbatt.program.names import own_name

FolderForm = Literal["mean", "sum"]  # scores from 0 to 1000, or numbers of samples as older tools wrote
MOST_ENTRIES = 1_000_000  # in a folder and all folders below it
DIFFER = "differ"  # the folder of kept differs, instead of one for a task
_TASK_FOLDER = re.compile(f"(solve_.+|{DIFFER})")
_TASK_ID_FOLDER = re.compile("(solve_[0-9a-f]{8})")
MOST_SUMMED = 100  # a larger score is not a number of exact samples: no task has as many
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
_MD5 = re.compile("[0-9a-f]{32}")
SUFFIXES = (".py", ".def")  # of program files


def program_files_of(folder: str | os.PathLike[str]) -> list[Path]:
    """The .py and .def files of a folder and of all folders below it, in the order of their paths.

    A file whose whole name is an MD5 hash counts too. Hidden files and `__init__.py` are left out. A folder
    that links reach twice is read once. A folder that cannot be opened is itself listed, so that reading it
    reports the reason.
    """
    files: list[Path] = []
    seen: set[tuple[int, int]] = set()
    left = MOST_ENTRIES
    stack = [Path(folder)]
    while stack:
        path = stack.pop()
        if not path.is_dir():
            files.append(path)
            continue
        try:
            found = path.stat()
            if (found.st_dev, found.st_ino) in seen:
                continue
            seen.add((found.st_dev, found.st_ino))
            with os.scandir(path) as entries:
                names = [entry.name for entry, _ in zip(entries, range(left + 1))]
            inside = [path / name for name in names if _may_hold_programs(path, name)]
        except OSError:
            files.append(path)
            continue
        left -= len(names)
        if left < 0:
            raise ProgramError(
                f"there are more than {MOST_ENTRIES:,} files in this folder; name a smaller one",
                os.fspath(folder),
            )
        stack += sorted(inside, reverse=True)
    return files


def _may_hold_programs(folder: Path, name: str) -> bool:
    if name.startswith(".") or name == "__init__.py":
        return False
    return name.endswith(SUFFIXES) or _MD5.fullmatch(name) is not None or (folder / name).is_dir()


def bare_name(path: str | os.PathLike[str]) -> str | None:
    """The name of a program whose file holds only an expression; None if the file has functions.

    Such a file ends in `.def`, or is named by an MD5 hash. It holds a differ if its name or that of its
    folder begins with `differ`.

    >>> bare_name("solver_def/0f3c.def"), bare_name("differ_def/0f3c.def"), bare_name("mine.py")
    ('solve', 'differ', None)
    """
    file = Path(path)
    if file.suffix != ".def" and not _MD5.fullmatch(file.stem):
        return None
    return "differ" if any(name.startswith("differ") for name in (file.name, file.parent.name)) else "solve"


def as_kept(programs: Iterable[Program], path: str | os.PathLike[str]) -> list[Program]:
    """The programs of a file with score and time, if its path is `solve_<id>/<score>/<time>/<hash>.py`.

    A solver without a task in its name is named after the folder and its hash. In a folder `differ` instead
    of `solve_<id>` the path says how good a differ is.

    A file that is named by the hash of its program has a score from 0 to 1000. In the historical form, where
    files have other names, a score is the number of exact samples.

    >>> from arcbatt.program.parse import parse_programs
    >>> solvers = parse_programs("def solve(S, I, C): return I")
    >>> (program,) = as_kept(solvers, "solve_67a3c6ac/3/17/0f3c9d2a.py")
    >>> program.name == f"solve_67a3c6ac~{program.hash[:6]}", program.task_id, program.kept
    (True, '67a3c6ac', KeptSum(score=3, time=17))
    >>> as_kept(solvers, f"solve_67a3c6ac/3/17/{program.hash}.py")[0].kept
    KeptScore(score=3, time=17)
    """
    path = Path(path)
    name, kept = _from_path(path.absolute().parts[:-1])
    if name is None:
        return list(programs)
    return [
        replace(
            program,
            name=own_name(name, program.hash) if _is_unnamed(program, name) else program.name,
            kept=kept and _in_its_form(kept, path.stem == program.hash),
        )
        for program in programs
    ]


def _in_its_form(kept: KeptScore, is_named_by_hash: bool) -> KeptScore:
    is_number = type(kept.score) is int and 0 <= kept.score <= MOST_SUMMED
    return KeptSum(*kept) if is_number and not is_named_by_hash else kept


def _is_unnamed(program: Program, name: str) -> bool:
    if program.kind == "differ":
        return name == DIFFER and program.name == DIFFER
    return program.entry_id is None and program.task_id is None and name != DIFFER


def _from_path(folders: tuple[str, ...]) -> tuple[str | None, KeptScore | None]:
    """The name that the folders imply for a solver, and its score and time."""
    if len(folders) >= 3:
        task, score, time = folders[-3:]
        found = _TASK_FOLDER.fullmatch(task)
        if found and _NUMBER.fullmatch(score) and _NUMBER.fullmatch(time):
            return found[1], KeptScore(_number(score), _number(time))
    for folder in folders[:-4:-1]:
        found = _TASK_ID_FOLDER.fullmatch(folder)
        if found:
            return found[1], None
    return None, None


def _number(text: str) -> float:
    return float(text) if "." in text else int(text)
