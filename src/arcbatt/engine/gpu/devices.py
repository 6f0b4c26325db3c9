"""The GPUs of this machine by what the NVIDIA driver says, or the reason why none can be used."""

import ctypes
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from arcbatt.errors import BackendError

WINDOWS = sys.platform == "win32"
DRIVER = ("nvcuda.dll",) if WINDOWS else ("libcuda.so.1", "libcuda.so")
MANAGEMENT = ("nvml.dll",) if WINDOWS else ("libnvidia-ml.so.1",)
COMPILER_PACKAGES = ("nvidia-cuda-nvrtc", "nvidia-cuda-nvrtc-cu12", "nvidia-cuda-nvrtc-cu11")
CUPY_PACKAGES = ("cupy-cuda13x", "cupy-cuda12x", "cupy-cuda11x", "cupy")

NO_DEVICE = 100  # the driver's code where it finds no device
CAPABILITY_MAJOR, CAPABILITY_MINOR = 75, 76  # attributes of a device
LONGEST_NAME = 256


@dataclass(frozen=True)
class Device:
    """A GPU; memory is in bytes, and the free memory may be unknown."""

    name: str
    compute_capability: str
    memory_total: int
    memory_free: int | None = None

    @property
    def architecture(self) -> str:
        """The architecture that its kernel is compiled for.

        >>> Device("NVIDIA L4", "8.9", 24 << 30).architecture
        'sm_89'
        """
        return f"sm_{self.compute_capability.replace('.', '')}"

    def line(self) -> str:
        """The device as text.

        >>> Device("NVIDIA L4", "8.9", 24 << 30, 22 << 30).line()
        'NVIDIA L4, compute capability 8.9, 24.0 GiB of memory, 22.0 GiB free'
        """
        free = "" if self.memory_free is None else f", {_gibibytes(self.memory_free)} free"
        memory = f"{_gibibytes(self.memory_total)} of memory"
        return f"{self.name}, compute capability {self.compute_capability}, {memory}{free}"


@dataclass(frozen=True)
class GpuStatus:
    """The devices and the versions of the software for them; `reason` says why no device can be used.

    `cuda` is the version of CUDA that the driver supports, `nvrtc` that of the run-time compiler.
    """

    devices: tuple[Device, ...] = ()
    driver: str | None = None
    cuda: str | None = None
    nvrtc: str | None = None
    cupy: str | None = None
    reason: str | None = None

    @property
    def usable(self) -> bool:
        """Whether there is a device and CuPy to use it."""
        return bool(self.devices) and self.reason is None

    def lines(self) -> list[str]:
        """The status as text, a line for each device and version."""
        found = [f"device {number}: {device.line()}" for number, device in enumerate(self.devices)]
        if not self.usable:
            found.append(f"no GPU can be used: {self.reason}")
        driver = self.driver or (self.cuda and "of unknown version")
        versions = {"driver": driver, "CUDA": self.cuda, "NVRTC": self.nvrtc, "CuPy": self.cupy}
        return found + [f"{name}: {known or 'none'}" for name, known in versions.items()]


class CallFailed(BackendError):
    """A call of a shared library that did not succeed."""


def load_library(names: Iterable[str | Path]) -> ctypes.CDLL | None:
    """The first shared library of these names that can be loaded."""
    for name in names:
        with suppress(OSError):
            return ctypes.CDLL(str(name))
    return None


def code_of(library: ctypes.CDLL, name: str, *arguments: Any) -> int:
    """The code that a function of a library returns: 0 where it succeeds."""
    function = getattr(library, name, None)
    if function is None:
        raise CallFailed(f"it has no {name}")
    return int(function(*arguments))


def call_library(library: ctypes.CDLL, name: str, *arguments: Any) -> None:
    """Call a function of a library, which must succeed."""
    code = code_of(library, name, *arguments)
    if code:
        raise CallFailed(f"{name} gives error {code}")


def check_gpu_status() -> GpuStatus:
    """The GPUs of this machine, or the reason why none can be used; imports no GPU package.

    >>> status = check_gpu_status()
    >>> status.usable or status.reason.startswith(("there is no", "the NVIDIA driver", "CuPy"))
    True
    """
    cupy = (_package_version(CUPY_PACKAGES) or "of unknown version") if find_spec("cupy") else None
    known = GpuStatus(nvrtc=_package_version(COMPILER_PACKAGES), cupy=cupy)
    driver = load_library(DRIVER)
    if driver is None:
        return replace(known, reason=f"there is no NVIDIA driver: {DRIVER[0]} cannot be loaded")
    try:
        return _ask_driver(driver, known)
    except CallFailed as failed:
        return replace(known, reason=f"the NVIDIA driver does not work: {failed}")


