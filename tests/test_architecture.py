"""The page on the architecture names every file, and the walks that it takes through them stay short."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
TREE = re.compile(r"^```\n((?:src/arcbatt|core)/\n.*?)^```$", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"( *)((?:[\w./]+(?: |$))+)")
STEP = re.compile(r"^\d+\. `([\w/.<>]+)`", re.MULTILINE)
SUFFIXES = {".py", ".h", ".cpp", ".cu"}


def named(tree: str) -> Iterator[str]:
    """The files that a tree names, as paths: folders end in a slash, what stands below them is indented."""
    folders: list[str] = []
    for line in tree.splitlines():
        match = LINE.match(line)
        assert match is not None, line
        depth = len(match[1]) // 2
        for word in match[2].split():
            if word.endswith("/"):
                folders[depth:] = [word]
            elif Path(word).suffix in SUFFIXES:
                yield "".join(folders[:depth]) + word
            elif word in SUFFIXES:  # `warp.h .cpp`
                raise AssertionError(f"{line}: name the file in full")


def there(folder: str) -> set[str]:
    """The sources below a folder, but for `__init__.py`."""
    files = (file.relative_to(ROOT).as_posix() for file in (ROOT / folder).rglob("*"))
    return {file for file in files if Path(file).suffix in SUFFIXES and not file.endswith("__init__.py")}


def walk(title: str) -> list[str]:
    """The files of the numbered list below a title."""
    return STEP.findall(PAGE.split(f"### {title}\n")[1].split("\n#")[0])


def test_every_file_is_named_once() -> None:
    files = [file for tree in TREE.findall(PAGE) for file in named(tree)]
    generated = {"src/arcbatt/kernel.cu"}
    assert sorted(files) == sorted((there("src/arcbatt") | there("core")) - generated)


def test_folders_stay_small() -> None:
    sizes: dict[str, int] = {}
    for file in there("src/arcbatt") | there("core"):
        folder = file.rpartition("/")[0]
        sizes[folder] = sizes.get(folder, 0) + 1
    # An op is found by its subject, a command by its name, and an old module by the name that files import.
    by_subject = {"src/arcbatt/dsl/ops", "core/ops", "src/arcbatt/commands", "src/arcbatt/compat"}
    assert {folder: size for folder, size in sizes.items() if size > 13 and folder not in by_subject} == {}


def test_walks_are_short_and_go_through_files_that_are_there() -> None:
    run, batt = walk("`arcbatt run`"), walk("`arcbatt run-batt`")
    assert len(run) <= 20
    assert len(batt) <= 5
    for file in (*run, *batt):
        assert (ROOT / file.replace("<subject>", "numbers")).is_file(), file
