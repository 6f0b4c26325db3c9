"""The sources of the core: what neither the compiler nor a linter looks at."""

from pathlib import Path

CORE = Path(__file__).parents[1] / "core"
COLUMNS = 110


def long_lines(file: Path) -> list[str]:
    lines = enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
    return [f"{file.relative_to(CORE)}:{number}" for number, line in lines if len(line) > COLUMNS]


def test_lines_of_the_core_are_not_too_long() -> None:
    files = [file for file in CORE.rglob("*") if file.suffix in {".h", ".cpp", ".cu"}]
    assert CORE / "module.cpp" in files
    assert [line for file in files for line in long_lines(file)] == []
