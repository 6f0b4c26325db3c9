"""The papers' first way of integration as they write it: a batt called inside a context, and around it."""

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Barrier, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt import GPUDSLOperations, Selection, batch_dsl_context
from arcbatt.batt.callables import DslFailure
from arcbatt.batt.direct import _DETOURS
from arcbatt.bench import drop_ins
from arcbatt.engine.choose import AVAILABLE
from arcbatt.program.batt_files.write import batt_source
from arcbatt.program.graph import Batt, Style
from arcbatt.program.merge import batt_of
from support.batt_functions import Arguments, Load, piled, plainly, text_of
from support.strategies import mutants, programs, tasks

STYLES: tuple[Style, ...] = ("pile", "guarded", "vectorized", "hybrid")
law = settings(derandomize=True, max_examples=40, database=None)
ops = GPUDSLOperations()

solvers = st.one_of(programs(), programs(well_typed=False), mutants(programs())).filter(
    lambda program: "C" not in program.root.needs
)
differs = programs(kind="differ") | programs(well_typed=False, kind="differ")
batts = st.builds(batt_of, st.lists(solvers, min_size=1, max_size=4), st.lists(differs, max_size=2))


def outcome(function: Callable[..., Any], call: Sequence[Any]) -> Any:
    """The result of a call, or the class and the text of what it raises."""
    try:
        return function(*call)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.slow
@law
@given(batts, tasks(3), st.sampled_from(STYLES))
def test_a_direct_call_gives_what_plain_python_gives(
    load: Load, backend: str, batt: Batt, task: ab.Task, style: Style
) -> None:
    batt = load(batt_source(batt, style)).batt
    calls = [(task.id, task.pairs, given, expected, None) for given, expected in task.samples]
    expected = [outcome(batt, call) for call in calls]
    with batch_dsl_context(backend) as batch:
        assert [outcome(batt, call) for call in calls] == expected
    assert batch.report.direct_calls == len(calls)
    assert (batch.report.direct_ops, batch.fallbacks) == (0, [])
    if style != "vectorized":
        assert batch.report.plain_inputs == 0


@pytest.mark.parametrize("style", STYLES)
def test_with_batch_dsl_context_gpu_ops_ops_enable_gpu_true(
    load: Load, inputs: list[Arguments], style: Style
) -> None:
    batt = load(text_of(1, style)).batt
    expected = [outcome(batt, call) for call in inputs]
    for _ in range(2):
        with batch_dsl_context(gpu_ops=ops, enable_gpu=True) as batch:
            results = []
            for task_id, S, I, C, log_path in inputs:
                with suppress(DslFailure):
                    results.append(batt(task_id, S, I, C, log_path))
        assert batch.report.direct_calls == len(inputs)
        assert [entry.style for entry in batch.report.recorded] == [style]
        assert results == [result for result in expected if type(result[0]) is list]
    json.dumps(results[0][0])


@pytest.mark.slow
def test_a_direct_call_logs_what_plain_python_logs(
    load: Load, inputs: list[Arguments], backend: str, tmp_path: Path
) -> None:
    for style in STYLES:
        for number in range(3):
            batt = load(text_of(number, style)).batt
            logs = [tmp_path / f"{style}_{number}_{kind}.log" for kind in ("plain", "direct")]
            plain, direct = ([(*call[:4], str(log)) for call in inputs[:8]] for log in logs)
            expected = [outcome(batt, call) for call in plain]
            with batch_dsl_context(backend):
                assert [outcome(batt, call) for call in direct] == expected
            texts = [log.read_text("utf-8") if log.exists() else "" for log in logs]
            assert texts[0] == texts[1]


def test_a_vectorized_batt_ends_at_a_line_on_which_no_output_depends(load: Load, backend: str) -> None:
    batt = load(
        "from arcbatt.batt.runtime import *\n"
        "def batt(task_id, S, I, C, log_path):\n    s = []\n    o = []\n"
        "    t1 = rot90(I)\n    t2 = divide(ONE, ZERO)\n"
        "    o.append((1, False, 'x', t1))\n    return o, s\n"
    ).batt
    with batch_dsl_context(backend) as batch, pytest.raises(ZeroDivisionError):
        batt("00d62c1b", (), ((1, 2),), None, None)
    assert batch.report.plain_inputs == 1


def test_the_function_is_found_by_each_name_that_the_block_uses(load: Load, inputs: list[Arguments]) -> None:
    call, (expected,) = inputs[0], plainly(piled, inputs[:1])
    module = load("from support.batt_functions import piled as batt\n")
    holder = SimpleNamespace(module=module)
    with batch_dsl_context() as batch:
        assert module.batt(*call) == holder.module.batt(*call) == expected
        assert [module.batt(*each) for each in inputs[:2]] == plainly(piled, inputs[:2])
        assert module.batt(task_id=call[0], S=call[1], I=call[2], C=call[3], log_path=call[4]) == expected
    assert (batch.report.direct_calls, batch.report.direct_ops) == (5, 0)


