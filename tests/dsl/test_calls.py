"""Section 2.5: how many applications an op makes, to the very one, and how deep they stand in each other."""

from typing import Any

import pytest

from arcbatt import Failure, Limits, fn
from support.cases import Call, constantly, failed, setof, shown

ADD, IDENTITY, INCREMENT, SIZE = fn("add"), fn("identity"), fn("increment"), fn("size")
TWICE = fn("compose", INCREMENT, INCREMENT)
SAMPLES = ((((1, 2),), ((2, 3),)), (((5, 1),), ((5, 5),)))
PALETTE = fn("palette")

COUNTED: list[tuple[Any, tuple[Any, ...], int]] = [
    # A call statement is one application; composites count themselves and what they apply.
    (INCREMENT, (1,), 1),
    (ADD, (1, 2), 1),
    (TWICE, (1,), 3),
    (fn("compose", TWICE, TWICE), (1,), 7),
    (fn("chain", INCREMENT, INCREMENT, INCREMENT), (1,), 4),
    (fn("chain", TWICE, INCREMENT, TWICE), (1,), 8),
    (fn("fork", ADD, INCREMENT, IDENTITY), (1,), 4),
    (fn("fork", ADD, TWICE, TWICE), (1,), 8),
    (fn("matcher", INCREMENT, 2), (1,), 2),
    (fn("matcher", TWICE, 2), (1,), 4),
    (fn("lbind", ADD, 2), (1,), 2),
    (fn("rbind", ADD, 2), (1,), 2),
    (fn("lbind", fn("fill"), ((1,),)), (2, setof()), 2),
    (constantly(7), (1,), 3),
    (fn("rbind", fn("rbind", fn("rbind", fn("objects"), 1), 1), 1), (((1,),),), 4),
    (fn("apply"), (INCREMENT, (1, 2, 3)), 4),
    (fn("compose"), (INCREMENT, INCREMENT), 1),
    (fn("valmax"), ((), IDENTITY), 2),
    # The top-level op itself is none, nor are constructors or the steps inside an op.
    ("add", (1, 2), 0),
    ("compose", (INCREMENT, INCREMENT), 0),
    ("power", (INCREMENT, 50), 0),
    ("apply", (INCREMENT, ()), 0),
    ("apply", (INCREMENT, setof()), 0),
    ("apply", (INCREMENT, (1, 1, 1)), 3),
    ("apply", (TWICE, (1, 2)), 6),
    ("apply", (fn("lbind", fn("apply"), INCREMENT), ((1, 2), (3,), ())), 9),
    ("apply", (fn("lbind", fn("lbind"), ADD), (1, 2)), 4),
    ("rapply", ((INCREMENT, TWICE), 1), 4),
    ("rapply", (setof(INCREMENT, IDENTITY), 1), 2),
    ("rapply", ((), 1), 0),
    ("mapply", (fn("initset"), (1, 2)), 2),
    ("papply", (ADD, (1, 2, 3), (1, 2)), 2),
    ("papply", (ADD, (1, 2, 3), ()), 0),
    ("mpapply", (fn("astuple"), (1, 2), (3, 4, 5)), 2),
    ("prapply", (ADD, (1, 2), (3, 4, 5)), 6),
    ("prapply", (ADD, (1, 1), setof(3)), 2),
    ("prapply", (ADD, (), (3, 4)), 0),
    ("sfilter", ((1, 0, 1), fn("positive")), 3),
    ("mfilter", (((1,), (), (2,)), SIZE), 3),
    ("extract", ((0, 0, 5, 1), fn("positive")), 3),
    ("extract", ((5, 1), fn("positive")), 1),
    ("extract", ((0, 0, 0, 0), fn("positive")), 4),
    ("order", ((3, 1, 2), IDENTITY), 3),
    ("argmax", ((3, 1, 2), IDENTITY), 3),
    ("argmin", ((3,), TWICE), 3),
    ("valmax", ((3, 1, 2), IDENTITY), 3),
    ("valmin", (setof(3, 1), IDENTITY), 2),
    ("valmax", ((), IDENTITY), 1),
    ("valmin", (setof(), TWICE), 3),
    ("get_arg_rank", ((3, 1, 2), IDENTITY, 1), 3),
    ("get_val_rank", (setof(3, 1, 2), IDENTITY, -1), 3),
    ("get_nth_by_key_t", ((3, 1), 0, IDENTITY), 2),
    ("get_nth_by_key_f", (setof(3, 1), 0, TWICE), 6),
    ("apply_t", (INCREMENT, (1, 2)), 2),
    ("valmax_f", (setof(), IDENTITY), 1),
    ("c_iz", (SAMPLES, PALETTE), 4),
    ("c_zo", (SAMPLES, fn("compose", PALETTE, IDENTITY)), 12),
    ("c_iz", ((), PALETTE), 0),
    ("c_iz_n", (SAMPLES, PALETTE, SIZE), 5),
    ("c_zo_n", ((), PALETTE, SIZE), 1),
]


