"""SIGTERM and SIGHUP end a command as Ctrl-C does."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arcbatt.signals import REPEATED
from support.commands import Command, Write, environment
from support.processes import wait_until, wait_until_at_work

pytestmark = pytest.mark.skipif(os.name != "posix", reason="these signals are those of POSIX systems")
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
# Takes a moment on a grid of one cell, and minutes on a large one.
ENDLESS = "def solve_endless(I):\n    x0 = asindices(I)\n" + "".join(
    f"    x{k} = shift(x{k - 1}, UNITY)\n"
    f"    y{k} = apply(compose(size, lbind(shift, x{k})), x0)\n"
    f"    z{k} = combine(y{k}, {f'z{k - 1}' if k > 1 else 'y1'})\n"
    for k in range(1, 400)
)


@pytest.fixture
def work(write: Write) -> list[str]:
    """A run whose first task is done at once, and whose second is not done soon."""
    program = write("endless.py", f"{ENDLESS}    return z399\n")
    for name, side in (("a", 1), ("b", 30)):
        grid = [[1] * side] * side
        content = {"train": [{"input": grid, "output": grid}], "test": []}
        tasks = write(f"tasks/{name}.json", json.dumps(content)).parent
    return ["run", str(program), "--tasks", str(tasks), "--pairs", "all", "--backend", "reference"]


def started(words: list[str], file: Path, awaited: bytes = b"") -> "subprocess.Popen[str]":
    """The command, after it has written its first result, or the one that is waited for."""
    running = subprocess.Popen(
        [sys.executable, "-m", "arcbatt", *words],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )

    def is_written() -> bool:
        content = file.read_bytes() if file.exists() else b""
        return content.endswith(b"\n") and awaited in content

    wait_until(running, is_written)
    return running


def processes_of(session: int) -> list[int]:
    """The processes of a session that have not ended."""
    listed = subprocess.run(["ps", "-e", "-o", "pid=,sid=,stat="], capture_output=True, text=True, check=True)
    rows = [line.split() for line in listed.stdout.splitlines()]
    return [int(pid) for pid, owner, state in rows if int(owner) == session and not state.startswith("Z")]


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_a_run_and_what_was_done_is_there(
    work: list[str], tmp_path: Path, number: signal.Signals
) -> None:
    file = tmp_path / "results.jsonl"
    with started([*work, "--json", str(file)], file) as running:
        running.send_signal(number)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 128 + number
    assert err == "arcbatt: interrupted; this is what was done by then\n"
    assert "1 program on 1 task" in out
    outcome, last = map(json.loads, file.read_text().splitlines())
    assert (outcome["task"], last["summary"]["interrupted"]) == ("a", True)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_to_all_processes_of_a_batt_in_workers_leaves_none(
    cli: Command, tmp_path: Path, number: signal.Signals
) -> None:
    batt, file = tmp_path / "batt.py", tmp_path / "results.jsonl"
    assert cli("card", "-c", 3, "-f", batt, "-fs", "-fd").code == 0
    words = ["run-batt", "-b", str(batt), "--backend", "reference", "--json", str(file)]
    with started(words, file) as running:
        os.killpg(running.pid, number)  # as a terminal, a batch system or a service manager does
        _, err = running.communicate(timeout=60)
    assert running.returncode == 128 + number
    assert "interrupted" in err
    assert processes_of(running.pid) == []
    *outcomes, last = map(json.loads, file.read_text().splitlines())
    assert outcomes
    assert last["summary"]["interrupted"] is True
    assert not any("lost" in outcome for outcome in outcomes)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_comes_twice_in_a_moment_is_one(
    write: Write, tmp_path: Path, number: signal.Signals
) -> None:
    seeds = write("seeds.py", "def solve_67a3c6ac(I):\n    return vmirror(I)\n")
    lines, winners = tmp_path / "lines.jsonl", tmp_path / "winners.py"
    words = ["evolve", str(seeds), "--tasks", "67a3c6ac,00d62c1b", "--steps", str(10**9)]
    with started([*words, "--json", str(lines), "--out", str(winners)], lines, b"67a3c6ac") as running:
        running.send_signal(number)
        time.sleep(0.05)  # sleeps: for less than the time within which a signal counts as repeated
        running.send_signal(number)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 128 + number
    assert "interrupted; this is what was done by then" in err
    assert "67a3c6ac" in out
    assert winners.read_text().startswith("def solve_67a3c6ac(I):")
    assert processes_of(running.pid) == []


def test_a_second_signal_ends_at_once() -> None:
    code = """
