"""`arcbatt simplify`: the programs of a user's file made shorter, each proved to do what it did."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NamedTuple

from typer import Argument, Context, Option

from arcbatt.commands import DONE, NOTHING_DONE, SOME_REFUSED, options
from arcbatt.commands.inputs import Refusals, program_files, read_batt
from arcbatt.commands.outputs import require_output, tell_of_heavy
from arcbatt.dsl.limits import DEFAULT_LIMITS
from arcbatt.engine.backend import FailureMode, too_heavy
from arcbatt.engine.equality import Difference, first_differences
from arcbatt.engine.plan import own_ops_by_root, plan
from arcbatt.errors import ArcbattError, TaskError
from arcbatt.files import whole_file
from arcbatt.notices import tell
from arcbatt.program.folders import bare_name
from arcbatt.program.forms.conversion import ONE_LINERS, SOLVERS, converted
from arcbatt.program.graph import Batt, Program
from arcbatt.program.simplify import simplify
from arcbatt.program.statements import lines_written
from arcbatt.tasks import Task, TaskSet, load_tasks
from arcbatt.tasks.load import task_files
from arcbatt.tasks.published import published_task
from arcbatt.text import plural, printable
from arcbatt.view.progress import progress

TRAINING = "arc1/training"


def execute(
    context: Context,
    programs: Annotated[
        list[str],
        Argument(metavar="FILE", help="A file of solvers, of one-liners, or a batt; or a folder of them."),
    ],
    out: Annotated[
        str, Option("-o", "--out", metavar="OUT", help="The file to write; - is standard output.")
    ] = "-",
    tasks: Annotated[
        str | None,
        Option(
            metavar="SPEC",
            help=f"The tasks to prove it on, as `run --tasks` takes them; by default {TRAINING} and the "
            "tasks that the programs are for.",
        ),
    ] = None,
    strict: options.Strict = False,
) -> int:
    """Shorten the programs of a file, and prove that each does what it did.

    Lines that nothing uses go, and steps that undo each other or change nothing; equal lines stand once.
    Each program that becomes another one runs beside the old one on all samples of the tasks. If a value or
    the kind of a failure differs anywhere, the program stays as it was, and is named. For a batt this holds
    where failed lines have no value and where they have typed defaults (--on-failure fail and default).

    The output has the form of the file: functions, one-liners, or a batt of the same style.

    Examples:

      arcbatt simplify mine.py -o shorter.py

      arcbatt simplify batt.py -o batt2.py --tasks arc1/evaluation

    Exit code: 0 the file is written; 1 it is, without programs that were refused; 2 it is not.
    """
    refused = Refusals(strict)
    files = program_files(programs)
    require_output(out, [*files, *task_files(tasks or TRAINING), *context.obj])
    batt = read_batt(files, refused)
    if not batt.programs:
        return NOTHING_DONE
    proving = _tasks(tasks, batt.programs)
    shortened = _shortened(batt, proving)
    made = converted(shortened.batt, _form(out, files, batt))
    for reason in made.left_out:
        tell(f"left out: {reason}")
    with whole_file(out) as file:
        file.write(made.text)
    to = sys.stderr if out == "-" else sys.stdout
    for line in (*shortened.lines, _summary(out, batt, shortened, proving)):
        print(printable(line), file=to)
    return SOME_REFUSED if refused.count or made.left_out else DONE


class _ShorterBatt(NamedTuple):
    """A batt of shorter programs, what is said of single ones, how many were proved or kept, lines before."""

    batt: Batt
    lines: list[str]
    proved: int
    kept: int
    before: int


def _tasks(spec: str | None, programs: Sequence[Program]) -> TaskSet:
    """The tasks to prove equality on, without those that are too heavy to run on."""
    tasks = load_tasks(TRAINING if spec is None else spec)
    if spec is None:
        more: list[Task] = []
        for task_id in dict.fromkeys(program.task_id for program in programs):
            if task_id is not None and task_id not in tasks:
                with suppress(TaskError):
                    more.append(published_task(task_id))
        tasks = TaskSet((*tasks, *more), tasks.name)
    heavy = {task.id: reason for task in tasks if (reason := too_heavy(task, DEFAULT_LIMITS))}
    tell_of_heavy(heavy, "nothing is proved there")
    light = TaskSet(tuple(task for task in tasks if task.id not in heavy), tasks.name)
    if not light:
        raise ArcbattError("there is no task to prove anything on; name others with --tasks")
    return light


def _shortened(batt: Batt, tasks: TaskSet) -> _ShorterBatt:
    roots = [simplify(program.root) for program in batt]
    own = own_ops_by_root(plan(batt))
    changed = [index for index, program in enumerate(batt) if roots[index] is not program.root]
    unproved = [batt.programs[index].name for index in changed if own[index]]
    changed = [index for index in changed if not own[index]]
    old = [batt.programs[index] for index in changed]
    modes: tuple[FailureMode, ...] = ("fail", "default") if batt.style else ("fail",)
    found: list[Difference | None] = []
    if changed:
        with progress(len(tasks), "tasks") as advance:
            new = [roots[index] for index in changed]
            found = first_differences(old, new, tuple(tasks), modes, on_task=advance)
    programs = list(batt.programs)
    lines = [f"{name}: kept as it was, since it uses ops of your own" for name in unproved]
    for index, difference in zip(changed, found):
        name = programs[index].name
        if difference is not None:
            lines.append(f"{name}: kept as it was: simplified, {difference}")
        else:
            programs[index] = programs[index].altered(root=roots[index])
    differing = sum(difference is not None for difference in found)
    whole = replace(batt, programs=tuple(programs), read=None)
    written = [] if batt.style else [lines_written(program) for program in batt]
    before = len(batt.listing.lines) if batt.style else sum(written)
    told = [
        f"{old.name}: {plural(count, 'line')}, {new.size:,} now"
        for old, count, new in zip(batt, written, programs)
        if new.size < count
    ]
    return _ShorterBatt(whole, [*told, *lines], len(found) - differing, len(lines), before)


def _form(out: str, files: Sequence[Path], batt: Batt) -> str:
    """The form of the file that was read; .def files have one-liners."""
    if batt.style:
        return batt.style
    return ONE_LINERS if out.endswith(".def") or all(map(bare_name, files)) else SOLVERS


def _summary(out: str, batt: Batt, shortened: _ShorterBatt, tasks: TaskSet) -> str:
    if batt.style:
        after = len(shortened.batt.listing.lines)
    else:
        after = sum(program.size for program in shortened.batt)
    went = plural(shortened.before - after, "line")
    samples = plural(sum(len(task.samples) for task in tasks), "sample")
    proved = (
        f"{plural(shortened.proved, 'changed program')} proved on {plural(len(tasks), 'task')}, {samples}"
    )
    kept = f"; {plural(shortened.kept, 'program')} kept as before" if shortened.kept else ""
    return f"{out}: {plural(len(batt), 'program')}; {went} of {shortened.before:,} went; {proved}{kept}"
