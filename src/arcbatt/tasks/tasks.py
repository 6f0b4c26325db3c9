"""The classes of tasks: a sample, a task with its demo and test samples, and an ordered set of tasks."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, SupportsIndex, cast, overload

from arcbatt.arguments import listed, require_text, shown
from arcbatt.dsl.limits import ANY_SIZE
from arcbatt.dsl.values import intake
from arcbatt.errors import PlaceMissing, TaskError, TaskMissing, ValueRefused
from arcbatt.rendered import Rendered, Tabular, rendered_html
from arcbatt.text import plural, shorten

Grid = tuple[tuple[int, ...], ...]


class _InputAndOutput(NamedTuple):
    input: Grid
    output: Grid | None


class Sample(_InputAndOutput):
    """One input grid with its output grid, which is None if it is unknown.

    Grids may be lists or NumPy arrays; they become tuples.

    >>> before, after = Sample(input=((1, 2),), output=[[2, 1]])
    >>> after
    ((2, 1),)
    """

    __slots__ = ()

    def __new__(cls, input: Any, output: Any = None) -> Sample:
        """Make a sample; those of programs may also hold other values of the language than grids."""
        return super().__new__(
            cls, _value_of("input", input), None if output is None else _value_of("output", output)
        )

    def _repr_html_(self) -> str | None:
        return rendered_html(self)


def _value_of(name: str, given: Any) -> Grid:
    """A grid, or another value of the language: the same object if it is a grid of tuples."""
    if type(given) is tuple and all(type(row) is tuple and set(map(type, row)) <= {int} for row in given):
        return given
    try:
        return cast(Grid, intake(given, ANY_SIZE))
    except (ValueRefused, RecursionError) as refusal:
        reason = "it is nested too deeply" if isinstance(refusal, RecursionError) else refusal
        raise TaskError(
            f"the {name} of a sample is {shown(given)}; it must be a grid, rows of whole numbers: {reason}"
        ) from None


@dataclass(frozen=True, repr=False)
class Task(Rendered):
    """A puzzle: demo samples that show the rule and test samples to apply it to.

    >>> task = Task("mirror", demo=(Sample(((1, 2),), ((2, 1),)),), test=(Sample(((3, 4),), None),))
    >>> task
    Task('mirror', 1 demo, 1 test)
    >>> task.pairs
    ((((1, 2),), ((2, 1),)),)
    >>> [sample.input for sample in task.samples]
    [((1, 2),), ((3, 4),)]
    """

    id: str
    demo: tuple[Sample, ...]
    test: tuple[Sample, ...]
    packed: ClassVar[object] = None  # the form in the compiled core of a task that has run, made once

    def __post_init__(self) -> None:
        require_text("the id of a task", self.id)
        for name in ("demo", "test"):
            object.__setattr__(self, name, _samples(getattr(self, name)))
        for number, sample in enumerate(self.demo, 1):
            if sample.output is None:
                raise TaskError(
                    f"task {shorten(self.id)}: demo {number} has no output; only test samples may lack it"
                )

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "packed"}

    @property
    def pairs(self) -> tuple[tuple[Grid, Grid], ...]:
        """The demo samples as plain (input, output) tuples: the S of a program."""
        return tuple((before, after) for before, after in self.demo if after is not None)

    @property
    def samples(self) -> tuple[Sample, ...]:
        """All samples, demo then test."""
        return self.demo + self.test

    def __repr__(self) -> str:
        return f"Task({self.id!r}, {len(self.demo)} demo, {len(self.test)} test)"


def _samples(given: Iterable[Any]) -> tuple[Sample, ...]:
    """The samples of a task; `intake.py` converts every other form."""
    if type(given) is tuple and all(isinstance(sample, Sample) for sample in given):
        return given
    from arcbatt.tasks.intake import samples_of  # imported here because it makes tasks itself

    return samples_of(given)


@dataclass(frozen=True, repr=False)
class TaskSet(Rendered, Tabular):
    """An ordered, immutable collection of tasks with distinct ids.

    >>> from arcbatt.tasks import load_tasks
    >>> tasks = load_tasks("arc1/training")
    >>> tasks
    TaskSet('arc1/training', 400 tasks)
    >>> tasks["00d62c1b"]
    Task('00d62c1b', 5 demo, 1 test)
    >>> tasks[:2].ids
    ('007bbfb7', '00d62c1b')
    >>> "00d62c1b" in tasks
    True
    """

    tasks: tuple[Task, ...]
    name: str = "tasks"
    _by_id: dict[str, Task] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        require_text("the name of a set of tasks", self.name)
        object.__setattr__(self, "tasks", _tasks(self.tasks))
        object.__setattr__(self, "_by_id", {task.id: task for task in self.tasks})
        if len(self._by_id) < len(self.tasks):
            repeated = shorten(Counter(self.ids).most_common(1)[0][0])
            raise TaskError(f"{self.name}: task {repeated} occurs twice; ids must be distinct")

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the tasks, in order."""
        return tuple(task.id for task in self.tasks)

    def pick(self, ids: str | Iterable[str]) -> TaskSet:
        """The tasks with these ids, in this order; the ids may also be one comma-separated text.

        >>> from arcbatt.tasks import load_tasks
        >>> load_tasks("arc1/training").pick(["0520fde7", "00d62c1b"]).ids
        ('0520fde7', '00d62c1b')
        """
        wanted = (
            split_ids(ids)
            if isinstance(ids, str)
            else listed(ids, str, "id; ids of tasks are texts such as 00d62c1b")
        )
        return TaskSet(tuple(self[task_id] for task_id in wanted), self.name)

    def __len__(self) -> int:
        return len(self.tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks)

    def __contains__(self, item: object) -> bool:
        """Whether an id, or a task, is in the set."""
        if isinstance(item, Task):
            return self._by_id.get(item.id) == item
        return isinstance(item, str) and item in self._by_id

    @overload
    def __getitem__(self, key: str | SupportsIndex) -> Task: ...
    @overload
    def __getitem__(self, key: slice) -> TaskSet: ...
    def __getitem__(self, key: str | SupportsIndex | slice) -> Task | TaskSet:
        """The task with an id or at a position, or the tasks of a slice."""
        if isinstance(key, slice):
            return TaskSet(self._slice(key), self.name)
        if isinstance(key, str):
            return self._task(key)
        try:
            return self.tasks[key]
        except IndexError:
            raise PlaceMissing(f"{self.name}: no task at index {shown(key)}; it has {len(self)}") from None
        except Exception:
            how = "use an id, an index or a slice"
            raise TaskError(f"{self.name}: no task at {shown(key)}; {how}") from None

    def _slice(self, key: slice) -> tuple[Task, ...]:
        try:
            return self.tasks[key]
        except Exception:
            raise TaskError(f"{self.name}: expected a slice of whole numbers, got {shown(key)}") from None

    def _task(self, task_id: str) -> Task:
        if task_id not in self._by_id:
            raise TaskMissing(unknown_id(self.name, task_id, self.ids))
        return self._by_id[task_id]

    def __repr__(self) -> str:
        return f"TaskSet({self.name!r}, {plural(len(self), 'task')})"


