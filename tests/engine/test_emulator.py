"""The emulated GPU itself: the kernel on 32 threads, without some syncs, memory with a limit, settings."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("arcbatt._core", reason="the compiled core is not installed")

from arcbatt import _core
from arcbatt.engine.choose import AVAILABLE
from arcbatt.engine.gpu.emulated import SETTINGS, EmulatedGpu, Emulation, emulated_gpus, emulation
from arcbatt.engine.gpu.gpu import DeviceError, DeviceOutOfMemory
from arcbatt.errors import BackendError
from arcbatt.tasks.samples import some_of
from support.commands import environment
from support.device_work import calls_on, on_devices, outcomes, small_inputs, small_job
from support.vectors import VECTORS, spread, unlike

pytestmark = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is switched off")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 77])
def test_every_op_gives_what_its_vectors_say_whatever_the_order_of_fibers(seed: int) -> None:
    backend = on_devices(Emulation(seed=seed, fibers=True))
    chosen = [vector for op in sorted(VECTORS) for vector in spread(op, 2)]
    assert {vector["op"] for vector in chosen} == set(VECTORS)
    wrong = unlike(chosen, calls_on(backend))
    assert not wrong, f"{len(wrong)} of {len(chosen)} vectors, the first: {wrong[0]}"
    assert backend.reran == 0


@pytest.mark.slow
def test_threads_of_the_system_give_the_same() -> None:
    backend = on_devices(Emulation(groups=2, fibers=False))
    chosen = [vector for op in sorted(VECTORS)[::5] for vector in spread(op, 1)]
    wrong = unlike(chosen, calls_on(backend))
    assert not wrong, f"{len(wrong)} of {len(chosen)} vectors, the first: {wrong[0]}"
    assert backend.reran == 0


@pytest.mark.slow
def test_a_program_gives_the_same_on_fibers_and_on_threads() -> None:
    job = small_job(step=40)
    tasks = [some_of(small_inputs()[0], 0, 1)]
    found = [
        outcomes(on_devices(Emulation(fibers=fibers, seed=seed)), job.plan, tasks, job.options)
        for fibers, seed in ((True, 0), (True, 9), (False, 0))
    ]
    assert found[0] == found[1] == found[2]


# Each op in a process of its own, since a thread that does not wait may follow what is no address.
CHECK = """
import os, sys
from collections import Counter
from support.device_work import calls_on
from support.vectors import VECTORS, spread, unlike
from arcbatt.engine.backends.device import DeviceBackend
from arcbatt.engine.gpu.emulated import Emulation, emulated_gpus

APART = "device emulated:0: the threads of a warp came to different collectives; the rest runs on the CPU"
ENDS = {0: "unnoticed", 1: "differs", 2: "apart"}

def end(op, dropped):
    said = []
    backend = DeviceBackend("emulated", emulated_gpus(Emulation(dropped=dropped, seed=5)), say=said.append)
    right = not unlike(spread(op, 2), calls_on(backend))
    return 0 if right and not said else 2 if right and said == [APART] else 1

ends = Counter()
for op in sorted(VECTORS)[::3]:
    child = os.fork()
    if child == 0:
        os._exit(end(op, int(sys.argv[1])))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    ends[ENDS.get(code, "crashed" if code in (-7, -11) else code)] += 1
print(*(f"{end}={count}" for end, count in ends.items()))
"""


@pytest.mark.process
@pytest.mark.parametrize("dropped", [0, 2, 3])
def test_a_sync_that_is_left_out_is_noticed(dropped: int) -> None:
    """Threads come to different collectives, which is an error of the device, or give other values."""
    here = f"{environment()['PYTHONPATH']}:{Path(__file__).parents[1]}"
    run = [sys.executable, "-c", CHECK, str(dropped)]
    done = subprocess.run(run, env=environment(PYTHONPATH=here), capture_output=True, text=True, check=True)
    ends = {end: int(count) for end, count in (word.split("=") for word in done.stdout.split())}
    assert ends.keys() <= {"unnoticed", "apart", "differs", "crashed"}
    assert sum(ends.values()) == -(-len(VECTORS) // 3)
    if dropped:
        assert ends["apart"] >= 3
    else:
        assert ends.keys() == {"unnoticed"}


def test_a_launch_is_in_the_memory() -> None:
    gpu = EmulatedGpu()
    for address in (0, 4096, gpu.open().allocate(64)):
        with pytest.raises(ValueError, match="not in the memory"):
            gpu.core.launch(address + 64, 1)


def test_memory_has_a_limit_and_comes_back() -> None:
    gpu = _core.EmulatedGpu(10_000, 1, True, 0, 0)
    assert gpu.free_bytes == 10_000
    first = gpu.allocate(4000)
    assert first % 256 == 0
    assert gpu.free_bytes == 10_000 - 4096
    second = gpu.allocate(5888)
    for size in (17, 10_000, 2**63, 2**64 - 1):
        with pytest.raises(MemoryError):
            gpu.allocate(size)
    gpu.release(first)
    assert gpu.free_bytes == 10_000 - 5888
    gpu.release(second)
    assert gpu.free_bytes == 10_000


def test_a_stream_says_how_much_was_asked_for_and_is_free() -> None:
    stream = EmulatedGpu(settings=Emulation(memory=1 << 20)).open()
    with pytest.raises(DeviceOutOfMemory, match="2,000,000 bytes were asked for, 1,048,576 are free"):
        stream.allocate(2_000_000)


def test_what_was_not_allocated_cannot_be_released() -> None:
    gpu = _core.EmulatedGpu(1 << 20, 1, True, 0, 0)
    address = gpu.allocate(512)
    for wrong in (0, address + 256, 2**64 - 1):
        with pytest.raises(ValueError, match="no device memory at this address"):
            gpu.release(wrong)
    gpu.release(address)
    with pytest.raises(ValueError, match="no device memory at this address"):
        gpu.release(address)


def test_copies_stay_inside_of_the_memory() -> None:
    gpu = _core.EmulatedGpu(1 << 20, 1, True, 0, 0)
    address = gpu.allocate(512)
    gpu.upload(address + 500, b"hello, world")
    assert gpu.download(address + 500, 12) == b"hello, world"
    for place, size in ((address - 1, 2), (address, 513), (address + 511, 2), (address + 600, 1), (0, 1)):
        with pytest.raises(ValueError, match="not in the memory"):
            gpu.upload(place, b"x" * size)
        with pytest.raises(ValueError, match="not in the memory"):
            gpu.download(place, size)
    gpu.release(address)
    with pytest.raises(ValueError, match="not in the memory"):
        gpu.download(address, 1)
    with pytest.raises(ValueError, match="not in the memory"):
        gpu.stop(address)


def test_new_memory_does_not_begin_with_zeros() -> None:
    size = 1 << 24
    gpu = _core.EmulatedGpu(size, 1, True, 0, 0)
    assert gpu.download(gpu.allocate(size), size) == b"\xcd" * size


def test_a_fault_comes_at_its_call_and_a_lost_device_stays_lost() -> None:
    stream = EmulatedGpu(settings=Emulation(faults={"upload": 2, "lost": 5})).open()
    address = stream.allocate(256)
    stream.upload(address, b"1")
    with pytest.raises(DeviceError, match="an upload failed"):
        stream.upload(address, b"2")
    stream.upload(address, b"3")
    for _ in range(2):
        with pytest.raises(DeviceError, match="the device is lost"):
            stream.download(address, 1)
    stream.release(address)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Emulation()),
        ("devices=3", Emulation(devices=3)),
        ("memory=64M, groups=7", Emulation(memory=64 << 20, groups=7)),
        ("memory=5k seed=12,dropped=3", Emulation(memory=5 << 10, seed=12, dropped=3)),
        ("memory=2G fibers=0", Emulation(memory=2 << 30, fibers=False)),
        ("launch=2 lost=9", Emulation(faults={"launch": 2, "lost": 9})),
    ],
)
def test_settings_are_words(text: str, expected: Emulation) -> None:
    assert emulation(text) == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "device=3",
            "has 'device', which is none of devices, memory, groups, seed, dropped, fibers, allocate",
        ),
        ("devices=three", "has 'devices=three'; it must be a name, '=', and a number such as 3 or 64M"),
        ("memory=5T", "has 'memory=5T'; it must be a name"),
        ("seed=-1", "has 'seed=-1'; it must be a name"),
        ("seed=1.5", "has 'seed=1.5'; it must be a name"),
        ("devices", "has 'devices'; it must be a name"),
        ("memory=M", "has 'memory=M'; it must be a name"),
        ("devices=0", "needs 1 or more devices and groups"),
        ("groups=0", "needs 1 or more devices and groups"),
        ("seed=4G", "seed and dropped are below 4G"),
        ("dropped=4294967296", "seed and dropped are below 4G"),
        ("memory=8589934592G", "memory is below 8,589,934,592G"),
    ],
)
def test_wrong_settings_are_refused_in_a_sentence(
    text: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SETTINGS, text)
    with pytest.raises(BackendError) as refused:
        emulated_gpus()
    assert sentence in str(refused.value)
    assert str(refused.value).startswith(SETTINGS)
    assert "\n" not in str(refused.value)


def test_the_environment_describes_the_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTINGS, "devices=3 memory=2M groups=5")
    gpus = emulated_gpus()
    assert [gpu.name for gpu in gpus] == ["emulated:0", "emulated:1", "emulated:2"]
    assert {(gpu.free_memory(), gpu.groups) for gpu in gpus} == {(2 << 20, 5)}
