"""Known programs on other tasks: all on the first demo sample, the few that are exact there on the rest."""

from collections.abc import Iterable, Sequence

import numpy as np

from arcbatt.archive.archive import Archive
from arcbatt.dsl.contract import EXACT
from arcbatt.engine.backend import too_heavy
from arcbatt.engine.candidates import CANDIDATE_LIMITS
from arcbatt.engine.chunks import chunks_of
from arcbatt.engine.run import set_up
from arcbatt.engine.work import Work
from arcbatt.library import load_library
from arcbatt.program.graph import Program, stem
from arcbatt.program.merge import distinct
from arcbatt.search.solve.answers import Answer, KnownProgram, Source, known_answers
from arcbatt.search.solve.ranking import description_length
from arcbatt.tasks import Task
from arcbatt.tasks.samples import some_of

OF_A_TASK = 4  # programs that an archive gives for each of its tasks


def run_library_pass(
    tasks: Sequence[Task], programs: Iterable[Program], source: Source, *, others: bool = False
) -> dict[str, list[Answer]]:
    """The programs that are exact on all demo samples of a task, as answers, by the id of the task.

    With `others` a program that is written for a task, as its name says, does not count there. No program
    runs on a task that is too heavy.

    >>> from arcbatt.program.parse import parse_programs
    >>> from arcbatt.tasks import load_tasks
    >>> programs = parse_programs("def solve_a(I): return rot90(I)\\ndef solve_b(I): return vmirror(I)")
    >>> (answer,) = run_library_pass(load_tasks("67a3c6ac"), programs, "library")["67a3c6ac"]
    >>> answer.program.root, answer.demos, answer.provenance
    (vmirror(I), 3, {'program': 'solve_b'})
    """
    solvers = distinct([program for program in programs if program.kind == "solver"])
    found: dict[str, list[Answer]] = {}
    tasks = [task for task in tasks if not too_heavy(task, CANDIDATE_LIMITS)]
    if not solvers or not tasks:
        return found
    for task, survivors in zip(tasks, _survivors(tasks, solvers)):
        if others:
            survivors = [program for program in survivors if not _is_own(program, task)]
        known = [KnownProgram(program, description_length(program, source), source) for program in survivors]
        answers = [answer for answer in known_answers(task, known) if answer.fits]
        if answers:
            found[task.id] = answers
    return found


def _survivors(tasks: Sequence[Task], solvers: Sequence[Program]) -> list[list[Program]]:
    """For each task the programs that are exact on its first demo sample."""
    setting = set_up(solvers, tasks, "all", "auto", 1, "fail", CANDIDATE_LIMITS)
    work = Work(setting.backend, setting.plan, setting.options, setting.batt.programs)
    firsts = [some_of(task, 0, min(1, len(task.demo))) for task in tasks]
    survivors: list[list[Program]] = [[] for _ in tasks]
    for number, (verdicts, _) in enumerate(work.judged(chunks_of(firsts, range(len(setting.batt))))):
        for place in np.flatnonzero(np.frombuffer(verdicts, np.uint8) == EXACT).tolist():
            survivors[number].append(setting.batt.programs[place])
    return survivors


def _is_own(program: Program, task: Task) -> bool:
    return stem(program.name) == f"solve_{task.id}"


def library_programs() -> list[Program]:
    """The solvers of the library."""
    return list(load_library("solvers"))


def archive_programs(archive: Archive) -> list[Program]:
    """The programs of an archive that are exact on all demo samples of a task, the best few of each task.

    Test samples have no part in the choice. Programs with ops of a user's own are left out.
    """
    found: dict[str, Program] = {}
    for task in archive.tasks():
        for result in archive.best(task, OF_A_TASK, blind=True):
            stored = result.stored
            if result.demo_exact == len(task.demo) and not stored.own_ops:
                program = archive.read_or_tell(stored)
                if program is not None:
                    found.setdefault(stored.hash, program)
    return [found[key] for key in sorted(found)]
