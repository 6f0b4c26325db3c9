"""Reading files up to a size, writing files whole or line by line, and the user's cache folder."""

import glob
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from time import time
from typing import Any, TextIO

from platformdirs import user_cache_path

from arcbatt.errors import ArcbattError

PARTIAL = ".partial"
DATABASE = b"SQLite format 3\0"  # the first bytes of a database file
SURELY_LOCKED = 60  # seconds: the writer of a partial file has locked it by this age
# Open without waiting: a pipe without a writer would block for ever.
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

    Pipes, devices and folders, also those behind a link, are refused without reading them.

    >>> content_of_file(os.devnull, 10)
    Traceback (most recent call last):
    arcbatt.files.UnreadableFile: /dev/null: expected a regular file; save its content to a file first
    """
    file = os.fspath(path)
    try:
        descriptor = os.open(file, _OPEN)
        with FileIO(descriptor) as stream:
            found = os.fstat(descriptor)
            if stat.S_ISDIR(found.st_mode):
                raise UnreadableFile(file, "is a folder; name a file")
            if not stat.S_ISREG(found.st_mode):
                raise UnreadableFile(file, "expected a regular file; save its content to a file first")
            # A file of /proc claims to be empty, and a file may grow meanwhile: the size alone is no bound.
            content = _at_most(stream, most + 1) if found.st_size <= most else b""
    except (OSError, ValueError) as error:
        raise UnreadableFile(file, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    size = max(found.st_size, len(content))
    if size > most:
        raise UnreadableFile(file, f"is too large: it has {size:,} bytes, and {most:,} are read at most")
    return content


def _at_most(stream: FileIO, count: int) -> bytes:
    """The first `count` bytes of a file, or all if it is shorter; a single read may return fewer."""
    parts: list[bytes] = []
    while count > 0 and (part := stream.read(count)):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def opening_of_file(path: str | os.PathLike[str], count: int) -> bytes:
    """The first bytes of a regular file, without byte order mark and blanks; empty if it cannot be read."""
    with suppress(OSError, ValueError):  # the reader of the file reports what is wrong
        if Path(path).is_file():  # a pipe would wait for ever
            with Path(path).open("rb") as file:
                return file.read(count).lstrip(b"\xef\xbb\xbf \t\r\n")
    return b""


def is_database(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a readable SQLite database."""
    return opening_of_file(path, len(DATABASE)) == DATABASE


def require_apart(target: str, read: Iterable[object]) -> None:
    """Refuse to overwrite a file that is read; objects that are not paths are skipped."""
    if not Path(target).is_file():
        return
    files = (Path(file) for file in read if isinstance(file, str | os.PathLike))
    if any(file.exists() and file.samefile(target) for file in files):
        raise ArcbattError(f"{target}: is read here and would be overwritten; name another file to write")


def require_no_database(target: str) -> None:
    """Refuse to write over a database, which may be an archive."""
    if is_database(target):
        raise ArcbattError(f"{target}: is a database, maybe an archive; name another file to write")


@contextmanager
def _blaming(name: str) -> Iterator[None]:
    """Turn errors of the system into an error that the file cannot be written."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise ArcbattError(
            f"{name}: cannot be written: {getattr(error, 'strerror', None) or error}"
        ) from None


class _NamedFile(FileIO):
    """A file whose errors name it as the user did, and differ from all other OSErrors."""

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
    """Open a text file that appears whole, at the end, or not at all; `-` is standard output."""
    if name == "-":
        yield sys.stdout
        return
    with _whole(name) as raw, TextIOWrapper(BufferedWriter(raw), "utf-8") as file:
        yield file


def write_whole(name: str, content: bytes | Iterable[bytes]) -> None:
    """Write a file, from bytes or parts, that appears whole or not at all."""
    with _whole(name) as raw, BufferedWriter(raw) as file:
        file.writelines([content] if isinstance(content, bytes) else content)


def require_writable(name: str) -> None:
    """Refuse a file that cannot be written, before the long work whose results it should take."""
    from tempfile import TemporaryFile  # slow to import, and seldom needed

    if name == "-":
        return
    with _blaming(name):
        path = Path(os.path.realpath(name))
        mode = _mode_of(path)
        if mode is None and not path.parent.exists():
            raise ArcbattError(f"{name}: cannot be written: the folder is missing; make it first")
        if mode is None or stat.S_ISREG(mode):
            with TemporaryFile(dir=path.parent):
                return
    if stat.S_ISDIR(mode):
        raise ArcbattError(f"{name}: is a folder; name a file to write")
    if not (stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)):
        raise ArcbattError(f"{name}: expected a file that can be written; name another")


def _mode_of(path: Path) -> int | None:
    """The mode of a file, which tells its type; None if it does not exist."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


