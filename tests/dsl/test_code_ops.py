"""Section 6.3: ops that a number tells what to do."""

import pytest

from arcbatt import fn
from support.cases import HIGHEST, Call, case, failed, setof

GRID = ((1, 2), (3, 4))
DIAGONAL = ((1, 0), (0, 2))
ONE, TWO = setof((1, (0, 0))), setof((2, (1, 1)))
UPPER_ZERO, LOWER_ZERO = setof((0, (0, 1))), setof((0, (1, 0)))
WHOLE = ONE | TWO | UPPER_ZERO | LOWER_ZERO
PATCH = setof((0, 0), (0, 1), (2, 0))
CELLS = setof((5, (1, 4)), (6, (3, 2)))

OBJECTS_BY_TYPE = {
    0: setof(WHOLE),
    1: setof(ONE, TWO),
    2: setof(WHOLE),
    3: setof(ONE | TWO),
    4: setof(ONE, TWO, UPPER_ZERO, LOWER_ZERO),
    5: setof(ONE, TWO),
    6: setof(ONE, TWO, UPPER_ZERO | LOWER_ZERO),
    7: setof(ONE, TWO),
}

CASES = [
    *(case("o_g", DIAGONAL, code, gives=objects) for code, objects in OBJECTS_BY_TYPE.items()),
    case("o_g", ((5, 5),), 7, gives=setof()),
    case("o_g", ((5,),), 4, gives=setof(setof((5, (0, 0))))),
    case("o_g", DIAGONAL, 8, fails="INDEX"),
    case("o_g", DIAGONAL, -1, fails="INDEX"),
    case("o_g", DIAGONAL, HIGHEST, fails="INDEX"),
    case("o_g", (), 0, fails="EMPTY"),
    case("o_g", ((), ()), 8, fails="EMPTY"),
    case("o_g", ((1,), (1, 2)), 8, fails="TYPE"),
    case("o_g", WHOLE, 0, fails="TYPE"),
    case("o_g", (), (0, 0), fails="TYPE"),
    case("o_g_t", DIAGONAL, 6, gives=(((0, (0, 1)), (0, (1, 0))), ((1, (0, 0)),), ((2, (1, 1)),))),
    case("o_g_t", DIAGONAL, 4, gives=(((0, (0, 1)),), ((0, (1, 0)),), ((1, (0, 0)),), ((2, (1, 1)),))),
    case("o_g_t", DIAGONAL, 0, gives=(((0, (0, 1)), (0, (1, 0)), (1, (0, 0)), (2, (1, 1))),)),
    case("o_g_t", ((5, 5),), 7, gives=()),
    case("o_g_t", DIAGONAL, 8, fails="INDEX"),
    case("o_g_t", DIAGONAL, -1, fails="INDEX"),
    case("o_g_t", (), 9, fails="EMPTY"),
    case("o_g_t", ((), ()), 0, fails="EMPTY"),
    case("o_g_t", 5, 0, fails="TYPE"),
    case("o_g_t", DIAGONAL, setof(), fails="TYPE"),
    case("objects_t", DIAGONAL, 0, 1, 1, gives=(((1, (0, 0)), (2, (1, 1))),)),
    case("objects_t", DIAGONAL, 5, -1, 0, gives=(((0, (0, 1)), (0, (1, 0))), ((1, (0, 0)),), ((2, (1, 1)),))),
    case("objects_t", ((5,),), 1, 0, 0, gives=(((5, (0, 0)),),)),
    case("objects_t", ((5,),), 1, 0, 1, gives=()),
    case("objects_t", (), 0, 0, 0, fails="EMPTY"),
    case("objects_t", ((),), 0, 0, 0, fails="EMPTY"),
    case("objects_t", (), 0, 0, (), fails="TYPE"),
    case("objects_t", DIAGONAL, fn("even"), 0, 0, fails="TYPE"),
    case("objects_t", WHOLE, 0, 0, 0, fails="TYPE"),
    case("mir_rot_t", GRID, 0, gives=((3, 4), (1, 2))),
    case("mir_rot_t", GRID, 1, gives=((1, 3), (2, 4))),
    case("mir_rot_t", GRID, 2, gives=((2, 1), (4, 3))),
    case("mir_rot_t", GRID, 3, gives=((4, 2), (3, 1))),
    case("mir_rot_t", GRID, 4, gives=((3, 1), (4, 2))),
    case("mir_rot_t", GRID, 5, gives=((4, 3), (2, 1))),
    case("mir_rot_t", GRID, 6, gives=((2, 4), (1, 3))),
    case("mir_rot_t", GRID, 7, gives=GRID),
    case("mir_rot_t", GRID, -1, gives=GRID),
    case("mir_rot_t", GRID, HIGHEST, gives=GRID),
    case("mir_rot_t", ((1, 2, 3),), 4, gives=((1,), (2,), (3,))),
    case("mir_rot_t", (), 3, gives=()),
    case("mir_rot_t", ((), ()), 0, gives=((), ())),
    case("mir_rot_t", ((), ()), 1, gives=()),
    case("mir_rot_t", ((), ()), 4, gives=()),
    case("mir_rot_t", ((), ()), 9, gives=((), ())),
    case("mir_rot_t", ((1,), (2, 3)), 9, fails="TYPE"),
    case("mir_rot_t", setof(), 9, fails="TYPE"),
    case("mir_rot_t", GRID, (4,), fails="TYPE"),
    case("mir_rot_f", PATCH, 0, gives=setof((2, 0), (2, 1), (0, 0))),
    case("mir_rot_f", PATCH, 1, gives=setof((0, 0), (1, 0), (0, 2))),
    case("mir_rot_f", PATCH, 2, gives=setof((0, 1), (0, 0), (2, 1))),
    case("mir_rot_f", PATCH, 3, gives=setof((1, 2), (0, 2), (1, 0))),
    case("mir_rot_f", PATCH, 4, gives=PATCH),
    case("mir_rot_f", PATCH, 6, gives=PATCH),
    case("mir_rot_f", PATCH, -1, gives=PATCH),
    case("mir_rot_f", CELLS, 0, gives=setof((5, (3, 4)), (6, (1, 2)))),
    case("mir_rot_f", setof((7, 7)), 3, gives=setof((7, 7))),
    *(case("mir_rot_f", setof(), code, fails="EMPTY") for code in range(4)),
    case("mir_rot_f", setof(), 4, gives=setof()),
    case("mir_rot_f", setof(), -1, gives=setof()),
    case("mir_rot_f", (), 4, fails="TYPE"),
    case("mir_rot_f", GRID, 4, fails="TYPE"),
    case("mir_rot_f", setof((0, 0), (1, (0, 0))), 4, fails="TYPE"),
    case("mir_rot_f", setof(), setof(), fails="TYPE"),
    case("corner", CELLS, 0, gives=(1, 2)),
    case("corner", CELLS, 1, gives=(1, 4)),
    case("corner", CELLS, 2, gives=(3, 2)),
    case("corner", CELLS, 3, gives=(3, 4)),
    case("corner", CELLS, 4, gives=(1, 2)),
    case("corner", CELLS, -1, gives=(1, 2)),
    case("corner", ((1, 4), (3, 2)), 3, gives=(3, 4)),
    case("corner", setof((7, 8)), 2, gives=(7, 8)),
    case("corner", setof(), 0, gives=()),
    case("corner", (), 3, gives=()),
    case("corner", setof(), 9, gives=()),
    case("corner", setof(3), 0, fails="TYPE"),
    case("corner", ((1, 2), (3, (4, 5))), 0, fails="TYPE"),
    case("corner", setof(), (), fails="TYPE"),
    case("col_row", CELLS, 0, gives=3),
    case("col_row", CELLS, 1, gives=1),
    case("col_row", CELLS, 2, gives=2),
    case("col_row", CELLS, 3, gives=4),
    case("col_row", ((1, 4), (3, 2)), 0, gives=3),
    case("col_row", setof((7, 8)), 3, gives=8),
    case("col_row", CELLS, 4, fails="INDEX"),
    case("col_row", CELLS, -1, fails="INDEX"),
    case("col_row", setof(), 0, fails="EMPTY"),
    case("col_row", (), 9, fails="EMPTY"),
    case("col_row", 5, 9, fails="TYPE"),
    case("col_row", setof(), (), fails="TYPE"),
]


