"""The measurements of archives: results written in a second, and the best programs of a task asked for."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time

from arcbatt.archive.archive import Archive
from arcbatt.archive.terms import Terms
from arcbatt.bench.measures import SEED, Bench, Measure
from arcbatt.dsl.contract import EXACT, WRONG
from arcbatt.engine.records.record import Record
from arcbatt.engine.records.verdicts import FAILURES
from arcbatt.library import load_library
from arcbatt.program.graph import Program
from arcbatt.program.mutation.mutate import Mutator
from arcbatt.tasks import Task

PROGRAMS, PROGRAMS_IF_QUICK = 5_000, 1_000
TASKS, TASKS_IF_QUICK = 100, 50
QUESTIONS = 20
EXACT_SHARE, FAILED_SHARE = 0.01, 0.4  # about what mutants do on tasks of others


@dataclass
class Times:
    """Seconds by the clock, and those of the processor, which other processes do not change."""

    clock: float = 0.0
    processor: float = 0.0

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Add the time of a block."""
        clock, processor = perf_counter(), process_time()
        yield
        self.clock += perf_counter() - clock
        self.processor += process_time() - processor


@dataclass(frozen=True)
class ArchiveFigures:
    """What an archive did: results written, the times of it, and the seconds of its slowest answer."""

    results: int
    written: Times
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


def measured(programs: Sequence[Program], tasks: Sequence[Task], folder: str) -> ArchiveFigures:
    """Write the records of a population as a run does, then ask for the best programs of tasks."""
    path, terms, written = Path(folder) / "bench.db", Terms(), Times()
    with Archive(path) as archive:
        for record in records(programs, tasks):
            with written.counted():
                archive.add_record(record, terms)
                archive.settle()
        with written.counted():
            archive.commit()
    answers = []
    with Archive(path, readonly=True) as archive:  # as a person does who asks the next day
        for task in tasks[:: max(1, len(tasks) // QUESTIONS)]:
            answer = Times()
            with answer.counted():
                archive.best(task.id)
            answers.append(answer.clock)
    return ArchiveFigures(len(programs) * len(tasks), written, max(answers), path.stat().st_size)


def results_a_second(bench: Bench) -> Measure:
    """Programs and their results written to a new archive, in transactions of a second."""
    programs = population(PROGRAMS_IF_QUICK if bench.quick else PROGRAMS)
    tasks = bench.tasks[: TASKS_IF_QUICK if bench.quick else TASKS]
    with tempfile.TemporaryDirectory() as folder:
        figures = measured(programs, tasks, folder)
    written = figures.written
    detail = (
        f"{figures.results:,} results in {written.processor:.2f} s of the processor "
        f"({written.clock:.2f} s by the clock), {figures.size / figures.results:.0f} bytes each; "
        f"the best programs of a task in {figures.slowest_answer * 1000:.1f} ms"
    )
    pace = figures.results / written.processor / 1000
    return Measure("results written to an archive", pace, "thousand a CPU second", 50, True, detail)


MEASURES = (results_a_second,)
