"""The job script for SLURM: its shards, merged, export the bytes of one run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.commands import environment

SCRIPT = Path(__file__).parents[2] / "examples" / "slurm-shards.sh"
WORDS = ("run", "--pairs", "all", "--limit", "7")

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the script is one of a POSIX shell")


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A search path on which `arcbatt` is the package under test."""
    command = tmp_path / "bin" / "arcbatt"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m arcbatt "$@"\n', "utf-8")
    command.chmod(0o755)
    return f"{command.parent}{os.pathsep}{os.environ['PATH']}"


def arcbatt(folder: Path, *words: str) -> None:
    line = [sys.executable, "-m", "arcbatt", *words]
    subprocess.run(line, cwd=folder, env=environment(), check=True, capture_output=True)


def test_shards_of_the_job_script_merge_to_one_run(tmp_path: Path, path: str) -> None:
    arcbatt(tmp_path, *WORDS, "--archive", "whole.db")
    for number in ("1", "2", "3", "2"):  # the second one is requeued
        variables = {"SLURM_ARRAY_TASK_ID": number, "SLURM_ARRAY_TASK_COUNT": "3", "PATH": path}
        words = ["bash", SCRIPT, "shards", *WORDS]
        subprocess.run(words, cwd=tmp_path, env=environment(**variables), check=True, capture_output=True)
    shards = sorted(file.name for file in (tmp_path / "shards").glob("*.db"))
    assert shards == [f"shard-{number}-of-3.db" for number in (1, 2, 3)]
    arcbatt(tmp_path, "archive", "merge", "merged.db", *(f"shards/{name}" for name in shards))
    for name in ("whole", "merged"):
        arcbatt(tmp_path, "archive", "export", f"{name}.db", f"{name}.export")
    assert (tmp_path / "merged.export").read_bytes() == (tmp_path / "whole.export").read_bytes()


def test_the_job_script_says_that_it_wants_an_array(tmp_path: Path) -> None:
    words = ["bash", SCRIPT, "shards", "run"]
    done = subprocess.run(words, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "run it as an array: sbatch --array=1-20" in done.stderr
