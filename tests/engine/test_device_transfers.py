"""What goes to a device and back: two transfers a batch, the batt once, and no address of the host."""

import sys

import pytest

pytest.importorskip("arcbatt._core", reason="the compiled core is not installed")

from arcbatt import _core
from arcbatt.engine.backend import FailureMode
from arcbatt.engine.backends.device import DeviceBackend
from arcbatt.engine.backends.native import NativeBackend
from arcbatt.engine.choose import AVAILABLE
from arcbatt.engine.gpu.emulated import Emulation
from support.device_work import WatchedGpu, alike, device_run, reports, small_job, unexpected

pytestmark = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is switched off")

A_BATCH = ["upload", "launch", "download"]
ADDRESS, ELSEWHERE = 1 << 40, (1 << 40) + 7 * 4096


def test_without_a_batch_size_one_stream_gets_few_samples_in_one_batch() -> None:
    gpu = WatchedGpu(streams=1)
    backend, job = DeviceBackend("emulated", [gpu], say=unexpected), alike(12)
    assert reports(backend, job) == reports(NativeBackend(), job)
    assert gpu.calls == ["allocate", *A_BATCH]
    run = device_run(job)
    assert (backend.transfers.batches, backend.transfers.uploads, backend.transfers.downloads) == (1, 1, 1)
    assert backend.transfers.bytes_up == run.plan_bytes + run.batch_bytes(0, 12)
    assert backend.transfers.bytes_down == run.download_bytes(0, 12, 0)


def test_each_batch_takes_one_upload_and_one_download_and_the_batt_goes_up_once() -> None:
    gpu = WatchedGpu(streams=1)
    backend, job = DeviceBackend("emulated", [gpu], 3, unexpected), alike(14)
    reports(backend, job)
    assert gpu.calls == ["allocate", *A_BATCH * 5]
    assert (backend.transfers.batches, backend.transfers.uploads, backend.transfers.downloads) == (5, 5, 5)
    run = device_run(job)
    batches = [(first, min(3, 14 - first)) for first in range(0, 14, 3)]
    assert backend.transfers.bytes_up == run.plan_bytes + sum(run.batch_bytes(*batch) for batch in batches)
    assert backend.transfers.bytes_down == sum(run.download_bytes(*batch, 0) for batch in batches)


def test_each_stream_of_each_device_gets_the_batt_once() -> None:
    gpus = [WatchedGpu(number, Emulation(devices=2)) for number in range(2)]
    backend, job = DeviceBackend("emulated", gpus, 2, unexpected), alike(40)
    reports(backend, job)
    calls = [call for gpu in gpus for call in gpu.calls]
    assert all(calls.count(kind) == backend.transfers.batches == 20 for kind in A_BATCH)  # type: ignore[arg-type]
    run = device_run(job)
    streams = calls.count("allocate")
    assert 1 <= streams <= 4
    assert backend.transfers.bytes_up == streams * run.plan_bytes + 20 * run.batch_bytes(0, 2)


def test_a_batch_counts_when_it_has_come_back() -> None:
    gpu = WatchedGpu(settings=Emulation(faults={"download": 2}), streams=1)
    backend = DeviceBackend("emulated", [gpu], 2, lambda line: None)
    reports(backend, alike(8))
    assert gpu.calls.count("upload") == gpu.calls.count("download") == 2
    assert (backend.transfers.batches, backend.transfers.uploads, backend.transfers.downloads) == (1, 2, 1)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["fail", "pile"])
@pytest.mark.parametrize("with_batt", [True, False])
def test_jobs_packed_apart_give_the_same_bytes(mode: FailureMode, with_batt: bool) -> None:
    """What the memory of the host holds beside the values, and where they are in it, does not go along."""
    room = _core.Room(4, 1 << 20, 1 << 20)
    job = small_job(mode)
    runs = [device_run(job)]
    for count in (1, 2, 3):
        [device_run(small_job(mode, step)) for step in range(5, 5 + count)]  # leaves memory that is not empty
        runs.append(device_run(job))
    uploads = [run.upload(run.batt_at(ADDRESS), 0, run.lanes, room, with_batt) for run in runs]
    assert uploads == [uploads[0]] * 4
    size = runs[0].batch_bytes(0, runs[0].lanes) + (runs[0].plan_bytes if with_batt else 0)
    assert len(uploads[0]) == size


def test_at_another_address_only_addresses_differ() -> None:
    run = device_run(small_job())
    room = _core.Room(4, 1 << 20, 1 << 20)
    one, other = (
        run.upload(run.batt_at(address), 0, run.lanes, room, True) for address in (ADDRESS, ELSEWHERE)
    )
    assert len(one) % 8 == 0
    words = [
        [int.from_bytes(data[k : k + 8], sys.byteorder) for k in range(0, len(data), 8)]
        for data in (one, other)
    ]
    assert {b - a for a, b in zip(*words)} == {0, ELSEWHERE - ADDRESS}
    total = len(one) + run.download_bytes(0, run.lanes, 1 << 20) + 4 * run.group_bytes(1 << 20)
    assert all(ADDRESS <= a <= ADDRESS + total for a, b in zip(*words) if a != b)


def test_an_arena_ends_where_an_array_may_end() -> None:
    """A budget may be any number of bytes."""
    run = device_run(small_job())
    batt = run.batt_at(ADDRESS)
    even, odd = (
        run.upload(batt, 0, 1, _core.Room(1, 1 << 18, 16).in_arena(ELSEWHERE, ELSEWHERE + size), True)
        for size in (1 << 20, (1 << 20) + 15)
    )
    assert odd == even


def test_a_batch_without_the_batt_is_the_end_of_one_with_it() -> None:
    run = device_run(small_job())
    room = _core.Room(3, 1 << 18, 0)
    batt = run.batt_at(ADDRESS)
    whole = run.upload(batt, 2, 3, room, True)
    assert run.upload(batt, 2, 3, room, False) == whole[run.plan_bytes :]
