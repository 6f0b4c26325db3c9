"""The programs and tasks that a command line names: by file, folder, `file:name`, library name or id."""

import ast
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from arcbatt.engine.running.idle import Wording, idle, nothing_to_run
from arcbatt.errors import ArcbattError, ProgramError
from arcbatt.library import LIBRARY, library_files, load_library
from arcbatt.notices import note, tell
from arcbatt.program.batt_files.read import batt_in, is_batt
from arcbatt.program.emit import function_name
from arcbatt.program.folders import program_files_of
from arcbatt.program.graph import Batt, Program
from arcbatt.program.merge import merge
from arcbatt.program.oddities import Oddity
from arcbatt.program.parse import LoadedPrograms, is_parsed_at_once, load_programs
from arcbatt.program.syntax import parsed, text_of_file
from arcbatt.tasks import TaskSet, load_tasks
from arcbatt.tasks.load import task_files
from arcbatt.tasks.tasks import split_ids
from arcbatt.text import plural

REFUSALS_TOLD = 10  # of each file
NO_FILE = "the library, and no file"
SOLVE = "solve_"  # what the names of solvers begin with; a task may be asked for by that of its solver
OPTIONS = Wording("--pairs all", "add --tasks {}", "--tasks and --limit choose the tasks")
DATA = {"train": "arc1/training", "eval": "arc1/evaluation"}


def program_files(names: Sequence[str]) -> list[Path]:
    """The program files that names stand for: a file, the .py and .def files in a folder, or the library."""
    files = [file for name in names for file in _files(name)] if names else library_files("solvers")
    if not files:
        raise ArcbattError("the library holds no solvers; name a program file")
    return files


def _files(name: str) -> list[Path]:
    if not name:
        raise ArcbattError("'' is no file; name a program file or a folder, or leave it out")
    path = Path(name)
    if name == LIBRARY and not path.exists():
        return library_files("solvers")
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError) and name.isidentifier():
            raise _no_file(name) from None
        raise ArcbattError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not os.access(path, os.R_OK):
        raise ArcbattError(f"{name}: cannot be read: permission denied")
    if stat.S_ISDIR(mode):
        files = program_files_of(name)
        if not files:
            raise ArcbattError(
                f"{name}: there are no .py or .def files in this folder; name one that has program files"
            )
        return files
    if not stat.S_ISREG(mode):
        raise ArcbattError(
            f"{name}: is neither a regular file nor a folder; save its content to a file first"
        )
    return [path]


def _no_file(name: str) -> ArcbattError:
    """The error for the name of a program, or nearly one, where files are asked for."""
    task_id = _named(name, load_library("all"), NO_FILE).task_id
    way = f"{LIBRARY} names all programs of it{f', --tasks {task_id} its task' if task_id else ''}"
    return ArcbattError(f"{name}: is a program of the library, and no file; {way}")


class Refusals:
    """Reports refused programs and odd lines on standard error; if strict, the first one is an error."""

    def __init__(self, strict: bool) -> None:
        self.strict, self.count, self._is_of_programs = strict, 0, True

    def add(self, refused: Sequence[ProgramError]) -> None:
        """Report what is refused of a file."""
        if self.strict and refused:
            raise refused[0]
        self.count += len(refused)
        self._is_of_programs &= all(error.program for error in refused)
        for error in _summed_up(refused):
            note(str(error))

    def sum_up(self) -> None:
        """Say how much was refused, where other lines have come after it."""
        if self.count:
            were = "was" if self.count == 1 else "were"
            noun = "program" if self._is_of_programs else "statement"
            tell(f"{plural(self.count, noun)} {were} refused, see above")

    def warn(self, warnings: Iterable[Oddity]) -> None:
        """Report lines that are odd and accepted all the same."""
        for warning in warnings:
            note(str(warning))


def read_programs(files: Sequence[Path], refusals: Refusals) -> list[Program]:
    """The programs of the files; refused ones are reported, the first few of each file one by one."""
    programs: list[Program] = []
    for file in files:
        try:
            found = load_programs(file, on_refused="raise" if refusals.strict else "ignore")
            programs += found
            refused = found.refused
            refusals.warn(found.warnings)
        except ProgramError as error:
            refused = [error, *error.others]
        refusals.add(refused)
    return programs