@pytest.mark.parametrize("code", range(8))
def test_object_code_is_made_of_univalued_diagonal_and_without_background(call: Call, code: int) -> None:
    grid = ((1, 1, 0, 2), (0, 0, 3, 2), (4, 0, 0, 0), (0, 4, 1, 0))
    flags = (code // 4, code // 2 % 2, code % 2)
    objects = call("objects", grid, *flags)
    assert call("o_g", grid, code) == objects
    as_tuples = tuple(call("totuple", item) for item in call("totuple", objects))
    assert call("o_g_t", grid, code) == as_tuples
    assert call("objects_t", grid, *flags) == as_tuples


MIRRORS = ("hmirror", "dmirror", "vmirror", "cmirror")
TURNS = ("rot90", "rot180", "rot270")
CORNERS = ("ulcorner", "urcorner", "llcorner", "lrcorner")
SIDES = ("lowermost", "uppermost", "leftmost", "rightmost")


@pytest.mark.parametrize(
    ("coded", "names", "argument"),
    [
        ("mir_rot_t", MIRRORS + TURNS, ((1, 2, 3), (4, 5, 6))),
        ("mir_rot_f", MIRRORS, CELLS),
        ("corner", CORNERS, CELLS),
        ("col_row", SIDES, CELLS),
    ],
)
def test_each_code_stands_for_its_core_op(
    call: Call, coded: str, names: tuple[str, ...], argument: object
) -> None:
    for code, name in enumerate(names):
        assert call(coded, argument, code) == call(name, argument)


def test_mirroring_an_empty_patch_fails_only_where_there_is_something_to_mirror(call: Call) -> None:
    assert failed(call("mir_rot_f", setof(), 3)) == "EMPTY"
    assert call("mir_rot_f", setof(), 5) == setof()
