"""Files read within a bound, files that appear whole or not at all, and where a user's caches are."""

import glob
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from time import time
from typing import Any, TextIO

from platformdirs import user_cache_path

from arcbatt.errors import ArcbattError

PARTIAL = ".partial"
SURELY_LOCKED = 60  # seconds after which a file that is being written has its lock
# A name that is no regular file is opened without waiting, so that a pipe nobody writes to holds up nothing.
_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class UnreadableFile(ArcbattError):
    """A file that cannot be read; `reason` says why, without the name of the file."""

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(f"{file}: {reason}")
        self.file, self.reason = file, reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.file, self.reason)


def content_of_file(path: str | os.PathLike[str], most: int) -> bytes:
    """The bytes of a regular file of at most `most` bytes; anything else raises `UnreadableFile`.

    Pipes, devices and folders are refused, also behind a link, before anything of them is read.

    >>> content_of_file(os.devnull, 10)
    Traceback (most recent call last):
    arcbatt.files.UnreadableFile: /dev/null: is no regular file; save its content to a file first
    """
    file = os.fspath(path)
    try:
        descriptor = os.open(file, _OPEN)
        with FileIO(descriptor) as stream:
            found = os.fstat(descriptor)
            if stat.S_ISDIR(found.st_mode):
                raise UnreadableFile(file, "is a folder; name a file")
            if not stat.S_ISREG(found.st_mode):
                raise UnreadableFile(file, "is no regular file; save its content to a file first")
            # Some files say that they are empty, and a file may grow meanwhile: the size alone is no bound.
            content = _at_most(stream, most + 1) if found.st_size <= most else b""
    except (OSError, ValueError) as error:
        raise UnreadableFile(file, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    size = max(found.st_size, len(content))
    if size > most:
        raise UnreadableFile(file, f"is too large: it has {size:,} bytes, and {most:,} are read at most")
    return content


def _at_most(stream: FileIO, count: int) -> bytes:
    """The first bytes of a file, so many if it has them; one read may give fewer."""
    parts: list[bytes] = []
    while count > 0 and (part := stream.read(count)):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


@contextmanager
def _blaming(name: str) -> Iterator[None]:
    """Say of what fails here that a file cannot be written."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise ArcbattError(
            f"{name}: cannot be written: {getattr(error, 'strerror', None) or error}"
        ) from None


class _Named(FileIO):
    """A file whose errors bear the name that the user gave it, so that no other error is taken for one."""

    def __init__(self, path: Path, name: str, mode: str) -> None:
        self._blaming = partial(_blaming, name)
        with self._blaming():
            super().__init__(path, mode)

    def write(self, data: Any, /) -> int:
        with self._blaming():
            return super().write(data)

    def close(self) -> None:
        with self._blaming():
            super().close()


@contextmanager
def whole_file(name: str) -> Iterator[TextIO]:
    """A file of text that appears whole, at the end, or not at all; `-` is standard output."""
    if name == "-":
        yield sys.stdout
        return
    with _whole(name) as raw, TextIOWrapper(BufferedWriter(raw), "utf-8") as file:
        yield file


def write_whole(name: str, content: bytes) -> None:
    """Write a file that appears whole or not at all."""
    with _whole(name) as raw, BufferedWriter(raw) as file:
        file.write(content)


@contextmanager
def _whole(name: str) -> Iterator[FileIO]:
    """The file to write to and to close; on the disk, it takes the place and the mode of an older one.

    While it is written it has a name of its own and is locked. The lock ends with its writer, so the next
    writer can tell what a killed one has left behind, and removes it.
    """
    with _blaming(name):
        path = Path(os.path.realpath(name))
        special = path.exists() and not path.is_file()
    if special:
        yield _Named(path, name, "w")
        return
    _remove_abandoned(path)
    written = path.parent / f".{path.name[:80]}.{os.urandom(8).hex()}{PARTIAL}"
    raw = _Named(written, name, "x")
    held = os.dup(raw.fileno())  # the lock outlives the closing of the file
    try:
        _lock(held)
        yield raw
        with _blaming(name):
            with suppress(FileNotFoundError):
                os.fchmod(held, stat.S_IMODE(path.stat().st_mode))
            os.fsync(held)
            written.replace(path)
        _sync_folder(path.parent)
    finally:
        os.close(held)
        with _blaming(name):
            written.unlink(missing_ok=True)


def _remove_abandoned(path: Path) -> None:
    """Remove what killed writers of a file have left beside it: old partial files that nobody has locked."""
    with suppress(OSError):
        for left in path.parent.glob(f".{glob.escape(path.name[:80])}.*{PARTIAL}"):
            with suppress(OSError), left.open("rb") as file:
                if time() - left.stat().st_mtime > SURELY_LOCKED:
                    _flock(file.fileno(), wait=False)
                    left.unlink()


def _flock(descriptor: int, wait: bool) -> None:
    """Lock an open file or folder, or raise OSError."""
    try:
        import fcntl
    except ImportError:
        raise OSError("this system has no such locks") from None
    fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def _lock(descriptor: int) -> None:
    """Wait for the lock of an open file or folder, where the system and the file system have locks."""
    with suppress(OSError):
        _flock(descriptor, wait=True)


def _sync_folder(folder: Path) -> None:
    """Put the names in a folder on the disk, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def locked_folder(name: str) -> Iterator[None]:
    """Let one at a time change the files beside this one, of all processes and threads that ask for it.

    The lock ends with its holder. Where the system has no such locks, nobody waits.
    """
    try:
        folder = os.open(Path(os.path.realpath(name)).parent, os.O_RDONLY)
    except OSError:
        yield
        return
    try:
        _lock(folder)
        yield
    finally:
        os.close(folder)


def cache_folder() -> Path:
    """The folder for what can be made again; it may not exist, and a user without a home has none."""
    try:
        return user_cache_path("arcbatt", appauthor=False)
    except RuntimeError as error:
        raise FileNotFoundError(f"there is no cache folder: {error}") from None
