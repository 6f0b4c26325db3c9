"""A GPUEnv gives what an Env gives on every line, keeps values in the engine, and gives account of it."""

import gc
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from copy import deepcopy
from os import environ
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.batt import runtime
from arcbatt.batt.env import OKT, Env
from arcbatt.batt.per_op_backend import Selection
from arcbatt.batt.residency.gpu_env import GPUEnv, plain
from arcbatt.batt.runtime import (
    ONE,
    ORIGIN,
    THREE,
    TWO,
    UNITY,
    ZERO,
    T,
    add,
    apply,
    colorcount,
    combine,
    compose,
    crop,
    divide,
    first,
    get_nth_t,
    identity,
    last,
    mapply,
    objects,
    order,
    palette,
    rbind,
    repeat,
    rot90,
    sfilter,
    size,
    toindices,
)  # fmt: skip
from arcbatt.dsl.own_ops import own_ops, register_op, unregister_op
from arcbatt.dsl.types import AnyValue, Fn1, Grid, Integer
from arcbatt.dsl.values import Function
from arcbatt.engine.choose import AVAILABLE
from arcbatt.library import load_library
from arcbatt.program.batt_files.write import batt_source
from arcbatt.program.graph import Batt
from arcbatt.program.merge import batt_of
from arcbatt.tasks import Task
from support.batt_lines import GRID, LINES, PAIRS, Line, run_lines
from support.plain_batts import Tuples, function_of
from support.strategies import mutants, programs, tasks

law = settings(derandomize=True, max_examples=40, database=None)
native_only = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")


def gpu(**options: Any) -> GPUEnv:
    return GPUEnv(0, "00d62c1b", PAIRS, enable_gpu=False, **options)


def brighten(grid: Grid, by: Integer) -> Grid:
    """Every colour raised."""
    return tuple(tuple(color + by for color in row) for row in grid)


def twice(function: Fn1, value: AnyValue) -> AnyValue:
    """The function applied two times."""
    return function(function(value))


@pytest.mark.parametrize("name", LINES)
def test_every_line_gives_what_it_gives_in_an_env(name: str, tmp_path: Path) -> None:
    lines = LINES[name]
    there, here = Env(0, "00d62c1b", PAIRS, tmp_path / "there"), gpu(log_path=tmp_path / "here")
    expected = run_lines(there, lines)
    outcomes = run_lines(here, lines)
    assert outcomes == expected
    assert [repr(okt) for okt in outcomes if not_a_set(okt.t)] == [
        repr(okt) for okt in expected if not_a_set(okt.t)
    ]
    assert here.failures == there.failures == sum(here.stats.failures.values())
    assert logged(tmp_path / "here") == logged(tmp_path / "there")


def test_a_function_of_python_that_wants_to_end_the_process_has_failed() -> None:
    def leave(grid: object) -> None:
        raise SystemExit(0)

    for env in (Env(0, "x", ()), gpu()):
        assert env.do_pile(1, [leave, GRID]) == (False, None)
        assert env.failures == 1


def not_a_set(value: Any) -> bool:
    """A frozenset prints in an order of its own."""
    return "frozenset" not in repr(value)


def logged(path: Path) -> str:
    return path.read_text() if path.exists() else ""


@pytest.mark.parametrize("failures", [0, 1, 2, 3, 7])
def test_the_first_two_failures_are_stood_in_for_in_the_order_of_lines(failures: int) -> None:
    failing: list[Line] = [(rot90, ONE), (divide, ONE, ZERO), (toindices, ONE), (crop, TWO, ORIGIN, UNITY)]
    for turn in range(4):
        lines = [line for k in range(failures) for line in ((add, k, k), failing[(k + turn) % 4])]
        lines = [*lines, (rot90, GRID)]
        there, here = Env(0, "x", PAIRS), gpu()
        assert run_lines(here, lines) == run_lines(there, lines)
        assert here.failures == there.failures == failures


def test_an_empty_pile_is_an_error_as_in_env() -> None:
    for env in (Env(0, "x", ()), gpu()):
        with pytest.raises(
            ValueError, match=r"line t1 is \[\]; it must be a list, a function and its arguments"
        ):
            env.do_pile(1, [])


def on(text: str, env: Callable[..., Env]) -> Callable[..., Tuples]:
    """The function of a generated file with another environment in the place of Env."""
    batt = function_of(text)
    batt.__globals__["Env"] = env
    return batt


