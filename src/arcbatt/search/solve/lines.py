"""The tasks of a search as lines of JSON, written as they get further; a file of them can be resumed."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from arcbatt.archive.rows.tasks import digest_of_task
from arcbatt.archive.terms import canonical, digest_of
from arcbatt.errors import ArcbattError
from arcbatt.files import LineFile, write_whole
from arcbatt.outlet.known_lines import ANOTHER, is_unfinished
from arcbatt.search.solve.solution import SearchStage, TaskAnswers, task_answers_from
from arcbatt.signals import defer_interrupts
from arcbatt.tasks import Task
from arcbatt.text import shorten

STANDARD_OUTPUT = "-"
KEY_DIGITS = 16


class TaskLines:
    """A file of tasks, one a line; each has a key besides its answers: a digest of task and settings.

    A task that gets further has another line, which counts in place of those before it. With `resume` the
    lines that the file holds already are kept, and `known` has how far their tasks are. In the end each task
    has one line, in the order of the tasks. Standard output has one line a task from the beginning: when the
    task is done, or at the end.
    """

    def __init__(self, name: str, tasks: Sequence[Task], settings: Mapping[str, Any], resume: bool) -> None:
        self._name = name
        identity = canonical(dict(settings))
        self._keys = {
            task.id: digest_of(f"{digest_of_task(task).hex()} {identity}")[:KEY_DIGITS] for task in tasks
        }
        self._lines: dict[str, bytes] = {}  # the last of each task; empty once it is printed
        self._is_final = True  # the file has no line that a later one stands for
        self.known: dict[str, TaskAnswers] = {}
        self._kept = b""
        self._file: LineFile | None = None
        if name == STANDARD_OUTPUT:
            return
        if resume and Path(name).is_file():
            self._read({task.id: task for task in tasks})
        elif not resume and Path(name).is_file() and is_unfinished(name):
            raise ArcbattError(
                f"{name}: holds results of a run that was not finished; --resume goes on with it, or remove "
                "the file to start anew"
            )
        self._kept = b"".join(self._lines.values())  # are written with the first new line
        self._file = LineFile(name)

    def _read(self, tasks: Mapping[str, Task]) -> None:
        """Read the whole lines of a file; all must be of this search."""
        try:
            content = Path(self._name).read_bytes()
        except OSError as error:
            raise ArcbattError(f"{self._name}: cannot be read: {error.strerror or error}") from None
        for number, line in enumerate(content.splitlines(keepends=True), 1):
            if not line.endswith(b"\n"):
                return
            try:
                row = json.loads(line)
                if row.keys() == {"summary"}:
                    continue
                task_id = str(row["task"])
                if self._keys.get(task_id) != row["key"]:
                    raise self._refused(number, f"has task {shorten(task_id)} with other settings or content")
                self.known[task_id] = task_answers_from(tasks[task_id], row)
            except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
                raise self._refused(number, "is no task of a search") from None
            self._lines[task_id] = line

    def _refused(self, number: int, what: str) -> ArcbattError:
        return ArcbattError(f"{self._name}:{number}: {what}; {ANOTHER}")

    def write(self, found: TaskAnswers) -> None:
        """Write how far a task is, unless it has nothing to tell or the file holds just this line already."""
        name = found.task.id
        if found.stage < SearchStage.small and not found.answers:
            return
        line = json.dumps(found.as_json() | {"key": self._keys[name]}).encode() + b"\n"
        if self._lines.get(name) == line:
            return
        with defer_interrupts():
            if self._file is not None:
                self._append(self._file, line)
                self._is_final = self._is_final and name not in self._lines
            elif found.is_over:
                self._print(line)
                line = b""
            self._lines[name] = line

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Write the summary; if the file is not yet one line a task in their order, make it so first."""
        last = json.dumps({"summary": dict(summary)}).encode() + b"\n"
        ordered = [name for name in self._keys if name in self._lines]
        if self._file is None:
            for name in ordered:
                self._print(self._lines[name])
            self._print(last)
        elif (self._is_final and ordered == list(self._lines)) or not Path(self._name).is_file():
            self._append(self._file, last)
            self.close()
        else:
            self.close()
            write_whole(self._name, [*(self._lines[name] for name in ordered), last])

    def _append(self, file: LineFile, line: bytes) -> None:
        file.write(self._kept + line)
        self._kept = b""

    @staticmethod
    def _print(line: bytes) -> None:
        sys.stdout.write(line.decode())
        sys.stdout.flush()

    def close(self) -> None:
        """Close the file as it is."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> "TaskLines":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
