"""Cells of one colour that hang together, and areas around cells."""

from support.cases import case, setof

RING = ((1, 1, 1, 1), (1, 0, 0, 1), (1, 1, 1, 0))
WIDE = ((1000, 1000, 1000), (1000, 7, 1000), (1000, 1000, 1000))
TALL = ((0,), *((1,),) * 2100, (0,))

CASES = [
    case("enclosed", RING, 0, gives=setof((1, 1), (1, 2))),
    case("enclosed", RING, 1, gives=setof()),
    case("enclosed", RING, 256, gives=setof()),
    case("enclosed", ((1, 1, 1), (1, 0, 1), (1, 0, 1)), 0, gives=setof()),
    # A way that meets a corner alone is none.
    case("enclosed", ((0, 1, 1), (1, 0, 1), (1, 1, 1)), 0, gives=setof((1, 1))),
    case("enclosed", ((0,),), 0, gives=setof()),
    case("enclosed", WIDE, 7, gives=setof((1, 1))),
    case("enclosed", WIDE, 1000, gives=setof()),
    case(
        "enclosed",
        ((2, 2, 2, 2, 2), (2, 3, 3, 3, 2), (2, 3, 2, 3, 2), (2, 3, 3, 3, 2), (2, 2, 2, 2, 2)),
        2,
        gives=setof((2, 2)),
    ),
    case("enclosed", (), 0, fails="EMPTY"),
    case("enclosed", 5, 0, fails="TYPE"),
    case("flood", ((1, 1, 0), (0, 1, 0)), setof((0, 0)), gives=setof((0, 0), (0, 1), (1, 1))),
    case("flood", ((1, 1, 0), (0, 1, 0)), setof((0, 2), (1, 0)), gives=setof((0, 2), (1, 2), (1, 0))),
    case("flood", ((1, 0), (0, 1)), setof((0, 0)), gives=setof((0, 0))),
    case("flood", ((1, 1),), setof((5, (0, 1)), (6, (0, 1))), gives=setof((0, 0), (0, 1))),
    case("flood", ((1, 2),), ((0, 1), (0, 1), (4, 4), (-1, 0)), gives=setof((0, 1))),
    case("flood", ((1, 2),), setof(), gives=setof()),
    case("flood", ((1, 2),), setof((2**31 - 1, -(2**31))), gives=setof()),
    case("flood", WIDE, setof((0, 0)), gives=setof(*((i, j) for i in range(3) for j in range(3))) - {(1, 1)}),
    case("flood", TALL, setof((2101, 0)), gives=setof((2101, 0))),
    case("flood", (), setof(), fails="EMPTY"),
    case("flood", ((1, 2),), 5, fails="TYPE"),
    case("nearest", ((1, 0, 0, 0, 2),), 0, gives=((1, 1, 1, 2, 2),)),
    case("nearest", ((2, 0, 0, 0, 1),), 0, gives=((2, 2, 1, 1, 1),)),
    case("nearest", ((0, 0, 3), (0, 0, 0), (4, 0, 0)), 0, gives=((3, 3, 3), (4, 3, 3), (4, 4, 3))),
    case("nearest", ((0, 0),), 0, gives=((0, 0),)),
    case("nearest", ((1, 2),), 0, gives=((1, 2),)),
    case("nearest", ((1, 2),), 257, gives=((1, 2),)),
    case("nearest", ((1000, 0, -1000),), 0, gives=((1000, -1000, -1000),)),
    case("nearest", ((1000, 5),), 1000, gives=((5, 5),)),
    # The only cell is reached around a corner, whatever lies between.
    case("nearest", ((0, 0), (0, 6)), 0, gives=((6, 6), (6, 6))),
    case("nearest", (), 0, fails="EMPTY"),
    case("nearest", setof(), 0, fails="TYPE"),
]