solvers = st.one_of(programs(), programs(well_typed=False), mutants(programs()))
differs = programs(kind="differ") | programs(well_typed=False, kind="differ")
batts = st.builds(
    batt_of, st.lists(solvers, min_size=1, max_size=4), st.lists(differs, min_size=1, max_size=2)
)


@pytest.mark.slow
@law
@given(batts, tasks(3), st.booleans())
def test_random_batts_give_equal_results(batt: Batt, task: Task, adaptive: bool) -> None:
    selection = Selection(adaptive)

    def env(*arguments: Any) -> GPUEnv:
        return GPUEnv(*arguments, enable_gpu=False, selection=selection)

    text = batt_source(batt, "pile")
    there, here = function_of(text), on(text, env)
    for sample in task.samples:
        arguments = (task.id, task.pairs, *sample, None)
        assert here(*arguments) == there(*arguments)


@native_only
def test_the_library_runs_in_the_engine_with_few_transfers() -> None:
    text = batt_source(batt_of(load_library("solvers")[:8], load_library("differs")[:5]), "pile")
    made: list[GPUEnv] = []

    def env(*arguments: Any) -> GPUEnv:
        made.append(GPUEnv(*arguments, enable_gpu=False))
        return made[-1]

    there, here = function_of(text), on(text, env)
    for task in ab.load_tasks("arc1/training")[:3]:
        for sample in task.samples:
            results = here(task.id, task.pairs, *sample, None)
            stats = made[-1].stats
            assert stats.ops["reference"] == 0
            assert results == there(task.id, task.pairs, *sample, None)
            stats = made[-1].stats
            assert stats.uploads + stats.downloads < 10


@native_only
@pytest.mark.parametrize("device", [False, True])
def test_values_stay_where_they_are_until_somebody_looks(device: bool) -> None:
    env = GPUEnv(0, "00d62c1b", PAIRS, enable_gpu=device, backend="emulated")
    outcomes = run_lines(env, [(rot90, GRID), (rot90, "t1"), (objects, "t2", T, T, T), (order, "t3", size)])
    assert (env.stats.uploads, env.stats.downloads) == (1, 0)
    assert outcomes[1].t == ((4, 3), (2, 1))
    assert outcomes[1].t.value() is outcomes[1].t.value()
    assert (env.stats.uploads, env.stats.downloads) == (1, 1)


@native_only
def test_a_resident_is_used_as_the_value_it_stands_for() -> None:
    env = gpu()
    rotated, colors, nothing, function = (
        okt.t for okt in run_lines(env, [(rot90, GRID), (palette, GRID), (identity, ()), (rbind, add, THREE)])
    )
    assert rotated == ((3, 1), (4, 2)) != colors
    assert OKT(True, ((3, 1), (4, 2))) == OKT(True, rotated)
    assert rotated != ((3, 1), (4, 0))
    assert {rotated: 1}[(3, 1), (4, 2)] == 1
    assert (list(rotated), rotated[0], len(rotated), (4, 2) in rotated) == ([(3, 1), (4, 2)], (3, 1), 2, True)
    assert (2 in colors, bool(colors), bool(nothing), bool(function)) == (True, True, False, True)
    assert function(4) == function.value()(4) == 7
    assert repr(function) == "rbind(add, 3)"
    assert [plain(x) for x in (rotated, 5)] == [((3, 1), (4, 2)), 5]


@native_only
def test_residents_pickle_as_plain_values() -> None:
    values = [okt.t for okt in run_lines(gpu(), [(rot90, GRID), (palette, GRID), (rbind, add, THREE)])]
    again = pickle.loads(pickle.dumps(values))
    assert values == again
    assert [type(value) for value in again] == [tuple, frozenset, Function]


@native_only
def test_a_function_in_the_engine_takes_residents_and_fails_as_it_should() -> None:
    env = gpu()
    rotated, function = (okt.t for okt in run_lines(env, [(rot90, GRID), (compose, first, last)]))
    assert function(rotated) == 4
    with pytest.raises(ZeroDivisionError):
        env.do_pile(3, [rbind, divide, ZERO]).t(1)


