"""The pages of the documentation as blocks of code, with the marks before them that a reader does not see.

`python tests/support/pages.py` lists the blocks that no test runs, with the reasons.
"""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

MARKS = r"(?P<marks>(?:^ *<!--(?:(?!-->).)*-->\n+)*)"
FENCE = r"^(?P<margin> *)```(?P<kind>\w*)(?: title=\"(?P<title>[^\"]+)\")?\n"
BLOCK = re.compile(rf"{MARKS}{FENCE}(?P<text>.*?)^(?P=margin)```$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"<!-- (not run|run with|set up):\s(.*?)\s*-->", re.DOTALL)
FILE = re.compile(r"# ([\w.-]+\.(?:py|dsl))\n")


@dataclass(frozen=True)
class Block:
    """A fenced block: its place, what it is, and what the marks before it say.

    `not_run` is a reason, `changes` are replacements such as a shorter budget, `set_up` are commands.
    """

    page: Path
    line: int
    kind: str
    text: str
    title: str = ""
    not_run: str = ""
    changes: tuple[tuple[str, str], ...] = ()
    set_up: str = ""

    @property
    def place(self) -> str:
        """The page and the line of the opening fence."""
        return f"{self.page.name}:{self.line}"

    @property
    def runs(self) -> str:
        """The text as it is run."""
        text = self.text
        for shown, run in self.changes:
            text = text.replace(shown, run)
        return text

    @property
    def is_doctest(self) -> bool:
        """Whether it is a dialogue with Python."""
        return self.kind == "python" and ">>> " in self.text

    @property
    def file(self) -> str:
        """The name of the file that it is, told by its title or by its first line: `# solvers.py`."""
        named = FILE.match(self.text)
        return self.title or (named[1] if named else "")


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text("utf-8")
    for found in BLOCK.finditer(text):
        marks = dict(MARK.findall(found["marks"]))
        yield Block(
            page,
            text.count("\n", 0, found.end("marks")) + 1,
            found["kind"],
            textwrap.dedent(found["text"]) if found["margin"] else found["text"],
            found["title"] or "",
            not_run=marks.get("not run", ""),
            changes=tuple(_change(part) for part in marks.get("run with", "").split("; ") if part),
            set_up=marks.get("set up", ""),
        )


def _change(words: str) -> tuple[str, str]:
    """A replacement such as `--seconds 600 -> --seconds 2`."""
    shown, arrow, run = words.partition(" -> ")
    assert arrow, f"a mark says '{words}', which is no 'shown -> run'"
    return shown, run


if __name__ == "__main__":
    every = [block for page in PAGES for block in blocks(page) if block.kind not in ("", "diff")]
    left_out = [block for block in every if block.not_run]
    for block in left_out:
        print(f"{block.place}: {block.not_run}")
    print(f"{len(every) - len(left_out)} blocks are run, {len(left_out)} are not")
