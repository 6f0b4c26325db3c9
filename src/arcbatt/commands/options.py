"""The arguments and options that several commands share: what they take and what the help says of them."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, get_args

from typer import Argument, Option

from arcbatt.arguments import require_one_of
from arcbatt.engine.backend import MOST_THREADS
from arcbatt.engine.choose import BACKENDS, require_backend
from arcbatt.engine.run import Pairs
from arcbatt.errors import ArcbattError
from arcbatt.program.folders import FolderForm
from arcbatt.search.breed.drawing import By as DrawnBy
from arcbatt.tasks import TaskSet

LEAST_MEMORY = 1  # MiB


def choice(flag: str, values: Sequence[str], help: str) -> Any:
    """An option that takes one of some values; any other is refused before anything is read."""

    def known(value: str | None) -> str | None:
        if value is not None:
            require_one_of(flag, value, tuple(values))
        return value

    return Option(flag, metavar="|".join(values), callback=known, help=help)


def _known_backend(value: str) -> str:
    require_backend(value)
    return value


def _known_shard(value: str | None) -> str | None:
    if value is not None:
        part_of(TaskSet((), ""), value)
    return value


def part_of(tasks: TaskSet, shard: str | None) -> TaskSet:
    """The tasks of a shard `K/N`: N parts of about equal length, in the order of the tasks.

    >>> from arcbatt.tasks import load_tasks
    >>> [len(part_of(load_tasks("arc1/training"), f"{k}/3")) for k in (1, 2, 3)]
    [133, 133, 134]
    """
    if shard is None:
        return tasks
    found = re.fullmatch("([0-9]{1,6})/([0-9]{1,6})", shard)
    number, count = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= count:
        raise ArcbattError(f"--shard is {shard!r}; it must be K/N with K from 1 to N, such as 2/3")
    return tasks[(number - 1) * len(tasks) // count : number * len(tasks) // count]


def pairs(default: str = "") -> Any:
    """The option that says which programs run on which tasks."""
    help = "own: each program on the task whose id its name has; all: each program on every task."
    return choice("--pairs", get_args(Pairs), help + default)


def on_failure(modes: Sequence[str]) -> Any:
    """The option that says what takes the place of a failed op's value."""
    help = "What a failed op gives. fail: no value; default: the default value of its op"
    pile = "; pile: what a batt file of that style gives" if "pile" in modes else ""
    file = "; file: what the style of the given file gives" if "file" in modes else ""
    return choice("--on-failure", modes, f"{help}{pile}{file}.")


def threads(what: str) -> Any:
    """The option that says how many run at a time."""
    help = f"{what}; by default one for each core at hand."
    return Option(min=1, max=MOST_THREADS, metavar="N", help=help)


Programs = Annotated[
    list[str] | None,
    Argument(
        metavar="PROGRAMS",
        help="Program files, or folders with .py or .def files in them. None, or the word library: the "
        "library that comes with arcbatt.",
    ),
]
Sources = Annotated[
    list[str] | None,
    Argument(
        metavar="PROGRAMS",
        help="Program files, folders with .py files in them, kept populations among them, or archives. None, "
        "or the word library: the library that comes with arcbatt.",
    ),
]
Tasks = Annotated[
    str,
    Option(
        metavar="SPEC",
        help="A published set (arc1/training, arc1/evaluation, arc2/training, arc2/evaluation), task ids, a "
        "file of tasks or a folder of such files; SPEC:ID,ID picks some of them.",
    ),
]
Backend = Annotated[
    str,
    Option(
        metavar="|".join(BACKENDS),
        callback=_known_backend,
        help="What runs the programs: Python (reference), the compiled core (native), GPUs (cuda), an "
        "emulated GPU for tests (emulated), or the fastest of these at hand (auto).",
    ),
]
OutcomesFile = Annotated[
    str | None,
    Option(
        "--json",
        metavar="FILE",
        help="Write a line of JSON for each program and task as soon as it is done, and one for the summary; "
        "- is standard output. `arcbatt report FILE` makes a page of them.",
    ),
]
ArchiveFile = Annotated[
    str | None,
    Option(
        "--archive",
        metavar="FILE",
        help="Keep programs and results in this archive, which is made if there is none; "
        "`arcbatt archive` looks into it.",
    ),
]
Resume = Annotated[
    bool,
    Option(
        "--resume",
        help="Go on where a run stopped: results that the archive, or else the --json file, holds are taken "
        "from there.",
    ),
]
Shard = Annotated[
    str | None,
    Option(
        metavar="K/N",
        callback=_known_shard,
        help="Only the K-th of N parts of the tasks, to run the parts on several machines.",
    ),
]
Cluster = Annotated[
    str | None,
    Option(
        metavar="local|auto|ADDRESS",
        help="Do the work on a Ray cluster: a new one on this machine (local), the one that this machine "
        "belongs to (auto), or the one at an address that `ray start --head` tells. Needs the extra "
        "`cluster`.",
    ),
]
FiguresFile = Annotated[
    str | None, Option("--json", metavar="FILE", help="Write the figures as JSON; - is standard output.")
]
Strict = Annotated[
    bool,
    Option(
        "--strict", help="End at the first program that is refused, or at the first odd line of a batt file."
    ),
]
Seed = Annotated[
    int, Option(metavar="K", help="The seed of all that is random; the same seed repeats the run.")
]
FreezeSolvers = Annotated[bool, Option("-fs", "--freeze-solvers", help="Do not mutate solvers.")]
FreezeDiffers = Annotated[bool, Option("-fd", "--freeze-differs", help="Do not mutate differs.")]
Rate = Annotated[
    float, Option(min=0.0, max=1.0, metavar="R", help="The chance that a line of a program changes.")
]
Wild = Annotated[bool, Option("--wild", help="Mutate without regard to types; most such mutants fail.")]
OwnSeed = Annotated[
    int | None,
    Option(
        metavar="K",
        help="The seed of all that is random; the same seed repeats the run. Without it each call has a new "
        "one, and says which.",
    ),
]
By = Annotated[
    str,
    choice(
        "--by",
        get_args(DrawnBy),
        "How solvers are drawn. score: better ones more often; even: all with the same chance; first: in "
        "their order.",
    ),
]
Scores = Annotated[
    str,
    choice(
        "--scores",
        get_args(FolderForm),
        "The form of a folder. mean: scores from 0 to 1000, times in microseconds; sum: as older tools have "
        "it, the number of exact samples, and 11 - int(log(seconds)).",
    ),
]
Ids = Annotated[
    list[str] | None,
    Option("-i", "--ids", metavar="IDS", help="Only these task or solver ids, separated by commas."),
]