@contextmanager
def _whole(name: str) -> Iterator[FileIO]:
    """The file to write and close. In the end it replaces an older file and takes over its mode.

    While it is written it is a locked file under another name. The lock ends with the writer, so the next
    writer recognises the partial files of killed writers, and removes them.
    """
    with _blaming(name):
        path = Path(os.path.realpath(name))
        special = path.exists() and not path.is_file()
    if special:
        yield _NamedFile(path, name, "w")
        return
    _remove_abandoned(path)
    written = _hidden(path)
    raw = _NamedFile(written, name, "x")
    held = os.dup(raw.fileno())  # the lock outlives the closing of the file
    try:
        lock_descriptor(held)
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


class Presence:
    """Remembers which file a name refers to; `require` fails if the name refers to another file by now."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._found = self._look()

    def _look(self) -> tuple[int, int] | None:
        try:
            found = Path(self.name).stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def require(self) -> None:
        """Raise an error if the file was removed or replaced."""
        now = self._look()
        if now != self._found:
            what = "replaced by another file" if now else "removed"
            raise ArcbattError(f"{self.name}: was {what} while results were written to it")


class LineFile:
    """A file that grows by whole lines; each `write` passes them to the system before it returns.

    A new file has another name until the first lines are written. Then it replaces an older file, which stays
    if nothing is ever written. With `kept` an older file is not replaced: the first lines that are written
    replace all but its first `kept` bytes. If lines cannot be written whole, none of them is left.
    """

    def __init__(self, name: str, kept: int | None = None) -> None:
        self.name, self.size = name, kept or 0
        self._blaming = partial(_blaming, name)
        self._presence: Presence | None = None
        self._hidden: Path | None = None
        self._has_old_end = False
        with self._blaming():
            self._path = Path(os.path.realpath(name))
            special = self._path.exists() and not self._path.is_file()
        if special:
            self._raw = _NamedFile(self._path, name, "w")
        elif kept is not None:
            self._raw = _NamedFile(self._path, name, "r+")
            with self._blaming():
                self._raw.seek(kept)
            self._has_old_end = True
            self._presence = Presence(name)
        else:
            _remove_abandoned(self._path)
            self._hidden = _hidden(self._path)
            self._raw = _NamedFile(self._hidden, name, "x+")
            lock_descriptor(self._raw.fileno())

    def write(self, lines: bytes) -> None:
        """Add whole lines."""
        if self._presence is not None:
            self._presence.require()
        rest = memoryview(lines)
        if self._has_old_end:
            with self._blaming():
                self._raw.truncate(self.size)
            self._has_old_end = False
        try:
            while rest:
                rest = rest[self._raw.write(rest) :]
        except ArcbattError:
            if self._presence is not None or self._hidden is not None:
                with suppress(OSError):
                    os.ftruncate(self._raw.fileno(), self.size)
            raise
        self.size += len(lines)
        if self._hidden is not None:
            self._show()

    def _show(self) -> None:
        """Rename a new file to its final name."""
        assert self._hidden is not None
        with self._blaming():
            with suppress(FileNotFoundError):
                os.fchmod(self._raw.fileno(), stat.S_IMODE(self._path.stat().st_mode))
            self._hidden.replace(self._path)
        self._hidden = None
        self._presence = Presence(self.name)

    def close(self, sync: bool = True) -> None:
        """Put the lines on the disk, and close the file."""
        try:
            if sync and self._presence is not None:
                with self._blaming():
                    os.fsync(self._raw.fileno())
                self._presence.require()
        finally:
            self._raw.close()
            if self._hidden is not None:
                with suppress(OSError):
                    self._hidden.unlink()


def _hidden(path: Path) -> Path:
    """The temporary name of a file while it is written."""
    return path.parent / f".{path.name[:80]}.{os.urandom(8).hex()}{PARTIAL}"


def _remove_abandoned(path: Path) -> None:
    """Remove the partial files of killed writers: old ones that are not locked."""
    with suppress(OSError):
        for left in path.parent.glob(f".{glob.escape(path.name[:80])}.*{PARTIAL}"):
            with suppress(OSError), left.open("rb") as file:
                is_old = time() - left.stat().st_mtime > SURELY_LOCKED
                if is_old and lock_descriptor(file.fileno(), wait=False):
                    left.unlink()


def lock_descriptor(descriptor: int, wait: bool = True) -> bool:
    """Lock an open file or folder until it is closed; False if it is locked already or locks are missing."""
    import filelock  # slow to import, and few commands lock anything

    with suppress(OSError):
        return filelock.lock_descriptor(descriptor, blocking=wait)
    return False


def _sync_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk, if the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def locked_folder(name: str) -> Iterator[None]:
    """Hold the lock of the folder of a file; one thread of one process has it at a time.

    The lock ends with its holder. On a system without locks this does not wait.
    """
    try:
        folder = os.open(Path(os.path.realpath(name)).parent, os.O_RDONLY)
    except OSError:
        yield
        return
    try:
        lock_descriptor(folder)
        yield
    finally:
        os.close(folder)


def cache_folder() -> Path:
    """The user's folder for files that can be made again; it may not exist. Raises without a home folder."""
    try:
        return user_cache_path("arcbatt", appauthor=False)
    except RuntimeError as error:
        raise FileNotFoundError(f"there is no cache folder: {error}") from None
