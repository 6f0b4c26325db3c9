"""Emulated GPUs: the kernel built by the C++ compiler, with limited memory and injected faults."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Literal, get_args

from arcbatt import _core
from arcbatt.engine.backend import BackendName
from arcbatt.engine.cores import cores
from arcbatt.engine.gpu.gpu import DeviceError, DeviceOutOfMemory
from arcbatt.errors import BackendError

SETTINGS = "ARCBATT_EMULATED"  # the environment variable that describes the emulated devices

Fault = Literal["allocate", "upload", "launch", "download", "lost"]
FAULTS: tuple[Fault, ...] = get_args(Fault)
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True)
class Emulation:
    """The settings of emulated GPUs.

    With `fibers` the 32 threads of a warp are fibers of one thread, which is fast; else they are threads of
    the system. `seed` sets a random order of the fibers between two collectives; with 0 the order alternates
    between forward and backward. `faults` maps a kind of call to the number, from 1, of the call that fails;
    from the call `lost` on every call fails. `dropped=N` omits every N-th sync of a warp (fault injection).
    """

    devices: int = 1
    memory: int = 1 << 30
    groups: int = 4
    fibers: bool = _core.EMULATOR_HAS_FIBERS
    seed: int = 0
    faults: Mapping[Fault, int] = field(default_factory=dict)
    dropped: int = 0


def emulation(text: str) -> Emulation:
    """The settings that a text has.

    >>> emulation("devices=3 memory=64M launch=2").devices
    3
    """
    numbers: dict[str, int] = {}
    for word in text.replace(",", " ").split():
        name, _, value = word.partition("=")
        numbers[name] = _number(word, value)
    faults: dict[Fault, int] = {fault: numbers.pop(fault) for fault in FAULTS if fault in numbers}
    fibers = bool(numbers.pop("fibers", _core.EMULATOR_HAS_FIBERS))
    known = ("devices", "memory", "groups", "seed", "dropped")
    wrong = next((name for name in numbers if name not in known), None)
    if wrong is not None:
        names = ", ".join((*known, "fibers", *FAULTS))
        raise BackendError(f"{SETTINGS} has {wrong!r}, which is none of {names}")
    return Emulation(fibers=fibers, faults=faults, **numbers)


def _number(word: str, value: str) -> int:
    digits, unit = (value[:-1], value[-1:].upper()) if value[-1:].isalpha() else (value, "")
    if not digits.isdecimal() or unit not in UNITS:
        raise BackendError(f"{SETTINGS} has {word!r}; it must be a name, '=', and a number such as 3 or 64M")
    return int(digits) * UNITS[unit]


def emulated_gpus(settings: Emulation | None = None) -> list["EmulatedGpu"]:
    """Emulated GPUs with some settings, by default those of the environment variable."""
    if settings is None:
        settings = emulation(os.environ.get(SETTINGS, ""))
    if settings.devices < 1 or settings.groups < 1:
        raise BackendError(f"{SETTINGS}: an emulation needs 1 or more devices and groups")
    if max(settings.seed, settings.dropped) >> 32 or settings.memory >> 63:
        raise BackendError(f"{SETTINGS}: seed and dropped are below 4G, memory is below 8,589,934,592G")
    return [EmulatedGpu(number, settings) for number in range(settings.devices)]


class EmulatedGpu:
    """One emulated GPU."""

    kind = "emulated"
    software = "no driver"
    backend: BackendName = "emulated"
    streams = 2

    def __init__(self, number: int = 0, settings: Emulation | None = None) -> None:
        self.settings = settings = settings or Emulation()
        self.name = f"emulated:{number}"
        self.groups = settings.groups
        processors = max(1, cores() // (settings.devices * self.streams))
        self.core = _core.EmulatedGpu(
            settings.memory, processors, settings.fibers, settings.seed, settings.dropped
        )
        self._calls: dict[str, int] = {}
        self._lock = Lock()

    def free_memory(self) -> int:
        """The number of free bytes."""
        return self.core.free_bytes

    def open(self) -> "EmulatedStream":
        """A new stream."""
        return EmulatedStream(self)

    def come_to(self, what: Fault) -> None:
        """Count a call, and raise if the settings let it fail."""
        with self._lock:
            self._calls[what] = number = self._calls.get(what, 0) + 1
            self._calls["lost"] = calls = self._calls.get("lost", 0) + 1
        faults = self.settings.faults
        if calls >= faults.get("lost", calls + 1):
            raise DeviceError("the device is lost")
        if number != faults.get(what):
            return
        if what == "allocate":
            raise DeviceOutOfMemory("an allocation failed")
        raise DeviceError(f"{'an' if what == 'upload' else 'a'} {what} failed")


class EmulatedStream:
    """A stream of an emulated GPU."""

    def __init__(self, gpu: EmulatedGpu) -> None:
        self.gpu = gpu

    def allocate(self, size: int) -> int:
        """The address of new memory."""
        self.gpu.come_to("allocate")
        try:
            return self.gpu.core.allocate(size)
        except MemoryError:
            free = self.gpu.free_memory()
            raise DeviceOutOfMemory(f"{size:,} bytes were asked for, {free:,} are free") from None

    def release(self, address: int) -> None:
        """Give memory back."""
        self.gpu.core.release(address)

    def upload(self, address: int, data: bytes) -> None:
        """Copy bytes to the device."""
        self.gpu.come_to("upload")
        self.gpu.core.upload(address, data)

    def launch(self, address: int, groups: int) -> None:
        """Run the kernel in some groups."""
        self.gpu.come_to("launch")
        try:
            self.gpu.core.launch(address, groups)
        except RuntimeError as error:
            raise DeviceError(str(error)) from None

    def download(self, address: int, size: int) -> bytes:
        """Bytes from the device."""
        self.gpu.come_to("download")
        return self.gpu.core.download(address, size)

    def stop(self, address: int) -> None:
        """End a launch early."""
        self.gpu.core.stop(address)
