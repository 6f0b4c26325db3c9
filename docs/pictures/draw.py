"""Draws the pictures of the pages from what the engine gives: `python docs/pictures/draw.py`."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import arcbatt as ab
from arcbatt.view.svg import Picture, of_grid, of_object, svg

HERE = Path(__file__).parent
TASK = "be94b721"
LAYERED = "0ca9ddb6"
ARROW = "\u2192"

# The programs of the gallery by file: the task, and which of its demo samples are drawn.
GALLERY = {
    "double_mirror": ("62c24649", (0, 1)),
    "smallest": ("23b5c85d", (0, 2)),
    "by_size": ("d2abd087", (1,)),
    "enclosed": ("00d62c1b", (0, 2)),
    "color_of_demos": ("a5313dff", (0,)),
    "falling": ("1e0a9b12", (0, 1, 2)),
    "diagonals": ("623ea044", (2, 0)),
    "counting": ("d0f5fe59", (1, 2)),
    "halves": ("e98196ab", (0,)),
    "in_line": ("ded97339", (0,)),
    "symmetry": ("b8825c91", (0,)),
    "pattern": ("29ec7d0e", (0,)),
}
PROGRAM = re.compile(r"^```python\n# (\w+)\.py\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def drawings() -> Iterator[tuple[str, str]]:
    """The name and the text of each picture."""
    task = ab.load_tasks(TASK)[TASK]
    yield (
        "task.svg",
        svg(list(_pairs(task)), f"Two demo samples of task {TASK}: the largest object is cut out"),
    )
    grid = task.demo[1].input
    yield (
        "draft.svg",
        svg(
            list(_steps(grid, 0)), "The first draft on one input: the background counts as the largest object"
        ),
    )
    yield (
        "steps.svg",
        svg(list(_steps(grid, 1)), "The program on one input: its objects, the largest, the output"),
    )
    yield "sharing.svg", SHARING
    layered = ab.load_tasks(LAYERED)[LAYERED]
    yield (
        "layers.svg",
        svg(list(_layers(layered)), f"Task {LAYERED}: the input, two layers, and the output that they give"),
    )
    for name, source in PROGRAM.findall((HERE.parent / "gallery.md").read_text("utf-8")):
        yield f"{name}.svg", _at_work(source, *GALLERY[name])


def _pairs(task: ab.Task) -> Iterator[Picture]:
    for number in (1, 3):
        sample = task.demo[number]
        assert sample.output is not None
        yield of_grid("input", sample.input, ARROW)
        yield of_grid("output", sample.output)


def _steps(grid: Any, without_background: int) -> Iterator[Picture]:
    height, width = len(grid), len(grid[0])
    found: Any = ab.call("objects", grid, 1, 0, without_background)
    largest: Any = ab.call("argmax", found, ab.fn("size"))
    cut: Any = ab.call("subgrid", largest, grid)
    everything = [cell for part in found for cell in part]
    yield of_grid("I", grid, ARROW)
    yield of_object("x1: objects", everything, height, width, ARROW)
    yield of_object("x2: the largest", largest, height, width, ARROW)
    yield of_grid("O", cut)


def _layers(task: ab.Task) -> Iterator[Picture]:
    grid = task.demo[2].input
    height, width = len(grid), len(grid[0])
    drawn: Any = grid
    yield of_grid("I", grid, "+")
    for source, neighbors, color, sign in ((2, "ineighbors", 4, "+"), (1, "dneighbors", 7, ARROW)):
        spots: Any = ab.call("mapply", ab.fn(neighbors), ab.call("ofcolor", grid, source))
        inside = [(color, (i, j)) for i, j in spots if 0 <= i < height and 0 <= j < width]
        yield of_object(f"{neighbors} of {source}", inside, height, width, sign)
        drawn = ab.call("fill", drawn, color, spots)
    assert drawn == task.demo[2].output
    yield of_grid("O", drawn)


def _at_work(source: str, task_id: str, samples: tuple[int, ...]) -> str:
    """A program that solves a task, drawn on some of its demo samples."""
    (program,) = ab.parse_programs(source)
    task = ab.load_tasks(task_id)[task_id]
    outcome = ab.run(program, task, pairs="all")[program.name, task_id]
    assert outcome.solved, task_id
    pictures: list[Picture] = []
    for number in samples:
        output: Any = outcome.outputs[number]
        pictures += [of_grid("I", task.demo[number].input, ARROW), of_grid("O", output)]
    return svg(pictures, f"Inputs and outputs of a program that solves task {task_id}")


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
