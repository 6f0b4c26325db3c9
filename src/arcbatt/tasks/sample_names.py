"""The names of samples, `demo 1` and `test 1`, and their indices."""

import re

from arcbatt.arguments import shown
from arcbatt.errors import ArcbattError
from arcbatt.tasks.tasks import Task
from arcbatt.text import plural, shorten

_NAME = re.compile(r"(demo|test)\s*0*([1-9][0-9]{0,8})")


def sample_number(task: Task, sample: int | str) -> int:
    """The index in `task.samples` that a number or a name means.

    >>> from arcbatt.tasks import Sample
    >>> task = Task("t", demo=(Sample(((1,),), ((1,),)),), test=(Sample(((2,),), None),))
    >>> sample_number(task, 1), sample_number(task, "demo 1"), sample_number(task, "test1")
    (1, 0, 1)
    """
    found = _NAME.fullmatch(sample.strip().lower()) if isinstance(sample, str) else None
    number = -1
    if found:
        inside = int(found[2]) - 1
        half = task.demo if found[1] == "demo" else task.test
        number = inside + (0 if found[1] == "demo" else len(task.demo)) if inside < len(half) else -1
    elif type(sample) is int:
        number = sample
    if not 0 <= number < len(task.samples):
        asked = shorten(sample) if isinstance(sample, str) else shown(sample)
        raise ArcbattError(
            f"task {shorten(task.id)} has no sample {asked}; "
            f"it has {len(task.demo)} demo and {plural(len(task.test), 'test')}: {_names(task)}"
        )
    return number


def _names(task: Task) -> str:
    halves = (("demo", len(task.demo)), ("test", len(task.test)))
    return " and ".join(
        f"{name} 1" if count == 1 else f"{name} 1 to {name} {count}" for name, count in halves if count
    )


def sample_name(task: Task, number: int) -> str:
    """The name of the sample with this index in `task.samples`.

    >>> sample_name(Task("t", demo=(), test=()), 0)
    'test 1'
    """
    demo = len(task.demo)
    return name_in_half("demo", number) if number < demo else name_in_half("test", number - demo)


def name_in_half(half: str, number: int) -> str:
    """The name of the sample with this index among the demo or the test samples.

    >>> name_in_half("demo", 0)
    'demo 1'
    """
    return f"{half} {number + 1}"
