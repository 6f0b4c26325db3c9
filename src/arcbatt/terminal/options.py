"""The arguments and options of the commands: their names, what they take and what the help says of them."""

from typing import Annotated

import typer

from arcbatt.engine.backend import BACKENDS

Programs = Annotated[
    list[str] | None,
    typer.Argument(metavar="PROGRAMS", help="Program files, or folders of .py files; none: the library."),
]
Tasks = Annotated[
    str,
    typer.Option(
        metavar="SPEC", help="A published set, task ids, a folder or file of tasks; `set:id,id` picks."
    ),
]
PairsOption = Annotated[
    str, typer.Option(metavar="own|all", help="Each program on the task its name says, or on every task.")
]
Backend = Annotated[str, typer.Option(metavar="|".join(BACKENDS), help="What runs the programs.")]
Threads = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="How many threads; by default the backend decides.")
]
JsonFile = Annotated[
    str | None,
    typer.Option(
        "--json", metavar="FILE", help="Write a line of JSON for each program and task; - is standard output."
    ),
]
Limit = Annotated[int | None, typer.Option(min=1, metavar="N", help="Only the first N tasks.")]
OnFailure = Annotated[
    str,
    typer.Option(metavar="fail|default", help="A failed op fails the program, or gives its default value."),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Run nothing if any program is refused; the first one is named.")
]
MaxItems = Annotated[int, typer.Option(metavar="N", help="Limit: the weight of a value.")]
MaxCalls = Annotated[int, typer.Option(metavar="N", help="Limit: applications of functions in one op.")]
MaxDepth = Annotated[int, typer.Option(metavar="N", help="Limit: nesting of values and of applications.")]

Name = Annotated[
    str | None, typer.Argument(metavar="NAME", help="An op, constant, input, type, kind of failure or group.")
]
Group = Annotated[str | None, typer.Option(metavar="GROUP", help="Only the ops of a group.")]
AsJson = Annotated[bool, typer.Option("--json", help="The op table as JSON, one op a line.")]

TaskSpec = Annotated[
    str, typer.Argument(metavar="TASK", help="A task id, or any spec of tasks as `run --tasks` takes.")
]
ProgramName = Annotated[
    str | None,
    typer.Option(
        "--program", metavar="P", help="Show its outputs too: a file, file:name, or a program of the library."
    ),
]
NoColor = Annotated[bool, typer.Option("--no-color", help="Draw digits, also on a terminal.")]

Seconds = Annotated[float, typer.Option(min=0.0, metavar="N", help="How long to go on.")]
Seed = Annotated[int, typer.Option(metavar="K", help="One seed makes the whole run repeatable.")]
TwoBackends = Annotated[str, typer.Option(metavar="A,B", help="The two backends to compare.")]
Evaluations = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Stop after so many evaluations, if not before.")
]
Quick = Annotated[bool, typer.Option("--quick", help="Less work, rougher figures.")]
BenchJson = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE", help="Write the figures as JSON; - is standard output."),
]
