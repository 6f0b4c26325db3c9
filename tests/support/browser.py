"""A headless Chromium for tests of pages; without one they are skipped with a sentence."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium() -> str | None:
    """The path of a Chromium, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser for the tests of a module. It has an event loop, which other modules may not meet."""
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed; pip install it")
    path = chromium()
    if path is None:
        pytest.skip("there is no Chromium here; Debian's package is called chromium")
    with driver.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield started
        started.close()


Open = Callable[..., Any]


@pytest.fixture
def open_page(browser: Any) -> Iterator[Open]:
    """Opens a file in a new window, without a network; errors on the console fail the test."""
    contexts: list[Any] = []
    errors: list[str] = []

    def opened(file: Path, hash: str = "", width: int = 1280, height: int = 900, **settings: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": height}, offline=True, **settings)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{file.as_uri()}{hash}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []
