"""Parts that fragments share: grids with captions, bounded tables and lists."""

from collections.abc import Iterable, Sequence

from rich.text import Text

from arcbatt.tasks import Grid
from arcbatt.text import plural
from arcbatt.view.grids import CUT, MOST, Location, differing, shape
from arcbatt.view.html import element, escape, figure, html_table
from arcbatt.view.svg import grid_description, grid_svg
from arcbatt.view.tables import Column
from arcbatt.view.task_drawing import comparison

MOST_ROWS = 20
LARGEST_CELL, SMALLEST_CELL = 14, 4
ARROW = element("span", "\u2192", aria_hidden="true")


def cell_size(grids: Iterable[Grid], room: int) -> int:
    """The cell size that makes the largest of some grids about `room` pixels wide and high.

    >>> cell_size([((0,) * 30,)], 300), cell_size([((0,),)], 300)
    (10, 14)
    """
    longest = max((max(len(grid), len(grid[0])) for grid in grids), default=1)
    return max(SMALLEST_CELL, min(LARGEST_CELL, room // longest))


def grid_figure(
    name: str,
    grid: Grid,
    cell: int,
    marked: frozenset[Location] = frozenset(),
    *,
    note: str = "",
    sample: str = "",
) -> str:
    """A grid below its name and its size, or a note instead; `marked` are its wrong cells.

    Only screen readers get the sample, such as `demo 1`: on the page it is above the grids.
    """
    words = grid_description(f"{sample} {name}".strip(), grid, len(marked))
    picture = grid_svg(grid, marked=marked, cell=cell, description=words)
    return figure(picture, f"{name}: {note}" if note else f"{name} {shape(grid)}")


def compared(grid: Grid, expected: Grid | None, cell: int, sample: str) -> str:
    """The output of a program beside the expected grid: its wrong cells are marked and counted."""
    marked = frozenset() if expected is None else differing(grid, expected)
    note = comparison(grid, expected, len(marked))
    if max(len(grid), len(grid[0])) > MOST:
        note += f"; {CUT}"
    return grid_figure("output", grid, cell, marked, note=note, sample=sample)


def paragraph(words: str, class_: str = "") -> str:
    """A paragraph of text."""
    return element("p", escape(words), **({"class_": class_} if class_ else {}))


def row_of(parts: Iterable[str]) -> str:
    """Parts beside each other; those that do not fit go below."""
    return element("div", "".join(parts), class_="row")


def more(count: int, noun: str) -> str:
    """The words for what is not shown; empty if everything is.

    >>> more(388, "task"), more(0, "task")
    ('<p>and 388 tasks more</p>', '')
    """
    return paragraph(f"and {plural(count, noun)} more") if count > 0 else ""


def text_table(columns: Sequence[Column], rows: Iterable[Sequence[Text]]) -> str:
    """A table of the rows that reports in the terminal use."""
    return html_table(columns, ([escape(cell.plain) for cell in row] for row in rows))
