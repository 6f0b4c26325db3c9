"""`arcbatt folder`: folders of kept solvers, checked, pruned and counted."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, cast, get_args

from rich.text import Text
from typer import Argument, Option

from arcbatt.commands import DONE, SOME_REFUSED, interrupted, options
from arcbatt.commands.inputs import Refusals
from arcbatt.commands.outputs import require_output, tell_of_heavy
from arcbatt.dsl.limits import DEFAULT_LIMITS
from arcbatt.engine.backend import FailureMode, too_heavy
from arcbatt.errors import ArcbattError, TaskError
from arcbatt.files import whole_file
from arcbatt.search.breed.kept_files import (
    KeptFile,
    KeptFileCheck,
    KeptFolder,
    checked,
    kept_folder_of,
    remove_file,
)
from arcbatt.signals import defer_interrupts
from arcbatt.tasks import Task, load_tasks
from arcbatt.tasks.load import task_files
from arcbatt.tasks.published import published_task
from arcbatt.text import plural, printable
from arcbatt.view.progress import progress
from arcbatt.view.screen import Screen
from arcbatt.view.tables import Column, table

COLUMNS = [Column("task"), *(Column(title, right=True) for title in ("programs", "files", "best", "worst"))]

Folder = Annotated[
    str, Argument(metavar="DIR", help="A folder with files solve_<id>/<score>/<time>/<hash>.py.")
]


def count(folder: Folder, json_file: options.FiguresFile = None) -> int:
    """Count the kept solvers of a folder, task by task: programs, files, the best and the worst score.

    Examples:

      arcbatt folder count solver_dir

    Exit code: 0; 1 if some files cannot be read; 2 if there is no kept solver.
    """
    found = _read(folder)
    require_output(json_file, [file.path for file in found.files])
    figures = [_figures(task, files) for task, files in found.by_task.items()]
    total = {
        "tasks": len(figures),
        "programs": len({file.program.hash for file in found.files}),
        "files": len(found.files),
        "other_files": found.others,
    }
    _write_json(json_file, {"tasks": figures, "total": total})
    if json_file != "-":
        rows = [[Text(str(cell)) for cell in each.values()] for each in figures]
        screen = Screen()
        screen.print(table(COLUMNS, rows, screen.width))
        files = f"{plural(total['files'], 'file')} of {plural(total['programs'], 'program')}"
        others = f"; {plural(found.others, 'other program file')}" if found.others else ""
        print()
        print(printable(f"{folder}: {files} for {plural(len(figures), 'task')}{others}"))
    return SOME_REFUSED if found.refused else DONE


def check(
    folder: Folder,
    tasks: Annotated[
        str | None,
        Option(metavar="SPEC", help="The tasks, as `run --tasks` takes them; by default published ones."),
    ] = None,
    on_failure: Annotated[str, options.on_failure(get_args(FailureMode))] = "default",
    timeout: Annotated[
        float | None,
        Option("-t", "--timeout", min=0.001, metavar="SECONDS", help="Most time for ops of your own."),
    ] = None,
    json_file: options.FiguresFile = None,
) -> int:
    """Run the kept solvers of a folder again, and tell where a path does not say what the program does.

    A score of 1000 means exact on every sample with a known output; below, it is the mean partial score of
    the demo samples. In the historical form a score is the number of exact samples, of all or of the demo.

    Examples:

      arcbatt folder check solver_dir

    Exit code: 0 all are right; 1 some are wrong or cannot be read; 2 nothing was checked; 130 interrupted,
    what was found by then is reported.
    """
    found = _read(folder)
    require_output(json_file, [*task_files(tasks or "both"), *(file.path for file in found.files)])
    known = _known_tasks(tasks, found)
    results: list[KeptFileCheck] = []
    complete = True
    try:
        with progress(sum(file.task in known for file in found.files), "files") as advance:
            for each in checked(found.files, known, cast(FailureMode, on_failure), timeout):
                results.append(each)
                advance(each)
                if not each.is_right and json_file != "-":
                    print(each.words)
    except KeyboardInterrupt:
        complete = False
    wrong = sum(not each.is_right for each in results)
    missed = len(found.files) - len(results)
    total = {"right": len(results) - wrong, "wrong": wrong, "not_checked": missed}
    state = {} if complete else {"interrupted": True}
    _write_json(json_file, {"files": [each.as_json() for each in results], "total": total} | state)
    if json_file != "-":
        passed = f"; {missed:,} not checked" if missed else ""
        said = f"{plural(len(results), 'file')} checked, {total['right']:,} right, {wrong:,} wrong{passed}"
        print(printable(f"{folder}: {said}"))
    if not complete:
        return interrupted()
    return SOME_REFUSED if wrong or found.refused else DONE


def prune(
    folder: Folder,
    keep: Annotated[
        int, Option("--keep", min=1, metavar="N", help="How many solvers of each task stay.")
    ] = 32,
    dry_run: Annotated[bool, Option("--dry-run", help="Remove nothing, tell what would be removed.")] = False,
    json_file: options.FiguresFile = None,
) -> int:
    """Remove all but the best solvers of each task, and files of a program that stands there with more.

    A higher score is better, then a shorter time. Each file is named when it is removed. Files that are no
    kept solvers stay, and so do those that cannot be read.

    Examples:

      arcbatt folder prune solver_dir --keep 10 --dry-run

    Exit code: 0 done; 1 done, and some files cannot be read; 2 nothing was done; 130 interrupted: the files
    named by then are removed, and no others.
    """
    found = _read(folder)
    require_output(json_file, [file.path for file in found.files])
    going = list(found.superfluous(keep))
    removed: list[dict[str, str]] = []
    complete = True
    try:
        for file, reason in going:
            with defer_interrupts():  # what is removed is named, whenever Ctrl-C comes
                if not dry_run:
                    remove_file(file.path, Path(folder))
                removed.append({"file": str(file.path), "reason": reason})
                if json_file != "-":
                    print(printable(f"{'would remove' if dry_run else 'removed'} {file.path}: {reason}"))
    except KeyboardInterrupt:
        complete = False
    left = len(found.files) - len(removed)
    state = {} if complete else {"interrupted": True}
    _write_json(json_file, {"removed": removed, "left": left, "dry_run": dry_run} | state)
    if json_file != "-":
        said = f"{plural(len(removed), 'file')} {'would go' if dry_run else 'removed'}, {left:,} left"
        print(printable(f"{folder}: {said}"))
    if not complete:
        return interrupted()
    return SOME_REFUSED if found.refused else DONE


ACTIONS: dict[str, Callable[..., int]] = {"count": count, "check": check, "prune": prune}


def _read(folder: str) -> KeptFolder:
    """The kept solvers of a folder; files that cannot be read are told of."""
    found = kept_folder_of(folder)
    Refusals(strict=False).add(found.refused)
    if not found.files:
        raise ArcbattError(
            f"{folder}: expected files solve_<id>/<score>/<time>/<hash>.py, got none; "
            "`arcbatt run-batt --save DIR` writes such a folder"
        )
    return found


def _figures(task: str, files: Sequence[KeptFile]) -> dict[str, Any]:
    programs = len({file.program.hash for file in files})
    return {
        "task": task,
        "programs": programs,
        "files": len(files),
        "best": files[0].score,
        "worst": files[-1].score,
    }


def _known_tasks(spec: str | None, found: KeptFolder) -> Mapping[str, Task]:
    """The tasks that solvers are kept for, of those asked for; without those too heavy to run on."""
    if spec is not None:
        known = {task.id: task for task in load_tasks(spec) if task.id in found.by_task}
    else:
        known = {}
        for task_id in found.by_task:
            with suppress(TaskError):
                known[task_id] = published_task(task_id)
    heavy = {
        task_id: reason for task_id, task in known.items() if (reason := too_heavy(task, DEFAULT_LIMITS))
    }
    tell_of_heavy(heavy, "its solvers are not checked")
    light = {task_id: task for task_id, task in known.items() if task_id not in heavy}
    if not light:
        raise ArcbattError("no solver is kept for one of the tasks; name the tasks with --tasks")
    return light


def _write_json(json_file: str | None, figures: dict[str, Any]) -> None:
    if json_file is not None:
        with whole_file(json_file) as file:
            file.write(json.dumps(figures) + "\n")