def _ask_driver(driver: ctypes.CDLL, known: GpuStatus) -> GpuStatus:
    """The status completed with the driver's answers."""
    from arcbatt.engine.gpu.nvrtc import compiler_version

    number, count = ctypes.c_int(), ctypes.c_int()
    call_library(driver, "cuDriverGetVersion", ctypes.byref(number))
    management = _started_management()
    known = replace(known, driver=_driver_version(management), cuda=_dotted(number.value))
    if code_of(driver, "cuInit", 0) != NO_DEVICE:
        call_library(driver, "cuInit", 0)
        call_library(driver, "cuDeviceGetCount", ctypes.byref(count))
    if not count.value:
        return replace(known, reason="the NVIDIA driver is there, but it finds no device")
    devices = tuple(_device(driver, management, number) for number in range(count.value))
    missing = None if known.cupy else "CuPy is not installed; pip install 'arcbatt[cuda]' brings it"
    return replace(known, devices=devices, nvrtc=known.nvrtc or compiler_version(), reason=missing)


def _package_version(packages: Sequence[str]) -> str | None:
    """The version of the first package that is installed."""
    for package in packages:
        with suppress(PackageNotFoundError):
            return version(package)
    return None


def _device(driver: ctypes.CDLL, management: ctypes.CDLL | None, number: int) -> Device:
    handle, total, major, minor = ctypes.c_int(), ctypes.c_size_t(), ctypes.c_int(), ctypes.c_int()
    name, place = (ctypes.create_string_buffer(LONGEST_NAME) for _ in range(2))
    call_library(driver, "cuDeviceGet", ctypes.byref(handle), number)
    call_library(driver, "cuDeviceGetName", name, LONGEST_NAME, handle)
    call_library(driver, "cuDeviceTotalMem_v2", ctypes.byref(total), handle)
    call_library(driver, "cuDeviceGetPCIBusId", place, LONGEST_NAME, handle)
    call_library(driver, "cuDeviceGetAttribute", ctypes.byref(major), CAPABILITY_MAJOR, handle)
    call_library(driver, "cuDeviceGetAttribute", ctypes.byref(minor), CAPABILITY_MINOR, handle)
    capability = f"{major.value}.{minor.value}"
    return Device(_text(name), capability, total.value, _free_memory(management, place))


class _Memory(ctypes.Structure):
    """The memory of a device, as the management library describes it."""

    _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))


def _started_management() -> ctypes.CDLL | None:
    """The management library: the driver tells its version and free memory only to users of a device."""
    management = load_library(MANAGEMENT)
    with suppress(CallFailed):
        if management is not None:
            call_library(management, "nvmlInit_v2")
            return management
    return None


def _free_memory(management: ctypes.CDLL | None, place: "ctypes.Array[ctypes.c_char]") -> int | None:
    """The free memory of the device at an address of the PCI bus."""
    handle, memory = ctypes.c_void_p(), _Memory()
    with suppress(CallFailed):
        if management is not None:
            call_library(management, "nvmlDeviceGetHandleByPciBusId_v2", place, ctypes.byref(handle))
            call_library(management, "nvmlDeviceGetMemoryInfo", handle, ctypes.byref(memory))
            return int(memory.free)
    return None


def _driver_version(management: ctypes.CDLL | None) -> str | None:
    """The version of the driver, such as 550.54.15."""
    found = ctypes.create_string_buffer(LONGEST_NAME)
    with suppress(CallFailed):
        if management is not None:
            call_library(management, "nvmlSystemGetDriverVersion", found, LONGEST_NAME)
            return _text(found)
    return None


def _text(found: "ctypes.Array[ctypes.c_char]") -> str:
    return found.value.decode(errors="replace")


def _dotted(number: int) -> str:
    """A version of CUDA as people write it.

    >>> _dotted(12040)
    '12.4'
    """
    return f"{number // 1000}.{number % 1000 // 10}"


def _gibibytes(count: int) -> str:
    return f"{count / (1 << 30):.1f} GiB"
