"""Section 2.2: which failure is reported where several could be."""

from typing import Any

import pytest

from arcbatt import Limits, fn
from support.cases import HIGHEST, Call, constantly, failed, setof, shown

ADD, FIRST, IDENTITY = fn("add"), fn("first"), fn("identity")
ONE_OVER = fn("lbind", fn("divide"), 1)
GRID = ((1, 2), (3, 4))

FIRST_OF_SEVERAL: list[tuple[str, tuple[Any, ...], str]] = [
    # TYPE of any argument before EMPTY of an earlier one.
    ("fill", ((), 3, 5), "TYPE"),
    ("fill", ((), (), setof()), "TYPE"),
    ("fill", ((), 3, setof()), "EMPTY"),
    ("index", (((), ()), 5), "TYPE"),
    ("index", (((), ()), (0, 0)), "EMPTY"),
    ("index", (GRID, (2, 0)), "INDEX"),
    ("index", (GRID, (0, -1)), "INDEX"),
    ("cellwise", ((), GRID, ()), "TYPE"),
    ("cellwise", (GRID, (), 0), "EMPTY"),
    ("cellwise", (GRID, ((1, 2),), 0), "INDEX"),
    ("argmax", ((), ADD), "TYPE"),
    ("argmax", ((), IDENTITY), "EMPTY"),
    ("extract", ((), 5), "TYPE"),
    ("extract", ((), IDENTITY), "EMPTY"),
    ("extract", ((0, 0), IDENTITY), "INDEX"),
    ("other", ((), 5), "EMPTY"),
    ("other", ((5, 5), 5), "INDEX"),
    ("position", (setof(), ((0, 0),)), "TYPE"),
    ("position", (setof(), setof()), "EMPTY"),
    ("manhattan", (setof(), 3), "TYPE"),
    ("subgrid", (setof(), ((1,), (2, 3))), "TYPE"),
    ("subgrid", (setof(), GRID), "EMPTY"),
    ("colorfilter", (setof(setof()), ()), "TYPE"),
    ("colorfilter", (setof(setof()), 3), "EMPTY"),
    # EMPTY before ZERO, ZERO before RANGE.
    ("downscale", (((), ()), 0), "EMPTY"),
    ("downscale", ((), 0), "EMPTY"),
    ("downscale", ((), ()), "TYPE"),
    ("downscale", (GRID, 0), "ZERO"),
    ("hsplit", ((), 0), "EMPTY"),
    ("hsplit", (GRID, 0), "ZERO"),
    ("vsplit", (((),), 0), "EMPTY"),
    ("vsplit", (GRID, 0), "ZERO"),
    ("interval", (0, 5, 0), "ZERO"),
    ("interval", (0, (), 0), "TYPE"),
    ("divide", (5, 0), "ZERO"),
    ("divide", (5, (1, 0)), "ZERO"),
    ("divide", ((), 0), "TYPE"),
    ("divide", ((-(2**31), 1), (-1, 0)), "ZERO"),
    # EMPTY before INDEX.
    ("get_nth_t", ((), 9), "EMPTY"),
    ("col_row", (setof(), 9), "EMPTY"),
    ("o_g", (((), ()), 9), "EMPTY"),
    # A TYPE condition over several arguments is part of the first check.
    ("vconcat", (((1, 2),), ((1,),)), "TYPE"),
    ("vconcat", (((), ()), ((1,),)), "TYPE"),
    ("celltuple", ((), ((),)), "TYPE"),
    ("power", (ADD, 0), "TYPE"),
    ("power", (ADD, 2), "TYPE"),
    ("power", (IDENTITY, 0), "DEPTH"),
    # A check is complete: nothing is irrelevant.
    ("shift", (setof(), 5), "TYPE"),
    ("apply", (ADD, ()), "TYPE"),
    ("papply", (ADD, (), setof()), "TYPE"),
    ("prapply", (FIRST, setof(), setof()), "TYPE"),
    ("mfilter", ((5,), constantly(0)), "TYPE"),
    ("both", (0, ()), "TYPE"),
    ("either", (1, ()), "TYPE"),
    ("branch", ((), 1, 2), "TYPE"),
    ("rapply", ((IDENTITY, ADD), 5), "TYPE"),
    ("rapply", ((FIRST, 5), 5), "TYPE"),
    ("move", (GRID, setof(), 5), "TYPE"),
]


@pytest.mark.parametrize(("op", "arguments", "kind"), FIRST_OF_SEVERAL, ids=shown)
def test_reported_kind_is_the_first_by_the_order_of_checks(
    call: Call, op: str, arguments: tuple[Any, ...], kind: str
) -> None:
    assert failed(call(op, *arguments)) == kind


