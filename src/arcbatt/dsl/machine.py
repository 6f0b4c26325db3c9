"""One op at a time, as the language defines it: argument checks, applications, limits, judgement."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any

from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.dsl.contract import CALL_WORK, COLLECT_WORK, MATCH_WORK
from arcbatt.dsl.failures import Kind, OpFailed
from arcbatt.dsl.limits import ANY_SIZE, DEFAULT_LIMITS, Limits
from arcbatt.dsl.own.errors import Fault, misfit, raised
from arcbatt.dsl.own.interruptible_call import call_body
from arcbatt.dsl.table import TABLE, Callee, Collector, Op
from arcbatt.dsl.types import CONDITION, GATHERER, Type, has_zero, is_container
from arcbatt.dsl.values import Function, Value, in_range, intake, size_of, weight

FRAMES_PER_APPLICATION = 12
KINDS_OF_ERRORS: tuple[tuple[tuple[type[Exception], ...], Kind], ...] = (
    ((ZeroDivisionError,), "ZERO"),
    ((LookupError, StopIteration), "INDEX"),
    ((OverflowError,), "RANGE"),
    ((MemoryError,), "SIZE"),
    ((RecursionError,), "DEPTH"),
)


class _Room:
    """Python's recursion limit: its original value, or the greatest need of the active machines."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._needs: list[int] = []
        self._before = 0

    def take(self, frames: int) -> None:
        with self._lock:
            if not self._needs:
                self._before = sys.getrecursionlimit()
            self._needs.append(frames)
            self._set()

    def give_back(self, frames: int) -> None:
        with self._lock:
            self._needs.remove(frames)
            self._set()

    def _set(self) -> None:
        wanted = max(self._before, *self._needs, 0)
        if sys.getrecursionlimit() != wanted:
            sys.setrecursionlimit(wanted)


_ROOM = _Room()


@contextmanager
def room_for(depth: int) -> Iterator[None]:
    """Raise Python's recursion limit to what applications nested this deep need."""
    frames = 2000 + FRAMES_PER_APPLICATION * depth
    _ROOM.take(frames)
    try:
        yield
    finally:
        _ROOM.give_back(frames)


# Whether a MemoryError in a user's op ends the run instead of the op: it depends on the computer.
_memory_ends: ContextVar[bool] = ContextVar("memory_ends", default=False)


@contextmanager
def out_of_memory_ends() -> Iterator[None]:
    """Inside, a MemoryError in a user's op propagates instead of becoming a failure of the op."""
    before = _memory_ends.set(True)
    try:
        yield
    finally:
        _memory_ends.reset(before)


def kind_of(error: BaseException) -> Kind:
    """The kind of failure for an exception of a user's op, `sys.exit()` included.

    >>> kind_of(ZeroDivisionError()), kind_of(KeyError()), kind_of(ValueError()), kind_of(SystemExit())
    ('ZERO', 'INDEX', 'TYPE', 'TYPE')
    """
    return next((kind for classes, kind in KINDS_OF_ERRORS if isinstance(error, classes)), "TYPE")


class BoundFunction(Function):
    """A function value that an op body can call: it runs on the machine and is equal only to itself."""

    __slots__ = ("_run",)
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __init__(self, function: Function, run: Callable[..., Value]) -> None:
        self.name, self.parts, self.arity = function.name, function.parts, function.arity
        self.weight, self.nest = function.weight, function.nest
        self._run = run

    def __call__(self, *arguments: Value) -> Value:
        return self._run(*arguments)


