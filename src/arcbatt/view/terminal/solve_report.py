"""The reports of `solve` and `submit`: a line of progress, tables of answers and right ones, a summary."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.text import Text

from arcbatt.search.solve.solution import Solution, SolveProgress, TaskAnswers
from arcbatt.search.submit.submit import SubmitProgress
from arcbatt.tasks.submission import ATTEMPTS
from arcbatt.text import plural
from arcbatt.view.progress import progress_line
from arcbatt.view.tables import Column, table

MEBIBYTE = 1 << 20
ANSWER_COLUMNS = (
    *map(Column, ("task", "program", "source", "demo", "test")),
    *(Column(title, right=True) for title in ("cost", "layers", "steps")),
)


@contextmanager
def solve_progress() -> Iterator[Callable[[SolveProgress], None]]:
    """Shows progress on standard error: a line that changes on a terminal, elsewhere a line a minute."""
    with progress_line() as tell:
        yield lambda progress: tell(in_a_line(progress))


def in_a_line(progress: SolveProgress) -> str:
    """The progress of a search in a line for a terminal of 80 columns, which may cut off its end.

    >>> from arcbatt.search.solve.solution import SearchStage
    >>> in_a_line(SolveProgress(400, 310, 123, SearchStage.large, 6_600_000, 2_000_000, 231_250.4))
    '310 of 400 tasks done, 123 fitted, large budgets, 231,250 steps a second, 6,600,000 in all'
    """
    return (
        f"{progress.over:,} of {plural(progress.tasks, 'task')} done, {progress.fitted:,} fitted, "
        f"{progress.stage.name} budgets, {progress.steps_per_second:,.0f} steps a second, "
        f"{progress.steps:,} in all"
    )


def answers_table(solution: Solution, width: int | None) -> Iterator[Text]:
    """A line for each task that has an answer; those that fit come last, next to the prompt."""
    answered = [found for found in solution.found.values() if found.answers]
    rows = [answer_row(found, solution.guesses) for found in sorted(answered, key=lambda found: found.fits)]
    return table(ANSWER_COLUMNS, rows, width)


def answer_row(found: TaskAnswers, guesses: int) -> list[Text]:
    """The row of a task that has an answer, under `ANSWER_COLUMNS`."""
    best, known = found.answers[0], [right for right in found.right(guesses) if right is not None]
    test = f"{sum(known)}/{len(known)}" if known else "unknown"
    return [
        *map(Text, (found.task.id, best.program.name, best.source)),
        Text(f"{best.demos}/{len(found.task.demo)}", "green" if best.fits else "red"),
        Text(test),
        *map(Text, (f"{best.cost:,}", f"{best.layers:,}", f"{found.steps:,}")),
    ]


def attempts_table(solution: Solution, width: int | None) -> Iterator[Text]:
    """How many test inputs have attempts from programs, and how many have none."""
    attempts = [grids for found in solution.found.values() for grids in found.guesses(ATTEMPTS)]
    fitting = [grids for found in solution.found.values() for grids in found.guesses(1, fitting=True)]
    titles = ("test inputs", "with a fit", "two attempts", "one", "none")
    counts = [len(attempts), sum(map(bool, fitting))]
    counts += [sum(len(grids) == many for grids in attempts) for many in (2, 1, 0)]
    rows = [[Text(f"{count:,}") for count in counts]]
    return table([Column(title, right=True) for title in titles], rows, width)


def submitted_line(solution: Solution, programs: int) -> str:
    """A submission in a line."""
    tasks = len(solution.tasks)
    return (
        f"{plural(programs, 'distinct program')} on {plural(tasks, 'task')}: {len(solution.fits):,} fitted "
        f"on all demo samples, {len(solution.answers):,} with an answer; "
        f"{solution.cpu_seconds:.1f} CPU-s in {solution.seconds:.1f} s"
    )


def submit_in_a_line(progress: SubmitProgress) -> str:
    """The progress of a submission.

    >>> submit_in_a_line(SubmitProgress(4096, 10_000, 120, 400))
    '4,096 of 10,000 programs begun, 120 of 400 tasks done with these'
    """
    return (
        f"{progress.programs:,} of {plural(progress.of_programs, 'program')} begun, "
        f"{progress.tasks:,} of {plural(progress.of_tasks, 'task')} done with these"
    )


def right_table(solution: Solution, width: int | None) -> Iterator[Text]:
    """How many answers are right with one guess, two and so on; empty if no right output is known."""
    if not solution.right(1).known_samples:
        return
    titles = ("guesses", "test inputs right", "tasks right", "inputs right by fits", "tasks right by fits")
    columns = [Column(title, right=True) for title in titles]
    rows = []
    for most in range(1, solution.guesses + 1):
        every, fitting = solution.right(most), solution.right(most, fitting=True)
        shares = [
            share
            for right in (every, fitting)
            for share in (
                f"{right.samples:,}/{right.known_samples:,}",
                f"{right.tasks:,}/{right.known_tasks:,}",
            )
        ]
        rows.append([Text(str(most)), *map(Text, shares)])
    yield from table(columns, rows, width)


def summary_line(solution: Solution) -> str:
    """The search in a line."""
    failures = solution.replay_failures
    wrong = f"; {plural(failures, 'explanation')} not confirmed by the engine" if failures else ""
    return (
        f"{plural(len(solution.tasks), 'task')}: {len(solution.fits):,} fitted on all demo samples, "
        f"{len(solution.answers):,} with an answer; {plural(solution.steps, 'step')}, "
        f"{plural(solution.vectors, 'vector')}, {solution.cpu_seconds:.1f} CPU-s "
        f"in {solution.seconds:.1f} s, at most {solution.peak_bytes / MEBIBYTE:,.0f} MiB a task{wrong}"
    )
