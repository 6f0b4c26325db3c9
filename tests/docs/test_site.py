"""The site that mkdocs builds from the pages: without a warning, complete, and without the network."""

import doctest
import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from arcbatt.dsl.table import TABLE
from support.browser import browser as browser
from support.commands import environment
from support.pages import ROOT

LOADED = {"script": "src", "img": "src", "source": "src", "iframe": "src", "link": "href", "object": "data"}
NOT_LOADED = {"canonical", "next", "prev", "alternate"}  # kinds of <link> that a browser does not fetch


@dataclass
class Html(HTMLParser):
    """What a page links to, loads and can be linked to."""

    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    undescribed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag in LOADED and LOADED[tag] in values and values.get("rel") not in NOT_LOADED:
            self.loads.append(values[LOADED[tag]])
        if tag == "img" and not values.get("alt"):
            self.undescribed.append(values.get("src", ""))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site; a warning of mkdocs is a failure."""
    pytest.importorskip("mkdocs", reason="mkdocs is not installed: pip install '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment(NO_MKDOCS_2_WARNING="1"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr  # strict: with a warning it is 1
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Html]:
    """The pages of the site, read."""
    found = {file: Html() for file in sorted(site.rglob("*.html")) if file.name != "404.html"}
    for file, page in found.items():
        page.feed(file.read_text("utf-8"))
    return found


class Silent(SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    """Where a server on this machine has the site."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(site))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def is_external(address: str) -> bool:
    """Whether an address leads out of the site."""
    return bool(urlsplit(address).scheme or urlsplit(address).netloc)


def test_every_page_of_the_documentation_is_on_the_site(site: Path) -> None:
    written = {page.stem for page in (ROOT / "docs").glob("*.md")}
    assert written | {"index", "ops", "contributing", "changelog", "security"} == {
        page.stem for page in site.glob("*.html")
    } - {"404"}


def test_links_lead_to_pages_and_anchors_of_the_site(pages: dict[Path, Html]) -> None:
    lost = []
    for file, page in pages.items():
        for link in page.links:
            if is_external(link):
                continue
            parts = urlsplit(link)
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            anchors = pages[target].anchors if target in pages else set()
            if not target.is_file() or (parts.fragment and unquote(parts.fragment) not in anchors):
                lost.append(f"{file.name}: {link}")
    assert lost == []


def test_everything_that_a_page_loads_is_a_file_of_the_site(site: Path, pages: dict[Path, Html]) -> None:
    for file, page in pages.items():
        for address in page.loads:
            assert not is_external(address), f"{file.name} asks the network: {address}"
            assert (file.parent / unquote(urlsplit(address).path)).is_file(), f"{file.name}: {address}"
    for style in site.rglob("*.css"):
        assert not re.search(r"""(?:url\(|@import )\s*["']?(?:https?:)?//""", style.read_text("utf-8")), style


def test_every_picture_is_described(pages: dict[Path, Html]) -> None:
    assert {file.name: page.undescribed for file, page in pages.items() if page.undescribed} == {}


def test_every_op_has_a_place(site: Path, pages: dict[Path, Html]) -> None:
    assert set(TABLE) <= pages[site / "ops.html"].anchors


def test_neither_marks_nor_fences_can_be_seen(site: Path) -> None:
    for file in site.glob("*.html"):
        seen = re.sub(r"<!--.*?-->|<code.*?</code>", "", file.read_text("utf-8"), flags=re.DOTALL)
        assert not re.search("not run:|run with:|set up:|```", seen), file.name


def test_examples_of_the_hooks_give_what_they_show() -> None:
    pytest.importorskip("mkdocs", reason="mkdocs is not installed: pip install '.[docs]'")
    spec = importlib.util.spec_from_file_location("pages", ROOT / "docs" / "pages.py")
    assert spec is not None
    assert spec.loader is not None
    hooks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hooks)
    assert doctest.testmod(hooks) == (0, 1)


@pytest.mark.parametrize("page", ["index", "tutorial", "ops"])
def test_a_browser_asks_no_other_machine_and_a_phone_shows_all(browser: Any, address: str, page: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    opened = context.new_page()
    asked: list[str] = []
    told: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))
    opened.on("console", lambda message: told.append(message.text))
    opened.goto(f"{address}{page}.html", wait_until="networkidle")
    wide = opened.evaluate("document.documentElement.scrollWidth - innerWidth")
    context.close()
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []
    assert told == []
    assert wide == 0
