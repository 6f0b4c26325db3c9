"""Every public function, class and method, fed with foreign objects, answers with a value or one sentence."""

import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import arcbatt as ab
import arcbatt.tasks
from arcbatt.batt import scoring
from arcbatt.engine.backend import RunOptions
from support.foreign import FOREIGN
from support.sentences import require_one_sentence

GRID = ((1, 2), (3, 4))
TASK = ab.Task("one", demo=(ab.Sample(GRID, GRID),), test=(ab.Sample(GRID, None),))
SOURCE = "def solve_one(I): return rot90(I)\ndef differ_x(S, I, C): return astuple(ONE, size(S))"
PROGRAM, DIFFER = ab.parse_programs(SOURCE)
BATT = ab.merge([PROGRAM])
SCORES = scoring.score([PROGRAM], TASK, [DIFFER], "all")
RESULTS = ab.run(PROGRAM, TASK, "all")
CHANGE = ab.Change(PROGRAM.root, PROGRAM.root)
TRACE = ab.trace(PROGRAM, TASK)
FAILED = ab.trace("def solve_one(I): return divide(ONE, ZERO)", TASK).failure


# What is right for a parameter, by its name, or by the names of the callable and the parameter.
RIGHT: dict[str, Any] = {
    **dict.fromkeys(("task", "tasks", "spec", "total_data", "item", "key"), TASK),
    **dict.fromkeys(("solvers", "programs", "seeds"), (PROGRAM,)),
    **dict.fromkeys(("program", "asked", "partner", "parent", "solver"), PROGRAM),
    **dict.fromkeys(("root", "before", "after"), PROGRAM.root),
    **dict.fromkeys(("demo", "test"), ((GRID, GRID),)),
    **dict.fromkeys(("input", "grid", "value", "argument", "resident", "I", "C"), GRID),
    **dict.fromkeys(("count", "most", "steps", "t_num", "batch_idx", "sample_idx", "task_idx", "seed"), 2),
    **dict.fromkeys(("cost", "layers", "demos", "native", "reference", "seconds", "at_least"), 1),
    **dict.fromkeys(("funcs", "func", "functions"), ab.fn("identity")),
    **dict.fromkeys(("grids", "elements", "containers", "tuples", "args", "columns"), (GRID,)),
    **dict.fromkeys(("objects", "patches"), (frozenset({(1, (0, 0))}),)),
    **dict.fromkeys(("colors", "replacees", "replacers", "kinds"), 1),
    **dict.fromkeys(("o_result", "s_result", "results", "inputs", "outputs", "others", "changes"), ()),
    **dict.fromkeys(("S", "batch"), ()),
    "text": SOURCE,
    "batt": BATT,
    "differs": [DIFFER],
    "limits": ab.Limits(),
    "terms": ab.Terms(),
    "record": RESULTS.records["one"],
    "scores": SCORES,
    "scorer": SCORES.scorer,
    "op": "add",
    "op_name": "rot90",
    "name": "rot90",
    "names": (),
    "ids": "one",
    "id": "one",
    "task_id": "one",
    "style": "pile",
    "data": 5,
    "kind": "solver",
    "settings": {},
    "path": "missing",
    "file": "written",
    "predictions": {},
    "sample_type": "demo",
    "source": "search",
    "provenance": {},
    "also": lambda: True,
    "body": len,
    "stats": RESULTS.stats,
    "rerun": len,
    "options": RunOptions(),
    "pile": [abs, 1],
    "isok": True,
    "function": abs,
    "ok": True,
    "t": 1,
    "failed": False,
    "backend": "reference",
    "sample": 0,
    "line": 1,
    "library": "pandas",
    "sources": [PROGRAM],
    "thing": TASK,
    "report.source": RESULTS,
    "report.path": "page.html",
    "submit.path": None,
    "save_picture.path": "task.svg",
    "Archive.add.results": RESULTS,
    "Failure.kind": "TYPE",
    "Program.inputs": ("I",),
    "Env.run.arguments": (1,),
    "GPUEnv.run.arguments": (1,),
    "Terms.from_settings.settings": ab.Terms().settings,
    "call.arguments": 1,
    "fn.parts": ab.fn("add"),
    "fn.name": "lbind",
}
# Objects that public functions give and nobody makes but arcbatt; their methods are public, too.
GIVEN: dict[str, Any] = {
    "Scores": SCORES,
    "Scorer": SCORES.scorer,
    "Trace": TRACE,
    "TraceStep": TRACE.steps[0],
    "FailedApplication": FAILED,
}
# Arguments that keep calls short.
ALWAYS: dict[str, dict[str, Any]] = {
    "solve": {"steps": 5, "threads": 1, "library": False},
    "evolve": {"steps": 5, "workers": 1, "seeds": [PROGRAM]},
    "submit": {"path": None, "threads": 1},
    "MegaBatchCoordinator": {"batt_module_name": BATT, "max_workers": 1},
}
# Functions of the user, whose exceptions are the user's.
CALLBACKS = {"also", "upload", "download", "is_value", "outputs", "rerun", "known"}
# Methods that raise what the function raises that they are given.
EXEMPT = {"Env.run", "GPUEnv.run"}
ENDLESS = 5  # items of an iterator that are looked at


