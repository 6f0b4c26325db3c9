"""Checks of the arguments of public functions; a wrong one raises an error of one sentence."""

import os
import reprlib
from collections.abc import Iterable
from typing import Any, TypeVar

from arcbatt.errors import ArcbattError
from arcbatt.text import shorten

Item = TypeVar("Item")


def shown(value: object) -> str:
    """An object as text for a message, shortened if it is large.

    >>> shown([1, 2]), len(shown("x" * 10_000)) < 80
    ('[1, 2]', True)
    """
    return shorten(reprlib.repr(value))


def require_text(name: str, value: object) -> None:
    """Refuse anything but text."""
    if not isinstance(value, str):
        raise ArcbattError(f"{name} is {shown(value)}; it must be a text, a Python str")


def require_path(name: str, value: object) -> None:
    """Refuse anything but the path of a file or folder."""
    if not isinstance(value, str | os.PathLike):
        raise ArcbattError(f"{name} is {shown(value)}; it must be a path, a Python str or a pathlib.Path")


def require_callable(name: str, value: object) -> None:
    """Refuse an object that cannot be called."""
    if not callable(value):
        raise ArcbattError(f"{name} is {shown(value)}; it must be a function")


def require_kind(value: object, kind: type[Any], what: str) -> None:
    """Refuse an object of another class; `what` names the right one in the message."""
    if not isinstance(value, kind):
        raise ArcbattError(f"{shown(value)} is no {what}")


def listed(values: Iterable[Item], kind: type[Item], what: str) -> list[Item]:
    """The items of an iterable, which must be of one class; `what` names it in the message.

    >>> listed((1, 2), int, "number")
    [1, 2]
    >>> listed(3, int, "number")
    Traceback (most recent call last):
        ...
    arcbatt.errors.ArcbattError: 3 is no collection of these: number
    """
    if isinstance(values, str):  # not its characters, one by one
        require_kind(values, kind, what)
    try:
        found = list(values)
    except TypeError:
        raise ArcbattError(f"{shown(values)} is no collection of these: {what}") from None
    for value in found:
        if not isinstance(value, kind):
            require_kind(value, kind, what)
    return found
