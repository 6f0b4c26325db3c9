"""The measurements of `solve`: its pace, known programs on other tasks, and tasks solved by budget.

`python -m arcbatt.bench.solve arc1/training --half odd --seconds 0.1 1 10` prints a table, a line a budget.
It tells numbers alone and never which tasks are solved, so that nobody tunes on what is to be measured.
With `--blocks` it prints what each building block of the language is worth: the test inputs that are right
without the templates that use it.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import process_time
from typing import Any

from rich.text import Text

from arcbatt.bench.measures import Bench, Measure
from arcbatt.dsl.table import TABLE
from arcbatt.engine.cores import cores
from arcbatt.errors import ArcbattError
from arcbatt.search.solve.answers import answers_from
from arcbatt.search.solve.library_pass import library_programs, run_library_pass
from arcbatt.search.solve.ranking import guessed
from arcbatt.search.solve.solution import RightCounts, Solution
from arcbatt.search.solve.solve import solve
from arcbatt.search.solve.templates import Template, load_templates
from arcbatt.tasks import Task, load_tasks
from arcbatt.view.screen import Screen
from arcbatt.view.tables import Column, table

SECONDS = 0.4  # for a task, for the pace
BLOCKS = ("panels", "regions", "rays", "completion")  # groups of ops that were made for searches
EVERY_SO_MANY = {True: 40, False: 8}  # of the held-out tasks, for the pace, by whether it is to be quick
GUESSES = (2, 3)
MEBIBYTE = 1 << 20


def half(tasks: Iterable[Task], parity: int) -> list[Task]:
    """The tasks whose id is an even (0) or an odd (1) number; templates and costs are tuned on even ones.

    >>> len(half(load_tasks("arc1/training"), 1))
    197
    """
    return [task for task in tasks if int(task.id, 16) % 2 == parity]


def pace(bench: Bench) -> Measure:
    """Distinct value vectors that one core finds in a second of enumeration."""
    from arcbatt.search.solve.enumeration import Budget, Enumerator

    tasks = half(bench.tasks, 1)[:: EVERY_SO_MANY[bench.quick]]
    enumerator = Enumerator(load_templates())
    found = [enumerator.search(task, Budget(seconds=SECONDS)) for task in tasks]
    enumerating, searched = sum(each.enumerating for each in found), sum(each.seconds for each in found)
    steps, vectors = sum(each.steps for each in found), sum(each.vectors for each in found)
    detail = (
        f"{steps:,} steps on {len(tasks)} tasks, {steps / enumerating:,.0f} a second; "
        f"{vectors / searched:,.0f} vectors a second with the time to explain outputs; "
        f"at most {max(each.peak_bytes for each in found) / MEBIBYTE:.0f} MiB a task"
    )
    return Measure("value vectors enumerated, one core", vectors / enumerating, "/s", 150_000, True, detail)


def library_pass(bench: Bench) -> Measure:
    """The CPU time for all programs of the library on all training tasks."""
    programs = library_programs()
    started = process_time()
    found = run_library_pass(bench.tasks, programs, "library", others=True)
    spent = process_time() - started
    right = sum(any(all(answer.test) for answer in answers) for answers in found.values())
    detail = (
        f"{len(programs)} programs on {len(bench.tasks)} tasks: {len(found)} tasks fitted by the program of "
        f"another task, {right} of them right"
    )
    return Measure("the library on all training tasks", spent, "CPU-s", 15, False, detail)


MEASURES = (pace, library_pass)


def rows(solutions: Iterable[tuple[str, Solution]]) -> Iterator[list[Text]]:
    """A row of figures for each solution: right test inputs and tasks by guesses, time, pace, memory."""
    for name, solution in solutions:
        searched = max(sum(found.seconds for found in solution.found.values()), 1e-9)
        cells = [name, f"{len(solution.fits):,}"]
        for fitting in (False, True):
            cells += [_share(solution.right(most, fitting=fitting)) for most in GUESSES]
        cells += [
            f"{solution.cpu_seconds:,.1f}",
            f"{solution.steps:,}",
            f"{solution.vectors / searched:,.0f}",
            f"{solution.peak_bytes / MEBIBYTE:,.0f}",
            str(solution.replay_failures),
        ]
        yield list(map(Text, cells))


def _share(right: RightCounts) -> str:
    return f"{right.samples}/{right.known_samples} {right.tasks}/{right.known_tasks}"


TITLES = (
    "budget",
    "fits",
    *(f"right with {most}" for most in GUESSES),
    *(f"by fits with {most}" for most in GUESSES),
    "CPU-s",
    "steps",
    "vectors/s/core",
    "MiB",
    "replay failures",
)


def solutions(tasks: Sequence[Task], budgets: Sequence[dict[str, Any]], **how: Any) -> Iterator[Any]:
    """The solutions of tasks with each of some budgets, by the name of the budget."""
    for budget in budgets:
        ((kind, amount),) = budget.items()
        yield f"{amount:g} {kind}", solve(tasks, guesses=max(GUESSES), **budget, **how)


def blocks(tasks: Sequence[Task], steps: int, threads: int) -> Iterator[tuple[str, int, int]]:
    """What is left out, the number of templates that use it, and the test inputs right without these.

    First nothing is left out, then all building blocks, each group of them, and each alone.
    """
    templates = load_templates()
    groups = {group: [op.name for op in TABLE.values() if op.group == group] for group in BLOCKS}
    every = [name for names in groups.values() for name in names]
    named = {f"group {group}": names for group, names in groups.items()} | {name: [name] for name in every}
    for left_out, names in ({"nothing": [], "all blocks": every} | named).items():
        kept = [template for template in templates if template.ops.isdisjoint(names)]
        yield left_out, len(templates) - len(kept), _right_with(kept, tasks, steps, threads)


def _right_with(templates: Sequence[Template], tasks: Sequence[Task], steps: int, threads: int) -> int:
    """The test inputs for which one of three guesses is right."""
    from arcbatt.search.solve.enumeration import Budget, Enumerator

    enumerator, right = Enumerator(templates), 0
    with ThreadPoolExecutor(threads) as pool:
        for task, found in zip(tasks, pool.map(lambda task: enumerator.search(task, Budget(steps)), tasks)):
            answers = answers_from(task, found.explanations, max(GUESSES), {}).answers
            guesses = guessed(task, answers, max(GUESSES))
            right += sum(sample.output in grids for sample, grids in zip(task.test, guesses))
    return right


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures of a set of tasks: test inputs and tasks that are right, by budget."""
    parser = argparse.ArgumentParser(description=main.__doc__, prog="python -m arcbatt.bench.solve")
    parser.add_argument("tasks", help="a set of tasks, such as arc1/training")
    parser.add_argument("--half", choices=("even", "odd"), help="only tasks whose id is such a number")
    parser.add_argument("--seconds", type=float, nargs="+", default=[], help="budgets of a task")
    parser.add_argument("--steps", type=int, nargs="+", default=[], help="budgets of a task")
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--own", action="store_true", help="programs that are written for a task count there")
    parser.add_argument("--no-library", action="store_true")
    parser.add_argument("--blocks", type=int, metavar="STEPS", help="the worth of each building block")
    given = parser.parse_args(arguments)
    found: Sequence[Task] = list(load_tasks(given.tasks))
    if given.half is not None:
        found = half(found, int(given.half == "odd"))
    budgets = [{"seconds": each} for each in given.seconds] + [{"steps": each} for each in given.steps]
    if given.blocks:
        for name, count, right in blocks(found, given.blocks, given.threads or cores()):
            print(f"without {name:16} {count:5} templates less  {right:4} right", flush=True)
    if not budgets and not given.blocks:
        parser.error("name a budget: --seconds or --steps")
    if not budgets:
        return
    how = {"threads": given.threads, "own": given.own, "library": not given.no_library}
    try:
        lines = list(rows(solutions(found, budgets, **how)))
    except ArcbattError as error:
        parser.error(str(error))
    print(
        f"{given.tasks}{f', {given.half} ids' if given.half else ''}: {len(found)} tasks; inputs, then tasks"
    )
    screen = Screen()
    screen.print(table([Column(title, right=True) for title in TITLES], lines, screen.width))


if __name__ == "__main__":
    main()
