"""What `profile` does: it reads a batt or programs, chooses tasks, measures, and shows what it found."""

import ast
import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import cast

from arcbatt.batt.execution import mode_of
from arcbatt.commands.inputs import Listener, read_programs
from arcbatt.engine.choose import AVAILABLE
from arcbatt.engine.profile import Profile, profile
from arcbatt.engine.run import Pairs
from arcbatt.files import whole_file
from arcbatt.program.graph import Batt
from arcbatt.program.merge import merge
from arcbatt.program.read_batt import batt_in, is_batt
from arcbatt.program.syntax import parsed, text_of_file
from arcbatt.tasks import TaskSet
from arcbatt.view.profile_report import headlines, page
from arcbatt.view.screen import Screen, progress

EVERY_BACKEND = "both"


def read_batt_or_programs(files: Sequence[Path], listener: Listener) -> Batt:
    """The batt of a batt file as it stands there, or the programs of files merged."""
    if len(files) == 1 and files[0].is_file():
        module = parsed(text_of_file(files[0]), str(files[0]))
        if isinstance(module, ast.Module) and is_batt(module):
            batt = batt_in(module, str(files[0]), listener.strict)
            listener.warn(batt.warnings)
            return batt
    return merge(read_programs(files, listener))


def pairs_for(batt: Batt, pairs: str | None) -> Pairs:
    """What runs on what, unless it is asked for: all of a batt file, each program on its own task."""
    if pairs is not None:
        return cast(Pairs, pairs)
    return "own" if batt.read is None else "all"


def pick_tasks(batt: Batt, tasks: TaskSet, pairs: Pairs, limit: int) -> TaskSet:
    """The first of the tasks that something runs on."""
    own = {program.task_id for program in batt}
    return TaskSet(tuple(task for task in tasks if pairs == "all" or task.id in own)[:limit], tasks.name)


def show_profiles(
    batt: Batt,
    tasks: TaskSet,
    pairs: Pairs,
    backend: str,
    on_failure: str,
    top: int,
    json_file: str | None,
) -> None:
    """Measure on each backend asked for, print what was found when it is there, and write it as JSON."""
    mode = mode_of(batt, on_failure)
    interrupted = False
    with whole_file(json_file) if json_file else nullcontext() as file:
        found: list[Profile] = []
        try:
            # The fast one first: who does not want to wait for the other has it by then.
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
    if not to_stdout:
        for line in headlines(found):
            print(line, file=sys.stderr)
        return
    if another:
        print()
    screen = Screen()
    screen.print(page(found, top, screen.width))
