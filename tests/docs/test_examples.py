"""Every page can be followed: its files, commands and examples, one after the other, give what it shows.

A page is followed in a folder of its own, from top to bottom.

| block | what is done with it |
| --- | --- |
| `python` with `>>>` | run as a doctest; all of a page share their names |
| `python` that begins with `# name.py`, any with `title="name"` | written to that file |
| other `python` | run as a script |
| `sh` | run by bash, which stops at the first failure |
| `console` | each command after a `$` run, its output compared, whatever its exit code |
| `text` | compared with what the commands before it have printed |
| no kind, `diff`, `json` | a drawing; nothing is done with it |

`...` stands for any text. Times and paces are not compared. Marks before a block change this:
`<!-- not run: REASON -->`, `<!-- run with: SHOWN -> RUN; ... -->`, `<!-- set up: COMMANDS -->`.
"""

import doctest
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from arcbatt.commands.main import app
from arcbatt.engine.choose import AVAILABLE
from support.commands import environment
from support.pages import PAGES, Block, blocks

DRAWINGS = {"", "diff", "json"}
KINDS = {"python", "sh", "console", "text"} | DRAWINGS
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
INLINE = re.compile(r"`(?:python -m )?arcbatt ([^`]+)`")
TIME = re.compile(r"\d[\d,.]* (s|ms|us|a second|CPU-s|CPU-seconds)\b")
pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


class Follower:
    """A reader who does in a folder what a page says, and notes where it is wrong."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        self.programs = folder / "bin"
        self.programs.mkdir()
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.printed = ""
        self.wrong: list[str] = []
        self._provide("python", f'exec "{sys.executable}" "$@"')
        self._provide("arcbatt", f'exec "{sys.executable}" -m arcbatt "$@"')

    def _provide(self, name: str, line: str) -> None:
        (self.programs / name).write_text(f"#!/bin/sh\n{line}\n", "utf-8")
        (self.programs / name).chmod(0o755)

    def follow(self, block: Block) -> None:
        """Do what a block says."""
        if block.set_up:
            self._execute(block, block.set_up)
        if block.not_run:
            return
        if block.file:
            (self.folder / block.file).write_text(block.runs, "utf-8")
        elif block.kind in DRAWINGS:
            return
        elif block.is_doctest:
            self._converse(block)
        elif block.kind == "python":
            (self.folder / "script_of_the_page.py").write_text(block.runs, "utf-8")
            self._execute(block, "python script_of_the_page.py")
        elif block.kind == "sh":
            self._execute(block, block.runs)
        elif block.kind == "console":
            for command, expected in COMMAND.findall(block.runs):
                self._print(command)
                self._compare(block, expected, self.printed)
        else:
            self._compare(block, f"...{block.runs}...", self.printed)

    def _converse(self, block: Block) -> None:
        examples = doctest.DocTestParser().get_doctest(
            block.runs, self.names, block.place, str(block.page), block.line
        )
        examples.globs = self.names  # the parser has copied them
        report: list[str] = []
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(
            examples, out=report.append, clear_globs=False
        )
        if report:
            self.wrong.append("".join(report))

    def _execute(self, block: Block, script: str) -> None:
        code = self._print(script)
        if code:
            self.wrong.append(f"{block.place}: exit code {code} of\n{script}\n{self.printed[-2000:]}")

    def _print(self, script: str) -> int:
        """Keep what a script prints; its exit code."""
        path = os.pathsep.join([str(self.programs), os.environ["PATH"]])
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self.folder,
            env=environment(PATH=path, COLUMNS="120"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        self.printed = done.stdout
        return done.returncode

    def _compare(self, block: Block, expected: str, shown: str) -> None:
        if not doctest.OutputChecker().check_output(plain(expected), plain(shown), doctest.ELLIPSIS):
            self.wrong.append(f"{block.place}: expected\n{expected}\ngot\n{shown[-4000:]}")


def plain(text: str) -> str:
    """A text without times, and without spaces at the ends of lines.

    >>> plain("done, 0.3 s  ")
    'done, ? s'
    """
    return "\n".join(TIME.sub(r"? \1", line).rstrip() for line in text.split("\n"))


def inline_commands(page: Path) -> Iterator[str]:
    """What stands behind `arcbatt` in the prose of a page."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return (found.replace("\n", " ") for found in INLINE.findall(prose))


