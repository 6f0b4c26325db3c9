"""The device backend on emulated GPUs equals native: every node, whatever the devices, batches and memory."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("arcbatt._core", reason="the compiled core is not installed")

import arcbatt as ab
from arcbatt.dsl.table import FUNCTION_CALL, TABLE
from arcbatt.engine.backend import FailureMode, RunOptions
from arcbatt.engine.backends.device import DeviceBackend
from arcbatt.engine.backends.native import NativeBackend
from arcbatt.engine.choose import AVAILABLE
from arcbatt.engine.gpu.emulated import SETTINGS, EmulatedGpu, Emulation
from arcbatt.engine.plan import plan, plan_of
from arcbatt.errors import ArcbattError
from arcbatt.library import load_library
from arcbatt.program.graph import Node
from arcbatt.tasks import Sample
from arcbatt.tasks.samples import Samples, some_of
from arcbatt.testing.fuzz import fuzz
from support.device_work import (
    WatchedGpu,
    every_node,
    native_outcomes,
    on_devices,
    outcomes,
    reports,
    small_inputs,
    small_job,
    small_tasks,
    unexpected,
)

pytestmark = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is switched off")

MODES: tuple[FailureMode, ...] = ("fail", "default", "pile")
GRID = ((1, 2, 0), (0, 2, 2))


def power(op: str, times: int) -> Any:
    """The function that applies an op again and again."""
    return ab.call("power", ab.fn(op), times, backend="reference")


@pytest.mark.parametrize("mode", MODES)
def test_every_node_of_the_library_gives_the_same(mode: FailureMode) -> None:
    backend, plan = on_devices(), every_node(1, mode)
    task = small_inputs()[0]
    first = some_of(task, 0, 1)
    assert outcomes(backend, plan, [first], RunOptions(on_failure=mode)) == native_outcomes(1, mode)[:1]
    assert backend.reran == 0


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("settings", "batch_size"),
    [
        (Emulation(seed=11), 1),
        (Emulation(groups=1), 3),
        (Emulation(devices=3, seed=12), 7),
        (Emulation(devices=3, groups=3), 1),
        (Emulation(devices=3, groups=32, seed=13), None),
    ],
    ids=str,
)
def test_devices_batches_and_the_order_of_threads_change_nothing(
    settings: Emulation, batch_size: int | None, mode: FailureMode
) -> None:
    backend = on_devices(settings, batch_size)
    found = outcomes(backend, every_node(6, mode), small_inputs(), RunOptions(on_failure=mode))
    assert found == native_outcomes(6, mode)
    assert backend.reran == 0
    assert backend.transfers.batches >= 10 // (batch_size or 10)


@pytest.mark.parametrize("devices", [1, 3])
@pytest.mark.parametrize("mode", MODES)
def test_what_does_not_fit_into_little_memory_runs_on_the_cpu(mode: FailureMode, devices: int) -> None:
    backend = on_devices(Emulation(devices, memory=512 << 10, seed=5), 7)
    found = outcomes(backend, every_node(4, mode), small_inputs(), RunOptions(on_failure=mode))
    assert found == native_outcomes(4, mode)
    assert backend.reran > 0
    assert backend.transfers.batches > 0


@pytest.mark.parametrize("seed", [0, 1, 7])
@pytest.mark.parametrize("groups", [1, 100])
def test_what_does_not_fit_may_be_constant_or_of_the_task(groups: int, seed: int) -> None:
    grid = ((1,) * 10,) * 10
    constant = Node.op("size", Node.op("canvas", Node.constant(1), Node.constant((400, 400))))
    of_task = Node.op("repeat", Node.op("first", Node.input("S")), Node.constant(500))
    plan = plan_of([constant, Node.op("size", of_task), Node.op("height", Node.input("I"))])
    tasks = [Samples("t", ((grid, grid),), [(grid, None)] * 100)]
    backend = on_devices(Emulation(memory=8 << 20, groups=groups, seed=seed))
    assert outcomes(backend, plan, tasks, RunOptions()) == outcomes(
        NativeBackend(), plan, tasks, RunOptions()
    )
    assert (backend.reran > 0) == (groups > 1)


def test_fewer_groups_run_a_batch_where_memory_is_scarce() -> None:
    job = small_job(step=150)
    gpu = WatchedGpu(settings=Emulation(memory=512 << 10, groups=32), streams=1)
    backend = DeviceBackend("emulated", [gpu], 7, unexpected)
    assert reports(backend, job) == reports(NativeBackend(), job)
    assert backend.transfers.batches == 1
    assert backend.reran == 0


def test_batches_halve_until_they_fit() -> None:
    """A stream has memory for one group and a few samples."""
    job = small_job(step=150)
    job = replace(job, tasks=[job.tasks[0]] * 100, wanted=[job.wanted[0]] * 100)
    gpu = WatchedGpu(settings=Emulation(memory=280 << 10))
    backend = DeviceBackend("emulated", [gpu], say=unexpected)
    assert reports(backend, job) == reports(NativeBackend(), job)
    assert backend.transfers.batches > 2
    assert backend.reran == 0
    assert gpu.is_clean


def test_no_memory_at_all_leaves_all_to_the_cpu() -> None:
    backend = on_devices(Emulation(memory=0))
    assert reports(backend, small_job()) == reports(NativeBackend(), small_job())
    assert backend.reran == sum(len(task.samples) for task in small_tasks()[::2])


def test_without_devices_all_runs_on_the_cpu() -> None:
    backend = DeviceBackend("emulated", [], say=unexpected)
    assert reports(backend, small_job()) == reports(NativeBackend(), small_job())
    assert outcomes(backend, every_node(6, "fail"), small_inputs(), RunOptions()) == native_outcomes(
        6, "fail"
    )
    assert backend.call(TABLE["add"], (1, 2), ab.Limits()) == 3
    assert list(backend.call_many(TABLE["add"], [[1, 2], [3, 4]], ab.Limits())) == [4, 6]
    assert backend.transfers.batches == 0
    assert backend.reran > 0


def test_random_programs_have_the_same_outcome_at_every_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTINGS, "seed=21 devices=2")
    report = fuzz(600, 5, ("native", "emulated"), list(load_library("solvers")), evaluations=250)
    assert report.evaluations >= 250
    assert not report.differences, report.differences[0].as_test()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("batch_size", [1, 3])
def test_tasks_are_reported_once_each_and_in_order(mode: FailureMode, batch_size: int) -> None:
    job = small_job(mode)
    found = reports(on_devices(Emulation(devices=3), batch_size), job)
    assert [number for number, _, _ in found] == [0, 1, 2]
    assert found == reports(NativeBackend(), job)


@pytest.mark.parametrize("pairs", ["own", "all"])
@pytest.mark.parametrize("on_failure", MODES)
def test_a_run_gives_what_native_gives(
    pairs: Any, on_failure: FailureMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SETTINGS, "devices=2, memory=1M")
    tasks = ab.load_tasks("arc1/training").pick(["67a3c6ac", "6150a2bd", "d037b0a7", "68b16354", "a416b8f3"])
    own = [program for program in load_library("all") if program.task_id in {task.id for task in tasks}]
    differs = [program for program in load_library("all") if program.kind == "differ"]
    programs = own if pairs == "own" else [*own, *differs[:3], *load_library("all")[::20]]
    seen: list[str] = []
    found, expected = (
        ab.run(programs, tasks, pairs, name, on_failure=on_failure, on_task=lambda task: seen.append(task.id))
        for name in ("emulated", "native")
    )
    assert (found.stats.backend, expected.stats.backend) == ("emulated", "native")
    assert list(found.records.values()) == list(expected.records.values())
    assert found.solved == expected.solved
    assert found.solved
    assert found.stats.failures == expected.stats.failures
    assert found.stats.evaluations == expected.stats.evaluations
    assert seen == [task.id for task in tasks] * 2
    scored = any(score is not None for outcome in expected for score in outcome.scores)
    assert scored == (pairs == "all")
    for one, other in zip(list(found)[::9], list(expected)[::9]):
        assert one.outputs == other.outputs


def test_two_runs_share_the_devices() -> None:
    backend = on_devices(batch_size=2)
    jobs = [small_job(), small_job("default"), small_job(step=15)]
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda job: reports(backend, job), jobs))
    assert found == [reports(NativeBackend(), job) for job in jobs]


def test_a_batch_has_one_sample_or_more() -> None:
    with pytest.raises(ArcbattError, match="batch_size: expected an integer >= 1, got 0"):
        DeviceBackend("emulated", [EmulatedGpu()], batch_size=0)


@pytest.mark.parametrize(
    "limits", [ab.Limits(), ab.Limits(items=12), ab.Limits(calls=3), ab.Limits(depth=3)], ids=str
)
@pytest.mark.parametrize(
    ("op", "arguments"),
    [
        ("add", (1, 2)),
        ("divide", (1, 0)),
        ("add", (1,)),
        ("fill", (GRID, 3, frozenset({(0, 1)}))),
        ("upscale", (GRID, 3)),
        ("apply", (ab.fn("increment"), (1, 2, 3, 4))),
        ("compose", (ab.fn("rot90"), ab.fn("hmirror"))),
        ("totuple", (frozenset({ab.fn("rot90"), 3, (), frozenset({1})}),)),
        (ab.fn("compose", ab.fn("rot90"), ab.fn("hmirror")), (GRID,)),
        (power("increment", 6), (1,)),
        (ab.fn("add"), (1, 2, 3, 4, 5, 6)),
        (ab.fn("add"), ()),
    ],
)
def test_a_call_gives_what_native_gives(op: Any, arguments: tuple[Any, ...], limits: ab.Limits) -> None:
    callee, given = (TABLE[op], arguments) if isinstance(op, str) else (FUNCTION_CALL, (op, *arguments))
    backend = on_devices()
    assert backend.call(callee, given, limits) == NativeBackend().call(callee, given, limits)
    assert backend.transfers.batches == 1


SETS = [frozenset({(k, k + 1), (0, k)}) for k in range(40)]
MANY: list[tuple[str | None, Sequence[Sequence[Any]], ab.Limits]] = [
    ("add", [(1, (2, 3), 2**31 - 1), ((4, 5), (6, 7), 1)], ab.Limits()),  # (2, 3), (6, 7) looks like a grid
    ("rot90", [[GRID, (), 5, ((7,),)]], ab.Limits()),
    ("shift", [SETS, [(k, -k) for k in range(40)]], ab.Limits()),
    ("branch", [[True, 0, 1], [1, 2, 3], [(), GRID, frozenset()]], ab.Limits()),
    ("add", [[1, 2]], ab.Limits()),
    ("combine", [[(1, 2, 3), ()], [(4, 5), (6,)]], ab.Limits(items=8)),
    ("upscale", [[GRID, GRID[:1]], [2, 3]], ab.Limits(items=20)),
    (
        None,
        [[ab.fn("increment"), ab.fn("add"), 7, power("double", 9)], [1, 2, 3, 4]],
        ab.Limits(),
    ),
    (None, [[power("increment", k) for k in range(1, 9)], [1] * 8], ab.Limits(calls=9)),
]
REFUSED: list[tuple[str | None, Sequence[Sequence[Any]], ab.Limits]] = [
    ("add", [[1, 2, 3], [4, None, "x"]], ab.Limits()),
    ("size", [[(1, 2), (0,) * 30, (3,)]], ab.Limits(items=20)),
    ("combine", [[(0,) * 9, (1,)], [(0,) * 9, (2,)]], ab.Limits(items=12)),  # heavy as a row, not as values
    ("identity", [[((1,),), 5]], ab.Limits(depth=2)),  # a row nests once more than its values
    ("add", [[], []], ab.Limits()),
    (None, [[], []], ab.Limits()),
]


@pytest.mark.parametrize(("op", "columns", "limits"), MANY)
def test_calls_on_many_rows_give_what_native_gives(
    op: str | None, columns: Sequence[Sequence[Any]], limits: ab.Limits
) -> None:
    backend, called = on_devices(Emulation(seed=3)), TABLE[op] if op else FUNCTION_CALL
    expected = list(NativeBackend().call_many(called, columns, limits))
    assert list(backend.call_many(called, columns, limits)) == expected
    assert len(expected) == len(columns[0])
    assert backend.transfers.batches >= 1
    assert backend.reran == 0


@pytest.mark.parametrize(("op", "columns", "limits"), REFUSED)
def test_rows_that_no_device_can_take_in_run_on_the_cpu(
    op: str | None, columns: Sequence[Sequence[Any]], limits: ab.Limits
) -> None:
    backend, called = on_devices(), TABLE[op] if op else FUNCTION_CALL
    expected = list(NativeBackend().call_many(called, columns, limits))
    assert list(backend.call_many(called, columns, limits)) == expected
    assert backend.transfers.batches == 0


@pytest.mark.parametrize("limits", [ab.Limits(items=400), ab.Limits(calls=40), ab.Limits(depth=6)], ids=str)
def test_limits_hold_as_they_do_on_the_cpu(limits: ab.Limits) -> None:
    some = plan(ab.merge(load_library("all")[::9]))
    grids = ab.Task("tiny", tuple(Sample(GRID[:k], GRID) for k in (1, 2)), ())
    backend, options = on_devices(), RunOptions(limits)
    found = outcomes(backend, some, [grids], options)
    assert found == outcomes(NativeBackend(), some, [grids], options)
    assert {"SIZE", "CALLS", "DEPTH"} & {
        out.kind for row in found for out in row if isinstance(out, ab.Failure)
    }


def brighten(grid: "Grid") -> "Grid":  # type: ignore[name-defined]  # noqa: F821
    """Every colour raised; no colour may be 9."""
    if any(color == 9 for row in grid for color in row):
        raise ValueError("too bright")
    return tuple(tuple(color + 1 for color in row) for row in grid)


@pytest.fixture
def own_op() -> Iterator[None]:
    ab.register_op(brighten)
    yield
    ab.unregister_op("brighten")


@pytest.mark.usefixtures("own_op")
@pytest.mark.parametrize("mode", MODES)
def test_programs_with_an_op_of_a_user_run_on_the_cpu(mode: FailureMode) -> None:
    programs = ab.parse_programs(
        "def solve_a(I): return brighten(I)\n"
        "def solve_b(I): return apply(compose(brighten, rot90), astuple(I, canvas(NINE, UNITY)))\n"
        "def solve_c(I): return totuple(insert(brighten, initset(vmirror)))\n"
    )
    found, expected = (
        [outcome.outputs for outcome in ab.run(programs, small_tasks(), "all", name, on_failure=mode)]
        for name in ("emulated", "native")
    )
    assert found == expected
    backend = on_devices()
    outcomes(backend, plan(programs), small_inputs(), RunOptions(on_failure=mode))
    assert backend.transfers.batches == 0
    assert backend.call(TABLE["brighten"], (GRID,), ab.Limits()) == ((2, 3, 1), (1, 3, 3))
    assert backend.call(FUNCTION_CALL, (ab.fn("brighten"), ((9,),)), ab.Limits()) == ab.Failure("TYPE")
    many = backend.call_many(FUNCTION_CALL, [[ab.fn("brighten"), ab.fn("rot90")], [GRID, GRID]], ab.Limits())
    assert list(many) == [((2, 3, 1), (1, 3, 3)), ((0, 1), (2, 2), (2, 0))]


@pytest.mark.usefixtures("own_op")
@pytest.mark.parametrize("mode", MODES[:2])
def test_an_op_of_a_user_that_a_sample_brings_sends_that_sample_to_the_cpu(mode: FailureMode) -> None:
    """The plan does not name it: only when it is called the device finds that it does not have it."""
    given = Node.input("I")
    called = plan_of([Node.call(given, Node.constant(GRID)), Node.call(given, Node.constant(((9,),)))])
    kept = plan_of([Node.op("totuple", Node.op("insert", given, Node.op("initset", Node.function("rot90"))))])
    functions = [ab.fn("brighten"), ab.fn("hmirror"), ab.fn("compose", ab.fn("brighten"), ab.fn("hmirror"))]
    task = Samples("functions", (), [(function, None) for function in functions])
    for some, on_cpu in ((called, 2), (kept, 0)):
        backend, options = on_devices(), RunOptions(on_failure=mode)
        assert outcomes(backend, some, [task], options) == outcomes(NativeBackend(), some, [task], options)
        assert backend.reran == on_cpu
        assert backend.transfers.batches >= 1
