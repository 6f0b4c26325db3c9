"""Section 2.3: Integers of a result must fit 32 bits; what lies between arguments and result need not."""

from typing import Any

import pytest

from arcbatt import Limits, fn
from support.cases import HIGHEST, LOWEST, Call, failed, setof, shown

FAR = setof((LOWEST, LOWEST), (HIGHEST, HIGHEST))
FAR_CELLS = setof((1, (LOWEST, 0)), (1, (HIGHEST, 0)))
GRID = ((1, 2), (3, 4))

OUT_OF_RANGE: list[tuple[str, tuple[Any, ...]]] = [
    ("add", (HIGHEST, 1)),
    ("add", ((0, HIGHEST), (0, 1))),
    ("add", (1, (0, HIGHEST))),
    ("subtract", (LOWEST, 1)),
    ("subtract", (0, LOWEST)),
    ("multiply", (65536, 32768)),
    ("multiply", (LOWEST, LOWEST)),
    ("divide", (LOWEST, -1)),
    ("divide", ((0, LOWEST), (1, -1))),
    ("invert", (LOWEST,)),
    ("invert", ((0, LOWEST),)),
    ("double", (2**30,)),
    ("increment", (HIGHEST,)),
    ("decrement", (LOWEST,)),
    ("crement", (HIGHEST,)),
    ("crement", (LOWEST,)),
    ("height", (FAR,)),
    ("width", (FAR,)),
    ("shape", (FAR,)),
    ("height_f", (FAR,)),
    ("width_i", (FAR,)),
    ("shift", (setof((0, HIGHEST)), (0, 1))),
    ("shift", (setof((7, (LOWEST, 0))), (-1, 0))),
    ("normalize", (FAR,)),
    ("normalize_i", (FAR,)),
    ("dneighbors", ((HIGHEST, 0),)),
    ("dneighbors", ((0, LOWEST),)),
    ("ineighbors", ((LOWEST, 0),)),
    ("neighbors", ((0, HIGHEST),)),
    ("manhattan", (setof((LOWEST, 0)), setof((HIGHEST, 0)))),
    ("inbox", (setof((HIGHEST, 0)),)),
    ("outbox", (setof((0, LOWEST)),)),
    ("outbox", (setof((HIGHEST, HIGHEST)),)),
    ("dmirror", (setof((LOWEST, 0), (HIGHEST, 0)),)),
    ("cmirror", (setof((0, LOWEST), (0, HIGHEST)),)),
    ("hperiod", (setof((1, (0, LOWEST)), (2, (0, HIGHEST))),)),
    ("vperiod", (setof((1, (LOWEST, 0)), (2, (HIGHEST, 0))),)),
    ("upscale", (setof((1, (0, 0)), (1, (0, 2**30))), 2)),
    ("upscale", (setof((1, (HIGHEST, 0))), 2)),
    ("upscale", (setof((1, (0, HIGHEST - 1))), 3)),
    ("mir_rot_f", (setof((LOWEST, 0), (HIGHEST, 0)), 1)),
]


@pytest.mark.parametrize(("op", "arguments"), OUT_OF_RANGE, ids=shown)
def test_integer_outside_32_bits_fails(call: Call, op: str, arguments: tuple[Any, ...]) -> None:
    assert failed(call(op, *arguments)) == "RANGE"


