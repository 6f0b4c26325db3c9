"""Ops that never raise: a failed call gives the typed default of its result, as in the historical DSL.

The modules of `arcbatt.compat` have these ops. A function that fails inside another op, such as one that
`apply` applies, gives its default, and the op goes on. A result is callable, since a mutated line may call
what is no function; such a call gives `()`.

>>> rot90, divide, apply = safe_op("rot90"), safe_op("divide"), safe_op("apply")
>>> rbind, compose, first = safe_op("rbind"), safe_op("compose"), safe_op("first")
>>> rot90(3), divide(1, 0), rot90()
((), 0, ())
>>> apply(rbind(divide, 0), (1, 2))
(0, 0)
>>> compose(first, divide)(7), divide(6, 2)(5)
((), ())
"""

import warnings
from itertools import count
from typing import Any

from arcbatt.batt.callables import (
    FAILURES,
    CallableFunction,
    CallableOp,
    outcome_of,
    remember,
    type_of_result,
    value_of,
)
from arcbatt.batt.historical.python_functions import (
    ARITIES,
    MOST_ARGUMENTS,
    PythonFunctions,
    arity_of,
    is_python_function,
)
from arcbatt.dsl.failures import Failure, OpFailed
from arcbatt.dsl.limits import DEFAULT_LIMITS
from arcbatt.dsl.machine import BoundFunction, Machine, room_for
from arcbatt.dsl.table import FUNCTION_CALL, TABLE, Callee, Collector, Op, find, no_op
from arcbatt.dsl.types import CONDITION, NOTHING, Type
from arcbatt.dsl.values import Function, Value

_NUMBERS = count()  # of Python functions, which may meet in one function value
NO_FUNCTIONS = PythonFunctions()


class ForgivingMachine(Machine):
    """A machine on which a function that fails inside an op gives its typed default.

    A condition that gives no Integer is false. An op that makes too many applications fails as a whole.
    """

    def _apply(self, function: Function, arguments: tuple[Value, ...]) -> Value:
        depth = self._depth
        try:
            return super()._apply(function, arguments)
        except OpFailed as failed:
            if failed.kind == "CALLS":
                raise
            self._depth = depth
            return type_of_result(function).default

    def _bound(self, function: Function, kind: Type, collect: Collector | None) -> BoundFunction:
        bound = super()._bound(function, kind, collect)
        if kind is not CONDITION:
            return bound

        def holds(*arguments: Value) -> Value:
            try:
                return bound(*arguments)
            except OpFailed as failed:
                if failed.kind != "TYPE":
                    raise
                return 0

        return BoundFunction(function, holds)


class ReadAsLine:
    """What a line gave without an environment; read as an `OKT` by a piled line, it has its value."""

    __slots__ = ()

    ok = True

    @property
    def t(self) -> Any:
        """The value."""
        return self


class CallableInteger(ReadAsLine, int):
    """An Integer whose call is a failed line."""

    def __call__(self, *_: Any) -> "CallableTuple":
        return CallableTuple()

    def __reduce__(self) -> Any:
        return int, (int(self),)


class CallableTuple(ReadAsLine, tuple[Any, ...]):
    """A Tuple whose call is a failed line."""

    __slots__ = ()

    def __call__(self, *_: Any) -> "CallableTuple":
        return CallableTuple()

    def __reduce__(self) -> Any:
        return tuple, (tuple(self),)


class CallableSet(ReadAsLine, frozenset[Any]):
    """A Set whose call is a failed line."""

    __slots__ = ()

    def __call__(self, *_: Any) -> CallableTuple:
        return CallableTuple()

    def __repr__(self) -> str:
        return repr(frozenset(self))

    def __reduce__(self) -> Any:
        return frozenset, (frozenset(self),)


class SafeFunction(ReadAsLine, CallableFunction):
    """A function value that an op returned; a call that fails gives a default.

    `python` has the Python functions inside, which a pickled copy has not.
    """

    __slots__ = ("python",)
    python: PythonFunctions | None

    def __init__(
        self, name: str, parts: tuple[Any, ...], arity: int, python: PythonFunctions | None = None
    ) -> None:
        super().__init__(name, parts, arity)
        self.python = python

    def __call__(self, *arguments: Any) -> Any:
        """The result of the function, or its default."""
        return _result_or_default(FUNCTION_CALL, self, arguments, self)


