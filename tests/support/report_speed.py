"""Measures the page of a report in Chromium: python tests/support/report_speed.py report.html"""

import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Page, sync_playwright

sys.path.append(str(Path(__file__).parents[1]))

from support.browser import ARGUMENTS, chromium

FRAMES = 300
PARTS = ("ScriptDuration", "RecalcStyleDuration", "LayoutDuration", "TaskDuration")
SCROLL = """async (frames) => {
  for (let i = 0; i < frames; i++) {
    scrollBy(0, 400);
    if (scrollY + innerHeight + 500 > document.documentElement.scrollHeight) scrollTo(0, 0);
    await new Promise(requestAnimationFrame);
  }
}"""
CHANGES = """() => {
  const took = {};
  const time = (name, change) => {
    const start = performance.now();
    current.change(change);
    document.body.offsetHeight;
    took[name] = Math.round(performance.now() - start);
  };
  time("search", { search: "rot90" });
  time("no search", { search: "" });
  for (const { id } of current.spec.columns) time(`sort by ${id}`, { sort: id, down: true });
  for (const [id] of current.spec.filters) time(`show ${id}`, { filter: id });
  return took;
}"""


def seconds(session: CDPSession) -> dict[str, float]:
    """The CPU seconds that the thread of the page has spent, by what it did."""
    metrics: list[dict[str, Any]] = session.send("Performance.getMetrics")["metrics"]
    return {metric["name"]: metric["value"] for metric in metrics}


def measure(page: Page, session: CDPSession, file: Path, view: str) -> None:
    """Print the figures of a list: opening, scrolling, searching, sorting, filtering."""
    page.goto("about:blank")
    page.goto(f"{file.resolve().as_uri()}#view={view}")
    ready = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    before = seconds(session)
    page.evaluate(SCROLL, FRAMES)
    after = seconds(session)
    frame = {part: f"{1000 * (after[part] - before[part]) / FRAMES:.1f}" for part in PARTS}
    rows = page.locator("#rows > *").count()
    total = page.evaluate("current.rows.length")
    print(f"{view}: ready after {ready:.0f} ms; {rows} of {total:,} rows in the page")
    print(f"  CPU ms a frame while it scrolls by 400 pixels: {frame}")
    print(f"  ms: {page.evaluate(CHANGES)}")


def main(file: str) -> None:
    """Measure the three lists of a report."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        for view in ("tasks", "programs", "pairs"):
            measure(page, session, Path(file), view)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1])
