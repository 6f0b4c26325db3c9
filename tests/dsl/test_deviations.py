"""Section 2.6: where the language is stricter than arc-dsl, op by op."""

from typing import Any

import pytest

from arcbatt import fn
from support.cases import Call, failed, setof, shown

ADD, IDENTITY = fn("add"), fn("identity")
GRID = ((1, 2), (3, 4))
INDICES, CELLS = setof((0, 0), (1, 1)), setof((1, (0, 0)), (4, (1, 1)))
LOCATIONS, CELL_TUPLE = ((0, 0), (1, 1)), ((1, (0, 0)), (4, (1, 1)))

NOT_ADMITTED: list[tuple[str, tuple[Any, ...]]] = [
    *((op, (tup,)) for op in ("center", "vline", "hline") for tup in ((), LOCATIONS, CELL_TUPLE)),
    *(("subgrid", (tup, GRID)) for tup in ((), LOCATIONS, CELL_TUPLE)),
    *(("gravitate", pair) for pair in ((LOCATIONS, INDICES), (INDICES, CELL_TUPLE), ((), INDICES))),
    *(("occurrences", (GRID, wrong)) for wrong in ((), CELL_TUPLE, INDICES)),
    *((op, (INDICES,)) for op in ("mostcolor", "leastcolor", "palette", "numcolors", "color")),
    *((op, (INDICES,)) for op in ("hperiod", "vperiod")),
    ("colorcount", (INDICES, 1)),
    ("upscale", (INDICES, 2)),
    ("paint", (GRID, INDICES)),
    ("underpaint", (GRID, LOCATIONS)),
    ("move", (GRID, INDICES, (0, 0))),
    ("colorfilter", (setof(INDICES), 1)),
    *((op, ((1, 2, 3), 1)) for op in ("add", "subtract", "multiply", "divide")),
    *((op, (1, (1,))) for op in ("add", "subtract", "multiply", "divide")),
    *(
        (op, ((1, (1, 1)),))
        for op in ("invert", "double", "halve", "increment", "decrement", "crement", "sign")
    ),
    *((op, (((), 1),)) for op in ("invert", "dneighbors", "hfrontier")),
    ("even", ((1, 1),)),
    ("positive", ((1, 1),)),
    ("flip", ((),)),
    ("flip", (setof(1),)),
    ("both", ((1,), 1)),
    ("either", (0, setof())),
    ("branch", ((1,), 1, 2)),
    ("objects", (GRID, (), 0, 0)),
    ("pair", (setof(1), (1,))),
    ("pair", ((1,), setof())),
    ("papply", (ADD, setof(1), (1,))),
    ("mpapply", (ADD, (), setof())),
    ("dedupe", (setof(1),)),
    ("mostcommon", (setof(1),)),
    ("leastcommon", (setof(1),)),
    ("intersection", ((1,), setof(1))),
    ("insert", (1, (2,))),
    ("greater", ((2, 2), (1, 1))),
    ("greater", (setof(1), setof())),
    ("maximum", (((1, 2),),)),
    ("minimum", (setof(setof(1)),)),
    ("merge", ((1, (2,)),)),
    ("sizefilter", (setof(1), 1)),
    ("shift", (setof((0, 0), (1, (0, 0))), (1, 1))),
    ("toindices", (setof((1, 2, 3)),)),
    ("toindices", (setof(((), 1)),)),
    ("toindices", (((0, 0), (1, (0, 0))),)),
    ("fill", (((1, 2), (3,)), 1, setof())),
    ("fill", (GRID, 1, ((0, 0, 0),))),
    ("height", (((1, 2), (3,)),)),
    ("height", (CELL_TUPLE,)),
    ("canvas", (0, (1, 2, 3))),
    ("crop", (GRID, (0, 0), 1)),
]


@pytest.mark.parametrize(("op", "arguments"), NOT_ADMITTED, ids=shown)
def test_what_a_parameter_does_not_admit_is_a_type_failure(
    call: Call, op: str, arguments: tuple[Any, ...]
) -> None:
    assert failed(call(op, *arguments)) == "TYPE"


@pytest.mark.parametrize("op", ["manhattan", "adjacent", "position", "gravitate"])
def test_distance_to_nothing_fails_empty(call: Call, op: str) -> None:
    assert failed(call(op, INDICES, setof())) == failed(call(op, setof(), CELLS)) == "EMPTY"


@pytest.mark.parametrize("location", [(-1, 0), (0, -1), (2, 0), (0, 2)])
def test_index_outside_the_grid_is_no_value(call: Call, location: tuple[int, int]) -> None:
    assert failed(call("index", GRID, location)) == "INDEX"


@pytest.mark.parametrize("op", ["hmirror", "cmirror", "color"])
def test_op_on_an_empty_set_fails_empty(call: Call, op: str) -> None:
    assert failed(call(op, setof())) == "EMPTY"


def test_arities_are_checked_when_a_function_is_received(call: Call) -> None:
    for op in ("apply", "mapply", "rapply"):
        function = (ADD,) if op == "rapply" else ADD
        assert failed(call(op, function, ())) == "TYPE"
    for op in ("sfilter", "mfilter", "order", "valmax", "valmin", "argmax", "extract"):
        assert failed(call(op, (), ADD)) == "TYPE"
    for op in ("papply", "mpapply", "prapply"):
        assert failed(call(op, IDENTITY, (), ())) == "TYPE"


def test_grid_of_one_row_borders_everywhere(call: Call) -> None:
    row = ((1, 2, 3),)
    assert call("bordering", setof((0, 1)), row) == 1
    assert call("bordering", setof((5, 1)), row) == 0
    assert call("bordering", setof((5, 2)), row) == 1
    assert call("bordering", setof((1, 1)), ((0, 0, 0),) * 3) == 0


def test_equal_centers_point_left(call: Call) -> None:
    assert call("position", INDICES, INDICES) == (0, -1)
    assert call("position", setof((0, 0)), setof((0, 5))) == (0, 1)
    assert call("position", setof((3, 0)), setof((0, 5))) == (-1, 1)
