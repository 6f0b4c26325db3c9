"""The CUDA backend on a stand-in for CuPy gives what native gives, survives faults, and can be stopped."""

import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import zip_longest
from typing import Any

import pytest

pytest.importorskip("arcbatt._core", reason="the compiled core is not installed")

import arcbatt as ab
from arcbatt import _core
from arcbatt.batt.residency.gpu_env import GPUEnv
from arcbatt.dsl.table import TABLE
from arcbatt.engine import choose as backends
from arcbatt.engine.backend import FailureMode, RunOptions
from arcbatt.engine.backends.cuda import opened_once
from arcbatt.engine.backends.native import NativeBackend
from arcbatt.engine.choose import AVAILABLE
from arcbatt.engine.gpu import cuda
from arcbatt.engine.gpu.cuda import cuda_gpus
from arcbatt.engine.gpu.devices import GpuStatus
from arcbatt.engine.gpu.emulated import Emulation, Fault
from arcbatt.engine.gpu.gpu import DeviceError, DeviceOutOfMemory
from arcbatt.engine.gpu.kernels import ShippedKernel
from arcbatt.engine.gpu.nvrtc import compiler_version
from arcbatt.errors import BackendError
from support.cupy_stand_in import StandIn, Way, standing_in
from support.device_work import (
    WatchedGpu,
    alike,
    every_node,
    native_outcomes,
    on_cuda,
    outcomes,
    reports,
    small_inputs,
    small_job,
    watched,
)
from support.vectors import VECTORS, as_said

pytestmark = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is switched off")

MODES: tuple[FailureMode, ...] = ("fail", "default", "pile")
ON, CPU = "the other devices go on", "the rest runs on the CPU"

Make = Callable[..., StandIn]


@pytest.fixture
def stand_in() -> Iterator[Make]:
    """Makes the stand-in that `import cupy` gives in this test."""
    with ExitStack() as stack:

        def make(settings: Emulation | None = None, **options: Any) -> StandIn:
            gpus = watched(settings or Emulation())
            return stack.enter_context(standing_in(StandIn(gpus, **options)))

        yield make


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("devices", "batch_size"), [(1, None), (1, 3), (2, 1), (2, 3)])
def test_every_node_gives_what_native_gives(
    mode: FailureMode, devices: int, batch_size: int | None, stand_in: Make
) -> None:
    cupy = stand_in(Emulation(devices))
    backend = on_cuda(batch_size)
    assert outcomes(
        backend, every_node(12, mode), small_inputs(), RunOptions(on_failure=mode)
    ) == native_outcomes(12, mode)
    assert backend.reran == 0
    assert backend.transfers.uploads == backend.transfers.downloads > 0
    assert all(gpu.is_clean for gpu in cupy.gpus if isinstance(gpu, WatchedGpu))


@pytest.mark.slow
def test_vectors_of_every_op_give_what_they_say(stand_in: Make) -> None:
    stand_in()
    backend = on_cuda()
    wrong = []
    for op, known in VECTORS.items():
        plain = [vector for vector in known if "call" not in vector]
        some = [vector for vector in plain[::100] if len(vector["args"]) == len(plain[0]["args"])]
        columns = list(zip_longest(*(map(ab.decode, vector["args"]) for vector in some)))
        given = backend.call_many(TABLE[op], columns, ab.Limits())
        wrong += [vector for vector, outcome in zip(some, given) if not as_said(vector, outcome)]
    assert wrong == []
    assert backend.transfers.batches > 100


@pytest.mark.parametrize("mode", MODES)
def test_a_run_that_judges_gives_what_native_gives(mode: FailureMode, stand_in: Make) -> None:
    cupy = stand_in(Emulation(2))
    assert reports(on_cuda(2), small_job(mode)) == reports(NativeBackend(), small_job(mode))
    assert {call.name for call in cupy.calls} >= {"cuda.Event.record", "cuda.function.Function.__call__"}


