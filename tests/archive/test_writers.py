"""Writers of an archive: several at once, killed ones, and disks that are full, read-only or locked."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.archive.connection import Connection
from arcbatt.archive.schema import APPLICATION_ID, STEPS, VERSION, pragma
from arcbatt.library import load_library
from support.commands import environment

TASK = ab.load_tasks("67a3c6ac")[0]
SOLVERS = load_library("solvers")[:24]

# Adds some programs with results one by one, each in a transaction with a step of a shared state; prints a
# line for each that is committed. Steps that another process made first are made again.
WRITER = """
import sys
import arcbatt as ab
from arcbatt.library import load_library
path, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
task = ab.load_tasks("67a3c6ac")[0]
programs = load_library("solvers")[first:last]
records = [ab.run(program, task, "all").records[task.id] for program in programs]
print("ready", flush=True)
sys.stdin.readline()
with ab.Archive(path) as archive:
    run = archive.run("test", {})
    for record in records:
        while True:
            version = (run.state("steps") or (0, b""))[0] + 1
            archive.add_record(record, ab.Terms())
            if run.advance("steps", version, b""):
                break
        print(record.programs[0].hash, flush=True)
"""


def started(path: Path, first: int, last: int) -> subprocess.Popen[str]:
    """A writer that waits for its start."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(first), str(last)],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.process
def test_two_processes_write_at_once_and_nothing_is_lost_or_there_twice(tmp_path: Path) -> None:
    path = tmp_path / "archive.db"
    writers = [started(path, 0, 16), started(path, 8, 24)]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    for writer in writers:
        _, errors = writer.communicate(timeout=120)
        assert (writer.returncode, errors) == (0, "")
    with ab.Archive(path) as archive:
        assert {program.hash for program in archive} == {program.hash for program in SOLVERS}
        assert len(archive) == len(list(archive.results())) == len({program.hash for program in SOLVERS})
        assert archive.run("test", {}).state("steps") == (32, b"")
        assert archive.check().faults == []


@pytest.mark.process
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such kill here")
@pytest.mark.parametrize("lines", [0, 7])
def test_what_a_killed_writer_has_committed_is_there(tmp_path: Path, lines: int) -> None:
    path = tmp_path / "archive.db"
    writer = started(path, 0, 16)
    assert writer.stdin is not None
    assert writer.stdout is not None
    writer.stdin.write("\n")
    writer.stdin.flush()
    told = [writer.stdout.readline().strip() for _ in range(lines)]
    writer.kill()
    told += writer.communicate(timeout=60)[0].split()
    with ab.Archive(path) as archive:
        assert set(told) <= {program.hash for program in archive}
        assert (archive.run("test", {}).state("steps") or (0, b""))[0] == len(archive)
        assert archive.check().faults == []


def test_a_writer_waits_for_others_and_says_so_if_it_takes_too_long(tmp_path: Path) -> None:
    path = tmp_path / "archive.db"
    with ab.Archive(path, patience=0.05) as archive, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        archive.add_programs(SOLVERS)
        with pytest.raises(ab.ArcbattError, match=r"archive\.db: another process holds the archive"):
            archive.commit()
        other.rollback()
        archive.commit()
        assert len(archive) == len({program.hash for program in SOLVERS})


def test_a_full_disk_costs_nothing_that_was_committed(tmp_path: Path) -> None:
    path = tmp_path / "archive.db"
    with ab.Archive(path) as archive:
        archive.add_programs(SOLVERS[:1])
        archive.commit()
        pages = archive.connection.one("PRAGMA page_count")
        assert pages is not None
        archive.connection.execute(f"PRAGMA max_page_count = {pages[0]}")
        archive.add_programs(SOLVERS[1:])
        with pytest.raises(ab.ArcbattError, match="the disk is full; what was committed before is kept"):
            archive.commit()
        assert len(archive) == 1
        assert archive.check().faults == []
        archive.connection.execute("PRAGMA max_page_count = 1000000")
        archive.commit()
        assert len(archive) == len({program.hash for program in SOLVERS})
        assert archive.check().faults == []


