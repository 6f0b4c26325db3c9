"""`arcbatt solve`: finds programs for tasks, and writes them and their outputs to files."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Annotated, Any

from rich.text import Text
from typer import Argument, Context, Option

import arcbatt
from arcbatt.commands import DONE, SOME_REFUSED, interrupted, options
from arcbatt.commands.inputs import Refusals, program_files, read_programs
from arcbatt.commands.outputs import (
    require_different,
    require_output,
    tell_of_check,
    tell_of_heavy,
    write_solvers,
)
from arcbatt.engine.backend import how_many
from arcbatt.errors import ArcbattError
from arcbatt.outlet.files import Files
from arcbatt.search.solve.lines import TaskLines
from arcbatt.search.solve.mining import mined_text
from arcbatt.search.solve.solution import Solution, SolveInterrupted, SolveStopped
from arcbatt.search.solve.solve import (
    LEAST_MEMORY,
    MEMORY,
    SolveSearch,
    SolveSettings,
    templates_from,
)
from arcbatt.signals import defer_interrupts
from arcbatt.tasks import Task, load_tasks
from arcbatt.tasks.load import task_files
from arcbatt.tasks.submission import require_submission_file, write_submission
from arcbatt.tasks.submission_check import require_sound
from arcbatt.view.screen import Screen
from arcbatt.view.terminal import solve_report

MEBIBYTE = 1 << 20


def execute(
    context: Context,
    *,
    tasks: Annotated[
        str,
        Argument(
            metavar="TASKS",
            help="A published set such as arc1/training, task ids, a file of tasks (also a Kaggle challenges "
            "file) or a folder of such files; SPEC:ID,ID picks some of them.",
        ),
    ] = "arc1/training",
    settings: SolveSettings,
    threads: Annotated[int | None, options.threads("So many tasks at a time")] = None,
    templates: Annotated[
        list[str] | None,
        Option(metavar="FILE", help="A file of templates besides ours; may be given several times."),
    ] = None,
    memory: Annotated[
        int,
        Option(min=LEAST_MEMORY // MEBIBYTE, metavar="MB", help="Memory for the values of one task, in MiB."),
    ] = MEMORY // MEBIBYTE,
    no_library: Annotated[
        bool, Option("--no-library", help="Do not try the programs of the library first.")
    ] = False,
    leave_out_own: Annotated[
        bool,
        Option(
            "--leave-out-own",
            help="Leave out programs whose names say that they were written for the task itself: for honest "
            "figures on tasks that the library solves.",
        ),
    ] = False,
    archive_file: options.ArchiveFile = None,
    json_file: Annotated[
        str | None,
        Option(
            "--json",
            metavar="FILE",
            help="Write a line of JSON for each task as soon as it has an answer, a new one in its place as "
            "the search gets further, and one for the summary. - is standard output, where each task has its "
            "line when it is done.",
        ),
    ] = None,
    resume: options.Resume = False,
    shard: options.Shard = None,
    cluster: options.Cluster = None,
    out_file: Annotated[
        str | None,
        Option("--out", metavar="FILE", help="Write the best program of each task to this solver file."),
    ] = None,
    submission: Annotated[
        str | None,
        Option(metavar="FILE", help="Write two outputs for each test input as a Kaggle submission."),
    ] = None,
    mined: Annotated[
        list[str] | None,
        Option(
            "--mine",
            metavar="FILE",
            help="Print templates that the programs of this file or folder share, and end; may be given "
            "several times.",
        ),
    ] = None,
) -> int:
    """Find programs for tasks that nobody has a program for.

    Programs of the archive and of the library are tried first. Then expressions are enumerated by cost, over
    all samples of a task at once: on every task with an eighth of its budget, and with the rest where no
    short program fits yet. An answer is a program that `run` has replayed on the demo samples; programs that
    fit all of them come first, the shortest description first. Test outputs are reported, never searched by.

    With --steps the same programs are found again on any machine, with any number of threads. What is found
    is written as it is found: after `kill -9` the same command with --resume goes on.

    Exit code: 0 done, whatever was found; 1 some programs to be mined were refused; 2 nothing was done, or a
    file could not be written; 130 interrupted, what was found by then is reported (143 by SIGTERM, 129 by
    SIGHUP).
    """
    if mined:
        return _mine(mined)
    Files(json_file, archive_file, resume)  # refuses names that do not go together
    outputs = (out_file, submission, json_file, archive_file)
    for output in outputs:
        require_output(output, [*task_files(tasks), *context.obj, *(templates or ())])
    require_different(outputs)
    if submission is not None:
        require_submission_file(submission)
    wanted = load_tasks(tasks)
    part = list(options.part_of(wanted, shard))
    settings = replace(
        settings,
        templates=templates_from(templates or ()),
        library=not no_library,
        own=not leave_out_own,
        memory=memory * MEBIBYTE,
    )
    with ExitStack() as opened:
        told: dict[str, Any] = {}
        lines = None
        if archive_file is not None:
            told["archive"] = opened.enter_context(arcbatt.Archive(archive_file))
        if json_file is not None:
            lines = opened.enter_context(TaskLines(json_file, part, settings.identity(), resume))
            told |= {"on_stage": lines.write, "known": lines.known if archive_file is None else {}}
        told["resume"] = resume and archive_file is not None
        solution, error = _run(part, settings, told, how_many("threads", threads), cluster)
        try:
            with defer_interrupts():  # a signal that comes now must not leave one file without the other
                found = [(answer.task, answer.program) for answer in solution.answers]
                write_solvers(out_file, found, "there is no answer to any task")
                if submission is not None:
                    write_submission(submission, solution.predictions(), wanted)
                if lines is not None and error is None:
                    lines.finish(solution.summary() | ({"interrupted": True} if solution.interrupted else {}))
        finally:
            _report(solution, to_stdout="-" not in outputs)
            tell_of_heavy(solution.refused, "the search left it out")
        if submission is not None:
            tell_of_check(require_sound(submission, wanted))
        if error is not None:
            raise error
    return interrupted() if solution.interrupted else DONE


def _mine(names: Sequence[str]) -> int:
    """Print the templates that programs share."""
    refused = Refusals(strict=False)
    print(mined_text(read_programs(program_files(names), refused)), end="")
    return SOME_REFUSED if refused.count else DONE


def _run(
    tasks: Sequence[Task], settings: SolveSettings, told: dict[str, Any], threads: int, cluster: str | None
) -> tuple[Solution, ArcbattError | None]:
    """What a search has found, complete or not, and the error that has ended it, if one has."""
    try:
        with solve_report.solve_progress() as update:
            return SolveSearch(tasks, settings, on_progress=update, **told).run(threads, cluster), None
    except SolveInterrupted as stopped:
        return stopped.solution, None
    except SolveStopped as stopped:
        return stopped.solution, stopped


def _report(solution: Solution, to_stdout: bool) -> None:
    screen = Screen(stderr=not to_stdout)
    if to_stdout and solution.answers:
        screen.print(solve_report.answers_table(solution, screen.width))
        print()
    screen.print(solve_report.right_table(solution, screen.width))
    screen.print([Text(solve_report.summary_line(solution))])
