"""Cells of one colour that hang together, holes, rectangles, and the neighbours of cells."""

from random import Random

from support.cases import HIGHEST, LOWEST, Call, case, setof

RING = ((1, 1, 1, 1), (1, 0, 0, 1), (1, 1, 1, 0))
WIDE = ((1000, 1000, 1000), (1000, 7, 1000), (1000, 1000, 1000))
TALL = ((0,), *((1,),) * 2100, (0,))
DIAMOND = setof((0, 1), (1, 0), (1, 2), (2, 1))
EIGHT = setof(*((i, j) for i in range(5) for j in range(3))) - {(1, 1), (3, 1)}
STAIRS = ((1, 0, 0), (1, 1, 0), (1, 1, 1))

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
    # What is open at a corner is shut in.
    case("holes", DIAMOND, gives=1),
    case("holes", DIAMOND - {(0, 1)}, gives=0),
    case("holes", EIGHT, gives=2),
    case("holes", EIGHT - {(2, 1)}, gives=1),
    case("holes", EIGHT - {(2, 0)}, gives=2),
    case("holes", EIGHT - {(1, 0)}, gives=1),
    # Two holes that meet at a corner are two.
    case("holes", setof(*((i, j) for i in range(4) for j in range(4))) - {(1, 1), (2, 2)}, gives=2),
    # A ring within a ring.
    case(
        "holes",
        setof(*((i, j) for i in range(7) for j in range(7) if max(abs(i - 3), abs(j - 3)) in (1, 3))),
        gives=2,
    ),
    case("holes", setof((5, (0, 1)), (6, (1, 0)), (5, (1, 2)), (6, (2, 1)), (7, (2, 1))), gives=1),
    case("holes", ((2, 1), (0, 1), (1, 2), (1, 0), (0, 1)), gives=1),
    case("holes", ((9, (2, 1)), (9, (0, 1)), (8, (1, 2)), (9, (1, 0))), gives=1),
    case("holes", setof(*((i - 9000, j + 9000) for i, j in DIAMOND)), gives=1),
    case("holes", setof((LOWEST, LOWEST), (HIGHEST, HIGHEST), (LOWEST, HIGHEST)), gives=0),
    case("holes", setof((4, 4)), gives=0),
    case("holes", setof(), gives=0),
    case("holes", (), gives=0),
    case("holes", setof(5), fails="TYPE"),
    case("rectangle", ((0, 0, 1), (0, 0, 0), (1, 0, 0)), 0, gives=setof((0, 0), (0, 1), (1, 0), (1, 1))),
    case("rectangle", ((1, 0, 0), (0, 0, 0), (0, 0, 1)), 0, gives=setof((0, 1), (0, 2), (1, 1), (1, 2))),
    case("rectangle", ((1, 0, 1), (0, 0, 0), (1, 0, 1)), 0, gives=setof((0, 1), (1, 1), (2, 1))),
    case("rectangle", ((1, 1, 0), (1, 0, 1), (0, 1, 1)), 0, gives=setof((0, 2))),
    # The leftmost of one row, then the taller from one corner.
    case("rectangle", ((0, 1, 0),), 0, gives=setof((0, 0))),
    case("rectangle", ((0, 0), (0, 1)), 0, gives=setof((0, 0), (1, 0))),
    case("rectangle", STAIRS, 1, gives=setof((1, 0), (1, 1), (2, 0), (2, 1))),
    case("rectangle", STAIRS, 0, gives=setof((0, 1), (0, 2))),
    case("rectangle", STAIRS, 257, gives=setof()),
    case("rectangle", WIDE, 7, gives=setof((1, 1))),
    case("rectangle", WIDE, 1000, gives=setof((0, 0), (1, 0), (2, 0))),
    case("rectangle", TALL, 0, gives=setof((0, 0))),
    case("rectangle", TALL, 1, gives=setof(*((i, 0) for i in range(1, 2101)))),
    case("rectangle", ((3,) * 400,) * 400, 3, fails="SIZE"),
    case("rectangle", (), 0, fails="EMPTY"),
    case("rectangle", setof(), 0, fails="TYPE"),
    case("crowded", ((1, 0, 0), (1, 1, 0)), 1, 3, gives=setof((0, 1))),
    case("crowded", ((1, 0, 0), (1, 1, 0)), 1, 2, gives=setof((0, 0), (0, 1), (1, 0), (1, 1))),
    case("crowded", ((1, 0, 0), (1, 1, 0)), 1, 0, gives=setof(*((i, j) for i in range(2) for j in range(3)))),
    case("crowded", ((5, 5, 5), (5, 0, 5), (5, 5, 5)), 5, 8, gives=setof((1, 1))),
    case("crowded", ((5, 5, 5), (5, 0, 5), (5, 5, 5)), 5, 9, gives=setof()),
    case(
        "crowded",
        ((5, 5, 5), (5, 0, 5), (5, 5, 5)),
        5,
        4,
        gives=setof((0, 1), (1, 0), (1, 1), (1, 2), (2, 1)),
    ),
    case("crowded", ((5,),), 5, 1, gives=setof()),
    case("crowded", ((5,),), 5, LOWEST, gives=setof((0, 0))),
    case("crowded", ((5, 5),), 261, 1, gives=setof()),
    case("crowded", WIDE, 1000, 6, gives=setof((1, 1))),
    case("crowded", TALL, 0, 1, gives=setof((1, 0), (2100, 0))),
    case("crowded", (), 0, 1, fails="EMPTY"),
    case("crowded", ((5,),), 5, (), fails="TYPE"),
    case("dcrowded", ((1, 0, 0), (1, 1, 0)), 1, 2, gives=setof((0, 1), (1, 0))),
    case("dcrowded", ((5, 0, 5), (0, 0, 0), (5, 0, 5)), 5, 2, gives=setof((0, 1), (1, 0), (1, 2), (2, 1))),
    case("dcrowded", ((0, 5, 0), (5, 0, 5), (0, 5, 0)), 5, 3, gives=setof((1, 1))),
    case("dcrowded", ((5, 5),), 5, 1, gives=setof((0, 0), (0, 1))),
    case("dcrowded", ((5, 5),), 5, HIGHEST, gives=setof()),
    case("dcrowded", WIDE, 1000, 3, gives=setof((1, 1))),
    case("dcrowded", ((5,),), 5, -1, gives=setof((0, 0))),
    case("dcrowded", (), 0, 1, fails="EMPTY"),
    case("dcrowded", 5, 5, 1, fails="TYPE"),
    case("denoised", ((1, 1, 1), (1, 5, 1), (1, 1, 1)), gives=((1,) * 3,) * 3),
    case("denoised", ((1, 1, 1), (1, 5, 1), (5, 1, 1)), gives=((1, 1, 1), (1, 5, 1), (5, 1, 1))),
    # All are judged by what was there, and of colours that occur alike the smallest is taken.
    case("denoised", ((3, 2),), gives=((2, 3),)),
    case("denoised", ((4, 9, 3),), gives=((9, 3, 9),)),
    case("denoised", ((2, 2, 7), (8, 8, 2)), gives=((2, 2, 2), (8, 8, 2))),
    case("denoised", ((7,),), gives=((7,),)),
    case("denoised", ((1000, 1000, -7), (1000, 1000, 1000)), gives=((1000,) * 3,) * 2),
    case("denoised", ((7, 1000),), gives=((1000, 7),)),
    case("denoised", WIDE, gives=((1000,) * 3,) * 3),
    case("denoised", (), fails="EMPTY"),
    case("denoised", setof(), fails="TYPE"),
]


