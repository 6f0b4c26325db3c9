"""How many lines of code there are to read: they may grow only by a commit that says why."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
BOUND = ROOT / ".ci" / "lines"
SUFFIXES = {".py", ".h", ".cpp", ".cu"}
WRITTEN_BY_THE_BUILD = {ROOT / "src" / "arcbatt" / "kernel.cu"}
# Far below its bound, code grows back unnoticed; an exact bound would change with every commit.
SLACK = 500


def line_count() -> int:
    """The lines of the package without its library, and of the core, as `wc -l` counts them."""
    library = ROOT / "src" / "arcbatt" / "library"
    files = (
        file
        for folder in (ROOT / "src" / "arcbatt", ROOT / "core")
        for file in folder.rglob("*")
        if file.suffix in SUFFIXES and library not in file.parents and file not in WRITTEN_BY_THE_BUILD
    )
    return sum(file.read_bytes().count(b"\n") for file in files)


def test_code_does_not_grow_unnoticed() -> None:
    lines, bound = line_count(), int(BOUND.read_text("utf-8"))
    assert lines <= bound, (
        f"{lines} lines, {lines - bound} above the bound in .ci/lines; join what is said twice, "
        f"or write {lines} there in a commit that says why"
    )


def test_bound_falls_with_the_code() -> None:
    lines, bound = line_count(), int(BOUND.read_text("utf-8"))
    assert bound - lines <= SLACK, (
        f"{lines} lines, {bound - lines} below the bound in .ci/lines; write {lines} there"
    )
