"""The measurements of archives: results written in a second, and the best programs of a task asked for."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from arcbatt.archive.archive import Archive
from arcbatt.archive.terms import Terms
from arcbatt.bench.measures import SEED, Bench, Measure
from arcbatt.dsl.contract import EXACT, WRONG
from arcbatt.engine.results import FAILURES, Record
from arcbatt.library import load_library
from arcbatt.program.graph import Program
from arcbatt.program.mutation.mutate import Mutator
from arcbatt.tasks import Task

PROGRAMS, PROGRAMS_IF_QUICK = 5_000, 1_000
TASKS, TASKS_IF_QUICK = 100, 50
QUESTIONS = 20
EXACT_SHARE, FAILED_SHARE = 0.01, 0.4  # about what mutants do on tasks of others


@dataclass(frozen=True)
class Figures:
    """What an archive did: results written, the seconds of it, and the seconds of its slowest answer."""

    results: int
    seconds: float
    processor_seconds: float
    slowest_answer: float
    size: int


def population(count: int) -> tuple[Program, ...]:
    """Distinct mutants of the library, each solver as often as the others."""
    mutator, solvers = Mutator(SEED), load_library("solvers")
    each = -(-count * 11 // (10 * len(solvers)))  # some are equal
    found = {mutant.root: mutant for solver in solvers for mutant in mutator.mutants(solver, each)}
    return tuple(islice(found.values(), count))


def records(programs: Sequence[Program], tasks: Sequence[Task]) -> Iterator[Record]:
    """Records of a population with partial scores, without the runs: verdicts and scores by chance."""
    import numpy as np  # not above: the import takes longer than the start of a command without it

    chance = np.random.default_rng(SEED)
    codes = np.array([WRONG, EXACT, *FAILURES], np.uint8)
    failed = FAILED_SHARE / len(FAILURES)
    shares = [1 - EXACT_SHARE - FAILED_SHARE, EXACT_SHARE, *[failed] * len(FAILURES)]
    for task in tasks:
        shape = len(programs), len(task.samples)
        verdicts = chance.choice(codes, shape, p=shares)
        scores = chance.integers(0, 1000, shape).astype(np.intc)
        yield Record(task, programs, verdicts.tobytes(), scores.tobytes())


def measured(programs: Sequence[Program], tasks: Sequence[Task], folder: str) -> Figures:
    """Write the records of a population as a run does, then ask for the best programs of tasks."""
    path, terms = Path(folder) / "bench.db", Terms()
    spent = processor = 0.0
    with Archive(path) as archive:
        for record in records(programs, tasks):
            started = perf_counter(), process_time()
            archive.add_record(record, terms)
            archive.settle()
            spent += perf_counter() - started[0]
            processor += process_time() - started[1]
        started = perf_counter(), process_time()
        archive.commit()
        spent += perf_counter() - started[0]
        processor += process_time() - started[1]
    with Archive(path, readonly=True) as archive:  # as a person does who asks the next day
        step = max(1, len(tasks) // QUESTIONS)
        slowest = max(_seconds(archive.best, task.id) for task in tasks[::step])
    return Figures(len(programs) * len(tasks), spent, processor, slowest, path.stat().st_size)


def _seconds(ask: Any, *arguments: Any) -> float:
    started = perf_counter()
    ask(*arguments)
    return perf_counter() - started


def results_a_second(bench: Bench) -> Measure:
    """Programs and their results written to a new archive, in transactions of a second."""
    programs = population(PROGRAMS_IF_QUICK if bench.quick else PROGRAMS)
    tasks = bench.tasks[: TASKS_IF_QUICK if bench.quick else TASKS]
    with tempfile.TemporaryDirectory() as folder:
        figures = measured(programs, tasks, folder)
    detail = (
        f"{figures.results:,} results in {figures.seconds:.2f} s ({figures.processor_seconds:.2f} s of the "
        f"processor), {figures.size / figures.results:.0f} bytes each; the best programs of a task in "
        f"{figures.slowest_answer * 1000:.1f} ms"
    )
    pace = figures.results / figures.seconds / 1000
    return Measure("results written to an archive", pace, "thousand a second", 50, True, detail)


MEASURES = (results_a_second,)