class Use(NamedTuple):
    """A callable by its name, and a parameter of it."""

    name: str
    parameter: str

    def __str__(self) -> str:
        return f"{self.name}({self.parameter})"


def public() -> dict[str, Any]:
    """The public names, but for exceptions, which nobody makes but arcbatt, and types."""
    found = {name: getattr(ab, name) for name in ab.__all__}
    found |= {name: getattr(arcbatt.tasks, name) for name in arcbatt.tasks.__all__}
    found |= {"score": scoring.score, "select": scoring.select}
    return {
        name: thing
        for name, thing in found.items()
        if callable(thing)
        and not (isinstance(thing, type) and issubclass(thing, BaseException))
        and not hasattr(thing, "__origin__")
    }


def methods(kind: type[Any]) -> Iterator[str]:
    """The public methods of a class that are written in Python."""
    for name, member in inspect.getmembers(kind):
        is_public = not name.startswith("_") or name in ("__getitem__", "__contains__", "__call__")
        if is_public and (inspect.isfunction(member) or inspect.ismethod(member)):
            yield name


def parameters(name: str, function: Any) -> Iterator[Use]:
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name != "self":
            yield Use(name, parameter.name)


def uses() -> Iterator[Use]:
    for name, thing in public().items():
        if name in GIVEN:
            continue
        yield from parameters(name, thing)
        if isinstance(thing, type):
            for method in methods(thing):
                if f"{name}.{method}" not in EXEMPT:
                    yield from parameters(f"{name}.{method}", getattr(thing, method))
    for name, thing in GIVEN.items():
        for method in methods(type(thing)):
            yield from parameters(f"{name}.{method}", getattr(thing, method))


def right(name: str, parameter: str) -> Any:
    """What is right for a parameter."""
    full = f"{name}.{parameter}"
    if full in RIGHT:
        return RIGHT[full]
    assert parameter in RIGHT, f"RIGHT must say what is right for {full}"
    return RIGHT[parameter]


def call(name: str, function: Callable[..., Any], /, **given: Any) -> Any:
    """Call a function with the arguments given, and right ones for the other parameters that need some."""
    positional: list[Any] = []
    named: dict[str, Any] = {}
    given = ALWAYS.get(name, {}) | given
    for parameter in inspect.signature(function).parameters.values():
        is_needed = parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
        if parameter.name not in given and not is_needed:
            continue
        value = given[parameter.name] if parameter.name in given else right(name, parameter.name)
        by_name = parameter.kind is parameter.KEYWORD_ONLY or len(positional) < place_of(function, parameter)
        if parameter.kind is parameter.VAR_KEYWORD:
            named["name"] = value
        elif by_name:
            named[parameter.name] = value
        else:
            positional.append(value)
    return function(*positional, **named)


def place_of(function: Callable[..., Any], parameter: inspect.Parameter) -> int:
    return list(inspect.signature(function).parameters).index(parameter.name)


def look_at(result: Any) -> None:
    """Enter a context, and go a few steps with an iterator: much is computed only then."""
    if isinstance(result, AbstractContextManager):
        with result:
            pass
    elif isinstance(result, Iterator):
        list(islice(result, ENDLESS))


@cache
def instance(name: str) -> Any:
    return GIVEN[name] if name in GIVEN else call(name, public()[name])


def answers(use: Use, given: Any) -> None:
    """Call with a foreign object; anything but a value or one sentence of ours raises an exception."""
    name, _, method = use.name.partition(".")
    function = getattr(instance(name), method) if method else public()[name]
    try:
        result = call(use.name, function, **{use.parameter: given})
        if result is not given:
            look_at(result)
    except ab.ArcbattError as error:
        require_one_sentence(error)
    except Exception:
        is_callback = use.parameter in CALLBACKS or use.parameter.startswith("on_")
        if not (is_callback and callable(given)):  # what a function of the user raises is the user's
            raise


@pytest.mark.parametrize("use", list(uses()), ids=str)
def test_foreign_objects_are_answered_with_a_value_or_a_sentence(
    use: Use, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, made in FOREIGN.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                answers(use, made())
            except Exception as error:
                raise AssertionError(f"{use} answers {name} with {type(error).__name__}: {error}") from error
