"""When `auto` takes a device: measured once a machine, kept in a file, decided by the number of samples."""

import os
from collections.abc import Iterator
from dataclasses import astuple, dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("arcbatt._core", reason="the compiled core is not installed")

import arcbatt as ab
from arcbatt.dsl.table import TABLE
from arcbatt.engine import calibration
from arcbatt.engine.backend import (
    AUTO_DEVICE,
    AVAILABLE,
    Choice,
    Inputs,
    Job,
    Report,
    Terms,
    _cuda_backend,
    choose,
)
from arcbatt.engine.calibration import (
    FEW,
    MANY,
    CalibratedBackend,
    Calibration,
    key_of,
    measure,
    store,
    stored,
)
from arcbatt.engine.device import DeviceBackend
from arcbatt.engine.emulated import EmulatedGpu, Emulation, emulated_gpus
from arcbatt.engine.native import NativeBackend
from arcbatt.engine.plan import Plan, plan
from arcbatt.errors import BackendError
from arcbatt.library import load_library
from engine.device_case import on_devices, outcomes, reports, small_inputs, small_job, small_tasks

pytestmark = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is switched off")

SOME = Calibration(cpu=3e-6, device=1e-6, overhead=0.002)
DEVICE_WINS = Calibration(cpu=1.0, device=1e-9, overhead=1e-9)
CPU_WINS = Calibration(cpu=1e-9, device=1.0, overhead=0.0)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which nothing has been measured."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "arcbatt"


@pytest.fixture
def tiny() -> Plan:
    """A plan that is measured quickly."""
    return plan(ab.merge(load_library("all")[::110]))


def test_the_break_even_is_where_the_gain_pays_for_the_overhead() -> None:
    assert SOME.break_even(100) == 10
    assert SOME.break_even(1000) == 1
    assert SOME.break_even(1) == 1000


@pytest.mark.parametrize("nodes", [1, 50, 4000])
@pytest.mark.parametrize("overhead", [1e-5, 0.3])
def test_beyond_the_break_even_the_device_is_faster_and_before_it_the_cpu(
    nodes: int, overhead: float
) -> None:
    some = Calibration(cpu=5e-6, device=2e-6, overhead=overhead)
    least = some.break_even(nodes)
    assert least is not None

    def gain(samples: int) -> float:
        return samples * nodes * (some.cpu - some.device) - overhead

    assert gain(least + 1) > 0
    assert least == 1 or gain(least - 1) < 0


@pytest.mark.parametrize("device", [3e-6, 4e-6, 1.0])
@pytest.mark.parametrize("overhead", [0.0, 1.0])
def test_a_device_that_is_no_faster_has_no_break_even(device: float, overhead: float) -> None:
    assert Calibration(3e-6, device, overhead).break_even(1000) is None


def test_without_overhead_one_sample_is_enough() -> None:
    assert Calibration(3e-6, 1e-6, 0.0).break_even(5) == 1


