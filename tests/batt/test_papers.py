"""Code that follows the papers runs without edits: each class and call by its own words, in either way."""

import json
import pickle
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import arcbatt as ab
from arcbatt import (
    OKT,
    BatchContext,
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
from arcbatt.batt.historical.function_profile import profile_batt_operations
from arcbatt.batt.historical.samples_batch import batch_batt_gpu
from arcbatt.batt.runtime import ONE, R2, TWO, ZERO, add, compose, divide, first, get_nth_t, mir_rot_t, rot90
from arcbatt.dsl.types import Grid
from arcbatt.program.batt_files.write import batt_source
from arcbatt.program.merge import batt_of

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


@pytest.mark.parametrize("environment", [Env, GPUEnv])
def test_an_environment_takes_a_score(environment: Callable[..., Any]) -> None:
    assert environment(3, TASK, (), None, 7).score == 7
    assert environment(seed=3, task_id=TASK, S=(), log_path=None, score=7).score == 7


@pytest.mark.parametrize("environment", [Env, GPUEnv])
def test_an_environment_needs_no_arguments(environment: Callable[..., Any]) -> None:
    env = environment()
    assert (env.seed, env.task_id, env.S, env.log_path, env.score) == (0, "", (), None, 0)
    assert env.do_pile(1, [rot90, GRID], True) == OKT(True, TURNED)


def test_enable_gpu_is_given_by_its_name() -> None:
    with pytest.raises(TypeError, match="positional arguments"):
        GPUEnv(3, TASK, (), None, 0, True)  # type: ignore[misc]


def test_an_environment_on_the_engine_gives_account(capsys: pytest.CaptureFixture[str]) -> None:
    env = GPUEnv(3, TASK, (), None, enable_gpu=True)
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


def test_the_status_of_gpus_is_printed_and_returned(capsys: pytest.CaptureFixture[str]) -> None:
    check_gpu_status()
    printed = capsys.readouterr().out
    status = check_gpu_status()
    assert printed.splitlines() == status.lines()
    assert status.usable is (status.reason is None and bool(status.devices))
    assert "driver" in printed


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
    assert context.report.direct_calls == 1
    with batch_dsl_context(GPUDSLOperations(), False) as context:
        results = context.map(batt, [(TASK, (), GRID, None, None)] * 3)
    assert results == [([(1, False, TASK, TURNED)], [])] * 3
    assert (context.report.inputs, context.fallbacks) == (3, [])


PAPER_COLUMNS: dict[str, tuple[dict[str, Any], Any]] = {
    "batch_o_g": (
        {"grids_batch": [((0, 1),)], "rotations_batch": [5]},
        [frozenset({frozenset({(1, (0, 1))})})],
    ),
    "batch_mapply": ({"func": first, "grids_list": [((GRID,), (GRID,))]}, [(*GRID, *GRID)]),
    "batch_apply": ({"func": first, "samples_list": [GRID]}, [(1, 3)]),
    "batch_compose": ({"funcs_batch": [add, rot90], "args_batch": [(1, 2), (GRID,)]}, [3, TURNED]),
    "batch_colorfilter": ({"objects_batch": [frozenset({CELLS})], "colors_batch": [2]}, [frozenset()]),
}


@pytest.mark.parametrize("name", PAPER_COLUMNS)
def test_a_batch_by_the_keywords_of_the_papers(name: str) -> None:
    columns, expected = PAPER_COLUMNS[name]
    assert getattr(GPUDSLOperations(), name)(**columns) == expected
    with pytest.raises(TypeError):
        getattr(GPUDSLOperations(), name)(**columns, gpus=1)


def test_operations_say_whether_they_use_a_gpu() -> None:
    assert GPUDSLOperations().use_gpu is False
    assert GPUDSLOperations(enable_gpu=False).use_gpu is False
    assert GPUDSLOperations(backend="emulated").use_gpu is True


def plus_one(number: int) -> int:
    return number + 1


def test_python_functions_in_a_column_of_functions() -> None:
    operations = GPUDSLOperations()
    with pytest.warns(RuntimeWarning, match="runs as plain Python") as told:
        found = operations.batch_compose(
            [lambda x: x + 1, rot90, plus_one, lambda x: x / 0], [(1,), (GRID,), (2,), (3,)]
        )
    assert operations.batch_compose([(first, lambda grid: grid[::-1])], [(GRID,)]) == [(3, 4)]
    assert list(found)[:3] == [2, TURNED, 3]
    assert found[3] == ab.Failure("ZERO")
    assert len(told) == 1
    assert "<lambda>, plus_one in batch_compose" in str(told[0].message)
    assert told[0].filename == __file__


def test_a_row_with_too_many_arguments_for_a_python_function_costs_only_itself() -> None:
    operations = GPUDSLOperations()
    with pytest.warns(RuntimeWarning, match="<lambda> in batch_compose"):
        found = operations.batch_compose([rot90, lambda x: x, lambda x: x], [(GRID,), tuple(range(6)), (5,)])
    assert found == [TURNED, ab.Failure("TYPE"), 5]


def test_python_functions_that_an_op_applies() -> None:
    operations = GPUDSLOperations()
    with pytest.warns(RuntimeWarning, match="plus_one in batch_apply runs as plain Python"):
        assert operations.batch_apply(plus_one, [(1, 2), frozenset({3}), 5]) == [
            *((2, 3), frozenset({4}), ab.Failure("TYPE"))
        ]
    with pytest.warns(RuntimeWarning, match="batch_mapply"):
        rows = operations.batch_mapply(func=lambda grid: grid[:1], grids_list=[(GRID, TURNED), (GRID,)])
    assert rows == [((1, 2), (3, 1)), ((1, 2),)]
    assert operations.batch_rot90(rows) == [((3, 1), (1, 2)), ((1,), (2,))]
    with pytest.warns(RuntimeWarning, match="batch_sfilter"):
        assert operations.batch("sfilter", [(1, 2, 3)], lambda number: number > 1) == [(2, 3)]


def test_wrappers_patch_a_module() -> None:
    operations = GPUDSLOperations()
    dsl = ModuleType("dsl")
    dsl.o_g = operations.batch_o_g_wrapper  # type: ignore[attr-defined]
    dsl.mapply = operations.batch_mapply_wrapper  # type: ignore[attr-defined]
    assert dsl.o_g(((0, 1),), 5) == frozenset({frozenset({(1, (0, 1))})})
    assert dsl.mapply(operations.batch_vmirror_wrapper, (GRID, GRID)) == ((2, 1), (4, 3)) * 2
    assert dsl.o_g(None, 5) == frozenset()
    assert list(signature(dsl.o_g).parameters) == ["grid", "type"]
    assert (dsl.o_g == ab.fn("o_g"), operations.get_stats().calls) == (True, 2)
    with pytest.raises(AttributeError, match="batch_o_gg_wrapper"):
        _ = operations.batch_o_gg_wrapper


def test_a_context_collects_calls_up_to_a_threshold() -> None:
    from arcbatt.batt.runtime import mapply, vmirror

    context = BatchContext(batch_threshold=10)
    collected = context.wrap_mapply(mapply)
    results = [collected(vmirror, (GRID,)) for _ in range(9)]
    assert (len(context.operation_buffer), context.gpu_ops.get_stats().calls) == (9, 0)
    last = collected(vmirror, (TURNED,))
    assert (len(context.operation_buffer), context.gpu_ops.get_stats().calls) == (0, 1)
    assert results == [((2, 1), (4, 3))] * 9
    assert context.get_result() == context.get_result(last) == ((1, 3), (2, 4))


def test_collected_calls_run_on_flush_and_when_they_are_looked_at() -> None:
    context = BatchContext()
    turn, joined = context.wrap_rot90(rot90), context.wrap("add", add)
    turned = turn(GRID)
    again = turn(turned)
    two = joined(ONE, ONE)
    assert len(context.operation_buffer) == 3
    context.flush_batch()
    assert context.operation_buffer == []
    assert (turned, again, two) == (TURNED, ((4, 3), (2, 1)), 2)
    waiting = turn(GRID)
    assert [list(row) for row in waiting] == [[3, 1], [4, 2]]
    assert ab.call("rot90", turn(GRID)) == ((4, 3), (2, 1))
    with context:
        late = turn(GRID)
    assert late.is_there
    assert pickle.loads(pickle.dumps(late)) == TURNED
    with pytest.raises(ab.ArcbattError, match="no call was collected"):
        BatchContext().get_result()


def test_a_collected_call_that_fails_does_what_its_function_does() -> None:
    from arcbatt.compat import dsl

    context = BatchContext(batch_threshold=2)
    raising, safe = context.wrap_divide(divide), context.wrap_divide(dsl.divide)
    failed, defaulted = raising(ONE, ZERO), safe(ONE, ZERO)
    assert defaulted == 0
    with pytest.raises(ZeroDivisionError):
        failed.value()
    assert context.get_result(raising(add(ONE, TWO), ONE)) == 3


@pytest.mark.usefixtures("in_folder")
def test_the_batt_of_a_coordinator_is_callable() -> None:
    coordinator = MegaBatchCoordinator("batt", use_gpu=True)
    (task,) = ab.load_tasks(TASK)
    grid, expected = task.demo[0]
    args = (TASK, task.pairs, grid, None, None)
    assert coordinator.batt(*args) == ([(1, False, TASK, OKT(True, expected))], [])
    assert coordinator.gpu_ops.batch_rot90([GRID]) == [TURNED]
    assert [program.id for program in coordinator.batt] == [TASK]


@pytest.mark.usefixtures("in_folder")
def test_results_of_a_coordinator_are_lists() -> None:
    coordinator = MegaBatchCoordinator("batt")
    tasks = ab.load_tasks(TASK)
    inputs = coordinator.collect_inputs(tasks)
    result = coordinator.process_batch(inputs)[0]
    merged = coordinator.process_all(tasks)[0]
    sample = merged[TASK]["demo"][0]
    assert type(result.o_result) is type(sample["o"]) is type(dict(sample)["s"]) is list
    assert json.loads(json.dumps(merged))[TASK]["demo"]["1"]["o"][0][:3] == [1, False, TASK]
    everything: list[Any] = []
    for entry in merged[TASK]["demo"].values():
        everything.extend(entry["o"])
        everything += entry["s"]
    assert len(everything) == 3
    assert sample["o"] + result.o_result == [*sample["o"], *sample["o"]]
    assert {**merged[TASK]["test"][0]} == coordinator.process_all(tasks)[0][TASK]["test"][0]
    assert pickle.loads(pickle.dumps(coordinator.process_all(tasks)[0])) == merged


@pytest.mark.usefixtures("in_folder")
def test_operations_of_a_batt_are_profiled(capsys: pytest.CaptureFixture[str]) -> None:
    coordinator = MegaBatchCoordinator("batt")
    inputs = coordinator.collect_inputs(ab.load_tasks(TASK))
    profile = profile_batt_operations(coordinator.batt, inputs)
    assert "mir_rot_t" in capsys.readouterr().out
    assert [(op.name, op.cost.runs) for op in profile.ops] == [("mir_rot_t", len(inputs))]
    again = profile_batt_operations(batt, inputs[:2])
    assert [(op.name, op.cost.runs) for op in again.ops if op.name == "rot90"] == [("rot90", 2)]
    arguments = [(TASK, each.S, each.I, each.C, None) for each in inputs]
    assert [op.cost.runs for op in profile_batt_operations(coordinator.batt, arguments).ops] == [len(inputs)]
    with pytest.raises(ab.ArcbattError, match="sample 0: expected a sample, got 5"):
        profile_batt_operations(coordinator.batt, [5])


@pytest.mark.usefixtures("in_folder")
def test_samples_run_together() -> None:
    (task,) = ab.load_tasks(TASK)
    samples = [{"input": list(map(list, I)), "output": list(map(list, C))} for I, C in task.demo]
    results = batch_batt_gpu(samples)
    assert [o[0][3] for o, s in results] == [OKT(True, C) for I, C in task.demo]
    calls = [(TASK, task.pairs, I, None, None) for I, _ in task.demo]
    inputs = [BatchInput(TASK, 0, "demo", number, *call[1:]) for number, call in enumerate(calls)]
    assert batch_batt_gpu(calls, "batt.py") == batch_batt_gpu(inputs) == results
    with pytest.raises(ab.ArcbattError, match="sample 0: expected a sample, got 5"):
        batch_batt_gpu([5])


def test_a_single_op_is_switched_off_everywhere(in_folder: Path) -> None:
    selection = ab.Selection()
    selection.choose("rot90", "reference")
    operations = GPUDSLOperations(selection=selection)
    assert operations.batch_rot90([GRID, None]) == [TURNED, ab.Failure("TYPE")]
    assert operations.batch_apply(rot90, [(GRID,)]) == [(TURNED,)]
    assert "rot90" not in selection.statistics() or "native" not in selection.statistics()["rot90"]
    coordinator = MegaBatchCoordinator("batt", selection=selection)
    assert coordinator.gpu_ops.selection is selection
    assert (
        coordinator.process_all(ab.load_tasks(TASK))[0]
        == MegaBatchCoordinator("batt").process_all(ab.load_tasks(TASK))[0]
    )


FAILING = """
def solve_x(I):
    x1 = divide(ONE, ZERO)
    x2 = rot90(x1)
    x3 = rbind(divide, ZERO)
    x4 = x3(I)
    return astuple(x2, x4)
"""


def test_the_fallback_of_a_hybrid_file_logs_every_failed_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hybrid_batt.py").write_text(
        batt_source(batt_of(ab.parse_programs(FAILING), []), "hybrid"), "utf-8"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    function = __import__("hybrid_batt").batt
    coordinator = MegaBatchCoordinator(str(tmp_path / "hybrid_batt.py"))
    logs = [tmp_path / "plain", tmp_path / "engine"]
    results = [run(TASK, (), GRID, None, str(log)) for run, log in zip((function, coordinator.batt), logs)]
    assert results == [([(5, False, "solve_x", ((), ()))], [])] * 2
    for log in logs:
        kinds = [line.split()[1:3] for line in log.read_text("utf-8").splitlines()]
        assert kinds == [["t1", "ZERO"], ["t2", "TYPE"], ["t4", "TYPE"]]
