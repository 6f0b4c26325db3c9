"""Inside the context a batt function gives what it gives as plain Python, for many inputs together."""

from collections.abc import Iterator
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from threading import Barrier, Thread
from typing import Any
from unittest.mock import ANY

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.batt.callables import DslFailure, runner_of_ops
from arcbatt.batt.context import batch_dsl_context
from arcbatt.batt.coordinator import BatchInput
from arcbatt.batt.env import OKT
from arcbatt.batt.operations import GPUDSLOperations
from arcbatt.batt.per_op_backend import Selection
from arcbatt.batt.runtime import hmirror, rot90
from arcbatt.dsl.own_ops import own_ops, register_op, unregister_op
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.types import Grid
from arcbatt.engine.choose import AVAILABLE
from arcbatt.errors import ArcbattError
from arcbatt.program.batt_files.write import batt_source
from arcbatt.program.graph import Batt, Style
from arcbatt.program.merge import batt_of
from support.batt_functions import (
    Arguments,
    Load,
    brighten,
    brightened,
    piled,
    plainly,
    text_of,
    values,
)
from support.strategies import mutants, programs, tasks

STYLES: tuple[Style, ...] = ("pile", "guarded", "vectorized", "hybrid")
law = settings(derandomize=True, max_examples=60, database=None)

# A solver that looks at C would be shown it by a file and not by a differ that scores it.
solvers = st.one_of(programs(), programs(well_typed=False), mutants(programs())).filter(
    lambda program: "C" not in program.root.needs
)
differs = programs(kind="differ") | programs(well_typed=False, kind="differ")
batts = st.builds(batt_of, st.lists(solvers, min_size=1, max_size=4), st.lists(differs, max_size=2))


@law
@given(batts, tasks(3), st.sampled_from(STYLES))
def test_a_batt_gives_what_it_gives_as_plain_python(
    load: Load, backend: str, batt: Batt, task: ab.Task, style: Style
) -> None:
    function = load(batt_source(batt, style)).batt
    calls = [(task.id, task.pairs, given, expected, None) for given, expected in task.samples]
    with batch_dsl_context(backend, threads=2) as batch:
        results = batch.map(function, calls)
    assert [entry.style for entry in batch.report.recorded] == [style]
    assert (batch.report.plain, batch.report.plain_inputs, batch.report.inputs) == ([], 0, len(calls))
    for arguments, result in zip(calls, results):
        if any(isinstance(value, ab.Failure) for value in values(result)):
            assert style == "vectorized"
            with pytest.raises((DslFailure, TypeError)):  # a line fails alone where plain Python gives up
                function(*arguments)
        else:
            assert result == function(*arguments)


@pytest.mark.parametrize("style", STYLES)
def test_the_library_gives_what_it_gives_as_plain_python(
    load: Load, inputs: list[Arguments], backend: str, style: Style
) -> None:
    batt = load(text_of(0, style)).batt
    few = inputs[:6]
    with batch_dsl_context(backend) as batch:
        results = batch.map(batt, few)
    for arguments, result in zip(few, results):
        with suppress(DslFailure):
            assert result == batt(*arguments)
    assert batch.report.recorded[0].style == style


@pytest.mark.parametrize("failing", range(5))
def test_stand_ins_depend_on_how_many_lines_have_failed(
    load: Load, inputs: list[Arguments], backend: str, failing: int
) -> None:
    lines = [f"    t{n} = env.do_pile({n}, [asindices, ZERO], True)" for n in range(1, failing + 1)]
    lines += [
        "    t8 = env.do_pile(8, [crop, I, ORIGIN, NEG_ONE], True)",
        "    t9 = env.do_pile(9, [o_g, t8.t, TWO], t8.ok)",
        *(f"    o.append(({n}, False, 'x{n}', t{n}))" for n in (*range(1, failing + 1), 8, 9)),
    ]
    text = (
        "from arcbatt.batt.runtime import NEG_ONE, ORIGIN, TWO, ZERO, Env, asindices, crop, o_g\n"
        "def batt(task_id, S, I, C, log_path):\n    s = []\n    o = []\n"
        "    env = Env(0, task_id, S, log_path)\n" + "\n".join(lines) + "\n    return o, s\n"
    )
    batt = load(text).batt
    with batch_dsl_context(backend) as batch:
        results = batch.map(batt, inputs)
    assert results == plainly(batt, inputs)
    nothing, none = OKT(True, frozenset()), OKT(False, None)
    assert values(results[0])[:failing] == [nothing, nothing, none, none][:failing]
    assert batch.report.failures == sum(value == none for result in results for value in values(result))


