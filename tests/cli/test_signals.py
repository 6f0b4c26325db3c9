"""SIGTERM and SIGHUP end a command as Ctrl-C does."""

import os
import signal
import subprocess
import sys
import time

import pytest

from support.commands import environment

pytestmark = pytest.mark.skipif(os.name != "posix", reason="these signals are those of POSIX systems")


def test_a_second_signal_ends_at_once() -> None:
    code = """
import time
from arcbatt.signals import ended_by_signals, undisturbed
with ended_by_signals(), undisturbed():
    print("ready", flush=True)
    time.sleep(60)
    print("slept", flush=True)
    time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code], env=environment(), stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"ready\n"
        running.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        assert running.poll() is None
        running.send_signal(signal.SIGTERM)
        assert running.wait(20) == -signal.SIGTERM


def test_work_that_is_not_to_be_disturbed_is_done_first() -> None:
    from arcbatt.signals import ended_by_signals, interrupted_code, undisturbed

    done = []

    def work() -> None:
        with undisturbed():
            signal.raise_signal(signal.SIGTERM)
            done.append("all of it")
        done.append("more")

    with ended_by_signals(), pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["all of it"]
    assert interrupted_code() == 143


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
        time.sleep(1)
        running.send_signal(signal.SIGTERM)
        _, err = running.communicate(timeout=60)
    assert running.returncode == 143
    assert "interrupted" in err
    assert "Traceback" not in err
