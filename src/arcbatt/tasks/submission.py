"""Writing answers as a Kaggle submission file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence

from arcbatt.arguments import collected, require_kind, require_path, require_text
from arcbatt.errors import ArcbattError, TaskError
from arcbatt.files import require_no_database, write_whole
from arcbatt.tasks.intake import GivenTasks, tasks_of
from arcbatt.tasks.read import grid_from_json
from arcbatt.tasks.tasks import Grid, Task, unknown_id
from arcbatt.text import shorten

ATTEMPTS = 2
ATTEMPT_NAMES = tuple(f"attempt_{number}" for number in range(1, ATTEMPTS + 1))
# Kaggle wants two grids for every test input and takes any grid.
NO_ANSWER: Grid = ((0,),)

Attempts = Sequence[Sequence[Sequence[int]]]


def require_submission_file(name: str) -> None:
    """Refuse a file that no submission is written to."""
    if name == "-":
        raise ArcbattError("-: a submission is written to a file; Kaggle takes one named submission.json")
    require_no_database(name)


def write_submission(
    path: str | os.PathLike[str], predictions: Mapping[str, Sequence[Attempts]], tasks: GivenTasks
) -> None:
    """Write a file `{id: [{"attempt_1": grid, "attempt_2": grid}, ...]}` with all test inputs of all tasks.

    `predictions` maps a task id to one list of up to two grids for each test sample, best first. Where a
    grid is missing, the file has `[[0]]`. Everything is checked before anything is written, and the file
    appears whole or not at all; an older file of that name is replaced.

    >>> import os, tempfile
    >>> from pathlib import Path
    >>> from arcbatt.tasks import load_tasks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "submission.json")
    ...     write_submission(file, {"00d62c1b": [[((1, 2),)]]}, load_tasks("00d62c1b"))
    ...     print(Path(file).read_text())
    {"00d62c1b":[{"attempt_1":[[1,2]],"attempt_2":[[0]]}]}
    """
    require_path("path", path)
    known = tasks_of(tasks)
    require_kind(
        predictions,
        Mapping,
        "mapping; it must have a list of up to two grids for each test input, by task id",
    )
    for task_id in predictions:
        require_text("a task id of predictions", task_id)
        if task_id not in known:
            raise TaskError(unknown_id(known.name, task_id, known.ids))
    answers = {task.id: _answers(task, predictions.get(task.id, ())) for task in known}
    try:
        write_whole(os.fspath(path), json.dumps(answers, separators=(",", ":")).encode())
    except ArcbattError as error:
        raise TaskError(str(error)) from None


def _answers(task: Task, samples: Sequence[Attempts]) -> list[dict[str, Grid]]:
    where = f"predictions: task {shorten(task.id)}"
    samples = collected(samples, "list of grids; predictions have one for each test input")
    given, wanted = len(samples), len(task.test)
    if given > wanted:
        raise TaskError(f"{where}: {given} lists of grids for {wanted} test inputs; one for each is enough")
    padded = [*samples, *[()] * (wanted - given)]
    return [_attempts(f"{where}: test {number}", grids) for number, grids in enumerate(padded, 1)]


def _attempts(where: str, grids: Attempts) -> dict[str, Grid]:
    grids = collected(grids, f"grid for {where}")
    if len(grids) > ATTEMPTS:
        raise TaskError(f"{where}: has {len(grids)} grids; a submission takes at most {ATTEMPTS}")
    checked = [grid_from_json(f"{where}: attempt {number}", grid) for number, grid in enumerate(grids, 1)]
    padded = checked + [NO_ANSWER] * (ATTEMPTS - len(checked))
    return dict(zip(ATTEMPT_NAMES, padded))
