"""Evaluations a second of every backend on the same work, at several batch sizes."""

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

from arcbatt.engine.backend import AVAILABLE, Choice, Terms, choose, inputs_of
from arcbatt.engine.devices import check_gpu_status
from arcbatt.engine.plan import plan
from arcbatt.engine.run import run
from arcbatt.library import load_library
from arcbatt.tasks import Sample, Task, load_tasks

SIZES = (1, 10, 100, 1000)
PROGRAMS = 12
ENOUGH = 0.5  # seconds after which a backend has shown its pace


@dataclass(frozen=True)
class Pace:
    """How fast a backend is at a batch size."""

    batch: int
    backend: str
    evaluations_per_second: float


def _batches(samples: list[Sample], size: int) -> Iterator[Task]:
    """The samples as tasks of that many test inputs each."""
    for start in range(0, len(samples), size):
        chosen = samples[start : start + size]
        yield Task(f"{start:08x}", (chosen[0],), tuple(Sample(sample.input, None) for sample in chosen[1:]))


def break_even() -> str:
    """From which batch on a device is faster, or why there is nothing to compare."""
    best, _ = choose("auto")
    if not isinstance(best, Choice):
        return f"there is no GPU to compare: {check_gpu_status().reason}"
    tasks = [inputs_of(task) for task in load_tasks("arc1/training")]
    return best.pick(plan(load_library("solvers")), tasks, Terms())[1]


def paces() -> Iterator[Pace]:
    """The pace of each backend at each batch size; a batch is one call of the backend."""
    names = (*AVAILABLE, "cuda") if check_gpu_status().usable else AVAILABLE
    programs = list(load_library("solvers"))[:PROGRAMS]
    samples = [sample for task in load_tasks("arc1/training") for sample in task.samples]
    for size in (*SIZES, len(samples)):
        for name in names:
            done, started = 0, perf_counter()
            for task in _batches(samples, size):
                run(programs, [task], "all", name, threads=1)
                done += len(task.samples) * len(programs)
                if perf_counter() - started > ENOUGH:
                    break
            yield Pace(size, name, done / (perf_counter() - started))
