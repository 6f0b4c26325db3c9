"""One connection to the database of an archive: opening, transactions, and errors as sentences."""

import os
import sqlite3
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from arcbatt.archive.schema import OLDEST_SQLITE, VERSION, is_new, pragma, upgrade, version_of
from arcbatt.errors import ArcbattError
from arcbatt.files import is_database

PATIENCE = 30.0  # seconds that a writer waits for others
PAUSE = 0.02  # seconds between two attempts at what SQLite does not wait for itself
CACHE = 64 << 10  # KiB
PAGES_IN_LOG = 8_000  # of the write-ahead log, before they are put into the database

# Sentences by the texts of SQLite's errors; Python 3.10 tells no codes.
SENTENCES = {
    "file is not a database": "is no archive: the file is damaged, or something else",
    "malformed": "the archive is damaged; take a copy, or save what is left with `sqlite3 FILE .recover`",
    "disk is full": "the disk is full; what was committed before is kept",
    "disk I/O error": "cannot be written or read, the disk may be full; what was committed before is kept",
    "readonly database": "cannot be written: the file or its folder is read-only",
    "is locked": "another process holds the archive; try again when it has ended",
    "closed database": "is closed; open it again with arcbatt.Archive(path)",
    "unable to open": "cannot be opened: access is denied, or the disk is read-only",
}


class ArchiveError(ArcbattError):
    """An archive that cannot be opened, read or written; the message names its file."""


@contextmanager
def told(path: str) -> Iterator[None]:
    """Turn errors of SQLite into sentences that name the archive."""
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning, UnicodeError) as error:
        text = str(error)
        known = next((sentence for part, sentence in SENTENCES.items() if part in text), None)
        raise ArchiveError(f"{path}: {known or f'the database refuses: {text}'}") from None


@contextmanager
def sound(path: str) -> Iterator[None]:
    """Turn what rows of wrong types lead to into a sentence; an archive may come from anybody."""
    try:
        yield
    except (
        AssertionError,
        AttributeError,
        IndexError,
        KeyError,
        OverflowError,
        TypeError,
        ValueError,
    ) as error:
        if isinstance(error, ArcbattError):
            raise
        raise ArchiveError(f"{path}: a row is damaged; `arcbatt archive check` tells which") from None