def shut_in(spots: set[tuple[int, int]], side: int) -> int:
    """The holes of locations on a square, found by floods from each place around and on it."""
    rest = {(i, j) for i in range(-1, side + 1) for j in range(-1, side + 1)} - spots
    count = -1  # the outside is no hole
    while rest:
        count += 1
        frontier = [rest.pop()]
        while frontier:
            i, j = frontier.pop()
            beside = {(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)} & rest
            rest -= beside
            frontier += beside
    return count


def test_holes_are_what_no_flood_from_outside_reaches(call: Call) -> None:
    random = Random(7)
    for side in range(1, 13):
        for density in (0.4, 0.6, 0.8):
            spots = {(i, j) for i in range(side) for j in range(side) if random.random() < density}
            assert call("holes", frozenset(spots)) == shut_in(spots, side)


def test_no_rectangle_of_the_colour_beats_the_one_found(call: Call) -> None:
    random = Random(8)
    for height, width in ((1, 6), (6, 1), (4, 5), (5, 4), (6, 6)):
        grid = tuple(tuple(random.choice((0, 0, 1)) for _ in range(width)) for _ in range(height))
        boxes = [
            (-(b - t) * (r - x), t, x, t - b)
            for t in range(height)
            for b in range(t + 1, height + 1)
            for x in range(width)
            for r in range(x + 1, width + 1)
            if not any(any(row[x:r]) for row in grid[t:b])
        ]
        area, top, left, tall = min(boxes)
        found = setof(*((top + k, left + m) for k in range(-tall) for m in range(area // tall)))
        assert call("rectangle", grid, 0) == found
