"""Checking a Kaggle submission file against the rules of the competition."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from arcbatt.arguments import require_path
from arcbatt.errors import TaskError
from arcbatt.tasks.intake import GivenTasks, tasks_of
from arcbatt.tasks.read import describe, grid_fault, read_json
from arcbatt.tasks.submission import ATTEMPT_NAMES
from arcbatt.tasks.tasks import TaskSet
from arcbatt.text import plural, shorten

FORM = "a submission is an object of lists by task id"
ENTRY = f"an object with the keys {' and '.join(ATTEMPT_NAMES)}"


@dataclass(frozen=True)
class SubmissionCheck:
    """The result of checking a submission file: each fault and each remark is a sentence with its location.

    Kaggle refuses a submission with faults or scores it wrong. A remark points out waste, such as two equal
    attempts.
    """

    path: str
    tasks: int
    inputs: int
    faults: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there are no faults."""
        return not self.faults

    @property
    def in_words(self) -> str:
        """The check in one line."""
        found = plural(len(self.faults), "fault") if self.faults else "no faults"
        whole = f"{plural(self.inputs, 'test input')} of {plural(self.tasks, 'task')}"
        return f"{shorten(self.path)}: {whole}, {found}"

    def __repr__(self) -> str:
        return f"<submission {self.in_words}>"


def check_submission(path: str | os.PathLike[str], tasks: GivenTasks) -> SubmissionCheck:
    """Check a submission file for some tasks, given as `load_tasks` takes them.

    The file must be JSON without repeated keys, and have every task and no other, for each test input in its
    order an object with exactly two keys, and grids of 1 to 30 rows and columns of the integers 0 to 9.

    >>> import os, tempfile
    >>> from arcbatt.tasks import load_tasks, write_submission
    >>> tasks = load_tasks("00d62c1b,017c7c7b")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "submission.json")
    ...     write_submission(file, {"00d62c1b": [[((1, 2),)]]}, tasks[:1])
    ...     check = check_submission(file, tasks)
    >>> check.ok, [fault.partition("json: ")[2] for fault in check.faults]
    (False, ['task 017c7c7b: is missing; every task has its list'])
    """
    require_path("path", path)
    name, wanted = os.fspath(path), tasks_of(tasks)
    inputs = sum(len(task.test) for task in wanted)
    try:
        data = read_json(Path(name))
    except TaskError as error:
        return SubmissionCheck(name, len(wanted), inputs, (str(error),))
    faults = tuple(f"{name}: {fault}" for fault in _faults(data, wanted))
    remarks = tuple(f"{name}: {remark}" for remark in _remarks(data, wanted))
    return SubmissionCheck(name, len(wanted), inputs, faults, remarks)


def require_sound(path: str | os.PathLike[str], tasks: GivenTasks) -> SubmissionCheck:
    """Check a file that was just written; a fault raises an error."""
    check = check_submission(path, tasks)
    if not check.ok:
        raise TaskError(f"{check.faults[0]}; {plural(len(check.faults), 'fault')} in all")
    return check


def _faults(data: object, tasks: TaskSet) -> Iterator[str]:
    if not isinstance(data, dict):
        yield f"is {describe(data)}; {FORM}"
        return
    for task_id in data:
        if task_id not in tasks:
            yield f"task {shorten(task_id)}: is none of the tasks of {tasks.name}; leave it out"
    for task in tasks:
        place = f"task {shorten(task.id)}"
        if task.id not in data:
            yield f"{place}: is missing; every task has its list"
        else:
            yield from (f"{place}: {fault}" for fault in _task_faults(data[task.id], len(task.test)))


def _task_faults(entries: object, inputs: int) -> Iterator[str]:
    if not isinstance(entries, list):
        yield f"is {describe(entries)}, not a list with {ENTRY} for each test input"
        return
    if len(entries) != inputs:
        counts = "1 entry" if len(entries) == 1 else f"{len(entries)} entries"
        yield f"has {counts} for {plural(inputs, 'test input')}; there must be one for each, in order"
    for number, entry in enumerate(entries, 1):
        yield from (f"test {number}: {fault}" for fault in _entry_faults(entry))


def _entry_faults(entry: object) -> Iterator[str]:
    if not isinstance(entry, dict):
        yield f"is {describe(entry)}, not {ENTRY}"
        return
    for key in entry:
        if key not in ATTEMPT_NAMES:
            yield f'the key "{shorten(key)}" is unknown; an entry is {ENTRY}'
    for key in ATTEMPT_NAMES:
        fault = grid_fault(entry[key]) if key in entry else f"is missing; an entry is {ENTRY}"
        if fault is not None:
            yield f"{key}: {fault}"


def _remarks(data: object, tasks: TaskSet) -> Iterator[str]:
    """Remarks about attempts that are allowed but wasted."""
    if not isinstance(data, dict):
        return
    equal = [
        f"task {shorten(task.id)} test {number}"
        for task in tasks
        for number, entry in enumerate(_entries(data.get(task.id)), 1)
        if isinstance(entry, dict) and all(name in entry for name in ATTEMPT_NAMES)
        if entry[ATTEMPT_NAMES[0]] == entry[ATTEMPT_NAMES[1]]
    ]
    if equal:
        have = "1 test input has" if len(equal) == 1 else f"{len(equal):,} test inputs have"
        yield f"{have} two equal attempts, so that one is wasted; the first is {equal[0]}"


def _entries(data: object) -> list[object]:
    return data if isinstance(data, list) else []
