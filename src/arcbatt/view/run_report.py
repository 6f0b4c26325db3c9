"""The report of a run: a table of programs, a summary, and the same as lines of JSON."""

from collections import Counter
from collections.abc import Iterator, Mapping

from rich.text import Text

from arcbatt.dsl.failures import KINDS, Kind
from arcbatt.engine.results import Outcome, Results
from arcbatt.text import plural
from arcbatt.view.tables import Column, table

TASKS_NAMED = 5


def failure_counts(counts: Mapping[Kind, int]) -> str:
    """Failures by kind, such as `TYPE 3, SIZE 1`."""
    return ", ".join(f"{kind} {counts[kind]:,}" for kind in KINDS if counts.get(kind))


def own_table(results: Results, width: int | None) -> Iterator[Text]:
    """A line for each program and its task; unsolved ones are last, next to the prompt."""
    columns = [Column(title) for title in ("program", "task", "demo", "test", "solved")]
    columns.append(Column("failures", folds=True))
    rows = [
        [
            Text(outcome.program.name),
            Text(outcome.task.id),
            *map(Text, outcome.shares),
            Text("yes", "green") if outcome.solved else Text("no", "red"),
            Text(failure_counts(outcome.failures)),
        ]
        for outcome in sorted(results, key=lambda outcome: not outcome.solved)
    ]
    return table(columns, rows, width)


def all_table(results: Results, width: int | None) -> Iterator[Text]:
    """A line for each program with its totals over all tasks; the best are last, next to the prompt."""
    by_program: dict[str, list[Outcome]] = {}
    for outcome in results:
        by_program.setdefault(outcome.program.name, []).append(outcome)
    columns = [
        Column("program"),
        Column("tasks solved", right=True),
        Column("samples exact", right=True),
        Column("which tasks", folds=True),
        Column("failures", folds=True),
    ]
    rows = [
        (
            len(solved),
            right,
            [name, f"{len(solved):,}/{len(outcomes):,}", f"{right:,}/{known:,}", _ids(solved), failed],
        )
        for name, outcomes in by_program.items()
        for solved, right, known, failed in [_totals(outcomes)]
    ]
    rows.sort(key=lambda row: row[:2])
    return table(columns, [list(map(Text, cells)) for _, _, cells in rows], width)


def _totals(outcomes: list[Outcome]) -> tuple[list[str], int, int, str]:
    """The ids of solved tasks, the number of exact samples and of those with a known output, the failures."""
    failures: Counter[Kind] = Counter()
    for outcome in outcomes:
        failures.update(outcome.failures)
    return (
        [outcome.task.id for outcome in outcomes if outcome.solved],
        sum((outcome.demo + outcome.test).count(True) for outcome in outcomes),
        sum(sample.output is not None for outcome in outcomes for sample in outcome.task.samples),
        failure_counts(failures),
    )


def _ids(ids: list[str]) -> str:
    more = f" and {len(ids) - TASKS_NAMED:,} more" if len(ids) > TASKS_NAMED else ""
    return " ".join(ids[:TASKS_NAMED]) + more


def summary_lines(results: Results) -> Iterator[str]:
    """The run in a sentence, and the failures if there were any."""
    stats = results.stats
    yield (
        f"{plural(stats.programs, 'program')} on {plural(stats.tasks, 'task')}: "
        f"{plural(stats.evaluations, 'evaluation')}, {results.solved_in_words}, "
        f"{stats.seconds:,.3f} s, {plural(round(stats.evaluations_per_second), 'evaluation')} a second; "
        f"backend {stats.backend} ({stats.why}), {plural(stats.threads, 'thread')}"
    )
    failures = failure_counts(stats.failures)
    if failures:
        yield f"failures: {failures}"
