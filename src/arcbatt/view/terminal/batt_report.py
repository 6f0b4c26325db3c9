"""The report of `run-batt`: a line for each task, and a summary."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from arcbatt.dsl.own.errors import OpError, summed
from arcbatt.engine.scoring.tally import Tally, TaskTally
from arcbatt.text import plural, solved_in_words
from arcbatt.view.terminal.run_report import end_counts, failure_counts, op_error_lines


def task_line(found: TaskTally, seconds: float | None = None) -> str:
    """The counts of a batt on a task, on one line; only the time depends on the backend."""
    tally = found.tally
    parts = [
        f"{tally.outputs:,} of {plural(tally.asked, 'output')}",
        f"exact {tally.demo_exact:,} demo, {tally.test_exact:,} test",
        *_more(tally),
    ]
    if found.solvers:
        parts.append(f"solved by {', '.join(found.solvers)}")
    if seconds is not None:
        parts.append(f"{seconds:.3f} s")
    return f"{found.task.id}: {'; '.join(parts)}"


@dataclass
class Totals:
    """The counts of a batt on all tasks; `pairs` counts pairs of a solver and a task that it solves."""

    tally: Tally = field(default_factory=Tally)
    tasks: int = 0
    solved: int = 0
    pairs: int = 0
    complete: bool = True
    seconds: float = 0.0
    op_errors: tuple[OpError, ...] = ()

    def add(self, found: TaskTally) -> None:
        """Add a task."""
        self.tally.add(found.tally)
        self.tasks += 1
        self.solved += bool(found.winners)
        self.pairs += len(found.winners)
        self.op_errors = summed((*self.op_errors, *found.record.op_errors))


def summary(totals: Totals, programs: int) -> dict[str, Any]:
    """The totals as plain data."""
    found: dict[str, Any] = {
        "programs": programs,
        "tasks": totals.tasks,
        "evaluations": totals.tally.asked,
        "solved": totals.pairs,
        "tasks_solved": totals.solved,
    }
    if totals.op_errors:
        found["op_errors"] = [error.as_json() for error in totals.op_errors]
    return found if totals.complete else found | {"interrupted": True}


def summary_lines(totals: Totals) -> Iterator[str]:
    """The totals in words."""
    total = totals.tally
    yield (
        f"{plural(totals.tasks, 'task')}, {plural(total.samples, 'sample')}: {total.outputs:,} of "
        f"{plural(total.asked, 'output')}; exact {total.demo_exact:,} demo, {total.test_exact:,} test; "
        f"{solved_in_words(totals.pairs, totals.solved, totals.tasks)}"
    )
    yield from _more(total)
    yield from op_error_lines(totals.op_errors)


def _more(tally: Tally) -> Iterator[str]:
    if tally.mean is not None:
        yield f"mean score {tally.mean:.1f}"
    if tally.failures:
        yield f"failures {failure_counts(tally.failures)}"
    if tally.ends:
        yield f"samples lost: {end_counts(tally.ends)}"
