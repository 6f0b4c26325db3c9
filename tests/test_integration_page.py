"""The guide for owners of old files works as it is written: its files, its commands, what they print."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "integration.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# (\w+\.py)\n")
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def blocks() -> list[tuple[str, str]]:
    """The kind and the text of every block of the page, in order."""
    return BLOCK.findall(PAGE.read_text("utf-8"))


def test_every_block_is_a_file_or_commands() -> None:
    assert {kind for kind, _ in blocks()} == {"python", "console"}
    for kind, text in blocks():
        assert (FILE if kind == "python" else COMMAND).match(text), text


@pytest.mark.skipif(shutil.which("sh") is None, reason="the commands are those of a shell")
def test_the_page_can_be_followed(tmp_path: Path) -> None:
    checker, wrong = doctest.OutputChecker(), []
    for kind, text in blocks():
        if kind == "python":
            name = FILE.match(text)
            assert name is not None
            (tmp_path / name[1]).write_text(text, "utf-8")
            continue
        for command, expected in COMMAND.findall(text):
            shown = output_of(command, tmp_path)
            if not checker.check_output(expected, shown, doctest.ELLIPSIS):
                wrong.append(f"$ {command}\n{shown}instead of\n{expected}")
    assert not wrong, "\n".join(wrong)


def output_of(command: str, folder: Path) -> str:
    """What a command prints, errors included, which ought not to be."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "COLUMNS": "120"}
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr
