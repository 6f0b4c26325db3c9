"""One connection to the database of an archive: opening, transactions, and errors as sentences."""

import os
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any, TypeVar

from arcbatt.archive.schema import (
    OLDEST_SQLITE,
    VERSION,
    is_new,
    pragma,
    require_own_schema,
    upgrade,
    version_of,
)
from arcbatt.errors import ArcbattError
from arcbatt.files import is_database
from arcbatt.notices import tell
from arcbatt.signals import is_ending

Result = TypeVar("Result")

PATIENCE = 30.0  # seconds that a writer waits for others
LAST_PATIENCE = 2.0  # seconds for the last commit of a command that a signal ends
PAUSE = 0.02  # seconds between two attempts to get a lock
LONGEST_DEAF = 0.5  # seconds that SQLite itself waits for a lock: it hears no signal meanwhile
STEPS_BETWEEN_SIGNALS = 1_000_000  # of SQLite's machine, some 10 to 50 ms
LARGEST_ROW = 64 << 20  # bytes that are read or written: a program has a source and maybe a graph
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
    "too big": f"holds a row of more than {LARGEST_ROW >> 20} MB, the most that is read or written; "
    "`arcbatt archive check` names it",
    "not authorized": "another process has added a view or a trigger, which never run here; remove it",
    "prohibited": "another process has added a view or a trigger, which never run here; remove it",
    "unable to open": "cannot be opened: access is denied, or the disk is read-only",
}


class ArchiveError(ArcbattError):
    """An archive that cannot be opened, read or written; the message names its file."""


@contextmanager
def sqlite_errors(path: str) -> Iterator[None]:
    """Convert errors of SQLite into ArchiveError, with the name of the archive.

    A signal that arrives while SQLite works raises KeyboardInterrupt in a function that SQLite calls. SQLite
    then ends the statement with an error of its own, so the KeyboardInterrupt is raised again here.
    """
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning, UnicodeError) as error:
        text = str(error)
        is_denied = "not authorized" in text or "prohibited" in text
        if text == "interrupted" or (is_denied and not _authorizer.has_denied):
            raise KeyboardInterrupt from None
        known = next((sentence for part, sentence in SENTENCES.items() if part in text), None)
        raise ArchiveError(f"{path}: {known or f'the database refuses: {text}'}") from None


# What rows of wrong types lead to; an archive may come from anybody.
DAMAGE = (
    AssertionError,
    AttributeError,
    LookupError,
    OverflowError,
    RecursionError,
    TypeError,
    ValueError,
)


@contextmanager
def corrupt_row_errors(path: str) -> Iterator[None]:
    """Convert errors that damaged rows lead to into ArchiveError."""
    try:
        yield
    except DAMAGE as error:
        if isinstance(error, ArcbattError):
            raise
        raise ArchiveError(f"{path}: a row is damaged; `arcbatt archive check` tells which") from None


def _hear_signals() -> None:
    """Called by SQLite during long statements: Python runs the handlers of signals before it returns."""


class _Authorizer:
    """Denies whatever a view or a trigger wants to do; none of our statements uses one.

    Another process may add them after the schema was compared. SQLite asks when it prepares a statement, also
    when it does so anew because the schema has changed. It takes an exception, such as KeyboardInterrupt, for
    a denial: `has_denied` tells them apart.
    """

    has_denied = False

    def __call__(
        self, action: int, first: str | None, second: str | None, schema: str | None, by: str | None
    ) -> int:
        if by is None:
            return sqlite3.SQLITE_OK
        self.has_denied = True
        return sqlite3.SQLITE_DENY


_authorizer = _Authorizer()