def test_entries_are_as_the_function_makes_them(inputs: list[Arguments], backend: str) -> None:
    with batch_dsl_context(backend) as batch:
        results = batch.map(piled, inputs)
    assert results == plainly(piled, inputs)
    assert [entry[:3] for entry in results[0][0]] == [(6, False, "one#2"), (1, True, "two")]


def test_a_log_is_written_as_plain_python_writes_it(
    load: Load, inputs: list[Arguments], backend: str, tmp_path: Path
) -> None:
    written = [load(text_of(seed, style)).batt for style in ("pile", "hybrid") for seed in range(4)]
    for batt in (piled, *written):
        paths = [tmp_path / f"{batt.__module__}_{kind}.log" for kind in ("plain", "batch")]
        plain, batched = ([(*arguments[:4], str(path)) for arguments in inputs] for path in paths)
        with batch_dsl_context(backend) as batch:
            assert batch.map(batt, batched) == plainly(batt, plain)
        logs = [path.read_text("utf-8") if path.exists() else "" for path in paths]
        assert logs[0] == logs[1]


def test_a_function_value_can_be_called(load: Load, backend: str) -> None:
    batt = load(
        "from arcbatt.batt.runtime import compose, hmirror, rot90\n"
        "def batt(task_id, S, I, C, log_path):\n    s = []\n    o = []\n    t1 = compose(hmirror, rot90)\n"
        "    o.append((1, False, 'x', t1))\n    return o, s\n"
    ).batt
    with batch_dsl_context(backend) as batch:
        ((o, _),) = batch.map(batt, [("", (), ((1,),), None, None)])
    assert o[0][3](((1, 2),)) == hmirror(rot90(((1, 2),)))


def test_a_batch_input_is_a_call(inputs: list[Arguments]) -> None:
    task_id, pairs, given, expected, _ = inputs[0]
    with batch_dsl_context() as batch:
        (result,) = batch.map(piled, [BatchInput(task_id, 0, "demo", 0, pairs, given, expected)])
        assert batch.map(piled, []) == []
    assert result == piled(*inputs[0])


def test_a_wrapped_function_runs_through_the_engine_until_the_context_is_left(
    inputs: list[Arguments],
) -> None:
    with batch_dsl_context() as batch:
        wrapped = batch.wrap(piled)
        assert [wrapped(*inputs[0])] == plainly(piled, inputs[:1])
        assert batch.report.inputs == 1
    assert wrapped(*inputs[0]) == piled(*inputs[0])
    assert batch.report.inputs == 1
    with pytest.raises(ArcbattError, match="has been left"):
        batch.map(piled, inputs)


def test_a_solver_that_looks_at_c_sees_what_the_call_gives(
    load: Load, inputs: list[Arguments], backend: str
) -> None:
    looking = ab.parse_programs(
        "def solve_x(S, I, C): return rot90(C)\ndef solve_y(S, I, C): return hmirror(rot90(C))"
    )
    for style in ("pile", "guarded", "hybrid"):
        batt = load(batt_source(ab.merge(looking), style)).batt
        with batch_dsl_context(backend) as batch:
            assert batch.map(batt, inputs) == plainly(batt, inputs)
        assert batch.report.plain == []


HEAVY = ((0,) * 600,) * 600


