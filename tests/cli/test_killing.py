"""Commands that are ended for real, at some moments, and resumed; `support/killing.py` does many by hand."""

import os
import signal
from pathlib import Path

import pytest

from support.killing import BATT, SHORT, Killing

WORDS = SHORT | {
    "run": ["run", "--pairs", "all", "--limit", "10"],
    "run-batt": ["run-batt", "-b", BATT, "-c", "6"],
    "run-batt in workers": ["run-batt", "-b", BATT, "-c", "1", "--backend", "reference"],
}
LONG = {
    "run": ["run", "--pairs", "all", "--backend", "reference", "--limit", "4"],
    "run-batt": ["run-batt", "-b", BATT, "-c", "20", "--backend", "reference"],
    "evolve": ["evolve", "--tasks", "007bbfb7,025d127b,0520fde7", "--steps", "20000", "--beyond", "20000"],
    "solve": ["solve", "arc1/training", "--shard", "1/20", "--steps", "100000", "--leave-out-own"],
}
pytestmark = pytest.mark.skipif(os.name != "posix", reason="these signals are those of POSIX systems")


@pytest.mark.parametrize("name", WORDS)
def test_a_killed_command_resumes_to_the_bytes_of_a_whole_run(tmp_path: Path, name: str) -> None:
    *_, tally = Killing(WORDS[name], tmp_path).check(2, seed=7)
    assert tally.moments == 2
    assert tally.wrong == []


@pytest.mark.parametrize("name", LONG)
def test_after_a_signal_all_files_tell_the_same_and_the_command_goes_on(tmp_path: Path, name: str) -> None:
    killing = Killing(LONG[name], tmp_path)
    assert killing.after_lines(2, [signal.SIGINT, signal.SIGTERM]) == []