@native_only
def test_residents_of_one_environment_may_be_used_in_another() -> None:
    one, other = gpu(), gpu()
    first_made, second_made = one.do_pile(1, [rot90, GRID]).t, other.do_pile(1, [rot90, GRID]).t
    assert first_made == second_made
    assert other.do_pile(2, [combine, first_made, second_made]) == OKT(True, ((3, 1), (4, 2)) * 2)


@contextmanager
def registered(*bodies: Callable[..., Any]) -> Iterator[None]:
    """Ops that are there for everybody while the code inside runs."""
    for body in bodies:
        register_op(body)
    try:
        yield
    finally:
        for body in bodies:
            unregister_op(body.__name__)


@pytest.fixture
def own() -> Iterator[None]:
    with registered(brighten, twice):
        yield


@pytest.mark.usefixtures("own")
def test_an_op_of_a_user_runs_on_the_reference_and_inside_functions() -> None:
    raised: list[Line] = [
        (runtime.brighten, GRID, ONE),
        (runtime.brighten, "t1", ONE),
        (rbind, runtime.brighten, TWO),
        ("t3", "t2"),
        (apply, "t3", (GRID, GRID)),
        (runtime.twice, "t3", GRID),
        (runtime.twice, rot90, "t6"),
        (runtime.brighten, ONE, ONE),
    ]
    env = gpu()
    assert run_lines(env, raised) == run_lines(Env(0, "00d62c1b", PAIRS), raised)
    if "native" in AVAILABLE:
        assert env.stats.ops == {"native": 3, "reference": 5}


@pytest.mark.parametrize("there", [registered, own_ops])
@pytest.mark.parametrize("begun", ["before", "inside"])
def test_an_op_that_comes_and_goes_while_an_environment_is_at_work(
    there: Callable[..., AbstractContextManager[None]], begun: str
) -> None:
    environments = (Env(0, "x", ()), gpu())
    if begun == "before":
        assert [env.do_pile(1, [add, ONE, TWO]) for env in environments] == [OKT(True, 3)] * 2
    with there(brighten):
        op = runtime.brighten
        lines: list[Line] = [
            (op, GRID, ONE),
            (rbind, op, ONE),
            ("t2", GRID),
            (apply, "t2", (GRID,)),
            (identity, op),
        ]
        outcomes, inside = (run_lines(env, lines) for env in environments)
        assert inside == outcomes
        assert inside[0] == OKT(True, ((2, 3), (4, 5)))
    outcomes, outside = (run_lines(env, lines) for env in environments)
    assert outside == outcomes
    assert not outside[0].ok or outside[0].t == ()
    outcomes, later = (env.do_pile(9, [inside[1].t, GRID]) for env in environments)
    assert later == outcomes


@native_only
def test_an_op_may_use_the_environment_that_runs_it() -> None:
    env = gpu()
    seen: list[OKT] = []

    def nosy(number: Integer) -> Integer:
        seen.append(env.do_pile(9, [rot90, ((number, 2), (3, 4))]))
        return number

    with registered(nosy):
        assert env.do_pile(1, [apply, ab.fn("nosy"), (7, 8, 9)]) == OKT(True, (7, 8, 9))
    assert [okt.t for okt in seen] == [((3, number), (4, 2)) for number in (7, 8, 9)]
    assert env.stats.ops == {"native": 1, "reference": 3}


def test_an_interruption_inside_an_op_gets_out_and_leaves_the_environment_sound() -> None:
    def interrupted(number: Integer) -> Integer:
        raise KeyboardInterrupt

    env = gpu()
    with registered(interrupted):
        for number in range(300):
            with pytest.raises(KeyboardInterrupt):
                env.do_pile(number, [apply, ab.fn("interrupted"), (1, 2)])
    assert env.do_pile(301, [apply, rot90, (GRID, GRID)]) == OKT(True, (((3, 1), (4, 2)),) * 2)
    assert env.failures == 0


