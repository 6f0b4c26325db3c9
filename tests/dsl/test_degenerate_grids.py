"""Sections 2.6, 2.8, 3.2 and 3.3: grids without cells, and slices."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt import fn
from support.cases import Call, failed, setof, shown

GRID = ((1, 2), (3, 4))
ROWS = ((), ())
PATCH, CELLS = setof((0, 0)), setof((1, (0, 0)))

NEED_CELLS: list[tuple[str, tuple[Any, ...]]] = [
    ("fill", (1, PATCH)),
    ("paint", (CELLS,)),
    ("underfill", (1, PATCH)),
    ("underpaint", (CELLS,)),
    ("cover", (PATCH,)),
    ("move", (CELLS, (0, 0))),
    ("objects", (0, 0, 0)),
    ("occurrences", (CELLS,)),
    ("downscale", (1,)),
    ("frontiers", ()),
    ("hsplit", (1,)),
    ("vsplit", (1,)),
    ("square", ()),
    ("square_t", ()),
    ("fgpartition", ()),
    ("index", ((0, 0),)),
    ("mostcolor", ()),
    ("leastcolor", ()),
    ("mostcolor_t", ()),
    ("leastcolor_t", ()),
    ("get_color_rank_t", (0,)),
    ("cellwise", (GRID, 0)),
    ("o_g", (0,)),
]


@pytest.mark.parametrize("grid", [(), ((),), ROWS], ids=shown)
@pytest.mark.parametrize(("op", "more"), NEED_CELLS, ids=shown)
def test_op_that_needs_cells_fails_empty_without_them(
    call: Call, op: str, more: tuple[Any, ...], grid: Any
) -> None:
    assert failed(call(op, grid, *more)) == "EMPTY"


@pytest.mark.parametrize("grid", [(), ROWS], ids=shown)
def test_grid_without_cells_in_a_later_place_fails_empty_too(call: Call, grid: Any) -> None:
    assert failed(call("toobject", PATCH, grid)) == "EMPTY"
    assert failed(call("bordering", PATCH, grid)) == "EMPTY"
    assert failed(call("cellwise", GRID, grid, 0)) == "EMPTY"


ON_GRIDS_WITHOUT_CELLS: list[tuple[str, tuple[Any, ...], Any]] = [
    ("canvas", (1, (0, 5)), ()),
    ("canvas", (1, (-1, 5)), ()),
    ("canvas", (1, (2, 0)), ROWS),
    ("canvas", (1, (2, -7)), ROWS),
    ("height", (ROWS,), 2),
    ("width", (ROWS,), 0),
    ("shape", (ROWS,), (2, 0)),
    ("shape", ((),), (0, 0)),
    ("portrait", (ROWS,), 1),
    ("portrait", ((),), 0),
    ("palette", (ROWS,), setof()),
    ("numcolors", ((),), 0),
    ("colorcount", (ROWS, 0), 0),
    ("asindices", (ROWS,), setof()),
    ("asobject", ((),), setof()),
    ("ofcolor", (ROWS, 0), setof()),
    ("partition", (ROWS,), setof()),
    ("rot90", (ROWS,), ()),
    ("rot180", (ROWS,), ROWS),
    ("rot270", (ROWS,), ()),
    ("hmirror", (ROWS,), ROWS),
    ("vmirror", (ROWS,), ROWS),
    ("dmirror", (ROWS,), ()),
    ("cmirror", (ROWS,), ()),
    ("trim", (GRID,), ()),
    ("trim", (((1, 2),) * 4,), ROWS),
    ("trim", (ROWS,), ()),
    ("trim", (((1, 2, 3),) * 3,), ((2,),)),
    ("tophalf", (((1, 2),),), ()),
    ("bottomhalf", (((1, 2),),), ()),
    ("lefthalf", (((1,), (2,)),), ()),
    ("righthalf", (((1,), (2,)),), ()),
    ("lefthalf", ((),), ()),
    ("tophalf", (ROWS,), ((),)),
    ("replace", (ROWS, 0, 1), ROWS),
    ("switch", ((), 0, 1), ()),
    ("compress", (((1, 1), (2, 2)),), ()),
    ("compress", (((1, 2), (1, 2)),), ROWS),
    ("compress", (ROWS,), ROWS),
    ("compress", ((),), ()),
    ("upscale", (ROWS, 3), ((),) * 6),
    ("upscale", (GRID, 0), ()),
    ("hupscale", (GRID, -1), ROWS),
    ("vupscale", (GRID, 0), ()),
    ("vupscale", (ROWS, 2), ((),) * 4),
    ("hconcat", (GRID, ()), ()),
    ("hconcat", (GRID, ROWS), GRID),
    ("hconcat", (ROWS, GRID), GRID),
    ("hconcat", (GRID, ((5,),)), ((1, 2, 5),)),
    ("vconcat", (GRID, ()), GRID),
    ("vconcat", ((), GRID), GRID),
    ("vconcat", (ROWS, ((),)), ((),) * 3),
    ("vconcat", ((), ()), ()),
    ("crop", (GRID, (0, 0), (0, 2)), ()),
    ("crop", (GRID, (0, 0), (2, 0)), ROWS),
    ("crop", ((), (0, 0), (1, 1)), ()),
    ("crop", (ROWS, (0, 0), (1, 1)), ((),)),
    ("crop", (GRID, (5, 0), (1, 1)), ()),
    ("subgrid", (setof((9, 9)), GRID), ()),
    ("subgrid", (setof((-1, -1), (0, 0)), ((1, 2, 3), (4, 5, 6))), ()),
    ("hsplit", (GRID, 3), (ROWS, ROWS, ROWS)),
    ("vsplit", (GRID, 3), ((), (), ())),
    ("hsplit", (GRID, -1), ()),
    ("hsplit", (((1, 2, 3, 4, 5),), 2), (((1, 2),), ((4, 5),))),
    ("hsplit", (((1, 2, 3, 4, 5),), 3), (((1,),), ((3,),), ((5,),))),
    ("vsplit", (((1,), (2,), (3,)), 2), (((1,),), ((3,),))),
    ("hsplit", (((1, 2, 3, 4, 5, 6, 7),), 5), (((1,),), ((3,),), ((5,),), ((7,),), ((),))),
]


@pytest.mark.parametrize(("op", "arguments", "expected"), ON_GRIDS_WITHOUT_CELLS, ids=shown)
def test_op_that_does_without_cells_gives_a_value(
    call: Call, op: str, arguments: tuple[Any, ...], expected: Any
) -> None:
    assert call(op, *arguments) == expected


def test_widths_that_differ_do_not_go_below_each_other(call: Call) -> None:
    assert failed(call("vconcat", GRID, ((1,),))) == "TYPE"
    assert failed(call("vconcat", ROWS, ((1,),))) == "TYPE"


def test_empty_patches_keep_their_kind_where_the_language_says_so(call: Call) -> None:
    for op, more in (("shift", ((1, 1),)), ("normalize", ()), ("box", ())):
        assert call(op, (), *more) == ()
        assert call(op, setof(), *more) == setof()
    for op in ("backdrop", "delta", "toindices"):
        assert call(op, ()) == call(op, setof()) == setof()
    for op in ("ulcorner", "urcorner", "llcorner", "lrcorner", "centerofmass"):
        assert call(op, ()) == call(op, setof()) == ()
    for op in ("corners", "inbox", "outbox", "uppermost", "rightmost"):
        assert failed(call(op, ())) == failed(call(op, setof())) == "EMPTY"
    assert failed(call("center", ())) == "TYPE"
    assert failed(call("center", setof())) == "EMPTY"


def test_tuples_of_locations_are_patches_or_grids_as_the_parameter_says(call: Call) -> None:
    locations = ((3, 1), (0, 2), (3, 1))
    assert call("toindices", locations) == locations
    assert call("width", locations) == 2
    assert call("hmirror", locations) == ((3, 1), (0, 2), (3, 1))
    assert call("ulcorner", locations) == (0, 1)
    assert call("centerofmass", locations) == (2, 1)
    assert call("shift", locations, (1, 1)) == setof((4, 2), (1, 3))
    assert failed(call("delta", locations)) == "TYPE"
    assert failed(call("position", locations, locations)) == "TYPE"
    assert failed(call("mostcolor", ((1, (0, 0)),))) == "TYPE"


def test_centerofmass_sums_a_place_of_two_cells_once_and_counts_it_twice(call: Call) -> None:
    assert call("centerofmass", setof((1, (4, 8)), (2, (4, 8)))) == (2, 4)
    assert call("centerofmass", ((1, (4, 8)), (1, (4, 8)))) == (2, 4)
    assert call("centerofmass", ((4, 8), (4, 8))) == (4, 8)


@pytest.mark.parametrize(
    ("start", "length", "columns"),
    [(1, 5, (1, 2)), (-1, 1, ()), (-2, 1, (1,)), (0, -1, (0, 1)), (-5, 3, (0,))],
)
def test_crop_slices_as_the_examples_say(
    call: Call, start: int, length: int, columns: tuple[int, ...]
) -> None:
    assert call("crop", ((0, 1, 2),), (0, start), (1, length)) == (columns,)


@given(st.integers(1, 5), st.integers(-7, 7), st.integers(-7, 7))
@settings(derandomize=True, max_examples=300)
def test_crop_follows_the_slices_of_python(call: Call, width: int, start: int, length: int) -> None:
    row = tuple(range(width))
    assert call("crop", (row,), (0, start), (1, length)) == (row[start : start + length],)
    column = tuple((value,) for value in row)
    assert call("crop", column, (start, 0), (length, 1)) == column[start : start + length]


def test_functions_see_grids_without_cells_too(call: Call) -> None:
    assert call("apply", fn("shape"), ((), ROWS)) == ((0, 0), (2, 0))
