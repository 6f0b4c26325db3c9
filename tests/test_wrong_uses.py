"""Wrong uses of the public interface: each is answered with one sentence, never with a raw exception."""

from collections.abc import Callable
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.tasks import Sample

GRID = ((1, 2), (3, 4))
TASK = ab.Task("one", demo=(Sample(GRID, GRID),), test=())
(PROGRAM,) = ab.parse_programs("def solve_x(I): return rot90(I)")
NO_TEXT = (None, 5, b"", [])
NO_PATH = (None, 5, 1.5, ["a"])
NO_PROGRAMS = (None, 5, "x", [1], ["x"], [None], [PROGRAM, 1])
NO_FUNCTION = (None, 5, "x")


class ReprFails:
    def __repr__(self) -> str:
        raise RuntimeError


def entered(context: Any) -> None:
    with context:
        pass


USES: list[tuple[str, Callable[[Any], object], tuple[Any, ...]]] = [
    ("call(x)", ab.call, (None, 5, b"add", ["add"], {}, ReprFails(), "nope")),
    ("call(add, x, 1)", lambda x: ab.call("add", x, 1), (None, "1", 1.5, {}, len, ReprFails())),
    ("call(backend=x)", lambda x: ab.call("add", 1, 1, backend=x), (None, 5, ["native"], "fast")),
    ("call(limits=x)", lambda x: ab.call("add", 1, 1, limits=x), (None, 5, {})),
    ("run(x, task)", lambda x: ab.run(x, TASK), NO_PROGRAMS),
    ("run(program, x)", lambda x: ab.run(PROGRAM, x), (None, 5, "00d62c1c", [5], [TASK, None], ReprFails())),
    ("run(pairs=x)", lambda x: ab.run(PROGRAM, TASK, pairs=x), (None, 5, ["all"], "some")),
    ("run(backend=x)", lambda x: ab.run(PROGRAM, TASK, backend=x), (None, 5, [], "fast")),
    ("run(threads=x)", lambda x: ab.run(PROGRAM, TASK, threads=x), ("2", 1.5, 0, -1)),
    ("run(on_failure=x)", lambda x: ab.run(PROGRAM, TASK, on_failure=x), (None, 5, [])),
    ("run(limits=x)", lambda x: ab.run(PROGRAM, TASK, limits=x), (None, 5)),
    ("run(on_task=x)", lambda x: ab.run(PROGRAM, TASK, "all", on_task=x), (5, "x")),
    ("run(on_record=x)", lambda x: ab.run(PROGRAM, TASK, "all", on_record=x), (5, "x")),
    (
        "results[x]",
        lambda x: ab.run(PROGRAM, TASK, "all")[x],
        (5, PROGRAM, (PROGRAM, 5), ("a", "b"), ([], [])),
    ),
    ("merge(x)", ab.merge, NO_PROGRAMS),
    ("batt_of(x, ())", lambda x: ab.batt_of(x, ()), NO_PROGRAMS),
    ("batt_of((), x)", lambda x: ab.batt_of((), x), NO_PROGRAMS),
    ("batt_source(x)", lambda x: ab.batt_source(x, "pile"), (None, 5, [PROGRAM])),
    ("batt_source(style=x)", lambda x: ab.batt_source(ab.merge([PROGRAM]), x), (None, 5, "odd")),
    ("parse_programs(x)", ab.parse_programs, (*NO_TEXT, "", "x = '\ud800'")),
    ("parse_programs(file=x)", lambda x: ab.parse_programs("def s(I): return I", x), NO_PATH),
    ("parse_batt(x)", ab.parse_batt, (*NO_TEXT, "", "x = '\ud800'")),
    ("load_programs(x)", ab.load_programs, (*NO_PATH, "", "a\0b", b"missing")),
    ("load_batt(x)", ab.load_batt, (*NO_PATH, "", "a\0b", b"missing")),
    ("load_tasks(x)", ab.load_tasks, (*NO_PATH, "", "a\0b", b"missing")),
    ("encode(x)", ab.encode, (None, "a", (len,), 1 << 40)),
    (
        "decode(x)",
        ab.decode,
        (None, "x", {"f": []}, {"f": [5]}, {"f": [["add"]]}, {"g": [None]}),
    ),
    ("fn(x)", ab.fn, (*NO_TEXT, "nope")),
    ("fn(add, x)", lambda x: ab.fn("add", x), (1, None)),
    ("fn(compose, x, x)", lambda x: ab.fn("compose", x, x), (1, None, ab.fn("add"))),
    ("register_op(x)", ab.register_op, (*NO_FUNCTION, print, lambda x: x)),
    ("register_op(name=x)", lambda x: ab.register_op(lambda y: y, name=x), (5, [1], "a b")),
    ("unregister_op(x)", ab.unregister_op, (*NO_TEXT, "nope", "add")),
    ("own_ops(x)", lambda x: entered(ab.own_ops(x)), NO_FUNCTION),
    ("Limits(x)", ab.Limits, (None, "5", 1.5, True, 0)),
    ("Program(name=x)", lambda x: ab.Program(x, "solver", ("I",), PROGRAM.root), (None, 5)),
    ("Program(root=x)", lambda x: ab.Program("a", "solver", ("I",), x), (None, 5)),
    ("Batt(x)", ab.Batt, (None, 5, (5,))),
    ("Task(id=x)", lambda x: ab.Task(x, (), ()), (None, 5)),
    ("Task(demo=x)", lambda x: ab.Task("a", x, ()), (None, 5, [1], (GRID,), (Sample(GRID, None),))),
    ("Task(test=x)", lambda x: ab.Task("a", (), x), (None, 5, [1])),
    ("solve(x)", ab.solve, (None, 5, "00d62c1c", [5], [TASK, TASK])),
    ("solve(steps=x)", lambda x: ab.solve(TASK, steps=x), (0, -1, 1.5, "many")),
    ("solve(seconds=x)", lambda x: ab.solve(TASK, seconds=x), (0, -1, "long", float("nan"), float("inf"))),
    ("solve(budget=x)", lambda x: ab.solve(TASK, budget=x), (0, "long")),
    ("solve(guesses=x)", lambda x: ab.solve(TASK, guesses=x), (0, 1, 4, 2.5, "2", None)),
    ("solve(memory=x)", lambda x: ab.solve(TASK, memory=x), (0, "1G", None)),
    ("solve(threads=x)", lambda x: ab.solve(TASK, threads=x), (0, "2", 1.5)),
    ("solve(templates=x)", lambda x: ab.solve(TASK, templates=x), (5, [5], ["missing.dsl"])),
    ("solve(archive=x)", lambda x: ab.solve(TASK, archive=x), (5, "found.db")),
    ("solve(on_answer=x)", lambda x: ab.solve(TASK, on_answer=x), (5, "x")),
    ("solve(on_progress=x)", lambda x: ab.solve(TASK, on_progress=x), (5, "x")),
    ("TaskSet(x)", ab.TaskSet, (None, 5, [5], (TASK, TASK))),
    ("MegaBatchCoordinator(x)", ab.MegaBatchCoordinator, (None, 5, "")),
]


@pytest.mark.parametrize(
    ("use", "given"),
    [
        pytest.param(use, given, id=f"{name}-{number}")
        for name, use, wrong in USES
        for number, given in enumerate(wrong)
    ],
)
def test_wrong_use_is_answered_with_one_sentence(use: Callable[[Any], object], given: Any) -> None:
    with pytest.raises(ab.ArcbattError) as caught:
        use(given)
    sentence = str(caught.value)
    assert sentence
    assert "\n" not in sentence
    assert len(sentence) < 500
