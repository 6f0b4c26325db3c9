"""`arcbatt submit`: programs become a Kaggle submission, and a submission is checked."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from rich.text import Text
from typer import Argument, Context, Option

import arcbatt
from arcbatt.commands import DONE, SOME_REFUSED, interrupted, options
from arcbatt.commands.inputs import Refusals, find_program, program_files, read_programs
from arcbatt.commands.outputs import require_output, tell_of_check, tell_of_heavy
from arcbatt.errors import ArcbattError
from arcbatt.library import LIBRARY
from arcbatt.search.solve.solution import Solution, SolveInterrupted
from arcbatt.search.submit.sources import SOURCES, Origin, SubmitCandidate, candidates_from, kind_of_file
from arcbatt.tasks import TaskSet, load_tasks
from arcbatt.tasks.load import task_files
from arcbatt.tasks.submission import require_submission_file
from arcbatt.view.progress import progress_line
from arcbatt.view.screen import Screen
from arcbatt.view.terminal import solve_report


def execute(
    context: Context,
    tasks: Annotated[
        str,
        Option(
            metavar="CHALLENGES",
            help="A Kaggle challenges file, or any tasks: a published set, task ids, a file or a folder; "
            "CHALLENGES:ID,ID picks some of them.",
        ),
    ],
    sources: Annotated[
        list[str] | None,
        Argument(
            metavar="SOURCE",
            help="Program files and folders, programs of the library by name or all of them (library), "
            "archives, and the JSON lines of solve or evolve.",
        ),
    ] = None,
    out_file: Annotated[
        str, Option("-o", "--out", metavar="FILE", help="The submission; Kaggle wants this name.")
    ] = "submission.json",
    checked: Annotated[
        str | None,
        Option("--check", metavar="FILE", help="Check this submission instead, and write nothing."),
    ] = None,
    backend: options.Backend = "auto",
    threads: Annotated[int | None, options.threads("How many threads")] = None,
    strict: options.Strict = False,
) -> int:
    """Make a Kaggle submission of programs, or check one.

    Every program runs on every task. For each test input the two best distinct outputs are handed in: of
    programs that are exact on all demo samples first, then by description length, where programs with the
    same output are votes for it. If fewer than two grids are given, the input itself is an attempt, and then
    a single cell. Test outputs have no part in it; if they are known, the score is told.

    The file is checked after it is written: all tasks, one entry for each test input, two grids each. With
    --check any submission is checked, and every fault is told with its place.

    Exit code: 0 done; 1 some programs were refused, the others ran, or a checked submission has faults;
    2 nothing was done; 130 interrupted, the submission has what was found by then (143 by SIGTERM, 129 by
    SIGHUP).
    """
    if checked is not None:
        return _check(checked, sources, tasks)
    if not sources:
        raise ArcbattError(f"there is no SOURCE; name {SOURCES}, or {LIBRARY}")
    refused = Refusals(strict)
    require_output(out_file, [*_files_of(sources), *task_files(tasks), *context.obj])
    require_submission_file(out_file)
    wanted = load_tasks(tasks)
    candidates = candidates_from(_origins(sources, refused))
    solution = _submitted(candidates, wanted, out_file, threads, backend)
    _report(solution, len(candidates))
    tell_of_heavy(solution.refused, "no program ran on it")
    tell_of_check(arcbatt.check_submission(out_file, wanted))
    if solution.interrupted:
        return interrupted()
    return SOME_REFUSED if refused.count else DONE


def _check(file: str, sources: Sequence[str] | None, tasks: str) -> int:
    """Check a submission, and tell what is wrong with it."""
    if sources:
        raise ArcbattError("--check goes without a SOURCE; leave one of them out")
    check = arcbatt.check_submission(file, tasks)
    tell_of_check(check)
    return DONE if check.ok else SOME_REFUSED


def _is_file_of(name: str) -> bool:
    return bool(name) and Path(name).exists()


def _files_of(sources: Sequence[str]) -> list[Path]:
    """The user's files that sources stand for."""
    there = [name for name in sources if _is_file_of(name)]
    programs = [name for name in there if kind_of_file(name) == "programs"]
    return [*map(Path, there), *(program_files(programs) if programs else ())]


def _origins(sources: Sequence[str], refused: Refusals) -> Iterator[Origin]:
    """The programs, archives and files that sources stand for; refused programs are told."""
    for name in sources:
        if _is_file_of(name):
            if kind_of_file(name) == "programs":
                yield from read_programs(program_files([name]), refused)
            else:
                yield name
        elif name == LIBRARY:
            yield name
        else:
            yield find_program(name, "")


def _submitted(
    candidates: Sequence[SubmitCandidate], tasks: TaskSet, file: str, threads: int | None, backend: str
) -> Solution:
    """The answers of the candidates, complete or not; the submission is written."""
    try:
        with progress_line() as show:
            return arcbatt.submit(
                candidates,
                tasks,
                file,
                threads=threads,
                backend=backend,
                on_progress=lambda progress: show(solve_report.submit_in_a_line(progress)),
            )
    except SolveInterrupted as stopped:
        return stopped.solution


def _report(solution: Solution, programs: int) -> None:
    screen = Screen()
    screen.print(solve_report.attempts_table(solution, screen.width))
    screen.print(solve_report.right_table(solution, screen.width))
    screen.print([Text(solve_report.submitted_line(solution, programs))])
