"""`GPUEnv` as the papers write it: its arguments, where it runs and why, its transfers and its statistics."""

import subprocess
import sys
from os import environ
from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from arcbatt import Env, GPUEnv, GPUTransferManager, Selection, batch_dsl_context
from arcbatt.batt.residency import gpu_env
from arcbatt.batt.runtime import ONE, ZERO, add, combine, divide, hmirror, identity, rot90, vmirror
from arcbatt.engine.choose import AVAILABLE
from arcbatt.errors import BackendError
from support.batt_functions import Load
from support.plain_batts import function_of

pytestmark = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")
GRID = ((1, 2), (3, 4))
TASK = "67a3c6ac"


def said_by(program: str, **variables: str) -> tuple[str, str]:
    """What a program prints, on standard output and on standard error, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**environ, **variables},
    )
    return done.stdout, done.stderr


LINES = """
from arcbatt import GPUEnv
from arcbatt.batt.runtime import rot90
for _ in range(2):
    env = GPUEnv(7, 'task', (), None, 0{options})
    print(env.backend, env.do_pile(1, [rot90, ((1, 2),)], True))
"""


@pytest.mark.process
def test_where_single_lines_do_not_pay_it_stays_on_the_cpu_and_says_once_why() -> None:
    out, error = said_by(LINES.format(options=""), ARCBATT_AUTO_DEVICE="emulated")
    assert out == "native OKT(ok=True, t=((1,), (2,)))\n" * 2
    assert error.count("\n") == 1
    assert "GPUEnv runs on the CPU; enable_gpu='force' uses the GPU: a line takes" in error
    assert "us on the GPU and" in error


def test_where_single_lines_pay_it_runs_on_the_gpu_and_says_once_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARCBATT_AUTO_DEVICE", "emulated")
    # No device of a machine without a GPU is faster than its CPU, so the times are given.
    monkeypatch.setattr(gpu_env, "seconds_of_a_line", lambda gpu: 2e-6 if gpu else 9e-6)
    gpu_env.place_of_lines.cache_clear()
    try:
        envs = [GPUEnv(7, TASK, ()) for _ in range(2)]
    finally:
        gpu_env.place_of_lines.cache_clear()
    assert [env.backend for env in envs] == ["emulated", "emulated"]
    assert envs[0].do_pile(1, [rot90, GRID], True).t == ((3, 1), (4, 2))
    error = capsys.readouterr().err
    assert error.endswith(": a line takes 2 us on the GPU and 9.0 us on the CPU\n")
    assert error.count("\n") == 1


@pytest.mark.process
def test_enable_gpu_force_runs_on_the_gpu() -> None:
    out, error = said_by(LINES.format(options=", enable_gpu='force'"), ARCBATT_AUTO_DEVICE="emulated")
    assert (out, error) == ("emulated OKT(ok=True, t=((1,), (2,)))\n" * 2, "")


@pytest.mark.process
def test_a_gpu_that_is_forced_must_be_there() -> None:
    program = (
        "from arcbatt import GPUEnv\n"
        "try:\n    GPUEnv(7, 'task', (), None, 0, enable_gpu='force')\n"
        "except Exception as error:\n    print(type(error).__name__, error)\n"
    )
    assert said_by(program, ARCBATT_AUTO_DEVICE="none")[0].startswith("BackendError enable_gpu is 'force'")
    if not ab.check_gpu_status().usable:
        assert said_by(program, ARCBATT_AUTO_DEVICE="cuda")[0].startswith("BackendError")


@pytest.mark.parametrize("enable_gpu", ["always", None])
def test_enable_gpu_is_a_flag_or_force(enable_gpu: Any) -> None:
    with pytest.raises(ab.ArcbattError, match="enable_gpu"):
        GPUEnv(7, TASK, (), enable_gpu=enable_gpu)


def test_a_batt_on_a_gpu_makes_fewer_than_ten_transfers_and_says_which_lines_did(load: Load) -> None:
    env = GPUEnv(7, TASK, (), None, 0, backend="emulated")
    t1 = env.do_pile(1, [rot90, GRID], True)
    t2 = env.do_pile(2, [hmirror, t1.t], t1.ok)
    t3 = env.do_pile(3, [combine, t2.t, ((5, 6),)], t2.ok)
    t4 = env.do_pile(4, [vmirror, GRID], True)
    assert (t3.t, t4.t) == (((4, 2), (3, 1), (5, 6)), ((2, 1), (4, 3)))
    stats = env.stats
    assert dict(stats.uploads_by_line) == {1: 1, 3: 1}
    assert (stats.uploads, stats.uploads + stats.downloads < 10) == (2, True)
    assert stats.ops["emulated"] == 4


def test_data_that_was_read_fewer_than_three_times_is_not_uploaded_by_itself() -> None:
    manager: GPUTransferManager[Any] = GPUTransferManager()
    assert [manager.read(GRID) is GRID for _ in range(2)] == [True, True]
    assert (manager.uploads, GRID in manager) == (0, False)
    assert manager.read(GRID) == GRID
    assert (manager.uploads, manager.uploads_of_hot, GRID in manager) == (1, 1, True)
    needed = manager.to_device(((9,),))
    assert manager.to_host(needed) == ((9,),)
    assert (manager.uploads, manager.uploads_of_hot) == (2, 1)


@pytest.mark.parametrize("backend", ["native", "emulated"])
def test_print_stats_is_the_block_of_the_papers(backend: str, capsys: pytest.CaptureFixture[str]) -> None:
    env = GPUEnv(7, TASK, (), backend=backend)
    grid: Any = GRID
    for number in range(1, 151):
        grid = env.do_pile(number, [(rot90, hmirror)[number % 2], grid], True).t
    env.do_pile(151, [divide, ONE, ZERO], True)
    before = env.stats
    env.print_stats()
    rows = {line[2:18].strip(): line[18:] for line in capsys.readouterr().out.splitlines()[1:]}
    on_gpu = before.ops.get("emulated", 0)
    on_cpu = before.ops["native"] + before.ops["reference"]
    assert on_gpu + on_cpu == 151
    assert rows["GPU operations"] == f"{on_gpu:,} ({on_gpu / 151:.1%})"
    assert rows["CPU operations"].startswith(f"{on_cpu:,} ({on_cpu / 151:.1%})")
    assert set(rows) >= {"GPU time", "CPU time", "transfers", "uploads by line", "failures", "backend"}
    assert rows["speed-up"].endswith("sampled lines")
    count = int(rows["speed-up"].split()[-3])
    assert 32 <= count < 64
    assert env.stats == before


def test_after_cleanup_there_is_nothing_to_measure(capsys: pytest.CaptureFixture[str]) -> None:
    env = GPUEnv(7, TASK, (), enable_gpu=False)
    for number in range(3):
        env.do_pile(number, [add, ONE, ONE], True)
    env.cleanup()
    env.print_stats()
    assert "not measured" in capsys.readouterr().out


def test_the_statistics_do_not_hold_what_no_line_holds() -> None:
    env = GPUEnv(7, TASK, (), enable_gpu=False, budget=1 << 18)
    for number in range(3000):
        assert env.do_pile(number, [identity, ((number % 9,) * 30,) * 30], True).ok
    assert sum(env.stats.ops.values()) == 3000


SWITCHED = """
from arcbatt.batt.runtime import *
def batt(task_id, S, I, C, log_path):
    s = []
    o = []
    env = Env(7, task_id, S, log_path)
    t1 = env.do_pile(1, [rot90, I], True)
    t2 = env.do_pile(2, [hmirror, t1.t], t1.ok)
    o.append((2, False, '67a3c6ac', t2))
    return o, s
