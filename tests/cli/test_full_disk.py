"""Disks that are full or read-only, and files that vanish: one sentence, and what was written is kept."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.archive.archive import Archive
from arcbatt.dsl.limits import DEFAULT_LIMITS
from arcbatt.files import LineFile
from arcbatt.results.files import Files
from arcbatt.results.program_results import program_writer
from arcbatt.results.result_writer import WritingStopped
from support.commands import Answer, Command, environment

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="mounts and limits of files are those of Linux"
)
WORK = ["run", "--pairs", "all", "--limit", "12"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 300 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("a small disk can only be mounted by the superuser")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def process(*words: object, most: int | None = None) -> Answer:
    """Run a command in a process of its own, whose files may have so many bytes."""

    def limited() -> None:
        if most is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    command = [sys.executable, "-m", "arcbatt", *map(str, words)]
    done = subprocess.run(
        command, env=environment(), capture_output=True, text=True, check=False, preexec_fn=limited
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def is_sound(archive: Path) -> bool:
    database = sqlite3.connect(archive)
    try:
        return database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    finally:
        database.close()


def only_whole_results(file: Path) -> bool:
    lines = file.read_bytes()
    return lines.endswith(b"}\n") and all("task" in json.loads(line) for line in lines.splitlines())


def test_a_full_disk_ends_a_run_and_the_archive_is_sound(small_disk: Path, tmp_path: Path) -> None:
    archive = small_disk / "mine.db"
    answer = process(*WORK, "--archive", archive)
    assert answer.code == 2
    assert answer.err == f"arcbatt: {archive}: the disk is full; what was committed before is kept\n"
    assert "307 programs on " in answer.out  # what was computed is shown
    assert is_sound(archive)
    kept = tmp_path / "kept.db"
    with Archive(kept) as other:
        other.merge(archive)
    assert process(*WORK, "--archive", kept, "--resume").code == 0


def test_a_full_disk_leaves_whole_lines(small_disk: Path, tmp_path: Path) -> None:
    file = small_disk / "results.jsonl"
    answer = process(*WORK, "--json", file)
    assert answer.code == 2
    assert answer.err == f"arcbatt: {file}: cannot be written: No space left on device\n"
    assert "307 programs on " in answer.out
    assert only_whole_results(file)
    elsewhere = tmp_path / "results.jsonl"
    elsewhere.write_bytes(file.read_bytes())
    assert process(*WORK, "--json", elsewhere, "--resume").code == 0


@pytest.mark.parametrize("option", ["--json", "--archive"])
def test_a_read_only_disk_is_found_out_before_the_run(small_disk: Path, option: str) -> None:
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    answer = process(*WORK, option, small_disk / "results")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"arcbatt: {small_disk}/results: cannot be ")
    assert answer.err.count("\n") == 1


def test_a_limit_of_the_size_of_files_is_a_full_disk(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    answer = process(*WORK, "--json", file, most=200_000)
    assert answer.code == 2
    assert answer.err == f"arcbatt: {file}: cannot be written: File too large\n"
    assert "307 programs on " in answer.out
    assert only_whole_results(file)
    assert 0 < file.stat().st_size <= 200_000


def test_a_limit_of_the_size_of_an_archive_is_a_full_disk(tmp_path: Path) -> None:
    archive = tmp_path / "mine.db"
    answer = process(*WORK, "--archive", archive, most=300_000)
    assert answer.code == 2
    assert answer.err.startswith(f"arcbatt: {archive}: ")
    assert "what was committed before is kept" in answer.err
    assert answer.err.count("\n") == 1
    assert "307 programs on " in answer.out
    assert is_sound(archive)


@pytest.mark.parametrize("replaced", [False, True])
@pytest.mark.parametrize("command", ["run", "run-batt"])
@pytest.mark.parametrize("option", ["--json", "--archive"])
def test_a_file_that_vanishes_ends_a_run(
    cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, command: str, replaced: bool
) -> None:
    file, batt = tmp_path / "results", tmp_path / "batt.py"
    assert cli("card", "-c", 3, "-f", batt, "-fs", "-fd").code == 0
    owner, name = (LineFile, "write") if option == "--json" else (Archive, "commit_with")
    write = getattr(owner, name)

    def write_and_remove(self: object, *given: object) -> object:
        done = write(self, *given)
        file.unlink(missing_ok=True)
        if replaced:
            file.write_text("something else")
        return done

    monkeypatch.setattr(owner, name, write_and_remove)
    monkeypatch.setattr("arcbatt.results.archive_results.BETWEEN_COMMITS", 0)
    monkeypatch.setattr("arcbatt.engine.chunks.SECONDS", 1e-9)
    words = {"run": ["--limit", 3], "run-batt": ["-b", batt, "-c", 3]}[command]
    answer = cli(command, *words, option, file)
    what = "replaced by another file" if replaced else "removed"
    assert answer.code == 2
    assert answer.err == f"arcbatt: {file}: was {what} while results were written to it\n"
    assert "evaluation" in answer.out or "outputs" in answer.out
    assert not replaced or file.read_text() == "something else"


def test_a_failing_write_ends_a_run_by_an_exception_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(self: object, lines: bytes) -> None:
        raise ab.ArcbattError("the disk is gone")

    monkeypatch.setattr(LineFile, "write", failing)
    programs, tasks = ab.parse_programs("def solve_67a3c6ac(I): return I"), ab.load_tasks("67a3c6ac")
    settings = {"limits": DEFAULT_LIMITS, "on_failure": "fail"}
    writer = program_writer(ab.merge(programs), tasks, "all", settings, Files(str(tmp_path / "results")))
    (record,) = ab.run(programs, tasks).records.values()
    with writer, pytest.raises(WritingStopped, match="the disk is gone"):
        writer.add(record)
    with pytest.raises(ab.ArcbattError, match="the disk is gone"):
        writer.require_written()


def test_search_that_fills_the_disk_ends_with_its_report_and_a_sentence(small_disk: Path) -> None:
    archive = small_disk / "a.db"
    tasks = ("--tasks", "0520fde7,a5313dff", "--steps", 20_000, "--beyond", 20_000, "--workers", 1)
    answer = process("evolve", *tasks, "--archive", archive)
    assert answer.code == 2
    assert f"{archive}: the disk is full; what was committed before is kept" in answer.err
    assert "2 tasks: " in answer.out
    assert "Traceback" not in answer.err
    assert is_sound(archive)


@pytest.mark.parametrize(("option", "most"), [("--json", 20_000), ("--archive", 200_000)])
def test_a_search_for_programs_ends_on_a_full_file_and_goes_on_with_more_room(
    tmp_path: Path, option: str, most: int
) -> None:
    words = ("solve", "arc1/training", "--shard", "1/8", "--steps", 2000, option, tmp_path / "found")
    answer = process(*words, most=most)
    assert answer.code == 2
    assert answer.err.startswith(f"arcbatt: {tmp_path / 'found'}: ")
    assert "Traceback" not in answer.err
    assert "50 tasks: " in answer.out  # what was found is shown
    assert process(*words, "--resume").code == 0
