"""The measurements of the batt system: a batt on a whole set, populations, the making of a batt."""

import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time

from arcbatt.bench.measures import STATUS, Bench, Measure, figure_of, seconds, seconds_of
from arcbatt.engine.candidates import CandidateJudge
from arcbatt.engine.run import run
from arcbatt.engine.running.worker_pool import WorkerPool
from arcbatt.engine.scoring.scores import Scorer
from arcbatt.gc_pause import gc_paused
from arcbatt.library import load_library
from arcbatt.program.graph import Node, Program
from arcbatt.program.merge import batt_of, distinct, merge
from arcbatt.program.mutation.mutate import Mutator
from arcbatt.tasks import TaskSet, load_tasks

SOLVERS = 32
# The five that every batt of old had.
DIFFERS = ("colors_too_many", "colors_missing", "dots_too_many", "dots_missing", "cells")
CORES = 2
MUTANTS = 50
SINGLE_EDITS = 8000  # of a solver
POPULATION_TASK = "00d62c1b"
SCORED = 600
CANDIDATES = 600  # of a solver
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
        "import arcbatt as ab\n"
        "from arcbatt.bench.measures import peak_memory\n"
        "from arcbatt.bench.batts import five_differs, SOLVERS, CORES\n"
        "from arcbatt.library import load_library\n"
        "batt = ab.batt_of(load_library('solvers')[:SOLVERS], five_differs())\n"
        "tasks = ab.load_tasks('arc2/training')\n"
        "none = ab.merge(ab.parse_programs('def s(I): return I'))\n"
        "ab.run(none, tasks, 'all', 'native', CORES)\n"
        "before = peak_memory()\n"
        "ab.run(batt, tasks, 'all', 'native', CORES)\n"
        "print(peak_memory() - before)\n"
    )
    return Measure("its memory beyond the packed tasks", figure_of(script), "MB", 200, False, "peak")


def typed_mutants(bench: Bench) -> Measure:
    """50 mutants of each solver of the library, all different: CPU time of one thread, the best of three."""
    solvers = load_library("solvers")[:: 10 if bench.quick else 1]
    paces = []
    for seed in range(3):
        mutator, roots = Mutator(seed), set[Node]()
        with gc_paused():
            started = process_time()
            for solver in solvers:
                roots.update(mutant.root for mutant in mutator.mutants(solver, MUTANTS))
            paces.append(len(roots) / (process_time() - started))
    detail = f"{len(roots):,} mutants, {paces[0]:,.0f} a second in the first round"
    return Measure("typed mutants a second and core", max(paces), "a second", 25_000, True, detail)


def single_edits(bench: Bench) -> Measure:
    """The first single edits of some solvers of the library: CPU time of one thread, the best of three."""
    library = load_library("solvers")
    solvers = library[:: 60 if bench.quick else 12]
    paces = []
    mutator = Mutator(partners=library)
    for _ in range(3):
        made = 0
        with gc_paused():
            started = process_time()
            for solver in solvers:
                made += sum(1 for _ in islice(mutator.single_edits(solver), SINGLE_EDITS))
            paces.append(made / (process_time() - started))
    detail = f"up to {SINGLE_EDITS:,} of each of {len(solvers)} solvers, {paces[0]:,.0f} in the first round"
    return Measure("single edits a second and core", max(paces), "a second", 65_000, True, detail)


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
    return Measure("distinct mutants bred and judged", programs / spent, "a second", 40_000, True, detail)


def _judged(solvers: list[Program], task: TaskSet, seed: int) -> tuple[int, int]:
    """How many mutants some solvers had, and how many of these are exact."""
    mutator = Mutator(seed)
    with gc_paused():
        bred = (mutant for solver in solvers for mutant in mutator.mutants(solver, MUTANTS))
        population = merge(distinct(bred))
    return len(population), len(run(population, task, "all", "native", 1).solved)


def scored_population(bench: Bench) -> Measure:
    """600 mutants of a solver, scored on its task by all differs of the library: CPU time of all threads."""
    (task,) = load_tasks(POPULATION_TASK)
    (solver,) = [program for program in load_library("solvers") if program.task_id == task.id]
    mutants = list(Mutator(0, task_pairs=task.pairs).mutants(solver, SCORED))
    scorer = Scorer(tuple(load_library("differs")), "native")
    scorer.score(mutants[:1], [task])  # what is loaded and packed once
    spent = []
    for _ in range(2 if bench.quick else 5):
        started = process_time()
        scores = scorer.score(mutants, [task])
        spent.append(process_time() - started)
    detail = (
        f"CPU time, least of {len(spent)}: {len(scores)} mutants of {solver.name} and {len(scorer.differs)} "
        f"differs on {len(task.demo)} demo samples, {scores.stats.evaluations:,} evaluations; a differ runs "
        "once for each distinct output"
    )
    name = f"scoring {SCORED} mutants, {len(scorer.differs)} differs, one task"
    return Measure(name, min(spent) * 1e3, "ms", 200, False, detail)


def judged_candidates(bench: Bench) -> Measure:
    """Single edits of solvers of the library, each judged on the task of its parent by one thread."""
    tasks = {task.id: task for task in load_tasks("arc1/training")}
    solvers = load_library("solvers")[:: 60 if bench.quick else 12]
    mutator = Mutator()
    work = [
        (
            CandidateJudge(tasks[solver.task_id]),
            [edit.root for edit in islice(mutator.single_edits(solver), CANDIDATES)],
        )
        for solver in solvers
        if solver.task_id in tasks
    ]
    spent = []
    for _ in range(3):
        with gc_paused():
            started = process_time()
            fitting = sum(int(judge.judge(roots).fits.sum()) for judge, roots in work)
            spent.append(process_time() - started)
    count = sum(len(roots) for _, roots in work)
    detail = f"{count:,} candidates of {len(work)} solvers, {fitting:,} of them exact on all demo samples"
    return Measure("judging a candidate", min(spent) / count * 1e6, "us", 25, False, detail)


def making_a_batt(bench: Bench) -> Measure:
    """32 solvers and all differs mutated, merged and written, in a process that has done nothing before."""
    script = (
        "from time import perf_counter\n"
        "from arcbatt.search.breed.card import Recipe, make_batt\n"
        "from arcbatt.bench.batts import SOLVERS\n"
        "from arcbatt.library import load_library\n"
        "from arcbatt.program.batt_files.write import batt_source\n"
        "from arcbatt.tasks import load_tasks\n"
        "solvers, differs = load_library('solvers')[:SOLVERS], load_library('differs')\n"
        "tasks = {task.id: task for task in load_tasks('arc1/training')}\n"
        "started = perf_counter()\n"
        "batt_source(make_batt(solvers, differs, Recipe(), tasks), 'pile')\n"
        "print(perf_counter() - started)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "x.py"))
        command = [sys.executable, "-m", "arcbatt", "card", "-c", str(SOLVERS), "-f", file]
        whole = seconds(lambda: subprocess.run(command, capture_output=True, check=True))
    detail = f"the whole command, with start-up and reading, {whole:.2f} s"
    return Measure("making a batt of 32 solvers", figure_of(script), "s", 0.5, False, detail)


MEASURES = (
    solve_and_score,
    *([batt_memory] if STATUS.exists() else ()),
    typed_mutants,
    single_edits,
    bred_population,
    scored_population,
    judged_candidates,
    making_a_batt,
)
