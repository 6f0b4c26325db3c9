"""The programs and tasks of a file of results, which contains only their names and keys."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from arcbatt.archive.terms import Terms
from arcbatt.engine.backend import FailureMode
from arcbatt.errors import TaskError
from arcbatt.library import load_library
from arcbatt.program.graph import Program
from arcbatt.program.merge import merge
from arcbatt.results.result_keys import Keys, digest_of_differs, scoring_differs
from arcbatt.tasks import Task, load_tasks
from arcbatt.tasks.published import published_task
from arcbatt.text import plural, shorten
from arcbatt.view.report.findings import Origin

DEFAULT_TASKS = "arc1/training"


class ReportSettings(NamedTuple):
    """The settings with which the results of a file may have been found, and their keys."""

    on_failure: FailureMode
    keys: Keys


class ProgramFinder:
    """Finds programs by name and key: a key distinguishes program, task and settings.

    >>> (program,) = load_library()[:1]
    >>> task = load_tasks("00d62c1b")[0]
    >>> key = Keys(Terms()).of(program, task)
    >>> programs = ProgramFinder([program])
    >>> programs.find(program.name, task, key) == program
    True
    >>> programs.find(program.name, task, "0" * 16) is None
    True
    """

    def __init__(self, programs: Iterable[Program] | None = None) -> None:
        self.origin: Origin = "library" if programs is None else "file"
        given = list(load_library()) if programs is None else list(programs)
        self._by_name: dict[str, list[Program]] = {}
        for program in merge(program for program in given if program.kind == "solver"):
            self._by_name.setdefault(program.name, []).append(program)
        self._settings = list(_settings(given))
        self.missed: set[str] = set()  # names without a program
        self.others: set[str] = set()  # names whose keys belong to other programs, tasks or settings

    @property
    def on_failure(self) -> FailureMode:
        """The failure mode of the results that were found last."""
        return self._settings[0].on_failure

    def find(self, name: str, task: Task | None, key: str) -> Program | None:
        """The program of a line, if it is found."""
        namesakes = self._by_name.get(name)
        if namesakes is None:
            self.missed.add(name)
            return None
        found = None if task is None else self._fitting(namesakes, task, key)
        if found is None:
            self.others.add(name)
        return found

    def _fitting(self, namesakes: Sequence[Program], task: Task, key: str) -> Program | None:
        for place, settings in enumerate(self._settings):
            for program in namesakes:
                if settings.keys.of(program, task) == key:
                    if place:  # most probably the next line has the same settings
                        self._settings.insert(0, self._settings.pop(place))
                    return program
        return None


def _settings(programs: Sequence[Program]) -> Iterable[ReportSettings]:
    """The usual settings of `run` and of `run-batt`, whose keys depend on the differs of the batt."""
    digest = digest_of_differs(scoring_differs(programs))
    modes: tuple[FailureMode, FailureMode] = ("fail", "default")
    for mode in modes:
        yield ReportSettings(mode, Keys(Terms(mode)))
    for mode in modes:
        yield ReportSettings(mode, Keys(Terms(mode, tells_failures=mode == "default"), digest))


class TaskFinder:
    """Tasks by id: given ones, or else published ones.

    >>> TaskFinder().find("00d62c1b", demo=5, test=1)
    Task('00d62c1b', 5 demo, 1 test)
    """

    def __init__(self, tasks: Iterable[Task] | None = None) -> None:
        self._may_look_up = tasks is None
        given = load_tasks(DEFAULT_TASKS) if tasks is None else tasks
        self._found: dict[str, Task | None] = {task.id: task for task in given}
        self.missed: set[str] = set()

    def find(self, task_id: str, demo: int, test: int) -> Task | None:
        """The task with an id and these numbers of samples, if it is found."""
        task = self.find_any(task_id)
        if task is not None and (len(task.demo), len(task.test)) != (demo, test):
            self.missed.add(task_id)
            return None
        return task

    def find_any(self, task_id: str) -> Task | None:
        """The task with an id, if it is found."""
        if task_id not in self._found and self._may_look_up:
            self._found[task_id] = _published(task_id)
        task = self._found.get(task_id)
        if task is None:
            self.missed.add(task_id)
        return task


def _published(task_id: str) -> Task | None:
    try:
        return published_task(task_id)
    except TaskError:
        return None


def notes(programs: ProgramFinder, tasks: TaskFinder) -> list[str]:
    """Sentences on the programs and tasks that were not found."""
    causes = {
        "task without pictures": (tasks.missed, "not among the tasks at hand; --tasks SPEC names others"),
        "program with verdicts only": (
            programs.missed,
            "not among the programs at hand; --programs FILE names a file of programs",
        ),
        "program with some verdicts only": (
            programs.others,
            "results of another program of that name, of another task or of other settings",
        ),
    }
    return [_note(what, names, why) for what, (names, why) in causes.items() if names]


def _note(what: str, names: set[str], why: str) -> str:
    """A note about names with a common flaw.

    >>> _note("task without pictures", {"a", "b"}, "not there")
    '2 tasks without pictures, such as a: not there.'
    """
    noun, _, rest = what.partition(" ")
    return f"{plural(len(names), noun)} {rest}, such as {shorten(min(names))}: {why}."