def read_batt(files: Sequence[Path], refusals: Refusals) -> Batt:
    """The batt of a batt file as it stands there, or the programs of files merged."""
    if len(files) == 1 and files[0].is_file():
        text = text_of_file(files[0])
        module = parsed(text, str(files[0])) if is_parsed_at_once(text) else None
        if isinstance(module, ast.Module) and is_batt(module):
            batt = batt_in(module, text, str(files[0]), refusals.strict)
            refusals.warn(batt.warnings)
            return batt
    return merge(read_programs(files, refusals))


def _summed_up(refused: Sequence[ProgramError]) -> Iterator[ProgramError]:
    """The first refusals of a file, and one for all others: an ordinary Python file has hundreds."""
    yield from refused[:REFUSALS_TOLD]
    rest = refused[REFUSALS_TOLD:]
    if rest:
        reason = f"refused from here on as well: {len(rest):,} more"
        yield ProgramError(reason, rest[0].file, rest[0].line, rest[0].column)


def find_program(name: str, task_id: str) -> Program:
    """The program that a name stands for; of several in a file, the one for the task."""
    if name and Path(name).exists():
        return _choose(name, load_programs(name, on_refused="ignore"), task_id)
    file, colon, inner = name.rpartition(":")
    if colon and Path(file).exists():
        return _named(inner, load_programs(file, on_refused="ignore"), file)
    return _named(name, load_library("all"), NO_FILE)


def _choose(file: str, programs: LoadedPrograms, task_id: str) -> Program:
    fitting = [program for program in programs if program.task_id == task_id]
    refusal = next((each for each in programs.refused if task_id in each.program), None)
    if refusal is not None and task_id and not fitting:
        raise refusal
    if len(programs) == 1 or len(fitting) == 1:
        return (fitting or programs)[0]
    raise ArcbattError(
        f"{file}: holds {len(programs)} programs; name one of them, such as {file}:{programs[0].name}"
    )


def _named(name: str, programs: LoadedPrograms, where: str) -> Program:
    for program in programs:
        if name in (program.name, function_name(program)):
            return program
    refusal = next((error for error in programs.refused if error.reason.startswith(f"{name}:")), None)
    if refusal is not None:
        raise refusal
    close = get_close_matches(name, [program.name for program in programs], n=3)
    hint = f"the nearest are {', '.join(close)}" if close else "name a file, FILE:NAME, or one of the library"
    raise ArcbattError(f"there is no program {name!r} in {where}; {hint}")


def tell_of_idle(programs: Sequence[Program], tasks: TaskSet, files: Sequence[Path]) -> None:
    """Refuse programs none of which has a task; outside the library, tell which ones have none."""
    named = list(files) != library_files("solvers")
    if any(program.task_id in tasks for program in programs):
        for sentence in idle(programs, tasks, tasks.name, OPTIONS) if named else ():
            tell(f"not run: {sentence}")
    elif named:
        raise ArcbattError(nothing_to_run(programs, tasks, tasks.name, OPTIONS))
    else:
        raise ArcbattError(
            f"no program of the library is for one of the tasks; {OPTIONS.pairs} runs each on every task"
        )


def tasks_of(data: str) -> TaskSet:
    """The tasks that `--data` names: the halves of ARC-AGI-1, both, or any spec of tasks."""
    if data == "both":
        return TaskSet((*load_tasks(DATA["train"]), *load_tasks(DATA["eval"])), "arc1")
    return load_tasks(DATA.get(data, data))


def data_files(data: str | None) -> list[Path]:
    """The user's files that `--data` reads."""
    return task_files(data) if data and data != "both" and data not in DATA else []


def single_ids(texts: Sequence[str]) -> list[str]:
    """The ids that `--ids` was given, each by itself."""
    found = [one for text in texts for one in split_ids(text)]
    if not found:
        raise ArcbattError("--ids is empty; name ids, or leave it out")
    return found
