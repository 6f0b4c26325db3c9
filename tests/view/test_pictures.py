"""Pictures show every cell of a value, and marks that need no colour."""

from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.dsl.types import is_filled_grid
from arcbatt.tasks import Grid
from arcbatt.view.grids import MOST
from arcbatt.view.html import value_html
from arcbatt.view.markup import escape
from arcbatt.view.pictures import picture_of
from arcbatt.view.svg import COLORS, grid_svg, picture_svg
from support.pictures import cells_of_svg, marks_of_svg
from support.strategies import any_value, grids, indices, objects

numbers = st.integers(-12, 12) | st.integers(-(2**31), 2**31 - 1)


@st.composite
def grids_of_numbers(draw: st.DrawFn) -> Grid:
    width = draw(st.integers(1, 6))
    return tuple(draw(st.lists(st.tuples(*[numbers] * width), min_size=1, max_size=6)))


@given(grids_of_numbers())
def test_every_cell_of_a_grid_can_be_read_back(grid: Grid) -> None:
    cells = {(i, j): number for i, row in enumerate(grid) for j, number in enumerate(row)}
    assert cells_of_svg(grid_svg(grid)) == cells


@given(grids(8), st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9))))
def test_marks_stand_on_the_marked_cells_that_are_there(grid: Grid, marked: set[tuple[int, int]]) -> None:
    there = {(i, j) for i, j in marked if i < len(grid) and j < len(grid[0])}
    assert marks_of_svg(grid_svg(grid, marked=frozenset(marked))) == there


@given(objects(), st.integers(-3, 40), st.integers(-3, 40))
def test_cells_of_an_object_stand_where_they_are_in_the_grid(patch: Any, down: int, right: int) -> None:
    moved = frozenset((color, (i % 9 + down, j % 9 + right)) for color, (i, j) in patch)
    picture = picture_of(moved, size=(30, 30))
    assert (picture is None) == (not moved)
    if picture is not None:
        top, left = min(0, *(i for _, (i, _) in moved)), min(0, *(j for _, (_, j) in moved))
        drawn = {(i + top, j + left): color for (i, j), color in cells_of_svg(picture_svg(picture)).items()}
        assert drawn.keys() == {location for _, location in moved}
        assert {(color, location) for location, color in drawn.items()} <= moved


def test_cells_far_outside_of_the_grid_do_not_hide_those_inside() -> None:
    picture = picture_of(frozenset({(1, (0, 0)), (2, (-1_000, 5)), (3, (2, 2))}), size=(3, 3))
    assert picture is not None
    assert cells_of_svg(picture_svg(picture)) == {(0, 0): 1, (2, 2): 3}


@given(indices())
def test_locations_are_cells_without_a_colour(patch: Any) -> None:
    picture = picture_of(patch)
    assert (picture is None) == (not patch)
    if picture is not None:
        assert len(picture.cells) == len(patch)
        drawn = cells_of_svg(picture_svg(picture))
        assert drawn == {(i, j): None for i, j in picture.cells if i < MOST and j < MOST}


@given(any_value())
def test_every_value_has_html_that_is_well_formed(value: Any) -> None:
    html = value_html(value)
    ET.fromstring(f"<div>{html}</div>")
    assert html.startswith("<svg" if picture_of(value) else "<code>")
    assert not is_filled_grid(value) or picture_of(value) is not None


@pytest.mark.slow
@given(st.text(st.characters(exclude_categories=())))
def test_escaped_text_has_no_markup_and_can_be_written(text: str) -> None:
    escaped = escape(text)
    escaped.encode()
    assert not set(escaped) & set("<>\"'\u2028\u2029\x00")
    assert (ET.fromstring(f"<p>{escaped}</p>").text or "").isascii() or not text.isascii()


def test_objects_in_a_container_share_one_open_grid() -> None:
    two = frozenset({frozenset({(1, (0, 0))}), frozenset({(2, (0, 3))})})
    picture = picture_of(two)
    assert picture is not None
    assert (picture.height, picture.width, picture.cells) == (1, 4, {(0, 0): 1, (0, 3): 2})


def test_grids_in_a_container_stand_side_by_side() -> None:
    picture = picture_of((((1,), (1,)), ((2, 2),)))
    assert picture is not None
    assert picture.cells == {(0, 0): 1, (1, 0): 1, (0, 2): 2, (0, 3): 2}


@pytest.mark.parametrize(
    "value", [7, (), frozenset(), (1, 2), ab.fn("rot90"), ((1, 2), (3,)), ((),)], ids=str
)
def test_values_without_cells_have_no_picture(value: Any) -> None:
    assert picture_of(value) is None


def test_picture_of_a_large_value_is_bounded() -> None:
    far = frozenset({(0, 0), (10**6, 10**6)})
    assert len(value_html(far)) < 1_000
    assert "only the first 60 rows and columns are shown" in value_html(far)
    wide = tuple(tuple((i + j) % 10 for j in range(200)) for i in range(200))
    assert len(cells_of_svg(grid_svg(wide))) == 60 * 60


def test_a_run_of_one_colour_is_drawn_once() -> None:
    assert grid_svg(((0,) * 30,) * 30).count("h30v1h-30z") == 30
    assert grid_svg(((0,) * 30,) * 30).count(COLORS[0]) == 1


def test_picture_has_a_name_for_screen_readers() -> None:
    drawn = ET.fromstring(grid_svg(((1, 2),), marked=frozenset({(0, 1)})))
    assert drawn.get("role") == "img"
    assert drawn.get("aria-label") == "picture of 1 x 2 cells, 1 cell marked"
    named = ET.fromstring(grid_svg(((1,),), description='"<script>'))
    assert named.get("aria-label") == '"<script>'
