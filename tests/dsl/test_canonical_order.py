"""Sections 1.2 to 1.4 and 7: equality, the order of all values, and the choices that depend on it."""

from itertools import permutations
from typing import Any

import pytest

from arcbatt import fn
from support.cases import HIGHEST, LOWEST, Call, failed, setof

ADD, SIZE = fn("add"), fn("size")

# CPython visits {8, 3} as 8, 3: sets with an 8 tell the canonical order from that of the host.

ASCENDING: list[Any] = [
    LOWEST,
    -1,
    0,
    HIGHEST,
    (),
    (0,),
    (0, 0),
    (0, (0, 0)),
    (1,),
    ((),),
    ((), 0),
    ((0,),),
    (setof(),),
    (ADD,),
    setof(),
    setof(0),
    setof(0, 1),
    setof(0, ()),
    setof(1),
    setof((0, 0)),
    setof((0, 0), (9, 9)),
    setof((0, 1)),
    setof((0, (5, 5))),
    setof((1, 0)),
    setof(setof()),
    setof(setof(), setof(0)),
    setof(setof(0)),
    setof(ADD),
    ADD,
    fn("compose"),
    fn("compose", SIZE, SIZE),
    fn("first"),
    fn("rbind"),
    fn("rbind", ADD, 2),
    fn("rbind", ADD, 3),
    fn("rbind", ADD, (0, 0)),
    fn("rbind", ADD, setof()),
    fn("rbind", ADD, ADD),
    fn("rbind", fn("subtract"), 0),
    SIZE,
    fn("size_f"),
    fn("sizefilter"),
]


def test_whole_order_is_that_of_the_language(call: Call) -> None:
    assert call("totuple", setof(*ASCENDING)) == tuple(ASCENDING)


@pytest.mark.parametrize("place", range(len(ASCENDING) - 1))
def test_neighbours_in_the_order_are_told_apart(call: Call, place: int) -> None:
    smaller, larger = ASCENDING[place : place + 2]
    pair = setof(larger, smaller)
    assert call("totuple", pair) == (smaller, larger)
    assert (call("first", pair), call("last", pair)) == (smaller, larger)
    assert call("equality", smaller, larger) == 0


def test_order_does_not_depend_on_how_a_set_was_built(call: Call) -> None:
    for first, *others in permutations([(), 3, setof(1), ADD]):
        built = setof(first)
        for element in others:
            built = call("insert", element, built)
        assert call("totuple", built) == (3, (), setof(1), ADD)


def test_empty_containers_of_different_kinds_differ(call: Call) -> None:
    assert call("equality", (), setof()) == 0
    assert call("contained", (), setof(setof())) == 0
    assert call("difference", ((), setof()), (setof(),)) == ((),)
    assert call("dedupe", ((), setof(), (), setof())) == ((), setof())


def test_locations_go_row_by_row_and_cells_by_colour_first(call: Call) -> None:
    assert call("totuple", setof((1, 0), (0, 5), (0, 1))) == ((0, 1), (0, 5), (1, 0))
    cells = setof((1, (0, 9)), (0, (5, 5)), (1, (0, 2)))
    assert call("totuple", cells) == ((0, (5, 5)), (1, (0, 2)), (1, (0, 9)))


def test_objects_compare_at_their_smallest_cells(call: Call) -> None:
    many_large = setof((5, (0, 0)), (6, (0, 1)))
    one_small = setof((4, (9, 9)))
    assert call("first", setof(many_large, one_small)) == one_small
    assert call("first", setof(many_large, many_large | {(9, (9, 9))})) == many_large


def test_mostcolor_and_leastcolor_prefer_the_smallest_of_equally_frequent_colours(call: Call) -> None:
    grid = ((3, 1, 3), (1, 7, 5))
    assert call("mostcolor", grid) == 1
    assert call("leastcolor", grid) == 5
    assert call("mostcolor", call("asobject", grid)) == 1


def test_mostcommon_and_leastcommon_prefer_the_smallest_of_equally_frequent_elements(call: Call) -> None:
    assert call("mostcommon", (setof(), (), 9, 9, (), setof())) == 9
    assert call("leastcommon", ((5,), (4,), 7, 7)) == (4,)


