"""Code that follows the papers runs without edits: each class and call by its own words, in either way."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from arcbatt import (
    OKT,
    BatchInput,
    BatchResult,
    Env,
    GPUDSLOperations,
    GPUEnv,
    GPUTransferManager,
    MegaBatchCoordinator,
    batch_dsl_context,
    check_gpu_status,
    register_op,
    unregister_op,
)
from arcbatt.batt.runtime import ONE, R2, TWO, ZERO, add, compose, divide, first, get_nth_t, mir_rot_t, rot90
from arcbatt.dsl.types import Grid

TASK = "67a3c6ac"
GRID = ((1, 2), (3, 4))
TURNED = ((3, 1), (4, 2))
BATT = """
from pile import *

def batt(task_id, S, I, C, log_path):
    s = []
    o = []
    env = Env(3, task_id, S, log_path)
    t1 = env.do_pile(1, [mir_rot_t, I, R2], True)
    o.append((1, False, '67a3c6ac', t1))
    return o, s
"""


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a batt, in which the code runs."""
    (tmp_path / "batt.py").write_text(BATT, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_okt_is_a_named_tuple() -> None:
    okt = OKT(True, 5)
    ok, t = okt
    assert (ok, t, okt.ok, okt.t) == (True, 5, True, 5)
    assert OKT(ok=False, t=None) == (False, None)


@pytest.mark.parametrize("environment", [Env, GPUEnv])
def test_lines_of_an_environment(environment: Callable[..., Any], tmp_path: Path) -> None:
    log = tmp_path / "log"
    env = environment(3, TASK, (), str(log))
    t1 = env.do_pile(1, [mir_rot_t, GRID, R2], True)
    t2 = env.do_pile(2, [first, t1.t], t1.ok)
    t3 = env.do_pile(t_num=3, pile=[divide, ONE, ZERO], isok=True)
    t4 = env.do_pile(4, [add, t3.t, ONE], t3.ok and t2.ok)
    assert (t1.t == ((2, 1), (4, 3)), t2.t == (2, 1), t3, t4) == (True, True, (False, None), (False, None))
    assert env.do_pile(5, None) == OKT(False, None)
    assert env.exceptions == 1
    assert "t3 ZERO" in log.read_text("utf-8")


def test_env_takes_a_score() -> None:
    assert (
        Env(3, TASK, (), None, 7).score == Env(seed=3, task_id=TASK, S=(), log_path=None, score=7).score == 7
    )


def test_an_environment_on_the_engine_gives_account(capsys: pytest.CaptureFixture[str]) -> None:
    env = GPUEnv(3, TASK, (), None, True)
    assert env.do_pile(1, [rot90, GRID], True).t == TURNED
    env.do_pile(2, [get_nth_t, (), ZERO], True)
    env.print_stats()
    assert "failures" in capsys.readouterr().out
    stats = env.stats
    assert sum(stats.ops.values()) == 2
    assert stats.uploads + stats.downloads < 10
    env.cleanup()
    assert (
        GPUEnv(seed=3, task_id=TASK, S=(), log_path=None, enable_gpu=False).do_pile(1, [add, ONE, TWO]).t == 3
    )


def test_transfers_are_counted_and_hot_data_stays() -> None:
    manager: GPUTransferManager[Any] = GPUTransferManager()
    for _ in range(3):
        resident = manager.to_device(GRID)
    assert manager.to_host(resident) == GRID
    assert (manager.uploads, manager.downloads, GRID in manager) == (1, 1, True)


def test_ops_come_and_go() -> None:
    def brightened(grid: Grid) -> Grid:
        return tuple(tuple(color + 1 for color in row) for row in grid)

    register_op(brightened)
    try:
        assert ab.call("brightened", GRID) == ((2, 3), (4, 5))
        assert GPUDSLOperations().batch("brightened", [GRID]) == [((2, 3), (4, 5))]
    finally:
        unregister_op("brightened")


def test_the_status_of_gpus_stands_beside_the_environment() -> None:
    from arcbatt.batt.residency.gpu_env import check_gpu_status as beside
    from arcbatt.compat.gpu_env import check_gpu_status as historical

    assert beside is check_gpu_status is historical
    assert check_gpu_status().usable in (True, False)


def test_inputs_and_results_of_batches() -> None:
    given = BatchInput(TASK, 0, "demo", 1, (), GRID, None, None)
    named = BatchInput(
        task_id=TASK, task_idx=0, sample_type="demo", sample_idx=1, S=(), I=GRID, C=None, log_path=None
    )
    assert given == named
    assert given.to_args() == (TASK, (), GRID, None, None)
    result = BatchResult(0, [(1, False, TASK, GRID)], [])
    assert (result.batch_idx, result.o_result, result.s_result, result.status) == (
        0,
        [(1, False, TASK, GRID)],
        [],
        "ok",
    )


@pytest.mark.usefixtures("in_folder")
def test_a_coordinator_step_by_step() -> None:
    coordinator = MegaBatchCoordinator(
        batt_module_name="batt", batch_size=2, enable_gpu=True, parallel=True, max_workers=2
    )
    (task,) = ab.load_tasks(TASK)
    total_data = {
        kind: {TASK: [{"input": list(map(list, I)), "output": list(map(list, C))} for I, C in samples]}
        for kind, samples in (("demo", task.demo), ("test", task.test))
    }
    inputs = coordinator.collect_inputs(total_data, [TASK], None)
    batches = coordinator.create_batches(inputs)
    results = [coordinator.process_batch(batch, batch_idx) for batch_idx, batch in enumerate(batches)]
    merged = coordinator.merge_results(inputs, results)
    assert [len(batch) for batch in batches] == [2, 2]
    assert merged[TASK]["test"][0]["o"][0][3] == OKT(True, task.test[0].output)
    assert coordinator.process_all(total_data, [TASK], None)[0] == merged


@pytest.mark.usefixtures("in_folder")
def test_a_coordinator_in_one_call() -> None:
    for coordinator in (
        MegaBatchCoordinator(use_gpu=True),
        MegaBatchCoordinator("batt", 1000, False, False, 1),
    ):
        results, seconds = coordinator.process_all(
            total_data=ab.load_tasks(TASK), task_list=[TASK], log_path=None
        )
        assert set(results[TASK]) == {"demo", "test"}
        assert seconds > 0


CELLS = frozenset({(1, (0, 0)), (1, (0, 1))})
BATCHES: dict[str, tuple[dict[str, Any], Any]] = {
    "batch_o_g": ({"grids": [((0, 1),)], "kinds": [5]}, [frozenset({frozenset({(1, (0, 1))})})]),
    "batch_mapply": ({"func": first, "containers": [((GRID,), (GRID,))]}, [(*GRID, *GRID)]),
    "batch_apply": ({"func": first, "containers": [GRID]}, [(1, 3)]),
    "batch_compose": ({"funcs": [add, rot90], "args": [(1, 2), (GRID,)]}, [3, TURNED]),
    "batch_colorfilter": ({"objects": [frozenset({CELLS})], "colors": [2]}, [frozenset()]),
    "batch_p_g": ({"grids": [GRID]}, [(1, 2, 3, 4)]),
    "batch_fgpartition": ({"grids": [((0, 0, 1),)]}, [frozenset({frozenset({(1, (0, 2))})})]),
    "batch_difference": ({"containers": [frozenset({1, 2})], "others": [frozenset({2})]}, [frozenset({1})]),
    "batch_difference_tuple": ({"tuples": [(1, 2)], "others": [(2,)]}, [(1,)]),
    "batch_f_ofcolor": ({"grids": [GRID], "colors": [3]}, [frozenset({(1, 0)})]),
    "batch_replace": ({"grids": [GRID], "replacees": [1], "replacers": [9]}, [((9, 2), (3, 4))]),
    "batch_fill": (
        {"grids": [GRID], "colors": [0], "patches": [frozenset({(0, 0)})]},
        [((0, 2), (3, 4))],
    ),
    "batch_colorcount": ({"elements": [GRID], "colors": [2]}, [1]),
    "batch_rot90": ({"grids": [GRID]}, [TURNED]),
    "batch_flip": ({"grids": [GRID]}, [((4, 3), (2, 1))]),
    "batch_transpose": ({"grids": [GRID]}, [((1, 3), (2, 4))]),
}


@pytest.mark.parametrize("name", BATCHES)
def test_a_batch_of_an_op(name: str) -> None:
    operations = GPUDSLOperations(enable_gpu=True)
    columns, expected = BATCHES[name]
    assert getattr(operations, name)(**columns) == expected
    assert list(getattr(operations, name)(*columns.values())) == expected
    assert operations.get_stats().calls >= 2


def test_a_batch_of_any_op() -> None:
    operations = GPUDSLOperations(False)
    assert operations.batch("vmirror", [GRID]) == [((2, 1), (4, 3))]
    assert operations.batch(compose(first, rot90), [GRID]) == [(3, 1)]


def batt(task_id: Any, S: Any, I: Any, C: Any, log_path: Any) -> Any:
    s = []
    o = []
    t1 = rot90(I)
    o.append((1, False, "67a3c6ac", t1))
    return o, s


def test_a_context_around_calls() -> None:
    with batch_dsl_context(gpu_ops=GPUDSLOperations(), enable_gpu=True) as context:
        assert batt(TASK, (), GRID, None, None) == ([(1, False, TASK, TURNED)], [])
    assert context.report.direct_ops == 1
    with batch_dsl_context(GPUDSLOperations(), False) as context:
        results = context.map(batt, [(TASK, (), GRID, None, None)] * 3)
    assert results == [([(1, False, TASK, TURNED)], [])] * 3
    assert (context.report.inputs, context.fallbacks) == (3, [])
