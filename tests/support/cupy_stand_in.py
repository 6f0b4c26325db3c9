"""A stand-in for the part of CuPy that `engine/cuda.py` uses, with emulated GPUs for devices.

It is as asynchronous as the real thing: a stream is a thread that does what is queued, in order, some time
later; a copy reads and writes its host memory then, and an error shows at the next synchronisation. It is as
strict, too: memory, streams and functions belong to a device, which must be the current one.
"""

import ctypes
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from queue import SimpleQueue
from threading import Event as Flag
from threading import Lock, Thread, local
from types import ModuleType, SimpleNamespace
from typing import Any, Literal
from weakref import WeakValueDictionary

import numpy as np
import pytest

from arcbatt.engine.gpu.devices import Device as DeviceFound
from arcbatt.engine.gpu.devices import GpuStatus
from arcbatt.engine.gpu.emulated import EmulatedGpu, Fault
from arcbatt.engine.gpu.gpu import DeviceError, DeviceOutOfMemory
from arcbatt.engine.gpu.kernels import ShippedKernel
from arcbatt.engine.gpu.nvrtc import ENTRY

Way = Literal["at once", "later", "for good"]

PAGE = 512  # host memory is given out in units of so many bytes
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2
OUT_OF_MEMORY, INVALID_IMAGE, INVALID_HANDLE, NOT_FOUND = 2, 200, 400, 500
ILLEGAL_ADDRESS, OUT_OF_RESOURCES, UNKNOWN = 700, 701, 999


class CUDARuntimeError(RuntimeError):
    """An error of the run-time library."""

    def __init__(self, status: int) -> None:
        super().__init__(f"cudaError {status}")
        self.status = status


class CUDADriverError(RuntimeError):
    """An error of the driver."""

    def __init__(self, status: int) -> None:
        super().__init__(f"CUDA_ERROR {status}")
        self.status = status


class OutOfMemoryError(MemoryError):
    """What the memory pools raise."""

    def __init__(self, size: int, total: int, limit: int = 0) -> None:
        super().__init__(f"Out of memory allocating {size} bytes")


@dataclass
class Call:
    """A call of the stand-in: its name in CuPy and its arguments, without the object of a method."""

    name: str
    arguments: tuple[Any, ...]
    keywords: dict[str, Any] = field(default_factory=dict)


class StandIn:
    """CuPy's names over some emulated devices; `calls` are all that were made."""

    def __init__(self, gpus: Sequence[EmulatedGpu], capability: str = "75", way: Way = "at once") -> None:
        """`way` says how the fault of a launch shows: at once, later, or so that all else fails then, too."""
        self.gpus, self.capability, self.way = list(gpus), capability, way
        self.calls: list[Call] = []
        self.shipped: dict[str, ShippedKernel] = {}
        self.loaded: list[bytes] = []
        self.refused: set[bytes] = set()  # kernels that do not load
        self.failed: dict[int, CUDARuntimeError] = {}  # devices that are lost, by number
        self.pinned: WeakValueDictionary[int, PinnedMemoryPointer] = WeakValueDictionary()
        self.streams: WeakValueDictionary[int, Stream] = WeakValueDictionary()
        self.pointers = count(1000)
        self.pinned_left: int | None = None  # allocations of host memory that still succeed
        self._current = local()
        self._lock = Lock()

    def note(self, name: str, *arguments: Any, **keywords: Any) -> None:
        with self._lock:
            self.calls.append(Call(name, arguments, keywords))

    @property
    def number(self) -> int:
        """The current device of the calling thread."""
        return getattr(self._current, "number", 0)

    @property
    def gpu(self) -> EmulatedGpu:
        """The current device, if it is not lost."""
        if self.number in self.failed:
            raise self.failed[self.number]
        return self.gpus[self.number]

    @contextmanager
    def on(self, number: int) -> Iterator[None]:
        before = self.number
        self._current.number = number
        try:
            yield
        finally:
            self._current.number = before

    def make_module(self) -> ModuleType:
        """What `import cupy` gives."""
        module: Any = ModuleType("cupy")

        def bound(kind: type) -> Callable[..., Any]:
            def make(*arguments: Any, **keywords: Any) -> Any:
                self.note(f"cuda.{kind.__name__}", *arguments, **keywords)
                return kind(self, *arguments, **keywords)

            return make

        module.cuda = SimpleNamespace(
            Device=bound(Device),
            Stream=bound(Stream),
            Event=bound(Event),
            alloc_pinned_memory=self._alloc_pinned_memory,
            function=SimpleNamespace(Module=lambda: Module(self)),
            memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
            runtime=Runtime(self),
            driver=Driver(self),
        )
        return module

    def _alloc_pinned_memory(self, size: int) -> "PinnedMemoryPointer":
        self.note("cuda.alloc_pinned_memory", size)
        if self.pinned_left is not None:
            if not self.pinned_left:
                raise OutOfMemoryError(size, 0)
            self.pinned_left -= 1
        pointer = pinned_memory(size)
        self.pinned[pointer.ptr] = pointer
        return pointer

    def require_pinned(self, address: int, size: int) -> None:
        """Refuse host memory that the device does not know, or no longer."""
        for start, pointer in list(self.pinned.items()):
            if start <= address and address + size <= start + pointer.mem.size:
                return
        raise ValueError("a copy of memory that is not pinned")

    def stream_at(self, pointer: int) -> "Stream":
        stream = self.streams.get(pointer)
        if stream is None or stream.number != self.number:
            raise CUDARuntimeError(INVALID_HANDLE)
        return stream


