"""Programs that have no task to run on: which they are, where their tasks are, and what would run them."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from arcbatt.errors import TaskError
from arcbatt.program.graph import Program
from arcbatt.tasks import Task
from arcbatt.tasks.published import published_set_of, published_task_ids
from arcbatt.tasks.tasks import nearest_ids
from arcbatt.text import shorten


@dataclass(frozen=True)
class Wording:
    """How an interface asks for all pairs, for a published set, and for more tasks of a set."""

    pairs: str
    set: str
    more: str


PYTHON = Wording('pairs="all"', 'give load_tasks("{}")', "give more tasks of it")


def nothing_to_run(
    programs: Iterable[Program], tasks: Iterable[Task], name: str = "", wording: Wording = PYTHON
) -> str:
    """The sentence that says why a run has nothing to do; `name` is that of the set of tasks.

    >>> from arcbatt.program.parse import parse_programs
    >>> programs = parse_programs("def turn(I): return rot90(I)")
    >>> nothing_to_run(programs, load_tasks("00d62c1b"))
    'no program runs on any of the tasks: turn has no task id in its name; pairs="all" runs it on every task'
    """
    given, todo = list(programs), list(tasks)
    if not given:
        return "there are no programs to run; give some"
    if not todo:
        return "there are no tasks to run programs on; give some"
    return f"no program runs on any of the tasks: {'; '.join(idle(given, todo, name, wording))}"


def idle(
    programs: Iterable[Program], tasks: Iterable[Task], name: str = "", wording: Wording = PYTHON
) -> Iterator[str]:
    """Sentences about the programs that have no task among some, grouped by where their tasks are."""
    here = {task.id: None for task in tasks}
    nameless: list[Program] = []
    foreign: dict[str | None, list[Program]] = {}
    for program in programs:
        if program.task_id is None:
            nameless.append(program)
        elif program.task_id not in here:
            foreign.setdefault(_place(program.task_id), []).append(program)
    if nameless:
        one = len(nameless) == 1
        have, them = ("has no task id in its name", "it") if one else ("have no task ids", "them")
        yield f"{_names(nameless)} {have}; {wording.pairs} runs {them} on every task"
    for place, some in foreign.items():
        yield _away(some, place, here, wording.more if place == name else wording.set.format(place))


def _place(task_id: str) -> str | None:
    """The published set of a task, if there is one."""
    with suppress(TaskError):  # the published sets cannot be loaded here
        return published_set_of(task_id)
    return None


def _away(programs: Sequence[Program], place: str | None, here: Iterable[str], way: str) -> str:
    """The sentence about programs whose tasks are in another set, or nowhere."""
    if place is not None:
        verb, tasks = ("are", "tasks") if len(programs) > 1 else ("is", "a task")
        return f"{_names(programs)} {verb} for {tasks} of {place}; {way}"
    known = dict.fromkeys(here)
    with suppress(TaskError):
        known |= dict.fromkeys(published_task_ids())
    task_id = programs[0].task_id or ""
    near = nearest_ids(task_id, known)
    nowhere = f"there is no task {shorten(task_id)} among these nor in the published sets"
    return f"{_names(programs)}: {nowhere}{f'; {near}' if near else ''}"


def _names(programs: Sequence[Program]) -> str:
    """Some programs, the first by its name."""
    rest = len(programs) - 1
    return f"{shorten(programs[0].name)}{f' and {rest:,} more' if rest else ''}"
