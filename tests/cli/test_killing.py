"""Commands that are killed for real, at some moments, and resumed; `support/killing.py` does many by hand."""

import os
from pathlib import Path

import pytest

from support.killing import BATT, SHORT, Killing

WORDS = SHORT | {
    "run": ["run", "--pairs", "all", "--limit", "10"],
    "run-batt": ["run-batt", "-b", BATT, "-c", "6"],
    "run-batt in workers": ["run-batt", "-b", BATT, "-c", "1", "--backend", "reference"],
}


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is of POSIX systems")
@pytest.mark.parametrize("name", WORDS)
def test_a_killed_command_resumes_to_the_bytes_of_a_whole_run(tmp_path: Path, name: str) -> None:
    *_, tally = Killing(WORDS[name], tmp_path).check(2, seed=7)
    assert tally.moments == 2
    assert tally.wrong == []
