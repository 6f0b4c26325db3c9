"""Faults of devices, errors and Ctrl-C: the results stay what they are, and a line says what happened."""

import subprocess
import sys

import pytest

pytest.importorskip("arcbatt._core", reason="the compiled core is not installed")

from arcbatt.engine.backend import RunOptions
from arcbatt.engine.backends.device import DeviceBackend
from arcbatt.engine.backends.native import NativeBackend
from arcbatt.engine.choose import AVAILABLE
from arcbatt.engine.gpu.batches import Batch, BatchStream
from arcbatt.engine.gpu.emulated import FAULTS, EmulatedGpu, EmulatedStream, Emulation, Fault
from arcbatt.engine.gpu.gpu import DeviceError, DeviceOutOfMemory, Transfers
from support.commands import environment, interrupt
from support.device_work import (
    WatchedGpu,
    alike,
    device_run,
    every_node,
    native_outcomes,
    outcomes,
    reports,
    small_inputs,
    small_job,
    unexpected,
    watched,
)

pytestmark = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is switched off")

REASONS: dict[Fault, str] = {
    "upload": "an upload failed",
    "launch": "a launch failed",
    "download": "a download failed",
    "lost": "the device is lost",
}
ON, CPU = "the other devices go on", "the rest runs on the CPU"


@pytest.mark.parametrize("devices", [1, 3])
@pytest.mark.parametrize("call", [1, 2, 3])
@pytest.mark.parametrize("fault", REASONS)
def test_a_device_that_fails_is_named_once_and_the_results_are_the_same(
    fault: Fault, call: int, devices: int
) -> None:
    gpus = watched(Emulation(devices, seed=call, faults={fault: call}))
    said: list[str] = []
    backend = DeviceBackend("emulated", gpus, 1, said.append)
    found = outcomes(backend, every_node(60, "fail"), small_inputs(), RunOptions())
    assert found == native_outcomes(60, "fail")
    failed = {gpu.name for gpu in gpus if gpu.failures}
    assert failed
    assert sorted(line.split(":", 2)[1] for line in said) == sorted(name.split(":")[1] for name in failed)
    ends = [ON] * len(said) if len(failed) < devices else [*[ON] * (devices - 1), CPU]
    assert [line.split(": ", 1)[1] for line in said] == [f"{REASONS[fault]}; {end}" for end in ends]
    assert all(line.startswith("device emulated:") for line in said)
    assert {gpu.name for gpu in backend.gpus} == {gpu.name for gpu in gpus} - failed
    assert all(gpu.is_clean for gpu in gpus)


@pytest.mark.parametrize("devices", [1, 3])
@pytest.mark.parametrize("call", [1, 2, 3])
@pytest.mark.parametrize("batch_size", [1, 4, None])
def test_an_allocation_that_fails_is_survived_on_the_device(
    call: int, devices: int, batch_size: int | None
) -> None:
    gpus = watched(Emulation(devices, faults={"allocate": call}))
    backend = DeviceBackend("emulated", gpus, batch_size, unexpected)
    found = outcomes(backend, every_node(60, "fail"), small_inputs(), RunOptions())
    assert found == native_outcomes(60, "fail")
    failed = [gpu for gpu in gpus if gpu.failures]
    assert all(isinstance(error, DeviceOutOfMemory) for gpu in failed for error in gpu.failures)
    assert failed or call > 1
    assert backend.reran <= len(failed)
    assert backend.gpus == gpus
    assert all(gpu.is_clean for gpu in gpus)


def test_a_batch_that_gets_no_memory_goes_on_in_halves() -> None:
    gpu = WatchedGpu(settings=Emulation(faults={"allocate": 1}), streams=1)
    backend = DeviceBackend("emulated", [gpu], 10, unexpected)
    found = outcomes(backend, every_node(60, "fail"), small_inputs(), RunOptions())
    assert found == native_outcomes(60, "fail")
    assert gpu.calls.count("allocate") >= 2
    assert gpu.calls.count("launch") == backend.transfers.batches == 2
    assert backend.reran == 0


