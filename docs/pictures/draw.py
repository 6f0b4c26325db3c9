"""Draws the pictures of the pages from what the engine gives: `python docs/pictures/draw.py`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import arcbatt as ab
from arcbatt.view.svg import Picture, of_grid, of_object, svg

HERE = Path(__file__).parent
TASK = "be94b721"
LAYERED = "0ca9ddb6"


def drawings() -> Iterator[tuple[str, str]]:
    """The name and the text of each picture."""
    task = ab.load_tasks(TASK)[TASK]
    yield (
        "task.svg",
        svg(list(_pairs(task)), f"Two demo samples of task {TASK}: the largest object is cut out"),
    )
    grid = task.demo[1].input
    yield (
        "steps.svg",
        svg(list(_steps(grid)), "The program on one input: its objects, the largest, the output"),
    )
    yield "sharing.svg", SHARING
    layered = ab.load_tasks(LAYERED)[LAYERED]
    yield (
        "layers.svg",
        svg(list(_layers(layered)), f"Task {LAYERED}: the input, two layers, and the output that they give"),
    )


def _pairs(task: ab.Task) -> Iterator[Picture]:
    for number in (1, 3):
        sample = task.demo[number]
        assert sample.output is not None
        yield of_grid("input", sample.input, "\u2192")
        yield of_grid("output", sample.output)


def _steps(grid: Any) -> Iterator[Picture]:
    height, width = len(grid), len(grid[0])
    found: Any = ab.call("objects", grid, 1, 0, 1)
    largest: Any = ab.call("argmax", found, ab.fn("size"))
    cut: Any = ab.call("subgrid", largest, grid)
    everything = [cell for part in found for cell in part]
    yield of_grid("I", grid, "\u2192")
    yield of_object("x1: objects", everything, height, width, "\u2192")
    yield of_object("x2: the largest", largest, height, width, "\u2192")
    yield of_grid("O", cut)


def _layers(task: ab.Task) -> Iterator[Picture]:
    grid = task.demo[2].input
    height, width = len(grid), len(grid[0])
    drawn: Any = grid
    yield of_grid("I", grid, "+")
    for source, neighbors, color, sign in ((2, "ineighbors", 4, "+"), (1, "dneighbors", 7, "\u2192")):
        spots: Any = ab.call("mapply", ab.fn(neighbors), ab.call("ofcolor", grid, source))
        inside = [(color, (i, j)) for i, j in spots if 0 <= i < height and 0 <= j < width]
        yield of_object(f"{neighbors} of {source}", inside, height, width, sign)
        drawn = ab.call("fill", drawn, color, spots)
    assert drawn == task.demo[2].output
    yield of_grid("O", drawn)


# Two programs as one graph: the nodes that both need stand once.
SHARING = """<svg xmlns="http://www.w3.org/2000/svg" width="560" height="150" viewBox="0 0 560 150" \
role="img" aria-label="Two programs that share their first node">
<title>Two programs that share their first node</title>
<g font-family="monospace" font-size="12" fill="#777777" text-anchor="middle">
<g fill="none" stroke="#777777">
<rect x="1" y="60" width="40" height="28" rx="4"/>
<rect x="75" y="60" width="150" height="28" rx="4"/>
<rect x="265" y="15" width="120" height="28" rx="4"/>
<rect x="265" y="105" width="120" height="28" rx="4"/>
<rect x="425" y="15" width="130" height="28" rx="4"/>
<rect x="425" y="105" width="130" height="28" rx="4"/>
<path d="M41 74H75M225 70L265 33M225 78L265 115M385 29H425M385 119H425"/>
</g>
<text x="21" y="78">I</text>
<text x="150" y="78">objects(I, T, F, T)</text>
<text x="325" y="33">argmax(., size)</text>
<text x="325" y="123">argmin(., size)</text>
<text x="490" y="33">subgrid(., I)</text>
<text x="490" y="123">subgrid(., I)</text>
</g>
</svg>
"""


if __name__ == "__main__":
    for name, text in drawings():
        (HERE / name).write_text(text, "utf-8")
