"""Sections 2.2 and 2.5: how deep values may be nested, and what `power` makes of it."""

from typing import Any

import pytest

from arcbatt import ArcbattError, Limits, fn
from support.cases import HIGHEST, LOWEST, Call, failed, setof

ADD, IDENTITY = fn("add"), fn("identity")


def nested(levels: int, value: Any = 0) -> Any:
    for _ in range(levels):
        value = (value,)
    return value


@pytest.mark.parametrize("make", ["initset", "astuple", "insert", "repeat"])
def test_value_may_be_nested_as_deep_as_the_limit(call: Call, make: str) -> None:
    more: tuple[Any, ...] = {"astuple": (0,), "insert": (setof(),), "repeat": (1,)}.get(make, ())
    limits = Limits(depth=7)
    assert call(make, nested(6), *more, limits=limits) in ((nested(6),), (nested(6), 0), setof(nested(6)))
    assert failed(call(make, nested(7), *more, limits=limits)) == "DEPTH"


def test_default_nesting_limit_is_a_hundred(call: Call) -> None:
    assert call("initset", nested(99)) == setof(nested(99))
    assert failed(call("initset", nested(100))) == "DEPTH"
    assert call("identity", nested(100)) == nested(100)


def test_empty_container_is_nested_once_and_a_number_not_at_all(call: Call) -> None:
    limits = Limits(depth=1)
    assert call("initset", 0, limits=limits) == setof(0)
    assert failed(call("initset", (), limits=limits)) == "DEPTH"


def test_primitive_is_nested_once_and_a_composite_once_more_than_its_deepest_part(call: Call) -> None:
    assert failed(call("initset", ADD, limits=Limits(depth=1))) == "DEPTH"
    assert call("initset", ADD, limits=Limits(depth=2)) == setof(ADD)
    assert call("rbind", ADD, 3, limits=Limits(depth=2)) == fn("rbind", ADD, 3)
    assert failed(call("rbind", ADD, 3, limits=Limits(depth=1))) == "DEPTH"
    assert failed(call("rbind", ADD, ((),), limits=Limits(depth=2))) == "DEPTH"
    assert call("matcher", IDENTITY, ((),), limits=Limits(depth=3)) == fn("matcher", IDENTITY, ((),))


@pytest.mark.parametrize("name", ["compose", "chain", "fork", "matcher", "lbind"])
def test_constructors_fail_where_the_function_would_be_too_deep(call: Call, name: str) -> None:
    deep = call("power", IDENTITY, 100)
    parts = {
        "compose": (IDENTITY, deep),
        "chain": (deep, IDENTITY, IDENTITY),
        "fork": (ADD, IDENTITY, deep),
        "matcher": (deep, 0),
        "lbind": (ADD, deep),
    }[name]
    assert failed(call(name, *parts)) == "DEPTH"
    assert call(name, *parts, limits=Limits(depth=101)).name == name


def test_result_of_an_application_is_judged_like_that_of_an_op(call: Call) -> None:
    assert failed(call("apply", fn("initset"), (nested(100),), limits=Limits(depth=101))) == "DEPTH"
    assert failed(call(fn("compose", fn("first"), fn("initset")), nested(100))) == "DEPTH"


def test_collected_result_may_be_deeper_than_each_of_its_elements(call: Call) -> None:
    limits = Limits(depth=2)
    assert call("apply", fn("initset"), (1, 2), limits=limits) == (setof(1), setof(2))
    assert call(fn("initset"), (1,), limits=limits) == setof((1,))
    assert failed(call("apply", fn("initset"), ((1,), (2,)), limits=limits)) == "DEPTH"


def test_unmerged_results_may_be_deeper_than_the_limit_if_the_merged_ones_are_not(call: Call) -> None:
    limits = Limits(depth=2)
    assert call("apply", fn("initset"), ((1,),), limits=Limits(depth=3)) == (setof((1,)),)
    assert call("mapply", fn("initset"), ((1,),), limits=limits) == ((1,),)
    assert call("mapply_t", fn("initset"), setof((1,)), limits=limits) == ((1,),)
    assert call("mpapply", fn("astuple"), (1,), (2,), limits=Limits(depth=1)) == (1, 2)