def deep(function: Callable[..., Any], call: Sequence[Any]) -> Any:
    return function(*call)


def test_a_function_that_the_block_does_not_name_is_found_by_its_first_op(
    load: Load, inputs: list[Arguments]
) -> None:
    batts = [load(text_of(2, "guarded")).batt]
    code, (expected,) = batts[0].__code__, plainly(batts[0], inputs[:1])
    with batch_dsl_context() as batch:
        assert deep(batts[0], inputs[0]) == expected
        assert (batch.report.direct_calls, batch.report.direct_ops > 0) == (0, True)
        assert deep(batts[0], inputs[0]) == expected
        assert batch.report.direct_calls == 1
    assert batts[0].__code__ is code


def test_a_function_that_is_imported_inside_is_found_too(load: Load, inputs: list[Arguments]) -> None:
    with ExitStack() as stack:
        batch = stack.enter_context(batch_dsl_context())
        batt = load(text_of(3, "pile")).batt
        results = [batt(*call) for call in inputs[:3]]
    assert results == plainly(batt, inputs[:3])
    assert batch.report.direct_calls == 2


def test_a_closure_keeps_its_cells(load: Load) -> None:
    batt = load(
        "from arcbatt.batt.runtime import *\n"
        "def make(turn):\n"
        "    def batt(task_id, S, I, C, log_path):\n        s = []\n        o = []\n"
        "        t1 = turn(I)\n        o.append((1, False, 'x', t1))\n        return o, s\n"
        "    return batt\n"
        "batt = make(rot90)\n"
    ).batt
    call = ("00d62c1b", (), ((1, 2),), None, None)
    with pytest.warns(RuntimeWarning, match="runs as plain Python"), batch_dsl_context():
        assert batt(*call) == ([(1, False, "x", ((1,), (2,)))], [])
    assert batt(*call) == ([(1, False, "x", ((1,), (2,)))], [])


def test_a_name_that_is_bound_anew_inside_counts_from_the_next_call_on(load: Load) -> None:
    module = load(
        "from arcbatt.batt.runtime import *\n"
        "def batt(task_id, S, I, C, log_path):\n    s = []\n    o = []\n"
        "    t1 = rot90(I)\n    o.append((1, False, 'x', t1))\n    return o, s\n"
    )
    call = ("00d62c1b", (), ((1, 2),), None, None)
    with batch_dsl_context() as batch:
        assert module.batt(*call)[0][0][3] == ((1,), (2,))
        module.rot90 = lambda grid: grid
        with pytest.warns(RuntimeWarning, match="'rot90' is not that of"):
            assert module.batt(*call)[0][0][3] == ((1, 2),)
    assert (batch.report.direct_calls, batch.report.plain_inputs) == (2, 1)


def test_threads_outside_and_inside_contexts_do_not_disturb_each_other(
    load: Load, inputs: list[Arguments]
) -> None:
    batt = load(text_of(1, "pile")).batt
    code, expected = batt.__code__, plainly(batt, inputs[:4])
    both, found, reports = Barrier(4), [], []

    def inside() -> None:
        with batch_dsl_context() as batch:
            both.wait(60)
            found.append([batt(*call) for call in inputs[:4]])
        reports.append(batch.report)

    def outside() -> None:
        both.wait(60)
        found.append([batt(*call) for call in inputs[:4]])

    threads = [Thread(target=work) for work in (inside, outside, inside, outside)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4
    assert [report.direct_calls for report in reports] == [4, 4]
    assert batt.__code__ is code


def test_what_a_batt_raises_reaches_the_caller_and_its_code_is_put_back(load: Load) -> None:
    batt = load("def batt(task_id, S, I, C, log_path):\n    raise KeyError(task_id)\n").batt
    code = batt.__code__
    with (
        pytest.warns(RuntimeWarning, match="batt runs as plain Python: .*raise"),
        pytest.raises(KeyError, match="00d62c1b"),
        batch_dsl_context(),
    ):
        batt("00d62c1b", (), (), None, None)
    assert batt.__code__ is code


@pytest.mark.skipif("native" not in AVAILABLE, reason="nothing can be switched off without the core")
def test_an_op_can_be_switched_off_between_two_direct_calls(load: Load) -> None:
    batt, selection = load(text_of(0, "guarded")).batt, Selection()
    task = ab.load_tasks("67a3c6ac")[0]
    call = (task.id, task.pairs, task.test[0].input, None, None)
    (expected,) = plainly(batt, [call])
    with batch_dsl_context(selection=selection):
        assert batt(*call) == expected
        for name in ("rot90", "o_g", "objects"):
            selection.choose(name, "reference")
        assert batt(*call) == expected


def test_after_the_context_a_task_that_outlives_it_runs_plainly(inputs: list[Arguments]) -> None:
    from contextvars import copy_context

    with batch_dsl_context() as batch:
        later = copy_context()
        assert [piled(*inputs[0])] == plainly(piled, inputs[:1])
    assert [later.run(piled, *inputs[0])] == plainly(piled, inputs[:1])
    assert batch.report.direct_calls == 1


HEAD = """from arcbatt.batt.runtime import *
def turned(grid):
    return rot90(grid)
def batt(task_id, S, I, C, log_path):
    s = []
    o = []
"""
TAIL = "    o.append((9, False, 'x', t9))\n    return o, s\n"
GRID = ((1, 2), (3, 4))


@pytest.mark.parametrize("direct", [True, False])
@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("    t1 = lambda grid: hmirror(rot90(grid))\n    t9 = t1(I)\n", ((4, 2), (3, 1))),
        ("    t1 = compose(rot90, lambda g: hmirror(g))\n    t9 = t1(I)\n", ((1, 3), (2, 4))),
        ("    t9 = apply(lambda row: subtract(size(row), ONE), I)\n", (1, 1)),
        ("    t9 = apply(lambda row: astuple(first(row), add(last(row), TEN)), I)\n", ((1, 12), (3, 14))),
        ("    t1 = rot90(I)\n    t9 = apply(lambda row: insert(row, initset(t1)), I)\n", None),
        ("    t9 = apply(lambda row: replace(astuple(row, row), first(row), FIVE), I)\n", None),
    ],
)
def test_a_lambda_of_one_expression_is_read_as_a_function_value(
    load: Load, backend: str, lines: str, expected: Any, direct: bool
) -> None:
    batt, call = load(HEAD + lines + TAIL).batt, ("00d62c1b", (), GRID, None, None)
    if expected is None:
        turned = ((3, 1), (4, 2))
        is_set = "initset" in lines
        expected = tuple(frozenset({turned, row}) if is_set else ((5, row[1]),) * 2 for row in GRID)
    with batch_dsl_context(backend) as batch:
        o, s = batt(*call) if direct else batch.map(batt, [call])[0]
    assert (o, s) == ([(9, False, "x", expected)], [])
    assert batch.fallbacks == []