@pytest.mark.parametrize("bad", ["text", None, 1.5, ((1, 2), ("x",)), ((1 << 40,),), ((1.0,),), HEAVY])
@pytest.mark.parametrize("place", [1, 2, 3])
def test_an_input_that_the_engine_does_not_take_costs_only_itself(
    inputs: list[Arguments], backend: str, bad: Any, place: int
) -> None:
    calls = [list(arguments) for arguments in inputs[:7]]
    calls[4][place] = bad
    unknown = bad is None and place in (1, 3)  # S or C
    said = (
        nullcontext() if unknown else pytest.warns(RuntimeWarning, match="as plain Python on 1 input: task")
    )
    with said, batch_dsl_context(backend) as batch:
        assert batch.map(piled, calls) == plainly(piled, calls)
    assert batch.report.plain_inputs == len(batch.fallbacks) == (0 if unknown else 1)


def test_lists_are_taken_for_tuples(inputs: list[Arguments], backend: str) -> None:
    calls = [(task, pairs, [list(row) for row in given], *rest) for task, pairs, given, *rest in inputs]
    with batch_dsl_context(backend) as batch:
        assert batch.map(piled, calls) == plainly(piled, inputs)
    assert batch.report.plain_inputs == 0


@pytest.fixture
def registered() -> Iterator[None]:
    register_op(brighten)
    yield
    unregister_op("brighten")


@pytest.mark.usefixtures("registered")
def test_an_op_registered_at_run_time_works(load: Load, inputs: list[Arguments], backend: str) -> None:
    programs = ab.parse_programs(
        "def solve_x(I): return apply(rbind(brighten, ONE), astuple(I, brighten(I, I)))"
    )
    for style in ("pile", "guarded", "hybrid"):
        batt = load(batt_source(ab.merge(programs), style)).batt
        with batch_dsl_context(backend) as batch:
            assert batch.map(batt, inputs) == plainly(batt, inputs)
            assert batch.map(brightened, inputs) == plainly(brightened, inputs)
        assert batch.report.plain == []


def test_an_op_that_comes_and_goes_is_there_while_it_is_there(inputs: list[Arguments]) -> None:
    with batch_dsl_context() as batch:
        for _ in range(2):
            register_op(brighten)
            assert batch.map(brightened, inputs) == plainly(brightened, inputs)
            unregister_op("brighten")
        assert batch.report.plain == []
        with pytest.warns(RuntimeWarning, match="no op or variable 'brighten'"):
            assert batch.map(brightened, inputs) == plainly(brightened, inputs)


def test_ops_of_a_context_end_with_it(inputs: list[Arguments], backend: str) -> None:
    with batch_dsl_context(backend, ops=[brighten]) as batch:
        assert batch.map(brightened, inputs) == plainly(brightened, inputs)
        assert "brighten" in TABLE
    assert batch.report.plain == []
    assert "brighten" not in TABLE
    with pytest.raises(ZeroDivisionError), batch_dsl_context(backend, ops=[brighten]):
        1 / 0  # noqa: B018
    assert "brighten" not in TABLE


def test_contexts_nest(inputs: list[Arguments], backend: str) -> None:
    def darken(grid: Grid) -> Grid:
        return grid

    with batch_dsl_context(backend, ops=[brighten]) as outer:
        with batch_dsl_context(backend, ops=[brighten, darken]) as inner:
            assert inner.map(brightened, inputs) == outer.map(brightened, inputs)
            assert "darken" in TABLE
        assert "darken" not in TABLE
        assert outer.map(brightened, inputs) == plainly(brightened, inputs)
        with own_ops(darken):
            assert outer.map(brightened, inputs[:1]) == plainly(brightened, inputs[:1])
    assert (outer.report.plain, inner.report.plain) == ([], [])
    assert "brighten" not in TABLE


