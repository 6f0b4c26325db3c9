"""Results of a run and single outcomes as fragments: what is solved, outputs beside expected ones."""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from arcbatt.dsl.failures import Failure
from arcbatt.dsl.types import is_filled_grid
from arcbatt.dsl.values import Value
from arcbatt.engine.records.record import Outcome
from arcbatt.engine.results import Results
from arcbatt.errors import ArcbattError
from arcbatt.tasks import Sample
from arcbatt.tasks.sample_names import sample_name
from arcbatt.view.fragments.html_pieces import (
    ARROW,
    MOST_ROWS,
    cell_size,
    compared,
    grid_figure,
    more,
    paragraph,
    row_of,
    text_table,
)
from arcbatt.view.fragments.tasks import MOST_SAMPLES
from arcbatt.view.html import element, value_html
from arcbatt.view.tasks import verdict_words
from arcbatt.view.terminal.run_report import OUTCOME_COLUMNS, outcome_row, summary_lines

ROOM = 220  # pixels for the longest side of a grid
MARK = "A white diamond marks a cell that is wrong."
TRACED = "arcbatt.trace(program, task) shows line by line where it goes wrong."


def results(found: Results) -> str:
    """The results of a run: its summary, then a table of its pairs of program and task, solved ones first."""
    shown = list(islice(chain(_outcomes(found, True), _outcomes(found, False)), MOST_ROWS))
    words = "".join(map(paragraph, summary_lines(found)))
    rows = text_table(OUTCOME_COLUMNS, map(outcome_row, shown)) if shown else ""
    return words + rows + more(len(found) - len(shown), "pair")


def _outcomes(found: Results, solved: bool) -> Iterator[Outcome]:
    """The outcomes that solve their task, or the others."""
    for record in found.records.values():
        if not solved or any(True for _ in record.solved_by()):
            yield from (each for each in record.outcomes() if each.solved == solved)


def outcome(one: Outcome) -> str:
    """A program on a task: for each sample input, expected output and output, wrong cells marked."""
    title = paragraph(f"{one.task.id}: {verdict_words(one)}", "title")
    try:
        outputs = one.outputs
    except ArcbattError as error:  # of a run whose outputs cannot be computed again
        return title + paragraph(str(error)) + text_table(OUTCOME_COLUMNS, [outcome_row(one)])
    samples = one.task.samples[:MOST_SAMPLES]
    rows = [
        _sample(sample_name(one.task, number), each, given)
        for number, (each, given) in enumerate(zip(samples, outputs))
    ]
    legend = paragraph(MARK) if any("wrong cell" in row for row in rows) else ""
    if not one.solved and one.program.kind == "solver":
        legend += paragraph(TRACED)
    return title + legend + "".join(rows) + more(len(one.task.samples) - len(samples), "sample")


def _sample(name: str, sample: Sample, given: Value | Failure) -> str:
    cell = cell_size([grid for grid in sample if grid is not None], ROOM)
    parts = [grid_figure("input", sample.input, cell, sample=name), ARROW]
    if sample.output is not None:
        parts.append(grid_figure("expected", sample.output, cell, sample=name))
    parts.append(_given(sample, given, cell, name))
    return paragraph(name) + row_of(parts)


def _given(sample: Sample, given: Value | Failure, cell: int, name: str) -> str:
    """The output of a program: a grid with its wrong cells marked, any other value, or a failure in words."""
    if is_filled_grid(given):
        grid: Any = given
        return compared(grid, sample.output, cell, name)
    words = "failed" if isinstance(given, Failure) else "output, which is no grid"
    return element("div", paragraph(words) + value_html(given))
