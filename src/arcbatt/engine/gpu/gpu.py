"""The protocol of GPUs: memory, transfers, launches, and their errors."""

from dataclasses import dataclass, field
from threading import Lock
from typing import Protocol

from arcbatt.engine.backend import BackendName
from arcbatt.errors import ArcbattError


class DeviceError(ArcbattError):
    """A device failed; results that were not downloaded are lost."""


class DeviceOutOfMemory(DeviceError):
    """A device has less memory left than was asked for; smaller requests may succeed."""


class Stream(Protocol):
    """A queue of work on a GPU with memory of its own; one thread uses it."""

    def allocate(self, size: int) -> int:
        """The address of new memory."""

    def release(self, address: int) -> None:
        """Give memory back."""

    def upload(self, address: int, data: bytes) -> None:
        """Copy bytes to the device."""

    def launch(self, address: int, groups: int) -> None:
        """Run the kernel in some groups on the launch record at an address."""

    def download(self, address: int, size: int) -> bytes:
        """Bytes from the device, after all earlier work of the stream."""

    def stop(self, address: int) -> None:
        """End the launch at an address early; any thread may call this."""


class Gpu(Protocol):
    """A device: `groups` warps run at a time, and `streams` queues keep it busy.

    Its speed depends on its `kind` and on the `software` that drives it.
    """

    name: str
    kind: str
    software: str
    backend: BackendName
    groups: int
    streams: int

    def free_memory(self) -> int:
        """The number of free bytes."""

    def open(self) -> Stream:
        """A new stream."""


@dataclass
class Transfers:
    """The number and the bytes of transfers to devices and back, and the number of batches."""

    batches: int = 0
    uploads: int = 0
    downloads: int = 0
    bytes_up: int = 0
    bytes_down: int = 0
    _lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    def count_up(self, size: int) -> None:
        """Count an upload of some bytes."""
        with self._lock:
            self.uploads += 1
            self.bytes_up += size

    def count_down(self, size: int) -> None:
        """Count a download of some bytes, which ends a batch."""
        with self._lock:
            self.batches += 1
            self.downloads += 1
            self.bytes_down += size
