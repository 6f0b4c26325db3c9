"""Commands that a report points to: `arcbatt trace` for a program that fails or is wrong on a task."""

import re
import shlex
from collections.abc import Sequence

from arcbatt.errors import ArcbattError
from arcbatt.library import library_files
from arcbatt.program.graph import Program
from arcbatt.program.parse import FUNCTION
from arcbatt.program.syntax import lines_of
from arcbatt.tasks import Task, load_tasks
from arcbatt.text import printable


def trace_command(
    program: Program, task: Task, tasks: str, ops: Sequence[str] = (), name: str = ""
) -> str | None:
    """The command that traces a program on a task of a spec; None if none would find both.

    `ops` are the files of own ops that the command line named, `name` how it named the program.
    """
    program_word = name or _program_word(program)
    task_word = _task_word(task, tasks)
    if program_word is None or task_word is None:
        return None
    return printable(shlex.join(["arcbatt", *ops_options(ops), "trace", program_word, task_word]))


def ops_options(ops: Sequence[str]) -> list[str]:
    """The words before a command that name files of own ops.

    >>> ops_options(["mine.py"])
    ['--ops', 'mine.py']
    """
    return [word for file in ops for word in ("--ops", file)]


def pointer(command: str) -> str:
    """The sentence that a report ends with.

    >>> pointer("arcbatt trace mine.py 00d62c1b")
    'arcbatt trace mine.py 00d62c1b shows line by line where it goes wrong'
    """
    return f"{command} shows line by line where it goes wrong"


def _program_word(program: Program) -> str | None:
    """How a command line names a program: by its file, or as FILE:NAME; one of the library by its name."""
    origin = program.origin
    if origin is None:
        return None
    if origin.file in map(str, library_files("all")):
        return program.name
    file = f"./{origin.file}" if origin.file.startswith("-") else origin.file
    if len(FUNCTION.findall(origin.text)) == 1 and "batt" not in FUNCTION.findall(origin.text):
        return file
    found = re.match(r"def\s+(\w+)", lines_of(origin.text)[origin.line - 1])
    return f"{file}:{found[1] if found else program.name}"


def _task_word(task: Task, spec: str) -> str | None:
    """How a command line names a task of a spec: by its id, by the spec, or as SPEC:ID."""
    source = spec.rpartition(":")[0]
    for word in (task.id, spec, f"{spec}:{task.id}", f"{source}:{task.id}"):
        try:
            found = load_tasks(word)
        except (ArcbattError, ValueError):
            continue
        if list(found) == [task]:
            return word
    return None
