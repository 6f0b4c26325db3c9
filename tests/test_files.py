"""Files: regular ones are read within a bound; what is written appears whole, synced, with its mode."""

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.files import (
    SURELY_LOCKED,
    LineFile,
    UnreadableFile,
    content_of_file,
    require_writable,
    whole_file,
    write_whole,
)
from arcbatt.tasks.submission import write_submission

READERS: dict[str, Callable[[Path], object]] = {
    "programs": ab.load_programs,
    "batt": ab.load_batt,
    "tasks": ab.load_tasks,
    "archive": ab.Archive,
}
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")


@needs_pipes
@pytest.mark.parametrize("reader", READERS)
def test_a_pipe_that_nobody_writes_to_is_refused_at_once(tmp_path: Path, reader: str) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    with pytest.raises(ab.ArcbattError, match=r"regular file|neither a file nor a folder"):
        READERS[reader](pipe)


@needs_pipes
def test_a_pipe_in_place_of_solutions_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "a_challenges.json").write_text(
        '{"x": {"train": [{"input": [[1]], "output": [[1]]}], "test": []}}'
    )
    os.mkfifo(tmp_path / "a_solutions.json")
    with pytest.raises(ab.ArcbattError, match="regular file"):
        ab.load_tasks(tmp_path / "a_challenges.json")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no /dev/zero here")
@pytest.mark.parametrize("reader", READERS)
def test_an_endless_device_behind_a_link_is_refused(tmp_path: Path, reader: str) -> None:
    link = tmp_path / "endless.json"
    link.symlink_to("/dev/zero")
    with pytest.raises(ab.ArcbattError, match=r"regular file|neither a file nor a folder"):
        READERS[reader](link)


def test_a_file_is_read_to_its_bound_and_no_further(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    assert content_of_file(file, 5) == b"12345"
    with pytest.raises(UnreadableFile, match="it has 5 bytes, and 4 are read at most"):
        content_of_file(file, 4)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="there is no /proc here")
def test_a_file_that_says_it_is_empty_is_bounded_too() -> None:
    assert Path("/proc/self/maps").stat().st_size == 0
    with pytest.raises(UnreadableFile, match="and 10 are read at most"):
        content_of_file("/proc/self/maps", 10)


def test_a_rewritten_file_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "file"
    for mode in (0o600, 0o644, 0o755):
        file.touch()
        file.chmod(mode)
        with whole_file(str(file)) as out:
            out.write("new")
        assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("new", mode)
    submission = tmp_path / "submission.json"
    submission.touch()
    submission.chmod(0o600)
    write_submission(submission, {}, ab.load_tasks("00d62c1b"))
    assert stat.S_IMODE(submission.stat().st_mode) == 0o600


def test_content_is_on_the_disk_before_it_replaces_the_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    sync, replace = os.fsync, Path.replace

    def noted_sync(descriptor: int) -> None:
        steps.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        sync(descriptor)

    def noted_replace(self: Path, target: Path) -> Path:
        steps.append("replace")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(Path, "replace", noted_replace)
    write_whole(str(tmp_path / "file"), b"content")
    assert steps == ["file", "replace", "folder"]


KILLED = """
import os, sys
from arcbatt.files import whole_file
with whole_file(sys.argv[1]) as file:
    file.write("half")
    file.flush()
    os.kill(os.getpid(), 9)
"""


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="no such kill here")
def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path: Path) -> None:
    file = tmp_path / "file"
    subprocess.run([sys.executable, "-c", KILLED, str(file)], check=False, timeout=60)
    (left,) = tmp_path.iterdir()
    assert left.name.endswith(".partial")
    os.utime(left, (0, left.stat().st_mtime - 2 * SURELY_LOCKED))
    with whole_file(str(file)) as out:
        out.write("whole")
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_a_file_that_is_being_written_is_not_removed(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with whole_file(str(file)) as slow:
        slow.write("slow")
        slow.flush()
        (partial,) = tmp_path.iterdir()
        os.utime(partial, (0, partial.stat().st_mtime - 2 * SURELY_LOCKED))
        with whole_file(str(file)) as fast:
            fast.write("fast")
        assert partial.exists()
    assert file.read_text() == "slow"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_lines_are_in_the_file_as_soon_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    file = LineFile(str(path))
    assert not path.exists()
    file.write(b"one\n")
    assert path.read_bytes() == b"one\n"
    file.write(b"two\nthree\n")
    assert path.read_bytes() == b"one\ntwo\nthree\n"
    file.close()
    assert [each.name for each in tmp_path.iterdir()] == ["lines"]


def test_an_older_file_stays_until_there_are_lines_and_gives_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text("old")
    path.chmod(0o640)
    LineFile(str(path)).close()
    assert path.read_text() == "old"
    file = LineFile(str(path))
    file.write(b"new\n")
    file.close()
    assert path.read_text() == "new\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [each.name for each in tmp_path.iterdir()] == ["lines"]


def test_lines_go_on_behind_those_that_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\ntw")
    file = LineFile(str(path), kept=4)
    file.write(b"two\n")
    file.close()
    assert path.read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize(("replaced", "what"), [(False, "removed"), (True, "replaced by another file")])
def test_a_file_that_vanished_is_not_written_any_more(tmp_path: Path, replaced: bool, what: str) -> None:
    path = tmp_path / "lines"
    file = LineFile(str(path))
    file.write(b"one\n")
    path.rename(tmp_path / "elsewhere")
    if replaced:
        path.write_text("another")
    with pytest.raises(ab.ArcbattError, match=f"lines: was {what} while results were written"):
        file.write(b"two\n")
    with pytest.raises(ab.ArcbattError, match=what):
        file.close()
    assert (tmp_path / "elsewhere").read_bytes() == b"one\n"


def test_a_link_stays_a_link_to_the_file_of_lines(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    file = LineFile(str(link))
    file.write(b"new\n")
    file.close()
    assert link.is_symlink()
    assert target.read_text() == "new\n"


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no sockets in folders here")
def test_a_socket_is_no_file_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket may not be long
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("here")
        with pytest.raises(
            ab.ArcbattError, match=r"^here: expected a file that can be written; name another$"
        ):
            require_writable("here")


def test_a_name_that_is_too_long_is_refused_before_the_work() -> None:
    with pytest.raises(ab.ArcbattError, match="cannot be written: File name too long"):
        require_writable("x" * 300)
