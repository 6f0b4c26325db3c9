"""`arcbatt show`: tasks drawn in the terminal, and what a program makes of them."""

from typing import Annotated

from typer import Argument, Context, Option

import arcbatt
from arcbatt.commands.inputs import find_program
from arcbatt.commands.pointers import pointer, trace_command
from arcbatt.notices import note
from arcbatt.tasks import load_tasks
from arcbatt.view.grids import palette
from arcbatt.view.screen import Screen
from arcbatt.view.task_drawing import draw_task


def execute(
    context: Context,
    task: Annotated[
        str, Argument(metavar="TASK", help="A task id, or any SPEC of tasks as `run --tasks` takes it.")
    ],
    program: Annotated[
        str | None,
        Option(
            "--program",
            metavar="P",
            help="Draw what this program gives, too: a file with one program, FILE:NAME, or a name of the "
            "library.",
        ),
    ] = None,
    no_color: Annotated[bool, Option("--no-color", help="Draw digits, also on a terminal.")] = False,
) -> None:
    """Draw tasks in the terminal, and what a program gives beside the expected outputs.

    A cell that differs from the expected output is marked `><`; without colours, `*` stands behind its digit.
    """
    screen = Screen(colors=not no_color)
    command = None
    for number, shown in enumerate(load_tasks(task)):
        outcome = None
        if program is not None:
            chosen = find_program(program, shown.id)
            outcome = arcbatt.run(chosen, [shown], pairs="all")[chosen.name, shown.id]
            if command is None and not outcome.solved:
                command = trace_command(chosen, shown, task, context.obj, program)
        if number:
            print()
        screen.draw(draw_task(shown, outcome, screen.width, palette(screen.color_system)))
    if command is not None:
        note(pointer(command))
