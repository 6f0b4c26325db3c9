"""Includes go one way: a folder of the core sees those below it, and no file sees itself again."""

import re
from graphlib import TopologicalSorter
from pathlib import Path

CORE = Path(__file__).parents[1] / "core"
# From the lowest to the highest; folders in one row do not see each other.
LAYERS = (
    ("values",),
    ("calls",),
    ("ops",),
    ("dispatch",),
    ("columns",),
    ("machine",),
    ("threads",),
    ("search", "gpu"),
    ("emulator",),
    ("python",),
)
HEIGHTS = {folder: height for height, row in enumerate(LAYERS) for folder in row}
# The headers that the build writes, by the folder to which they belong, and what they include.
GENERATED = {
    "contract.h": ("values", {"values/integers.h"}),
    "table.h": ("values", {"values/value.h"}),
    "dispatch.h": ("dispatch", {"ops/all.h", "values/types.h"}),
}
INCLUDE = re.compile(r'^#include "(.+)"$', re.MULTILINE)
FILES = [
    file.relative_to(CORE).as_posix()
    for folder in HEIGHTS
    for file in (CORE / folder).rglob("*")
    if file.suffix in {".h", ".cpp", ".cu"}
]


def folder_of(file: str) -> str:
    """The folder of the core in which a file lies, or to which the build adds it."""
    return GENERATED[file][0] if file in GENERATED else file.partition("/")[0]


def includes(file: str) -> set[str]:
    """The files of the core that a file includes: named from beside it, else from the core."""
    if file in GENERATED:
        return GENERATED[file][1]
    beside = (CORE / file).parent
    return {
        (beside / name).relative_to(CORE).as_posix() if (beside / name).is_file() else name
        for name in INCLUDE.findall((CORE / file).read_text("utf-8"))
    }


def test_every_folder_has_its_height() -> None:
    folders = {file.relative_to(CORE).parts[0] for file in CORE.rglob("*.h")}
    assert folders == set(HEIGHTS)


def test_no_folder_includes_one_above_it() -> None:
    for file in [*FILES, *GENERATED]:
        here = folder_of(file)
        for included in includes(file):
            there = folder_of(included)
            assert here == there or HEIGHTS[there] < HEIGHTS[here], f"core/{file} includes {included}"


def test_no_file_is_included_by_what_it_includes() -> None:
    graph = {file: includes(file) for file in [*FILES, *GENERATED]}
    order = list(TopologicalSorter(graph).static_order())
    assert set(order) == {*FILES, *GENERATED}
