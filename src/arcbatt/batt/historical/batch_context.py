"""Collecting single calls of ops until there are enough of them for a column."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

from arcbatt.arguments import (
    require_callable,
    require_count,
    require_flags,
    require_kind,
    require_text,
    shown,
)
from arcbatt.batt.callables import as_callable
from arcbatt.batt.historical.safe_ops import plain_value
from arcbatt.batt.operations import GPUDSLOperations
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.table import find, no_op
from arcbatt.errors import ArcbattError

BATCH_THRESHOLD = 10


class CollectedResult:
    """The result of a collected call. To look at it (compare, iterate, print, pass on) runs the call.

    `value()` is the plain value.
    """

    def __init__(self, run: Callable[[], None]) -> None:
        self._run: Callable[[], None] | None = run
        self._value: Any = None
        self._error: BaseException | None = None

    @property
    def is_there(self) -> bool:
        """Whether the call has run."""
        return self._run is None

    def settle(self, value: Any, error: BaseException | None = None) -> None:
        """Set the value, or the exception that the call has raised."""
        self._value, self._error, self._run = value, error, None

    def value(self) -> Any:
        """The plain value; an exception of the call is raised here."""
        if self._run is not None:
            self._run()
        if self._error is not None:
            raise self._error
        return self._value

    __arcbatt_value__ = value

    def __eq__(self, other: object) -> bool:
        return bool(self.value() == (other.value() if isinstance(other, CollectedResult) else other))

    def __hash__(self) -> int:
        return hash(self.value())

    def __repr__(self) -> str:
        return repr(self.value())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value())

    def __len__(self) -> int:
        return len(self.value())

    def __getitem__(self, place: Any) -> Any:
        return self.value()[place]

    def __contains__(self, part: object) -> bool:
        return part in self.value()

    def __bool__(self) -> bool:
        return bool(self.value())

    def __int__(self) -> int:
        return int(self.value())

    __index__ = __int__

    def __add__(self, other: Any) -> Any:
        return self.value() + other

    def __radd__(self, other: Any) -> Any:
        return other + self.value()

    def __call__(self, *arguments: Any) -> Any:
        """The result of a function value."""
        return as_callable(self.value())(*arguments)

    def __reduce__(self) -> Any:
        return _as_it_is, (self.value(),)


def _as_it_is(value: Any) -> Any:
    return value


@dataclass
class CollectedCall:
    """A call that has not run yet: the op, the function that it was made through, and the arguments."""

    op: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    result: CollectedResult = field(repr=False)


class BatchContext:
    """Collects calls of ops and runs them as columns, one for each op.

    Calls run when there are `batch_threshold` of them, at `flush_batch`, at the end of a `with` block, or
    when a result is looked at. `wrap_mapply(f)` gives the function to call in the place of f, the function of
    an op; every op has such a method. A call that fails in the engine is made through f, which gives its
    default or raises where the result is looked at.

    >>> from arcbatt.batt.runtime import *
    >>> context = BatchContext(batch_threshold=10)
    >>> collected_mapply = context.wrap_mapply(mapply)
    >>> results = [collected_mapply(first, ((grid, grid),)) for grid in (((1, 2),), ((3, 4),))]
    >>> len(context.operation_buffer)
    2
    >>> results[1]
    ((3, 4),)
    >>> len(context.operation_buffer), context.get_result()
    (0, ((3, 4),))
    """

    def __init__(
        self,
        gpu_ops: GPUDSLOperations | None = None,
        enable_gpu: bool = True,
        batch_threshold: int = BATCH_THRESHOLD,
    ) -> None:
        if gpu_ops is not None:
            require_kind(gpu_ops, GPUDSLOperations, "operations; arcbatt.GPUDSLOperations() makes them")
        require_flags(enable_gpu=enable_gpu)
        require_count("batch_threshold", batch_threshold, 1)
        self.gpu_ops = GPUDSLOperations(enable_gpu) if gpu_ops is None else gpu_ops
        self.enable_gpu, self.batch_threshold = enable_gpu, batch_threshold
        self.operation_buffer: list[CollectedCall] = []
        self._last: CollectedResult | None = None
        self._lock = RLock()

    def __enter__(self) -> "BatchContext":
        return self

    def __exit__(self, *_: object) -> None:
        self.flush_batch()

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("wrap_") or find(name[len("wrap_") :]) is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return lambda function: self.wrap(name[len("wrap_") :], function)

    def wrap(self, op_name: str, function: Callable[..., Any]) -> Callable[..., CollectedResult]:
        """The function to call in the place of an op's function."""
        require_text("the op of a collected call", op_name)
        op = find(op_name)
        if op is None:
            raise ArcbattError(no_op(op_name))
        require_callable(f"the function of {op_name}", function)

        def collect(*arguments: Any) -> CollectedResult:
            return self._collect(op.name, function, arguments)

        return collect

    def _collect(self, op: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> CollectedResult:
        result = CollectedResult(self.flush_batch)
        arguments = tuple(map(_without_nested, arguments))
        with self._lock:
            self.operation_buffer.append(CollectedCall(op, function, arguments, result))
            self._last = result
            is_full = len(self.operation_buffer) >= self.batch_threshold
        if is_full:
            self.flush_batch()
        return result

    def flush_batch(self) -> None:
        """Run all collected calls: a column for each op; calls that wait for results of others come later."""
        with self._lock:
            waiting, self.operation_buffer = self.operation_buffer, []
            while waiting:
                columns: dict[tuple[str, int], list[CollectedCall]] = defaultdict(list)
                later = []
                for call in waiting:
                    if all(not isinstance(each, CollectedResult) or each.is_there for each in call.arguments):
                        columns[call.op, len(call.arguments)].append(call)
                    else:
                        later.append(call)
                for (op, _), calls in columns.items():
                    self._run(op, calls)
                waiting = later

    def _run(self, op: str, calls: list[CollectedCall]) -> None:
        record = find(op)
        outcomes: Any = [Failure("TYPE")] * len(calls)
        rows = [tuple(map(_value, call.arguments)) for call in calls]
        if record is not None and all(len(row) == record.arity for row in rows):
            outcomes = self.gpu_ops.batch(op, *map(list, zip(*rows)))
        for call, row, outcome in zip(calls, rows, outcomes):
            if not isinstance(outcome, Failure):
                call.result.settle(as_callable(outcome))
                continue
            try:
                call.result.settle(call.function(*row))
            except Exception as error:
                call.result.settle(None, error)

    def get_result(self, result: CollectedResult | None = None) -> Any:
        """The plain value of a collected call, by default of the last one."""
        wanted = self._last if result is None else result
        if wanted is None:
            raise ArcbattError("no call was collected; wrap an op, such as wrap_mapply(mapply), and call it")
        if not isinstance(wanted, CollectedResult):
            raise ArcbattError(f"expected the result of a collected call, got {shown(wanted)}")
        return wanted.value()


def _value(argument: Any) -> Any:
    """An argument as the engine takes it; a result that has failed is None, so that the call fails, too."""
    try:
        return plain_value(argument.value() if isinstance(argument, CollectedResult) else argument)
    except Exception:
        return None


def _without_nested(argument: Any) -> Any:
    """An argument in which no result waits inside a Tuple or list."""
    if isinstance(argument, tuple | list) and any(map(_is_nested, argument)):
        return type(argument)(
            part.value() if isinstance(part, CollectedResult) else _without_nested(part) for part in argument
        )
    return argument


def _is_nested(part: Any) -> bool:
    if isinstance(part, tuple | list):
        return any(map(_is_nested, part))
    return isinstance(part, CollectedResult)
