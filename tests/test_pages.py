"""The pages of the documentation lead where they say: links to pages and headings, names of source files."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG", "AGENTS", "SECURITY")),
    *(ROOT / "docs").glob("*.md"),
]
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
SOURCE = re.compile(r"`((?!solve_)[\w./-]+/[\w.-]+\.(?:py|h|cpp|cu|ipynb))`")
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
TO_BE_MADE = re.compile(r"tests/dsl/test_\w+_ops\.py")  # the cases of a group of ops, if it has none yet
BASES = [ROOT, ROOT / "core", ROOT / "src" / "arcbatt"]
pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def anchors(page: Path) -> set[str]:
    """The anchors that a page has: its headings in lower case, with hyphens and without punctuation."""
    headings = HEADING.findall(page.read_text("utf-8"))
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pages
def test_links_lead_to_pages_and_headings_that_exist(page: Path) -> None:
    for path, anchor in LINK.findall(CODE.sub("", page.read_text("utf-8"))):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), f"{path}#{anchor}"


@pages
def test_source_files_that_a_page_names_exist(page: Path) -> None:
    named = SOURCE.findall(page.read_text("utf-8"))
    missing = [name for name in named if not any((base / name).exists() for base in BASES)]
    assert [name for name in missing if not TO_BE_MADE.fullmatch(name)] == []