class UnknownName:
    """What a name of a generated file stands for that nothing else gives; a line with it fails with TYPE.

    A piled line that names it as `t7`, a line that was lost, finds it not ok.
    """

    def __init__(self, name: str, is_told: bool = False) -> None:
        self.name = self.__name__ = name
        self._is_told = is_told

    def __repr__(self) -> str:
        return self.name

    ok = False
    t = None

    def __getattr__(self, attribute: str) -> "UnknownName":
        """A part of what is unknown, such as `logger.info`."""
        if attribute.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {attribute!r}")
        return UnknownName(f"{self.name}.{attribute}")

    def __call__(self, *_: Any, **__: Any) -> CallableTuple:
        """The default of a failed line; the first call warns."""
        if not self._is_told:
            self._is_told = True
            warnings.warn(f"{no_op(self.name)}; a line that calls it gives ()", RuntimeWarning, stacklevel=2)
        return CallableTuple()

    def result(self, *_: Any) -> Any:
        """Raises the failure."""
        raise FAILURES["TYPE"](no_op(self.name))


def safe_op(name: str) -> CallableOp:
    """An op by its name, which never raises."""
    op = find(name)
    if op is None:
        raise AttributeError(no_op(name))
    return CallableOp(op.name, (), op.arity, call_safely)


def safe_value(value: Any) -> Any:
    """A value as Python code of a generated file gets it.

    >>> safe_value((1, 2)), safe_value(frozenset({3})), safe_value(4)(5)
    ((1, 2), frozenset({3}), ())
    """
    result: Any
    if isinstance(value, Function):
        return SafeFunction(value.name, value.parts, value.arity)
    if isinstance(value, tuple):
        result = CallableTuple(value)
    elif isinstance(value, frozenset):
        result = CallableSet(value)
    else:
        return CallableInteger(value)
    remember(result, value)
    return result


def plain_value(value: Any) -> Any:
    """The value as the engine packs it fastest: without the class that makes it callable.

    >>> type(plain_value(safe_value((1, 2))))
    <class 'tuple'>
    """
    if isinstance(value, CallableTuple):
        return tuple(value)
    if isinstance(value, CallableSet):
        return frozenset(value)
    return int(value) if isinstance(value, CallableInteger) else value


def safe_default(head: Any) -> Any:
    """The typed default of a callee: an op, a function value, or anything else that a line calls."""
    return safe_value(type_of_result(head).default)


def call_safely(head: CallableOp, arguments: tuple[Any, ...]) -> Any:
    """The result of an op, or its default."""
    op = TABLE.get(head.name)
    return safe_value(NOTHING) if op is None else _result_or_default(op, head, arguments)


def _result_or_default(
    callee: Callee, head: Function, arguments: tuple[Any, ...], *function: Function
) -> Any:
    try:
        values = (*function, *map(value_of, arguments))
    except Exception:  # an argument is no value, such as None, or an object that raises when it is read
        return _with_python(callee, head, (*function, *arguments))
    if SafeFunction in map(type, values) and any(map(_has_python, values)):
        return _with_python(callee, head, values)
    outcome = _outcome(callee, values)
    return safe_default(head) if isinstance(outcome, Failure) else safe_value(outcome)


def _is_of_user(argument: Any) -> bool:
    return is_python_function(argument) and not isinstance(argument, UnknownName)


def _has_python(value: Any) -> bool:
    return isinstance(value, SafeFunction) and bool(value.python)


def _outcome(callee: Callee, values: tuple[Value, ...]) -> Value | Failure:
    try:
        outcome = outcome_of(callee, values)
        failed = isinstance(outcome, Failure) and callee.higher_order
        return _forgiven(callee, values) if failed else outcome
    except KeyError:  # a Python function that was put into a Tuple, and so is known no more
        return Failure("TYPE")


def _with_python(callee: Callee, head: Function, arguments: tuple[Any, ...]) -> Any:
    """The result of an op if arguments are Python functions, or hold some; else its default."""
    python = PythonFunctions(_NUMBERS)
    types = [param.type for param in callee.params] if isinstance(callee, Op) else []
    given = list(arguments)
    for place, argument in enumerate(arguments):
        if isinstance(argument, SafeFunction):
            python.take_over(argument.python or NO_FUNCTIONS)
        elif place < len(types) and types[place].is_function and _is_of_user(argument):
            arity = ARITIES.get(types[place].name) or arity_of(argument)
            if arity <= MOST_ARGUMENTS:
                given[place] = python.value_of(argument, arity)
    if not python:
        return safe_default(head)
    with python.scope():
        try:
            values = tuple(map(value_of, given))
        except Exception:
            return safe_default(head)
        outcome = _outcome(callee, values)
    if isinstance(outcome, Function):
        return SafeFunction(outcome.name, outcome.parts, outcome.arity, python)
    return safe_default(head) if isinstance(outcome, Failure) else safe_value(outcome)


def _forgiven(callee: Callee, values: tuple[Value, ...]) -> Value | Failure:
    """The outcome of a failed op if the functions that it applies never fail."""
    try:
        with room_for(2 * DEFAULT_LIMITS.depth):  # two more frames an application
            return ForgivingMachine().run(callee, values)
    except OpFailed as failed:
        return Failure(failed.kind)