def test_result_is_judged_for_depth_before_size(call: Call) -> None:
    deep = ((1,),)
    assert failed(call("astuple", deep, deep, limits=Limits(items=5, depth=2))) == "DEPTH"
    assert failed(call("astuple", deep, deep, limits=Limits(items=5, depth=3))) == "SIZE"
    assert call("astuple", deep, deep, limits=Limits(items=7, depth=3)) == (deep, deep)


def test_arguments_are_checked_before_a_huge_result_is_weighed(call: Call) -> None:
    assert failed(call("hsplit", (), HIGHEST)) == "EMPTY"
    assert failed(call("repeat", 0, (HIGHEST,))) == "TYPE"


def test_first_failing_application_ends_the_op(call: Call) -> None:
    assert failed(call("apply", ONE_OVER, (1, 0, ()))) == "ZERO"
    assert failed(call("apply", ONE_OVER, (1, (), 0))) == "TYPE"
    assert failed(call("apply", ONE_OVER, setof((), 0))) == "ZERO"
    assert failed(call("papply", fn("divide"), (1, 1, 1), (1, 0, ()))) == "ZERO"
    assert failed(call("order", ((), 0), ONE_OVER)) == "TYPE"


def test_applying_to_two_containers_goes_through_the_second_outermost(call: Call) -> None:
    assert failed(call("prapply", fn("divide"), (1, ()), (1, 0))) == "TYPE"
    assert failed(call("prapply", fn("divide"), (1, ()), (0, 1))) == "ZERO"


def test_functions_are_applied_in_the_order_of_their_container(call: Call) -> None:
    assert failed(call("rapply", (FIRST, fn("increment")), ())) == "EMPTY"
    assert failed(call("rapply", (fn("increment"), FIRST), ())) == "TYPE"
    assert failed(call("rapply", setof(fn("increment"), FIRST), ())) == "EMPTY"


def test_condition_is_type_checked_right_after_its_application(call: Call) -> None:
    for op in ("sfilter", "extract"):
        assert failed(call(op, ((1, 1), 0), ONE_OVER)) == "TYPE"
        assert failed(call(op, (0, (1, 1)), ONE_OVER)) == "ZERO"
    assert failed(call("sfilter", ((1,),), IDENTITY)) == "TYPE"
    assert failed(call("sfilter", (1,), fn("initset"))) == "TYPE"
    assert failed(call("mfilter", ((1,),), IDENTITY)) == "TYPE"


def test_function_that_is_no_condition_is_fine_where_it_is_never_applied(call: Call) -> None:
    assert call("sfilter", (), fn("initset")) == ()
    assert call("sfilter", setof(), fn("rot90")) == setof()
    assert call("mfilter", setof(), fn("initset")) == setof()
    assert call("mapply", fn("size"), ()) == ()
    assert call("extract", (1, ()), IDENTITY) == 1
    assert call("sfilter", (2, -1, 0), IDENTITY) == (2, -1)


def test_keys_are_checked_for_mixed_kinds_after_all_are_computed(call: Call) -> None:
    for op in ("order", "argmax", "argmin", "valmax", "valmin"):
        assert failed(call(op, (1, (1, 1), 0), ONE_OVER)) == "ZERO"
        assert failed(call(op, (1, (1, 1)), ONE_OVER)) == "TYPE"


def test_merged_results_are_checked_after_all_applications(call: Call) -> None:
    assert failed(call("mapply", ONE_OVER, (1, 0))) == "ZERO"
    assert failed(call("mapply", ONE_OVER, (1, 1))) == "TYPE"
    assert failed(call("mpapply", fn("divide"), (1, 1), (1, 0))) == "ZERO"
    assert failed(call("mpapply", fn("divide"), (1, 1), (1, 1))) == "TYPE"


def test_extract_finds_out_after_all_applications_that_nothing_fits(call: Call) -> None:
    assert failed(call("extract", (0, 0, ()), fn("positive"))) == "TYPE"
    assert call("extract", (0, 3, ()), fn("positive")) == 3


def test_fork_applies_its_first_branch_first(call: Call) -> None:
    pair, increment = fn("astuple"), fn("increment")
    assert failed(call(fn("fork", pair, FIRST, increment), ())) == "EMPTY"
    assert failed(call(fn("fork", pair, increment, FIRST), ())) == "TYPE"


def test_compose_and_chain_apply_the_innermost_first(call: Call) -> None:
    assert failed(call(fn("compose", fn("increment"), FIRST), ())) == "EMPTY"
    assert failed(call(fn("chain", fn("increment"), ONE_OVER, fn("size")), ())) == "ZERO"
    assert failed(call(fn("chain", ONE_OVER, fn("increment"), fn("initset")), ())) == "TYPE"


def test_equality_never_fails(call: Call) -> None:
    values = (0, (), setof(), ADD, ((), ()), setof(()))
    for left in values:
        for right in values:
            assert call("equality", left, right) == (left is right)
