"""Tasks as rows of the database, and back."""

import json
from typing import Any

from arcbatt.archive.terms import digest_of, storable
from arcbatt.errors import ArcbattError
from arcbatt.json_lines import canonical
from arcbatt.tasks import Sample, Task
from arcbatt.tasks.tasks import Grid
from arcbatt.text import shorten


def task_text(task: Task) -> str:
    """A task as JSON of the published form."""
    storable("task", task.id)
    parts = (("train", task.demo), ("test", task.test))
    try:
        return canonical({part: [_sample(*sample) for sample in samples] for part, samples in parts})
    except (TypeError, ValueError):
        raise ArcbattError(
            f"task {shorten(task.id)}: an input is no grid of numbers and cannot be kept"
        ) from None


def _sample(before: Any, after: Any) -> dict[str, Any]:
    return {"input": before} if after is None else {"input": before, "output": after}


def task_digest(name: str, text: str) -> bytes:
    """The identity of a task: its id and its grids."""
    return bytes.fromhex(digest_of(f"{name}\n{text}"))


def digest_of_task(task: Task) -> bytes:
    """The digest by which a task is found."""
    return task_digest(task.id, task_text(task))


def task_from_text(name: str, text: str) -> Task:
    """The task of a row."""
    try:
        return task_of(name, json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ArcbattError(f"task {shorten(name)} is damaged: it has no demo and test grids") from None


def task_of(name: str, data: Any) -> Task:
    """The task of JSON data; grids may be larger than published ones, for users make tasks of their own."""
    demo, test = (tuple(_read_sample(sample) for sample in data[part]) for part in ("train", "test"))
    return Task(name, demo, test)


def _read_sample(data: dict[str, Any]) -> Sample:
    after = data.get("output")
    return Sample(_read_grid(data["input"]), None if after is None else _read_grid(after))


def _read_grid(rows: Any) -> Grid:
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise TypeError(rows)
    if not all(type(cell) is int for row in rows for cell in row):
        raise TypeError(rows)
    return tuple(map(tuple, rows))
