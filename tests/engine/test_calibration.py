"""When `auto` takes a device: measured on enough work, kept for a while, decided by the number of samples."""

import json
import os
from collections.abc import Iterator
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("arcbatt._core", reason="the compiled core is not installed")

import arcbatt as ab
from arcbatt.dsl.table import TABLE
from arcbatt.engine.backend import Backend, Job, Report, RunOptions
from arcbatt.engine.backends.cuda import opened_once
from arcbatt.engine.backends.device import DeviceBackend
from arcbatt.engine.backends.native import NativeBackend
from arcbatt.engine.choose import AUTO_DEVICE, AVAILABLE, choose
from arcbatt.engine.cores import cores
from arcbatt.engine.gpu.calibration import (
    FEW,
    LEAST_WORK,
    MANY,
    MOST,
    CalibratedBackend,
    Gauge,
    calibrate,
    key_of,
    measure,
)
from arcbatt.engine.gpu.emulated import EmulatedGpu, Emulation, emulated_gpus
from arcbatt.engine.gpu.measurements import (
    ENOUGH,
    FORMAT,
    LARGEST_FILE,
    MOST_KEYS,
    OLDEST,
    Calibration,
    NoMeasure,
    add,
    fresh,
    stored,
)
from arcbatt.engine.plan import Plan, plan
from arcbatt.errors import BackendError
from arcbatt.library import load_library
from arcbatt.tasks.samples import Samples, TaskLike, some_of
from support.device_work import on_devices, outcomes, reports, small_inputs, small_job, small_tasks

pytestmark = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is switched off")

