"""Writes the list of all sources into docs/architecture.md: `python docs/file_list.py`.

The list says of each file what the file's own first sentence says, so nothing about a file stands twice.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
FOLDERS = (ROOT / "core", ROOT / "src" / "arcbatt")
SUFFIXES = {".py", ".h", ".cpp", ".cu"}
WRITTEN_BY_THE_BUILD = {ROOT / "src" / "arcbatt" / "kernel.cu"}
BEGIN, END = "<!-- written by docs/file_list.py -->\n", "<!-- end -->\n"
LIST = re.compile(rf"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
SENTENCE = re.compile(r".+?(?=\.(?:\s|$))", re.DOTALL)


def page_with_list() -> str:
    """The page, with a list of the sources as they are now."""
    files = "\n".join(listed())
    return LIST.sub(lambda _: f"{BEGIN}\n{files}\n{END}", PAGE.read_text("utf-8"))


def listed() -> Iterator[str]:
    """The lines of the list: folders, and below each its files."""
    for folder, files in folders().items():
        about = first_sentence(folder / "__init__.py")
        yield f"**`{folder.relative_to(ROOT).as_posix()}/`** {about}".rstrip() + "\n"
        for file in files:
            yield f"- `{file.name}`: {first_sentence(file)}".rstrip(": ")
        yield ""


def folders() -> dict[Path, list[Path]]:
    """Each folder with sources, an upper one before those in it, and its files."""
    found: dict[Path, list[Path]] = {}
    files = (file for folder in FOLDERS for file in folder.rglob("*"))
    for file in sorted(files, key=lambda file: (file.parent, file.name)):
        if file.suffix in SUFFIXES and file not in WRITTEN_BY_THE_BUILD and file.name != "__init__.py":
            found.setdefault(file.parent, []).append(file)
    return found


def first_sentence(file: Path) -> str:
    """What a file says of itself first: in its docstring or, in C++, in the comment at its top."""
    if not file.exists():
        return ""
    text = file.read_text("utf-8")
    if file.suffix == ".py":
        about = ast.get_docstring(ast.parse(text)) or ""
    else:
        about = " ".join(line.removeprefix("//").strip() for line in comment_at_the_top(text))
    sentence = SENTENCE.match(about)
    return " ".join(sentence[0].split()) if sentence else ""


def comment_at_the_top(text: str) -> Iterator[str]:
    """The lines of the first paragraph of the comment at the top of a C++ file."""
    for line in text.splitlines():
        if not line.startswith("// "):
            return
        yield line


if __name__ == "__main__":
    PAGE.write_text(page_with_list(), encoding="utf-8")
