"""Pictures as files: SVG and PNG of grids, samples, tasks and outcomes, and wrong uses."""

from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given

import arcbatt as ab
from arcbatt.tasks import Grid
from arcbatt.view.export.png import BLACK, WHITE, png
from arcbatt.view.svg import CELL, COLORS, LINE, TITLE, Picture, of_grid
from support.pictures import pixels_of_png
from support.strategies import grids

GRID = ((1, 2), (3, 4))
TASK = ab.Task("<mirror>", demo=(ab.Sample(GRID, ((3, 4), (1, 2))),), test=(ab.Sample(GRID, None),))
SOURCE = "def a(I): return vmirror(I)\ndef b(I): return divide(ONE, ZERO)"
OUTCOMES = ab.run(ab.parse_programs(SOURCE), TASK, "all")
THINGS = {
    "grid": GRID,
    "lists": [[1, 2], [3, 4]],
    "object": frozenset({(3, (5, 5))}),
    "sample": TASK.demo[0],
    "task": TASK,
    "wrong outcome": OUTCOMES["a", TASK],
    "failed outcome": OUTCOMES["b", TASK],
}


def color_at(pixels: list[list[str]], i: int, j: int, left: int = 1) -> str:
    """The colour near the corner of a cell, where no mark is."""
    return pixels[TITLE + i * CELL + 2][left + j * CELL + 2]


@given(grids(8))
def test_every_cell_of_a_png_can_be_read_back(grid: Grid) -> None:
    pixels = pixels_of_png(png([[of_grid("", grid)]]))
    for i, row in enumerate(grid):
        for j, number in enumerate(row):
            assert color_at(pixels, i, j) == (COLORS[number] if 0 <= number < 10 else WHITE)


def test_marks_of_a_png_are_white_diamonds_with_a_black_edge() -> None:
    marked = Picture("", {(0, 0): 0, (0, 1): 4}, 1, 2, marked=frozenset({(0, 1)}))
    pixels = pixels_of_png(png([[marked]]))
    middle = TITLE + CELL // 2
    assert pixels[middle][1 + CELL + CELL // 2] == WHITE
    assert pixels[middle][1 + CELL + CELL // 2 + 5] == BLACK
    assert pixels[middle][1 + CELL // 2] == COLORS[0]


def test_locations_of_a_png_are_small_squares() -> None:
    pixels = pixels_of_png(png([[Picture("", {(0, 0): None}, 1, 1)]]))
    assert color_at(pixels, 0, 0) == WHITE
    assert pixels[TITLE + CELL // 2][1 + CELL // 2] == LINE


@pytest.mark.parametrize("thing", THINGS.values(), ids=THINGS)
def test_things_are_saved_as_either(thing: Any, tmp_path: Path) -> None:
    ab.save_picture(thing, tmp_path / "a.svg")
    ab.save_picture(thing, str(tmp_path / "b.PNG"))
    drawn = ET.parse(tmp_path / "a.svg").getroot()
    pixels = pixels_of_png((tmp_path / "b.PNG").read_bytes())
    assert round(float(drawn.get("width", ""))) == len(pixels[0])
    assert float(drawn.get("height", "")) == len(pixels)


def test_pillow_reads_the_png() -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    with image.open(BytesIO(png([[of_grid("", GRID)]]))) as found:
        found.load()
        color = found.convert("RGB").getpixel((3, TITLE + 2))
    assert "#{:02x}{:02x}{:02x}".format(*color) == COLORS[1]


def test_task_has_a_row_for_each_sample(tmp_path: Path) -> None:
    ab.save_picture(TASK, tmp_path / "task.svg")
    words = [text.text for text in ET.parse(tmp_path / "task.svg").iter("{http://www.w3.org/2000/svg}text")]
    assert words == ["demo 1 input", "\u2192", "output", "test 1 input"]


def test_outcome_says_what_is_wrong(tmp_path: Path) -> None:
    ab.save_picture(OUTCOMES["a", TASK], tmp_path / "a.svg")
    assert "4 cells of 4 wrong" in (tmp_path / "a.svg").read_text("utf-8")
    ab.save_picture(OUTCOMES["b", TASK], tmp_path / "b.svg")
    assert "failed: ZERO" in (tmp_path / "b.svg").read_text("utf-8")


def test_large_grids_are_saved_whole(tmp_path: Path) -> None:
    ab.save_picture(((1,) * 100,) * 100, tmp_path / "large.png")
    assert color_at(pixels_of_png((tmp_path / "large.png").read_bytes()), 99, 99) == COLORS[1]


def test_arrays_are_grids(tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    ab.save_picture(numpy.array(GRID), tmp_path / "array.svg")
    ab.save_picture(GRID, tmp_path / "grid.svg")
    assert (tmp_path / "array.svg").read_bytes() == (tmp_path / "grid.svg").read_bytes()


WRONG = [
    ((GRID, "a.gif"), r"a\.gif: a picture is saved as \.svg or \.png; end its name in one of them"),
    ((GRID, "noname"), r"noname: a picture is saved as \.svg or \.png"),
    ((GRID, 7), "path: expected a path, a Python str or a pathlib.Path, got 7"),
    ((7, "a.svg"), "7 has no picture; give a grid, an object, a sample, a task or an outcome"),
    (("text", "a.svg"), "'text' has no picture"),
    (([[1], [2, 3]], "a.svg"), r"\[\[1\], \[2, 3\]\] has no picture"),
    ((None, "a.png"), "None has no picture"),
    ((((0,) * 101,), "a.png"), r"a\.png: a picture of more than 100 rows or columns is not saved; cut it"),
    ((frozenset({(0, 0), (10**9, 0)}), "a.svg"), r"a\.svg: a picture of more than 100 rows"),
    ((GRID, "no/such/folder/a.png"), r"no/such/folder/a\.png: cannot be written: No such file"),
]


@pytest.mark.parametrize(("arguments", "told"), WRONG, ids=str)
def test_wrong_use_ends_in_one_sentence(
    arguments: tuple[Any, Any], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ab.ArcbattError, match=f"^{told}"):
        ab.save_picture(*arguments)
    assert list(tmp_path.iterdir()) == []
