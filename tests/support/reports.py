"""Reports for tests: results written to a page, and the data that a page holds."""

import json
import re
from pathlib import Path
from typing import Any

import arcbatt as ab

PROGRAMS = """
def solve_67a3c6ac(I):
    return vmirror(I)

def solve_68b16354(I):
    return hmirror(I)

def solve_017c7c7b(I):
    return divide(height(I), ZERO)

def turn(I):
    return rot90(I)
"""
TASKS = "67a3c6ac,68b16354,017c7c7b,00d62c1b"
BLOCK = re.compile('<script type="application/json" id="data-([a-z]+)">(.*?)</script>', re.DOTALL)


def results() -> ab.Results:
    """Four programs on four tasks, of which two are solved; one program always fails."""
    return ab.run(ab.parse_programs(PROGRAMS), ab.load_tasks(TASKS), "all")


def data_of(page: Path) -> dict[str, Any]:
    """The blocks of JSON in a page."""
    return {name: json.loads(text) for name, text in BLOCK.findall(page.read_text("utf-8"))}
