"""The report of a search: a line of progress, a table of findings, a summary."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.text import Text

from arcbatt.search.evolve.evolution import BestProgram, Evolution, EvolveProgress
from arcbatt.text import plural
from arcbatt.view.progress import progress_line
from arcbatt.view.tables import Column, table

FIND_COLUMNS = (
    *map(Column, ("task", "program", "demo", "test", "fits")),
    *(Column(title, right=True) for title in ("score", "nodes", "steps")),
)


@contextmanager
def search_progress() -> Iterator[Callable[[EvolveProgress], None]]:
    """Shows progress on standard error: a line that changes on a terminal, elsewhere a line a minute."""
    with progress_line() as tell:
        yield lambda progress: tell(in_a_line(progress))


def in_a_line(progress: EvolveProgress) -> str:
    """The progress of a search in a line for a terminal of 80 columns, which may cut off its end.

    The task is the latest one with a better program.

    >>> in_a_line(EvolveProgress(400, 37, 12, 400, 52_000, 6_600_000, 31_250.4, None))
    '37 of 400 tasks fitted, generation 52,000, 31,250 programs a second, 6,600,000 in all'
    """
    best = progress.best
    last = f"best of {best.task.id} {best.score:.1f}, " if best is not None else ""
    return (
        f"{progress.fitted:,} of {plural(progress.tasks, 'task')} fitted, {last}generation "
        f"{progress.generations:,}, {progress.steps_per_second:,.0f} programs a second, "
        f"{progress.steps:,} in all"
    )


def finds_table(evolution: Evolution, width: int | None) -> Iterator[Text]:
    """A line for each task with its best program; those that fit no task are last, next to the prompt."""
    finds = [evolution.best[task.id] for task in evolution.tasks if task.id in evolution.best]
    rows = [find_row(find) for find in sorted(finds, key=lambda find: not find.fits)]
    return table(FIND_COLUMNS, rows, width)


def find_row(find: BestProgram) -> list[Text]:
    """The row of a task with its best program, under `FIND_COLUMNS`."""
    return [
        Text(find.task.id),
        Text(find.program.name),
        *map(Text, find.outcome.shares),
        Text("yes", "green") if find.fits else Text("no", "red"),
        *map(Text, (f"{find.score:.1f}", f"{find.size:,}", f"{find.steps:,}")),
    ]


def summary_line(evolution: Evolution) -> str:
    """The search in a line."""
    solved = sum(find.outcome.solved for find in evolution.winners)
    pace = f", {evolution.pace:,.0f} a second" if evolution.pace else ""
    bred = f"{plural(evolution.steps, 'program')} in {plural(evolution.generations, 'generation')}"
    return (
        f"{plural(len(evolution.tasks), 'task')}: {len(evolution.winners):,} fitted on all demo samples, "
        f"{solved:,} solved; {bred}, {evolution.seconds:.1f} s{pace}"
    )
