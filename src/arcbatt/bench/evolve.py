"""The measurements of `evolve`: its pace, and how many damaged solvers it repairs."""

import tempfile
from collections.abc import Iterator
from os import times
from pathlib import Path
from random import Random
from time import process_time

from arcbatt.archive.archive import Archive
from arcbatt.bench.measures import Bench, Measure
from arcbatt.engine.run import run
from arcbatt.library import load_library
from arcbatt.program.graph import Program
from arcbatt.program.mutation.mutate import Mutator
from arcbatt.search.evolve.breeder import Breeder, EvolveSettings
from arcbatt.search.evolve.evolve import evolve
from arcbatt.search.evolve.island import Island
from arcbatt.tasks import Task

CORES = 2
# Tasks with small grids and large, few objects and many.
TASKS = ("007bbfb7", "0520fde7", "1e0a9b12", "3631a71a", "4258a5f9", "67a3c6ac", "a64e4611", "b8825c91")
DAMAGED = 100  # solvers
DAMAGED_IF_QUICK = 20
SECONDS = {1: 1.0, 2: 4.0, 3: 4.0}  # of CPU time for a solver, by the number of its mutations
REPAIRED = {1: 95, 2: 80, 3: 60}  # per cent
SEED = 14


def pace(bench: Bench) -> Measure:
    """Candidates bred and judged in a second, all that is found kept in an archive."""
    tasks = [bench.by_id[name] for name in TASKS]
    seeds = [program for program in load_library("solvers") if program.task_id not in TASKS]
    before = sum(times()[:4])
    with tempfile.TemporaryDirectory() as folder, Archive(Path(folder) / "archive.db") as archive:
        found = evolve(
            tasks, seeds, seconds=4 if bench.quick else 20, workers=CORES, beyond=None, archive=archive
        )
        kept = len(archive)
    spent = sum(times()[:4]) - before
    detail = (
        f"{found.steps:,} on {len(tasks)} tasks in {found.seconds:.1f} s and {spent:.1f} CPU-s, "
        f"{kept:,} programs kept"
    )
    return Measure("candidates bred and judged, two cores", found.pace, "/s", 30_000, True, detail)


def damaged(bench: Bench, mutations: int) -> Iterator[tuple[Program, Task]]:
    """Solvers of the library after so many typed mutations, none of which fits its task any longer."""
    solvers = list(load_library("solvers"))
    for solver in Random(SEED).sample(solvers, DAMAGED_IF_QUICK if bench.quick else DAMAGED):
        task = bench.by_id[str(solver.task_id)]
        mutator = Mutator(Random(f"{SEED} {solver.name}"), rate=0)
        program = solver
        while program is solver:
            for _ in range(mutations):
                program = mutator.mutated(program)
            if all(run(program, task, "all", threads=1)[program, task].demo):
                program = solver
        yield program, task


def repaired(program: Program, task: Task, seconds: float) -> Program | None:
    """A program that fits the task, bred from the damaged one alone within so many seconds of CPU time."""
    end = process_time() + seconds
    breeder, island = Breeder(task, 0, EvolveSettings((program,))), Island()
    while process_time() < end:
        island, _ = breeder.next(island)
        best = island.progress.best
        if best is not None and island.progress.fitted is not None:
            return best.program
    return None


def repairs(bench: Bench, mutations: int) -> Measure:
    """The share of damaged solvers that are repaired."""
    count = right = 0
    started, total = process_time(), 0
    for program, task in damaged(bench, mutations):
        total += 1
        found = repaired(program, task, SECONDS[mutations])
        if found is not None:
            outcome = run(found, task, "all", threads=1)[found, task]
            count += all(outcome.demo)
            right += outcome.solved
    spent = (process_time() - started) / total
    what = "1 mutation" if mutations == 1 else f"{mutations} mutations"
    detail = (
        f"{count} of {total} within {SECONDS[mutations]:g} CPU-s each, {spent:.2f} on average; "
        f"{right} are right on test samples, too"
    )
    name = f"solvers repaired after {what}"
    return Measure(name, 100 * count / total, "%", REPAIRED[mutations], True, detail)


def one_mutation(bench: Bench) -> Measure:
    """Solvers that one mutation has damaged."""
    return repairs(bench, 1)


def two_mutations(bench: Bench) -> Measure:
    """Solvers that two mutations have damaged."""
    return repairs(bench, 2)


def three_mutations(bench: Bench) -> Measure:
    """Solvers that three mutations have damaged."""
    return repairs(bench, 3)


MEASURES = (pace, one_mutation, two_mutations, three_mutations)