SOME = Calibration(cpu=3e-6, device=1e-6, overhead=0.002)
DEVICE_WINS = Calibration(cpu=1.0, device=1e-9, overhead=1e-9)
CPU_WINS = Calibration(cpu=1e-9, device=1.0, overhead=0.0)
TOO_LITTLE = "this is too little work to measure emulated for"
NOW = 1.7e9  # seconds since 1970


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which nothing has been measured."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "arcbatt"


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of the day, to be changed."""
    moment = [NOW]
    monkeypatch.setattr("arcbatt.engine.gpu.measurements.time", lambda: moment[0])
    return moment


@pytest.fixture
def tiny() -> Plan:
    """A plan that is measured quickly."""
    return plan(ab.merge(load_library("all")[::110]))


@pytest.fixture
def gauge(tiny: Plan) -> Gauge:
    """Work that is timed quickly."""
    return Gauge(tiny, small_inputs()[:1])


def much(plan: Plan) -> list[TaskLike]:
    """Tasks enough for a measurement to be worth it; as nobody is to run them they have no content."""
    return [Samples("many", (), [((), None)] * (LEAST_WORK // len(plan.steps) + 1))]


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
    """A backend that takes a known time at its first run, for a batch, and for each node of a sample.

    So many samples run at a time: what is fewer takes as long. Runs by number take longer by some factor.
    """

    clock: list[float]
    at_first: float
    a_batch: float
    a_node: float
    together: int = 1
    slowed: dict[int, float] = field(default_factory=dict)
    samples: list[int] = field(default_factory=list)

    def run(self, job: Job, report: Report) -> dict[str, float]:
        """Take the time."""
        self.samples.append(sum(len(task.samples) for task in job.tasks))
        rounds = -(-self.samples[-1] // self.together)
        seconds = self.at_first + self.a_batch + rounds * len(job.plan.steps) * self.a_node
        self.clock.append(self.clock[-1] + seconds * self.slowed.get(len(self.samples), 1.0))
        self.at_first = 0.0
        return {}


class Pace:
    """A clock that only backends move."""

    def __init__(self) -> None:
        self.times = [0.0]

    def __call__(self) -> float:
        return self.times[-1]

    def backend(self, at_first: float, a_batch: float, a_node: float, **more: Any) -> PacedBackend:
        return PacedBackend(self.times, at_first, a_batch, a_node, **more)


@pytest.fixture
def pace() -> Pace:
    return Pace()


def test_a_measurement_finds_what_a_node_and_what_a_batch_costs(pace: Pace, gauge: Gauge) -> None:
    cpu, device = pace.backend(0.0, 0.0, 5e-6), pace.backend(100.0, 0.003, 2e-6)
    found = measure(gauge, RunOptions(), cpu, device, pace)
    assert astuple(found) == pytest.approx((5e-6, 2e-6, 0.003))
    assert set(device.samples[1:]) >= {FEW, MANY}


def test_a_device_that_runs_many_samples_at_a_time_gets_enough_to_be_slower(pace: Pace, gauge: Gauge) -> None:
    """With fewer the time would not grow, and a sample would seem to cost nothing."""
    cpu = pace.backend(0.0, 0.0, 5e-6)
    device = pace.backend(0.0, 0.0, 1e-4, together=1000)
    found = measure(gauge, RunOptions(), cpu, device, pace)
    assert max(device.samples) > 2000
    assert found.device == pytest.approx(1e-7, rel=0.3)


def test_a_cpu_gets_so_much_that_its_time_can_be_told(pace: Pace, gauge: Gauge) -> None:
    cpu, device = pace.backend(0.0, 0.0, 1e-9), pace.backend(0.0, 0.0, 1e-6)
    assert measure(gauge, RunOptions(), cpu, device, pace).cpu == pytest.approx(1e-9)
    assert max(cpu.samples) == MOST


def test_a_device_whose_time_does_not_grow_with_the_work_is_no_measure(pace: Pace, gauge: Gauge) -> None:
    cpu, device = pace.backend(0.0, 0.0, 5e-6), pace.backend(0.0, 0.01, 0.0)
    with pytest.raises(NoMeasure, match=r"^16,384 samples took the device less than 3 times as long as 4$"):
        measure(gauge, RunOptions(), cpu, device, pace)


@pytest.mark.parametrize("a_node", [0.0, -1e-6])
def test_times_that_are_nothing_or_negative_are_no_measure(a_node: float, pace: Pace, gauge: Gauge) -> None:
    odd, fair = pace.backend(0.0, 0.0, a_node), pace.backend(0.0, 0.0, 1e-6)
    with pytest.raises(NoMeasure, match=r"samples took -?[\d.e-]+ s on the CPU, which cannot be"):
        measure(gauge, RunOptions(), odd, fair, pace)
    with pytest.raises(NoMeasure, match=r"4 samples took -?[\d.e-]+ s on the device, which cannot be"):
        measure(gauge, RunOptions(), fair, odd, pace)


def test_one_slow_run_changes_nothing(pace: Pace, gauge: Gauge) -> None:
    for number in range(2, 9):
        cpu = pace.backend(0.0, 0.0, 5e-6, slowed={number: 50.0})
        device = pace.backend(0.0, 0.003, 2e-6, slowed={number: 50.0})
        found = measure(gauge, RunOptions(), cpu, device, pace)
        assert astuple(found) == pytest.approx((5e-6, 2e-6, 0.003))


def test_on_a_busy_machine_nothing_is_measured(pace: Pace, gauge: Gauge) -> None:
    busy = {number: 2.0 ** (number % 7) for number in range(1, 100)}
    cpu, device = pace.backend(0.0, 0.0, 5e-6, slowed=busy), pace.backend(0.0, 0.003, 2e-6)
    with pytest.raises(
        NoMeasure, match=r"^times on the CPU differ by more than 1.5 times; the machine is busy$"
    ):
        measure(gauge, RunOptions(), cpu, device, pace)


def test_a_device_that_is_slow_on_few_samples_is_not_tried_on_many(pace: Pace, gauge: Gauge) -> None:
    cpu, device = pace.backend(0.0, 0.0, 5e-6), pace.backend(0.0, 0.0, 0.5)
    found = measure(gauge, RunOptions(), cpu, device, pace)
    assert astuple(found) == pytest.approx((5e-6, 0.5, 0.0))
    assert max(device.samples) == FEW
    assert found.break_even(len(gauge.plan.steps)) is None


@pytest.mark.parametrize("odd", [0.0, -1e-6, float("nan"), float("inf"), 1e9])
def test_a_slope_that_cannot_be_is_refused(odd: float) -> None:
    for numbers in ((odd, 1e-6, 0.1), (1e-6, odd, 0.1)):
        with pytest.raises(NoMeasure, match=r"^a node takes .* s on the (CPU|device), which cannot be$"):
            Calibration(*numbers)
    if odd:
        with pytest.raises(NoMeasure, match=r"^a batch takes .* s besides, which cannot be$"):
            Calibration(1e-6, 1e-6, odd)


def test_what_is_kept_is_found_again(now: list[float]) -> None:
    assert stored() == {}
    add("one", SOME)
    now[0] += 5.0
    assert add("one", DEVICE_WINS) == [SOME, DEVICE_WINS]
    add("other", CPU_WINS)
    assert {key: [tuple(row) for row in rows] for key, rows in stored().items()} == {
        "one": [(SOME, now[0] - 5.0), (DEVICE_WINS, now[0])],
        "other": [(CPU_WINS, now[0])],
    }
    add("one", CPU_WINS, anew=True)
    assert (fresh("one"), fresh("other"), fresh("third")) == ([CPU_WINS], [CPU_WINS], [])


@pytest.mark.slow
def test_what_is_kept_is_bounded(now: list[float], folder: Path) -> None:
    for number in range(MOST_KEYS + 5):
        now[0] += 1.0
        for _ in range(ENOUGH + 2):
            add(f"device {number}", SOME)
    found = stored()
    assert list(found) == [f"device {number}" for number in range(MOST_KEYS + 4, 4, -1)]
    assert {len(rows) for rows in found.values()} == {ENOUGH}
    assert [file.name for file in folder.iterdir()] == ["calibration.json"]


def test_what_is_kept_expires(now: list[float]) -> None:
    add("one", SOME)
    now[0] += OLDEST - 1.0
    assert add("one", CPU_WINS) == [SOME, CPU_WINS]
    now[0] += 2.0
    assert fresh("one") == [CPU_WINS]
    now[0] -= 2 * OLDEST  # a clock that was wrong
    assert fresh("one") == []


def poisoned(**odd: Any) -> bytes:
    """A file with one measurement that is not as it should be."""
    row = {"taken": NOW, "cpu": 1.0, "device": 1e-9, "overhead": 0.0} | odd
    return json.dumps({"format": FORMAT, "measured": {"one": [row]}}).encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b"[]",
        b"null",
        b'"text"',
        b"[" * 100_000,
        b" " * LARGEST_FILE + poisoned(),
        poisoned().replace(b'"format": 2', b'"format": 1'),
        poisoned().replace(b'"format": 2', b'"format": "2"'),
        b'{"format": 2}',
        b'{"format": 2, "measured": [1]}',
        b'{"format": 2, "measured": {"one": 3}}',
        b'{"format": 2, "measured": {"one": [3, null, [], {}]}}',
        b'{"one": {"cpu": 1.0, "device": 1e-9, "overhead": 0.0}}',
        poisoned(cpu="fast"),
        poisoned(cpu=None),
        poisoned(cpu=True),
        poisoned(cpu=float("nan")),
        poisoned(cpu=float("inf")),
        poisoned(cpu=10**400),
        poisoned(cpu=1e300),
        poisoned(device=0.0),
        poisoned(device=-1e-6),
        poisoned(overhead=-1.0),
        poisoned(overhead=float("inf")),
        poisoned(taken=NOW + 9.0),
        poisoned(taken=float("nan")),
        poisoned(taken="today"),
    ],
    ids=lambda content: content[-40:].decode(errors="replace"),
)
@pytest.mark.usefixtures("now")
def test_a_poisoned_file_is_as_none_and_is_written_anew(content: bytes, folder: Path) -> None:
    folder.mkdir()
    (folder / "calibration.json").write_bytes(content)
    assert fresh("one") == []
    add("one", SOME)
    assert fresh("one") == [SOME]


@pytest.mark.usefixtures("now")
def test_a_poisoned_file_decides_nothing(folder: Path, gauge: Gauge) -> None:
    device = on_devices()
    folder.mkdir()
    rows = json.dumps({key_of(device, 1): json.loads(poisoned(device=-1.0))["measured"]["one"]})
    (folder / "calibration.json").write_text(f'{{"format": {FORMAT}, "measured": {rows}}}')
    choice = CalibratedBackend(NativeBackend(), device, lambda: gauge)
    assert choice.pick(gauge.plan, gauge.tasks, RunOptions()) == (choice.cpu, TOO_LITTLE)


def test_a_sound_measurement_beside_a_poisoned_one_counts(now: list[float], folder: Path) -> None:
    add("one", SOME)
    content = json.loads((folder / "calibration.json").read_text())
    content["measured"]["one"] += [{"taken": now[0], "cpu": -1.0, "device": 1.0, "overhead": 0.0}, "garbage"]
    content["measured"]["two"] = "garbage"
    (folder / "calibration.json").write_text(json.dumps(content))
    assert list(stored()) == ["one"]
    assert fresh("one") == [SOME]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
def test_what_is_no_file_is_not_read(folder: Path) -> None:
    folder.mkdir()
    os.mkfifo(folder / "calibration.json")
    assert stored() == {}


def test_where_nothing_can_be_kept_nothing_breaks(folder: Path) -> None:
    folder.write_text("a file where a folder should be")
    assert add("one", SOME) == [SOME]
    assert stored() == {}


def test_the_key_tells_devices_drivers_and_threads_apart() -> None:
    one, three, newer = (DeviceBackend("emulated", emulated_gpus(Emulation(devices=n))) for n in (1, 3, 1))
    newer.gpus[0].software = "driver 13000"
    assert len({key_of(one, 1), key_of(one, 2), key_of(three, 1), key_of(newer, 1)}) == 4


def test_the_key_tells_versions_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    device = on_devices()
    keys = {key_of(device, 1)}
    monkeypatch.setattr("arcbatt.engine.gpu.calibration.__version__", "9.9.9")
    keys.add(key_of(device, 1))
    monkeypatch.setattr("arcbatt.engine.gpu.nvrtc.source_digest", lambda: "another kernel")
    keys.add(key_of(device, 1))
    assert len(keys) == 3


def test_the_number_of_samples_decides() -> None:
    device = on_devices()
    choice, job = CalibratedBackend(NativeBackend(), device), small_job(step=40)
    nodes = len(job.plan.steps)
    add(key_of(device, 1), Calibration(2e-6, 1e-6, 10e-6 * nodes))
    task = some_of(job.tasks[0], 0, 1)
    assert choice.pick(job.plan, [task] * 9, RunOptions()) == (
        choice.cpu,
        "9 samples are below the break-even of 10 with emulated",
    )
    assert choice.pick(job.plan, [task] * 10, RunOptions()) == (
        device,
        "10 samples are at or above the break-even of 10 with emulated",
    )
    assert device.transfers.batches == 0


def test_the_device_that_was_picked_does_the_work() -> None:
    device = on_devices()
    choice, job = CalibratedBackend(NativeBackend(), device), small_job(step=40)
    add(key_of(device, 1), DEVICE_WINS)
    assert reports(choice, job) == reports(NativeBackend(), job)
    judged = device.transfers.batches
    assert judged > 0
    some = outcomes(choice, job.plan, job.tasks, job.options)
    assert some == outcomes(NativeBackend(), job.plan, job.tasks, job.options)
    assert device.transfers.batches > judged


def test_single_ops_never_go_to_a_device() -> None:
    device = on_devices()
    choice = CalibratedBackend(NativeBackend(), device)
    add(key_of(device, 1), DEVICE_WINS)
    assert choice.call(TABLE["add"], (1, 2), ab.Limits()) == 3
    assert list(choice.call_many(TABLE["add"], [[1, 2], [3, 4]], ab.Limits())) == [4, 6]
    assert device.transfers.batches == 0


class Measurements:
    """Stands in for measuring: gives what it is told, one after the other, and counts."""

    def __init__(self, *results: Calibration | NoMeasure) -> None:
        self.results, self.taken = list(results), 0

    def __call__(self, *work: object) -> Calibration:
        self.taken += 1
        result = self.results.pop(0)
        if isinstance(result, NoMeasure):
            raise result
        return result


def test_one_bad_measurement_is_outvoted_by_the_next(gauge: Gauge, tiny: Plan) -> None:
    measurements = Measurements(DEVICE_WINS, CPU_WINS, CPU_WINS)
    cpu, device = NativeBackend(), on_devices()
    choice = CalibratedBackend(cpu, device, lambda: gauge, measurements)
    picked = [choice.pick(tiny, much(tiny), RunOptions())[0] for _ in range(5)]
    assert picked[0] is device
    assert picked[2:] == [cpu] * 3
    assert measurements.taken == ENOUGH
    assert fresh(key_of(device, 1)) == [DEVICE_WINS, CPU_WINS, CPU_WINS]


def test_a_measurement_that_says_nothing_leaves_the_cpu_and_is_tried_once_a_process(
    gauge: Gauge, tiny: Plan
) -> None:
    measurements = Measurements(NoMeasure("the machine is busy"), CPU_WINS)
    choice = CalibratedBackend(NativeBackend(), on_devices(), lambda: gauge, measurements)
    for _ in range(3):
        assert choice.pick(tiny, much(tiny), RunOptions()) == (
            choice.cpu,
            "emulated could not be measured: the machine is busy",
        )
    assert measurements.taken == 1
    assert stored() == {}
    anew = CalibratedBackend(NativeBackend(), on_devices(), lambda: gauge, measurements)
    assert "is faster" in anew.pick(tiny, much(tiny), RunOptions())[1]


def test_little_work_is_no_reason_to_measure_and_no_measure(tiny: Plan) -> None:
    choice = CalibratedBackend(NativeBackend(), on_devices(), measure=Measurements())
    assert choice.pick(tiny, small_inputs(), RunOptions()) == (choice.cpu, TOO_LITTLE)
    assert stored() == {}


@pytest.mark.slow
def test_an_emulated_device_is_measured_by_what_it_does(pace: Pace, gauge: Gauge) -> None:
    device = on_devices(batch_size=1)

    def clock() -> float:
        return pace() + 1e-4 * device.transfers.batches

    found = measure(gauge, RunOptions(), pace.backend(0.0, 0.0, 5e-6), device, clock)
    assert astuple(found) == pytest.approx((5e-6, 1e-4 / len(gauge.plan.steps), 0.0))


def test_to_calibrate_replaces_what_was_known(gauge: Gauge) -> None:
    device = on_devices()
    for _ in range(ENOUGH):
        add(key_of(device, 1), DEVICE_WINS)
    found = calibrate(
        device, NativeBackend(), RunOptions(), lambda: gauge, Measurements(SOME, DEVICE_WINS, SOME)
    )
    assert found == SOME
    assert fresh(key_of(device, 1)) == [SOME, DEVICE_WINS, SOME]


def test_where_there_is_nothing_to_choose_nothing_is_measured(tiny: Plan) -> None:
    device = on_devices()
    choice = CalibratedBackend(NativeBackend(), device)
    for some, tasks in (
        (tiny, [Samples("none", (), [])]),
        (tiny, []),
        (plan([]), small_inputs()),
    ):
        assert choice.pick(some, tasks, RunOptions()) == (choice.cpu, "there is nothing to run")
    device.gpus.clear()
    assert choice.pick(tiny, small_inputs(), RunOptions()) == (choice.cpu, "no device is left")
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
    assert choice.pick(own, small_inputs(), RunOptions()) == (
        choice.cpu,
        "an op of your own runs on the CPU alone",
    )
    assert stored() == {}


@pytest.mark.parametrize("devices", [1, 2])
def test_a_device_that_fails_is_no_measure_either(devices: int, gauge: Gauge, tiny: Plan) -> None:
    faulty = EmulatedGpu(0, Emulation(faults={"launch": 2}))
    gpus = [faulty, *(EmulatedGpu(number) for number in range(1, devices))]
    backend = DeviceBackend("emulated", gpus, 1, say=lambda line: None)

    def run_it(gauge: Gauge, options: RunOptions, cpu: Backend, device: Backend) -> Calibration:
        device.run(gauge.job(8, options), lambda *_: None)
        return DEVICE_WINS

    choice = CalibratedBackend(NativeBackend(), backend, lambda: gauge, run_it)
    picked = choice.pick(tiny, much(tiny), RunOptions())
    assert picked == (choice.cpu, "emulated could not be measured: a device failed while it was measured")
    assert stored() == {}


def test_auto_takes_a_device_that_wins_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(AUTO_DEVICE, "emulated")
    chosen, _ = choose("auto")
    assert chosen.decides
    threads = cores()
    add(key_of(on_devices(), threads), DEVICE_WINS)
    programs = load_library("all")[::40]
    found, expected = (ab.run(programs, small_tasks(), "all", name) for name in ("auto", "native"))
    assert found.records == expected.records
    assert found.stats.backend == "emulated"
    assert found.stats.why == "10 samples are at or above the break-even of 1 with emulated"


def test_auto_stays_on_the_cpu_where_that_is_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(AUTO_DEVICE, "emulated")
    add(key_of(on_devices(), cores()), CPU_WINS)
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
    monkeypatch.setattr("arcbatt.engine.choose.has_gpu", lambda: True)
    monkeypatch.setattr("arcbatt.engine.gpu.cuda.cuda_gpus", cuda_gpus)
    opened_once.cache_clear()
    try:
        assert ab.call("add", 1, 2) == 3
        assert opened == 0
        chosen = [choose("auto") for _ in range(2)]
        with pytest.raises(BackendError, match="NVRTC was not found"):
            choose("cuda")
    finally:
        opened_once.cache_clear()
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