class PinnedMemoryPointer:
    """The attributes of memory from `alloc_pinned_memory`, which is a buffer besides."""

    ptr: int
    mem: SimpleNamespace


def pinned_memory(size: int) -> PinnedMemoryPointer:
    """Host memory of whole pages, filled with something."""
    whole = -(-size // PAGE) * PAGE
    kind = type("PinnedMemoryPointer", (ctypes.c_ubyte * whole,), {})
    memory: Any = kind()
    memory.ptr = ctypes.addressof(memory)
    ctypes.memset(memory.ptr, 0xCD, whole)
    memory.mem = SimpleNamespace(ptr=memory.ptr, size=whole)
    found: PinnedMemoryPointer = memory
    return found


class Device:
    """`with` makes a device the current one of the thread."""

    def __init__(self, cupy: StandIn, device: int) -> None:
        self._cupy, self.id = cupy, device
        self._entered: list[Any] = []

    def __enter__(self) -> "Device":
        self._entered.append(self._cupy.on(self.id))
        self._entered[-1].__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._entered.pop().__exit__(*error)

    @property
    def compute_capability(self) -> str:
        return self._cupy.capability


class Runtime:
    """The run-time library."""

    CUDARuntimeError = CUDARuntimeError

    def __init__(self, cupy: StandIn) -> None:
        self._cupy = cupy

    def driverGetVersion(self) -> int:
        self._cupy.note("cuda.runtime.driverGetVersion")
        return 12040

    def getDeviceProperties(self, device: int) -> dict[str, Any]:
        self._cupy.note("cuda.runtime.getDeviceProperties", device)
        return {"name": b"Stand-in", "multiProcessorCount": 2}

    def memGetInfo(self) -> tuple[int, int]:
        self._cupy.note("cuda.runtime.memGetInfo")
        gpu = self._cupy.gpu
        return gpu.free_memory(), gpu.settings.memory

    def malloc(self, size: int) -> int:
        self._cupy.note("cuda.runtime.malloc", size)
        gpu = self._cupy.gpu
        try:
            gpu.come_to("allocate")
            return gpu.core.allocate(size)
        except (DeviceOutOfMemory, MemoryError):
            raise CUDARuntimeError(OUT_OF_MEMORY) from None
        except DeviceError:
            raise CUDARuntimeError(UNKNOWN) from None

    def free(self, ptr: int) -> None:
        """Waits for the device, as the real one does."""
        self._cupy.note("cuda.runtime.free", ptr)
        gpu = self._cupy.gpu
        for stream in list(self._cupy.streams.values()):
            if stream.number == self._cupy.number:
                stream.drain()
        gpu.core.release(ptr)

    def memcpyAsync(self, dst: int, src: int, size: int, kind: int, stream: int) -> None:
        self._cupy.note("cuda.runtime.memcpyAsync", dst, src, size, kind, stream)
        gpu, queue = self._cupy.gpu, self._cupy.stream_at(stream)
        if kind == HOST_TO_DEVICE:
            what: Fault | None = "upload" if size > 4 else None  # four bytes are the word that stops a launch

            def upload() -> None:
                self._cupy.require_pinned(src, size)
                gpu.core.upload(dst, ctypes.string_at(src, size))

            queue.do(what, upload)
        else:
            assert kind == DEVICE_TO_HOST

            def download() -> None:
                self._cupy.require_pinned(dst, size)
                ctypes.memmove(dst, gpu.core.download(src, size), size)

            queue.do("download", download)


class Driver:
    """The driver."""

    CUDADriverError = CUDADriverError

    def __init__(self, cupy: StandIn) -> None:
        self._cupy = cupy

    def occupancyMaxActiveBlocksPerMultiprocessor(
        self, func: int, blockSize: int, dynamicSMemSize: int
    ) -> int:
        self._cupy.note(
            "cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor", func, blockSize, dynamicSMemSize
        )
        return 3


class Module:
    """A loaded kernel."""

    def __init__(self, cupy: StandIn) -> None:
        self._cupy = cupy

    def load(self, cubin: bytes) -> None:
        self._cupy.note("cuda.function.Module.load", cubin)
        assert type(cubin) is bytes
        if cubin in self._cupy.refused:
            raise CUDADriverError(INVALID_IMAGE)
        self._cupy.loaded.append(cubin)

    def get_function(self, name: str) -> "Function":
        self._cupy.note("cuda.function.Module.get_function", name)
        if name != ENTRY:
            raise CUDADriverError(NOT_FOUND)
        return Function(self._cupy)


class Function:
    """The kernel of a device, which is the emulated one whatever was loaded."""

    ptr = 1

    def __init__(self, cupy: StandIn) -> None:
        self._cupy, self._number = cupy, cupy.number

    def __call__(
        self, grid: tuple[int], block: tuple[int], args: tuple[Any], shared_mem: int = 0, stream: Any = None
    ) -> None:
        self._cupy.note("cuda.function.Function.__call__", grid, block, args, stream=stream)
        assert self._number == self._cupy.number
        assert block == (32,)
        (address,) = args
        assert type(address) is np.uint64  # eight bytes, as the kernel's pointer has
        gpu, queue = self._cupy.gpu, self._cupy.stream_at(stream.ptr)
        if self._cupy.way == "at once":
            try:
                gpu.come_to("launch")
            except DeviceError:
                raise CUDADriverError(OUT_OF_RESOURCES) from None
            queue.do(None, lambda: gpu.core.launch(int(address), grid[0]))
        else:
            queue.do("launch", lambda: gpu.core.launch(int(address), grid[0]))


def _work_off(queue: "SimpleQueue[Callable[[], Any] | None]") -> None:
    while (job := queue.get()) is not None:
        job()


class Stream:
    """A queue and the thread that works on it."""

    def __init__(self, cupy: StandIn, non_blocking: bool = False) -> None:
        assert non_blocking  # else it would wait for the legacy stream of the process
        self._cupy, self.number = cupy, cupy.number
        self.ptr = next(cupy.pointers)
        cupy.streams[self.ptr] = self
        self._queue: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self._error: list[CUDARuntimeError] = []
        Thread(target=_work_off, args=(self._queue,), daemon=True).start()

    def __del__(self) -> None:
        self._queue.put(None)

    def do(self, what: Fault | None, work: Callable[[], Any]) -> None:
        """Queue some work, which may be the one to fail."""
        cupy, number, error = self._cupy, self.number, self._error

        def carry_out() -> None:
            if error or number in cupy.failed:
                return
            try:
                if what is not None:
                    cupy.gpus[number].come_to(what)
                work()
            except (DeviceError, RuntimeError, ValueError):
                error.append(CUDARuntimeError(ILLEGAL_ADDRESS))
                if cupy.way == "for good":
                    cupy.failed[number] = error[0]

        self._queue.put(carry_out)

    def drain(self) -> None:
        done = Flag()
        self._queue.put(done.set)
        assert done.wait(60), "a stream does not come to an end"

    def synchronize(self) -> None:
        self._cupy.note("cuda.Stream.synchronize")
        self.drain()
        if self._error:
            raise self._error.pop()
        if self.number in self._cupy.failed:
            raise self._cupy.failed[self.number]

    def wait_event(self, event: "Event") -> None:
        self._cupy.note("cuda.Stream.wait_event", event)
        recorded = event.recorded
        if recorded is not None:
            self._queue.put(recorded.wait)


class Event:
    """A place in a stream."""

    def __init__(self, cupy: StandIn, disable_timing: bool = False) -> None:
        self._cupy = cupy
        self.recorded: Flag | None = None

    def record(self, stream: Stream) -> None:
        self._cupy.note("cuda.Event.record", stream)
        self.recorded = flag = Flag()
        stream._queue.put(flag.set)


def found(devices: int, capability: str = "7.5") -> GpuStatus:
    """What the driver says of a machine with stand-ins."""
    device = DeviceFound("Stand-in", capability, 1 << 30)
    return GpuStatus((device,) * devices, "550.54", "12.4", "12.9", "14.2")


@contextmanager
def standing_in(stand_in: StandIn) -> Iterator[StandIn]:
    """Let `import cupy` give the stand-in, on a machine whose driver knows its devices."""
    from arcbatt.engine.gpu import cuda

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "cupy", stand_in.make_module())
        patch.setattr(cuda, "check_gpu_status", lambda: found(len(stand_in.gpus)))
        patch.setattr(cuda, "shipped_kernel", stand_in.shipped.get)
        patch.setattr(cuda, "cached_kernel", lambda architecture: f"compiled for {architecture}".encode())
        yield stand_in