WITHIN_RANGE: list[tuple[str, tuple[Any, ...], Any]] = [
    ("add", (HIGHEST, 0), HIGHEST),
    ("add", (LOWEST, HIGHEST), -1),
    ("subtract", (-1, HIGHEST), LOWEST),
    ("subtract", (HIGHEST, HIGHEST), 0),
    ("multiply", (65536, -32768), LOWEST),
    ("divide", (LOWEST, 1), LOWEST),
    ("divide", (LOWEST, LOWEST), 1),
    ("halve", (LOWEST,), -(2**30)),
    ("invert", (HIGHEST,), -HIGHEST),
    ("sign", ((LOWEST, HIGHEST),), (-1, 1)),
    ("center", (FAR,), (0, 0)),
    ("centerofmass", (FAR,), (-1, -1)),
    ("centerofmass", (setof((HIGHEST, 0), (HIGHEST, 1), (HIGHEST, 2)),), (HIGHEST, 1)),
    ("portrait", (setof((LOWEST, 0), (HIGHEST, 0)),), 1),
    ("square", (FAR,), 0),
    ("hline", (setof((0, LOWEST), (0, HIGHEST)),), 0),
    ("adjacent", (setof((LOWEST, 0)), setof((HIGHEST, 0))), 0),
    ("position", (setof((LOWEST, 0)), setof((HIGHEST, 0))), (1, 0)),
    ("hmirror", (FAR,), setof((HIGHEST, LOWEST), (LOWEST, HIGHEST))),
    ("vmirror", (setof((1, (0, LOWEST)), (2, (0, HIGHEST))),), setof((1, (0, HIGHEST)), (2, (0, LOWEST)))),
    ("gravitate", (setof((0, 0)), setof((HIGHEST, 0))), (42, 0)),
    ("gravitate", (setof((HIGHEST, HIGHEST)), setof((0, 0))), (0, -42)),
    ("fill", (GRID, 9, FAR), GRID),
    ("paint", (GRID, FAR_CELLS), GRID),
    ("toobject", (FAR, GRID), setof()),
    (
        "upscale",
        (setof((5, (HIGHEST - 1, 0))), 2),
        setof(*((5, (HIGHEST - k, j)) for k in (0, 1) for j in (0, 1))),
    ),
    ("upscale", (setof((5, (HIGHEST, LOWEST))), 1), setof((5, (HIGHEST, LOWEST)))),
    ("shift", (setof((LOWEST, LOWEST)), (HIGHEST, HIGHEST)), setof((-1, -1))),
    ("hperiod", (setof((1, (0, HIGHEST))),), 1),
    ("vperiod", (setof((1, (HIGHEST, 0)), (1, (HIGHEST - 1, 0))),), 1),
    ("hperiod", (setof((1, (0, 0)), (1, (0, 10**9))),), 10**9),
    ("vperiod", (setof((1, (5, 0)), (2, (10**9, 0))),), 10**9 - 4),
    ("corner", (FAR, 3), (HIGHEST, HIGHEST)),
    ("colorcount", (((LOWEST, HIGHEST),), LOWEST), 1),
]


@pytest.mark.parametrize(("op", "arguments", "expected"), WITHIN_RANGE, ids=shown)
def test_intermediate_outside_32_bits_does_no_harm(
    call: Call, op: str, arguments: tuple[Any, ...], expected: Any
) -> None:
    assert call(op, *arguments) == expected


def test_shoot_is_judged_on_its_end_point_straight_or_not(call: Call) -> None:
    assert failed(call("shoot", (0, 0), (HIGHEST, 5))) == "RANGE"
    assert failed(call("shoot", (0, 0), (HIGHEST, 0))) == "RANGE"
    assert failed(call("shoot", (HIGHEST, 0), (1, 2))) == "RANGE"
    assert call("shoot", (0, 0), (51_130_563, 5)) == setof()
    assert failed(call("shoot", (0, 0), (51_130_564, 5))) == "RANGE"
    assert failed(call("shoot", (0, 0), (51_130_563, 0))) == "SIZE"
    assert call("size", call("shoot", (HIGHEST - 42, 0), (1, 0))) == 43


def test_shoot_fails_by_its_end_point_then_by_depth_then_by_size(call: Call) -> None:
    tight = Limits(items=9, depth=1)
    assert failed(call("shoot", (0, 0), (HIGHEST, HIGHEST), limits=tight)) == "RANGE"
    assert call("shoot", (0, 0), (1, 2), limits=tight) == setof()
    assert failed(call("shoot", (0, 0), (1, 1), limits=tight)) == "DEPTH"
    assert failed(call("shoot", (0, 0), (1, 1), limits=Limits(items=9))) == "SIZE"


def test_move_is_judged_on_all_shifted_locations_even_those_outside_the_grid(call: Call) -> None:
    assert call("move", GRID, setof((9, (0, 0))), (HIGHEST, 0)) == call("cover", GRID, setof((0, 0)))
    assert failed(call("move", GRID, setof((9, (1, 0))), (HIGHEST, 0))) == "RANGE"
    assert failed(call("move", GRID, setof((9, (0, 0)), (9, (1, 1))), (HIGHEST, 0))) == "RANGE"
    assert failed(call("move", GRID, ((9, (0, 0)), (9, (0, 0)), (8, (1, 1))), (HIGHEST, 0))) == "RANGE"
    assert call("move", GRID, setof(), (HIGHEST, 0)) == GRID


def test_range_is_judged_inside_functions_too(call: Call) -> None:
    back_and_forth = fn("compose", fn("decrement"), fn("increment"))
    assert failed(call("apply", back_and_forth, (HIGHEST,))) == "RANGE"


def test_range_is_told_before_depth_and_size(call: Call) -> None:
    assert failed(call("dneighbors", (HIGHEST, 0), limits=Limits(depth=1, items=3))) == "RANGE"
    assert failed(call("dneighbors", (0, 0), limits=Limits(depth=1, items=3))) == "DEPTH"
    assert failed(call("dneighbors", (0, 0), limits=Limits(depth=2, items=3))) == "SIZE"
    wide = setof((1, (0, 0)), (1, (0, 1)))
    assert failed(call("upscale", wide, HIGHEST)) == "RANGE"
    assert failed(call("outbox", setof((0, 0), (HIGHEST, 0)))) == "RANGE"