@pytest.mark.parametrize("fault", FAULTS)
def test_a_run_that_judges_survives_faults_and_so_does_the_next(fault: Fault) -> None:
    gpus = watched(Emulation(2, faults={fault: 2}))
    said: list[str] = []
    backend, job = DeviceBackend("emulated", gpus, 1, said.append), small_job(step=40)
    expected = reports(NativeBackend(), job)
    assert reports(backend, job) == expected
    assert reports(backend, job) == expected
    lost = [gpu for gpu in gpus if gpu not in backend.gpus]
    assert len(said) == len(lost)
    assert bool(lost) == (fault != "allocate")


@pytest.mark.parametrize("batch_size", [1, None])
def test_a_device_that_cannot_be_opened_is_done_without(batch_size: int | None) -> None:
    class Closed(EmulatedGpu):
        def open(self) -> EmulatedStream:
            raise DeviceError("it is in use by others")

    said: list[str] = []
    backend = DeviceBackend("emulated", [Closed()], batch_size, said.append)
    assert reports(backend, small_job(step=40)) == reports(NativeBackend(), small_job(step=40))
    assert said == [f"device emulated:0: it is in use by others; {CPU}"]


def test_a_mistake_in_a_stream_is_raised_and_no_thread_hangs() -> None:
    class Odd(WatchedGpu):
        def come_to(self, what: Fault) -> None:
            super().come_to(what)
            if what == "download" and self.calls.count(what) == 2:
                raise ZeroDivisionError("a mistake")

    gpus = [Odd(), WatchedGpu(1)]
    with pytest.raises(ZeroDivisionError, match="a mistake"):
        reports(DeviceBackend("emulated", gpus, 1, unexpected), small_job(step=40))
    assert all(gpu.is_clean for gpu in gpus)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_error_of_who_is_told_ends_the_run(error: type[BaseException]) -> None:
    """Also where a stream has failed before: its memory is given back, there is nothing left to stop."""
    gpus = watched(Emulation(2, faults={"launch": 2}))
    job = alike(300)
    told: list[tuple[int, bytes, bytes]] = []

    def report(number: int, verdicts: bytes, scores: bytes) -> None:
        told.append((number, verdicts, scores))
        if len(told) == 1:
            raise error

    with pytest.raises(error):
        DeviceBackend("emulated", gpus, 1, lambda line: None).run(job, report)
    expected = reports(NativeBackend(), job)
    numbers = [number for number, _, _ in told]
    assert numbers[0] == 0
    assert len(numbers) < 300
    assert numbers == sorted(set(numbers))
    assert told == [expected[number] for number in numbers]
    assert all(gpu.is_clean for gpu in gpus)


def test_what_a_stopped_launch_has_not_run_is_not_taken_for_done() -> None:
    """The memory of the device holds zeros, which are also the status of what went well."""

    class Zeroed(EmulatedStream):
        def allocate(self, size: int) -> int:
            address = super().allocate(size)
            self.gpu.core.upload(address, bytes(size))
            return address

    gpu = EmulatedGpu(settings=Emulation(memory=64 << 20))
    run = device_run(small_job(step=40))
    slot = BatchStream(Zeroed(gpu), run, False, 32 << 20, gpu.groups)
    assert slot.carry_out(Batch(0, run.lanes), Transfers()) == []
    slot.stop()
    assert slot.carry_out(Batch(0, run.lanes), Transfers()) == list(range(run.lanes))
    slot.close()


SCRIPT = """
import sys
import arcbatt as ab
from arcbatt.engine.results import Interrupted
from arcbatt.library import load_library

programs, small = load_library("all")[::40], ab.load_tasks("6150a2bd")[0]
tasks = [ab.Task(f"{number:08x}", small.demo, small.test) for number in range(700)]
try:
    ab.run(programs, tasks, "all", "emulated", on_task=lambda task: print("done\\n", end="", flush=True))
except Interrupted as stopped:
    kept = stopped.results
    again = ab.run(programs, [record.task for record in kept.records.values()], "all", "native")
    print(0 < len(kept.records) < len(tasks), kept.records == again.records)
"""


@pytest.mark.process
def test_ctrl_c_ends_a_long_run_and_keeps_what_is_done() -> None:
    settings = environment(ARCBATT_EMULATED="devices=2 memory=16M")
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "done\n"
        output, errors = interrupt(process)
    *done, one, other = output.split()
    assert set(done) <= {"done"}
    assert (one, other) == ("True", "True")
    assert errors == ""
    assert process.returncode == 0
