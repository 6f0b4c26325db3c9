"""Wrong uses of the public interface: each is answered with one sentence, never with a raw exception."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcbatt as ab
from arcbatt.batt.scoring import score, select
from arcbatt.tasks import Sample, write_submission
from support.sentences import require_one_sentence

GRID = ((1, 2), (3, 4))
TASK = ab.Task("one", demo=(Sample(GRID, GRID),), test=())
(PROGRAM,) = ab.parse_programs("def solve_x(I): return rot90(I)")
NO_TEXT = (None, 5, b"", [])
NO_PATH = (None, 5, 1.5, ["a"])
NO_PROGRAMS = (None, 5, "x", [1], ["x"], [None], [PROGRAM, 1])
NO_FUNCTION = (None, 5, "x")
NO_OPTION = (None, 5, "odd", [])
NO_CLUSTER = (5, "", "here", "10.0.0.1", ["local"])
NO_FLAG = (None, "yes", [])
NO_GRID = (
    None,
    5,
    "x",
    [],
    [[]],
    [[1], [2, 3]],
    [[10]],
    [[-1]],
    [[1.0]],
    [[True]],
    [[0] * 31],
    np.zeros((2, 2)),
)
NO_PREDICTIONS = (
    None,
    5,
    [5],
    {"two": []},
    {5: []},
    {"one": 5},
    {"one": [5]},
    {"one": [[5]]},
    {"one": [[], []]},
)
SOURCE = "def solve_x(I): return rot90(I)"
NEEDS_S, DIFFER = ab.parse_programs(
    "def solve_s(S, I): return S\ndef differ_x(S, I, C): return astuple(size(S), C)"
)
BATT = ab.merge([PROGRAM])
SCORES = score([PROGRAM], TASK, [DIFFER], "all")
# What is right: a sentence says it, or names what there is.
HINT = re.compile(r"; |must be|: |expected .+, got ")


class ReprFails:
    def __repr__(self) -> str:
        raise RuntimeError


def entered(context: Any) -> None:
    with context:
        pass


def mapped(function: Any, inputs: Any) -> None:
    with ab.batch_dsl_context() as batch:
        batch.map(function, inputs)


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
    ("run(cluster=x)", lambda x: ab.run(PROGRAM, TASK, cluster=x), NO_CLUSTER),
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
    ("solve(cluster=x)", lambda x: ab.solve(TASK, cluster=x), NO_CLUSTER),
    ("solve(templates=x)", lambda x: ab.solve(TASK, templates=x), (5, [5], ["missing.dsl"])),
    ("solve(archive=x)", lambda x: ab.solve(TASK, archive=x), (5, "found.db")),
    ("solve(on_answer=x)", lambda x: ab.solve(TASK, on_answer=x), (5, "x")),
    ("solve(on_progress=x)", lambda x: ab.solve(TASK, on_progress=x), (5, "x")),
    ("TaskSet(x)", ab.TaskSet, (None, 5, [5], (TASK, TASK))),
    ("TaskSet(name=x)", lambda x: ab.TaskSet((), x), (None, 5, b"")),
    ("tasks[x]", lambda x: ab.TaskSet((TASK,))[x], (1, -2, None, 1.5, "two", (1,), TASK, slice("a"))),
    ("tasks.pick(x)", ab.TaskSet((TASK,)).pick, (None, 5, [5], "two", ["one", None])),
    ("Sample(x)", ab.Sample, (None, "x", 1.5, [[0.5]], [["a"]], {}, object())),
    ("Sample(output=x)", lambda x: ab.Sample(GRID, x), ("x", 1.5, [[None]])),
    (
        "run(program, dict)",
        lambda x: ab.run(PROGRAM, x),
        ({"a": 5}, {5: 5}, {"train": 5}, {"train": [], "test": []}),
    ),
    (
        "grid of a dict",
        lambda x: ab.load_tasks({"train": [{"input": x, "output": [[1]]}], "test": []}),
        NO_GRID,
    ),
    ("program(x)", PROGRAM, (None, "x", 1.5, TASK, [[None]])),
    ("program(S=x)", lambda x: NEEDS_S(GRID, S=x), (None, 5, "nope", [(1, 2)], [[GRID]], [TASK])),
    ("differ(C=x)", lambda x: DIFFER(GRID, S=TASK, C=x), (None, "x", 1.5)),
    ("parse_programs(on_refused=x)", lambda x: ab.parse_programs(SOURCE, on_refused=x), NO_OPTION),
    ("load_programs(on_refused=x)", lambda x: ab.load_programs("a.py", on_refused=x), NO_OPTION),
    ("parse_programs(strict=x)", lambda x: ab.parse_programs(SOURCE, strict=x), NO_FLAG),
    ("score(x)", lambda x: score(x, TASK), NO_PROGRAMS),
    ("score(tasks=x)", lambda x: score([PROGRAM], x), (None, 5, "nope", [5])),
    ("score(differs=x)", lambda x: score([PROGRAM], TASK, x), (5, "x", [1], [PROGRAM])),
    ("score(pairs=x)", lambda x: score([PROGRAM], TASK, pairs=x), NO_OPTION),
    ("score(on_failure=x)", lambda x: score([PROGRAM], TASK, on_failure=x), (*NO_OPTION, "pile")),
    ("scores[x]", lambda x: SCORES[x], (5, "a", ("a", "b"), (5, 5), ([], []), (PROGRAM, "two"), None)),
    ("select(x)", lambda x: select(x, 1), (None, 5, "x", [5])),
    ("select(count=x)", lambda x: select(SCORES, x), (None, -1, 1.5, "x", 1 << 70)),
    ("write_submission(x)", lambda x: write_submission(x, {}, TASK), (None, 5, b"")),
    ("write_submission(predictions=x)", lambda x: write_submission("a.json", x, TASK), NO_PREDICTIONS),
    ("write_submission(tasks=x)", lambda x: write_submission("a.json", {}, x), (None, 5, "nope")),
    ("evolve(x)", ab.evolve, (None, 5, "nope", [5])),
    ("evolve(seeds=x)", lambda x: ab.evolve(TASK, x), (5, "x", [1])),
    ("evolve(differs=x)", lambda x: ab.evolve(TASK, differs=x), (5, "x", [PROGRAM])),
    ("evolve(steps=x)", lambda x: ab.evolve(TASK, steps=x), (-1, 1.5, "x")),
    ("evolve(seconds=x)", lambda x: ab.evolve(TASK, seconds=x), (-1, "x", float("nan"), 10**400)),
    ("evolve(islands=x)", lambda x: ab.evolve(TASK, islands=x), (None, 0, 1.5, 1 << 60)),
    ("evolve(exchange=x)", lambda x: ab.evolve(TASK, islands=2, exchange=x), (-1, 1.5, "x")),
    ("evolve(deterministic=x)", lambda x: ab.evolve(TASK, deterministic=x), (None, "x")),
    ("evolve(members=x)", lambda x: ab.evolve(TASK, members=x), (None, 0, "x")),
    ("evolve(workers=x)", lambda x: ab.evolve(TASK, workers=x), (0, "2", 1.5)),
    ("evolve(cluster=x)", lambda x: ab.evolve(TASK, cluster=x), NO_CLUSTER),
    ("evolve(on_failure=x)", lambda x: ab.evolve(TASK, on_failure=x), NO_OPTION),
    ("evolve(backend=x)", lambda x: ab.evolve(TASK, backend=x), NO_OPTION),
    ("evolve(fitness=x)", lambda x: ab.evolve(TASK, fitness=x), NO_FUNCTION),
    ("evolve(on_found=x)", lambda x: ab.evolve(TASK, on_found=x), (5, "x")),
    ("evolve(archive=x)", lambda x: ab.evolve(TASK, archive=x), (5, "x")),
    ("evolve(resume=x)", lambda x: ab.evolve(TASK, resume=x), (True, "x")),
    ("solve(library=x)", lambda x: ab.solve(TASK, library=x), NO_FLAG),
    ("solution[x]", lambda x: ab.Solution((TASK,))[x], (None, 5, "one", TASK, [])),
    ("Archive(x)", ab.Archive, (None, 5, "", b"", "no/such/folder/x.db")),
    ("Archive(patience=x)", lambda x: ab.Archive("x.db", patience=x), (None, -1, "x", 10**400)),
    ("Mutator(x)", ab.Mutator, (None, 1.5, "x")),
    ("Mutator(rate=x)", lambda x: ab.Mutator(rate=x), (None, -1, 2, "x")),
    ("Mutator(task_pairs=x)", lambda x: ab.Mutator(task_pairs=x), (5, "nope", [5], [(1, 2)])),
    ("Mutator(partners=x)", lambda x: ab.Mutator(partners=x), (None, 5, "x", [1])),
    ("mutator.mutated(x)", ab.Mutator().mutated, (None, 5, "x")),
    ("mutator.mutants(count=x)", lambda x: ab.Mutator().mutants(PROGRAM, x), (None, -1, 1.5, "x")),
    ("candidate.program(x)", ab.Candidate(PROGRAM.root, ()).program, (None, 5, "x")),
    ("Program(kind=x)", lambda x: ab.Program("a", x, ("I",), PROGRAM.root), NO_OPTION),
    ("Terms(x)", ab.Terms, NO_OPTION),
    ("Terms.from_settings(x)", ab.Terms.from_settings, (None, 5, {}, {"own_ops": 5})),
    ("Terms.of_run(x)", ab.Terms.of_run, (None, 5)),
    ("Terms().with_ops(x)", ab.Terms().with_ops, (None, 5, ["nope"], [5])),
    ("Selection(x)", ab.Selection, NO_FLAG),
    ("selection.choose(x)", lambda x: ab.Selection().choose(x, None), (None, 5, "nope")),
    ("selection.choose(backend=x)", lambda x: ab.Selection().choose("rot90", x), (5, "fast")),
    ("batch(x)", lambda x: ab.GPUDSLOperations().batch(x, [1]), (None, 5, "nope", [])),
    ("batch(rot90, x)", lambda x: ab.GPUDSLOperations().batch("rot90", x), (None, GRID, 1.5)),
    ("batch_flip(axis=x)", lambda x: ab.GPUDSLOperations().batch_flip([GRID], x), (2, -3, "x", [])),
    ("GPUTransferManager(budget=x)", lambda x: ab.GPUTransferManager(budget=x), (None, -1, 1.5, "x")),
    ("env.do_pile(x)", lambda x: ab.Env(0, "one", ()).do_pile(1, x), (5, [], object())),
    ("batch_dsl_context(x)", lambda x: entered(ab.batch_dsl_context(x)), (5, "fast", [])),
    ("batch_dsl_context(ops=x)", lambda x: entered(ab.batch_dsl_context(ops=x)), (None, 5, [5])),
    ("context.map(x)", lambda x: mapped(x, []), (None, 5, "x")),
    ("context.map(inputs=x)", lambda x: mapped(len, x), (None, 5, [5], "x")),
    ("MegaBatchCoordinator(x)", ab.MegaBatchCoordinator, (None, 5, "")),
    ("coordinator(batch_size=x)", lambda x: ab.MegaBatchCoordinator(BATT, x), (0, -1, "x", 1.5)),
    ("coordinator(selection=x)", lambda x: ab.MegaBatchCoordinator(BATT, selection=x), (None, 5)),
    ("coordinator(seconds=x)", lambda x: ab.MegaBatchCoordinator(BATT, seconds=x), (0, "x")),
    ("collect_inputs(x)", lambda x: ab.MegaBatchCoordinator(BATT).collect_inputs(x), (None, 5, "nope")),
    (
        "collect_inputs(task_list=x)",
        lambda x: ab.MegaBatchCoordinator(BATT).collect_inputs(TASK, x),
        (5, "one", [5]),
    ),
    ("process_batch(x)", lambda x: ab.MegaBatchCoordinator(BATT).process_batch(x), (None, 5, [5])),
]


@pytest.mark.parametrize(
    ("use", "given"),
    [
        pytest.param(use, given, id=f"{name}-{number}")
        for name, use, wrong in USES
        for number, given in enumerate(wrong)
    ],
)
def test_wrong_use_is_answered_with_one_sentence(
    use: Callable[[Any], object], given: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ab.ArcbattError) as caught:
        use(given)
    require_one_sentence(caught.value)
    assert HINT.search(str(caught.value)), caught.value
