"""The commands on the page of a night's run do what the page says."""

import re
from pathlib import Path

import pytest

from support.commands import Command

PAGE = (Path(__file__).parents[2] / "docs" / "a-nights-run.md").read_text("utf-8")
BLOCKS = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_commands_of_the_page_run(cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (seeds,) = (text for kind, text in BLOCKS.findall(PAGE) if kind == "python")
    Path("seeds.py").write_text(seeds, "utf-8")
    said = ""
    for kind, text in BLOCKS.findall(PAGE):
        for line in text.splitlines() if kind == "sh" else []:
            answer = cli(*line.split()[1:])
            assert answer.code == 0, (line, answer.err)
            said += answer.out
    for expected in ("67a3c6ac  solve_67a3c6ac~f75ff8  3/3   1/1   yes", "now vconcat(I, hmirror(I))"):
        assert expected in PAGE
        assert expected in said
    assert Path("winners.py").exists()