class Machine:
    """Runs top-level ops, each with its own account of applications made and active.

    `work` is the cost of the last op plus what was `carried` over from others of the same program.

    >>> Machine().run(TABLE["add"], (1, 2))
    3
    """

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        self.work = self.carried = 0
        self._calls = self._depth = 0

    def run(self, callee: Callee, arguments: tuple[Value, ...]) -> Value:
        """The result of a top-level op, or of a call, which is one application; raises OpFailed."""
        self._calls = self._depth = 0
        self.work = self.carried
        if isinstance(callee, Op):
            return self._perform(callee, arguments)
        function, *others = arguments
        if not isinstance(function, Function):
            raise OpFailed("TYPE")
        return self._apply(function, tuple(others))

    def resume(
        self, op: Op, arguments: tuple[Value, ...], calls: int, depth: int, work: int
    ) -> tuple[int, int, Value | OpFailed]:
        """Run an op that the compiled core calls inside another one; returns calls, work and outcome."""
        self._calls, self._depth, self.work = calls, depth, work
        outcome: Value | OpFailed
        try:
            outcome = self._perform(op, arguments)
        except OpFailed as failed:
            outcome = failed
        return self._calls, self.work, outcome

    def _perform(self, op: Op, arguments: tuple[Value, ...]) -> Value:
        _check(op, arguments)
        if op.work.looks:
            weights = [param.type.size(given)[0] for param, given in zip(op.params, arguments)]
            self._spend(op.work.of_arguments(weights, arguments))
        result = self._result(op, arguments)
        if op.work.result:
            self._spend(op.work.of_result(op.result.size(result)[0]))
        return result

    def _result(self, op: Op, arguments: tuple[Value, ...]) -> Value:
        """The judged result of an op on checked arguments."""
        if op.forecast is not None:
            forecast = op.forecast(*arguments)
            self._judge_size(forecast.in_range, forecast.weight, forecast.nest)
        bodily_arguments = self._bind(op, arguments) if op.higher_order else arguments
        if not op.trusted:
            return self._result_of_stranger(op, bodily_arguments)
        result: Value = op.body(*bodily_arguments)
        if op.forecast is None and not op.selects:
            self._judge_size(not op.may_leave_range or in_range(result), *op.result.size(result))
        return result

    def _result_of_stranger(self, op: Op, arguments: tuple[Value, ...]) -> Value:
        """The result of a user's op: an exception is a failure, and the result is checked."""
        try:
            given = call_body(op.name, op.body, arguments)
        except (OpFailed, KeyboardInterrupt):
            raise
        except BaseException as error:
            if type(error) is MemoryError and _memory_ends.get():
                raise
            raise OpFailed(kind_of(error), raised(op, arguments, error)) from None
        try:
            self._judge_size(in_range(given), 1, 0)
            result = intake(given, ANY_SIZE)
        except (OpFailed, KeyboardInterrupt):
            raise
        except BaseException as error:  # an object of the user may raise anything
            if type(error) is MemoryError and _memory_ends.get():
                raise
            raise OpFailed(kind_of(error), _misfit(op, arguments, given)) from None
        self._judge_size(True, *size_of(result))
        if not op.result.admits(result):
            raise OpFailed("TYPE", _misfit(op, arguments, given))
        return result

    def _spend(self, cost: int) -> None:
        self.work += cost
        if self.work > self.limits.work:
            raise OpFailed("CALLS")

    def _judge_size(self, fits_32_bits: bool, weight: int, nest: int) -> None:
        if not fits_32_bits:
            raise OpFailed("RANGE")
        if nest > self.limits.depth:
            raise OpFailed("DEPTH")
        if weight > self.limits.items:
            raise OpFailed("SIZE")

    def _apply(self, function: Function, arguments: tuple[Value, ...]) -> Value:
        if len(arguments) != function.arity:
            raise OpFailed("TYPE")
        if self._calls >= self.limits.calls:
            raise OpFailed("CALLS")
        self._calls += 1
        if self._depth >= self.limits.depth:
            raise OpFailed("DEPTH")
        self._spend(CALL_WORK)
        self._depth += 1
        result = (
            self._apply_composite(function, arguments)
            if function.parts
            else self._perform(TABLE[function.name], arguments)
        )
        self._depth -= 1
        return result

    def _apply_composite(self, function: Function, arguments: tuple[Value, ...]) -> Value:
        apply, name, parts = self._apply, function.name, function.parts
        if name == "compose":
            return apply(parts[0], (apply(parts[1], arguments),))
        if name == "chain":
            return apply(parts[0], (apply(parts[1], (apply(parts[2], arguments),)),))
        if name == "fork":
            return apply(parts[0], (apply(parts[1], arguments), apply(parts[2], arguments)))
        if name == "matcher":
            result = apply(parts[0], arguments)
            self._spend(MATCH_WORK * weight(result))
            return int(result == parts[1])
        if name == "lbind":
            return apply(parts[0], (parts[1], *arguments))
        assert name == "rbind"
        return apply(parts[0], (*arguments, parts[1]))

    def _bind(self, op: Op, arguments: tuple[Value, ...]) -> tuple[Value, ...]:
        """The arguments with their functions made callable; the first function parameter collects."""
        collect = op.collects(*arguments) if op.collects else None
        bound: list[Any] = []
        for param, argument in zip(op.params, arguments):
            if not param.type.is_function:
                bound.append(argument)
            elif isinstance(argument, Function):
                bound.append(self._bound(argument, param.type, collect))
                collect = None
            else:
                assert isinstance(argument, tuple | frozenset)
                bound.append(type(argument)(self._bound(part, param.type, collect) for part in argument))
        return tuple(bound)

    def _bound(self, function: Function, kind: Type, collect: Collector | None) -> BoundFunction:
        def run(*arguments: Value) -> Value:
            result = self._apply(function, arguments)
            self._spend(COLLECT_WORK * weight(result))
            if (kind is CONDITION and type(result) is not int) or (
                kind is GATHERER and not is_container(result)
            ):
                raise OpFailed("TYPE")
            if collect is not None and collect(arguments, result) > self.limits.items:
                raise OpFailed("SIZE")
            return result

        return BoundFunction(function, run)


def _misfit(op: Op, arguments: tuple[Value, ...], given: object) -> Fault:
    declared = getattr(op.body, "__annotations__", {}).get("return")
    return misfit(op, arguments, declared if isinstance(declared, str) else op.result.name.rstrip("0"), given)


def _check(op: Op, arguments: tuple[Value, ...]) -> None:
    """Check arguments against parameters: TYPE over all of them, then EMPTY, then ZERO."""
    if len(arguments) != op.arity:
        raise OpFailed("TYPE")
    requirements = False
    for param, argument in zip(op.params, arguments):
        if not param.type.admits(argument):
            raise OpFailed("TYPE")
        requirements = requirements or param.requirement is not None
    if requirements:
        for param, argument in zip(op.params, arguments):
            if param.requirement == "filled" and param.type.is_empty(argument):
                raise OpFailed("EMPTY")
        for param, argument in zip(op.params, arguments):
            if param.requirement == "nonzero" and has_zero(argument):
                raise OpFailed("ZERO")