class Connection:
    """An open database of an archive."""

    def __init__(self, path: str, readonly: bool = False, patience: float = PATIENCE) -> None:
        self.path, self.readonly, self.patience = path, readonly, patience
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            needed = ".".join(map(str, OLDEST_SQLITE))
            raise ArchiveError(f"archives need SQLite {needed}; this Python has {sqlite3.sqlite_version}")
        _require_database(path, readonly)
        with told(path):
            self._database = self._opened("rw" if readonly else "rwc")
            try:
                self._prepare()
            except BaseException:
                self._database.close()
                raise

    def _opened(self, mode: str) -> sqlite3.Connection:
        self.address = f"{Path(self.path).absolute().as_uri()}?mode={mode}"
        return sqlite3.connect(self.address, timeout=self.patience, isolation_level=None, uri=True)

    def _prepare(self) -> None:
        """Check the version, make or upgrade the tables, and set up the connection."""
        if self.readonly:
            self._prepare_to_read()
        else:
            self._upgraded(self._database)
            self._set_up_log()
            self._database.execute("PRAGMA synchronous = FULL")
            self._database.execute(f"PRAGMA wal_autocheckpoint = {PAGES_IN_LOG}")
        self._database.execute("PRAGMA foreign_keys = ON")
        self._database.execute(f"PRAGMA cache_size = -{CACHE}")
        # An archive may come from anybody: a view or an index in it calls no function that can do harm.
        self._database.execute("PRAGMA trusted_schema = OFF")

    def _prepare_to_read(self) -> None:
        try:
            new = is_new(self._database)
        except sqlite3.OperationalError as error:
            # Without a log nobody writes: the file can be read where the disk is read-only or full.
            log = Path(f"{self.path}-wal")
            if "locked" in str(error):
                raise
            if log.exists() and log.stat().st_size:
                raise ArchiveError(
                    f"{self.path}: its log {log.name} cannot be read where the folder is read-only; copy "
                    "both to another folder"
                ) from None
            self._database.close()
            self._database = self._opened("ro&immutable=1")
            new = is_new(self._database)
        if new:
            raise ArchiveError(f"{self.path}: is empty, not an archive; a run with --archive makes one")
        if version_of(self._database, self.path) < VERSION:
            self._upgraded(self._database)
        # Not opened with `mode=ro`: such a connection leaves the files of the log behind.
        self._database.execute("PRAGMA query_only = ON")

    def _upgraded(self, database: sqlite3.Connection) -> None:
        if not is_new(database) and version_of(database, self.path) == VERSION:
            return
        database.execute("BEGIN IMMEDIATE")
        try:
            upgrade(database, self.path)
            database.execute("COMMIT")
        except BaseException:
            database.rollback()
            raise

    def _set_up_log(self) -> None:
        """Turn on the write-ahead log, once others that open the archive at this moment allow it."""
        deadline = monotonic() + self.patience
        while pragma(self._database, "journal_mode") != "wal":
            try:
                self._database.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or monotonic() > deadline:
                    raise
                sleep(PAUSE)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction that is there whole or not at all; it waits for those of others."""
        if self.readonly:
            raise ArchiveError(f"{self.path}: is open for reading only")
        with told(self.path):
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:  # a full disk may have ended it
                    self._database.execute("ROLLBACK")
                raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Queries that see one state of the archive, whatever others write meanwhile."""
        with told(self.path):
            self._database.execute("BEGIN")
        try:
            yield
        finally:
            if self._database.in_transaction:  # an error of the disk may have ended it
                with told(self.path):
                    self._database.execute("ROLLBACK")

    @contextmanager
    def attached(self, other: "Connection", name: str) -> Iterator[None]:
        """The database of another connection, which may be closed; its tables are `name.<table>`."""
        path = other.path
        with told(path):
            self._database.execute(f"ATTACH ? AS {name}", (other.address,))
        try:
            yield
        finally:
            with told(path):
                self._database.execute(f"DETACH {name}")

    def execute(self, statement: str, values: Iterable[Any] = ()) -> sqlite3.Cursor:
        """Execute a statement."""
        with told(self.path):
            return self._database.execute(statement, tuple(values))

    def execute_many(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Execute a statement once for each row."""
        with told(self.path):
            self._database.executemany(statement, rows)

    def rows(self, statement: str, values: Iterable[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, as they come."""
        with told(self.path):
            for row in self._database.execute(statement, tuple(values)):  # noqa: UP028 (a cursor has `close`)
                yield row

    def one(self, statement: str, values: Iterable[Any] = ()) -> tuple[Any, ...] | None:
        """The first row of a query, if there is one."""
        with told(self.path):
            found: tuple[Any, ...] | None = self._database.execute(statement, tuple(values)).fetchone()
            return found

    def close(self) -> None:
        """Close the database."""
        with told(self.path):
            self._database.close()


def _require_database(path: str, readonly: bool) -> None:
    """Refuse what is surely no archive, before SQLite touches it."""
    try:
        found = Path(path).stat()
    except FileNotFoundError:
        if readonly:
            raise ArchiveError(f"{path}: there is no such archive") from None
        if not Path(path).absolute().parent.is_dir():
            raise ArchiveError(f"{path}: the folder is missing; make it first") from None
        return
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ArchiveError(f"{path}: cannot be opened: {reason}") from None
    if stat.S_ISDIR(found.st_mode):
        raise ArchiveError(f"{path}: is a folder; name the file of an archive")
    if not stat.S_ISREG(found.st_mode):
        raise ArchiveError(f"{path}: is no regular file; name the file of an archive")
    if found.st_size == 0:
        if readonly:
            raise ArchiveError(f"{path}: is empty, not an archive; a run with --archive makes one")
        return
    if os.access(path, os.R_OK) and not is_database(path):
        raise ArchiveError(f"{path}: is no archive of arcbatt, but another kind of file")
