"""The report of a run: a table of programs, a summary, and the same as lines of JSON."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from arcbatt.dsl.failures import KINDS, Kind
from arcbatt.dsl.own.errors import OpError
from arcbatt.engine.records.record import Outcome
from arcbatt.engine.records.replies import Ending
from arcbatt.engine.results import Results
from arcbatt.text import plural, shorten
from arcbatt.view.tables import Column, table

TASKS_NAMED = 5
ERRORS_TOLD = 10
OUTCOME_COLUMNS = (
    *map(Column, ("program", "task", "demo", "test", "solved")),
    Column("failures", folds=True),
)


def failure_counts(counts: Mapping[Kind, int]) -> str:
    """Failures by kind, such as `TYPE 3, SIZE 1`."""
    return ", ".join(f"{kind} {counts[kind]:,}" for kind in KINDS if counts.get(kind))


def own_table(results: Results, width: int | None) -> Iterator[Text]:
    """A line for each program and its task; unsolved ones are last, next to the prompt."""
    rows = [outcome_row(outcome) for outcome in sorted(results, key=lambda outcome: not outcome.solved)]
    return table(OUTCOME_COLUMNS, rows, width)


def outcome_row(outcome: Outcome) -> list[Text]:
    """The row of a program on a task, under `OUTCOME_COLUMNS`."""
    return [
        Text(outcome.program.name),
        Text(outcome.task.id),
        *map(Text, outcome.shares),
        Text("yes", "green") if outcome.solved else Text("no", "red"),
        Text(
            outcome.refused
            or ", ".join(filter(None, [failure_counts(outcome.failures), _lost(outcome.lost)]))
        ),
    ]


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
            [name, f"{len(solved):,}/{len(outcomes):,}", f"{right:,}/{known:,}", some_ids(solved), failed],
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
    lost = _lost(sum(outcome.lost for outcome in outcomes))
    return (
        [outcome.task.id for outcome in outcomes if outcome.solved],
        sum((outcome.demo + outcome.test).count(True) for outcome in outcomes),
        sum(sample.output is not None for outcome in outcomes for sample in outcome.task.samples),
        ", ".join(filter(None, [failure_counts(failures), lost])),
    )


def some_ids(ids: Sequence[str]) -> str:
    """The first ids of tasks, and how many more there are."""
    more = f" and {len(ids) - TASKS_NAMED:,} more" if len(ids) > TASKS_NAMED else ""
    return " ".join(ids[:TASKS_NAMED]) + more


def summary_lines(results: Results) -> Iterator[str]:
    """The run in a sentence, and the failures if there were any."""
    stats = results.stats
    yield (
        f"{plural(results.programs_run, 'program')} on {plural(stats.tasks, 'task')}: "
        f"{plural(stats.evaluations, 'evaluation')}, {results.solved_in_words}, "
        f"{stats.seconds:,.3f} s, {plural(round(stats.evaluations_per_second), 'evaluation')} a second; "
        f"backend {stats.backend} ({stats.why}), {plural(stats.threads, 'thread')}"
    )
    failures = failure_counts(stats.failures)
    if failures:
        yield f"failures: {failures}"
    if results.lost:
        yield f"evaluations lost: {end_counts(results.lost)}"
    yield from given_up_lines(results.given_up)
    yield from op_error_lines(results.op_errors)


def _lost(count: int) -> str:
    return f"lost {count:,}" if count else ""


def end_counts(ends: Mapping[tuple[Ending, str], int]) -> str:
    """How work ended that has no result, such as `crashed (SIGSEGV) 2, timeout 1`."""
    return ", ".join(
        f"{status} ({kind}) {count:,}" if kind else f"{status} {count:,}"
        for (status, kind), count in sorted(ends.items())
    )


def given_up_lines(given_up: Mapping[str, str]) -> Iterator[str]:
    """The own ops that were given up, and why."""
    for op, reason in sorted(given_up.items()):
        yield f"op {op} was given up: {reason}; the programs with it did not run on the rest"


def op_error_lines(errors: Sequence[OpError]) -> Iterator[str]:
    """The faults of own ops, each with its first case."""
    for error in errors[:ERRORS_TOLD]:
        case = " ".join(filter(None, [shorten(error.task), error.sample]))
        yield (
            f"op {error.op}: {error} in {plural(error.count, 'evaluation')}, "
            f"first in {shorten(error.program)} on {case}: {error.call}"
        )
    if len(errors) > ERRORS_TOLD:
        yield f"and {plural(len(errors) - ERRORS_TOLD, 'kind')} of error more in ops of your own"
