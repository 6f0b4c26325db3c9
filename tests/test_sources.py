"""The sources of the core and of the tests: what neither the compiler nor a linter looks at."""

import re
from collections.abc import Iterator
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


def lines_of_tests() -> Iterator[tuple[str, str]]:
    """The lines of the tests, each with its place."""
    for file in TESTS.rglob("*.py"):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            yield f"{file.relative_to(TESTS)}:{number}", line


def test_no_test_sleeps_in_the_hope_that_something_has_happened() -> None:
    """Wait for the event itself (support/processes.py), or say what the sleep is: `# sleeps: as work`."""
    sleep = re.compile(r"\bsleep\((?!.*# sleeps: \w)")
    found = [place for place, line in lines_of_tests() if sleep.search(line)]
    assert found == []


def test_no_test_asserts_a_clock() -> None:
    """A machine may be busy; where time itself is tested, say so: `# clock: that of the processor`."""
    clocks = "seconds|seconds_per_run|elapsed|monotonic|perf_counter|process_time"
    clock = re.compile(rf"^ *assert .*\b(?:{clocks})\b.*<(?!.*# clock: \w)")
    found = [place for place, line in lines_of_tests() if clock.search(line)]
    assert found == []
