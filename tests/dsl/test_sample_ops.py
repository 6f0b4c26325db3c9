"""Section 6.4: ops on the samples of a task."""

import pytest

from arcbatt import Limits, fn
from support.cases import Call, case, failed, setof

PALETTE, FIRST, HEIGHT = fn("palette"), fn("first"), fn("height")
CHANGED = (((1, 2),), ((2, 3),))
SAME = (((5, 1),), ((5, 1),))
SWAPPED = (((5, 1),), ((1, 5),))
SAMPLES = (CHANGED, (((5, 1),), ((5, 5),)))
GRID = ((1, 2), (3, 4))
RECTANGLE = ((1, 2, 3), (4, 5, 6))
NO_SAMPLES = [
    5,
    setof(),
    setof(CHANGED),
    (GRID, GRID),
    CHANGED,
    ((GRID,),),
    ((GRID, GRID, GRID),),
    ((GRID, ()),),
    (((), GRID),),
    ((GRID, ((), ())),),
    ((GRID, ((1,), (2, 3))),),
    ((GRID, setof()),),
    (setof(GRID),),
    fn("identity"),
]

CASES = [
    case("dedupe_pair_tuple", (CHANGED, SAME, CHANGED), gives=(CHANGED, CHANGED)),
    case("dedupe_pair_tuple", (SAME,), gives=()),
    case("dedupe_pair_tuple", (SWAPPED,), gives=(SWAPPED,)),
    case("dedupe_pair_tuple", (), gives=()),
    case("c_iz", SAMPLES, PALETTE, gives=(1,)),
    case("c_iz", (CHANGED,), PALETTE, gives=(1,)),
    case("c_iz", (SAME,), PALETTE, gives=()),
    case(
        "c_iz", ((((9, 4),), ((4, 4),)), (((4, 7),), ((4, 4),)), (((7, 9),), ((4, 4),))), FIRST, gives=(9, 7)
    ),
    case("c_iz", (), PALETTE, gives=()),
    case("c_iz", SAMPLES, HEIGHT, fails="TYPE"),
    case("c_iz", SAMPLES, fn("compose", FIRST, PALETTE), fails="TYPE"),
    case("c_iz", (), fn("add"), fails="TYPE"),
    case("c_iz", SAMPLES, 5, fails="TYPE"),
    case("c_iz", SAMPLES, fn("trim"), gives=()),
    case("c_iz", SAMPLES, fn("chain", FIRST, fn("trim"), fn("identity")), fails="EMPTY"),
    case("c_zo", SAMPLES, PALETTE, gives=(3,)),
    case("c_zo", (SAME,), PALETTE, gives=()),
    case("c_zo", ((((4, 4),), ((9, 4),)), (((4, 4),), ((8, 9),))), FIRST, gives=(9, 8)),
    case("c_zo", (), PALETTE, gives=()),
    case("c_zo", SAMPLES, HEIGHT, fails="TYPE"),
    case("c_zo", (), fn("canvas"), fails="TYPE"),
    case("c_iz_n", SAMPLES, PALETTE, FIRST, gives=1),
    case("c_iz_n", SAMPLES, PALETTE, fn("size"), gives=1),
    case("c_iz_n", (), PALETTE, fn("identity"), gives=()),
    case("c_iz_n", (SAME,), PALETTE, FIRST, fails="EMPTY"),
    case("c_iz_n", SAMPLES, HEIGHT, FIRST, fails="TYPE"),
    case("c_iz_n", SAMPLES, PALETTE, fn("increment"), fails="TYPE"),
    case("c_iz_n", (), PALETTE, fn("add"), fails="TYPE"),
    case("c_zo_n", SAMPLES, PALETTE, FIRST, gives=3),
    case("c_zo_n", SAMPLES, PALETTE, fn("totuple"), gives=(3,)),
    case("c_zo_n", (), PALETTE, FIRST, fails="EMPTY"),
    case("c_zo_n", SAMPLES, HEIGHT, FIRST, fails="TYPE"),
    case("c_zo_n", SAMPLES, PALETTE, 0, fails="TYPE"),
    case("a_mr", ((GRID, ((3, 4), (1, 2))),), gives=0),
    case("a_mr", ((GRID, ((1, 3), (2, 4))),), gives=1),
    case("a_mr", ((GRID, ((2, 1), (4, 3))),), gives=2),
    case("a_mr", ((GRID, ((4, 2), (3, 1))),), gives=3),
    case("a_mr", ((GRID, ((3, 1), (4, 2))),), gives=4),
    case("a_mr", ((GRID, ((4, 3), (2, 1))),), gives=5),
    case("a_mr", ((GRID, ((2, 4), (1, 3))),), gives=6),
    case("a_mr", ((GRID, GRID),), gives=7),
    case("a_mr", ((((5,),), ((5,),)),), gives=0),
    case("a_mr", ((((5,),), ((5,),)), (GRID, ((2, 1), (4, 3)))), gives=2),
    case("a_mr", ((GRID, ((3, 4), (1, 2))), (GRID, GRID)), fails="INDEX"),
    case("a_mr", ((GRID, ((9, 9), (9, 9))),), fails="INDEX"),
    case("a_mr", ((RECTANGLE, ((4, 1), (5, 2), (6, 3))),), gives=4),
    case("a_mr", (), fails="EMPTY"),
    *(case(op, other, fails="TYPE") for op in ("dedupe_pair_tuple", "a_mr") for other in NO_SAMPLES),
    *(case(op, other, PALETTE, fails="TYPE") for op in ("c_iz", "c_zo") for other in NO_SAMPLES),
    *(case(op, other, PALETTE, FIRST, fails="TYPE") for op in ("c_iz_n", "c_zo_n") for other in NO_SAMPLES),
]


