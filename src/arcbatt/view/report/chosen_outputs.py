"""Outputs and times of chosen pairs, computed when the report is made, within a budget of bytes."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from arcbatt.dsl.contract import COLOR_COUNT
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.types import is_filled_grid
from arcbatt.dsl.values import Value, text
from arcbatt.engine.results import Results
from arcbatt.engine.run import run
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Node, Program, expression
from arcbatt.tasks import Sample, Task
from arcbatt.text import plural
from arcbatt.view.report.findings import IS_EXACT, NO_MEAN, Pair, ReportFindings, TaskFindings, best_first
from arcbatt.view.report.results import demo_scores

NEAREST = 3  # programs whose outputs are shown for an unsolved task
MOST_OWN = 20  # programs written for a task whose outputs are shown
MOST_SCORED = 1_000_000  # evaluations that run again for their scores
LONGEST_TEXT = 400  # characters of a value that is not a grid, and of the expression that failed
EXACT_OUTPUT = "="


def add_scores(findings: ReportFindings) -> None:
    """Score the programs on unsolved tasks that have no scores yet, to find those that come nearest."""
    if findings.on_failure == "pile":
        return
    groups: dict[tuple[int, ...], list[TaskFindings]] = {}
    room = MOST_SCORED
    for task in findings.tasks:
        solved = any(findings.patterns[number].solved for number in set(task.patterns))
        if task.task is None or solved or any(score != NO_MEAN for score in task.scores):
            continue
        room -= len(task.programs) * (task.demo + task.test)
        if room >= 0:
            groups.setdefault(tuple(task.programs), []).append(task)
    for numbers, tasks in groups.items():
        _score(findings, numbers, tasks)


def _score(findings: ReportFindings, numbers: Sequence[int], tasks: Sequence[TaskFindings]) -> None:
    """Score programs, by number, on tasks."""
    found = (findings.subjects[number].program for number in numbers)
    programs = {program.hash: program for program in found if program is not None}
    by_id = {told.task.id: told for told in tasks if told.task is not None}
    if not programs:
        return
    try:
        whole = [told.task for told in by_id.values() if told.task is not None]
        results = _run(findings, programs.values(), whole, partial_scores=True)
    except ArcbattError as error:
        findings.notes.append(f"Programs could not be scored: {error}.")
        return
    for task_id, told in by_id.items():
        record = results.records[task_id]
        scores = dict(zip((program.hash for program in record.programs), demo_scores(record)))
        hashes = (findings.subjects[number].hash for number in told.programs)
        told.scores = array("l", (scores.get(digest, NO_MEAN) for digest in hashes))


def _run(
    findings: ReportFindings, programs: Iterable[Program], tasks: Sequence[Task], partial_scores: bool = False
) -> Results:
    """Run programs on tasks with the settings of the findings."""
    return run(
        programs,
        tasks,
        "all",
        on_failure=findings.on_failure,
        limits=findings.limits,
        partial_scores=partial_scores,
    )


def add_outputs(findings: ReportFindings, most: int) -> None:
    """Add outputs and times of chosen pairs, as long as the outputs take at most `most` bytes."""
    if findings.on_failure == "pile":
        findings.notes.append("Outputs are left out: in mode pile they depend on all programs together.")
        return
    left_out = size = 0
    for pair, place in _chosen_pairs(findings):
        if size > most:
            left_out += 1
            continue
        try:
            size += _add(findings, pair, findings.tasks[pair[0]].patterns[place])
        except ArcbattError as error:
            findings.notes.append(f"Outputs are missing: {error}.")
    if left_out:
        findings.notes.append(
            f"The outputs of {plural(left_out, 'pair')} are left out: those of others take {size:,} bytes."
        )


def _chosen_pairs(findings: ReportFindings) -> Iterator[tuple[Pair, int]]:
    """The pairs whose outputs are worth their room, with their indices in the columns of their tasks."""
    for number, task in enumerate(findings.tasks):
        if task.task is not None:
            for place in _chosen(findings, task):
                if findings.subjects[task.programs[place]].program is not None:
                    yield (number, task.programs[place]), place


def _add(findings: ReportFindings, pair: Pair, pattern: int) -> int:
    """Add the outputs and the time of a pair; returns the bytes that they take.

    Outputs that are all exact are not repeated.
    """
    task, program = findings.tasks[pair[0]].task, findings.subjects[pair[1]].program
    assert task is not None
    assert program is not None
    outputs, findings.times[pair] = _outputs(findings, program, task)
    if set(findings.patterns[pattern].exact) == {IS_EXACT}:
        return 0
    findings.outputs[pair] = outputs
    return sum(map(len, outputs))


def _chosen(findings: ReportFindings, task: TaskFindings) -> Iterator[int]:
    """The indices of programs whose outputs are worth their room: own ones, the best, the nearest."""
    best = best_first(findings, task)
    solved = bool(best) and findings.patterns[task.patterns[best[0]]].solved
    chosen = dict.fromkeys(best[: 1 if solved else NEAREST])
    own = (place for place in best if _is_own(findings, task, place))
    return iter(chosen | dict.fromkeys(islice(own, MOST_OWN)))


def _is_own(findings: ReportFindings, task: TaskFindings, place: int) -> bool:
    """Whether the program at an index is written for the task, going by its name."""
    program = findings.subjects[task.programs[place]].program
    return program is not None and program.task_id == task.id


def _outputs(findings: ReportFindings, program: Program, task: Task) -> tuple[list[str], float]:
    """The outcomes of a program on the samples of a task as text, and the seconds that they took.

    The time is the shorter of two: the first run warms up.
    """
    twice = [_run(findings, [program], [task]) for _ in range(2)]
    outputs = twice[0][program, task].outputs
    return list(map(outcome_text, outputs, task.samples)), min(each.stats.seconds for each in twice)


def outcome_text(outcome: Value | Failure, sample: Sample) -> str:
    """An outcome as the page reads it: `=` the expected grid, `#` a grid, `!` a failure, `?` another value.

    >>> sample = Sample(((1,),), ((1,),))
    >>> [outcome_text(outcome, sample) for outcome in (((1,),), ((1, 2), (3, 4)), Failure("ZERO"), 7)]
    ['=', '#12/34', '!ZERO ', '?7']
    """
    if isinstance(outcome, Failure):
        where = expression(outcome.node, LONGEST_TEXT) if isinstance(outcome.node, Node) else ""
        return f"!{outcome.kind} {where}"
    if sample.output is not None and outcome == sample.output:
        return EXACT_OUTPUT
    grid = grid_text(outcome)
    return f"?{text(outcome, LONGEST_TEXT)}" if grid is None else f"#{grid}"


def grid_text(grid: Any) -> str | None:
    """A grid as text, a digit a cell and a slash between rows; None if it is not a grid of colours.

    >>> grid_text(((1, 2), (3, 4))), grid_text(((10,),))
    ('12/34', None)
    """
    if not is_filled_grid(grid) or any(not 0 <= cell < COLOR_COUNT for row in grid for cell in row):
        return None
    return "/".join("".join(map(str, row)) for row in grid)
