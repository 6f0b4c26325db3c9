"""Values that stay on a device between single lines: what an environment needs of it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
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
)
from arcbatt.engine.gpu.gpu import DeviceError, DeviceOutOfMemory, Gpu
from arcbatt.tasks.samples import Samples
from arcbatt.telling import tell

SCRATCH = 1 << 22  # what a line may use besides its result
FIRST_FETCH, LAST_FETCH = 1 << 16, 1 << 28  # bytes for values on their way back
MOST_TOGETHER = 1000  # values


Answer = TypeVar("Answer")
Bytes = bytes  # a session has another thing of that name


class Uploaded(NamedTuple):
    """The origin of a value that Python brought."""

    value: Value


class Computed(NamedTuple):
    """The origin of a result: what was called, and the arguments."""

    callee: Callee
    arguments: tuple["DeviceResident", ...]


class DeviceResident:
    """A value on a device. It compares, hashes, prints, iterates and calls as the value it stands for.

    It knows how it came about: if the device is lost, its value is computed again on the CPU.
    """

    __slots__ = ("__weakref__", "_seen", "origin", "session", "word")

    def __init__(self, session: "DeviceSession", word: int, origin: Uploaded | Computed) -> None:
        self.session, self.word, self.origin = session, word, origin
        self._seen: list[Any] = []

    def value(self) -> Any:
        """The value, brought back at the first look."""
        if not self._seen:
            self.session.look_at(self)
        return self._seen[0]

    @property
    def is_seen(self) -> bool:
        """Whether the value is known."""
        return bool(self._seen)

    def see(self, value: Any) -> None:
        """Know the value from now on."""
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
    """Memory on a device in which lines leave their results, until it is full."""

    def __init__(
        self,
        gpu: Gpu,
        options: CoreOptions,
        present: Callable[[Any], Any],
        uses: Callable[[str], bool],
        room: int,
    ) -> None:
        """`present` gives a function value its form for Python; `uses` tells which ops run here."""
        self.gpu, self.options, self.present, self.uses = gpu, options, present, uses
        self.runs = self.nanoseconds = self.downloads = 0
        self.is_full = self.is_lost = False
        self._unseen: WeakValueDictionary[int, DeviceResident] = WeakValueDictionary()
        self.stream = gpu.open()
        self.lines = _core.pack_tasks([Samples("line", (), [((), None)])], options.limits, options.foreign)
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
        """What is in use."""
        return self.top - self.base

    def is_value(self, argument: Any) -> bool:
        """Whether an object is a value as it stands; nobody has looked."""
        return False

    def upload(self, value: Value) -> DeviceResident:
        """A value, brought to the device."""
        word, data = _core.flattened(value, self.top, self.options.limits, self.options.foreign)
        if len(data) > self.end - self.top:
            self.is_full = True
            raise DeviceOutOfMemory("the memory of the session is full")
        if data:
            self._guarded(self.stream.upload, self.top, data)
            self.top += len(data)
        return DeviceResident(self, word, Uploaded(value))

    def run(self, pile: Any, to_device: Callable[[Any], Any], any_kernel: bool = False) -> Any:
        """A line: a number, a resident, or a Failure; NotImplemented if Python must see to it."""
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
        resident = DeviceResident(self, word, Computed(callee, here))
        if inline is None:
            self._unseen[self.runs] = resident
        return resident

    def look_at(self, resident: DeviceResident) -> None:
        """Let a resident know its value: from the device or, if that is lost, computed again.

        All others that wait for theirs, and that somebody holds, come back in the same transfer.
        """
        known = _core.inline_value(resident.word, self.options.foreign)
        if isinstance(resident.origin, Uploaded):
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
            with suppress(ValueError):  # of what is no value as it stands
                word, data = _core.flattened(argument, 0, self.options.limits, self.options.foreign)
                if not data:  # the value stands in its word
                    return DeviceResident(self, word, Uploaded(argument))
        moved: DeviceResident = to_device(argument)
        return moved

    def _run_line(self, number: int, words: list[int]) -> tuple[Any, int, int]:
        """An op on values of the device: how it failed, word of the result, where memory is free then.

        None stands for no failure, NotImplemented for a run that came to no end.
        """
        plan = _core.make_line(number, words)
        run = self._device_run(plan)
        room = _core.Room(1, SCRATCH, ALIGNMENT).in_arena(self.top, self.end)
        download = self._launched(run, room, ALIGNMENT, self.scratch)
        return run.left_by(ALIGNMENT, download, failure_of)

    def _fetched(self, words: list[int]) -> Sequence[Value]:
        """Values, brought back together."""
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
        """A call of the device; after an error of its own it is used no more."""
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
    """The value of a resident from how it came about, on the CPU; a chain of lines may be long."""
    native, known = NativeBackend(), dict[int, Any]()
    waiting = [resident]
    while waiting:
        one = waiting[-1]
        if isinstance(one.origin, Uploaded):
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


@cache
def _failure(kind: str, number: int) -> Failure:
    raise AssertionError(f"a value on a device is no failure, but {kind}")
