"""The files that commands write: which may be written to, solver files and submissions."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from arcbatt.errors import ArcbattError
from arcbatt.files import require_apart, require_writable, whole_file
from arcbatt.notices import tell
from arcbatt.program.graph import Program
from arcbatt.tasks import Task
from arcbatt.tasks.submission_check import SubmissionCheck
from arcbatt.text import plural, shorten


def require_output(name: str | None, read: Iterable[str | Path]) -> None:
    """Refuse a file that cannot be written, or that the command reads, before any work; `-` is no file."""
    if name is not None and name != "-":
        require_apart(name, read)
        require_writable(name)


def require_different(outputs: Iterable[str | None]) -> None:
    """Refuse to write two things to one file."""
    files = [name if name == "-" else os.path.realpath(name) for name in outputs if name is not None]
    twice = next((file for file in files if files.count(file) > 1), None)
    if twice is not None:
        raise ArcbattError(f"{twice}: is named for two outputs; name a file for each")


def write_solvers(name: str | None, found: Sequence[tuple[Task, Program]], why_none: str) -> None:
    """Write a solver for each of some tasks, named after it; no file is asked for if there is no name."""
    if name is None:
        return
    if not found:
        tell(f"{name}: is not written, since {why_none}")
        return
    with whole_file(name) as file:
        solvers = [program.altered(name=f"solve_{task.id}") for task, program in found]
        file.write("\n\n".join(program.source() for program in solvers))


def tell_of_heavy(refused: Mapping[str, str], advice: str) -> None:
    """Tell that tasks were refused, by their ids and with reasons; the first stands for all."""
    if refused:
        task_id, reason = next(iter(refused.items()))
        more = f", and {plural(len(refused) - 1, 'more task')}" if len(refused) > 1 else ""
        tell(f"task {shorten(task_id)} is too heavy{more}: {reason}; {advice}")


def tell_of_check(check: SubmissionCheck) -> None:
    """Tell what the check of a submission has found."""
    for sentence in (*check.faults, *check.remarks, check.in_words):
        tell(sentence)
