"""The page on the architecture lists every file, and the walks that it takes through them stay short."""

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILE_LIST = runpy.run_path(str(ROOT / "docs" / "file_list.py"))
PAGE = FILE_LIST["PAGE"].read_text("utf-8")
STEP = re.compile(r"^\d+\. `([\w/.<>]+)`", re.MULTILINE)


def walk(title: str) -> list[str]:
    """The files of the numbered list below a title."""
    return STEP.findall(PAGE.split(f"### {title}\n")[1].split("\n#")[0])


def test_page_lists_the_files_that_are_there() -> None:
    assert FILE_LIST["page_with_list"]() == PAGE, "run: python docs/file_list.py"


def test_every_file_says_what_it_is_for() -> None:
    files = [file for files in FILE_LIST["folders"]().values() for file in files]
    silent = [str(file) for file in files if not FILE_LIST["first_sentence"](file)]
    assert silent == [str(ROOT / "core" / "search" / "search.cpp")]  # its header says it


def test_every_folder_of_the_core_is_in_the_table() -> None:
    table = set(re.findall(r"^\| `(\w+)/`", PAGE, re.MULTILINE))
    assert table == {folder.name for folder in (ROOT / "core").iterdir() if folder.is_dir()} - {"__pycache__"}


def test_walks_are_short_and_go_through_files_that_are_there() -> None:
    run, batt = walk("`arcbatt run`"), walk("`arcbatt run-batt`")
    assert len(run) <= 20
    assert len(batt) <= 5
    for file in (*run, *batt):
        assert (ROOT / file.replace("<subject>", "numbers")).is_file(), file