TWISTED = """
from arcbatt.batt.runtime import Env, apply, astuple, identity
def make(twist):
    def batt(task_id, S, I, C, log_path):
        s = []
        o = []
        env = Env(0, task_id, S, log_path)
        t1 = env.do_pile(1, [twist, I], True)
        t2 = env.do_pile(2, [astuple, t1.t, I], t1.ok)
        t3 = env.do_pile(3, [apply, twist, t2.t], t2.ok)
        o.append((3, False, 'x', t3))
        return o, s
    return batt
"""


def test_threads_do_not_see_the_ops_of_each_other(load: Load, inputs: list[Arguments], backend: str) -> None:
    make = load(TWISTED).make
    both = Barrier(2)
    results: dict[str, list[Any]] = {}

    def work(turn: str) -> None:
        def twist(grid: Grid) -> Grid:
            return ab.call(turn, grid, backend="reference")

        def alone(grid: Grid) -> Grid:
            return grid

        alone.__name__ = f"only_{turn}"
        with batch_dsl_context(backend, ops=[twist, alone]) as batch:
            batt = make(twist)
            both.wait(60)
            results[turn] = [batch.map(batt, inputs) for _ in range(3)]
            results[f"own {turn}"] = [name for name in TABLE if not TABLE[name].trusted]
            both.wait(60)

    threads = [Thread(target=work, args=(turn,)) for turn in ("rot90", "hmirror")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for turn, op in (("rot90", rot90), ("hmirror", hmirror)):
        expected = [OKT(True, (op(op(given)), op(given))) for _, _, given, _, _ in inputs]
        assert [[values(result)[0] for result in rows] for rows in results[turn]] == [expected] * 3
        assert results[f"own {turn}"] == ["twist", f"only_{turn}"]
    assert "twist" not in TABLE


def test_threads_may_share_a_context(inputs: list[Arguments], backend: str) -> None:
    found: list[Any] = []
    with batch_dsl_context(backend, ops=[brighten]) as batch:
        threads = [Thread(target=lambda: found.append(batch.map(brightened, inputs))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [plainly(brightened, inputs)] * 3
    assert (batch.report.inputs, batch.report.plain) == (3 * len(inputs), [])


def test_wrong_use_is_refused_in_a_sentence(inputs: list[Arguments]) -> None:
    with batch_dsl_context() as batch, pytest.raises(ArcbattError, match="input 1 has 2 arguments; a batt"):
        batch.map(piled, [inputs[0], ("00d62c1b", ())])
    with pytest.raises(ArcbattError, match=r"threads: expected .*, got 0"), batch_dsl_context(threads=0):
        pass
    with batch_dsl_context(threads=1024) as batch:
        assert len(batch.map(piled, inputs[:2])) == 2
    with pytest.raises(ArcbattError, match="no backend 'fast'"), batch_dsl_context("fast"):
        pass
    with pytest.raises(ArcbattError, match="does not say what it returns"), batch_dsl_context(ops=[len]):
        pass
    with pytest.raises(ArcbattError, match="the name 'rot90' is taken"):
        register_op(brighten, name="rot90")


def test_what_a_plain_function_raises_reaches_the_caller_and_leaves_nothing_behind(
    inputs: list[Arguments],
) -> None:
    def broken(*arguments: Any) -> Any:
        raise KeyError("broken")

    def work() -> None:
        with batch_dsl_context(ops=[brighten]) as batch:
            batch.map(brightened, inputs)
            batch.map(broken, inputs)

    before = dict(globals()) | {"__warningregistry__": ANY}  # which Python keeps once a warning came
    with pytest.warns(RuntimeWarning, match="broken runs as plain"), pytest.raises(KeyError, match="broken"):
        work()
    assert "brighten" not in TABLE
    assert {"__warningregistry__": None} | globals() == before


VECTORIZED = """
from arcbatt.batt.runtime import *
def batt(task_id, S, I, C, log_path):
    s = []
    o = []
    t1 = compose(hmirror, rot90)
    t2 = t1(I)
    o.append((2, False, 'x', t2))
    return o, s
"""
OWN_DSL = """
from arcbatt.batt.runtime import *
def rot90(grid):
    return grid
def batt(task_id, S, I, C, log_path):
    s = []
    o = []
    t1 = rot90(I)
    o.append((1, False, 'x', t1))
    return o, s
"""
CALL = ("00d62c1b", (), ((1, 2), (3, 4)), None, None)


def test_a_direct_call_of_a_function_with_a_language_of_its_own_is_not_silent(
    load: Load, backend: str
) -> None:
    batt = load(OWN_DSL).batt
    with batch_dsl_context(backend) as batch:
        with pytest.warns(
            RuntimeWarning, match="batt runs as plain Python: .*'rot90' is not that of"
        ) as said:
            assert batt(*CALL) == ([(1, False, "x", CALL[2])], [])
        batt(*CALL)
    assert len(said) == 1
    assert said[0].filename == __file__
    ((function, _, _, reason),) = batch.fallbacks
    assert function == "batt"
    assert "function of its own" in reason


def test_leaving_puts_back_what_was_there_also_after_an_exception(load: Load) -> None:
    batt = load(VECTORIZED).batt
    code = batt.__code__
    with batch_dsl_context() as outer:
        with suppress(ZeroDivisionError), batch_dsl_context() as inner:
            batt(*CALL)
            raise ZeroDivisionError
        assert batt.__code__ is not code
        batt(*CALL)
    assert inner.report.direct_calls == outer.report.direct_calls == 1
    assert batt.__code__ is code
    assert runner_of_ops() is None


def test_a_thread_outside_a_context_is_left_alone(load: Load) -> None:
    batt = load(VECTORIZED).batt
    with batch_dsl_context() as batch:
        thread = Thread(target=batt, args=CALL)
        thread.start()
        thread.join()
    assert (batch.report.direct_calls, batch.report.direct_ops) == (0, 0)


def test_what_map_runs_as_plain_python_is_plain_python(load: Load) -> None:
    batt = load(VECTORIZED.replace("t2 = t1(I)", "t2 = [t1(I)][0]")).batt
    with batch_dsl_context() as batch, pytest.warns(RuntimeWarning, match="batt runs as plain Python"):
        batch.map(batt, [CALL])
    assert (batch.report.direct_ops, len(batch.fallbacks)) == (0, 1)


@pytest.mark.skipif("native" not in AVAILABLE, reason="nothing can be switched off without the core")
@pytest.mark.parametrize("direct", [False, True])
def test_an_op_that_is_switched_off_runs_on_the_reference(
    load: Load, backend: str, direct: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    batt, op, ran, selection = load(VECTORIZED).batt, TABLE["rot90"], [], Selection()

    def body(grid: Any) -> Any:
        ran.append(grid)
        return op.body(grid)

    monkeypatch.setitem(TABLE, "rot90", replace(op, body=body))
    selection.choose("rot90", "reference")
    with batch_dsl_context(backend, selection=selection) as batch:
        results = [batt(*CALL)] if direct else batch.map(batt, [CALL])
    assert results == [([(2, False, "x", ((4, 2), (3, 1)))], [])]
    assert ran == [CALL[2]]


def test_the_words_of_the_papers_are_taken(load: Load) -> None:
    batt, gpu_ops = load(VECTORIZED).batt, GPUDSLOperations(backend="reference", limits=ab.Limits(calls=5))
    for context in (
        batch_dsl_context(gpu_ops=gpu_ops, enable_gpu=True),
        batch_dsl_context(gpu_ops, True),
        batch_dsl_context(gpu_ops),
    ):
        with context as batch:
            assert batch.map(batt, [CALL]) == [batt(*CALL)]
        assert (batch.report.backend, batch.limits.calls) == ("reference", 5)
    for context in (batch_dsl_context(None, False), batch_dsl_context(enable_gpu=False)):
        with context as batch:
            assert batch.report.backend == AVAILABLE[-1]
    with batch_dsl_context("native" if "native" in AVAILABLE else "reference", gpu_ops=gpu_ops) as batch:
        assert batch.report.backend == AVAILABLE[-1]
