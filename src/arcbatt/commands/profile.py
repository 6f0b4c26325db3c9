"""`arcbatt profile`: what a batt or programs cost, op by op and node by node."""

import json
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Annotated, cast

from rich.text import Text
from typer import Argument, Context, Option

from arcbatt.commands import DONE, NOTHING_DONE, SOME_REFUSED, options
from arcbatt.commands.inputs import Refusals, program_files, read_batt, tell_of_idle
from arcbatt.commands.outputs import require_output
from arcbatt.engine.choose import AVAILABLE, require_backend
from arcbatt.engine.profile.profile import Profile, profile
from arcbatt.engine.run import Pairs
from arcbatt.engine.running.sample_runner import BATT_MODES, mode_of
from arcbatt.files import whole_file
from arcbatt.program.graph import Batt
from arcbatt.tasks import TaskSet, load_tasks
from arcbatt.tasks.load import task_files
from arcbatt.view.progress import progress
from arcbatt.view.screen import Screen
from arcbatt.view.terminal.op_counts import count_lines, op_counts
from arcbatt.view.terminal.profile_report import headlines, page

EVERY_BACKEND = "both"


def _known_backend(value: str) -> str:
    if value != EVERY_BACKEND:
        require_backend(value)
    return value


def execute(
    context: Context,
    programs: Annotated[
        list[str] | None,
        Argument(
            metavar="BATT|PROGRAMS",
            help="A batt file, program files or folders of them. None, or the word library: the library that "
            "comes with arcbatt.",
        ),
    ] = None,
    tasks: options.Tasks = "arc1/training",
    limit: Annotated[int, Option(min=1, metavar="N", help="Only the first N tasks.")] = 40,
    pairs: Annotated[str | None, options.pairs(" By default all for a batt file, else own.")] = None,
    backend: Annotated[
        str,
        Option(
            metavar="auto|native|reference|both",
            callback=_known_backend,
            help="What runs the programs: the compiled core (native), Python (reference), first one and then "
            "the other (both), or the faster of these at hand (auto).",
        ),
    ] = "auto",
    on_failure: Annotated[str, options.on_failure(BATT_MODES)] = "default",
    strict: options.Strict = False,
    top: Annotated[int, Option(min=1, metavar="N", help="Show so many ops, and as many nodes.")] = 15,
    count: Annotated[
        bool,
        Option(
            "--count", help="Run nothing; print how often each op stands in the file, whatever its style."
        ),
    ] = False,
    json_file: options.FiguresFile = None,
) -> int:
    """Measure what a batt or programs cost: ops, failures, slowest nodes, what merging and staging save.

    A node is one expression of the graph into which programs are merged. Equal expressions of several
    programs are one node and run once: merging. A node that does not depend on the sample runs once for all
    samples: staging.

    With --count nothing runs: the table is that of `grep -o 't[0-9]* = [a-z_]*' FILE | cut -d= -f2 | sort |
    uniq -c | sort -rn`, for every style, with the op itself in a line of a pile. tN is a call of a line.

    Exit code: 0 all was measured; 1 some programs were refused; 2 nothing was measured, or the JSON could not
    be written; 130 interrupted, what was done by then is reported.
    """
    refused = Refusals(strict)
    files = program_files(programs or ())
    require_output(json_file, [*files, *task_files(tasks), *context.obj])
    batt = read_batt(files, refused)
    if not batt.programs:
        return NOTHING_DONE
    if count:
        _show_counts(op_counts(batt), json_file)
        return SOME_REFUSED if refused.count else DONE
    chosen_pairs = cast(Pairs, pairs or ("own" if batt.read is None else "all"))
    known = load_tasks(tasks)
    if chosen_pairs == "own":
        tell_of_idle(batt.programs, known, files)
    wanted = _pick_tasks(batt, known, chosen_pairs, limit)
    _show_profiles(batt, wanted, chosen_pairs, backend, on_failure, top, json_file)
    return SOME_REFUSED if refused.count else DONE


def _show_counts(counts: Mapping[str, int], json_file: str | None) -> None:
    if json_file is not None:
        with whole_file(json_file) as file:
            file.write(json.dumps({"ops": counts}) + "\n")
    for line in count_lines(counts) if json_file != "-" else ():
        print(line)


def _pick_tasks(batt: Batt, tasks: TaskSet, pairs: Pairs, limit: int) -> TaskSet:
    """The first of the tasks that something runs on."""
    own = {program.task_id for program in batt}
    return TaskSet(tuple(task for task in tasks if pairs == "all" or task.id in own)[:limit], tasks.name)


def _show_profiles(
    batt: Batt, tasks: TaskSet, pairs: Pairs, backend: str, on_failure: str, top: int, json_file: str | None
) -> None:
    """Profile on each backend asked for, print each profile when it is done, and write all as JSON."""
    mode = mode_of(batt, on_failure)
    interrupted = False
    with whole_file(json_file) if json_file else nullcontext() as file:
        found: list[Profile] = []
        try:
            # The fast backend first: its profile is there while the other still runs.
            for name in reversed(AVAILABLE) if backend == EVERY_BACKEND else (backend,):
                with progress(len(tasks), f"tasks, {name}") as advance:
                    found.append(profile(batt, tasks, pairs, name, mode, on_task=advance))
                _show(found[-1], top, another=len(found) > 1, to_stdout=json_file != "-")
        except KeyboardInterrupt:
            if not found:
                raise
            interrupted = True
        if file is not None:
            data = {"profiles": [each.as_json(top) for each in found]}
            file.write(json.dumps(data | ({"interrupted": True} if interrupted else {})) + "\n")
    if interrupted:
        raise KeyboardInterrupt


def _show(found: Profile, top: int, another: bool, to_stdout: bool) -> None:
    screen = Screen(stderr=not to_stdout)
    if not to_stdout:
        screen.print(map(Text, headlines(found)))
        return
    if another:
        print()
    screen.print(page(found, top, screen.width))
