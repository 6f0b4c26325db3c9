"""Section 6.2: elements by rank and position."""

import pytest

from arcbatt import Limits, fn
from support.cases import HIGHEST, LOWEST, Call, case, constantly, failed, setof

EVEN = fn("even")
IDENTITY = fn("identity")
INVERT = fn("invert")
MAKES_FUNCTIONS = fn("lbind", fn("lbind"), fn("add"))
NUMBERS = (3, 1, 2, 4)
COLORS = ((1, 2, 2), (3, 3, 0))
TWO_COLORS_IN_ONE_PLACE = setof((1, (0, 0)), (2, (0, 0)), (2, (0, 1)))

CASES = [
    case("second", (5, 7, 9), gives=7),
    case("second", (5, 5), gives=5),
    case("second", setof(9, 5, 7), gives=7),
    case("second", setof((1, 0), (0, 1)), gives=(1, 0)),
    case("second", (), fails="EMPTY"),
    case("second", setof(), fails="EMPTY"),
    case("second", (5,), fails="INDEX"),
    case("second", setof(5), fails="INDEX"),
    case("second", 5, fails="TYPE"),
    case("second", fn("second"), fails="TYPE"),
    case("get_nth_t", (5, 7, 9), 0, gives=5),
    case("get_nth_t", (5, 7, 9), 2, gives=9),
    case("get_nth_t", (5, 7, 9), -1, gives=9),
    case("get_nth_t", (5, 7, 9), -3, gives=5),
    case("get_nth_t", ((),), 0, gives=()),
    case("get_nth_t", (5, 7, 9), 3, fails="INDEX"),
    case("get_nth_t", (5, 7, 9), -4, fails="INDEX"),
    case("get_nth_t", (5,), HIGHEST, fails="INDEX"),
    case("get_nth_t", (5,), LOWEST, fails="INDEX"),
    case("get_nth_t", (), 0, fails="EMPTY"),
    case("get_nth_t", (), 9, fails="EMPTY"),
    case("get_nth_t", setof(7, 5), 0, gives=5),
    case("get_nth_t", setof(), 0, fails="EMPTY"),
    case("get_nth_t", (), (0, 0), fails="TYPE"),
    case("get_nth_t", (5,), IDENTITY, fails="TYPE"),
    case("get_nth_f", setof(9, 5, 7), 0, gives=5),
    case("get_nth_f", setof(9, 5, 7), 1, gives=7),
    case("get_nth_f", setof(9, 5, 7), -1, gives=9),
    case("get_nth_f", (9, 5, 7), 0, gives=9),
    case("get_nth_f", (9, 5, 7), -1, gives=7),
    case("get_nth_f", setof(9, 5, 7), 3, fails="INDEX"),
    case("get_nth_f", setof(9, 5, 7), -4, fails="INDEX"),
    case("get_nth_f", setof(), 0, fails="EMPTY"),
    case("get_nth_f", (), 3, fails="EMPTY"),
    case("get_nth_f", 5, 0, fails="TYPE"),
    case("get_nth_f", (5,), (0,), fails="TYPE"),
    case("get_nth_by_key_t", NUMBERS, 0, INVERT, gives=4),
    case("get_nth_by_key_t", NUMBERS, -1, INVERT, gives=1),
    case("get_nth_by_key_t", NUMBERS, 0, EVEN, gives=3),
    case("get_nth_by_key_t", NUMBERS, 1, EVEN, gives=1),
    case("get_nth_by_key_t", NUMBERS, 2, EVEN, gives=2),
    case("get_nth_by_key_t", NUMBERS, -1, EVEN, gives=4),
    case("get_nth_by_key_t", (5,), 0, IDENTITY, gives=5),
    case("get_nth_by_key_t", NUMBERS, 4, INVERT, fails="INDEX"),
    case("get_nth_by_key_t", NUMBERS, -5, INVERT, fails="INDEX"),
    case("get_nth_by_key_t", (), 0, INVERT, fails="EMPTY"),
    case("get_nth_by_key_t", setof(1, 3), 0, INVERT, gives=3),
    case("get_nth_by_key_t", (), 0, fn("add"), fails="TYPE"),
    case("get_nth_by_key_t", (), 0, 5, fails="TYPE"),
    case("get_nth_by_key_t", (1,), (), INVERT, fails="TYPE"),
    case("get_nth_by_key_t", (1, ()), 0, IDENTITY, fails="TYPE"),
    case("get_nth_by_key_t", (1,), 0, MAKES_FUNCTIONS, fails="TYPE"),
    case("get_nth_by_key_t", (1,), 0, fn("lbind", fn("divide"), 1), gives=1),
    case("get_nth_by_key_t", (1, 0), 0, fn("lbind", fn("divide"), 1), fails="ZERO"),
    case("get_nth_by_key_f", setof(*NUMBERS), 0, INVERT, gives=4),
    case("get_nth_by_key_f", setof(*NUMBERS), 0, EVEN, gives=1),
    case("get_nth_by_key_f", setof(*NUMBERS), 1, EVEN, gives=3),
    case("get_nth_by_key_f", setof(*NUMBERS), -1, EVEN, gives=4),
    case("get_nth_by_key_f", setof(8, 1), 0, constantly(0), gives=1),
    case("get_nth_by_key_f", setof(*NUMBERS), 4, EVEN, fails="INDEX"),
    case("get_nth_by_key_f", setof(*NUMBERS), -5, EVEN, fails="INDEX"),
    case("get_nth_by_key_f", setof(), 0, EVEN, fails="EMPTY"),
    case("get_nth_by_key_f", (3, 1), 0, EVEN, gives=3),
    case("get_nth_by_key_f", setof(), 0, fn("add"), fails="TYPE"),
    case("get_nth_by_key_f", setof(1, ()), 0, IDENTITY, fails="TYPE"),
    case("get_rank", (3, 1, 3), 0, gives=3),
    case("get_rank", (3, 1, 3), 1, gives=3),
    case("get_rank", (3, 1, 3), 2, gives=1),
    case("get_rank", (3, 1, 3), -1, gives=1),
    case("get_rank", setof(-3, 1), 0, gives=1),
    case("get_rank", setof(-3, 1), -1, gives=-3),
    case("get_rank", (3, 1, 3), 3, fails="INDEX"),
    case("get_rank", setof(3), -2, fails="INDEX"),
    case("get_rank", (), 0, fails="EMPTY"),
    case("get_rank", setof(), 0, fails="EMPTY"),
    case("get_rank", (1, (1, 1)), 0, fails="TYPE"),
    case("get_rank", setof((1, 1)), 0, fails="TYPE"),
    case("get_rank", 5, 0, fails="TYPE"),
    case("get_rank", (5,), (), fails="TYPE"),
    case("get_arg_rank", NUMBERS, IDENTITY, 0, gives=4),
    case("get_arg_rank", NUMBERS, IDENTITY, -1, gives=1),
    case("get_arg_rank", NUMBERS, EVEN, 0, gives=2),
    case("get_arg_rank", NUMBERS, EVEN, 1, gives=4),
    case("get_arg_rank", NUMBERS, EVEN, 2, gives=3),
    case("get_arg_rank", NUMBERS, EVEN, -1, gives=1),
    case("get_arg_rank", setof(*NUMBERS), EVEN, 0, gives=2),
    case("get_arg_rank", setof(*NUMBERS), EVEN, -1, gives=3),
    case("get_arg_rank", setof(8, 1), constantly(0), 0, gives=1),
    case("get_arg_rank", ((1, 2), (3,), ()), fn("size"), 1, gives=(3,)),
    case("get_arg_rank", (5,), IDENTITY, 0, gives=5),
    case("get_arg_rank", NUMBERS, IDENTITY, 4, fails="INDEX"),
    case("get_arg_rank", NUMBERS, IDENTITY, -5, fails="INDEX"),
    case("get_arg_rank", (), IDENTITY, 0, fails="EMPTY"),
    case("get_arg_rank", setof(), IDENTITY, 9, fails="EMPTY"),
    case("get_arg_rank", (), fn("add"), 0, fails="TYPE"),
    case("get_arg_rank", 5, IDENTITY, 0, fails="TYPE"),
    case("get_arg_rank", (5,), IDENTITY, IDENTITY, fails="TYPE"),
    case("get_arg_rank", (1, ()), IDENTITY, 0, fails="TYPE"),
    case("get_arg_rank", (1,), MAKES_FUNCTIONS, 0, fails="TYPE"),
    case("get_val_rank", NUMBERS, INVERT, 0, gives=-1),
    case("get_val_rank", NUMBERS, INVERT, 1, gives=-2),
    case("get_val_rank", NUMBERS, INVERT, -1, gives=-4),
    case("get_val_rank", setof(*NUMBERS), EVEN, 1, gives=1),
    case("get_val_rank", setof(*NUMBERS), EVEN, 2, gives=0),
    case("get_val_rank", setof(8, 1), fn("initset"), 0, gives=setof(1)),
    case("get_val_rank", (7, 5), fn("initset"), 0, gives=setof(7)),
    case("get_val_rank", (7, 5), fn("initset"), -1, gives=setof(5)),
    case("get_val_rank", NUMBERS, INVERT, 4, fails="INDEX"),
    case("get_val_rank", (), fn("initset"), 0, fails="EMPTY"),
    case("get_val_rank", setof(), IDENTITY, 0, fails="EMPTY"),
    case("get_val_rank", (), fn("add"), 0, fails="TYPE"),
    case("get_val_rank", (1,), MAKES_FUNCTIONS, 0, fails="TYPE"),
    case("get_val_rank", 5, IDENTITY, 0, fails="TYPE"),
    case("get_common_rank", (3, 1, 3, 2, 1, 5), 0, gives=1),
    case("get_common_rank", (3, 1, 3, 2, 1, 5), 1, gives=3),
    case("get_common_rank", (3, 1, 3, 2, 1, 5), 2, gives=2),
    case("get_common_rank", (3, 1, 3, 2, 1, 5), 3, gives=5),
    case("get_common_rank", (3, 1, 3, 2, 1, 5), -1, gives=5),
    case("get_common_rank", ((), 7, (), setof()), 0, gives=()),
    case("get_common_rank", ((), 7, (), setof()), -1, gives=setof()),
    case("get_common_rank", setof(4, 9, 6), 0, gives=4),
    case("get_common_rank", setof(4, 9, 6), -1, gives=9),
    case("get_common_rank", (3, 1, 3, 2, 1, 5), 4, fails="INDEX"),
    case("get_common_rank", (3, 3, 3), 1, fails="INDEX"),
    case("get_common_rank", (3, 3, 3), -2, fails="INDEX"),
    case("get_common_rank", (), 0, fails="EMPTY"),
    case("get_common_rank", setof(), 7, fails="EMPTY"),
    case("get_common_rank", 5, 0, fails="TYPE"),
    case("get_common_rank", (), (), fails="TYPE"),
    case("get_color_rank_t", COLORS, 0, gives=2),
    case("get_color_rank_t", COLORS, 1, gives=3),
    case("get_color_rank_t", COLORS, 2, gives=0),
    case("get_color_rank_t", COLORS, -1, gives=1),
    case("get_color_rank_t", ((7,),), -1, gives=7),
    case("get_color_rank_t", COLORS, 4, fails="INDEX"),
    case("get_color_rank_t", COLORS, -5, fails="INDEX"),
    case("get_color_rank_t", (), 0, fails="EMPTY"),
    case("get_color_rank_t", ((), ()), 5, fails="EMPTY"),
    case("get_color_rank_t", ((1, 2), (3,)), 0, fails="TYPE"),
    case("get_color_rank_t", TWO_COLORS_IN_ONE_PLACE, 0, fails="TYPE"),
    case("get_color_rank_t", (), COLORS, fails="TYPE"),
    case("get_color_rank_f", TWO_COLORS_IN_ONE_PLACE, 0, gives=2),
    case("get_color_rank_f", TWO_COLORS_IN_ONE_PLACE, -1, gives=1),
    case("get_color_rank_f", setof((4, (0, 0)), (3, (0, 1))), 0, gives=3),
    case("get_color_rank_f", setof((4, (0, 0)), (3, (0, 1))), -1, gives=4),
    case("get_color_rank_f", TWO_COLORS_IN_ONE_PLACE, 2, fails="INDEX"),
    case("get_color_rank_f", setof(), 0, fails="EMPTY"),
    case("get_color_rank_f", setof((0, 0)), 0, fails="TYPE"),
    case("get_color_rank_f", COLORS, 0, fails="TYPE"),
    case("get_color_rank_f", (), 0, fails="TYPE"),
]


