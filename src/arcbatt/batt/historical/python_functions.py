"""Python functions of the user as function values: for one call they are ops of a scope.

>>> import arcbatt as ab
>>> functions = PythonFunctions()
>>> doubled = functions.value_of(lambda n: 2 * n, 1)
>>> with functions.scope():
...     ab.call("apply", doubled, (1, 2))
(2, 4)
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from inspect import Parameter, signature
from itertools import count
from typing import Any

from arcbatt.dsl import types
from arcbatt.dsl.table import TABLE, Op, record, scope_of
from arcbatt.dsl.values import Function
from arcbatt.errors import ArcbattError

MOST_ARGUMENTS = 4  # of a function value
# How many arguments the function of a parameter of this type takes, where the type says it.
ARITIES = {"Fn1": 1, "Fn2": 2, "Condition": 1, "Gatherer": 1}


class PythonFunctions:
    """The Python functions of one call, each with a name for each number of arguments."""

    def __init__(self, numbers: Iterator[int] | None = None) -> None:
        """`numbers` number the names; functions of several objects meet only if they share them."""
        self._numbers = count() if numbers is None else numbers
        self._ops: dict[tuple[int, int], tuple[Op, object]] = {}
        self.titles: dict[str, None] = {}  # in the order of their first use

    def __len__(self) -> int:
        return len(self._ops)

    def value_of(self, function: Callable[..., Any], arity: int) -> Function:
        """The function value that stands for a Python function of some arguments."""
        if not 1 <= arity <= MOST_ARGUMENTS:
            raise ArcbattError(f"expected a Python function of 1 to {MOST_ARGUMENTS} arguments, got {arity}")
        key = id(function), arity
        if key not in self._ops:
            self._ops[key] = _op_of(function, arity, next(self._numbers)), function
            self.titles.setdefault(str(getattr(function, "__name__", type(function).__name__)))
        return Function(self._ops[key][0].name, (), arity)

    def take_over(self, others: "PythonFunctions") -> None:
        """Have the functions of others, too."""
        self._ops.update(others._ops)

    def scope(self) -> AbstractContextManager[None]:
        """A scope in which the function values can be applied, in this thread."""
        return scope_of(op for op, _ in self._ops.values())


def is_python_function(argument: Any) -> bool:
    """Whether an argument is a callable of Python that is no function value.

    >>> is_python_function(len), is_python_function(Function("add", (), 2))
    (True, False)
    """
    return callable(argument) and not isinstance(argument, Function | int | tuple | frozenset)


def arity_of(function: Callable[..., Any]) -> int:
    """How many arguments a Python function takes, as far as it says so.

    >>> arity_of(lambda a, b: a), arity_of(lambda a, b=1: a), arity_of(max)
    (2, 1, 1)
    """
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):  # some functions written in C have none
        return 1
    places = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return sum(each.kind in places and each.default is Parameter.empty for each in parameters) or 1


def _op_of(function: Callable[..., Any], arity: int, number: int) -> Op:
    def body(*arguments: Any) -> Any:
        return function(*arguments)

    name = f"python_function_{number}"
    while name in TABLE:
        name += "_"
    body.__name__ = name
    body.__doc__ = "A Python function of the user."
    hints = {f"argument_{place}": types.AnyValue for place in range(arity)} | {"return": types.AnyValue}
    return record(body, hints, trusted=False)