FILLED = """
import resource, sys
from arcbatt.commands.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
main(["archive", "import", *sys.argv[1:]])
"""


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="no limits of files here")
def test_a_disk_that_fills_up_ends_an_import_with_a_sentence(tmp_path: Path) -> None:
    path, source = tmp_path / "archive.db", tmp_path / "many.py"
    with ab.Archive(path) as archive:
        archive.add_programs(SOLVERS[:1])
    chain = "".join(f"def solve_{n}(I):\n    return canvas({n}, astuple({n}, TWO))\n" for n in range(3000))
    source.write_text(chain)
    command = [sys.executable, "-c", FILLED, str(path), str(source)]
    done = subprocess.run(
        command, env=environment(), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "disk" in done.stderr
    assert "what was committed before is kept" in done.stderr
    with ab.Archive(path) as archive:
        assert [program.hash for program in archive] == [SOLVERS[0].hash]
        assert archive.check().faults == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everything")
def test_a_read_only_archive_is_read_and_not_written(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "archive.db"
    with ab.Archive(path) as archive:
        archive.add_programs(SOLVERS)
    path.chmod(0o400)
    folder.chmod(0o500)
    try:
        with ab.Archive(path, readonly=True) as archive:
            assert len(archive) == len({program.hash for program in SOLVERS})
        with pytest.raises(ab.ArcbattError, match="read-only"):
            ab.Archive(path)
        with ab.Archive(tmp_path / "other.db") as other:
            other.merge(path)
            assert len(other) == len({program.hash for program in SOLVERS})
    finally:
        folder.chmod(0o700)


def test_an_archive_that_is_open_for_reading_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "archive.db"
    ab.Archive(path).close()
    archive = ab.Archive(path, readonly=True)
    archive.add_programs(SOLVERS)
    with pytest.raises(ab.ArcbattError, match="is open for reading only"):
        archive.close()


def test_a_writer_that_was_killed_before_its_first_transaction_leaves_a_file_to_begin_with(
    tmp_path: Path,
) -> None:
    path = tmp_path / "archive.db"
    path.touch()
    with ab.Archive(path) as archive:
        assert len(archive) == 0
    bare = tmp_path / "bare.db"
    with closing(sqlite3.connect(bare)) as database:
        database.execute("PRAGMA journal_mode = WAL")
    with ab.Archive(bare) as archive:
        assert len(archive) == 0


def test_an_archive_of_an_older_version_is_brought_to_the_newest(tmp_path: Path) -> None:
    path = tmp_path / "older.db"
    with ab.Archive(path) as archive:
        archive.add(ab.run(SOLVERS[:1], TASK, "all"))
        archive.add(ab.run(SOLVERS[1:], TASK, "all", partial_scores=True))
        scores = [result.score for result in archive.results()]
        lines = tmp_path / "before.jsonl"
        archive.export(lines)
    older = tmp_path / "first.db"
    with closing(sqlite3.connect(older, isolation_level=None)) as database:
        for statement in filter(str.strip, STEPS[0].split(";")):
            database.execute(statement)
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute("PRAGMA user_version = 1")
        database.execute("ATTACH ? AS newer", (str(path),))
        for table in ("programs", "tasks", "terms", "results"):
            database.execute(f"INSERT INTO {table} SELECT * FROM newer.{table}")
        # The first versions kept the score itself in the rank, and 0 where it was unknown.
        database.execute("UPDATE results SET rank = rank - (1 << 20) WHERE rank & (1048575 << 20)")
    with ab.Archive(older, readonly=True) as archive:
        archive.export(tmp_path / "after.jsonl")
        assert [result.score for result in archive.results()] == scores
        assert archive.check().faults == []
    assert (tmp_path / "after.jsonl").read_bytes() == lines.read_bytes()
    with closing(sqlite3.connect(older)) as database:
        assert pragma(database, "user_version") == VERSION
        assert database.execute("SELECT count(*) FROM readable").fetchone() == (len(SOLVERS),)


def test_an_older_archive_whose_upgrade_fails_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "older.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        for statement in filter(str.strip, STEPS[0].split(";")):
            database.execute(statement)
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute("PRAGMA user_version = 1")
    monkeypatch.setattr("arcbatt.archive.schema.STEPS", (STEPS[0], "CREATE TABLE new (x); CREATE nonsense"))
    with pytest.raises(ab.ArcbattError, match="the database refuses"):
        Connection(str(path))
    with closing(sqlite3.connect(path)) as database:
        assert pragma(database, "user_version") == 1
        assert database.execute("SELECT 1 FROM sqlite_master WHERE name = 'new'").fetchone() is None
