"""The report of `run-batt`: a line for each task, and a summary."""

from collections.abc import Iterator

from arcbatt.batt.tally import Tally, TaskTally
from arcbatt.terminal.report import failure_counts
from arcbatt.words import plural


def task_line(found: TaskTally, seconds: float | None = None) -> str:
    """What a batt did on a task, on one line; whatever ran it, only the time can differ."""
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


def summary_lines(tasks: int, solved: int, total: Tally) -> Iterator[str]:
    """What a batt did on all tasks."""
    yield (
        f"{plural(tasks, 'task')}, {plural(total.samples, 'sample')}: {total.outputs:,} of "
        f"{plural(total.asked, 'output')}; exact {total.demo_exact:,} demo, {total.test_exact:,} test; "
        f"{plural(solved, 'task')} solved"
    )
    yield from _more(total)


def _more(tally: Tally) -> Iterator[str]:
    if tally.mean is not None:
        yield f"mean score {tally.mean:.1f}"
    if tally.failures:
        yield f"failures {failure_counts(tally.failures)}"
    if tally.ends:
        ends = [
            f"{status} ({kind}) {count:,}" if kind else f"{status} {count:,}"
            for (status, kind), count in sorted(tally.ends.items())
        ]
        yield f"samples lost: {', '.join(ends)}"