def test_both_devices_work_and_each_has_its_own_kernel(stand_in: Make) -> None:
    cupy = stand_in(Emulation(2))
    backend = on_cuda(1)
    reports(backend, alike(20))
    assert [gpu.name for gpu in backend.gpus] == ["cuda:0 (Stand-in)", "cuda:1 (Stand-in)"]
    assert cupy.loaded == [b"compiled for sm_75"] * 2
    assert all("launch" in gpu.calls for gpu in cupy.gpus if isinstance(gpu, WatchedGpu))


def test_the_device_says_what_it_is(stand_in: Make) -> None:
    stand_in(Emulation(memory=64 << 20), capability="89")
    (gpu,) = cuda_gpus()
    assert (gpu.kind, gpu.groups) == ("Stand-in", 6)
    compiler = compiler_version()
    assert gpu.software == f"driver 12040, {f'NVRTC {compiler}' if compiler else 'no NVRTC'}"
    assert gpu.free_memory() == 64 << 20


@pytest.mark.slow
def test_a_line_of_an_environment_runs_on_the_device(stand_in: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    cupy = stand_in()
    monkeypatch.setattr(backends, "has_gpu", lambda: True)
    opened_once.cache_clear()
    try:
        env = GPUEnv(0, "00d62c1b", (), backend="cuda")
        grid = ((1, 2), (3, 4))
        turned = env.do_pile(1, (ab.fn("rot90"), grid), True).t
        assert turned == ab.call("rot90", grid)
        assert env.stats.ops["cuda"] == 1
        del env, turned
        gc.collect()
    finally:
        opened_once.cache_clear()
    assert all(gpu.is_clean for gpu in cupy.gpus if isinstance(gpu, WatchedGpu))


@pytest.mark.parametrize("way", ["at once", "later", "for good"])
@pytest.mark.parametrize("devices", [1, 2])
@pytest.mark.parametrize("call", [1, 3])
@pytest.mark.parametrize("fault", ["upload", "launch", "download", "lost"])
def test_a_device_that_fails_is_named_once_and_the_results_are_the_same(
    fault: Fault, call: int, devices: int, way: Way, stand_in: Make
) -> None:
    cupy = stand_in(Emulation(devices, faults={fault: call}), way=way)
    said: list[str] = []
    backend = on_cuda(1, said.append)
    found = outcomes(backend, every_node(60, "fail"), small_inputs(), RunOptions())
    assert found == native_outcomes(60, "fail")
    failed = [number for number, gpu in enumerate(cupy.gpus) if isinstance(gpu, WatchedGpu) and gpu.failures]
    assert failed
    assert sorted(line[: len("device cuda:0")] for line in said) == [f"device cuda:{n}" for n in failed]
    assert [line.rsplit("; ", 1)[1] for line in said][-1] == (CPU if len(failed) == devices else ON)
    assert all("cudaError" in line or "CUDA_ERROR" in line for line in said)
    assert [gpu.name[:6] for gpu in backend.gpus] == [
        f"cuda:{number}" for number in range(devices) if number not in failed
    ]


@pytest.mark.parametrize("batch_size", [1, 4, None])
def test_an_allocation_that_fails_is_survived_on_the_device(batch_size: int | None, stand_in: Make) -> None:
    cupy = stand_in(Emulation(faults={"allocate": 2}))
    backend = on_cuda(batch_size)
    assert outcomes(backend, every_node(60, "fail"), small_inputs(), RunOptions()) == native_outcomes(
        60, "fail"
    )
    assert len(backend.gpus) == 1
    assert all(gpu.is_clean for gpu in cupy.gpus if isinstance(gpu, WatchedGpu))


def test_host_memory_that_runs_out_is_survived_as_memory_of_the_device_is(stand_in: Make) -> None:
    cupy = stand_in()
    backend = on_cuda(4)
    cupy.pinned_left = 3  # the words of two streams, and one batch
    assert reports(backend, small_job(step=40)) == reports(NativeBackend(), small_job(step=40))
    assert len(backend.gpus) == 1


def test_errors_of_either_library_are_told_from_a_lack_of_memory(stand_in: Make) -> None:
    module = stand_in().make_module()
    for error, kind in (
        (module.cuda.runtime.CUDARuntimeError(2), DeviceOutOfMemory),
        (module.cuda.driver.CUDADriverError(2), DeviceOutOfMemory),
        (module.cuda.memory.OutOfMemoryError(1, 2), DeviceOutOfMemory),
        (module.cuda.runtime.CUDARuntimeError(700), DeviceError),
        (module.cuda.driver.CUDADriverError(700), DeviceError),
    ):
        with pytest.raises(DeviceError) as caught, cuda._plainly():
            raise error
        assert type(caught.value) is kind
        assert str(caught.value) == str(error)


def test_a_shipped_kernel_is_loaded_and_nothing_compiled(stand_in: Make) -> None:
    cupy = stand_in()
    cupy.shipped["sm_75"] = ShippedKernel("sm_75", "12.9", b"shipped")
    assert outcomes(on_cuda(), every_node(60, "fail"), small_inputs(), RunOptions()) == native_outcomes(
        60, "fail"
    )
    assert cupy.loaded == [b"shipped"]


def test_a_shipped_kernel_that_the_driver_refuses_is_compiled_instead(stand_in: Make) -> None:
    cupy = stand_in()
    cupy.shipped["sm_75"] = ShippedKernel("sm_75", "12.9", b"shipped")
    cupy.refused.add(b"shipped")
    cuda_gpus()
    assert cupy.loaded == [b"compiled for sm_75"]
    cupy.refused.add(b"compiled for sm_75")
    with pytest.raises(BackendError, match=r"^backend 'cuda' cannot start: CUDA_ERROR 200$"):
        cuda_gpus()


def test_without_a_gpu_the_reason_is_told(stand_in: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in()
    monkeypatch.setattr(cuda, "check_gpu_status", lambda: GpuStatus(reason="there is none"))
    with pytest.raises(BackendError, match=r"^backend 'cuda' has no GPU to use: there is none$"):
        cuda_gpus()


@pytest.mark.usefixtures("stand_in")
def test_a_launch_that_is_under_way_ends_by_the_word(stand_in: Make) -> None:
    """The lane waits for the word, so without it the launch would not end."""
    cupy = stand_in(Emulation(memory=64 << 20))
    (gpu,) = cuda_gpus()
    stream = gpu.open()
    address = stream.allocate(1 << 12)
    stream.upload(address, bytes(1 << 12))
    seen: list[int] = []

    def launched() -> None:
        while not seen or not seen[-1]:
            word = cupy.gpus[0].core.download(address + _core.STOP_OFFSET, 4)
            seen.append(int.from_bytes(word, "little"))

    stream.stream.do(None, launched)
    stream.stop(address)
    assert stream.download(address + _core.STOP_OFFSET, 4) == (1).to_bytes(4, "little")
    stream.release(address)


def test_the_word_comes_after_the_upload_that_would_overwrite_it(stand_in: Make) -> None:
    stand_in()
    (gpu,) = cuda_gpus()
    stream = gpu.open()
    address = stream.allocate(1 << 16)
    for _ in range(50):
        stream.upload(address, bytes(1 << 16))
        stream.stop(address)
        stream.aside.synchronize()
        assert stream.download(address + _core.STOP_OFFSET, 4) == (1).to_bytes(4, "little")
    stream.release(address)


def test_staging_memory_is_not_changed_while_it_is_read(stand_in: Make) -> None:
    stand_in()
    (gpu,) = cuda_gpus()
    stream = gpu.open()
    address = stream.allocate(1 << 16)
    for number in range(8):
        stream.upload(address + number * 1000, bytes([number]) * 1000)
    assert stream.download(address, 8000) == b"".join(bytes([number]) * 1000 for number in range(8))
    stream.release(address)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_error_of_who_is_told_stops_the_launches(error: type[BaseException], stand_in: Make) -> None:
    cupy = stand_in(Emulation(2))

    def report(*_: object) -> None:
        raise error

    with pytest.raises(error):
        on_cuda(5).run(alike(300), report)
    assert all(gpu.is_clean for gpu in cupy.gpus if isinstance(gpu, WatchedGpu))