@pytest.mark.process
@pytest.mark.skipif(shutil.which("bash") is None, reason="the commands of the pages are for bash")
@pytest.mark.skipif("native" not in AVAILABLE, reason="the pages are written for the compiled core")
@pages
def test_page_can_be_followed(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Follower(tmp_path)
    monkeypatch.chdir(reader.folder)
    for block in blocks(page):
        reader.follow(block)
    assert not reader.wrong, "\n".join(reader.wrong)


LYING = """
```sh
echo one
```

```text
two
```

<!-- run with: true -> false -->
```sh
true
```

```console
$ echo three
four
```

```python
>>> 1 + 1
3
```

```python
raise SystemExit(5)
```

<!-- not run: it would fail -->
```sh
false
```
"""


@pytest.mark.process
@pytest.mark.skipif(shutil.which("bash") is None, reason="the commands of the pages are for bash")
def test_a_page_that_is_not_true_is_found_out(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(LYING, "utf-8")
    reader = Follower(tmp_path)
    for block in blocks(page):
        reader.follow(block)
    places = [re.findall(r"page\.md:\d+", told)[0] for told in reader.wrong]
    assert places == [f"page.md:{line}" for line in (6, 11, 15, 20, 25)]


@pages
def test_every_block_is_of_a_known_kind_and_its_marks_change_something(page: Path) -> None:
    for block in blocks(page):
        assert block.kind in KINDS, block.place
        assert block.is_doctest or block.kind == "diff" or ">>> " not in block.text, (
            f"{block.place} is python, and must say so"
        )
        for shown, _ in block.changes:
            assert shown in block.text, f"{block.place} does not have '{shown}'"


@pages
def test_every_fence_belongs_to_a_block(page: Path) -> None:
    fences = re.findall(r"^ *```", page.read_text("utf-8"), re.MULTILINE)
    assert len(fences) == 2 * len(list(blocks(page)))


@pages
def test_lists_are_indented_by_four_so_that_github_and_the_site_agree(page: Path) -> None:
    text = page.read_text("utf-8")
    assert all(len(margin) % 4 == 0 for margin in re.findall(r"^( *)```", text, re.MULTILINE))
    prose = re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"^ {1,3}(?:[-*]|\d+\.) .*", prose, re.MULTILINE) == []


@pages
def test_every_mark_stands_before_a_block(page: Path) -> None:
    marks = re.findall(r"^ *<!-- (?:not run|run with|set up):", page.read_text("utf-8"), re.MULTILINE)
    kept = [mark for block in blocks(page) for mark in (block.not_run, block.changes, block.set_up) if mark]
    assert len(kept) == len(marks)


def test_few_blocks_are_not_run() -> None:
    every = [block for page in PAGES for block in blocks(page)]
    assert len([block for block in every if block.not_run]) <= 0.12 * len(every)


@pages
def test_commands_in_the_prose_exist_with_their_options(page: Path) -> None:
    known: Any = get_command(app)
    for line in inline_commands(page):
        words = line.split()
        if not re.fullmatch(r"[a-z][a-z-]+", words[0]):  # options of all commands, or `arcbatt ...`
            continue
        command = known.get_command(None, words[0])
        assert command is not None, line
        if len(words) > 1 and words[1] in getattr(command, "commands", {}):
            command = command.commands[words[1]]
        options = {
            name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)
        }
        asked = {word.partition("=")[0] for word in words[1:] if re.match(r"--[a-z]", word)}
        assert asked <= options | {"--help"}, line
