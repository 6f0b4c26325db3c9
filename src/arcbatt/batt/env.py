"""The environment of a batt in style `pile`: runs it line by line and replaces its first failures."""

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from arcbatt.arguments import shown
from arcbatt.batt.callables import CallableOp, DslFailure, as_callable, type_of_result
from arcbatt.batt.historical.safe_ops import UnknownName, plain_value
from arcbatt.dsl.contract import FORGIVEN
from arcbatt.dsl.failures import Failure, Kind
from arcbatt.dsl.machine import kind_of
from arcbatt.dsl.own.short_values import call_in_short, value_in_short
from arcbatt.dsl.values import Value
from arcbatt.errors import ValueRefused
from arcbatt.text import shorten


class OKT(NamedTuple):
    """The result of a line: whether it has a value, and the value."""

    ok: bool
    t: Any


NO_VALUE = OKT(False, None)


def as_okt(outcome: Value | Failure) -> OKT:
    """An outcome of the engine as the result of a line."""
    return NO_VALUE if isinstance(outcome, Failure) else OKT(True, as_callable(outcome))


class Env:
    """The environment of one call of a batt.

    >>> from arcbatt.batt.runtime import *
    >>> env = Env(0, "00d62c1b", ())
    >>> env.do_pile(1, [add, TWO, THREE])
    OKT(ok=True, t=5)
    >>> env.do_pile(2, [crop, TWO, ORIGIN, UNITY])
    OKT(ok=True, t=())
    >>> env.do_pile(3, [divide, ONE, ZERO])
    OKT(ok=False, t=None)
    """

    def __init__(
        self,
        seed: float = 0,
        task_id: str = "",
        S: Any = (),
        log_path: str | os.PathLike[str] | None = None,
        score: int = 0,
    ) -> None:
        self.seed, self.task_id, self.S = seed, task_id, S
        self.log_path, self.score = log_path, score
        self.failures = 0

    @property
    def exceptions(self) -> int:
        """How many lines have failed, under its historical name."""
        return self.failures

    def do_pile(self, t_num: int, pile: Sequence[Any] | None, isok: bool = True) -> OKT:
        """The result of a line, `pile`: a function and its arguments. It does not run if None or not `isok`.

        The first two failures give an empty Set or Tuple, if that is the result type of the function.
        """
        try:
            if pile is None or not isok:
                return NO_VALUE
            function, *arguments = pile
        except Exception:
            raise no_line(t_num, pile) from None
        try:
            return OKT(True, self.run(function, arguments))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return self._failed(t_num, function, arguments, kind_of_failure(error))

    def run(self, function: Any, arguments: Sequence[Any]) -> Any:
        """The result of a function; a failure is raised."""
        # What arcbatt.compat gives does not raise when it is called; `result` does, and plain values do.
        raises = isinstance(function, CallableOp | UnknownName)
        call = function.result if raises else as_callable(plain_value(function))
        return call(*arguments)

    def _failed(self, t_num: int, function: Any, arguments: Sequence[Any], kind: Kind) -> OKT:
        self.failures += 1
        if self.log_path is not None:
            log_failure(self.log_path, self.task_id, t_num, kind, function, arguments)
        stand_in = type_of_result(function).stand_in
        if self.failures > FORGIVEN or stand_in is None:
            return NO_VALUE
        return OKT(True, stand_in)


def no_line(t_num: int, pile: object) -> ValueRefused:
    """The error for a line that is no list, or whose condition is no truth value."""
    return ValueRefused(
        f"line t{shown(t_num)} is {shown(pile)}; it must be a list, a function and its arguments, "
        "that runs if a value such as t1.ok is true"
    )


def kind_of_failure(error: BaseException) -> Kind:
    """The kind of failure that an exception stands for."""
    return error.kind if isinstance(error, DslFailure) else kind_of(error)


def log_failure(
    path: Any, task_id: Any, t_num: int, kind: Kind, function: Any, arguments: Sequence[Any]
) -> None:
    """Append to a log that a line has failed: task, number, kind, and the call cut short."""
    line = call_in_short(value_in_short(function), arguments)
    append_to_log(path, f"{shorten(str(task_id))} t{t_num} {kind} {line}")


def append_to_log(path: Any, line: str) -> None:
    """Append a line to a log; a log that cannot be written causes a warning only."""
    try:
        with Path(path).open("a", encoding="utf-8") as log:
            log.write(line + "\n")
    except (OSError, TypeError, ValueError) as error:
        warnings.warn(f"failures are not logged: {error}", RuntimeWarning, stacklevel=1)
