"""Commands that are killed for real, at some moments, and resumed; `support/killing.py` does many by hand."""

import os
from pathlib import Path

import pytest

from support.killing import BATT, EVOLVE, IN_STEP, Killing

WORDS = {
    "run": ["run", "--pairs", "all", "--limit", "10"],
    "evolve": [*EVOLVE, "--steps", "2500", "--beyond", "2500", "--differs", "library"],
    "evolve, islands in step": [*EVOLVE, *IN_STEP, "--steps", "2500", "--beyond", "2500"],
    "run-batt": ["run-batt", "-b", BATT, "-c", "6"],
    "solve": ["solve", "arc1/training", "--shard", "1/20", "--steps", "20000", "--leave-out-own"],
    "run-batt in workers": ["run-batt", "-b", BATT, "-c", "1", "--backend", "reference"],
}


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is of POSIX systems")
@pytest.mark.parametrize("name", WORDS)
def test_a_killed_command_resumes_to_the_bytes_of_a_whole_run(tmp_path: Path, name: str) -> None:
    *_, tally = Killing(WORDS[name], tmp_path).check(2, seed=7)
    assert tally.moments == 2
    assert tally.wrong == []
