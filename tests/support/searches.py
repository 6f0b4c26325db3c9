"""Seeds and tasks that searches of the tests start from."""

import arcbatt as ab

SEEDS = ab.parse_programs("""
def solve_a(I):
    x1 = hmirror(I)
    x2 = hconcat(I, x1)
    return x2
def solve_b(I):
    x1 = ofcolor(I, THREE)
    x2 = fill(I, FOUR, x1)
    return x2
def solve_c(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ONE)
    x3 = merge(x2)
    x4 = fill(I, FOUR, x3)
    return x4
""")


def tasks(ids: str = "00d62c1b,67a3c6ac,0520fde7") -> ab.TaskSet:
    """Some tasks of ARC-AGI-1 training."""
    return ab.load_tasks("arc1/training").pick(ids)


def finds(evolution: ab.Evolution) -> list[tuple[str, str, float, int]]:
    """What a search found, to be compared."""
    best = [evolution.best[task.id] for task in evolution.tasks]
    return [(find.task.id, find.program.hash, find.fitness, find.steps) for find in best]
