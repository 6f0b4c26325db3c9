"""What `from safe_dsl import _get_safe_default` provides: typed defaults, and functions that never raise."""

import sys
from collections.abc import Callable
from functools import wraps
from types import FunctionType, ModuleType
from typing import Any

from arcbatt.batt.historical.safe_runtime import _get_safe_default, missing
from arcbatt.batt.historical.type_names import default_of_annotation

__all__ = ["_get_safe_default", "make_all_dsl_safe", "safe_dsl"]


def __getattr__(name: str) -> Any:
    return missing(name, sys._getframe(1), AttributeError(f"safe_dsl has no {name!r}"))


def safe_dsl(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function safe: if it raises an exception, it returns the default of its annotated result type.

    >>> @safe_dsl
    ... def half(n: "Integer") -> "Integer":
    ...     return n // 2
    >>> half(6), half(None)
    (3, 0)
    """

    @wraps(function)
    def safe(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except Exception:
            return default_of_annotation(getattr(function, "__annotations__", {}).get("return"))

    return safe


def make_all_dsl_safe(module: ModuleType) -> None:
    """Make every public function that a module defines safe; the ops of `dsl` already are."""
    for name, function in list(vars(module).items()):
        is_own = isinstance(function, FunctionType) and function.__module__ == module.__name__
        if is_own and not name.startswith("_") and not hasattr(function, "__wrapped__"):
            setattr(module, name, safe_dsl(function))