@pytest.mark.parametrize("direct", [True, False])
@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("    t9 = turned(I)\n", "7:10: batt: there is no op or variable 'turned'; it is a Python function"),
        ("    t1 = lambda grid: grid[0]\n    t9 = t1(I)\n", "7:23: batt: .* as the result of a lambda"),
        (
            "    t1 = lambda g, n: upscale(g, n)\n    t9 = t1(I, TWO)\n",
            "7:10: batt: expected a lambda with one parameter, got another",
        ),
        (
            "    t9 = (lambda grid: rot90(grid))(I)\n",
            "7:11: batt: expected a call of an op or a variable, got a call of a lambda",
        ),
        (
            "    t9 = [row for row in I][0]\n",
            "7:5: batt: expected a line `tN = op\\(...\\)`, got an assignment of an index in brackets",
        ),
    ],
)
def test_what_cannot_be_read_runs_as_plain_python_and_the_reason_is_the_true_one(
    load: Load, lines: str, reason: str, direct: bool
) -> None:
    batt, call = load(HEAD + lines + TAIL).batt, ("00d62c1b", (), GRID, None, None)
    (expected,) = plainly(batt, [call])
    with batch_dsl_context() as batch:
        with pytest.warns(RuntimeWarning, match=f"batt runs as plain Python: .*{reason}") as said:
            assert (batt(*call) if direct else batch.map(batt, [call])[0]) == expected
        assert (batt(*call) if direct else batch.map(batt, [call])[0]) == expected
    assert [warning.filename for warning in said] == [__file__]
    assert (batch.report.plain_inputs, batch.report.direct_ops) == (2, 0)


def test_a_context_that_nothing_ran_through_says_so() -> None:
    def batt(*arguments: Any) -> Any:
        return arguments

    with pytest.warns(RuntimeWarning, match="nothing ran through this context") as said, batch_dsl_context():
        assert batt(1) == (1,)
    assert [warning.filename for warning in said] == [__file__]


@pytest.mark.skipif("native" not in AVAILABLE, reason="there are no devices without the core")
def test_a_choice_between_devices_and_the_cpu_keeps_the_plan_of_a_function(
    load: Load, inputs: list[Arguments], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARCBATT_AUTO_DEVICE", "emulated")
    batt = load(text_of(0, "guarded")).batt
    (expected,) = plainly(batt, inputs[:1])
    for _ in range(3):
        with batch_dsl_context() as batch:
            assert batt(*inputs[0]) == expected
        assert (batch.backend.name, batch.report.direct_calls) == ("auto", 1)
    assert len(_DETOURS[batt].prepared) == 1


@pytest.mark.skipif("native" not in AVAILABLE, reason="the figures are those of the compiled core")
@pytest.mark.parametrize("measure", [drop_ins.direct_calls, drop_ins.light_direct_calls])
def test_the_bench_times_direct_calls_that_go_through_the_engine(
    measure: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drop_ins, "SOME", 20)
    found = measure(SimpleNamespace(quick=True))
    assert (found.target, found.at_least, found.unit) == (4, True, "x")
    assert found.figure > 0
