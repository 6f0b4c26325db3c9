"""Batt functions to run in a context, and texts of our own imported from files."""

import importlib.util
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import arcbatt as ab
from arcbatt.batt.callables import ops_run_by
from arcbatt.batt.direct import original_of
from arcbatt.batt.runtime import (
    ONE,
    ORIGIN,
    TWO,
    ZERO,
    Env,
    add,
    asindices,
    crop,
    difference,
    divide,
    hmirror,
    o_g,
    rot90,
)
from arcbatt.dsl.types import Grid, Integer
from arcbatt.library import load_library
from arcbatt.program.batt_files.write import batt_source
from arcbatt.program.graph import Style
from arcbatt.program.merge import batt_of

Arguments = tuple[str, Any, Any, Any, str | None]
Load = Callable[[str], ModuleType]


def some_calls() -> list[Arguments]:
    """Calls on samples of a few tasks, some of them without the expected output."""
    return [
        (task.id, task.pairs, given, None if number % 3 == 1 else expected, None)
        for task in list(ab.load_tasks("arc1/training"))[:6]
        for number, (given, expected) in enumerate(task.samples)
    ]


def importer(folder: Path) -> Load:
    """Imports texts, each from a file of its own in a folder."""
    numbers = count()

    def imported(text: str) -> ModuleType:
        path = folder / f"batt_{next(numbers)}.py"
        path.write_text(text, "utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return imported


def text_of(number: int, style: Style) -> str:
    """A batt of a few programs of the library, others for each number."""
    solvers = load_library("solvers")[4 * number : 4 * number + 4]
    return batt_source(batt_of(solvers, load_library("differs")[:2]), style)


def piled(task_id, S, I, C, log_path):
    """Lines that fail at once, in kinds that have a stand-in and kinds that have none."""
    s = []
    o = []
    env = Env(7, task_id, S, log_path)
    t1 = env.do_pile(1, [crop, I, ORIGIN, TWO], True)
    t2 = env.do_pile(2, [o_g, t1.t, TWO], t1.ok)
    t3 = env.do_pile(3, [asindices, C], True)
    t4 = env.do_pile(4, [difference, t3.t, t2.t], t3.ok and t2.ok)
    t5 = env.do_pile(5, [divide, ONE, ZERO], True)
    t6 = env.do_pile(6, [rot90, I], True)
    t7 = env.do_pile(7, [asindices, t5.t], t5.ok)
    o.append((6, False, "one#2", t6))
    o.append((1, True, "two", t1))
    s.append((4, "None", "differ_a", t4))
    s.append((7, "one", "differ_b", t7))
    return o, s


def looping(task_id, S, I, C, log_path):
    """No straight-line function."""
    o = []
    for number in range(2):
        o += [(number, False, "x", add(number, ONE))]
    return o, []


def brighten(grid: Grid, by: Integer) -> Grid:
    """Every colour raised."""
    return tuple(tuple(color + by for color in row) for row in grid)


def brightened(task_id, S, I, C, log_path):
    """A batt with an op of a user's own."""
    s = []
    o = []
    env = Env(0, task_id, S, log_path)
    t1 = env.do_pile(1, [brighten, I, ONE], True)
    t2 = env.do_pile(2, [hmirror, t1.t], t1.ok)
    o.append((2, False, "x", t2))
    return o, s


def plainly(function: Callable[..., Any], calls: Sequence[Any]) -> list[Any]:
    """The results of calls as plain Python, also inside a context."""
    with ops_run_by(None):
        return [original_of(function)(*arguments) for arguments in calls]


def values(result: Any) -> list[Any]:
    return [entry[-1] for entries in result for entry in entries]
