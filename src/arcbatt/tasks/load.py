"""Loading tasks by a short text: a published set, task ids, a folder or a file of tasks."""

from __future__ import annotations

import difflib
import os
import re
import stat
from pathlib import Path

from arcbatt.arguments import require_path
from arcbatt.errors import TaskError
from arcbatt.tasks.published import SETS, published_task, published_tasks
from arcbatt.tasks.read import describe, grid_from_json, read_json, task_from_json
from arcbatt.tasks.tasks import Sample, Task, TaskSet, split_ids
from arcbatt.text import shorten

POSSIBLE = (
    f"tasks come from {', '.join(SETS)}, a folder of task JSON files, a task JSON file, "
    "a Kaggle *_challenges.json file, or task ids such as 00d62c1b,0520fde7"
)
CHALLENGES = "_challenges.json"
SOLUTIONS = "_solutions.json"
# A mistyped id counts as an id, so that the error can name the nearest ids.
NEARLY_AN_ID = re.compile(r"[0-9a-fA-F]{6,10}")


def named_tasks(spec: str | os.PathLike[str]) -> TaskSet:
    """The tasks of a text or a path, as `load_tasks` takes it.

    >>> named_tasks("arc1/training:00d62c1b")
    TaskSet('arc1/training', 1 task)
    """
    require_path("the path of tasks", spec)
    if not isinstance(spec, str):
        path = Path(os.fsdecode(spec))
        return _load_path(path, _kind(path))
    tasks = _load_name(spec)
    if tasks is not None:
        return tasks
    source, colon, ids = spec.rpartition(":")
    # A path follows the colon of a Windows drive, never ids.
    if not colon or re.search(r"[/\\]", ids):
        raise _nothing_there(spec)
    return _load_picked(source, ids)


def task_files(spec: str) -> list[Path]:
    """The user's files that a spec of tasks reads; a published set and ids read none.

    >>> task_files("arc1/training"), task_files("00d62c1b")
    ([], [])
    """
    for name in (spec, spec.rpartition(":")[0]):
        path = _path(name)
        kind = _kind(path) if name and name not in SETS else None
        if kind == "folder":
            return [entry for entry in _entries(path) if entry.name.endswith(".json")]
        if kind:
            return [file for file in (path, _solutions(path)) if file.exists()]
    return []


def _load_name(name: str) -> TaskSet | None:
    if name in SETS:
        return published_tasks(name)
    path = _path(name)
    kind = _kind(path) if name else None
    if kind:
        return _load_path(path, kind)
    ids = split_ids(name)
    if ids and all(map(NEARLY_AN_ID.fullmatch, ids)):
        return TaskSet(tuple(published_task(task_id) for task_id in ids), shorten(name))
    return None


def _load_picked(source: str, ids: str) -> TaskSet:
    tasks = _load_name(source)
    if tasks is None:
        raise _nothing_there(source)
    if not split_ids(ids):
        raise TaskError(f"{source}: no ids follow the colon; write {source}:{tasks.ids[0]}")
    return tasks.pick(ids)


def _path(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:  # the user has no home folder
        return Path(name)


def _kind(path: Path) -> str | None:
    """The kind of a path: file, folder, other, or None if it does not exist."""
    try:
        mode = path.stat().st_mode
    except PermissionError as error:
        raise TaskError(f"{path}: cannot be read: {error.strerror}") from error
    except (OSError, ValueError):  # the path does not exist, or the text is a long list of ids
        return None
    return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "other"


def _load_path(path: Path, kind: str | None) -> TaskSet:
    if kind == "folder":
        return _load_folder(path)
    if kind == "file":
        return _load_file(path)
    if kind == "other":
        raise TaskError(f"{path}: is neither a file nor a folder; {POSSIBLE}")
    raise _nothing_there(str(path))


def _load_folder(folder: Path) -> TaskSet:
    entries = _entries(folder)
    files = [entry for entry in entries if entry.name.endswith(".json") and not entry.name.startswith(".")]
    for file in files:
        if file.name.endswith(CHALLENGES):
            raise TaskError(f"{folder}: holds Kaggle files; name one of them, such as {file}")
    if not files:
        inner = [f"; perhaps {entry} has" for entry in entries if entry.is_dir()]
        raise TaskError(f"{folder}: has no task files <id>.json{''.join(inner[:1])}")
    return TaskSet(tuple(_load_task(file, read_json(file)) for file in files), str(folder))


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir(), key=lambda entry: entry.name)
    except OSError as error:
        raise TaskError(f"{folder}: cannot be read: {error.strerror or error}") from error


def _load_task(file: Path, data: object) -> Task:
    return task_from_json(str(file), file.stem, data)


def _load_file(file: Path) -> TaskSet:
    if file.name.endswith(SOLUTIONS):
        raise TaskError(f"{file}: holds solutions; name the *{CHALLENGES} file next to it")
    data = read_json(file)
    if file.name.endswith(CHALLENGES) or _has_tasks_by_id(data):
        return _load_challenges(file, data)
    return TaskSet((_load_task(file, data),), str(file))


def _has_tasks_by_id(data: object) -> bool:
    if not isinstance(data, dict) or not data or "train" in data:
        return False
    return all(isinstance(value, dict) for value in data.values())


def _load_challenges(file: Path, data: object) -> TaskSet:
    if not isinstance(data, dict):
        raise TaskError(f"{file}: is {describe(data)}, not an object of tasks by id")
    if not data:
        raise TaskError(f"{file}: has no tasks; a challenges file is an object of tasks by id")
    tasks = tuple(task_from_json(str(file), task_id, task) for task_id, task in data.items())
    solutions = _solutions(file)
    if file.name.endswith(CHALLENGES) and _kind(solutions):
        tasks = _with_solutions(solutions, tasks)
    return TaskSet(tasks, str(file))


def _solutions(file: Path) -> Path:
    return file.with_name(file.name.removesuffix(CHALLENGES) + SOLUTIONS)


def _with_solutions(file: Path, tasks: tuple[Task, ...]) -> tuple[Task, ...]:
    data = read_json(file)
    if not isinstance(data, dict):
        raise TaskError(f"{file}: is {describe(data)}, not an object of lists of grids by task id")
    return tuple(_solved(f"{file}: task {shorten(task.id)}", task, data.get(task.id, [])) for task in tasks)


def _solved(where: str, task: Task, grids: object) -> Task:
    if not isinstance(grids, list):
        raise TaskError(f"{where}: is {describe(grids)}, not a list of grids")
    if len(grids) != len(task.test):
        counts = f"{len(grids)} solutions for {len(task.test)} test inputs"
        raise TaskError(f"{where}: {counts}; there must be one for each")
    outputs = [grid_from_json(f"{where}: solution {number}", grid) for number, grid in enumerate(grids, 1)]
    test = tuple(Sample(sample.input, output) for sample, output in zip(task.test, outputs, strict=True))
    return Task(task.id, task.demo, test)


def _nothing_there(name: str) -> TaskError:
    names = [*SETS, *_neighbours(name)]
    longer = [candidate for candidate in names if name and candidate.startswith(name)]
    near = longer or difflib.get_close_matches(name[:200], names, n=1)
    hint = f", the nearest is {near[0]}" if near else ""
    return TaskError(f"{shorten(name)}: no file, folder, set or task has this name{hint}; {POSSIBLE}")


def _neighbours(name: str) -> list[str]:
    """The entries of the folder of a missing path."""
    try:
        return [str(entry) for entry in _entries(_path(name).parent)]
    except (TaskError, ValueError):
        return []
