"""Answers of an archive as tables, and as lines of JSON."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from arcbatt.archive.check import CheckFindings
from arcbatt.archive.queries import Ancestor, KeptRow, RunSummary, TaskSummary
from arcbatt.archive.rows.programs import StoredProgram
from arcbatt.archive.rows.results import StoredResult, score_text
from arcbatt.archive.terms import Terms, language_version
from arcbatt.dsl.limits import DEFAULT_LIMITS
from arcbatt.text import plural
from arcbatt.view.tables import Column, table
from arcbatt.view.terminal.run_report import some_ids

OUTCOME = (Column("solved"), Column("demo", right=True), Column("score", right=True))
DIGITS = 12  # of a hash
TASK_COLUMNS = (
    Column("task"),
    Column("results", right=True),
    Column("winners", right=True),
    Column("best program", folds=True),
    Column("demo", right=True),
    Column("score", right=True),
    Column("lines", right=True),
)
UNTOLD = (
    "programs",
    "tasks",
    "first",
    "last",
    "content",
    "seeds",
)  # of a run: digests, and what is told apart


def results_table(results: Iterable[StoredResult], width: int | None) -> Iterator[Text]:
    """A line for each result of a task."""
    columns = [
        Column("program", folds=True),
        Column("task"),
        *OUTCOME,
        Column("lines", right=True),
        Column("hash"),
    ]
    rows = [
        [
            Text(result.name),
            Text(result.task),
            *_outcome(result),
            Text(f"{result.size:,}"),
            Text(result.hash[:DIGITS]),
        ]
        for result in results
    ]
    return table(columns, rows, width)


def program_results_table(results: Iterable[StoredResult], width: int | None) -> Iterator[Text]:
    """A line for each result of a program, with the settings that it depends on."""
    columns = [Column("task"), *OUTCOME, Column("settings", folds=True)]
    rows = [[Text(result.task), *_outcome(result), Text(settings_text(result.terms))] for result in results]
    return table(columns, rows, width)


def _outcome(result: StoredResult) -> list[Text]:
    exact = f"{result.demo_exact}/{result.demo_count}"
    return [_yes(result.solved), Text(exact), Text(score_text(result.score))]


def settings_text(terms: Terms) -> str:
    """Terms in few words: the failure mode, and everything unusual.

    >>> settings_text(Terms()), settings_text(Terms("default", differs=("1f", "2e"), language="0.0"))
    ('fail', 'default, 2 differs, language 0.0')
    """
    parts = {
        "other limits": terms.limits != DEFAULT_LIMITS,
        plural(len(terms.differs), "differ"): terms.differs,
        f"batt {str(terms.batt)[:DIGITS]}": terms.batt,
        f"own ops {' '.join(name for name, _ in terms.own_ops)}": terms.own_ops,
        f"from {terms.origin}": terms.origin,
        "verdicts as in a batt": terms.tells_failures,
        f"language {terms.language}": terms.language != language_version(),
    }
    return ", ".join([str(terms.on_failure), *(text for text, told in parts.items() if told)])


def _yes(solved: bool) -> Text:
    return Text("yes", "green") if solved else Text("no", "red")


def tasks_table(tasks: Iterable[TaskSummary], width: int | None) -> Iterator[Text]:
    """A line for each task with its best program; unsolved ones are last, next to the prompt."""
    rows = [task_row(each) for each in sorted(tasks, key=lambda each: (not each.winners, each.task))]
    return table(TASK_COLUMNS, rows, width)


def task_row(summary: TaskSummary) -> list[Text]:
    """The row of a task with its best program, under `TASK_COLUMNS`."""
    best = summary.best
    return [
        Text(summary.task),
        Text(f"{summary.results:,}"),
        Text(f"{summary.winners:,}", "green" if summary.winners else "red"),
        Text(best.name),
        Text(f"{best.demo_exact}/{best.demo_count}"),
        Text(score_text(best.score)),
        Text(f"{best.size:,}"),
    ]


def programs_table(programs: Iterable[StoredProgram], width: int | None) -> Iterator[Text]:
    """A line for each program."""
    columns = [Column("program", folds=True), Column("kind"), Column("lines", right=True), Column("hash")]
    rows = [[each.name, each.kind, f"{each.size:,}", each.hash[:DIGITS]] for each in programs]
    return table(columns, [list(map(Text, row)) for row in rows], width)


def generalists_table(
    found: Iterable[tuple[StoredProgram, Sequence[str]]], width: int | None
) -> Iterator[Text]:
    """A line for each program that solves several tasks."""
    columns = [
        Column("program", folds=True),
        Column("tasks solved", right=True),
        Column("which tasks", folds=True),
        Column("lines", right=True),
        Column("hash"),
    ]
    rows = [
        [each.name, f"{len(tasks):,}", some_ids(tasks), f"{each.size:,}", each.hash[:DIGITS]]
        for each, tasks in found
    ]
    return table(columns, [list(map(Text, row)) for row in rows], width)


def lineage_table(steps: Iterable[Ancestor], width: int | None) -> Iterator[Text]:
    """A line for each ancestor, with the program made from it and the mutation."""
    columns = [
        Column("step", right=True),
        Column("program", folds=True),
        Column("lines", right=True),
        Column("hash"),
        Column("mutation", folds=True),
        Column("made of it"),
    ]
    rows = [
        [
            str(step.depth),
            step.program.name if step.program else "not in this archive",
            f"{step.program.size:,}" if step.program else "",
            step.hash[:DIGITS],
            step.mutation,
            (step.child or "")[:DIGITS],
        ]
        for step in steps
    ]
    return table(columns, [list(map(Text, row)) for row in rows], width)


def runs_table(runs: Iterable[RunSummary], width: int | None) -> Iterator[Text]:
    """A line for each run."""
    columns = [Column("run"), Column("done", folds=True), Column("settings", folds=True), Column("digest")]
    rows = [[run.kind, done_text(run), run_text(run.settings), run.digest[:DIGITS]] for run in runs]
    return table(columns, [list(map(Text, row)) for row in rows], width)


def done_text(run: RunSummary) -> str:
    """The progress of a run, in words.

    >>> done_text(RunSummary("run", "1f", {}, 3, 8)), done_text(RunSummary("evolve", "1f", {}, 1, None))
    ('3 of 8 results', '1 step')
    """
    if run.total is None:
        return plural(run.done, "step")
    return f"{run.done:,} of {plural(run.total, 'result')}"


def run_text(settings: Mapping[str, Any]) -> str:
    """The settings of a run in words, without digests and the usual language.

    >>> work = {"programs": 2, "tasks": 3, "first": "a", "last": "c", "content": "1f"}
    >>> run_text(work | {"pairs": "all", "terms": Terms().settings})
    '2 programs on 3 tasks, a to c, pairs all, fail'
    >>> run_text({"seed": 3, "seeds": "1f", "members": 32, "on_failure": "fail", "language": "0.0"})
    'seed 3, members 32, on failure fail, language 0.0'
    """
    words: list[str] = []
    if "programs" in settings:
        words.append(f"{plural(settings['programs'], 'program')} on {plural(settings['tasks'], 'task')}")
    if "first" in settings:
        words.append(f"{settings['first']} to {settings['last']}")
    words += [
        f"{name.replace('_', ' ')} {value}"
        for name, value in settings.items()
        if name not in UNTOLD and isinstance(value, str | int | float) and value != language_version()
    ]
    if "terms" in settings:
        words.append(settings_text(Terms.from_settings(settings["terms"])))
    return ", ".join(words)


def program_lines(
    stored: StoredProgram, parents: int, children: int, kept: Iterable[KeptRow]
) -> Iterator[Text]:
    """A program in full."""
    yield Text(f"{stored.name}: {stored.kind}, {plural(stored.size, 'line')}")
    yield Text(f"hash {stored.hash}; made of {plural(parents, 'program')}, {children:,} made of it")
    for each in kept:
        yield Text(f"kept for {each.task or 'no task'} with score {each.score:g} and time {each.time:g}")
    if stored.own_ops:
        yield Text(f"needs your own ops {', '.join(stored.own_ops)}")
    yield Text("")
    yield from map(Text, stored.source_under(stored.function_name()).rstrip("\n").split("\n"))


def findings_lines(findings: CheckFindings) -> Iterator[Text]:
    """The findings of a check, the summary last."""
    yield from (Text(f"fault: {fault}") for fault in findings.faults)
    yield from (Text(note) for note in findings.notes)
    counts = (
        f"{plural(findings.programs, 'program')}, {plural(findings.tasks, 'task')}, "
        f"{plural(findings.results, 'result')}"
    )
    replayed = f", {plural(findings.replayed, 'winner')} run again" if findings.replayed else ""
    verdict = plural(len(findings.faults), "fault") if findings.faults else "no fault"
    yield Text(f"checked {counts}{replayed}: {verdict}")


def result_data(result: StoredResult) -> dict[str, Any]:
    """A result as plain data."""
    return {
        **program_data(result.stored),
        "task": result.task,
        "solved": result.solved,
        "demo_exact": result.demo_exact,
        "score": result.score,
        "verdicts": list(result.verdicts),
        "scores": None if result.scores is None else list(result.scores),
        "settings": result.terms.settings,
    }


def program_data(stored: StoredProgram) -> dict[str, Any]:
    """A program as plain data."""
    return {
        "program": stored.name,
        "hash": stored.hash,
        "kind": stored.kind,
        "lines": stored.size,
        "source": None if stored.readable is None else stored.source_under(stored.function_name()),
    }


def step_data(step: Ancestor) -> dict[str, Any]:
    """A step of a lineage as plain data."""
    own = program_data(step.program) if step.program else {"hash": step.hash}
    return own | {"depth": step.depth, "child": step.child, "mutation": step.mutation}


def task_data(summary: TaskSummary) -> dict[str, Any]:
    """A task as plain data."""
    counts = {"task": summary.task, "results": summary.results, "winners": summary.winners}
    return counts | {"best": result_data(summary.best)}
