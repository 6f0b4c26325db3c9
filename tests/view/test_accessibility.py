"""Fragments in a real browser: an automatic check of accessibility, on light and dark pages."""

from typing import Any

import pytest

import arcbatt as ab
from arcbatt.view.notebook import html_of

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")

PAGE = """<!doctype html><html lang="en"><head><title>objects</title></head>
<body style="color: {text}; background: {background}"><main><h1>Objects</h1>{body}</main></body></html>"""
THEMES = {"light": ("#222222", "#ffffff"), "dark": ("#dddddd", "#111111")}


def objects() -> list[Any]:
    tasks = ab.load_tasks("be94b721,67a3c6ac")
    programs = ab.parse_programs("def a(I): return hmirror(I)\ndef b(I): return divide(size(I), ZERO)")
    results = ab.run(programs, tasks, "all")
    outcomes = [results[name, "67a3c6ac"] for name in ("a", "b")]
    traces = [ab.trace(program, tasks[0]) for program in programs]
    return [tasks, tasks[0], tasks[0].demo[0], programs[0], results, *outcomes, *traces]


@pytest.mark.parametrize("theme", THEMES)
def test_fragments_pass_the_check(browser: Any, theme: str) -> None:
    text, background = THEMES[theme]
    page = browser.new_page()
    page.set_content(PAGE.format(text=text, background=background, body="".join(map(html_of, objects()))))
    violations = axe.Axe().run(page).response["violations"]
    assert [(found["id"], found["nodes"][0]["html"]) for found in violations] == []
    page.close()


def test_no_fragment_is_wider_than_a_phone(browser: Any) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 640})
    page.set_content(PAGE.format(text="black", background="white", body="".join(map(html_of, objects()))))
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.close()
