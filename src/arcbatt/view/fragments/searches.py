"""The findings of searches as fragments: answers of `solve`, finds of `evolve`."""

from arcbatt.search.evolve.evolution import BestProgram, Evolution
from arcbatt.search.solve.answers import Answer
from arcbatt.search.solve.solution import Solution, TaskAnswers
from arcbatt.tasks import Grid, Sample
from arcbatt.text import plural
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
from arcbatt.view.fragments.programs import program_source
from arcbatt.view.fragments.results import ROOM, outcome
from arcbatt.view.fragments.tasks import MOST_SAMPLES
from arcbatt.view.html import element
from arcbatt.view.terminal import evolve_report, solve_report

MOST_ANSWERS = 4


def answer(one: Answer) -> str:
    """A program for a task, and its outputs for the test inputs."""
    demos = f"demo {one.demos}/{len(one.task.demo)}"
    told = f"{one.program.name}: {demos} exact, cost {one.cost:,}, from {one.source}"
    pairs = zip(one.task.test[:MOST_SAMPLES], one.outputs)
    rows = [_test(f"test {number}", sample, given) for number, (sample, given) in enumerate(pairs, 1)]
    return paragraph(told, "title") + program_source(one.program) + row_of(rows)


def _test(name: str, sample: Sample, given: Grid | None) -> str:
    """A test input and the output for it, compared with the right one if that is known."""
    cell = cell_size([sample.input], ROOM)
    before = grid_figure("input", sample.input, cell, sample=name)
    after = paragraph("no output") if given is None else compared(given, sample.output, cell, name)
    return element("div", paragraph(name) + element("div", before + ARROW + after, class_="pair"))


def task_answers(found: TaskAnswers) -> str:
    """The answers of a task, best first."""
    count = plural(len(found.answers), "answer")
    title = paragraph(f"{found.task.id}: {count} after {plural(found.steps, 'step')}", "title")
    shown = found.answers[:MOST_ANSWERS]
    return title + "".join(map(answer, shown)) + more(len(found.answers) - len(shown), "answer")


def solution(found: Solution) -> str:
    """A search: its summary, then the best answer of each task, those that fit first."""
    answered = sorted((each for each in found.found.values() if each.answers), key=lambda each: not each.fits)
    rows = [solve_report.answer_row(each, found.guesses) for each in answered[:MOST_ROWS]]
    words = paragraph(solve_report.summary_line(found))
    drawn = text_table(solve_report.ANSWER_COLUMNS, rows) if rows else ""
    return words + drawn + more(len(answered) - len(rows), "task")


def best_program(one: BestProgram) -> str:
    """The best program of a task, and its outcome."""
    return program_source(one.program) + outcome(one.outcome)


def evolution(one: Evolution) -> str:
    """A search: its summary, then the best program of each task, those that fit first."""
    finds = sorted(one.best.values(), key=lambda find: not find.fits)
    words = paragraph(evolve_report.summary_line(one))
    rows = list(map(evolve_report.find_row, finds[:MOST_ROWS]))
    drawn = text_table(evolve_report.FIND_COLUMNS, rows) if rows else ""
    return words + drawn + more(len(finds) - len(rows), "task")
