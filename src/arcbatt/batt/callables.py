"""Ops and function values as Python callables, and failures of the language as Python exceptions."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from inspect import Parameter, Signature
from typing import Any, ClassVar

from arcbatt.batt.historical.type_names import TYPES, name_of
from arcbatt.dsl.failures import MEANINGS, Failure, Kind
from arcbatt.dsl.limits import DEFAULT_LIMITS
from arcbatt.dsl.table import FUNCTION_CALL, TABLE, Callee
from arcbatt.dsl.types import ANY, Type
from arcbatt.dsl.values import Function, Value, intake
from arcbatt.engine.backends.reference import result_type
from arcbatt.engine.choose import choose
from arcbatt.errors import ArcbattError, ValueRefused

RECENT_VALUES = 256


class DslFailure(ArcbattError, ValueError):
    """An op or a function value has failed; `kind` says how.

    It is a ValueError besides the Python exception of its kind, since the guarded lines of generated files
    catch that class.
    """

    kind: ClassVar[Kind]


PYTHON_CLASSES: dict[Kind, type[Exception]] = {
    "TYPE": TypeError,
    "EMPTY": ValueError,
    "ZERO": ZeroDivisionError,
    "INDEX": IndexError,
    "RANGE": OverflowError,
    "SIZE": MemoryError,
    "CALLS": RuntimeError,
    "DEPTH": RecursionError,
}
# A class for each kind, such as ZeroFailure, which `except ZeroDivisionError` catches as well.
FAILURES: dict[Kind, type[DslFailure]] = {
    kind: type(f"{kind.title()}Failure", (DslFailure, python_class), {"kind": kind, "__module__": __name__})
    for kind, python_class in PYTHON_CLASSES.items()
}
globals().update({failure.__name__: failure for failure in FAILURES.values()})  # where pickle finds them


def exception_of(failure: Failure, name: str) -> DslFailure:
    """The exception that says to Python how a callee has failed.

    >>> exception_of(Failure("ZERO"), "divide")
    ZeroFailure('divide fails with ZERO: division by zero, or a step or factor of zero')
    """
    kind = failure.kind
    return FAILURES[kind](f"{name} fails with {kind}: {MEANINGS[kind]}")


class CallableFunction(Function):
    """A function value that an op returned; to call it is to apply it once.

    >>> successor = CallableFunction("rbind", (Function("add", (), 2), 1), 1)
    >>> successor(2), successor == fn("rbind", fn("add"), 1)
    (3, True)
    """

    __slots__ = ()

    def __call__(self, *arguments: Any) -> Value:
        """The result of the function; a failure is raised."""
        return _result(FUNCTION_CALL, self.name, arguments, self)


class CallableOp(Function):
    """An op by its name: as an argument it is a function value, and a call runs the op.

    >>> divide = CallableOp("divide", (), 2)
    >>> divide(7, 2)
    3
    >>> divide(7, 0)
    Traceback (most recent call last):
        ...
    arcbatt.batt.callables.ZeroFailure: divide fails with ZERO: division by zero, or a step or factor of zero
    """

    __slots__ = ("_on_call",)

    def __init__(
        self,
        name: str,
        parts: tuple[Any, ...],
        arity: int,
        on_call: "Callable[[CallableOp, tuple[Any, ...]], Any] | None" = None,
    ) -> None:
        """`on_call` gives the result of a call in place of `result`; the ops of arcbatt.compat have one."""
        super().__init__(name, parts, arity)
        self._on_call = on_call

    @property
    def __name__(self) -> str:
        return self.name

    def __getattr__(self, attribute: str) -> Any:
        """What helpers of generated files ask of a function: its annotations, by the names of `arc_types`."""
        op = TABLE.get(self.name)
        if op is None or attribute not in ("__annotations__", "__globals__", "__signature__"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {attribute!r}")
        if attribute == "__globals__":  # where `get_type_hints` looks the names up
            return TYPES
        hints = {param.name: name_of(param.type) for param in op.params} | {"return": name_of(op.result)}
        if attribute == "__annotations__":
            return hints
        kind = Parameter.POSITIONAL_OR_KEYWORD
        parameters = [Parameter(param.name, kind, annotation=hints[param.name]) for param in op.params]
        return Signature(parameters, return_annotation=hints["return"])

    @property
    def never_raises(self) -> bool:
        """Whether a failed call gives a default."""
        return self._on_call is not None

    def result(self, *arguments: Any) -> Value:
        """The result of the op; a failure is raised."""
        op = TABLE.get(self.name)
        if op is None:
            raise FAILURES["TYPE"](f"{self.name} is no op any more")
        return _result(op, self.name, arguments)

    def _in_order(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """All arguments in the order of the parameters; if names do not fit, such that the call fails."""
        names = [param.name for param in TABLE[self.name].params] if self.name in TABLE else []
        first, others = names[: len(arguments)], names[len(arguments) :]
        if len(first) == len(arguments) and sorted(others) == sorted(named):
            return (*arguments, *(named[name] for name in others))
        return (*arguments, *named.values(), None)  # None is no value

    def __call__(self, *arguments: Any, **named: Any) -> Value:
        """The result of the op; a failure is raised, or gives a default if the op never raises."""
        if named:
            arguments = self._in_order(arguments, named)
        return self.result(*arguments) if self._on_call is None else self._on_call(self, arguments)


Runner = Callable[[Callee, tuple[Value, ...]], Value | Failure]
_RUNNER: ContextVar[Runner | None] = ContextVar("what runs the ops that Python calls", default=None)


@contextmanager
def ops_run_by(runner: Runner | None) -> Iterator[None]:
    """Let `runner` run the ops that Python calls in this thread, in place of the reference backend.

    >>> with ops_run_by(lambda callee, values: 42):
    ...     CallableOp("add", (), 2)(1, 2)
    42
    """
    token = _RUNNER.set(runner)
    try:
        yield
    finally:
        _RUNNER.reset(token)


def runner_of_ops() -> Runner | None:
    """The runner of the ops that Python calls in this thread; None for the reference backend."""
    return _RUNNER.get()


def _on_reference(callee: Callee, values: tuple[Value, ...]) -> Value | Failure:
    backend, _ = choose("reference")
    return backend.call(callee, values, DEFAULT_LIMITS)


def _result(callee: Callee, name: str, arguments: tuple[Any, ...], *function: Function) -> Value:
    try:
        values = (*function, *map(value_of, arguments))
    except ValueRefused as refused:
        raise FAILURES["TYPE"](f"{name} fails with TYPE: {refused}") from None
    outcome = outcome_of(callee, values)
    if isinstance(outcome, Failure):
        raise exception_of(outcome, name)
    remember(outcome, outcome)
    return as_callable(outcome)  # type: ignore[no-any-return]


def outcome_of(callee: Callee, values: tuple[Value, ...]) -> Value | Failure:
    """The outcome of an op that Python calls in this thread."""
    return (_RUNNER.get() or _on_reference)(callee, values)


def value_of(argument: Any) -> Value:
    """The value that a Python object stands for; what is no value is refused."""
    return _RECENT.taken(argument)


def remember(result: Any, value: Value) -> None:
    """Keep the value of a result that Python gets, which is the argument of a later call as a rule."""
    if isinstance(result, tuple | frozenset):
        _RECENT.keep(result, value)


def as_callable(value: Any) -> Any:
    """A function value as a Python callable; any other value unchanged."""
    if isinstance(value, Function):
        return CallableFunction(value.name, value.parts, value.arity)
    return value


class _Recent:
    """A cache, by identity, of the latest values: to check one again costs more than most ops."""

    def __init__(self) -> None:
        self._values: OrderedDict[int, tuple[Any, Value]] = OrderedDict()

    def taken(self, argument: Any) -> Value:
        """The value that a Python object stands for."""
        known = self._values.get(id(argument))
        if known is not None:
            return known[1]
        value = intake(argument)
        if isinstance(argument, tuple | frozenset) and _is_hashable(argument):
            self.keep(argument, value)
        return value

    def keep(self, argument: Any, value: Value) -> None:
        """Remember the value of an immutable object; the cache holds the object, so its id is not reused."""
        self._values[id(argument)] = argument, value
        if len(self._values) > RECENT_VALUES:
            self._values.popitem(last=False)


def _is_hashable(value: Any) -> bool:
    """Whether an object is immutable, that is, has no list or set inside."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


_RECENT = _Recent()


def type_of_result(head: Any) -> Type:
    """The result type of a callee, which sets the value of a failed line; Any if it is not an op."""
    if isinstance(head, Function) and not head.parts and head.name not in TABLE:
        return ANY
    return result_type(head)
