"""Typed ops of section 6: the core op on what the parameters admit, TYPE on everything else."""

from itertools import product

import pytest

import arcbatt as ab
from arcbatt import Failure, Limits, fn
from arcbatt.dsl.table import TABLE
from support.cases import Call, failed, setof
from support.restrictions import (
    ADMITTED,
    EXCLUDED,
    FUNCTION,
    LOCATIONS,
    RESTRICTIONS,
    Restriction,
    core_outcome,
)


@pytest.mark.parametrize("op", RESTRICTIONS, ids=str)
def test_typed_op_equals_the_core_op_on_what_it_admits(call: Call, op: Restriction) -> None:
    outcomes = []
    for arguments in product(*(ADMITTED[kind] for kind in op.types)):
        outcomes.append(call(op.name, *arguments))
        assert (arguments, outcomes[-1]) == (arguments, core_outcome(call, op, arguments))
    assert any(not isinstance(outcome, Failure) for outcome in outcomes)


@pytest.mark.parametrize("op", RESTRICTIONS, ids=str)
def test_typed_op_refuses_what_it_does_not_admit(call: Call, op: Restriction) -> None:
    for place, kind in enumerate(op.types):
        for wrong in EXCLUDED[kind]:
            others = [ADMITTED[other] for other in op.types]
            for arguments in product(*others[:place], [wrong], *others[place + 1 :]):
                assert (arguments, failed(call(op.name, *arguments))) == (arguments, "TYPE")


@pytest.mark.parametrize("op", RESTRICTIONS, ids=str)
def test_typed_op_is_a_function_of_its_own(call: Call, op: Restriction) -> None:
    assert call("equality", fn(op.name), fn(op.of)) == 0
    assert fn(op.name).arity == fn(op.of).arity == len(op.types)


@pytest.mark.parametrize(
    "name", ["merge_t", "merge_f", "mfilter_t", "mfilter_f", "rapply_t", "rapply_f", "sizefilter_t"]
)
def test_elements_of_a_typed_container_are_checked_as_in_the_core(call: Call, name: str) -> None:
    more = {"merge": (), "mfilter": (fn("size"),), "rapply": (5,), "sizefilter": (1,)}[name[:-2]]
    for wrong in ((5,), setof(5)):
        assert failed(call(name, wrong, *more)) == "TYPE"


def test_mfilter_of_tuples_merges_what_it_keeps(call: Call) -> None:
    assert call("mfilter_t", ((1, 2), (), (2, 3)), fn("size")) == (1, 2, 2, 3)
    assert call("mfilter_t", ((2, 1), setof(9, 8)), fn("size")) == (2, 1, 8, 9)
    assert call("mfilter_f", setof((1, 2), (), (2, 3)), fn("size")) == setof(1, 2, 3)


def test_valmax_of_an_empty_typed_container_is_the_key_of_zero(call: Call) -> None:
    assert call("valmax_t", (), fn("increment")) == call("valmin_f", setof(), fn("increment")) == 1
    assert failed(call("argmax_t", (), fn("increment"))) == "EMPTY"


def test_recolor_takes_tuples_of_its_own_sort_only(call: Call) -> None:
    assert call("recolor_i", 3, LOCATIONS) == setof((3, (3, 1)), (3, (0, 2)))
    assert call("recolor_o", 3, ((1, (0, 0)), (2, (0, 0)))) == setof((3, (0, 0)))
    assert failed(call("recolor_o", 3, LOCATIONS)) == "TYPE"


def test_aliases_are_names_of_their_targets(call: Call) -> None:
    grid = ((1, 0), (0, 2))
    assert call("difference_t", (1, 2, 1, 3), (2,)) == (1, 1, 3)
    assert call("o_g_tuple", grid, 5) == call("o_g_t", grid, 5)
    assert call("objects_g", grid, 1, 1, 0) == call("objects_t", grid, 1, 1, 0)
    for alias, target in [
        ("difference_t", "difference_tuple"),
        ("o_g_tuple", "o_g_t"),
        ("objects_g", "objects_t"),
    ]:
        assert ab.fn(alias) == ab.fn(target)
        assert call("equality", ab.fn(alias), ab.fn(target)) == 1


def test_a_function_is_no_container(call: Call) -> None:
    assert failed(call("size", FUNCTION)) == "TYPE"


def test_applications_follow_the_container_given_not_the_kind_of_the_result(call: Call) -> None:
    first_fails, second_fails = fn("lbind", fn("divide"), 1), fn("size")
    assert failed(call("sfilter_f", (0, ()), first_fails)) == "ZERO"
    assert failed(call("sfilter_f", ((), 0), first_fails)) == "TYPE"
    assert failed(call("apply_t", second_fails, setof((), 0))) == "TYPE"
    once_for_each_element = Limits(calls=3)
    assert call("sfilter_f", (4, 4, 4), fn("even"), limits=once_for_each_element) == setof(4)
    assert failed(call("sfilter_f", (4, 4, 4, 4), fn("even"), limits=once_for_each_element)) == "CALLS"


def test_default_of_a_failed_typed_op_is_of_the_kind_in_its_name() -> None:
    tuples = ["combine_t", "merge_t", "sfilter_t", "mfilter_t", "apply_t", "rapply_t", "mapply_t", "remove_t"]
    sets = ["combine_f", "merge_f", "sfilter_f", "mfilter_f", "apply_f", "rapply_f", "mapply_f"]
    assert {TABLE[name].default for name in tuples} == {()}
    assert {TABLE[name].default for name in sets} == {setof()}