@dataclass
class PacedBackend(NativeBackend):
    """A backend that takes a known time at its first run, for a batch, and for each node of a sample."""

    clock: list[float]
    at_first: float
    a_batch: float
    a_node: float
    samples: list[int] = field(default_factory=list)

    def run(self, job: Job, report: Report) -> dict[str, float]:
        """Take the time."""
        self.samples.append(sum(len(task.samples) for task in job.tasks))
        nodes = self.samples[-1] * len(job.plan.steps)
        self.clock.append(self.clock[-1] + self.at_first + self.a_batch + nodes * self.a_node)
        self.at_first = 0.0
        return {}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The times of a clock that only backends move."""
    times = [0.0]
    monkeypatch.setattr(calibration, "perf_counter", lambda: times[-1])
    return times


def test_a_measurement_finds_what_a_node_and_what_a_batch_costs(clock: list[float], tiny: Plan) -> None:
    cpu, device = PacedBackend(clock, 0.0, 0.0, 5e-6), PacedBackend(clock, 100.0, 0.03, 2e-6)
    found = measure(tiny, small_inputs()[:1], Terms(), cpu, device)
    assert astuple(found) == pytest.approx((5e-6, 2e-6, 0.03))
    assert set(cpu.samples) == {MANY}
    assert set(device.samples[1:]) == {FEW, MANY}


def test_a_device_that_is_slow_on_few_samples_is_not_tried_on_many(clock: list[float], tiny: Plan) -> None:
    cpu, device = PacedBackend(clock, 0.0, 0.0, 5e-6), PacedBackend(clock, 0.0, 0.0, 0.5)
    found = measure(tiny, small_inputs()[:1], Terms(), cpu, device)
    assert astuple(found) == pytest.approx((5e-6, 0.5, 0.0))
    assert max(device.samples) == FEW
    assert found.break_even(len(tiny.steps)) is None


def test_an_emulated_device_is_measured(tiny: Plan) -> None:
    backend = on_devices()
    found = measure(tiny, small_inputs()[:1], Terms(), NativeBackend(), backend)
    assert all(isfinite(number) and number >= 0 for number in astuple(found))
    assert backend.transfers.batches > 0


def test_what_is_stored_is_found_again() -> None:
    assert stored() == {}
    store("one", SOME)
    store("other", DEVICE_WINS)
    assert stored() == {"one": SOME, "other": DEVICE_WINS}
    store("one", DEVICE_WINS)
    assert stored() == {"one": DEVICE_WINS, "other": DEVICE_WINS}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b"[]",
        b"null",
        b'"text"',
        b'{"k": 3}',
        b'{"k": {"cpu": 1.0}}',
        b'{"k": {"cpu": "fast", "device": 1.0, "overhead": 1.0}}',
        b'{"k": {"cpu": null, "device": 1.0, "overhead": 1.0}}',
        b'{"k": {"cpu": 1.0, "device": 0.5, "overhead": Infinity}}',
        b'{"k": {"cpu": 1.0, "device": 0.5, "overhead": 1.0, "more": 1}}',
    ],
)
def test_a_damaged_file_is_as_none_and_is_written_anew(content: bytes, folder: Path) -> None:
    folder.mkdir()
    (folder / "calibration.json").write_bytes(content)
    assert stored() == {}
    store("one", SOME)
    assert stored() == {"one": SOME}


def test_where_nothing_can_be_stored_nothing_breaks(folder: Path) -> None:
    folder.write_text("a file where a folder should be")
    store("one", SOME)
    assert stored() == {}


def test_the_key_tells_devices_and_threads_apart() -> None:
    one, three = (DeviceBackend("emulated", emulated_gpus(Emulation(devices=n))) for n in (1, 3))
    assert len({key_of(one, 1), key_of(one, 2), key_of(three, 1)}) == 3


def test_the_number_of_samples_decides() -> None:
    device = on_devices()
    choice, job = CalibratedBackend(NativeBackend(), device), small_job(step=40)
    nodes = len(job.plan.steps)
    store(key_of(device, 1), Calibration(2e-6, 1e-6, 10e-6 * nodes))
    task = job.tasks[0]._replace(samples=job.tasks[0].samples[:1])
    assert choice.pick(job.plan, [task] * 9, Terms()) == (
        choice.cpu,
        "9 samples are below the break-even of 10 with emulated",
    )
    assert choice.pick(job.plan, [task] * 10, Terms()) == (
        device,
        "10 samples are at or above the break-even of 10 with emulated",
    )
    assert device.transfers.batches == 0


def test_the_device_that_was_picked_does_the_work() -> None:
    device = on_devices()
    choice, job = CalibratedBackend(NativeBackend(), device), small_job(step=40)
    store(key_of(device, 1), DEVICE_WINS)
    assert reports(choice, job) == reports(NativeBackend(), job)
    judged = device.transfers.batches
    assert judged > 0
    some = outcomes(choice, job.plan, job.tasks, job.terms)
    assert some == outcomes(NativeBackend(), job.plan, job.tasks, job.terms)
    assert device.transfers.batches > judged


def test_single_ops_never_go_to_a_device() -> None:
    device = on_devices()
    choice = CalibratedBackend(NativeBackend(), device)
    store(key_of(device, 1), DEVICE_WINS)
    assert choice.call(TABLE["add"], (1, 2), ab.Limits()) == 3
    assert list(choice.call_many(TABLE["add"], [[1, 2], [3, 4]], ab.Limits())) == [4, 6]
    assert device.transfers.batches == 0


def test_it_is_measured_once_a_machine(tiny: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    measured = []

    def measure_once(*work: object) -> Calibration:
        measured.append(work)
        return CPU_WINS

    monkeypatch.setattr(calibration, "measure", measure_once)
    task, cpu, device = small_inputs()[:1], NativeBackend(), on_devices()
    for _ in range(2):
        picked = CalibratedBackend(cpu, device).pick(tiny, task, Terms())
        assert picked == (cpu, "the CPU is faster than emulated here, whatever the batch")
        assert measured == [(tiny, task, Terms(), cpu, device)]
    assert stored() == {key_of(device, 1): CPU_WINS}


def test_what_was_measured_is_kept_and_not_measured_again(tiny: Plan) -> None:
    for expected in (True, False):
        device = on_devices()
        CalibratedBackend(NativeBackend(), device).pick(tiny, small_inputs()[:1], Terms())
        assert (device.transfers.batches > 0) is expected
    assert list(stored()) == [key_of(device, 1)]


def test_where_there_is_nothing_to_choose_nothing_is_measured(tiny: Plan) -> None:
    device = on_devices()
    choice = CalibratedBackend(NativeBackend(), device)
    for some, tasks in (
        (tiny, [Inputs("none", (), [])]),
        (tiny, []),
        (plan([]), small_inputs()),
    ):
        assert choice.pick(some, tasks, Terms()) == (choice.cpu, "there is nothing to run")
    device.gpus.clear()
    assert choice.pick(tiny, small_inputs(), Terms()) == (choice.cpu, "no device is left")
    assert stored() == {}


@pytest.fixture
def own_op() -> Iterator[None]:
    def brighten(grid: "Grid") -> "Grid":  # type: ignore[name-defined]  # noqa: F821
        return tuple(tuple(color + 1 for color in row) for row in grid)

    ab.register_op(brighten)
    yield
    ab.unregister_op("brighten")


@pytest.mark.usefixtures("own_op")
def test_an_op_of_a_user_is_no_measure_of_a_device() -> None:
    choice = CalibratedBackend(NativeBackend(), on_devices())
    own = plan(ab.parse_programs("def a(I): return brighten(I)"))
    assert choice.pick(own, small_inputs(), Terms()) == (
        choice.cpu,
        "an op of your own runs on the CPU alone",
    )
    assert stored() == {}


@pytest.mark.parametrize("devices", [1, 2])
def test_a_device_that_fails_is_no_measure_either(devices: int, tiny: Plan) -> None:
    faulty = EmulatedGpu(0, Emulation(faults={"launch": 2}))
    gpus = [faulty, *(EmulatedGpu(number) for number in range(1, devices))]
    choice = CalibratedBackend(NativeBackend(), DeviceBackend("emulated", gpus, 1, say=lambda line: None))
    picked = choice.pick(tiny, small_inputs()[:1], Terms())
    assert picked == (choice.cpu, "a device failed while it was measured")
    assert stored() == {}


def test_auto_takes_a_device_that_wins_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(AUTO_DEVICE, "emulated")
    chosen, _ = choose("auto")
    assert isinstance(chosen, Choice)
    threads = os.cpu_count() or 1
    store(key_of(on_devices(), threads), DEVICE_WINS)
    programs = load_library("all")[::40]
    found, expected = (ab.run(programs, small_tasks(), "all", name) for name in ("auto", "native"))
    assert found.records == expected.records
    assert found.stats.backend == "emulated"
    assert found.stats.why == "10 samples are at or above the break-even of 1 with emulated"


def test_auto_stays_on_the_cpu_where_that_is_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(AUTO_DEVICE, "emulated")
    store(key_of(on_devices(), os.cpu_count() or 1), CPU_WINS)
    found = ab.run(load_library("all")[::110], small_tasks()[:1], "all", "auto")
    assert found.stats.backend == "native"
    assert found.stats.why == "the CPU is faster than emulated here, whatever the batch"


def test_a_device_that_cannot_be_opened_is_tried_once_and_the_reason_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened = 0

    def cuda_gpus() -> list[Any]:
        nonlocal opened
        opened += 1
        raise BackendError("NVRTC was not found")

    monkeypatch.setenv(AUTO_DEVICE, "cuda")
    monkeypatch.setattr("arcbatt.engine.backend.has_gpu", lambda: True)
    monkeypatch.setattr("arcbatt.engine.cuda.cuda_gpus", cuda_gpus)
    _cuda_backend.cache_clear()
    try:
        assert ab.call("add", 1, 2) == 3
        assert opened == 0
        chosen = [choose("auto") for _ in range(2)]
        with pytest.raises(BackendError, match="NVRTC was not found"):
            choose("cuda")
    finally:
        _cuda_backend.cache_clear()
    assert [(backend.name, why.endswith("NVRTC was not found")) for backend, why in chosen] == [
        ("native", True)
    ] * 2
    assert opened == 1


def test_auto_leaves_devices_alone_if_it_is_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(AUTO_DEVICE, "none")
    assert choose("auto")[0].name == "native"
    monkeypatch.setenv(AUTO_DEVICE, "emulated")
    assert choose("auto", devices=False)[0].name == "native"
    assert ab.call("add", 1, 2, backend="auto") == 3
    assert stored() == {}