ONE_ZERO, NO_ZERO = ((0, 1),), ((1, 1),)
ONE_OVER_ZEROS = fn("compose", fn("lbind", fn("divide"), 1), fn("rbind", fn("colorcount"), 0))


@pytest.mark.parametrize("op", ["c_iz", "c_zo"])
def test_results_are_type_checked_right_after_their_application(call: Call, op: str) -> None:
    assert failed(call(op, ((ONE_ZERO, ONE_ZERO), (NO_ZERO, NO_ZERO)), ONE_OVER_ZEROS)) == "TYPE"
    assert failed(call(op, ((NO_ZERO, ONE_ZERO), (ONE_ZERO, ONE_ZERO)), ONE_OVER_ZEROS)) == "ZERO"


@pytest.mark.parametrize("op", ["c_iz", "c_zo"])
def test_all_inputs_are_read_before_any_output(call: Call, op: str) -> None:
    assert failed(call(op, ((ONE_ZERO, NO_ZERO),), ONE_OVER_ZEROS)) == "TYPE"
    assert failed(call(op, ((NO_ZERO, ONE_ZERO),), ONE_OVER_ZEROS)) == "ZERO"


@pytest.mark.parametrize("op", ["c_iz", "c_zo"])
def test_elements_are_weighed_before_duplicates_collapse(call: Call, op: str) -> None:
    twenty_zeros = fn("chain", fn("lbind", fn("repeat"), 0), fn("lbind", fn("multiply"), 20), HEIGHT)
    samples = ((((1,),), ((1,),)),) * 2
    assert call(op, samples, twenty_zeros, limits=Limits(items=41)) == ()
    assert failed(call(op, samples, twenty_zeros, limits=Limits(items=40))) == "SIZE"


def test_pick_is_not_applied_when_gathering_fails(call: Call) -> None:
    fails_zero = fn("compose", fn("lbind", fn("divide"), 1), fn("size"))
    assert failed(call("c_iz_n", (SAME,), PALETTE, fails_zero)) == "ZERO"
    assert failed(call("c_iz_n", (SAME,), HEIGHT, fails_zero)) == "TYPE"
