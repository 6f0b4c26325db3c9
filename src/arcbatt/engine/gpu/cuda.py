"""CUDA devices: CuPy for memory, streams and launches, NVRTC for the kernel."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from arcbatt import _core
from arcbatt.dsl.contract import WARP
from arcbatt.engine.backend import BackendName
from arcbatt.engine.gpu.devices import check_gpu_status
from arcbatt.engine.gpu.gpu import DeviceError, DeviceOutOfMemory
from arcbatt.engine.gpu.kernels import shipped_kernel
from arcbatt.engine.gpu.nvrtc import ENTRY, cached_kernel, compiler_version
from arcbatt.errors import BackendError

TO_DEVICE, TO_HOST = 1, 2  # kinds of copies, as the CUDA run-time numbers them
OUT_OF_MEMORY = 2  # the error, as the run-time and the driver number it
GROUPS_A_PROCESSOR = 8  # where the driver does not tell how many warps it can hold


def cuda_gpus() -> list["CudaGpu"]:
    """The CUDA devices of this machine; BackendError, with the reason, if none can be used."""
    status = check_gpu_status()
    if not status.usable:
        raise BackendError(f"backend 'cuda' has no GPU to use: {status.reason}")
    try:
        return [CudaGpu(number) for number in range(len(status.devices))]
    except DeviceError as error:
        raise BackendError(f"backend 'cuda' cannot start: {error}") from None


@contextmanager
def _plainly() -> Iterator[None]:
    """Turn errors of CUDA into `DeviceError` or `DeviceOutOfMemory`."""
    import cupy

    try:
        yield
    except cupy.cuda.memory.OutOfMemoryError as error:
        raise DeviceOutOfMemory(str(error)) from None
    except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError) as error:
        # A launch may run out of memory, too: the first one allocates the stacks of the threads.
        kind = DeviceOutOfMemory if error.status == OUT_OF_MEMORY else DeviceError
        raise kind(str(error)) from None


def _kernel(number: int, architecture: str) -> Any:
    """The kernel on a device: the shipped one if it loads, else compiled by NVRTC."""
    shipped = shipped_kernel(architecture)
    if shipped is not None:
        try:
            return _loaded(number, shipped.cubin)
        except DeviceOutOfMemory:
            raise
        except DeviceError:  # say the driver is older than the compiler
            pass
    return _loaded(number, cached_kernel(architecture))


def _loaded(number: int, cubin: bytes) -> Any:
    import cupy

    with _plainly(), cupy.cuda.Device(number):
        module = cupy.cuda.function.Module()
        module.load(cubin)
        return module.get_function(ENTRY)


def _bytes_of(memory: Any, size: int) -> Any:
    """The first bytes of pinned memory of the host, as an array."""
    import numpy as np

    return np.frombuffer(memory, np.uint8, size)


class CudaGpu:
    """One CUDA device."""

    backend: BackendName = "cuda"
    streams = 2

    def __init__(self, number: int) -> None:
        import cupy

        with _plainly(), cupy.cuda.Device(number) as device:
            self.number = number
            capability = device.compute_capability
            properties = cupy.cuda.runtime.getDeviceProperties(number)
            driver, compiler = cupy.cuda.runtime.driverGetVersion(), compiler_version()
            self.software = f"driver {driver}, {f'NVRTC {compiler}' if compiler else 'no NVRTC'}"
        self.kind = properties["name"].decode(errors="replace")
        self.name = f"cuda:{number} ({self.kind})"
        self.kernel = _kernel(number, f"sm_{capability}")
        self.groups = max(1, properties["multiProcessorCount"] * self._groups_a_processor())

    def _groups_a_processor(self) -> int:
        """The number of warps of the kernel that a multiprocessor holds at a time."""
        import cupy

        with _plainly(), cupy.cuda.Device(self.number):
            held = getattr(cupy.cuda.driver, "occupancyMaxActiveBlocksPerMultiprocessor", None)
            return int(held(self.kernel.ptr, WARP, 0)) if held else GROUPS_A_PROCESSOR

    def free_memory(self) -> int:
        """The number of free bytes."""
        import cupy

        with _plainly(), cupy.cuda.Device(self.number):
            free, _ = cupy.cuda.runtime.memGetInfo()
            return int(free)

    def open(self) -> "CudaStream":
        """A new stream."""
        return CudaStream(self)


class CudaStream:
    """A stream of a CUDA device; copies go through pinned memory of the host."""

    def __init__(self, gpu: CudaGpu) -> None:
        import cupy

        self.gpu, self.runtime = gpu, cupy.cuda.runtime
        with self._on_device():
            self.stream = cupy.cuda.Stream(non_blocking=True)
            self.aside = cupy.cuda.Stream(non_blocking=True)  # carries the word that ends a running launch
            self.uploaded = cupy.cuda.Event(disable_timing=True)
            self.word = cupy.cuda.alloc_pinned_memory(4)
        _bytes_of(self.word, 4)[:] = (1, 0, 0, 0)
        self.staging: Any = None

    @contextmanager
    def _on_device(self) -> Iterator[None]:
        import cupy

        with _plainly(), cupy.cuda.Device(self.gpu.number):
            yield

    def _staged(self, size: int) -> Any:
        import cupy

        if self.staging is None or self.staging.mem.size < size:
            self.staging = cupy.cuda.alloc_pinned_memory(size)
        return self.staging

    def allocate(self, size: int) -> int:
        """The address of new memory."""
        with self._on_device():
            return int(self.runtime.malloc(size))

    def release(self, address: int) -> None:
        """Give memory back."""
        with self._on_device():
            self.runtime.free(address)

    def upload(self, address: int, data: bytes) -> None:
        """Copy bytes to the device; the stream goes on meanwhile."""
        with self._on_device():
            self.stream.synchronize()  # the staging memory may still be in use
            staging = self._staged(len(data))
            _bytes_of(staging, len(data))[:] = memoryview(data)
            self.runtime.memcpyAsync(address, staging.ptr, len(data), TO_DEVICE, self.stream.ptr)
            self.uploaded.record(self.stream)

    def launch(self, address: int, groups: int) -> None:
        """Run the kernel in some groups."""
        import numpy as np

        with self._on_device():
            self.gpu.kernel((groups,), (WARP,), (np.uint64(address),), stream=self.stream)

    def download(self, address: int, size: int) -> bytes:
        """Bytes from the device, after all earlier work of the stream."""
        with self._on_device():
            self.stream.synchronize()  # the staging memory may still be in use
            staging = self._staged(size)
            self.runtime.memcpyAsync(staging.ptr, address, size, TO_HOST, self.stream.ptr)
            self.stream.synchronize()
            return bytes(_bytes_of(staging, size))

    def stop(self, address: int) -> None:
        """End a launch early."""
        with self._on_device():
            place = address + _core.STOP_OFFSET
            self.aside.wait_event(self.uploaded)  # the upload would overwrite the word
            self.runtime.memcpyAsync(place, self.word.ptr, 4, TO_DEVICE, self.aside.ptr)
