"""The measurements of the batt system: a batt on a whole set, a bred population, the making of a batt."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from arcbatt.batt.workers import WorkerPool
from arcbatt.bench.measures import Bench, Measure, seconds_of
from arcbatt.collection import collection_put_off
from arcbatt.engine.run import run
from arcbatt.library import load_library
from arcbatt.program.graph import Program
from arcbatt.program.merge import batt_of, merge
from arcbatt.program.mutate import Mutator
from arcbatt.tasks import TaskSet, load_tasks

SOLVERS = 32
# The five that every batt of old had.
DIFFERS = ("colors_too_many", "colors_missing", "dots_too_many", "dots_missing", "cells")
CORES = 2
MUTANTS = 50
POPULATION_TASK = "00d62c1b"
PORTION = 16  # solvers whose mutants are merged and judged together


def five_differs() -> list[Program]:
    """The differs of the benchmark."""
    return [differ for differ in load_library("differs") if differ.name.removeprefix("differ_") in DIFFERS]


def solve_and_score(bench: Bench) -> Measure:
    """A batt of 32 solvers and 5 differs on all samples of ARC-AGI-2 training, on two cores."""
    batt = batt_of(load_library("solvers")[:SOLVERS], five_differs())
    tasks = load_tasks("arc2/training")[:: 10 if bench.quick else 1]
    spent = min(seconds_of(run(batt, tasks, "all", "native", CORES)) for _ in range(1 if bench.quick else 3))
    samples = sum(len(task.samples) for task in tasks)
    detail = f"{len(batt.listing.lines):,} lines on {samples:,} samples in {spent:.2f} s"
    whole = sum(len(task.samples) for task in load_tasks("arc2/training"))
    return Measure(
        "32 solvers and 5 differs on ARC-AGI-2 training", spent * whole / samples, "s", 2.0, False, detail
    )


def batt_memory(bench: Bench) -> Measure:
    """What the same run takes on top of the tasks."""
    script = (
        "import resource, arcbatt as ab\n"
        "from arcbatt.bench.batts import five_differs, SOLVERS, CORES\n"
        "from arcbatt.library import load_library\n"
        "batt = ab.batt_of(load_library('solvers')[:SOLVERS], five_differs())\n"
        "tasks = ab.load_tasks('arc2/training')\n"
        "none = ab.merge(ab.parse_programs('def s(I): return I'))\n"
        "ab.run(none, tasks, 'all', 'native', CORES)\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "ab.run(batt, tasks, 'all', 'native', CORES)\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return Measure("its memory beyond the packed tasks", float(done.stdout), "MB", 200, False, "peak")


def bred_population(bench: Bench) -> Measure:
    """All solvers of the library with 50 mutants each: bred, merged and judged on one task, on two cores."""
    solvers = load_library("solvers")[:: 10 if bench.quick else 1]
    task = load_tasks(POPULATION_TASK)

    def judge(portion: tuple[int, int]) -> tuple[int, int]:
        return _judged(solvers[slice(*portion)], task, portion[0])

    portions = [(start, start + PORTION) for start in range(0, len(solvers), PORTION)]
    with WorkerPool(judge, CORES) as pool:
        list(pool.map([(0, 1)] * CORES))  # the workers are up
        started = perf_counter()
        answers = [answer.result or (0, 0) for answer in pool.map(portions)]
        spent = perf_counter() - started
    programs, exact = (sum(column) for column in zip(*answers))
    detail = f"{programs:,} programs in {spent:.2f} s, {exact:,} exact on all samples"
    return Measure("distinct mutants bred and judged", programs / spent, "a second", 10_000, True, detail)


def _judged(solvers: list[Program], task: TaskSet, seed: int) -> tuple[int, int]:
    """How many mutants some solvers had, and how many of these are exact."""
    mutator = Mutator(seed)
    with collection_put_off():
        bred = (mutant for solver in solvers for mutant in mutator.mutants(solver, MUTANTS))
        population = merge(_distinct(bred))
    return len(population), len(run(population, task, "all", "native", 1).solved)


def _distinct(programs: Iterator[Program]) -> list[Program]:
    return list({program.root: program for program in programs}.values())


def making_a_batt(bench: Bench) -> Measure:
    """`arcbatt card` for 32 solvers, the process included."""
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "x.py"))
        command = [sys.executable, "-m", "arcbatt", "card", "-c", str(SOLVERS), "-f", file]
        times = []
        for _ in range(3):
            started = perf_counter()
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            times.append(perf_counter() - started)
    detail = f"the whole command; {done.stdout.strip().partition(': ')[2]}"
    return Measure("card, 32 solvers", min(times), "s", 0.5, False, detail)


MEASURES = (solve_and_score, batt_memory, bred_population, making_a_batt)