@pytest.mark.parametrize(("op", "arguments", "count"), COUNTED, ids=shown)
def test_applications_are_counted_to_the_very_one(
    call: Call, op: Any, arguments: tuple[Any, ...], count: int
) -> None:
    enough = call(op, *arguments, limits=Limits(calls=count))
    assert enough == call(op, *arguments)
    if count:
        assert failed(call(op, *arguments, limits=Limits(calls=count - 1))) == "CALLS"


def test_every_op_starts_its_own_count(call: Call) -> None:
    limits = Limits(calls=2)
    assert call("apply", INCREMENT, (1, 2), limits=limits) == (2, 3)
    assert call("apply", INCREMENT, (2, 3), limits=limits) == (3, 4)


def test_composed_power_counts_its_nested_composes(call: Call) -> None:
    thrice = call("power", INCREMENT, 3)
    assert call(thrice, 1, limits=Limits(calls=5)) == 4
    assert failed(call(thrice, 1, limits=Limits(calls=4))) == "CALLS"


def test_large_counts_are_exact_too(call: Call) -> None:
    # For each of 100 rows: compose, lbind, apply, 1000 times identity, size.
    rows = ((0,) * 1000,) * 100
    length = fn("compose", SIZE, fn("lbind", fn("apply"), IDENTITY))
    assert call("apply", length, rows, limits=Limits(calls=100_400)) == (1000,) * 100
    assert failed(call("apply", length, rows, limits=Limits(calls=100_399))) == "CALLS"


def test_default_limits_are_those_of_the_language() -> None:
    assert Limits() == Limits(items=262_144, calls=1_000_000, depth=100)


def test_arity_is_checked_before_calls_and_the_op_itself_after(call: Call) -> None:
    none = Limits(calls=0)
    assert failed(call(ADD, 1, limits=none)) == "TYPE"
    assert failed(call(fn("first"), 5, limits=none)) == "CALLS"
    assert failed(call(fn("first"), 5, limits=Limits(calls=1))) == "TYPE"


def test_arguments_are_checked_before_calls(call: Call) -> None:
    none = Limits(calls=0)
    assert failed(call("argmax", (), IDENTITY, limits=none)) == "EMPTY"
    assert failed(call("apply", ADD, (1,), limits=none)) == "TYPE"


def nested_apply(levels: int) -> tuple[Any, Any]:
    """A function of `levels` bound applies in each other, and a value for it; a level is two applications."""
    function, value = IDENTITY, 7
    for _ in range(levels):
        function, value = fn("lbind", fn("apply"), function), (value,)
    return function, value


@pytest.mark.parametrize("levels", [1, 2, 10, 40])
def test_applications_may_stand_as_deep_in_each_other_as_the_limit(call: Call, levels: int) -> None:
    function, value = nested_apply(levels)
    assert call(function, value, limits=Limits(depth=2 * levels + 1)) == value
    assert failed(call(function, value, limits=Limits(depth=2 * levels))) == "DEPTH"


def test_default_depth_is_a_hundred_active_applications(call: Call) -> None:
    function, value = nested_apply(49)
    assert call(function, value) == value
    assert call("apply", function, (value,)) == (value,)
    function, value = nested_apply(50)
    assert failed(call(function, value)) == "DEPTH"


def test_applications_that_are_over_do_not_add_to_the_depth(call: Call) -> None:
    assert call("apply", IDENTITY, (1, 2, 3), limits=Limits(depth=1)) == (1, 2, 3)
    assert call(fn("fork", ADD, TWICE, TWICE), 1, limits=Limits(depth=3)) == 6
    assert call("apply", fn("compose", IDENTITY, IDENTITY), (1,), limits=Limits(depth=2)) == (1,)


def test_calls_are_tested_before_depth(call: Call) -> None:
    function, value = nested_apply(1)
    assert failed(call(function, value, limits=Limits(calls=2, depth=2))) == "CALLS"
    assert failed(call(function, value, limits=Limits(calls=3, depth=2))) == "DEPTH"
    assert call(function, value, limits=Limits(calls=3, depth=3)) == value


def test_depth_is_tested_before_the_applied_op_checks_its_arguments(call: Call) -> None:
    function = fn("lbind", fn("apply"), fn("first"))
    assert failed(call(function, (7,), limits=Limits(depth=2))) == "DEPTH"
    assert failed(call(function, (7,), limits=Limits(depth=3))) == "TYPE"


def test_function_that_never_ends_fails_at_the_depth_limit(call: Call) -> None:
    endless = fn("fork", fn("rapply"), fn("initset"), IDENTITY)
    assert failed(call(endless, endless)) == "DEPTH"
    assert failed(call(endless, endless, limits=Limits(calls=50))) == "CALLS"


def test_deepest_limit_does_not_exhaust_the_host(call: Call) -> None:
    endless = fn("fork", fn("rapply"), fn("initset"), IDENTITY)
    outcome = call(endless, endless, limits=Limits(depth=250))
    assert isinstance(outcome, Failure)
    assert outcome.kind == "DEPTH"
