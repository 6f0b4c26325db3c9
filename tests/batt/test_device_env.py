"""A GPUEnv on a device gives what an Env gives, leaves values there, and survives the loss of the device."""

import gc
import pickle
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.batt.env import OKT, Env
from arcbatt.batt.residency.gpu_env import GPUEnv
from arcbatt.batt.runtime import (
    ONE,
    THREE,
    T,
    add,
    combine,
    compose,
    divide,
    first,
    last,
    objects,
    order,
    palette,
    rbind,
    repeat,
    rot90,
    size,
)
from arcbatt.dsl.values import Function
from arcbatt.engine.choose import AVAILABLE
from arcbatt.errors import ArcbattError
from arcbatt.library import load_library
from arcbatt.program.batt_files.write import batt_source
from arcbatt.program.merge import batt_of
from support.batt_lines import GRID, LINES, PAIRS, Line, run_lines
from support.plain_batts import function_of

pytestmark = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")


@pytest.fixture(autouse=True)
def _in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARCBATT_EMULATED", "seed=7")


def on_device(**options: Any) -> GPUEnv:
    return GPUEnv(0, "00d62c1b", PAIRS, backend="emulated", **options)


@pytest.mark.parametrize("name", LINES)
def test_every_line_gives_what_it_gives_in_an_env(name: str) -> None:
    lines = LINES[name]
    there, here = Env(0, "00d62c1b", PAIRS), on_device()
    assert run_lines(here, lines) == run_lines(there, lines)
    assert here.failures == there.failures == sum(here.stats.failures.values())


def test_a_batt_runs_on_the_device_with_few_transfers_of_data(monkeypatch: pytest.MonkeyPatch) -> None:
    batt = function_of(batt_source(batt_of(load_library("solvers")[:4], load_library("differs")[:2]), "pile"))
    made: list[GPUEnv] = []

    def env(*arguments: Any) -> GPUEnv:
        made.append(GPUEnv(*arguments, backend="emulated"))
        return made[-1]

    task = ab.load_tasks("arc1/training")[0]
    arguments = (task.id, task.pairs, *task.samples[0], None)
    expected = batt(*arguments)
    monkeypatch.setitem(batt.__globals__, "Env", env)
    results = batt(*arguments)
    stats = made[-1].stats
    assert stats.ops["emulated"] > 20
    assert stats.ops["native"] == stats.ops["reference"] == 0
    assert results == expected
    stats = made[-1].stats
    assert stats.uploads + stats.downloads < 10


def test_a_resident_is_used_as_the_value_it_stands_for() -> None:
    lines: list[Line] = [(rot90, GRID), (palette, GRID), (rbind, add, THREE), (compose, first, last)]
    rotated, colors, function, composed = (okt.t for okt in run_lines(on_device(), lines))
    assert rotated == ((3, 1), (4, 2)) != colors
    assert {rotated: 1}[(3, 1), (4, 2)] == 1
    assert (list(rotated), rotated[0], len(rotated), (4, 2) in rotated) == ([(3, 1), (4, 2)], (3, 1), 2, True)
    assert (2 in colors, bool(colors), repr(function)) == (True, True, "rbind(add, 3)")
    assert (function(4), composed(rotated)) == (7, 4)
    again = pickle.loads(pickle.dumps([rotated, colors, function]))
    assert again == [rotated, colors, function]
    assert [type(value) for value in again] == [tuple, frozenset, Function]


def test_residents_may_be_used_in_other_environments() -> None:
    lines: list[Line] = [(rot90, GRID)]
    (one,), (other,) = run_lines(on_device(), lines), run_lines(GPUEnv(0, "x", (), enable_gpu=False), lines)
    for env in (on_device(), GPUEnv(0, "x", (), enable_gpu=False), Env(0, "x", ())):
        parts = (one.t, other.t) if isinstance(env, GPUEnv) else (one.t.value(), other.t.value())
        assert env.do_pile(2, [combine, *parts]) == OKT(True, ((3, 1), (4, 2)) * 2)


@pytest.mark.parametrize("call", [1, 4, 9, 14, 20])
def test_a_lost_device_loses_no_value(
    call: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARCBATT_EMULATED", f"lost={call}")
    lines: list[Line] = [
        (rot90, GRID),
        (objects, "t1", T, T, T),
        (order, "t2", size),
        (first, "t3"),
        (rbind, combine, "t1"),
        ("t5", "t1"),
        (divide, ONE, 0),
        (repeat, "t6", 2),
    ]
    outcomes = run_lines(on_device(), lines)
    assert outcomes == run_lines(Env(0, "00d62c1b", PAIRS), lines)
    said = capsys.readouterr().err
    assert "the device is lost; " in said
    assert said.endswith("runs on the CPU\n")
    assert said.count("\n") == 1


def test_what_nobody_can_look_at_leaves_the_device() -> None:
    env = on_device(budget=1 << 20)
    large = ((1,) * 100,) * 100
    for number in range(300):
        outcome = env.do_pile(number, [rot90, large])
    assert outcome.t == large
    assert env.stats.ops["emulated"] == 300
    device = env._gpu
    assert device is not None
    env.cleanup()
    before = device.free_memory()
    del outcome
    gc.collect()
    assert device.free_memory() > before


def test_a_backend_must_be_one() -> None:
    with pytest.raises(
        ArcbattError, match="backend: expected one of auto, native, cuda, emulated, got 'steam'"
    ):
        GPUEnv(0, "x", (), backend="steam")
