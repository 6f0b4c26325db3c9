"""The commands of the page on long runs do what it says."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.commands import environment

PAGE = Path(__file__).parents[1] / "docs" / "runs.md"
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAMS = "def solve_67a3c6ac(I): return vmirror(I)\ndef solve_00d62c1b(I): return rot90(I)\n"


def commands() -> list[str]:
    """The commands of the page, without their comments; those of shards for each shard."""
    lines = [
        line.partition("  #")[0] for block in BLOCK.findall(PAGE.read_text()) for line in block.splitlines()
    ]
    for line in [line for line in lines if "--shard 1/3" in line]:
        place = lines.index(line) + 1
        lines[place:place] = [line.replace("1/3", f"{k}/3").replace("1.", f"{k}.") for k in (2, 3)]
    return [line for line in lines if line.startswith(("arcbatt", "cat"))]


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_the_commands_of_the_page_work(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PROGRAMS)
    found = commands()
    assert len(found) == 10
    script = "\n".join(["set -e", f'arcbatt() {{ "{sys.executable}" -m arcbatt "$@"; }}', *found])
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "solved" in done.stdout
    *whole, _ = (tmp_path / "results.jsonl").read_text().splitlines()
    *joined, summary = (tmp_path / "all.jsonl").read_text().splitlines()
    assert joined == whole
    assert json.loads(summary)["summary"]["tasks"] == 400


def test_the_line_of_the_page_has_the_fields_of_a_line(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PROGRAMS)
    command = [sys.executable, "-m", "arcbatt", "run", "mine.py", "--tasks", "67a3c6ac", "--json", "-"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True
    )
    written = json.loads(done.stdout.splitlines()[0])
    shown = json.loads(PAGE.read_text().partition("```\n{")[2].partition("```")[0].join(["{", ""]))
    assert list(shown) == list(written)
    assert {**shown, "key": ""} == {**written, "key": ""}
