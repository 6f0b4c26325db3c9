"""The tables of an archive, its version, and the steps that bring an older archive to the newest."""

import sqlite3
from contextlib import closing
from functools import cache
from typing import Any

from arcbatt.errors import ArcbattError
from arcbatt.text import shorten

SchemaEntry = tuple[Any, ...]  # a row of `sqlite_master`: type, name, table and definition

APPLICATION_ID = 0x41524241  # "ARBA", in the header of the file
OLDEST_SQLITE = (3, 24, 0)  # the first with `ON CONFLICT DO UPDATE`

# Each step makes a version out of the one before it; a new archive takes all of them.
STEPS = (
    """
CREATE TABLE programs (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('solver', 'differ')),
    name TEXT NOT NULL,
    inputs TEXT NOT NULL,
    size INTEGER NOT NULL,
    source TEXT NOT NULL,
    graph TEXT,
    own_ops TEXT,
    UNIQUE (hash, kind)
);
CREATE TABLE lineage (
    child INTEGER NOT NULL REFERENCES programs,
    parent BLOB NOT NULL,
    mutation TEXT NOT NULL,
    PRIMARY KEY (child, parent, mutation)
) WITHOUT ROWID;
CREATE TABLE kept (
    program INTEGER NOT NULL REFERENCES programs,
    task TEXT NOT NULL,
    score REAL NOT NULL,
    time REAL NOT NULL,
    PRIMARY KEY (program, task, score, time)
) WITHOUT ROWID;
CREATE TABLE tasks (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    name TEXT NOT NULL,
    content TEXT NOT NULL
);
CREATE TABLE terms (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    settings TEXT NOT NULL
);
CREATE TABLE results (
    task INTEGER NOT NULL REFERENCES tasks,
    terms INTEGER NOT NULL REFERENCES terms,
    program INTEGER NOT NULL REFERENCES programs,
    solved INTEGER NOT NULL,
    demo_exact INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    verdicts BLOB NOT NULL,
    scores BLOB,
    mean REAL,
    PRIMARY KEY (task, terms, program)
) WITHOUT ROWID;
CREATE TABLE outputs (
    task INTEGER NOT NULL,
    terms INTEGER NOT NULL,
    program INTEGER NOT NULL,
    outputs TEXT NOT NULL,
    PRIMARY KEY (task, terms, program),
    FOREIGN KEY (task, terms, program) REFERENCES results
) WITHOUT ROWID;
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    settings TEXT NOT NULL
);
CREATE TABLE run_states (
    run INTEGER NOT NULL REFERENCES runs,
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    state BLOB NOT NULL,
    PRIMARY KEY (run, key)
) WITHOUT ROWID;
CREATE INDEX best_of_task ON results (task, solved DESC, rank DESC);
CREATE INDEX tasks_by_name ON tasks (name);
""",
    """
CREATE INDEX solved_by_program ON results (program, task) WHERE solved;
CREATE INDEX programs_by_name ON programs (name);
CREATE INDEX children ON lineage (parent);
CREATE VIEW readable AS
    SELECT tasks.name AS task, programs.name AS program, results.solved, results.demo_exact,
        ((results.rank >> 20) & 1048575) / 1000.0 AS score, programs.size, lower(hex(programs.hash)) AS hash,
        programs.source, terms.settings AS terms
    FROM results JOIN tasks ON tasks.id = results.task JOIN programs ON programs.id = results.program
        JOIN terms ON terms.id = results.terms;
""",
    """
ALTER TABLE runs ADD COLUMN done INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN total INTEGER;
CREATE TABLE marks (
    differs BLOB NOT NULL,
    task BLOB NOT NULL,
    portion BLOB NOT NULL,
    marks BLOB NOT NULL,
    PRIMARY KEY (differs, task, portion)
) WITHOUT ROWID;
""",
    # Ranks had the score 0 where it is unknown; now they have the score plus 1, and 0 where it is unknown.
    """
UPDATE results SET rank = CASE
    WHEN (rank >> 20) & 1048575 = 1000000
        OR (scores IS NOT NULL OR mean IS NOT NULL) AND instr(verdicts, x'03') = 0
        AND task NOT IN (SELECT id FROM tasks WHERE instr(content, '"train":[]'))
    THEN rank + 1048576 ELSE rank & ~(1048575 << 20) END;
DROP VIEW readable;
CREATE VIEW readable AS
    SELECT tasks.name AS task, programs.name AS program, results.solved, results.demo_exact,
        (nullif((results.rank >> 20) & 1048575, 0) - 1) / 1000.0 AS score, programs.size,
        lower(hex(programs.hash)) AS hash, programs.source, terms.settings AS terms
    FROM results JOIN tasks ON tasks.id = results.task JOIN programs ON programs.id = results.program
        JOIN terms ON terms.id = results.terms;
""",
)
VERSION = len(STEPS)
ENTRIES = "SELECT type, name, tbl_name, sql FROM {}.sqlite_master ORDER BY rowid"
# What `ANALYZE` adds: statistics for the planner.
STATISTICS: frozenset[SchemaEntry] = frozenset(
    ("table", name, name, f"CREATE TABLE {name}({columns})")
    for name, columns in (("sqlite_stat1", "tbl,idx,stat"), ("sqlite_stat4", "tbl,idx,neq,nlt,ndlt,sample"))
)


def pragma(connection: sqlite3.Connection, name: str) -> Any:
    """The value of a pragma."""
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


def is_new(connection: sqlite3.Connection) -> bool:
    """Whether a database has nothing in it: a writer was killed before its first transaction."""
    untouched = pragma(connection, "application_id") == 0 and pragma(connection, "user_version") == 0
    return untouched and connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None


def version_of(connection: sqlite3.Connection, path: str) -> int:
    """The version of the tables; a database that is no archive, or too new, is refused."""
    if pragma(connection, "application_id") != APPLICATION_ID:
        raise ArcbattError(f"{path}: is a database of another program, not an archive of arcbatt")
    version = int(pragma(connection, "user_version"))
    if version < 0:
        raise ArcbattError(f"{path}: expected an archive of version 1 to {VERSION}, got {version}")
    if version > VERSION:
        raise ArcbattError(
            f"{path}: is an archive of version {version}, made by a newer arcbatt; this one reads "
            f"versions up to {VERSION}: install the newer one"
        )
    return version


def require_own_schema(connection: sqlite3.Connection, path: str, version: int, schema: str = "main") -> None:
    """Refuse a database whose schema is not exactly that of an archive of this version.

    Views and triggers are programs that run inside our statements: one may never end, or drop rows.
    """
    encoding = pragma(connection, "encoding")
    if encoding != "UTF-8":
        raise ArcbattError(f"{path}: expected a database in UTF-8, got one in {encoding}")
    expected = schema_of(version)
    entries = connection.execute(ENTRIES.format(schema)).fetchall()
    foreign = [entry for entry in entries if entry not in expected and entry not in STATISTICS]
    missing = sorted(expected.difference(entries), key=str)
    if foreign:
        is_changed = foreign[0][:2] in {entry[:2] for entry in expected}
        fault = f"{'another definition of' if is_changed else 'also'} {_entry_text(foreign[0])}"
    elif missing:
        fault = f"none with {_entry_text(missing[0])}"
    else:
        return
    raise ArcbattError(
        f"{path}: expected the schema of an archive, got {fault}; use an archive that only arcbatt has "
        "changed, or its JSON lines, which `arcbatt archive import` checks"
    )


def _entry_text(entry: SchemaEntry) -> str:
    kind, name, table = map(str, entry[:3])
    return f"the {kind if kind.isalpha() else 'entry'} {shorten(name)}" + (
        f" on {shorten(table)}" if table != name else ""
    )


@cache
def schema_of(version: int) -> frozenset[SchemaEntry]:
    """The schema of an archive of a version, as SQLite tells it."""
    with closing(sqlite3.connect(":memory:")) as fresh:
        for step in STEPS[:version]:
            _take(fresh, step)
        return frozenset(fresh.execute(ENTRIES.format("main")))


def _take(connection: sqlite3.Connection, step: str) -> None:
    for statement in filter(str.strip, step.split(";")):
        connection.execute(statement)


def upgrade(connection: sqlite3.Connection, path: str) -> None:
    """Make the tables of a new archive, or bring those of an older one to the newest version."""
    done = 0 if is_new(connection) else version_of(connection, path)
    for step in STEPS[done:]:
        _take(connection, step)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