@pytest.mark.parametrize("container", [NUMBERS, setof(*NUMBERS)], ids=["tuple", "set"])
@pytest.mark.parametrize("op", ["get_arg_rank", "get_val_rank"])
def test_rank_out_of_range_is_told_before_any_application(call: Call, op: str, container: object) -> None:
    assert failed(call(op, container, fn("first"), 4)) == "INDEX"
    assert failed(call(op, container, IDENTITY, 4, limits=Limits(calls=0))) == "INDEX"
    assert failed(call(op, container, fn("first"), 3)) == "TYPE"


def test_rank_by_key_out_of_range_is_told_before_any_application(call: Call) -> None:
    assert failed(call("get_nth_by_key_t", NUMBERS, 4, fn("first"))) == "INDEX"
    assert failed(call("get_nth_by_key_f", setof(*NUMBERS), -5, fn("first"))) == "INDEX"


def test_rank_from_the_back_takes_the_last_of_tied_elements_where_argmin_takes_the_first(call: Call) -> None:
    assert call("argmin", NUMBERS, constantly(0)) == 3
    assert call("get_arg_rank", NUMBERS, constantly(0), -1) == 4


def test_rank_of_sets_goes_by_their_size_alone(call: Call) -> None:
    small, large, equal = setof(9), setof(1, 2), setof(3, 4)
    assert call("get_arg_rank", (small, large, equal), IDENTITY, 0) == large
    assert call("get_arg_rank", (small, equal, large), IDENTITY, 0) == equal
    assert call("get_nth_by_key_t", (large, small), 0, IDENTITY) == small