class Connection:
    """An open database of an archive."""

    def __init__(self, path: str, readonly: bool = False, patience: float = PATIENCE) -> None:
        self.path, self.readonly, self.patience = path, readonly, patience
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            needed = ".".join(map(str, OLDEST_SQLITE))
            raise ArchiveError(f"archives need SQLite {needed}; this Python has {sqlite3.sqlite_version}")
        _require_database(path, readonly)
        with sqlite_errors(path):
            self._database = self._opened("rw" if readonly else "rwc")
            try:
                self._prepare()
            except BaseException:
                self._database.close()
                raise

    def _opened(self, mode: str) -> sqlite3.Connection:
        self.address = f"{Path(self.path).absolute().as_uri()}?mode={mode}"
        wait = min(self.patience, LONGEST_DEAF)
        database = sqlite3.connect(self.address, timeout=wait, isolation_level=None, uri=True)
        database.set_progress_handler(_hear_signals, STEPS_BETWEEN_SIGNALS)
        database.set_authorizer(_authorizer)
        # An archive may come from anybody: an index or a check in it calls no function that can do harm.
        database.execute("PRAGMA trusted_schema = OFF")
        if sys.version_info >= (3, 11):
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_ROW)
        return database

    def _prepare(self) -> None:
        """Check the version, make or upgrade the tables, and set up the connection."""
        if self.readonly:
            self._patiently(self._prepare_to_read)
        else:
            self._patiently(self._compare_schema)
            self._patiently(self._set_up_log)
            self._database.execute("PRAGMA synchronous = FULL")
            self._database.execute(f"PRAGMA wal_autocheckpoint = {PAGES_IN_LOG}")
        self._database.execute("PRAGMA foreign_keys = ON")
        self._database.execute(f"PRAGMA cache_size = -{CACHE}")

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
        self._compare_schema()
        # Not opened with `mode=ro`: such a connection leaves the files of the log behind.
        self._database.execute("PRAGMA query_only = ON")

    def _compare_schema(self) -> None:
        """Compare the schema with ours; make the tables of a new archive, upgrade those of an old one."""
        if self._atomically("BEGIN", self._own_version) < VERSION:
            self._atomically("BEGIN IMMEDIATE", self._upgraded)

    def _upgraded(self) -> None:
        self._own_version()  # another process may have changed it meanwhile
        upgrade(self._database, self.path)

    def _own_version(self) -> int:
        """The version of the archive, 0 of a new one; a schema that is not ours is refused."""
        version = 0 if is_new(self._database) else version_of(self._database, self.path)
        require_own_schema(self._database, self.path, version)
        return version

    def _set_up_log(self) -> None:
        if pragma(self._database, "journal_mode") != "wal":
            self._database.execute("PRAGMA journal_mode = WAL")

    def _patiently(self, action: Callable[[], Result]) -> Result:
        """Do what needs a lock that others may hold; signals are heard while it waits."""
        start = monotonic()
        while True:
            try:
                return action()
            except sqlite3.OperationalError as error:
                patience = min(self.patience, LAST_PATIENCE) if is_ending() else self.patience
                if "locked" not in str(error):
                    raise
                if monotonic() > start + patience:
                    if is_ending():  # the command ends by its signal, not by an error
                        tell(f"{self.path}: another process holds the archive; it lacks the last results")
                        raise KeyboardInterrupt from None
                    raise
            sleep(PAUSE)

    def _started(self, statement: str, values: Iterable[Any] = ()) -> sqlite3.Cursor:
        parameters = tuple(values)
        return self._patiently(lambda: self._database.execute(statement, parameters))

    def _atomically(self, begin: str, action: Callable[[], Result]) -> Result:
        """The result of an action that is done whole or not at all."""
        self._started(begin)
        try:
            result = action()
            self._started("COMMIT")
            return result
        except BaseException:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        if self._database.in_transaction:  # a full disk may have ended it
            self._database.execute("ROLLBACK")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction that is there whole or not at all; it waits for those of others."""
        if self.readonly:
            raise ArchiveError(f"{self.path}: is open for reading only")
        with sqlite_errors(self.path):
            self._started("BEGIN IMMEDIATE")
            try:
                yield
                self._started("COMMIT")
            except BaseException:
                self._roll_back()
                raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Queries that see one state of the archive, whatever others write meanwhile."""
        with sqlite_errors(self.path):
            self._database.execute("BEGIN")
        try:
            yield
        finally:
            with sqlite_errors(self.path):
                self._roll_back()

    @contextmanager
    def attached(self, other: "Connection", name: str) -> Iterator[None]:
        """The database of another connection, which may be closed; its tables are `name.<table>`."""
        path = other.path
        with sqlite_errors(path):
            self._started(f"ATTACH ? AS {name}", (other.address,))
        try:
            with sqlite_errors(path):  # it may have changed since the other connection compared it
                self._patiently(lambda: require_own_schema(self._database, path, VERSION, name))
            yield
        finally:
            with sqlite_errors(path):
                self._database.execute(f"DETACH {name}")

    def execute(self, statement: str, values: Iterable[Any] = ()) -> sqlite3.Cursor:
        """Execute a statement."""
        with sqlite_errors(self.path):
            return self._started(statement, values)

    def execute_many(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Execute a statement once for each row."""
        with sqlite_errors(self.path):
            self._database.executemany(statement, rows)

    def rows(self, statement: str, values: Iterable[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, as they come."""
        with sqlite_errors(self.path):
            for row in self._started(statement, values):  # noqa: UP028 (a cursor has `close`)
                yield row

    def one(self, statement: str, values: Iterable[Any] = ()) -> tuple[Any, ...] | None:
        """The first row of a query, if there is one."""
        with sqlite_errors(self.path):
            found: tuple[Any, ...] | None = self._started(statement, values).fetchone()
            return found

    def close(self) -> None:
        """Close the database."""
        with sqlite_errors(self.path):
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
