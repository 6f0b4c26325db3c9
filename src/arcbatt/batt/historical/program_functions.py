"""Programs of the library as Python functions of S, I and C, which the engine runs.

>>> function_of("solvers", "solve_67a3c6ac")((), ((1, 2), (3, 4)), None)
((2, 1), (4, 3))
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from arcbatt.batt.coordinator import MegaBatchCoordinator
from arcbatt.library import LibraryKind, load_library
from arcbatt.program.graph import Program
from arcbatt.program.merge import batt_of


@cache
def _library(kind: LibraryKind) -> dict[str, Program]:
    return {program.id: program for program in load_library(kind)}


def names_of(kind: LibraryKind) -> list[str]:
    """The names of all solvers or all differs."""
    return list(_library(kind))


@cache
def function_of(kind: LibraryKind, name: str) -> Callable[..., Any]:
    """A solver or differ by its name. A line that fails gives its typed default."""
    program = _library(kind).get(name)
    if program is None:
        raise AttributeError(f"the library has no {name!r} among its {kind}")
    batt = batt_of([program], []) if kind == "solvers" else batt_of([], [program])
    made: list[MegaBatchCoordinator] = []

    def function(S: Any, I: Any, C: Any = None) -> Any:
        if not made:
            made.append(MegaBatchCoordinator(batt, enable_gpu=False))
        o, s = made[0].batt(name, S, I, C, None)
        ((*_, value),) = o + s
        return value

    function.__name__ = function.__qualname__ = name
    function.__doc__ = str(program)
    return function