"""


def test_one_selection_switches_an_op_off_in_each_drop_in(load: Load, tmp_path: Path) -> None:
    selection = Selection()
    selection.choose("rot90", "reference")
    (task,) = ab.load_tasks(TASK)
    (tmp_path / "batt.py").write_text(SWITCHED, "utf-8")
    calls = [(task.id, task.pairs, given, expected, None) for given, expected in task.samples]
    batt, made = function_of(SWITCHED), []

    def env(*arguments: Any) -> GPUEnv:
        made.append(GPUEnv(*arguments, enable_gpu=False, selection=selection))
        return made[-1]

    expected = [batt(*call) for call in calls]
    batt.__globals__["Env"] = env
    assert [batt(*call) for call in calls] == expected
    assert [(one.stats.ops["reference"], one.stats.ops["native"]) for one in made] == [(1, 1)] * len(calls)
    batt.__globals__["Env"] = Env
    module = load(SWITCHED)
    with batch_dsl_context(selection=selection) as batch:
        assert batch.map(module.batt, calls) == [module.batt(*call) for call in calls] == expected
    assert batch.report.direct_calls == len(calls)
    with ab.MegaBatchCoordinator(
        str(tmp_path / "batt.py"), selection=selection, enable_gpu=False, max_workers=1
    ) as coordinator:
        inputs = coordinator.collect_inputs(ab.load_tasks(TASK))
        results = coordinator.process_batch(inputs)
        assert [(list(one.o_result), list(one.s_result)) for one in results] == expected


def test_a_forced_backend_without_devices_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    if ab.check_gpu_status().usable:
        pytest.skip("there is a GPU")
    with pytest.raises(BackendError):
        GPUEnv(7, TASK, (), backend="cuda")
