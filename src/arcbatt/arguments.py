"""Checks of the arguments of public functions; a wrong one raises an error of one sentence."""

import os
import re
import reprlib
from collections.abc import Iterable, Sequence
from math import ulp
from typing import Any, TypeVar

from arcbatt.errors import ArcbattError
from arcbatt.text import shorten

Item = TypeVar("Item")
MOST = 1 << 53  # of any count, or number of seconds
MORE_THAN_0 = ulp(0.0)
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


def unexpected(name: str, wanted: str, value: object) -> ArcbattError:
    """The error for an argument: its name, what it should be, and what it is."""
    return ArcbattError(f"{name}: expected {wanted}, got {shown(value)}")


def require_text(name: str, value: object) -> None:
    """Refuse anything but text."""
    if not isinstance(value, str):
        raise unexpected(name, "text, a Python str", value)


def require_path(name: str, value: object) -> None:
    """Refuse anything but the path of a file or folder."""
    try:
        path = os.fspath(value)  # type: ignore[call-overload]
    except Exception:  # also of the object's own method
        path = None
    if not isinstance(path, str):
        raise unexpected(name, "a path, a Python str or a pathlib.Path", value)


def require_file_name(name: str, value: object) -> None:
    """Refuse anything but a path that a file can have."""
    require_path(name, value)
    try:
        encoded = os.fsencode(value)  # type: ignore[arg-type]
    except UnicodeEncodeError:
        encoded = b"\0"
    if b"\0" in encoded:
        raise unexpected(name, "characters that the name of a file may have", value)


def require_callable(name: str, value: object) -> None:
    """Refuse an object that cannot be called."""
    if not callable(value):
        raise unexpected(name, "a function", value)


def require_callbacks(**callbacks: object) -> None:
    """Refuse anything but functions and None, by the names of parameters."""
    for name, callback in callbacks.items():
        if callback is not None:
            require_callable(name, callback)


def require_flags(**flags: object) -> None:
    """Refuse anything but True and False, and numbers in place of them, by the names of options."""
    for name, value in flags.items():
        if not isinstance(value, int) and type(value).__name__ not in ("bool", "bool_"):  # those of NumPy
            raise unexpected(name, "True or False", value)


def require_count(name: str, value: object, least: float = 0, most: float = MOST) -> None:
    """Refuse anything but an integer within bounds.

    >>> require_count("threads", 0, 1, 1024)
    Traceback (most recent call last):
        ...
    arcbatt.errors.ArcbattError: threads: expected an integer from 1 to 1,024, got 0
    """
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise unexpected(name, f"an integer{_bounds(least, most)}", value)


def require_number(
    name: str, value: object, least: float = 0, most: float = MOST, what: str = "a number"
) -> None:
    """Refuse anything but a number within bounds; `MORE_THAN_0` is a bound, too."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise unexpected(name, f"{what}{_bounds(least, most)}", value)


def require_seconds(name: str, value: object, is_more_than_0: bool = True) -> None:
    """Refuse anything but a number of seconds, more than 0, or 0 as well.

    >>> require_seconds("patience", -1)
    Traceback (most recent call last):
        ...
    arcbatt.errors.ArcbattError: patience: expected a number of seconds > 0, got -1
    """
    require_number(name, value, MORE_THAN_0 if is_more_than_0 else 0, what="a number of seconds")


def _bounds(least: float, most: float) -> str:
    if most < MOST:
        return f" from {least:,} to {most:,}"
    return " > 0" if least == MORE_THAN_0 else f" >= {least:,}" if least > -MOST else ""


def require_one_of(name: str, value: object, allowed: Sequence[str]) -> None:
    """Refuse a value of an option that is not one of the texts allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise unexpected(name, f"one of {', '.join(allowed)}", value)


def require_kind(value: object, kind: type[Any], what: str) -> None:
    """Refuse an object of another class; `what` names the right one, and may say after `;` how to get it."""
    if not isinstance(value, kind):
        raise ArcbattError(wrong_kind(value, what))


def wrong_kind(value: object, what: str, of_many: str = "") -> str:
    """What is said of an object of another class than `what`, or of a collection `of_many`."""
    noun, semicolon, hint = what.partition(";")
    is_plural = noun.partition(" ")[0].endswith("s")
    article = "" if is_plural else "an " if noun[0] in "aeiou" else "a "
    return f"expected {of_many}{article}{noun}, got {shown(value)}{semicolon}{hint}"


def collected(values: Iterable[Item], what: str) -> list[Item]:
    """The items of a collection; a text is none. `what` names in the message what would be right.

    >>> collected((1, 2), "number")
    [1, 2]
    """
    if isinstance(values, str | bytes | bytearray):  # not its characters, one by one
        raise ArcbattError(wrong_kind(values, what))
    try:
        items = iter(values)
    except Exception:
        raise ArcbattError(wrong_kind(values, what, "a collection, each item ")) from None
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
