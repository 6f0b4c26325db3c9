"""Values that stay on a device between the lines of a batt that run one by one (see `GPUEnv`)."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from time import perf_counter_ns
from typing import Any, NamedTuple, TypeVar
from weakref import WeakValueDictionary

from arcbatt import _core
from arcbatt.dsl.contract import ALIGNMENT
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.limits import DEFAULT_LIMITS
from arcbatt.dsl.table import FUNCTION_CALL, TABLE, Callee
from arcbatt.dsl.values import Function, Value
from arcbatt.engine.backends.native import (
    CALLEE_NUMBERS,
    MODES,
    OP_NUMBERS,
    CoreOptions,
    NativeBackend,
    failure_of,
    packed_inputs,
)
from arcbatt.engine.gpu.gpu import DeviceError, DeviceOutOfMemory, Gpu
from arcbatt.notices import tell
from arcbatt.tasks.samples import Samples

SCRATCH = 1 << 22  # bytes for a line besides its result
FIRST_FETCH, LAST_FETCH = 1 << 16, 1 << 28  # bytes for values on their way back
MOST_TOGETHER = 1000  # values of one download

Answer = TypeVar("Answer")
Bytes = bytes  # `DeviceSession.bytes` hides the builtin


class UploadOrigin(NamedTuple):
    """The origin of a value that Python uploaded."""

    value: Value


class ResultOrigin(NamedTuple):
    """The origin of a result: the callee and its arguments."""

    callee: Callee
    arguments: tuple["DeviceResident", ...]


class DeviceResident:
    """A value on a device, which compares, hashes, prints, iterates and is called like the value itself.

    It knows its origin: if the device is lost, the value is computed again on the CPU.
    """

    __slots__ = ("__weakref__", "_seen", "origin", "session", "word")

    def __init__(self, session: "DeviceSession", word: int, origin: UploadOrigin | ResultOrigin) -> None:
        self.session, self.word, self.origin = session, word, origin
        self._seen: list[Any] = []

    def value(self) -> Any:
        """The value, downloaded at the first call."""
        if not self._seen:
            self.session.look_at(self)
        return self._seen[0]

    @property
    def is_seen(self) -> bool:
        """Whether the value is known."""
        return bool(self._seen)

    def see(self, value: Any) -> None:
        """Set the value."""
        self._seen[:] = [value]

    __arcbatt_value__ = value

    def __eq__(self, other: object) -> bool:
        return bool(self.value() == (other.value() if isinstance(other, DeviceResident) else other))

    def __hash__(self) -> int:
        return hash(self.value())

    def __repr__(self) -> str:
        return repr(self.value())

    def __bool__(self) -> bool:
        return bool(self.value())

    def __len__(self) -> int:
        return len(self.value())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value())

    def __getitem__(self, place: Any) -> Any:
        return self.value()[place]

    def __call__(self, *arguments: Any) -> Any:
        return self.value()(*map(_plain, arguments))

    def __reduce__(self) -> Any:
        value = self.value()
        return value.__reduce__() if isinstance(value, Function) else (type(value), (value,))


def _plain(argument: Any) -> Any:
    return argument.value() if isinstance(argument, DeviceResident) else argument


class DeviceSession:
    """Memory on a device for the results of lines, until it is full."""

    def __init__(
        self,
        gpu: Gpu,
        options: CoreOptions,
        present: Callable[[Any], Any],
        uses: Callable[[str], bool],
        room: int,
    ) -> None:
        """`present` converts a function value for Python; `uses` tells which ops run here."""
        self.gpu, self.options, self.present, self.uses = gpu, options, present, uses
        self.runs = self.nanoseconds = self.downloads = 0
        self.is_full = self.is_lost = False
        self._unseen: WeakValueDictionary[int, DeviceResident] = WeakValueDictionary()
        self.stream = gpu.open()
        self.lines = packed_inputs([Samples("line", (), [((), None)])], options)
        size = 2 * SCRATCH + room
        self.scratch = self.stream.allocate(size)
        self.base = self.top = self.scratch + 2 * SCRATCH
        self.end = self.scratch + size

    def close(self) -> None:
        """Give the memory back."""
        if not self.is_lost:
            self.stream.release(self.scratch)

    def __del__(self) -> None:
        if hasattr(self, "end"):
            with suppress(DeviceError, ImportError):  # as the interpreter ends, so does the driver
                self.close()

    @property
    def bytes(self) -> int:
        """The number of bytes in use."""
        return self.top - self.base

    def is_value(self, argument: Any) -> bool:
        """Whether an object is known to be a value: never, as none is checked here."""
        return False

    def upload(self, value: Value) -> DeviceResident:
        """A value, uploaded to the device."""
        word, data = _core.flattened(value, self.top, self.options.limits, self.options.foreign)
        if len(data) > self.end - self.top:
            self.is_full = True
            raise DeviceOutOfMemory("the memory of the session is full")
        if data:
            self._guarded(self.stream.upload, self.top, data)
            self.top += len(data)
        return DeviceResident(self, word, UploadOrigin(value))

    def run(self, pile: Any, to_device: Callable[[Any], Any], any_kernel: bool = False) -> Any:
        """Run a line; returns an int, a resident or a Failure, or NotImplemented if Python must run it."""
        function, *arguments = pile
        callee: Callee = FUNCTION_CALL
        if _is_op(function):
            if function.name not in OP_NUMBERS or not (any_kernel or self.uses(function.name)):
                return NotImplemented
            callee = TABLE[function.name]
        elif isinstance(function, DeviceResident | Function):
            arguments = [function, *arguments]
        else:
            return NotImplemented
        if self.is_full:
            return NotImplemented
        started = perf_counter_ns()
        here = tuple(self._resident(argument, to_device) for argument in arguments)
        failed, word, top = self._run_line(CALLEE_NUMBERS[callee.name], [resident.word for resident in here])
        if failed is NotImplemented:
            self.is_full = True
            return NotImplemented
        self.runs += 1
        self.nanoseconds += perf_counter_ns() - started
        if failed is not None:
            return failed
        self.top = top
        inline = _core.inline_value(word, self.options.foreign)
        if type(inline) is int:
            return inline
        resident = DeviceResident(self, word, ResultOrigin(callee, here))
        if inline is None:
            self._unseen[self.runs] = resident
        return resident

    def look_at(self, resident: DeviceResident) -> None:
        """Set the value of a resident: downloaded or, if the device is lost, computed again.

        The same transfer downloads the values of all other residents that are still in use.
        """
        known = _core.inline_value(resident.word, self.options.foreign)
        if isinstance(resident.origin, UploadOrigin):
            known = resident.origin.value
        if known is not None:
            resident.see(self._presented(known))
            return
        together = [resident, *(other for other in self._unseen.values() if other is not resident)]
        for some in (together[:MOST_TOGETHER], [resident]):
            with suppress(DeviceError):
                values = self._fetched([one.word for one in some])
                break
        else:
            some, values = [resident], [_computed_again(resident)]
        for one, value in zip(some, values):
            one.see(self._presented(value))
        for number, other in list(self._unseen.items()):
            if other.is_seen:
                del self._unseen[number]

    def _presented(self, value: Value) -> Any:
        return self.present(value) if isinstance(value, Function) else value

    def _resident(self, argument: Any, to_device: Callable[[Any], Any]) -> DeviceResident:
        if isinstance(argument, DeviceResident) and argument.session is self:
            return argument
        if type(argument) is int or _is_op(argument) or (type(argument) is tuple and len(argument) <= 2):
            with suppress(ValueError):  # no value yet: `to_device` converts it
                word, data = _core.flattened(argument, 0, self.options.limits, self.options.foreign)
                if not data:  # the value stands in its word
                    return DeviceResident(self, word, UploadOrigin(argument))
        moved: DeviceResident = to_device(argument)
        return moved

    def _run_line(self, number: int, words: list[int]) -> tuple[Any, int, int]:
        """An op on values of the device: its failure, the word of its result, and the new top of memory.

        The failure is None if there is none, and NotImplemented if the run did not end.
        """
        plan = _core.make_line(number, words)
        run = self._device_run(plan)
        room = _core.Room(1, SCRATCH, ALIGNMENT).in_arena(self.top, self.end)
        download = self._launched(run, room, ALIGNMENT, self.scratch)
        return run.left_by(ALIGNMENT, download, failure_of)

    def _fetched(self, words: list[int]) -> Sequence[Value]:
        """Values, downloaded together."""
        size = FIRST_FETCH
        while True:
            values = self._fetched_within(words, size)
            if values is not None:
                self.downloads += 1
                return values
            size *= 16
            if size > LAST_FETCH:
                raise DeviceOutOfMemory("a value is too large to be brought back")

    def _fetched_within(self, words: list[int], size: int) -> Sequence[Value] | None:
        kept = _core.make_outcome_store(len(words), self.options.foreign, _failure)
        run = self._device_run(_core.make_line(None, words), kept)
        needed = (
            run.plan_bytes + run.batch_bytes(0, 1) + run.download_bytes(0, 1, size) + run.group_bytes(size)
        )
        address = self._guarded(self.stream.allocate, needed)
        try:
            download = self._launched(run, _core.Room(1, size, size), size, address)
        finally:
            self._guarded(self.stream.release, address)
        return None if run.read(0, 1, size, download) else kept.values(0, len(words))

    def _device_run(self, plan: _core.Plan, kept: _core.OutcomeStore | None = None) -> _core.DeviceRun:
        if kept is None:
            kept = _core.make_outcome_store(1, self.options.foreign, _failure)
        return _core.DeviceRun(_core.Job(plan, self.lines, None, self.options.limits, MODES["fail"]), kept)

    def _launched(self, run: _core.DeviceRun, room: _core.Room, block: int, address: int) -> Bytes:
        """One upload, one launch, one download."""
        data = run.upload(run.batt_at(address), 0, 1, room, True)
        self._guarded(self.stream.upload, address, data)
        self._guarded(self.stream.launch, address + run.plan_bytes, 1)
        answer = address + run.plan_bytes + run.batch_bytes(0, 1)
        return self._guarded(self.stream.download, answer, run.download_bytes(0, 1, block))

    def _guarded(self, call: Callable[..., Answer], *arguments: Any) -> Answer:
        """A call of the device, which is not used any more after an error other than lack of memory."""
        try:
            return call(*arguments)
        except DeviceOutOfMemory:
            raise
        except DeviceError as error:
            if not self.is_lost:
                tell(f"device {self.gpu.name}: {error}; the rest runs on the CPU")
            self.is_lost = self.is_full = True
            raise


def _computed_again(resident: DeviceResident) -> Value:
    """The value of a resident, computed from its origin on the CPU; without recursion, as chains are long."""
    native, known = NativeBackend(), dict[int, Any]()
    waiting = [resident]
    while waiting:
        one = waiting[-1]
        if isinstance(one.origin, UploadOrigin):
            known[id(waiting.pop())] = one.origin.value
            continue
        missing = [argument for argument in one.origin.arguments if id(argument) not in known]
        if missing:
            waiting.extend(missing)
            continue
        values = tuple(known[id(argument)] for argument in one.origin.arguments)
        known[id(waiting.pop())] = native.call(one.origin.callee, values, DEFAULT_LIMITS)
    value: Value = known[id(resident)]
    return value


def _is_op(function: Any) -> bool:
    return isinstance(function, Function) and not function.parts


def _failure(kind: str, number: int) -> Failure:
    raise AssertionError(f"a value on a device is no failure, but {kind}")
