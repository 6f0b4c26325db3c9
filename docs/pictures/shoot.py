"""Makes the screenshots of docs/report.md anew: python docs/pictures/shoot.py

It needs the extra `test` and a Chromium on the path.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from playwright.sync_api import Browser, sync_playwright

import arcbatt as ab
from arcbatt.library import load_library

HERE = Path(__file__).parent
sys.path.append(str(HERE.parents[1] / "tests"))

from support.browser import ARGUMENTS, chromium  # noqa: E402 - the path comes first

DESKTOP, PHONE = (1280, 860), (390, 800)
TASK = "#task=025d127b"


class Shot(NamedTuple):
    """A screenshot: the name of its file, the address, the size of the window, light or dark."""

    name: str
    address: str
    size: tuple[int, int]
    scheme: str = "light"


SHOTS = (
    Shot("report-tasks", "", DESKTOP),
    Shot("report-tasks-dark", "", DESKTOP, "dark"),
    Shot("report-task", TASK, DESKTOP),
    Shot("report-task-dark", TASK, DESKTOP, "dark"),
    Shot("report-phone", "", PHONE),
    Shot("report-phone-task", TASK, PHONE, "dark"),
)


def take(browser: Browser, page: Path, shot: Shot) -> None:
    """Take a screenshot of the report."""
    width, height = shot.size
    window = browser.new_page(viewport={"width": width, "height": height}, color_scheme=shot.scheme)
    window.goto(f"{page.as_uri()}{shot.address}")
    window.wait_for_selector("html[data-ready]")
    window.screenshot(path=HERE / f"{shot.name}.png")
    window.close()


def main() -> None:
    """Report the library on all pairs of ARC-AGI-1 training, and take the screenshots."""
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "report.html"
        ab.report(ab.run(load_library(), ab.load_tasks("arc1/training"), "all"), page)
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        for shot in SHOTS:
            take(browser, page, shot)
        browser.close()


if __name__ == "__main__":
    main()
