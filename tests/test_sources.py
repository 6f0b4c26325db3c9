"""The sources of the core and of the tests: what neither the compiler nor a linter looks at."""

import re
from pathlib import Path

TESTS = Path(__file__).parent
CORE = TESTS.parent / "core"
COLUMNS = 110


def long_lines(file: Path) -> list[str]:
    lines = enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
    return [f"{file.relative_to(CORE.parent)}:{number}" for number, line in lines if len(line) > COLUMNS]


def test_lines_of_the_core_are_not_too_long() -> None:
    files = [file for file in CORE.rglob("*") if file.suffix in {".h", ".cpp", ".cu"}]
    assert CORE / "python" / "module.cpp" in files
    assert [line for file in files for line in long_lines(file)] == []


def test_lines_of_the_page_of_a_report_are_not_too_long() -> None:
    folder = CORE.parent / "src" / "arcbatt" / "view" / "report" / "page"
    files = [*folder.glob("*.js"), *folder.glob("*.css")]
    assert folder / "main.js" in files
    assert [line for file in files for line in long_lines(file)] == []


def test_no_test_patches_a_private_name() -> None:
    private = re.compile(
        r"""(?:setattr|delattr|patch\.object|patch)\(\s*(?:["'][\w.]*\._[a-z]|[\w.]+,\s*["']_[a-z])"""
    )
    found = [
        f"{file.name}: {match[0]}"
        for file in TESTS.rglob("*.py")
        for match in private.finditer(file.read_text(encoding="utf-8"))
    ]
    assert found == []
