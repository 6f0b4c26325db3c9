"""The command line in this process and in one of its own, and some program files."""

import subprocess
import sys
from pathlib import Path

import pytest

from arcbatt.commands.main import main
from support.commands import UNWANTED, Answer, Command, Write, environment

SOLVERS = """
from arc_dsl import *

def solve_007bbfb7(I):
    x1 = hconcat(I, I)
    x2 = hconcat(x1, I)
    x3 = vconcat(x2, x2)
    x4 = vconcat(x3, x2)
    x5 = upscale(I, THREE)
    O = cellwise(x5, x4, ZERO)
    return O

def solve_00d62c1b(I):
    return hmirror(I)

def solve_017c7c7b(I):
    return divide(height(I), ZERO)

def turn(I):
    return rot90(I)
"""


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs a command in this process."""
    for name in UNWANTED:
        monkeypatch.delenv(name, raising=False)

    def run(*words: object) -> Answer:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        printed = capsys.readouterr()
        return Answer(int(ended.value.code or 0), printed.out, printed.err)

    return run


@pytest.fixture
def process(tmp_path: Path) -> Command:
    """Runs a command in a process of its own, in an empty folder."""
    folder = tmp_path / "here"
    folder.mkdir()

    def run(*words: object, **changes: str) -> Answer:
        command = [sys.executable, "-m", "arcbatt", *map(str, words)]
        env = environment(**changes)
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
        return Answer(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file and gives its path."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def solvers(write: Write) -> Path:
    """A file with a solver that solves, one that does not, one that fails and one without a task."""
    return write("solvers.py", SOLVERS)