def _tasks(given: Iterable[Any]) -> tuple[Task, ...]:
    """The tasks of a set; `intake.py` converts everything else."""
    if type(given) is tuple and all(isinstance(task, Task) for task in given):
        return given
    from arcbatt.tasks.intake import tasks_in  # imported here because it makes sets itself

    return tuple(tasks_in(given))


def split_ids(text: str) -> tuple[str, ...]:
    """The ids of a comma-separated text.

    >>> split_ids("00d62c1b, 0520fde7")
    ('00d62c1b', '0520fde7')
    """
    return tuple(part.strip() for part in text.split(",") if part.strip())


def unknown_id(where: str, task_id: str, known: Iterable[str]) -> str:
    """The error for an unknown id, with the nearest known ids or an example of one.

    >>> unknown_id("mine", "00d62c1c", ["00d62c1b", "ffffffff"])
    'mine: there is no task 00d62c1c; the nearest id is 00d62c1b'
    >>> unknown_id("mine", "zzz", ["00d62c1b", "ffffffff"])
    'mine: there is no task zzz; an id looks like 00d62c1b'
    """
    ids = list(known)
    example = f"an id looks like {ids[0]}" if ids else "it has no tasks at all"
    return f"{where}: there is no task {shorten(task_id)}; {nearest_ids(task_id, ids) or example}"


def nearest_ids(task_id: str, known: Iterable[str]) -> str:
    """The known ids nearest to an unknown one, in words; an empty text if none is near.

    >>> nearest_ids("00d62c1c", ["00d62c1b", "ffffffff"]), nearest_ids("zzz", ["ffffffff"])
    ('the nearest id is 00d62c1b', '')
    """
    near = difflib.get_close_matches(task_id[:80], list(known))
    return f"the nearest {'id is' if len(near) == 1 else 'ids are'} {', '.join(near)}" if near else ""
