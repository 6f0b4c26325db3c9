"""The arguments and options of the commands: their names, what they take and what the help says of them."""

from typing import Annotated, Any

import typer

from arcbatt.dsl.limits import RANGES
from arcbatt.engine.backend import MOST_THREADS
from arcbatt.engine.choose import BACKENDS

LEAST_MEMORY = RANGES["memory"][0] >> 20

OpsFile = Annotated[
    str | None,
    typer.Option("--ops", metavar="FILE", help="A Python file of your own ops: it is executed."),
]
Programs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PROGRAMS", help="Program files, or folders with .py files in them; none: the library."
    ),
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
    int | None,
    typer.Option(
        min=1, max=MOST_THREADS, metavar="N", help="How many threads; by default one for each core at hand."
    ),
]
JsonFile = Annotated[
    str | None,
    typer.Option(
        "--json", metavar="FILE", help="Write a line of JSON for each program and task; - is standard output."
    ),
]
SaveFolder = Annotated[
    str | None,
    typer.Option("--save", metavar="DIR", help="Keep solvers that solve a task, as files in this folder."),
]
Limit = Annotated[int | None, typer.Option(min=1, metavar="N", help="Only the first N tasks.")]
OnFailure = Annotated[
    str,
    typer.Option(metavar="fail|default|pile", help="What a failed op gives: nothing, or a default value."),
]
BattFailure = Annotated[
    str,
    typer.Option(
        "--on-failure",
        metavar="fail|default|pile|file",
        help="What a failed op gives: nothing, a default value, or what the style of the file says.",
    ),
]
Strict = Annotated[
    bool,
    typer.Option("--strict", help="End at the first program that is refused, or odd line of a batt file."),
]


def _limit(name: str, what: str) -> Any:
    """An option for one of the limits."""
    low, high = RANGES[name]
    return typer.Option(metavar="N", help=f"Limit: {what}, {low} to {high}.")


MaxItems = Annotated[int, _limit("items", "the weight of a value")]
MaxCalls = Annotated[int, _limit("calls", "applications of functions in one op")]
MaxDepth = Annotated[int, _limit("depth", "nesting of values and of applications")]
MaxWork = Annotated[int, _limit("work", "what a program may cost on a sample")]
Memory = Annotated[
    int,
    typer.Option(min=LEAST_MEMORY, metavar="MIB", help="Most memory for the values of a thread."),
]

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
Quick = Annotated[bool, typer.Option("--quick", help="Less work, rougher figures, no large batches.")]
BenchJson = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE", help="Write the figures as JSON; - is standard output."),
]

Calibrate = Annotated[
    bool, typer.Option("--calibrate", help="Measure the CPU and the devices anew, for the choice of `auto`.")
]
GpuJson = Annotated[bool, typer.Option("--json", help="The status as one line of JSON.")]

BattFile = Annotated[
    str, typer.Option("-b", "--batt", metavar="BATT", help="A batt file, or its module; batt.py if none.")
]
TaskCount = Annotated[
    int, typer.Option("-c", "--count", metavar="N", help="So many tasks; 0: all, negative: a random sample.")
]
Start = Annotated[
    int, typer.Option("-s", "--start", min=0, metavar="N", help="The first task, counted from 0.")
]
Ids = Annotated[
    list[str] | None, typer.Option("-i", "--ids", metavar="IDS", help="Only these ids, separated by commas.")
]
MoreIds = Annotated[list[str] | None, typer.Argument(metavar="IDS", help="More ids, where -i begins them.")]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "-t",
        "--timeout",
        min=0.001,
        metavar="SECONDS",
        help="Most time for a sample, which then runs in a worker process. Without it only batts with ops of "
        "your own have a bound: 60.",
    ),
]
MemoryLimit = Annotated[
    int | None,
    typer.Option(
        "-m",
        "--memory",
        min=LEAST_MEMORY,
        metavar="MIB",
        help="Most memory for values: of a thread (384), of a worker process on a sample (2048, Linux).",
    ),
]
MegaBatch = Annotated[bool, typer.Option("--mega-batch", help="Batches of samples across tasks.")]
BatchSize = Annotated[int, typer.Option(min=1, metavar="N", help="Samples in a mega-batch.")]
UseGpu = Annotated[bool, typer.Option("--use-gpu", help="Run on a GPU if there is one, else on the CPU.")]
Data = Annotated[
    str,
    typer.Option(metavar="train|eval|both|SPEC", help="Tasks of ARC-AGI-1, or any spec as `run --tasks`."),
]
Timing = Annotated[bool, typer.Option("--timing", help="Tell times, too; then outputs differ between runs.")]
CProfile = Annotated[bool, typer.Option("--cprofile", help="Tell where Python spends its time.")]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST_THREADS,
        metavar="N",
        help="Threads, or worker processes where these are needed; by default one for each core at hand.",
    ),
]

CardCount = Annotated[
    int,
    typer.Option("-c", "--count", metavar="N", help="So many solvers; 0: all, negative: a random sample."),
]
CardFile = Annotated[str, typer.Option("-f", "--file", metavar="FILE", help="The batt file to write.")]
StyleOption = Annotated[
    str | None, typer.Option(metavar="pile|guarded|vectorized|hybrid", help="The style of the file.")
]
Vectorized = Annotated[bool, typer.Option("--vectorized", help="Short for --style vectorized.")]
Gpu = Annotated[bool, typer.Option("--gpu", help="Short for --style hybrid.")]
FreezeSolvers = Annotated[bool, typer.Option("-fs", "--freeze-solvers", help="Do not mutate solvers.")]
FreezeDiffers = Annotated[bool, typer.Option("-fd", "--freeze-differs", help="Do not mutate differs.")]
CardData = Annotated[
    str | None,
    typer.Option("--data", metavar="train|eval|both|SPEC", help="Only solvers of these tasks."),
]
Rate = Annotated[float, typer.Option(min=0.0, max=1.0, metavar="R", help="The chance that a line changes.")]
Wild = Annotated[bool, typer.Option("--wild", help="Mutations need not fit the types.")]
Mutants = Annotated[int, typer.Option(min=1, metavar="N", help="So many mutants of each program.")]

ProfileFiles = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="BATT|PROGRAMS", help="A batt file, program files or folders of them; none: the library."
    ),
]
ProfilePairs = Annotated[
    str | None,
    typer.Option(
        metavar="own|all", help="Each program on its own task or on every; by default a batt on every."
    ),
]
ProfileBackend = Annotated[
    str, typer.Option(metavar="auto|native|reference|both", help="What runs the programs.")
]
ProfileLimit = Annotated[int, typer.Option(min=1, metavar="N", help="Only the first N tasks.")]
Top = Annotated[int, typer.Option(min=1, metavar="N", help="So many ops and nodes.")]