def test_power_is_nested_compose(call: Call) -> None:
    assert call("power", fn("double"), 1) == fn("double")
    assert call("power", fn("double"), 2) == fn("compose", fn("double"), fn("double"))
    thrice = fn("compose", fn("double"), fn("compose", fn("double"), fn("double")))
    assert call("power", fn("double"), 3) == thrice
    assert call(call("power", fn("double"), 10), 1) == 1024


def test_first_power_takes_any_arity_and_higher_ones_arity_one(call: Call) -> None:
    assert call("power", ADD, 1) == ADD
    assert call("power", fn("objects"), 1) == fn("objects")
    assert failed(call("power", ADD, 2)) == "TYPE"


@pytest.mark.parametrize("n", [0, -1, LOWEST])
def test_power_below_one_fails_depth_unless_the_function_does_not_fit(call: Call, n: int) -> None:
    assert failed(call("power", IDENTITY, n)) == "DEPTH"
    assert failed(call("power", ADD, n)) == "TYPE"
    assert failed(call("power", 5, n)) == "TYPE"


def test_power_is_judged_on_its_final_nesting(call: Call) -> None:
    assert call(call("power", IDENTITY, 100), 7) == 7
    assert failed(call("power", IDENTITY, 101)) == "DEPTH"
    assert failed(call("power", IDENTITY, HIGHEST)) == "DEPTH"
    twice = fn("compose", IDENTITY, IDENTITY)
    assert call(call("power", twice, 99), 7) == 7
    assert failed(call("power", twice, 100)) == "DEPTH"


def test_power_is_judged_on_its_final_weight(call: Call) -> None:
    assert failed(call("power", IDENTITY, 5, limits=Limits(items=8))) == "SIZE"
    assert call("power", IDENTITY, 5, limits=Limits(items=9)) == call("power", IDENTITY, 5)
    assert failed(call("power", IDENTITY, 5, limits=Limits(items=8, depth=4))) == "DEPTH"


def test_input_nested_deeper_than_the_limit_is_refused(call: Call) -> None:
    with pytest.raises(ArcbattError, match="nested"):
        call("identity", nested(8), limits=Limits(depth=7))


@pytest.mark.parametrize(
    ("op", "arguments", "depth"),
    [
        ("repeat", (nested(3), HIGHEST), 3),
        ("canvas", (0, (HIGHEST, HIGHEST)), 1),
        ("hsplit", (((1, 2), (3, 4)), HIGHEST), 2),
        ("connect", ((0, 0), (0, HIGHEST)), 1),
        ("shoot", ((0, 0), (10_000_000, 0)), 1),
        ("product", (tuple(range(600)), tuple(range(600))), 1),
    ],
)
def test_huge_result_that_is_too_deep_as_well_fails_depth(
    call: Call, op: str, arguments: tuple[Any, ...], depth: int
) -> None:
    assert failed(call(op, *arguments, limits=Limits(depth=depth))) == "DEPTH"
    assert failed(call(op, *arguments, limits=Limits(depth=depth + 1))) == "SIZE"


@pytest.mark.parametrize(
    ("op", "arguments", "depth", "expected"),
    [
        ("repeat", (nested(3), 0), 3, ()),
        ("canvas", (0, (0, 5)), 1, ()),
        ("connect", ((0, 0), (1, 2)), 1, setof()),
        ("shoot", ((0, 0), (1, 2)), 1, setof()),
        ("product", ((1, 2), ()), 1, setof()),
        ("hsplit", (((1, 2), (3, 4)), -1), 2, ()),
        ("vsplit", (((1, 2), (3, 4)), 3), 2, ((), (), ())),
        ("sfilter", (((1,),), fn("size")), 2, ((1,),)),
    ],
)
def test_result_without_content_is_not_deep(
    call: Call, op: str, arguments: tuple[Any, ...], depth: int, expected: Any
) -> None:
    assert call(op, *arguments, limits=Limits(depth=depth)) == expected
