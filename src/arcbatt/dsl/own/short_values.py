"""Calls cut short, as text of one line for messages and logs."""

from collections.abc import Iterable
from reprlib import Repr
from typing import Any

from arcbatt.dsl.values import intake, ordered
from arcbatt.errors import ValueRefused
from arcbatt.text import printable


class _ValueRepr(Repr):
    """Shortens values; a set shows its first elements in canonical order, however it was built."""

    def repr_frozenset(self, x: frozenset[Any], level: int) -> str:
        try:
            elements = list(ordered(frozenset(map(intake, x))))
        except ValueRefused:
            return super().repr_frozenset(x, level)
        return f"frozenset({{{self.repr_list(elements, level)[1:-1]}}})" if elements else "frozenset()"


_SHORT = _ValueRepr()
_SHORT.maxtuple = _SHORT.maxfrozenset = _SHORT.maxlist = 3
_SHORT.maxlevel = 3


def value_in_short(value: Any) -> str:
    """An object on one line, shortened.

    >>> value_in_short(((1, 2, 3, 4), (5, 6)))
    '((1, 2, 3, ...), (5, 6))'
    """
    return printable(" ".join(_SHORT.repr(value).split()))


def call_in_short(name: str, arguments: Iterable[Any]) -> str:
    """A call with its arguments on one line, shortened.

    >>> call_in_short("crop", (((1,) * 9,), (0, 0)))
    'crop(((1, 1, 1, ...),), (0, 0))'
    """
    return f"{name}({', '.join(map(value_in_short, arguments))})"
