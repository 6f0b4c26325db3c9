"""The names of the language for Python itself: with them a solver file runs as ordinary Python, one call at a time.

arcbatt reads program files as data and never imports this module; it is there to try things by hand.

>>> from arcbatt.library.vocabulary import *
>>> compose(first, last)(((1, 2), (3, 4)))
3
>>> hmirror(divide(ONE, ZERO))
Failure(kind='ZERO', node=None)
"""

from typing import Any

from arcbatt.dsl.constants import CONSTANTS
from arcbatt.dsl.failures import Failure, OpFailed
from arcbatt.dsl.functions import fn
from arcbatt.dsl.limits import DEFAULT_LIMITS
from arcbatt.dsl.machine import Machine, room_for
from arcbatt.dsl.table import ALIASES, FUNCTION_CALL, TABLE
from arcbatt.dsl.values import Function, Value, intake


class Word(Function):
    """A function value that Python can call; a failed argument is handed on."""

    __slots__ = ()

    def __call__(self, *arguments: Any) -> Value | Failure:
        """The result of the function, as `arcbatt.call` gives it."""
        failed = next((argument for argument in arguments if isinstance(argument, Failure)), None)
        return failed or _callable(self._outcome(arguments))

    def _outcome(self, arguments: tuple[Any, ...]) -> Value | Failure:
        try:
            with room_for(DEFAULT_LIMITS.depth):
                return Machine().run(FUNCTION_CALL, (self, *map(intake, arguments)))
        except OpFailed as failed:
            return Failure(failed.kind)


def _callable(value: Value | Failure) -> Value | Failure:
    return Word(value.name, value.parts, value.arity) if isinstance(value, Function) else value


_WORDS = {name: _callable(fn(name)) for name in (*TABLE, *ALIASES)}
globals().update(CONSTANTS | _WORDS)
__all__ = [*CONSTANTS, *_WORDS]  # noqa: PLE0604  (names of the table)