def test_ties_of_a_ranking_go_to_the_first_in_iteration(call: Call) -> None:
    even = fn("even")
    assert call("argmax", (3, 4, 2), even) == 4
    assert call("argmin", (3, 1, 4), even) == 3
    assert call("argmax", setof(8, 2, 1), even) == 2
    assert call("argmin", setof(9, 8, 1), even) == 1
    assert (
        call("valmax", setof(8, 1), fn("initset")) == call("valmin", setof(8, 1), fn("initset")) == setof(1)
    )
    assert call("order", (4, 3, 2, 1), even) == (3, 1, 4, 2)
    assert call("order", setof(4, 3, 2, 1), even) == (1, 3, 2, 4)
    assert call("valmax", (7, 5), fn("initset")) == call("valmin", (7, 5), fn("initset")) == setof(7)


def test_color_of_a_set_is_its_smallest_and_of_a_tuple_its_first(call: Call) -> None:
    assert call("color", setof((4, (0, 0)), (2, (5, 5)))) == 2
    assert call("color", ((4, (0, 0)), (2, (5, 5)))) == 4
    many = setof(setof((4, (0, 0)), (2, (5, 5))))
    assert call("colorfilter", many, 2) == many
    assert call("colorfilter", many, 4) == setof()


def test_paint_lets_the_last_visited_cell_win_and_underpaint_the_first(call: Call) -> None:
    grid = ((0, 0),)
    cells = ((5, (0, 0)), (3, (0, 0)))
    assert call("paint", grid, setof(*cells)) == ((5, 0),)
    assert call("paint", grid, cells) == ((3, 0),)
    assert call("underpaint", grid, setof(*cells)) == ((3, 0),)
    assert call("underpaint", grid, cells) == ((5, 0),)
    assert call("underpaint", grid, setof((0, (0, 0)), *cells)) == ((3, 0),)
    assert call("move", grid, setof((5, (0, 0)), (3, (0, 0))), (0, 1)) == ((0, 5),)
    assert call("move", ((0, 0), (0, 0)), ((5, (0, 0)), (3, (0, 0))), (1, 1)) == ((0, 0), (0, 5))


def test_set_inside_a_tuple_is_merged_ascending(call: Call) -> None:
    assert call("merge", ((9, 1), setof(8, 3))) == (9, 1, 3, 8)
    assert call("combine", (9,), setof(8, 3)) == (9, 3, 8)
    assert call("combine", setof(9), (5, 5)) == setof(9, 5)
    assert call("mapply", fn("palette"), (((8, 3),), ((2,),))) == (3, 8, 2)
    assert call("mfilter", (setof(8, 3), ()), fn("size")) == (3, 8)
    assert call("mpapply", fn("insert"), (8, 1), (setof(3), setof())) == (3, 8, 1)


def test_other_and_extract_take_the_first_that_fits(call: Call) -> None:
    assert call("other", setof(1, 2, 3), 2) == 1
    assert call("other", setof(8, 3), 5) == 3
    assert call("other", (3, 1, 2), 3) == 1
    assert call("other", (3, 1), 9) == 3
    assert call("extract", setof(8, 3, -1), fn("positive")) == 3


def test_background_of_a_tie_is_the_smallest_colour(call: Call) -> None:
    grid = ((2, 1),)
    assert call("objects", grid, 1, 0, 1) == setof(setof((2, (0, 0))))
    assert call("fgpartition", grid) == setof(setof((2, (0, 0))))
    assert call("underfill", grid, 9, setof((0, 0), (0, 1))) == ((2, 9),)
    assert call("cover", grid, setof((0, 0))) == ((1, 1),)


def test_set_of_functions_is_a_set_like_any_other(call: Call) -> None:
    functions = setof(fn("rbind", ADD, 3), SIZE, fn("rbind", ADD, 2))
    assert call("size", functions | {fn("rbind", ADD, 3)}) == 3
    assert call("first", functions) == fn("rbind", ADD, 2)
    assert call("remove", SIZE, functions) == setof(fn("rbind", ADD, 2), fn("rbind", ADD, 3))
    assert call("contained", fn("rbind", ADD, 4), functions) == 0
    assert failed(call("maximum", functions)) == "TYPE"
