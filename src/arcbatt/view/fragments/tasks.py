"""Samples, tasks and sets of tasks as fragments: a row a sample, a gallery of tasks."""

from collections.abc import Iterable

from arcbatt.tasks import Grid, Sample, Task, TaskSet
from arcbatt.tasks.sample_names import sample_name
from arcbatt.text import plural
from arcbatt.view.fragments.html_pieces import ARROW, cell_size, grid_figure, more, paragraph, row_of
from arcbatt.view.html import element

MOST_SAMPLES = 20
MOST_TASKS = 12
ROOM, GALLERY_ROOM = 300, 90  # pixels for the longest side of a grid


def sample(one: Sample) -> str:
    """A sample: its input and its output."""
    return _pair(one, cell_size(_grids([one]), ROOM))


def task(one: Task) -> str:
    """A task: its demo samples, and below them its test samples."""
    shown = one.samples[:MOST_SAMPLES]
    cell = cell_size(_grids(shown), ROOM)
    pairs = [
        element("div", paragraph(name) + _pair(each, cell, name))
        for number, each in enumerate(shown)
        for name in [sample_name(one, number)]
    ]
    demo = len(one.demo)
    title = paragraph(f"{one.id}: {demo} demo, {len(one.test)} test", "title")
    return title + row_of(pairs[:demo]) + row_of(pairs[demo:]) + more(len(one.samples) - len(shown), "sample")


def task_set(tasks: TaskSet) -> str:
    """A set of tasks: the first demo sample of each of the first tasks."""
    cards = [
        element("div", paragraph(each.id) + _pair(each.samples[0], cell, each.id), class_="card")
        for each in tasks.tasks[:MOST_TASKS]
        if each.samples
        for cell in [cell_size(_grids(each.samples[:1]), GALLERY_ROOM)]
    ]
    title = paragraph(f"{tasks.name}: {plural(len(tasks), 'task')}", "title")
    return title + row_of(cards) + more(len(tasks) - MOST_TASKS, "task")


def _grids(samples: Iterable[Sample]) -> list[Grid]:
    return [grid for each in samples for grid in each if grid is not None]


def _pair(one: Sample, cell: int, name: str = "") -> str:
    before = grid_figure("input", one.input, cell, sample=name)
    if one.output is None:
        after = paragraph("output unknown")
    else:
        after = grid_figure("output", one.output, cell, sample=name)
    return element("div", before + ARROW + after, class_="pair")
