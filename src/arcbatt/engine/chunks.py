"""Chunks: some programs on some samples of one task, cut to take a fraction of a second or a second."""

from array import array
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from math import ceil, inf
from typing import Any, NamedTuple, TypeVar

from arcbatt.tasks.samples import TaskLike, count_samples, some_of

Result = TypeVar("Result")

SECONDS = 0.2  # what a chunk should take on one thread
TRIAL = 0.1  # seconds of the first call, whose pace is a guess
SLOWEST = 1e-6  # seconds for a program and a unit of weight: the guess, about the pace of the reference
BASE = 50  # the weight of a sample of no cells


class Chunk(NamedTuple):
    """Some programs, by index, on some samples of one task.

    `number` is that of the task in the run, and `first` that of the first sample in the task. `is_last` says
    that no other programs of the task follow.
    """

    number: int
    task: TaskLike
    programs: Sequence[int]
    first: int = 0
    is_last: bool = True

    @property
    def samples(self) -> Sequence[Any]:
        """The samples."""
        return self.task.samples

    @property
    def work(self) -> float:
        """The work of the chunk: programs times the weight of the task."""
        return len(self.programs) * weight(self.task)

    def some(self, start: int, end: int | None = None) -> "Chunk":
        """The same programs on the samples of the chunk from `start` on, or up to `end`."""
        return self._replace(task=some_of(self.task, start, end), first=self.first + start)

    def packed(self) -> "Chunk":
        """The chunk with its programs in few bytes, to be sent: as a range where they are one."""
        return self._replace(programs=packed_indices(self.programs))


def chunks_of(tasks: Iterable[TaskLike], programs: Sequence[int] = ()) -> list[Chunk]:
    """Some programs on all samples of tasks."""
    return [Chunk(number, task, programs) for number, task in enumerate(tasks)]


def packed_indices(indices: Sequence[int]) -> Sequence[int]:
    """Indices in few bytes once they are pickled: a range, or an array.

    >>> packed_indices([4, 5, 6]), list(packed_indices([1, 7]))
    (range(4, 7), [1, 7])
    """
    first, end = (indices[0], indices[-1] + 1) if indices else (0, 0)
    is_range = end - first == len(indices) and list(indices) == list(range(first, end))
    return range(first, end) if is_range else array("q", indices)


def batches(chunks: Iterable[Chunk], size: int) -> Iterator[list[Chunk]]:
    """The samples of chunks in batches of `size` samples.

    >>> from arcbatt.tasks.samples import Samples
    >>> two = Samples("a", (), [(((1,),), None), (((2,),), None)])
    >>> [[len(chunk.samples) for chunk in batch] for batch in batches(chunks_of([two, two]), 3)]
    [[2, 1], [1]]
    """
    batch: list[Chunk] = []
    room = size
    for chunk in chunks:
        start, end = 0, len(chunk.samples)
        while start < end:
            batch.append(chunk.some(start, start + room))
            start += room
            room -= len(batch[-1].samples)
            if room == 0:
                yield batch
                batch, room = [], size
    if batch:
        yield batch


def in_halves(
    run: Callable[[Sequence[Chunk]], Sequence[Result]],
    chunks: Sequence[Chunk],
    errors: tuple[type[Exception], ...],
) -> Iterator[tuple[int, Result | Exception]]:
    """The results of `run` for each chunk, each after the number of its samples.

    If it raises one of the errors, it runs again on halves of the samples, and so on down to the sample at
    fault, which has the error in place of a result.

    >>> from arcbatt.tasks.samples import Samples
    >>> def inverse(chunks):
    ...     return [[1 / given for given, _ in chunk.samples] for chunk in chunks]
    >>> four = Samples("a", (), [(number, None) for number in (4, 2, 0, 1)])
    >>> list(in_halves(inverse, chunks_of([four]), (ZeroDivisionError,)))
    [(2, [0.25, 0.5]), (1, ZeroDivisionError('division by zero')), (1, [1.0])]
    """
    try:
        results = run(chunks)
    except errors as error:
        count = count_samples(chunk.task for chunk in chunks)
        if count == 1:
            yield 1, error
        elif count:
            for half in batches(chunks, (count + 1) // 2):
                yield from in_halves(run, half, errors)
        return
    yield from zip((len(chunk.samples) for chunk in chunks), results)


class Pace:
    """How fast programs run, as measured so far; a chunk should take `wanted` seconds, or `SECONDS`."""

    def __init__(self, wanted: float | None = None) -> None:
        self.seconds, self.wanted = SLOWEST, SECONDS if wanted is None else wanted
        self.measured = False

    def programs(self, task: TaskLike) -> int:
        """The number of programs that are a chunk on all samples of a task; at least 1."""
        return max(1, int(self.wanted / (self.seconds * weight(task))))

    def note(self, work: float, seconds: float) -> None:
        """Learn from a measurement: programs times weights, and the seconds of one thread that they took.

        A slower pace counts at once. A faster one counts in steps: the next programs may be slow ones.
        """
        if work:
            self.measured = True
            self.seconds = max(seconds / work, self.seconds / 8)


def weight(task: TaskLike) -> int:
    """What a program costs on a task, roughly: its samples and their cells; at least 1."""
    return sum(BASE + _cells(given) for given, _ in task.samples) or 1


def _cells(grid: Any) -> int:
    try:
        return len(grid) * len(grid[0])
    except (TypeError, LookupError):  # it is no grid, and will be refused where it is packed
        return 1


class ChunkQueue:
    """The work that is left, task by task, cut by the pace of what was done.

    Programs give the same results together and apart, so cuts change none. With `whole`, as in mode `pile`
    where programs depend on each other, no task is cut. `starts` are the programs before which a task may be
    cut, by default all. `wanted` is asked for as the run goes on.
    """

    def __init__(
        self,
        wanted: Iterable[Chunk],
        whole: bool = False,
        seconds: float | None = None,
        starts: Container[int] | None = None,
    ) -> None:
        self.pace = Pace(seconds)
        self.whole = whole
        self._left, self._starts = iter(wanted), starts
        self._rest: Chunk | None = None

    def take(self, seconds: float, samples: float = inf) -> list[Chunk]:
        """The next chunks: about `seconds` of one thread, or so many samples; at least one chunk."""
        taken: list[Chunk] = []
        while seconds > 0 and (samples > 0 or not taken) and (chunk := self._next()):
            taken.append(chunk)
            seconds -= chunk.work * self.pace.seconds
            samples -= len(chunk.samples)
        return taken

    def note(self, chunks: Iterable[Chunk], seconds: float) -> None:
        """Learn the pace from chunks that are done, and the seconds of one thread that they took."""
        self.pace.note(sum(chunk.work for chunk in chunks), seconds)

    def _next(self) -> Chunk | None:
        """The next task, or as many of its programs as make a chunk: chunks of a task are about equal."""
        task = self._rest or next(self._left, None)
        self._rest = None
        if task is None or self.whole:
            return task
        count = ceil(len(task.programs) / self.pace.programs(task.task))
        if count <= 1:
            return task
        size = self._cut(task.programs, ceil(len(task.programs) / count))
        if size == len(task.programs):
            return task
        self._rest = task._replace(programs=task.programs[size:])
        return task._replace(programs=task.programs[:size], is_last=False)

    def _cut(self, programs: Sequence[int], size: int) -> int:
        """The first place from `size` on where programs may be cut."""
        if self._starts is not None:
            while size < len(programs) and programs[size] not in self._starts:
                size += 1
        return size
