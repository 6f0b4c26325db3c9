"""Grids cut at separators, put together, laid over each other, repeated and multiplied."""

import pytest

from arcbatt import Limits
from support.cases import Call, case, failed, setof

NINE = ((1, 2, 3), (4, 5, 6), (7, 8, 9))

CASES = [
    case("overlay", ((1, 1, 1), (1, 1, 1)), ((0, 2), (3, 0), (4, 4)), 0, gives=((1, 2, 1), (3, 1, 1))),
    case("overlay", ((1, 2), (3, 4)), ((0, 0, 9), (0, 7, 9)), 0, gives=((1, 2), (3, 7))),
    case("overlay", ((1, 2), (3, 4)), ((0, 0), (0, 0)), 5, gives=((0, 0), (0, 0))),
    case("overlay", ((1, 2), (3, 4)), ((0, 1000),), 0, gives=((1, 1000), (3, 4))),
    case("overlay", ((1000,),), ((7,),), 0, gives=((7,),)),
    case("overlay", ((1, 2),), ((3, 4),), 259, gives=((3, 4),)),
    case("overlay", ((1, 2),), ((1000, 4),), 1000, gives=((1, 4),)),
    case("overlay", (), ((1,),), 0, fails="EMPTY"),
    case("overlay", ((1,),), (), 0, fails="EMPTY"),
    case("overlay", ((1,),), 5, 0, fails="TYPE"),
    case("panels", ((1, 5, 2), (5, 5, 5), (3, 5, 4)), gives=(((1,),), ((2,),), ((3,),), ((4,),))),
    case("panels", NINE, gives=(NINE,)),
    # Lines of the colour at the edges and next to each other leave no empty parts.
    case(
        "panels",
        ((5, 5, 5, 5), (5, 1, 2, 5), (5, 5, 5, 5), (5, 5, 5, 5), (5, 3, 4, 5)),
        gives=(((1, 2),), ((3, 4),)),
    ),
    # Two rows of 0 and two of 5: a colour other than 0 counts, and the rows of 0 stay.
    case(
        "panels",
        ((1, 2), (5, 5), (0, 0), (0, 0), (5, 5), (3, 4)),
        gives=(((1, 2),), ((0, 0), (0, 0)), ((3, 4),)),
    ),
    case("panels", ((0, 0), (1, 2), (0, 0), (5, 5), (3, 4)), gives=(((1, 2),), ((5, 5), (3, 4)))),
    case("panels", ((3, 3), (1, 2), (7, 7), (2, 1)), gives=(((1, 2), (7, 7), (2, 1)),)),
    case("panels", ((-2, -2), (1, 2), (0, 0)), gives=(((1, 2), (0, 0)),)),
    case("panels", ((1000, 1000), (1, 2), (1000, 1000), (3, 4)), gives=(((1, 2),), ((3, 4),))),
    case("panels", ((4, 4), (4, 4)), gives=()),
    case("panels", ((4,),), gives=()),
    case("panels", ((1, 0, 2, 0, 3),), gives=(((1,),), ((2,),), ((3,),))),
    case("panels", (), fails="EMPTY"),
    case("panels", setof(), fails="TYPE"),
    case("panel_rows", ((1, 5, 2), (5, 5, 5), (3, 5, 4)), gives=((((1,),), ((2,),)), (((3,),), ((4,),)))),
    case("panel_rows", NINE, gives=((NINE,),)),
    case("panel_rows", ((1, 0, 2, 0, 3),), gives=((((1,),), ((2,),), ((3,),)),)),
    case("panel_rows", ((1, 2), (5, 5), (3, 4)), gives=((((1, 2),),), (((3, 4),),))),
    case("panel_rows", ((1000, 1000), (1, 2), (1000, 1000), (3, 4)), gives=((((1, 2),),), (((3, 4),),))),
    # Two columns, of which the first is wider, and a line of the colour at the edge.
    case(
        "panel_rows",
        ((1, 2, 5, 3), (4, 6, 5, 7), (5, 5, 5, 5), (8, 9, 5, 1), (5, 5, 5, 5)),
        gives=((((1, 2), (4, 6)), ((3,), (7,))), (((8, 9),), ((1,),))),
    ),
    case("panel_rows", ((4, 4), (4, 4)), gives=()),
    case("panel_rows", (), fails="EMPTY"),
    case("panel_rows", 5, fails="TYPE"),
    case(
        "joined",
        ((((1,), (2,)), ((3, 4), (5, 6))), (((7, 8, 9),),)),
        gives=((1, 3, 4), (2, 5, 6), (7, 8, 9)),
    ),
    case("joined", ((NINE,),), gives=NINE),
    case("joined", ((((1,),), ((1000,),)),), gives=((1, 1000),)),
    # A wide grid whose only large colour is elsewhere.
    case("joined", ((((1000, 2), (3, 4)),), (((5, 6),),)), gives=((1000, 2), (3, 4), (5, 6))),
    case("joined", (), gives=()),
    # Rows without lines are as wide as any.
    case("joined", ((), ()), gives=()),
    case("joined", (((), ()),), gives=()),
    case("joined", ((), (((1, 2),),), ((),)), gives=((1, 2),)),
    case("joined", ((((), ()),),), gives=((), ())),
    case("joined", ((((), ()), ((1,), (2,))),), gives=((1,), (2,))),
    case("joined", ((((1,),), ((2,), (3,))),), fails="TYPE"),
    case("joined", ((((1,),), ()),), fails="TYPE"),
    case("joined", ((((1,),),), (((2, 3),),)), fails="TYPE"),
    case("joined", ((((1,),),), (((),),)), fails="TYPE"),
    case("joined", NINE, fails="TYPE"),
    case("joined", (NINE,), fails="TYPE"),
    case("joined", ((NINE, 5),), fails="TYPE"),
    case("joined", ((NINE,), 5), fails="TYPE"),
    case("joined", ((NINE,), setof()), fails="TYPE"),
    case("joined", ((((1,), (2, 3)),),), fails="TYPE"),
    case("joined", (3, (1, 2)), fails="TYPE"),
    case("joined", ((3, (1, 2)), (4, (1, 2))), fails="TYPE"),
    case("joined", setof(), fails="TYPE"),
    case("tile", ((1, 2),), (2, 5), gives=((1, 2, 1, 2, 1), (1, 2, 1, 2, 1))),
    case("tile", NINE, (2, 2), gives=((1, 2), (4, 5))),
    case("tile", NINE, (4, 3), gives=(*NINE, (1, 2, 3))),
    case("tile", ((1000, 2),), (1, 3), gives=((1000, 2, 1000),)),
    case("tile", ((1000, 2), (3, 4)), (2, 0), gives=((), ())),
    case("tile", ((1, 2),), (2, -3), gives=((), ())),
    case("tile", ((1, 2),), (0, 3), gives=()),
    case("tile", ((1, 2),), (-1, 3), gives=()),
    case("tile", ((1,),), (1000, 1000), fails="SIZE"),
    case("tile", ((1,),), (2**31 - 1, 2**31 - 1), fails="SIZE"),
    case("tile", (), (2, 2), fails="EMPTY"),
    case("tile", ((1,),), 3, fails="TYPE"),
    case("outer", ((1, 0),), ((2, 0), (2, 2)), 0, gives=((2, 0, 0, 0), (2, 2, 0, 0))),
    case("outer", ((1,), (0,)), ((3, 4),), 0, gives=((3, 4), (0, 0))),
    case("outer", ((5, 6),), ((1000,),), 5, gives=((5, 1000),)),
    case("outer", ((5, 6),), ((7,),), 1000, gives=((7, 7),)),
    case("outer", ((1000, 6),), ((7,),), 1000, gives=((1000, 7),)),
    case("outer", ((0,) * 100,) * 100, ((0,) * 10,) * 10, 1, fails="SIZE"),
    case("outer", (), ((1,),), 0, fails="EMPTY"),
    case("outer", ((1,),), (), 0, fails="EMPTY"),
    case("outer", ((1,),), 1, 0, fails="TYPE"),
    case("outer_color", ((1, 0),), ((2, 0), (2, 2)), 0, gives=((1, 0, 0, 0), (1, 1, 0, 0))),
    case("outer_color", ((1,), (3,)), ((0, 4),), 0, gives=((0, 1), (0, 3))),
    case("outer_color", ((1000, 6),), ((7, 5),), 5, gives=((1000, 5, 6, 5),)),
    case("outer_color", ((1, 6),), ((7, 5),), 1000, gives=((1, 1, 6, 6),)),
    case("outer_color", ((0,) * 100,) * 100, ((0,) * 10,) * 10, 1, fails="SIZE"),
    case("outer_color", ((),), ((1,),), 0, fails="EMPTY"),
    case("outer_color", ((1,),), ((1,),), (), fails="TYPE"),
    case("condense", ((1, 1, 2), (1, 1, 2), (3, 3, 3)), gives=((1, 2), (3, 3))),
    case("condense", ((1, 2), (3, 4), (1, 2)), gives=((1, 2), (3, 4), (1, 2))),
    case("condense", ((7, 7), (7, 7)), gives=((7,),)),
    case("condense", ((1000, 1000), (3, 3)), gives=((1000,), (3,))),
    case("condense", ((1000, 3), (1000, 4)), gives=((1000, 3), (1000, 4))),
    case("condense", (), fails="EMPTY"),
    case("condense", 5, fails="TYPE"),
    case("stripped", ((0, 0, 0), (0, 1, 0), (0, 0, 2), (0, 0, 0)), 0, gives=((1, 0), (0, 2))),
    # A row of the colour inside stays.
    case("stripped", ((4, 4, 4), (4, 1, 4), (4, 4, 4), (4, 2, 4)), 4, gives=((1,), (4,), (2,))),
    case("stripped", NINE, 5, gives=NINE),
    case("stripped", ((1, 2), (2, 2)), 1, gives=((1, 2), (2, 2))),
    case("stripped", ((7, 7, 7), (7, 7, 7)), 7, gives=((7,),)),
    case("stripped", ((7,),), 7, gives=((7,),)),
    case("stripped", ((7,),), 8, gives=((7,),)),
    case("stripped", ((7, 7),), 263, gives=((7, 7),)),
    case("stripped", ((1000, 1000), (1000, 7)), 1000, gives=((7,),)),
    case("stripped", ((0, 1000, 0),), 0, gives=((1000,),)),
    case("stripped", (), 0, fails="EMPTY"),
    case("stripped", ((1,),), setof(), fails="TYPE"),
]


@pytest.mark.parametrize(
    "made",
    [("tile", NINE, (10, 9)), ("outer", NINE, ((1, 2, 3),), 0), ("outer_color", NINE, ((1, 2, 3),), 0)],
)
def test_large_results_are_judged_by_their_weight(call: Call, made: tuple[object, ...]) -> None:
    rows, columns = (10, 9) if made[0] == "tile" else (3, 9)
    weight = 1 + rows + rows * columns
    assert len(call(*made, limits=Limits(items=weight))) == rows
    assert failed(call(*made, limits=Limits(items=weight - 1))) == "SIZE"
