"""Checks of the arguments of public functions; a wrong one raises an error with one sentence."""

import os
import re
import reprlib
from collections.abc import Iterable, Sequence
from math import ulp
from typing import Any, TypeVar

from arcbatt.errors import ArcbattError
from arcbatt.text import a_noun, shorten

Item = TypeVar("Item")
MOST = 1 << 53  # upper bound of every count and number of seconds
DIGITS_SHOWN = 200
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")


class _ArgumentRepr(reprlib.Repr):
    """Objects as short texts without addresses in memory, whatever their own `__repr__` does."""

    def __init__(self) -> None:
        super().__init__()
        self.maxother = self.maxstring = 40

    def repr_instance(self, x: object, level: int) -> str:
        try:
            text = _ADDRESS.sub("", repr(x))
        except Exception:
            return f"<{type(x).__name__} object>"
        return text if len(text) <= self.maxother else f"{text[: self.maxother - 3]}..."

    def repr_int(self, x: int, level: int) -> str:
        is_short = x.bit_length() < DIGITS_SHOWN  # Python refuses to write very long ones
        return super().repr_int(x, level) if is_short else f"an integer of {x.bit_length()} bits"


_SHORT = _ArgumentRepr()


def shown(value: object) -> str:
    """An object as text for a message, shortened if it is large.

    >>> shown([1, 2]), len(shown("x" * 10_000)) < 80, shown(object()), shown(1 << 20_000)
    ('[1, 2]', True, '<object object>', 'an integer of 20001 bits')
    """
    try:
        return shorten(_SHORT.repr(value))
    except Exception:  # a container whose own methods fail
        return f"an object of class {type(value).__name__}"


def expected(what: str, value: object) -> str:
    """The message for an object of the wrong kind: `what` names the right one, and after `; ` what to do.

    >>> expected("seed; it must be a whole number", None)
    'expected a seed, got None; it must be a whole number'
    """
    noun, separator, advice = what.partition("; ")
    return f"expected {a_noun(noun)}, got {shown(value)}{separator}{advice}"


def require_text(name: str, value: object) -> None:
    """Refuse anything but text."""
    if not isinstance(value, str):
        raise ArcbattError(f"{name} is {shown(value)}; it must be a text, a Python str")


def require_path(name: str, value: object) -> None:
    """Refuse anything but the path of a file or folder."""
    try:
        path = os.fspath(value)  # type: ignore[call-overload]
    except Exception:  # also of the object's own method
        path = None
    if not isinstance(path, str):
        raise ArcbattError(f"{name} is {shown(value)}; it must be a path, a Python str or a pathlib.Path")


def require_file_name(name: str, value: object) -> None:
    """Refuse anything but a path that a file can have."""
    require_path(name, value)
    try:
        encoded = os.fsencode(value)  # type: ignore[arg-type]
    except UnicodeEncodeError:
        encoded = b"\0"
    if b"\0" in encoded:
        raise ArcbattError(f"{name} is {shown(value)}; remove the characters that no file name can have")


def require_callable(name: str, value: object) -> None:
    """Refuse an object that cannot be called."""
    if not callable(value):
        raise ArcbattError(f"{name} is {shown(value)}; it must be a function")


def require_flags(**flags: object) -> None:
    """Refuse anything but True and False, and numbers in place of them, by the names of options."""
    for name, value in flags.items():
        if not isinstance(value, int) and type(value).__name__ not in ("bool", "bool_"):  # those of NumPy
            raise ArcbattError(f"{name} is {shown(value)}; it must be True or False")


def require_seconds(name: str, value: object, is_more_than_0: bool = True) -> None:
    """Refuse anything but a number of seconds, more than 0, or 0 as well.

    >>> require_seconds("patience", -1)
    Traceback (most recent call last):
        ...
    arcbatt.errors.ArcbattError: patience is -1; it must be a number of seconds, more than 0
    """
    least = ulp(0.0) if is_more_than_0 else 0.0
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= MOST:
        bound = "more than 0" if is_more_than_0 else "0 or more"
        raise ArcbattError(f"{name} is {shown(value)}; it must be a number of seconds, {bound}")


def require_count(name: str, value: object, least: int = 0) -> None:
    """Refuse anything but a whole number from `least` on."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST:
        raise ArcbattError(f"{name} is {shown(value)}; it must be an integer, {least} or more")


def require_one_of(name: str, value: object, allowed: Sequence[str]) -> None:
    """Refuse a value of an option that is not one of the texts allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise ArcbattError(f"{name} is {shown(value)}; it must be one of {', '.join(allowed)}")


def require_kind(value: object, kind: type[Any], what: str) -> None:
    """Refuse an object of another class; `what` names the right one in the message."""
    if not isinstance(value, kind):
        raise ArcbattError(expected(what, value))


def collected(values: Iterable[Item], what: str) -> list[Item]:
    """The items of a collection; a text is none. `what` names in the message what would be right.

    >>> collected((1, 2), "number")
    [1, 2]
    """
    if isinstance(values, str | bytes | bytearray):  # not its characters, one by one
        raise ArcbattError(expected(what, values))
    try:
        items = iter(values)
    except Exception:
        raise ArcbattError(expected(f"collection, each item {a_noun(what)}", values)) from None
    try:
        return list(items)
    except ArcbattError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise ArcbattError(f"{shown(values)} does not give its items: {shorten(reason)}") from error


def listed(values: Iterable[Item], kind: type[Item], what: str) -> list[Item]:
    """The items of a collection, which must be of one class; `what` names it in the message.

    >>> listed((1, 2), int, "number")
    [1, 2]
    >>> listed(3, int, "number")
    Traceback (most recent call last):
        ...
    arcbatt.errors.ArcbattError: expected a collection, each item a number, got 3
    """
    found = collected(values, what)
    for value in found:
        if not isinstance(value, kind):
            require_kind(value, kind, what)
    return found
