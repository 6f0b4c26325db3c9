"""Samples of tasks as programs get them (S, I and C)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from arcbatt.tasks.tasks import Task


class Samples(NamedTuple):
    """Samples of one task: S (its demo pairs), and for each sample I (the input) and C (the output).

    S or C is None if it is unknown; a node that reads it then fails with TYPE.
    """

    id: str
    pairs: Any
    samples: Sequence[tuple[Any, Any]]


TaskLike: TypeAlias = Task | Samples


def some_of(task: TaskLike, start: int, end: int | None = None) -> Samples:
    """The samples of a task from `start` on, or up to `end`.

    >>> from arcbatt.tasks import load_tasks
    >>> len(some_of(load_tasks("00d62c1b")[0], 4).samples)
    2
    """
    return Samples(task.id, task.pairs, task.samples[start:end])


def demo_and_test(task: TaskLike) -> tuple[Samples, Samples]:
    """Split a task, or a part of one, into its demo samples and the others, which come after them.

    >>> from arcbatt.tasks import load_tasks
    >>> [len(half.samples) for half in demo_and_test(load_tasks("00d62c1b")[0])]
    [5, 1]
    """
    pairs, samples = task.pairs or (), task.samples
    demo = next((k for k, sample in enumerate(samples) if sample not in pairs), len(samples))
    return some_of(task, 0, demo), some_of(task, demo)


def singles(tasks: Iterable[TaskLike]) -> Iterator[Samples]:
    """Each sample of the tasks separately."""
    for task in tasks:
        pairs = task.pairs
        for sample in task.samples:
            yield Samples(task.id, pairs, [sample])


def count_samples(tasks: Iterable[TaskLike]) -> int:
    """The number of samples of tasks."""
    return sum(len(task.samples) for task in tasks)


def by_task(calls: Iterable[tuple[str, Any, Any, Any]]) -> list[Samples]:
    """Group calls (task id, S, I, C) into samples, in order; consecutive ones with equal task and S together.

    >>> by_task([("a", (), ((1,),), None), ("a", (), ((2,),), None), ("b", (), ((3,),), None)])[0].samples
    [(((1,),), None), (((2,),), None)]
    """
    groups: list[Samples] = []
    samples: list[tuple[Any, Any]] = []
    for task_id, pairs, given, expected in calls:
        if not groups or groups[-1].id != task_id or not _are_same(groups[-1].pairs, pairs):
            samples = []
            groups.append(Samples(task_id, pairs, samples))
        samples.append((given, expected))
    return groups


def _are_same(a: Any, b: Any) -> bool:
    """Whether two objects are identical, or hashable (so they cannot change) and equal."""
    if a is b:
        return True
    try:
        return hash(a) == hash(b) and bool(a == b)
    except TypeError:
        return False
