"""The options of settings, and the arguments and options that several commands share."""

import re
from collections.abc import Callable, Sequence
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_args

from typer import Argument, Option

from arcbatt.arguments import MORE_THAN_0, MOST, unexpected
from arcbatt.engine.backend import MOST_THREADS, on_failure_setting
from arcbatt.engine.choose import BACKEND
from arcbatt.engine.run import Pairs
from arcbatt.program.folders import FolderForm
from arcbatt.settings import SEED, Settings, SettingSpec
from arcbatt.tasks import TaskSet

LEAST_MEMORY = 1  # MiB
LEAST_SECONDS = 0.001


def with_settings(execute: Callable[..., int]) -> Callable[..., int]:
    """The function of a command, whose parameters that are settings become an option for each of these."""
    parameters: list[Parameter] = []
    options: dict[str, tuple[type[Settings], list[SettingSpec]]] = {}
    for name, parameter in signature(execute).parameters.items():
        kind = parameter.annotation
        if isinstance(kind, type) and issubclass(kind, Settings):
            options[name] = kind, [each for each in kind.declared() if each.help]
            parameters += map(_parameter, options[name][1])
        else:
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY))

    @wraps(execute)
    def call(**given: Any) -> int:
        for name, (kind, settings) in options.items():
            given[name] = kind(**{each.name: given.pop(each.name) for each in settings})
        return execute(**given)

    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return call


def _parameter(setting: SettingSpec) -> Parameter:
    kind = setting.kind | None if setting.takes_none else setting.kind
    annotation: Any = Annotated[kind, option(setting)]
    return Parameter(setting.name, Parameter.KEYWORD_ONLY, default=setting.default, annotation=annotation)


def option(setting: SettingSpec) -> Any:
    """The option of a setting; a text that it does not take is refused before anything is read."""
    flags = setting.flags or (f"--{setting.name.replace('_', '-')}",)

    def known(value: Any) -> Any:
        setting.require(flags[-1], value)
        return value

    if setting.kind is bool:
        return Option(*flags, help=setting.help)
    if setting.kind is str:
        metavar = "|".join(setting.allowed) or setting.metavar
        return Option(*flags, metavar=metavar, callback=known, help=setting.help)
    least = LEAST_SECONDS if setting.least == MORE_THAN_0 else setting.least
    bounds: dict[str, Any] = {
        "min": None if least <= -MOST else least,
        "max": None if setting.most >= MOST else setting.most,
    }
    return Option(*flags, **bounds, metavar=setting.metavar, help=setting.help)


def choice(flag: str, values: Sequence[str], help: str) -> Any:
    """An option that takes one of some values, or none."""
    return option(SettingSpec(help, flags=(flag,), allowed=tuple(values), takes_none=True))


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
        raise unexpected("--shard", "K/N with K from 1 to N, such as 2/3", shard)
    return tasks[(number - 1) * len(tasks) // count : number * len(tasks) // count]


def pairs(default: str = "") -> Any:
    """The option that says which programs run on which tasks."""
    help = "own: each program on the task whose id its name has; all: each program on every task."
    return choice("--pairs", get_args(Pairs), help + default)


def on_failure(modes: Sequence[str]) -> Any:
    """The option that says what takes the place of a failed op's value."""
    return option(on_failure_setting(modes))


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
Backend = Annotated[str, option(BACKEND)]
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
Seed = Annotated[int, option(SEED)]
OwnSeed = Annotated[
    int | None, Option(metavar="K", help=f"{SEED.help} Without it each call has a new one, and says which.")
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
