"""What the engine holds of Python's data: kept by content, while it is read often and while there is room."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from arcbatt.arguments import require_callable, require_callbacks, require_count
from arcbatt.dsl.values import Value, intake, weight

Resident = TypeVar("Resident")

HOT = 3  # reads after which a value is hot
MOST_COLD = 1024  # values whose reads are counted although they are not in the engine
DEFAULT_BUDGET = 32 << 20
LEAST_BYTES = 64  # the least size of an entry, for its bookkeeping


@dataclass(eq=False)
class _CacheEntry(Generic[Resident]):
    """A value that is resident."""

    value: Value
    resident: Resident
    size: int
    reads: int = 0


class GPUTransferManager(Generic[Resident]):
    """Moves values to the engine and back, and caches those that are there.

    `upload` makes a value resident in the engine and returns its size there in bytes; `download` makes a
    value of a resident. Without them the manager has an engine of its own, on the CPU. Values are cached by
    content. All entries together take at most `budget` bytes. A value that was read three times is hot.
    `to_device` uploads a value that is needed there now; `read` leaves a cold value where it is. Eviction
    takes cold values before hot ones, and of either the least recently read first. A value larger than the
    budget is not cached.

    >>> from ast import literal_eval
    >>> manager = GPUTransferManager(lambda value: (str(value), 1000), literal_eval, budget=2000)
    >>> [manager.to_device(grid) for grid in (((1, 2),), [[1, 2]], ((3, 4),))]
    ['((1, 2),)', '((1, 2),)', '((3, 4),)']
    >>> manager.uploads, len(manager), manager.bytes
    (2, 2, 2000)
    >>> manager.to_host('((1, 2),)'), manager.downloads
    (((1, 2),), 1)
    >>> [manager.read(((5, 6),)) for _ in range(4)], manager.uploads_of_hot
    ([((5, 6),), ((5, 6),), '((5, 6),)', '((5, 6),)'], 1)
    """

    def __init__(
        self,
        upload: Callable[[Value], tuple[Resident, int]] | None = None,
        download: Callable[[Resident], Value] | None = None,
        *,
        budget: int = DEFAULT_BUDGET,
        is_value: Callable[[Any], bool] = lambda argument: False,
    ) -> None:
        """`is_value` may recognise objects that are values already and need no check."""
        require_count("budget", budget)
        require_callbacks(upload=upload, download=download)
        require_callable("is_value", is_value)
        self.budget, self.bytes = budget, 0
        self.uploads = self.downloads = 0
        self.uploads_of_hot = 0  # those that `read` made, included in `uploads`
        self._reads_of_cold: OrderedDict[Value, int] = OrderedDict()
        if upload is None or download is None:
            from arcbatt.batt.residency.gpu_env import plain, upload_to_cpu

            # Without the core, values stay where Python has them.
            upload = upload_to_cpu(budget) or (lambda value: (value, LEAST_BYTES * weight(value)))
            download = plain
        self._upload, self._download, self._is_value = upload, download, is_value
        self._by_content: dict[Value, _CacheEntry[Resident]] = {}
        # To hash a large value for every read is slow. An entry holds its value, so the id is not reused.
        self._by_id: dict[int, _CacheEntry[Resident]] = {}
        self._cold: OrderedDict[_CacheEntry[Resident], None] = OrderedDict()
        self._hot: OrderedDict[_CacheEntry[Resident], None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._by_content)

    def __contains__(self, value: object) -> bool:
        """Whether a value is resident now; this is not a read."""
        try:
            return value in self._by_content
        except Exception:  # it cannot be hashed
            return False

    def to_device(self, argument: Any) -> Resident:
        """The resident of a Python object, uploaded if need be; ValueRefused if it is no value."""
        entry = self._by_id.get(id(argument))
        if entry is None:
            value = argument if self._is_value(argument) else intake(argument)
            entry = self._by_content.get(value)
            if entry is None:
                return self._upload_new(value)
        self._read(entry)
        return entry.resident

    def read(self, argument: Any) -> Resident | Any:
        """A read that can do without the engine: the argument while it is cold, then its resident."""
        entry = self._by_id.get(id(argument))
        value = entry.value if entry else argument if self._is_value(argument) else intake(argument)
        if value in self._by_content:
            return self.to_device(value)
        reads = self._reads_of_cold.pop(value, 0) + 1
        if reads < HOT:
            self._reads_of_cold[value] = reads
            if len(self._reads_of_cold) > MOST_COLD:
                self._reads_of_cold.popitem(last=False)
            return argument
        self.uploads_of_hot += 1
        return self._upload_new(value, reads)

    def to_host(self, resident: Resident) -> Value:
        """The value of a resident."""
        self.downloads += 1
        return self._download(resident)

    def clear(self) -> None:
        """Drop all entries; the counts stay."""
        for entries in (self._by_content, self._by_id, self._cold, self._hot, self._reads_of_cold):
            entries.clear()
        self.bytes = 0

    def _read(self, entry: _CacheEntry[Resident]) -> None:
        entry.reads += 1
        if entry.reads > HOT:
            self._hot.move_to_end(entry)
        elif entry.reads == HOT:
            del self._cold[entry]
            self._hot[entry] = None
        else:
            self._cold.move_to_end(entry)

    def _upload_new(self, value: Value, reads: int = 1) -> Resident:
        resident, size = self._upload(value)
        self.uploads += 1
        size = max(size, LEAST_BYTES)
        if size <= self.budget:
            self._make_room(size)
            self._keep(_CacheEntry(value, resident, size, reads))
        return resident

    def _make_room(self, size: int) -> None:
        while self.bytes + size > self.budget:
            entry, _ = (self._cold or self._hot).popitem(last=False)
            del self._by_content[entry.value], self._by_id[id(entry.value)]
            self.bytes -= entry.size

    def _keep(self, entry: _CacheEntry[Resident]) -> None:
        self._by_content[entry.value] = self._by_id[id(entry.value)] = entry
        (self._cold if entry.reads < HOT else self._hot)[entry] = None
        self.bytes += entry.size