def test_threads_with_environments_of_their_own_do_not_meet() -> None:
    results: dict[int, list[OKT]] = {}

    def work(number: int) -> None:
        def shade(grid: Grid) -> Grid:
            return tuple(tuple(number for _ in row) for row in grid)

        with own_ops(shade):
            env, outcomes = gpu(), []
            for _ in range(50):
                outcomes += run_lines(
                    env, [(runtime.shade, GRID), (apply, runtime.shade, (GRID,)), (colorcount, "t1", number)]
                )
            results[number] = outcomes

    threads = [Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(4):
        shaded = ((number, number), (number, number))
        assert results[number] == [OKT(True, shaded), OKT(True, (shaded,)), OKT(True, 4)] * 50


@pytest.mark.slow
@native_only
def test_after_cleanup_values_that_are_held_live_and_the_account_stands() -> None:
    with gpu() as env:
        kept = env.do_pile(1, [rot90, GRID]).t
        before = env.stats
    gc.collect()
    assert env.stats == before
    assert kept == ((3, 1), (4, 2))
    assert env.do_pile(2, [rot90, kept]) == OKT(True, ((4, 3), (2, 1)))
    assert env.stats.ops["native"] == 2


@native_only
def test_what_nobody_holds_is_let_go_when_the_budget_is_reached() -> None:
    env = gpu(budget=100_000)
    row = tuple(range(1000))
    kept = [env.do_pile(number, [rot90, (row,)]).t for number in range(200)]
    assert kept == [tuple((number,) for number in row)] * 200
    assert 2 < env.stats.uploads < 20
    first_and_last = [env.do_pile(1, [get_nth_t, resident, 999]).t for resident in (kept[0], kept[-1])]
    assert first_and_last == [(999,), (999,)]


@native_only
def test_large_values_fail_or_fit_and_leave_the_environment_sound() -> None:
    lines: list[Line] = [
        (repeat, 7, 200_000),
        (combine, "t1", "t1"),
        (repeat, "t1", 2),
        (mapply, rbind_repeat := ab.fn("rbind", ab.fn("repeat"), 3000), tuple(range(200))),
        (apply, rbind_repeat, tuple(range(80))),
        (size, "t1"),
        (sfilter, "t1", ab.fn("matcher", ab.fn("identity"), 7)),
        (size, "t7"),
    ]
    assert run_lines(gpu(), lines) == run_lines(Env(0, "x", ()), lines)


def test_the_ratio_is_measured_on_the_lines_that_ran(capsys: pytest.CaptureFixture[str]) -> None:
    env = gpu(keep_lines=True)
    run_lines(env, [line for lines in LINES.values() for line in lines if not any(map(is_name, line))])
    run_lines(env, LINES["functions"])
    before = env.stats
    assert env.measure_ratio() > 0
    assert env.stats.ops == before.ops
    env.print_stats(measure=True)
    printed = capsys.readouterr().out
    assert "times as fast as the reference" in printed
    assert f"native {before.ops['native']:,}" in printed


def is_name(part: Any) -> bool:
    return isinstance(part, str)


def test_lines_that_were_not_kept_cannot_be_measured() -> None:
    with pytest.raises(ab.ArcbattError, match="keep_lines=True"):
        gpu().measure_ratio()


@pytest.mark.process
@pytest.mark.parametrize("switch", ["", "1"])
def test_it_says_once_that_there_is_no_gpu(switch: str) -> None:
    program = (
        "from arcbatt.batt.residency.gpu_env import GPUEnv\n"
        "from arcbatt.batt.runtime import rot90\n"
        "quiet = GPUEnv(0, 'x', (), None, enable_gpu=False)\n"
        "print(GPUEnv(0, 'x', ()).do_pile(1, [rot90, ((1, 2),)]))\n"
        "print(GPUEnv(0, 'x', (), None, enable_gpu=True).do_pile(1, [rot90, ((1, 2),)]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**environ, "ARCBATT_REFERENCE": switch or environ.get("ARCBATT_REFERENCE", "")},
    )
    assert done.stdout == "OKT(ok=True, t=((1,), (2,)))\n" * 2
    assert done.stderr.count("there is no GPU") == 1
    assert ("reference" if switch else "native") in done.stderr or "native" not in AVAILABLE


@pytest.mark.parametrize("copy", [pickle.dumps, deepcopy])
def test_an_environment_says_that_it_cannot_be_pickled(copy: Callable[[Any], Any]) -> None:
    with GPUEnv(0, "00d62c1b", (), enable_gpu=False) as env:
        outcome = env.do_pile(1, [rot90, ((1, 2), (3, 4))])
        with pytest.raises(ab.ArcbattError, match="a GPUEnv cannot be pickled or copied") as refused:
            copy(env)
    assert "\n" not in str(refused.value)
    assert pickle.loads(pickle.dumps(outcome)) == outcome
