"""Files that appear whole, or not at all, and where a user's caches are."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

from arcbatt.errors import ArcbattError


@contextmanager
def _blaming(name: str) -> Iterator[None]:
    """Say of what fails here that a file cannot be written."""
    try:
        yield
    except OSError as error:
        raise ArcbattError(f"{name}: cannot be written: {error.strerror or error}") from None


class _Named(FileIO):
    """A file whose errors bear the name that the user gave it, so that no other error is taken for one."""

    def __init__(self, path: Path, name: str) -> None:
        self._blaming = partial(_blaming, name)
        with self._blaming():
            super().__init__(path, "w")

    def write(self, data: Any, /) -> int:
        with self._blaming():
            return super().write(data)

    def close(self) -> None:
        with self._blaming():
            super().close()


@contextmanager
def whole_file(name: str) -> Iterator[TextIO]:
    """A file that appears whole, at the end, or not at all; `-` is standard output."""
    if name == "-":
        yield sys.stdout
        return
    path = Path(os.path.realpath(name))
    special = path.exists() and not path.is_file()
    written = path if special else path.parent / f".{os.urandom(8).hex()}.partial"
    try:
        with TextIOWrapper(BufferedWriter(_Named(written, name)), "utf-8") as file:
            yield file
        if not special:
            with _blaming(name):
                written.replace(path)
    finally:
        if not special:
            with _blaming(name):
                written.unlink(missing_ok=True)


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
    """The folder for what can be made again; it may not exist, and a user without a home has none."""
    place = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(place) if place else Path.home() / ".cache") / "arcbatt"
    except RuntimeError as error:
        raise FileNotFoundError(f"there is no cache folder: {error}") from None
