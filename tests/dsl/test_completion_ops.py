"""Masked cells replaced by what symmetry or a period says."""

from support.cases import case, setof

QUARTERS = ((1, 2, 2, 1), (3, 4, 4, 3), (3, 4, 4, 3), (1, 2, 2, 1))

CASES = [
    case("symmetric", ((1, 2, 2, 1), (3, 4, 9, 9)), 9, gives=((1, 2, 2, 1), (3, 4, 4, 3))),
    # All of a quarter, of which one corner is known by the half turn or by two mirrors alone.
    case("symmetric", ((9, 9, 2, 1), (9, 9, 4, 3), (3, 4, 4, 3), (1, 2, 2, 1)), 9, gives=QUARTERS),
    # An axis between the second and the third of five columns; nothing tells the last one.
    case(
        "symmetric",
        ((1, 2, 2, 1, 9), (3, 4, 9, 3, 9), (5, 6, 6, 5, 9)),
        9,
        gives=((1, 2, 2, 1, 9), (3, 4, 4, 3, 9), (5, 6, 6, 5, 9)),
    ),
    # An axis through the middle of a column.
    case(
        "symmetric",
        ((1, 2, 1), (3, 4, 9), (5, 6, 5), (7, 8, 7)),
        9,
        gives=((1, 2, 1), (3, 4, 3), (5, 6, 5), (7, 8, 7)),
    ),
    case("symmetric", ((1, 2, 3), (2, 4, 5), (3, 9, 6)), 9, gives=((1, 2, 3), (2, 4, 5), (3, 5, 6))),
    case("symmetric", ((3, 2, 1), (5, 4, 2), (6, 9, 3)), 9, gives=((3, 2, 1), (5, 4, 2), (6, 5, 3))),
    case("symmetric", ((1, 2, 3), (4, 5, 4), (3, 2, 9)), 9, gives=((1, 2, 3), (4, 5, 4), (3, 2, 1))),
    case("symmetric", ((1, 2, 3), (4, 5, 6), (7, 8, 9)), 9, gives=((1, 2, 3), (4, 5, 6), (7, 8, 9))),
    case("symmetric", QUARTERS, 9, gives=QUARTERS),
    case("symmetric", QUARTERS, 1000, gives=QUARTERS),
    case("symmetric", ((9, 9), (9, 9)), 9, gives=((9, 9), (9, 9))),
    case("symmetric", ((5, 9),), 9, gives=((5, 9),)),
    case("symmetric", ((1000, 2, 2, 1000), (3, 4, 9, 9)), 9, gives=((1000, 2, 2, 1000), (3, 4, 4, 3))),
    case("symmetric", ((1, 2, 2, 1), (3, 4, 1000, 1000)), 1000, gives=((1, 2, 2, 1), (3, 4, 4, 3))),
    case("symmetric", (), 9, fails="EMPTY"),
    case("symmetric", setof(), 9, fails="TYPE"),
    case("periodic", ((1, 2, 1, 2, 1), (3, 4, 9, 9, 3)), 9, gives=((1, 2, 1, 2, 1), (3, 4, 3, 4, 3))),
    case("periodic", ((1, 2), (3, 4), (1, 9), (9, 4)), 9, gives=((1, 2), (3, 4), (1, 2), (3, 4))),
    # Both periods together tell what neither does alone.
    case(
        "periodic",
        ((1, 2, 1, 2), (3, 4, 3, 9), (1, 2, 1, 2), (3, 4, 3, 9)),
        9,
        gives=((1, 2, 1, 2), (3, 4, 3, 4), (1, 2, 1, 2), (3, 4, 3, 4)),
    ),
    case("periodic", ((1, 9, 1, 9, 1, 9),), 9, gives=((1, 1, 1, 1, 1, 1),)),
    # What is masked in every period keeps its colour.
    case("periodic", ((1, 2, 9, 1, 2, 9, 1),), 9, gives=((1, 2, 9, 1, 2, 9, 1),)),
    # The first row shifts by one column a row; neither rows nor columns repeat.
    case(
        "periodic",
        ((1, 2, 3, 4), (5, 1, 2, 3), (6, 5, 9, 2), (7, 6, 5, 9)),
        9,
        gives=((1, 2, 3, 4), (5, 1, 2, 3), (6, 5, 1, 2), (7, 6, 5, 1)),
    ),
    case(
        "periodic",
        ((4, 9, 2, 1), (3, 2, 1, 5), (2, 1, 9, 6), (1, 5, 6, 7)),
        9,
        gives=((4, 3, 2, 1), (3, 2, 1, 5), (2, 1, 5, 6), (1, 5, 6, 7)),
    ),
    case("periodic", ((1, 2, 3), (4, 5, 6), (7, 8, 9)), 9, gives=((1, 2, 3), (4, 5, 6), (7, 8, 9))),
    case("periodic", QUARTERS, 9, gives=QUARTERS),
    case("periodic", QUARTERS, 1000, gives=QUARTERS),
    case("periodic", ((9, 9), (9, 9)), 9, gives=((9, 9), (9, 9))),
    case("periodic", ((1000, 2, 1000, 9),), 9, gives=((1000, 2, 1000, 2),)),
    case("periodic", ((1, 2, 1, 1000),), 1000, gives=((1, 2, 1, 2),)),
    case("periodic", (), 9, fails="EMPTY"),
    case("periodic", 5, 9, fails="TYPE"),
]
