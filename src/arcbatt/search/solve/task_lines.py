"""The tasks of a search as lines of JSON, written as they get further; a file of them can be resumed."""

from collections.abc import Mapping, Sequence
from typing import Any

from arcbatt.archive.rows.tasks import digest_of_task
from arcbatt.archive.terms import digest_of
from arcbatt.json_lines import ResumableLines, Row, RowRefused, canonical, json_line
from arcbatt.search.solve.solution import SearchStage, TaskAnswers, task_answers_from
from arcbatt.signals import defer_interrupts
from arcbatt.tasks import Task
from arcbatt.text import shorten

KEY_DIGITS = 16


class TaskLines:
    """A file of tasks, one a line; each has a key besides its answers: a digest of task and settings.

    A task that gets further has another line, which counts in place of those before it. With `resume` the
    lines that the file holds already are kept, and `known` has how far their tasks are. In the end each task
    has one line, in the order of the tasks. Standard output has one line a task from the beginning: when the
    task is done, or at the end.
    """

    def __init__(self, name: str, tasks: Sequence[Task], settings: Mapping[str, Any], resume: bool) -> None:
        identity = canonical(dict(settings))
        self._keys = {
            task.id: digest_of(f"{digest_of_task(task).hex()} {identity}")[:KEY_DIGITS] for task in tasks
        }
        self._tasks = {task.id: (number, task) for number, task in enumerate(tasks)}
        self._last: dict[str, bytes] = {}  # the last line of each task
        self._waiting: dict[str, bytes] = {}  # those for standard output whose tasks are not done
        self.known: dict[str, TaskAnswers] = {}
        self._lines = ResumableLines(name, resume, self._number_of, "task of a search", last_counts=True)

    def _number_of(self, row: Row, line: bytes) -> int:
        """The number of the task that a line of an earlier search tells."""
        task_id = str(row["task"])
        if self._keys.get(task_id) != row["key"]:
            raise RowRefused(f"has task {shorten(task_id)} with other settings or content")
        number, task = self._tasks[task_id]
        self.known[task_id] = task_answers_from(task, row)
        self._last[task_id] = line
        return number

    def write(self, found: TaskAnswers) -> None:
        """Write how far a task is, unless it has nothing to tell or the file holds just this line already."""
        name = found.task.id
        if found.stage < SearchStage.small and not found.answers:
            return
        line = json_line(found.as_json() | {"key": self._keys[name]})
        if self._last.get(name) == line:
            return
        with defer_interrupts():
            if self._lines.is_stdout and not found.is_over:
                self._waiting[name] = line
            else:
                self._lines.add([(self._tasks[name][0], line)])
                self._waiting.pop(name, None)
            self._last[name] = line

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Write the summary, and close the file, which has one line a task in their order then."""
        left = [(number, name) for name, (number, _) in self._tasks.items() if name in self._waiting]
        self._lines.add((number, self._waiting[name]) for number, name in left)
        self._lines.finish(summary)

    def close(self) -> None:
        """Close the file as it is."""
        self._lines.close()

    def __enter__(self) -> "TaskLines":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
