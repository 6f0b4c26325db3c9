"""The measurement of what comes before a run: merging and planning programs, packing tasks."""

from collections.abc import Sequence
from copy import copy
from random import Random

from arcbatt.bench.measures import SEED, Bench, Measure
from arcbatt.engine.run import run
from arcbatt.library import load_library
from arcbatt.program.graph import Program
from arcbatt.tasks import Task
from arcbatt.testing.random_programs import mutated

PROGRAMS = 400
ROUNDS = 9
STAGES = ("merging", "planning", "packing")


def planning(bench: Bench) -> Measure:
    """The library and mutants of it, 400 programs, and all training tasks, which no run has packed before."""
    random = Random(SEED)
    solvers = load_library("solvers")
    programs = [*solvers, *(mutated(solver, random) for solver in solvers)][:PROGRAMS]
    fresh = least_milliseconds(programs, bench.tasks, anew=True)
    again = least_milliseconds(programs, bench.tasks, anew=False)
    parts = ", ".join(f"{stage} {fresh[stage]:.2f}" for stage in STAGES)
    detail = f"{parts} ms; {sum(again.values()):.2f} ms with tasks that have run before"
    name = f"planning and packing {len(programs)} programs and {len(bench.tasks)} tasks"
    return Measure(name, sum(fresh.values()), "ms", 4, False, detail)


def least_milliseconds(programs: Sequence[Program], tasks: Sequence[Task], anew: bool) -> dict[str, float]:
    """The least time of each stage before evaluation, of some runs; `anew` on copies of the tasks."""
    rounds = []
    for _ in range(ROUNDS):
        given = [copy(task) for task in tasks] if anew else tasks
        rounds.append(run(programs, given, "own", "native", 1).stats.seconds_by_stage)
    return {stage: min(each[stage] for each in rounds) * 1000 for stage in STAGES}


MEASURES = (planning,)
