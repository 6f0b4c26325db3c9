"""A command as the tests see it: what it printed, its exit code, and the environment it runs in."""

import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import arcbatt

# What would colour or fold the output.
UNWANTED = ("FORCE_COLOR", "NO_COLOR", "COLUMNS")

Write = Callable[[str, str | bytes], Path]


@dataclass(frozen=True)
class Answer:
    """What a command printed and its exit code."""

    code: int
    out: str
    err: str


Command = Callable[..., Answer]


def environment(**changes: str) -> dict[str, str]:
    """Ours, without what is unwanted, and with the package within reach."""
    kept = {name: value for name, value in os.environ.items() if name not in UNWANTED}
    return kept | {"PYTHONPATH": str(Path(arcbatt.__file__).parents[1])} | changes


def interrupt(process: subprocess.Popen[str], seconds: float = 60) -> tuple[str, str]:
    """Press Ctrl-C, and give what the process prints until it ends, which must be soon."""
    process.send_signal(signal.SIGINT)
    try:
        return process.communicate(timeout=seconds)
    finally:
        process.kill()


def end_session(process: subprocess.Popen[str]) -> None:
    """Kill a process that has a session of its own, and all processes that it has started there."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
