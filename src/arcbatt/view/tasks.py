"""Drawing a task: the input and output of each sample, and beside them the output of a program."""

import textwrap
from collections.abc import Iterator
from itertools import chain

from rich.text import Text

from arcbatt.dsl.failures import MEANINGS, Failure
from arcbatt.dsl.types import has_no_cells, is_grid
from arcbatt.dsl.values import Value, text
from arcbatt.engine.records.record import Outcome
from arcbatt.program.graph import Node, expression
from arcbatt.tasks import Grid, Sample, Task
from arcbatt.tasks.sample_names import sample_name
from arcbatt.text import plural
from arcbatt.view.grids import Palette, Panel, differing, grid_lines, shape, side_by_side

LONGEST_TEXT = 500  # characters of a value or an expression


def draw_task(
    task: Task, outcome: Outcome | None, width: int | None, styles: Palette | None
) -> Iterator[Text]:
    """The lines of a task, with the outcome of a program if there is one."""
    yield Text(f"{task.id}: {len(task.demo)} demo, {len(task.test)} test", "bold")
    if outcome is not None:
        yield Text(verdict_words(outcome), "green" if outcome.solved else "red")
    for number, sample in enumerate(task.samples):
        panels = [Panel(f"input {shape(sample.input)}", grid_lines(sample.input, styles), leads=True)]
        if sample.output is not None:
            panels.append(Panel(f"output {shape(sample.output)}", grid_lines(sample.output, styles)))
        if outcome is not None:
            panels.append(_given(outcome.program.name, outcome.outputs[number], sample, styles))
        yield Text()
        yield Text(sample_name(task, number))
        yield from side_by_side(panels, width)


def verdict_words(outcome: Outcome) -> str:
    """Whether a program solves its task, and how many samples are exact."""
    demo, test = outcome.shares
    solves = "solves it" if outcome.solved else "does not solve it"
    return f"{outcome.program.name} {solves}: demo {demo}, test {test} exact"


def _given(name: str, given: Value | Failure, sample: Sample, styles: Palette | None) -> Panel:
    if isinstance(given, Failure):
        return Panel(f"{name}: {given.kind}", tuple(chain.from_iterable(map(_wrapped, failure_words(given)))))
    if not is_grid(given) or has_no_cells(given):
        return Panel(f"{name}: no grid", _wrapped(text(given, LONGEST_TEXT)))
    grid: Grid = given  # type: ignore[assignment]
    marked = frozenset() if sample.output is None else differing(grid, sample.output)
    return Panel(f"{name}: {comparison(grid, sample.output, len(marked))}", grid_lines(grid, styles, marked))


def comparison(grid: Grid, expected: Grid | None, wrong: int) -> str:
    """How a grid compares with the expected one, from which `wrong` cells differ.

    >>> comparison(((1, 2),), ((1, 3),), 1), comparison(((1,),), ((1, 3),), 0)
    ('1 cell of 2 wrong', '1 x 1, not 1 x 2')
    """
    if expected is None:
        return shape(grid)
    if grid == expected:
        return "exact"
    if shape(grid) != shape(expected):
        return f"{shape(grid)}, not {shape(expected)}"
    return f"{plural(wrong, 'cell')} of {len(grid) * len(grid[0])} wrong"


def failure_words(failure: Failure) -> list[str]:
    """What a failure means, and the expression that failed where it is known.

    >>> failure_words(Failure("ZERO"))
    ['division by zero, or a step or factor of zero']
    """
    where = [f"in {expression(failure.node, LONGEST_TEXT)}"] if isinstance(failure.node, Node) else []
    return [MEANINGS[failure.kind], *where]


def _wrapped(line: str) -> tuple[Text, ...]:
    return tuple(map(Text, textwrap.wrap(line, 50)))
