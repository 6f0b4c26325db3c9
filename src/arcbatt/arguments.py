"""Checks of what is handed to public functions: a wrong use is answered with one sentence."""

import os
import reprlib
from collections.abc import Iterable
from typing import Any, TypeVar

from arcbatt.errors import ArcbattError
from arcbatt.text import shorten

Item = TypeVar("Item")


def shown(value: object) -> str:
    """An object in a message, however large it is.

    >>> shown([1, 2]), len(shown("x" * 10_000)) < 80
    ('[1, 2]', True)
    """
    return shorten(reprlib.repr(value))


def require_text(name: str, value: object) -> None:
    """Refuse what is no text."""
    if not isinstance(value, str):
        raise ArcbattError(f"{name} is {shown(value)}; it must be a text, a Python str")


def require_path(name: str, value: object) -> None:
    """Refuse what is no path of a file or a folder."""
    if not isinstance(value, str | os.PathLike):
        raise ArcbattError(f"{name} is {shown(value)}; it must be a path, a Python str or a pathlib.Path")


def require_callable(name: str, value: object) -> None:
    """Refuse what cannot be called."""
    if not callable(value):
        raise ArcbattError(f"{name} is {shown(value)}; it must be a function")


def require_kind(value: object, kind: type[Any], what: str) -> None:
    """Refuse what is not of a class; `what` says what would be right."""
    if not isinstance(value, kind):
        raise ArcbattError(f"{shown(value)} is no {what}")


def listed(values: Iterable[Item], kind: type[Item], what: str) -> list[Item]:
    """The items of an iterable, all of one class; `what` says what each must be.

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
        require_kind(value, kind, what)
    return found
