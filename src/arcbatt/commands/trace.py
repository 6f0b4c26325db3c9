"""`arcbatt trace`: a program on one sample, line by line, down to the application that failed."""

import shlex
from typing import Annotated

from typer import Argument, Context, Option

import arcbatt
from arcbatt.commands.inputs import find_program
from arcbatt.commands.outputs import require_output
from arcbatt.commands.pointers import ops_options
from arcbatt.engine.tracing.trace import Trace
from arcbatt.errors import ArcbattError
from arcbatt.files import require_no_database, write_whole
from arcbatt.notices import note
from arcbatt.tasks import Task
from arcbatt.tasks.intake import task_of
from arcbatt.tasks.load import task_files
from arcbatt.text import printable, shorten
from arcbatt.view.grids import palette
from arcbatt.view.screen import Screen
from arcbatt.view.terminal.trace_report import TraceReport

MOST_DIGITS = 10  # of the number of a sample


def execute(
    context: Context,
    program: Annotated[
        str,
        Argument(
            metavar="PROGRAM", help="A file with one program, FILE:NAME, or the name of one of the library."
        ),
    ],
    task: Annotated[str, Argument(metavar="TASK", help="A task id, or a file with one task.")],
    sample: Annotated[
        str | None,
        Option(
            metavar="N",
            help="The sample: a number from 1, demo then test, or a name such as demo1; by default the first "
            "one that is not exact.",
        ),
    ] = None,
    into: Annotated[
        int | None,
        Option(metavar="LINE", help="Show what is inside this line: its expressions, and each application."),
    ] = None,
    html: Annotated[str | None, Option(metavar="FILE", help="Write the trace as a page of HTML.")] = None,
    no_color: Annotated[bool, Option("--no-color", help="Draw digits, also on a terminal.")] = False,
) -> None:
    """Trace a program on one sample: each line as it stands in the file, its value and a picture of it.

    Where the program fails, the trace names the application that failed, the element it was made for, and
    the reason. Where the output is wrong, differing cells are marked: `><`, or `*` without colours.
    """
    chosen_task = task_of(task)
    chosen = find_program(program, chosen_task.id)
    own = [chosen.origin.file] if chosen.origin else []
    require_output(html, [*task_files(task), *own, *context.obj])
    found = arcbatt.trace(chosen, chosen_task, _sample(chosen_task, sample))
    screen = Screen(colors=not no_color)
    report = TraceReport(found, screen.width, palette(screen.color_system))
    lines = list(report.lines() if into is None else report.inside(into))
    if html is not None:
        _write_page(html, found, into)
    screen.draw(lines)
    failure = found.failure
    if into is None and failure is not None and len(failure.path) > 1:
        words = [*ops_options(context.obj), "trace", program, task]
        words += ["--sample", found.sample_name, "--into", str(failure.line)]
        note(f"{printable(shlex.join(['arcbatt', *words]))} shows each application of that line")


def _sample(task: Task, asked: str | None) -> int | str | None:
    """The sample that the command line names: numbers begin at 1 there."""
    if asked is None or not asked.strip().isdecimal():
        return asked
    number = int(asked) - 1 if len(asked) < MOST_DIGITS else -1
    if not 0 <= number < len(task.samples):
        raise ArcbattError(
            f"task {shorten(task.id)} has no sample {shorten(asked)}; "
            f"its samples are 1 to {len(task.samples)}, demo then test"
        )
    return number


def _write_page(name: str, found: Trace, into: int | None) -> None:
    from arcbatt.view.fragments.traces import trace_page  # most traces are read in the terminal

    if name == "-":
        raise ArcbattError("-: the page is written to a file; name one, such as trace.html")
    require_no_database(name)
    write_whole(name, trace_page(found, into).encode("utf-8", "backslashreplace"))
