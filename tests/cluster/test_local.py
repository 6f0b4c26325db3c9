"""A local cluster: nobody else reaches it, it starts in spite of deaths, and it leaves no files."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from arcbatt.engine.cluster import local, pool
from arcbatt.engine.cluster.pool import ClusterPool
from arcbatt.errors import BackendError
from support.commands import environment
from support.processes import MARK, SOON, in_session, linux, listening, processes, started, until
from support.ray_cluster import RayCluster

pytestmark = linux

BROKER = "engine.cluster.serving"
# Processes that always listen, by words of their command lines; others are checked if they do.
LISTENERS = (
    BROKER,
    "gcs_server",
    "raylet",
    "ray::Dash",
    "ray::Runtime",
    "ray::IDLE",
)
LONG = ("run", "--pairs", "all", "--cluster", "local", "--max-work", "1000000")


@pytest.fixture
def folder(ray: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for temporary files of all processes that a test starts; Ray needs a short path."""
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp") as name:
        monkeypatch.setenv("TMPDIR", name)
        monkeypatch.setattr(tempfile, "tempdir", None)
        yield Path(name)


@pytest.fixture
def mark(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The mark of all processes that a test starts."""
    name = f"{request.node.name}-{os.getpid()}"
    monkeypatch.setenv(MARK, name)
    return name


def listeners(session: int) -> dict[str, list[tuple[str, int]]]:
    """Addresses and ports that the processes of a session listen on, by their command lines."""
    found: dict[str, list[tuple[str, int]]] = {}
    for pid, line in in_session(session).items():
        try:
            found[f"{pid} {line}"] = [(str(address), port) for address, port in listening(pid)]
        except OSError:  # it has just ended
            continue
    return found


def test_a_local_cluster_listens_on_loopback_alone_and_wants_its_token(folder: Path, mark: str) -> None:
    with ClusterPool(time.sleep, "local", lambda _: None) as pool:
        list(pool.map([0.1] * 4))
        assert pool._broker is not None
        session = pool._broker._process.pid

        found: dict[str, list[tuple[str, int]]] = {}

        def all_listen() -> bool:
            found.update(listeners(session))
            return all(any(word in line and some for line, some in found.items()) for word in LISTENERS)

        assert until(all_listen), found
        exposed = {line: some for line, some in found.items() if any(host != "127.0.0.1" for host, _ in some)}
        assert exposed == {}

        variables = Path(f"/proc/{processes(mark, 'gcs_server')[0]}/environ").read_text().split("\0")
        (token,) = [line.partition("=")[2] for line in variables if line.startswith("RAY_AUTH_TOKEN=")]
        assert len(token) == 64
        assert not [line for line in in_session(session).values() if token in line]
        (port,) = next(some for line, some in found.items() if "gcs_server" in line)
        address = f"{port[0]}:{port[1]}"
        assert connects(address, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=token)
        assert not connects(address, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN="0" * 64)


def connects(address: str, **variables: str) -> bool:
    """Whether a process with some variables can use a cluster."""
    code = f"import ray; ray.init({address!r}, logging_level='CRITICAL'); print(len(ray.nodes()))"
    variables |= {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}  # else Ray looks for it on another address
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, env=environment(**variables), capture_output=True, text=True, check=False)
    return done.stdout == "1\n"


def test_each_local_cluster_has_another_token() -> None:
    assert local.local_environment()["RAY_AUTH_TOKEN"] != local.local_environment()["RAY_AUTH_TOKEN"]


def kill_when_seen(mark: str, word: str, times: int) -> Thread:
    """Kill processes that a word is in the command line of, as soon as they are there."""

    def kill() -> None:
        killed: set[int] = set()
        while len(killed) < times and until(lambda: set(processes(mark, word)) - killed):
            for pid in set(processes(mark, word)) - killed:
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)

    thread = Thread(target=kill)
    thread.start()
    return thread


@pytest.mark.parametrize("word", [BROKER, "gcs/gcs_server", "raylet/raylet"])
def test_a_process_that_dies_while_the_cluster_starts_is_started_again(
    folder: Path, mark: str, word: str
) -> None:
    said: list[str] = []
    killing = kill_when_seen(mark, word, 1)
    with ClusterPool(time.sleep, "local", said.append) as pool:
        assert [answer.status for answer in pool.map([0.1] * 4)] == ["ok"] * 4
    killing.join()
    assert len([text for text in said if "the cluster local was not reached: " in text]) == 1, said
    assert until(lambda: not processes(mark))
    assert list(folder.iterdir()) == []


def test_a_cluster_whose_head_always_dies_is_given_up_with_the_last_reason(folder: Path, mark: str) -> None:
    said: list[str] = []
    killing = kill_when_seen(mark, "gcs/gcs_server", pool.STARTS)
    reason = r"Ray cannot be started on this machine: .+; 3 attempts failed"
    with pytest.raises(BackendError, match=reason), ClusterPool(time.sleep, "local", said.append) as given:
        list(given.map([0.1]))
    killing.join()
    assert len(said) == pool.STARTS - 1
    assert until(lambda: not processes(mark))
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("number", [None, signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_leaves_no_file_of_ray_behind(folder: Path, mark: str, number: signal.Signals | None) -> None:
    command = started(*LONG, *(["--limit", "2"] if number is None else []), mark=mark)
    try:
        if number is not None:
            assert until(lambda: processes(mark, "raylet/raylet"))
            assert list(folder.iterdir()) != []
            command.send_signal(number)
        command.communicate(timeout=2 * SOON)
        assert until(lambda: not processes(mark))
        assert until(lambda: list(folder.iterdir()) == []), list(folder.iterdir())
    finally:
        command.kill()


def test_what_killed_processes_leave_goes_with_the_next_start(folder: Path, mark: str) -> None:
    others = [folder / "arcbatt-ray-12345678", folder / "arcbatt-ray-mine"]
    for other in others:  # made by somebody else, who lets all read it or has other files in it
        other.mkdir(mode=0o755)
        (other / "ray").mkdir()
    command = started(*LONG, mark=mark)
    assert until(lambda: processes(mark, "raylet/raylet"))
    (broker,) = processes(mark, BROKER)
    command.kill()
    os.killpg(broker, signal.SIGKILL)  # Ray's agents alone may take a minute to notice
    command.communicate(timeout=SOON)
    assert until(lambda: not in_session(broker)), in_session(broker)
    (left,) = set(folder.iterdir()) - set(others)
    with ClusterPool(time.sleep, "local", lambda _: None) as first:
        first.reach()
        assert not left.exists()
        with ClusterPool(time.sleep, "local", lambda _: None) as second:
            second.reach()  # which leaves the folder of the first alone
        assert [answer.status for answer in first.map([0.1] * 4)] == ["ok"] * 4
    assert sorted(folder.iterdir()) == others


def test_the_files_of_a_cluster_that_somebody_started_stay(cluster: RayCluster) -> None:
    before = set(Path(cluster.session).iterdir())
    with ClusterPool(time.sleep, cluster.address, lambda _: None) as pool:
        list(pool.map([0.1] * 4))
    assert set(Path(cluster.session).iterdir()) >= before


def test_a_long_name_of_the_folder_for_temporary_files_is_no_obstacle(
    ray: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("long" * 20)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    with ClusterPool(time.sleep, "local", lambda _: None) as pool:
        assert [answer.status for answer in pool.map([0.1])] == ["ok"]


def test_a_ray_without_tokens_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "__init__.py").touch()
    (tmp_path / "ray-2.58.1.dist-info").mkdir()
    (tmp_path / "ray-2.58.1.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: ray\nVersion: 2.58.1\n"
    )
    variables = environment()
    variables["PYTHONPATH"] = os.pathsep.join([str(tmp_path), variables["PYTHONPATH"]])
    words = [sys.executable, "-m", "arcbatt", "run", "--limit", "1", "--cluster", "local"]
    done = subprocess.run(words, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "a cluster needs Ray 2.59 or newer" in done.stderr
    assert "this one is 2.58.1" in done.stderr
    assert "Traceback" not in done.stderr
