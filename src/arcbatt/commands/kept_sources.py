"""Programs for batts from files, folders and archives, with the scores that they were kept with."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from arcbatt.archive.archive import Archive
from arcbatt.commands.inputs import program_files
from arcbatt.dsl.table import TABLE
from arcbatt.errors import ArcbattError
from arcbatt.files import is_database
from arcbatt.program.graph import HASH_MARK, KeptScore, Program
from arcbatt.program.names import own_name

BEST_OF_TASK = 32  # programs of an archive for a task


def program_sources(names: Sequence[str]) -> tuple[list[Path], list[str]]:
    """The program files that names stand for, and the archives among the names."""
    archives = [name for name in names if is_database(name)]
    others = [name for name in names if name not in archives]
    return (program_files(others) if others else []), archives


def programs_of_archive(
    name: str, task_ids: Iterable[str] | None = None, most: int = BEST_OF_TASK
) -> list[Program]:
    """The best solvers that an archive has for tasks, and its differs, each with its score.

    A solver is named after the task that it has the score for. A program that cannot be read is told of and
    left out, and so is one that needs an op of a user's own that is not registered.
    """
    found: list[Program] = []
    with Archive(name, readonly=True) as archive:
        ids = [each.task for each in archive.overview()] if task_ids is None else task_ids
        for task_id in ids:
            for result in archive.best(task_id, most, blind=True):
                if set(result.stored.own_ops) <= TABLE.keys():
                    program = archive.read_or_tell(result.stored)
                    if program is not None:
                        found.append(_named(program, task_id).altered(kept=KeptScore(result.score or 0, 0)))
        for stored in archive.programs(kind="differ"):
            if set(stored.own_ops) <= TABLE.keys():
                program = archive.read_or_tell(stored)
                if program is not None:
                    scores = [each.score for each in archive.kept(stored) if not each.task]
                    found.append(program.altered(kept=KeptScore(scores[-1], 0) if scores else None))
    if not found:
        raise ArcbattError(f"{name}: the archive has no programs with results; name one that has some")
    return found


def _named(program: Program, task_id: str) -> Program:
    """A solver under a name that tells its task."""
    if program.task_id == task_id and (program.name == f"solve_{task_id}" or HASH_MARK in program.name):
        return program
    return program.altered(name=own_name(f"solve_{task_id}", program.hash))
