"""Batches on a device: the queue of lanes (a lane runs one sample), and one batch on a stream."""

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition, Lock

from arcbatt import _core
from arcbatt.dsl.contract import ALIGNMENT
from arcbatt.engine.gpu.gpu import DeviceOutOfMemory, Stream, Transfers

SMALLEST_ARENA, LARGEST_ARENA = 1 << 16, 1 << 26  # of a warp
BYTES_AN_OUTCOME, LEAST_BLOCK = 512, 1 << 22  # of outcomes in a download: a generous estimate
PAUSE = 0.05  # seconds between two polls


@dataclass(frozen=True)
class Batch:
    """Consecutive lanes."""

    first: int
    count: int

    def halves(self) -> tuple["Batch", "Batch"]:
        """The same lanes in two batches."""
        half = self.count // 2
        return Batch(self.first, half), Batch(self.first + half, self.count - half)


class Lanes:
    """The queue of a job's free lanes, and the lanes that no device could run."""

    def __init__(self, count: int) -> None:
        self.free = deque([Batch(0, count)] if count else [])
        self.left: list[int] = []
        self.stopped = False
        self._taken = 0
        self._changed = Condition()

    def take(self, most: int) -> Batch | None:
        """Lanes to run; None if all are done or the run is stopped. Waits while taken lanes may come back."""
        with self._changed:
            while not self.free and self._taken and not self.stopped:
                self._changed.wait(PAUSE)
            if not self.free or self.stopped:
                return None
            batch = self.free.popleft()
            if batch.count > most:
                self.free.appendleft(Batch(batch.first + most, batch.count - most))
                batch = Batch(batch.first, most)
            self._taken += 1
            return batch

    def done(self, unfinished: Sequence[int] = ()) -> None:
        """Note that a taken batch has run, except for some lanes."""
        with self._changed:
            self.left.extend(unfinished)
            self._end_one()

    def give_back(self, *batches: Batch) -> None:
        """Put a taken batch that has not run back into the queue, whole or in parts."""
        with self._changed:
            self.free.extendleft(reversed(batches))
            self._end_one()

    def stop(self) -> None:
        """Let nobody take lanes any more."""
        with self._changed:
            self.stopped = True
            self._changed.notify_all()

    def rest(self) -> list[int]:
        """The lanes that have not run, once nobody takes lanes any more."""
        waiting = [lane for batch in self.free for lane in range(batch.first, batch.first + batch.count)]
        return sorted([*self.left, *waiting])

    def _end_one(self) -> None:
        self._taken -= 1
        self._changed.notify_all()


class BatchStream:
    """A stream with memory for one batch at a time; the batt stays there from batch to batch."""

    def __init__(self, stream: Stream, run: "_core.DeviceRun", keeps: bool, budget: int, groups: int) -> None:
        self.stream, self.run, self.keeps, self.budget, self.most_groups = stream, run, keeps, budget, groups
        self.address = self.size = 0
        self.batt: _core.BattImage | None = None  # the batt in the stream's memory
        self._launched: int | None = None
        self._stopped = False
        self._lock = Lock()

    def carry_out(self, batch: Batch, transfers: Transfers) -> list[int]:
        """Run a batch: one upload, one launch, one download. Returns the lanes that did not fit."""
        run, first, count = self.run, batch.first, batch.count
        groups, arena, block = self._room(batch)
        room = _core.Room(groups, arena, block)
        answer = run.download_bytes(first, count, block)
        upload_bytes = run.plan_bytes + run.batch_bytes(first, count)
        self._make_room(upload_bytes + answer + groups * run.group_bytes(arena))
        batt = self.batt or run.batt_at(self.address)
        data = run.upload(batt, first, count, room, self.batt is None)
        launch = self.address + run.plan_bytes
        self.stream.upload(launch if self.batt else self.address, data)
        transfers.count_up(len(data))
        self.batt = batt
        with self._under_way(launch):
            self.stream.launch(launch, groups)
            download = self.stream.download(self.address + upload_bytes, answer)
        transfers.count_down(len(download))
        return run.read(first, count, block, download)

    def close(self) -> None:
        """Give the memory back."""
        if self.size:
            self.stream.release(self.address)
            self.address = self.size = 0
            self.batt = None

    def stop(self) -> None:
        """End the current launch, or the next one."""
        with self._lock:
            self._stopped = True
            if self._launched is not None:
                self.stream.stop(self._launched)

    @contextmanager
    def _under_way(self, launch: int) -> Iterator[None]:
        """Let `stop` end a launch as long as its memory is there."""
        with self._lock:
            self._launched = launch
            if self._stopped:
                self.stream.stop(launch)
        try:
            yield
        finally:
            with self._lock:
                self._launched = None

    def _room(self, batch: Batch) -> tuple[int, int, int]:
        """The groups of a batch, the bytes of an arena, and the bytes for outcomes, within the budget."""
        run, first, count = self.run, batch.first, batch.count
        block = max(run.results(first, count) * BYTES_AN_OUTCOME, LEAST_BLOCK) if self.keeps else 0
        block = min(block, self.budget // 4) // ALIGNMENT * ALIGNMENT
        fixed = run.plan_bytes + run.batch_bytes(first, count) + run.download_bytes(first, count, block)
        groups = min(self.most_groups, count)
        while True:
            arena = run.arena_within(max(0, self.budget - fixed) // groups)
            if arena >= SMALLEST_ARENA:
                return groups, min(arena, LARGEST_ARENA), block
            if groups == 1:
                raise DeviceOutOfMemory(f"a batch of {count} samples does not fit {self.budget:,} bytes")
            groups = (groups + 1) // 2

    def _make_room(self, size: int) -> None:
        if size > self.size:
            self.close()
            self.address, self.size = self.stream.allocate(size), size
