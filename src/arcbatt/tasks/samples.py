"""Samples of tasks as programs get them (S, I and C), in batches and in halves."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

from arcbatt.tasks.tasks import Task


class Samples(NamedTuple):
    """Samples of one task: S (its demo pairs), and for each sample I (the input) and C (the output).

    S or C is None if it is unknown; a node that reads it then fails with TYPE.
    """

    id: str
    pairs: Any
    samples: Sequence[tuple[Any, Any]]


TaskLike: TypeAlias = Task | Samples
Result = TypeVar("Result")


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


def batches(tasks: Iterable[TaskLike], size: int | None) -> Iterator[list[TaskLike]]:
    """The samples of tasks in batches of `size` samples; without a size each task is a batch.

    >>> two = Samples("a", (), [(((1,),), None), (((2,),), None)])
    >>> [[len(task.samples) for task in batch] for batch in batches([two, two], 3)]
    [[2, 1], [1]]
    """
    batch: list[TaskLike] = []
    room = size or 0
    for task in tasks:
        if size is None:
            yield [task]
            continue
        start = 0
        while start < len(task.samples):
            batch.append(some_of(task, start, start + room))
            start += room
            room -= len(batch[-1].samples)
            if room == 0:
                yield batch
                batch, room = [], size
    if batch:
        yield batch


def in_halves(
    run: Callable[[Sequence[TaskLike]], Sequence[Result]],
    tasks: Sequence[TaskLike],
    errors: tuple[type[Exception], ...],
) -> Iterator[tuple[TaskLike, Result | Exception]]:
    """Yield the results of `run` for each task; a batch that raises one of the errors runs again in halves.

    Halving continues down to the sample at fault, whose result is the error.

    >>> def inverse(tasks):
    ...     return [[1 / given for given, _ in task.samples] for task in tasks]
    >>> four = Samples("a", (), [(number, None) for number in (4, 2, 0, 1)])
    >>> [found for _, found in in_halves(inverse, [four], (ZeroDivisionError,))]
    [[0.25, 0.5], ZeroDivisionError('division by zero'), [1.0]]
    """
    try:
        results = run(tasks)
    except errors as error:
        count = count_samples(tasks)
        if count == 1:
            yield next(task for task in tasks if task.samples), error
        elif count:
            for half in batches(tasks, (count + 1) // 2):
                yield from in_halves(run, half, errors)
        return
    yield from zip(tasks, results)