import time
from arcbatt.signals import ended_by_signals, defer_interrupts
with ended_by_signals(), defer_interrupts():
    print("ready", flush=True)
    time.sleep(60)  # sleeps: as work that is not to be disturbed
    print("slept", flush=True)
    time.sleep(60)  # sleeps: as more of it
"""
    with subprocess.Popen([sys.executable, "-c", code], env=environment(), stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"ready\n"
        running.send_signal(signal.SIGTERM)
        time.sleep(REPEATED + 0.2)  # sleeps: for longer than a signal counts as repeated
        assert running.poll() is None
        running.send_signal(signal.SIGTERM)
        assert running.wait(20) == -signal.SIGTERM


def test_work_that_is_not_to_be_disturbed_is_done_first() -> None:
    from arcbatt.signals import defer_interrupts, ended_by_signals, interrupted_code

    done = []

    def work() -> None:
        with defer_interrupts():
            signal.raise_signal(signal.SIGTERM)
            done.append("all of it")
        done.append("more")

    with ended_by_signals(), pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["all of it"]
    assert interrupted_code() == 143


class Closing:
    """Gets a signal while Python runs its finalizer, where no exception gets out."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGTERM)


def test_a_signal_that_comes_in_a_finalizer_is_not_lost(capfd: pytest.CaptureFixture[str]) -> None:
    from arcbatt.engine.running.worker_pool import WorkerPool
    from arcbatt.signals import ended_by_signals, raise_pending_interrupt

    with ended_by_signals():
        Closing()
        with pytest.raises(KeyboardInterrupt):
            raise_pending_interrupt()
        raise_pending_interrupt()
    with ended_by_signals(), WorkerPool(str, 1) as pool:
        Closing()
        with pytest.raises(KeyboardInterrupt):
            list(pool.map([1]))
    assert capfd.readouterr().err == ""


def test_an_import_that_is_interrupted_ends_in_a_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import arcbatt.commands.main
    from arcbatt.__main__ import main

    def interrupted() -> None:
        raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()

    monkeypatch.setattr(arcbatt.commands.main, "main", interrupted)
    with pytest.raises(SystemExit, match="130"):
        main()
    assert capsys.readouterr().err == "arcbatt: interrupted\n"


INTERRUPTED_IN_EXEC = """
import arcbatt.commands.main
from arcbatt.__main__ import main

def interrupted():
    try:
        exec("raise KeyboardInterrupt")
    except KeyboardInterrupt:
        raise SystemExit(143)

arcbatt.commands.main.main = interrupted
main()
"""


def test_a_signal_that_comes_while_a_dataclass_is_made_ends_with_its_code(write: Write) -> None:
    folder = write("command.py", INTERRUPTED_IN_EXEC).parent
    done = subprocess.run([sys.executable, "-m", "command"], env=environment(), cwd=folder, check=False)
    assert done.returncode == 143


def test_a_signal_that_is_ignored_stays_so() -> None:
    from arcbatt.signals import ended_by_signals

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ended_by_signals():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_hangup_that_comes_twice_is_one() -> None:
    from arcbatt.signals import ended_by_signals, interrupted_code

    with ended_by_signals():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGHUP)
    assert interrupted_code() == 129


@pytest.mark.parametrize("command", ["fuzz --seconds 60", "bench", "profile --pairs all --backend reference"])
def test_every_command_ends_by_sigterm(command: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "arcbatt", *command.split()],
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        wait_until_at_work(running, 0.5)
        running.send_signal(signal.SIGTERM)
        _, err = running.communicate(timeout=60)
    assert running.returncode == 143
    assert "interrupted" in err
    assert "Traceback" not in err
