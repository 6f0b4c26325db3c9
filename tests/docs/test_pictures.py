"""The pictures of the pages show what the engine gives today, and each is shown and described."""

import re
import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
PICTURE = re.compile(r"!\[(.+)\]\(pictures/(\w+\.svg)\)")


def test_pictures_are_those_that_the_engine_gives() -> None:
    drawn = dict(runpy.run_path(str(DOCS / "pictures" / "draw.py"))["drawings"]())
    kept = {file.name: file.read_text("utf-8") for file in (DOCS / "pictures").glob("*.svg")}
    assert drawn == kept


def test_every_picture_stands_on_a_page_with_a_description() -> None:
    pages = [page.read_text("utf-8") for page in DOCS.glob("*.md")]
    shown = {name for page in pages for _, name in PICTURE.findall(page)}
    assert shown == {file.name for file in (DOCS / "pictures").glob("*.svg")}
