"""Files that appear whole, or not at all, and where a user's caches are."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from arcbatt.errors import ArcbattError


@contextmanager
def whole_file(name: str) -> Iterator[TextIO]:
    """A file that appears whole, at the end, or not at all; `-` is standard output."""
    if name == "-":
        yield sys.stdout
        return
    path = Path(os.path.realpath(name))
    special = path.exists() and not path.is_file()
    partial = path if special else path.parent / f".{os.urandom(8).hex()}.partial"
    try:
        try:
            with partial.open("w", encoding="utf-8") as file:
                yield file
            if not special:
                partial.replace(path)
        finally:
            if not special:
                partial.unlink(missing_ok=True)
    except OSError as error:
        raise ArcbattError(f"{name}: cannot be written: {error.strerror or error}") from None


@contextmanager
def locked_folder(name: str) -> Iterator[None]:
    """Let one at a time change the files beside this one, of all processes and threads that ask for it.

    The lock ends with its holder. Where the system has no such locks, nobody waits.
    """
    try:
        import fcntl

        folder = os.open(Path(os.path.realpath(name)).parent, os.O_RDONLY)
    except (ImportError, OSError):
        yield
        return
    try:
        with suppress(OSError):  # some file systems lock no folders
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def cache_folder() -> Path:
    """The folder for what can be made again; it may not exist."""
    place = os.environ.get("XDG_CACHE_HOME")
    return (Path(place) if place else Path.home() / ".cache") / "arcbatt"
