"""The speed of several backends on the same batches of samples, as ratios to the first backend."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from time import perf_counter
from typing import Any
from zlib import crc32

from arcbatt.engine.backend import Backend, Job, RunOptions
from arcbatt.engine.choose import AVAILABLE, choose
from arcbatt.engine.cores import cores
from arcbatt.engine.plan import plan
from arcbatt.errors import BackendError
from arcbatt.library import load_library
from arcbatt.program.graph import Batt
from arcbatt.program.merge import merge
from arcbatt.tasks import Task
from arcbatt.tasks.samples import Samples, by_task
from arcbatt.text import plural

CPU = "CPU"
SIZES = (1, 10, 100, 1_000, 10_000, 100_000)
TRIES = 3
THREADS = cores()

# What `arcbatt bench` runs.
PROGRAMS = 12
SAMPLES = 50  # at least, in batches of each size
SECONDS, SECONDS_IF_QUICK = 60.0, 2.0  # a size that takes a backend longer is left out

Call = tuple[str, Any, Any, Any]  # task id, S, I, C


def _spread(tasks: Iterable[Task], count: int) -> list[Call]:
    calls = [(task.id, task.pairs, *sample) for task in tasks for sample in task.samples]
    return [calls[(2 * place + 1) * len(calls) // (2 * count)] for place in range(count)]


def spread(tasks: Iterable[Task], count: int) -> list[Samples]:
    """`count` samples, evenly from all tasks; repeated if there are too few.

    >>> from arcbatt import load_tasks
    >>> [len(task.samples) for task in spread(load_tasks("arc1/training")[:2], 4)]
    [2, 2]
    """
    return by_task(_spread(tasks, count))


def batches(tasks: Iterable[Task], size: int, samples: int) -> list[list[Samples]]:
    """Batches of a size, with at least `samples` samples in all, evenly from all tasks.

    >>> from arcbatt import load_tasks
    >>> [sum(len(task.samples) for task in batch) for batch in batches(load_tasks("00d62c1b"), 2, 5)]
    [2, 2, 2]
    """
    calls = _spread(tasks, size * ceil(samples / size))
    return [by_task(calls[start : start + size]) for start in range(0, len(calls), size)]


def sizes_up_to(largest: int) -> list[int]:
    """The batch sizes to time.

    >>> sizes_up_to(400)
    [1, 10, 100, 400]
    """
    return [*(size for size in SIZES if size < largest), largest]


@dataclass(frozen=True)
class Timing:
    """The mean time of a batch in the best of a few tries.

    `ratio` is the pace as a multiple of the first backend's on the same samples, and `agrees` whether all
    verdicts of all tries are the same as there. `reran` counts the samples that devices left to the CPU.
    """

    batch: int
    where: str
    seconds: float
    evaluations: int
    ratio: float = 1.0
    agrees: bool = True
    reran: int = 0

    @property
    def pace(self) -> float:
        """Evaluations, a program on a sample each, in a second."""
        return self.evaluations / self.seconds

    def line(self) -> str:
        """The timing in words.

        >>> Timing(10, "native", 0.5, 3210, ratio=80.25).line()
        'batch of 10, native: 0.5000 s, 6,420 evaluations/s, ratio 80.25'
        """
        figures = f"{self.seconds:.4f} s, {self.pace:,.0f} evaluations/s, ratio {self.ratio:.4g}"
        verdicts = "" if self.agrees else ", OTHER VERDICTS"
        return f"batch of {self.batch:,}, {self.where}: {figures}{verdicts}"

    def as_json(self) -> dict[str, Any]:
        """The timing as plain data."""
        return {
            "batch": self.batch,
            "backend": self.where,
            "seconds": self.seconds,
            "evaluations_per_second": self.pace,
            "ratio": self.ratio,
            "agrees": self.agrees,
        }


def time_batches(
    batt: Batt,
    tasks: Sequence[Task],
    backends: Mapping[str, Backend],
    sizes: Iterable[int],
    seconds: float,
    samples: int = 1,
    threads: int = THREADS,
) -> Iterator[Timing]:
    """Judge all programs on batches of each size, at least so many samples, on each backend in turn.

    All backends run the same samples. A size at which one of them is expected to take longer than `seconds`,
    by its time at the size before, is left out for all. The batt is planned before.
    """
    planned, judged = plan(batt), [program.kind == "solver" for program in batt]
    every, options = tuple(range(len(batt))), RunOptions(threads=threads)
    before: dict[str, Timing] = {}
    for size in sizes:
        work = batches(tasks, size, samples)
        if any(
            _expected(before[where], size, _lanes(backend, threads)) * len(work) > seconds
            for where, backend in backends.items()
            if where in before
        ):
            continue
        jobs = [Job(planned, judged, batch, [every] * len(batch), options) for batch in work]
        first: _Best | None = None
        for where, backend in backends.items():
            best = _best(backend, jobs, seconds)
            first = first or best
            before[where] = Timing(
                size,
                where,
                best.seconds / len(jobs),
                size * len(judged),
                first.seconds / best.seconds,
                best.verdicts == first.verdicts,
                best.reran,
            )
            yield before[where]


def _lanes(backend: Backend, threads: int) -> int:
    """How many samples run at a time."""
    return sum(gpu.groups for gpu in backend.gpus) or threads


def _expected(before: Timing, size: int, lanes: int) -> float:
    """The seconds of a batch: those of a smaller one, and more only once no lane is free.

    >>> _expected(Timing(10, "one device", 2.0, 3210), 100, lanes=50)
    4.0
    """
    return before.seconds * max(size, lanes) / max(before.batch, lanes)


@dataclass(frozen=True)
class _Best:
    """The best time for some jobs, and of all tries the different verdicts and the mean of what reran."""

    seconds: float
    verdicts: frozenset[tuple[tuple[int, ...], ...]]
    reran: int


def _best(backend: Backend, jobs: Sequence[Job], seconds: float) -> _Best:
    """The best of a few tries; once is enough for work that takes most of the time there is."""
    times: list[float] = []
    verdicts = set()
    before = backend.reran
    while not times or (len(times) < TRIES and sum(times) + min(times) <= seconds):
        started = perf_counter()
        found = tuple(_judged(backend, job) for job in jobs)
        times.append(perf_counter() - started)
        verdicts.add(found)
    return _Best(min(times), frozenset(verdicts), ceil((backend.reran - before) / len(times)))


def _judged(backend: Backend, job: Job) -> tuple[int, ...]:
    """Run a job: a checksum of the verdicts for each task."""
    sums = [0] * len(job.tasks)

    def report(number: int, codes: bytes, scores: bytes) -> None:
        sums[number] = crc32(scores, crc32(codes))

    backend.run(job, report)
    return tuple(sums)


def break_even(timings: Sequence[Timing], where: str, against: str = CPU) -> int | None:
    """The smallest batch that was timed from which on one backend is faster than another; None if none is.

    >>> cpu = [Timing(1, "CPU", 0.1, 10), Timing(10, "CPU", 1.0, 100)]
    >>> break_even([*cpu, Timing(1, "one device", 0.5, 10), Timing(10, "one device", 0.5, 100)], "one device")
    10
    """
    other = {timing.batch: timing.pace for timing in timings if timing.where == against}
    least = None
    for timing in sorted((t for t in timings if t.where == where), key=lambda t: t.batch, reverse=True):
        if timing.pace <= other[timing.batch]:
            break
        least = timing.batch
    return least


def backends_here() -> tuple[dict[str, Backend], str]:
    """The backends of this machine, the reference first; and why there is no device, if there is none."""
    found: dict[str, Backend] = {name: choose(name)[0] for name in AVAILABLE}
    try:
        found["cuda"] = choose("cuda")[0]
    except BackendError as error:
        return found, str(error)
    return found, ""


def sweep(backends: Mapping[str, Backend], tasks: Sequence[Task], seconds: float) -> Iterator[Timing]:
    """What `arcbatt bench` times: some solvers on batches of all sizes up to all samples of the tasks."""
    batt = merge(load_library("solvers")[:PROGRAMS])
    sizes = sizes_up_to(sum(len(task.samples) for task in tasks))
    return time_batches(batt, tasks, backends, sizes, seconds, SAMPLES, threads=1)


def heading(seconds: float) -> str:
    """What the timings of a sweep are of.

    >>> heading(1.0)
    '12 solvers on batches of samples, one thread of the CPU, ratios to the reference; up to 1 s a size'
    """
    what = f"{PROGRAMS} solvers on batches of samples, one thread of the CPU, ratios to the reference"
    return f"{what}; up to {seconds:g} s a size"


def break_even_in_words(timings: Sequence[Timing], no_device: str) -> str:
    """From which batch on the devices are faster than the CPU, or why there is nothing to compare.

    >>> timings = [Timing(10, "native", 1.0, 100), Timing(10, "cuda", 0.5, 100)]
    >>> break_even_in_words(timings, "")
    '10 samples, against one thread of the CPU'
    >>> break_even_in_words([Timing(1, "native", 1.0, 100), Timing(1, "cuda", 0.5, 100)], "")
    '1 sample, against one thread of the CPU'
    """
    if no_device:
        return f"there is none to compare: {no_device}"
    least = break_even(timings, "cuda", "native")
    batch = "none of those timed" if least is None else plural(least, "sample")
    return f"{batch}, against one thread of the CPU"
