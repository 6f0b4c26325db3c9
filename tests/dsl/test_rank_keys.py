"""Section 5.3: how keys compare in `order`, `argmax`, `argmin`, `valmax`, `valmin`."""

from typing import Any

import pytest

from arcbatt import fn
from support.cases import Call, constantly, failed, setof, shown

ADD, IDENTITY = fn("add"), fn("identity")
MAKES_FUNCTIONS = fn("lbind", fn("lbind"), ADD)
RANKING = ("order", "argmax", "argmin", "valmax", "valmin")


def inserted(*elements: int) -> Any:
    """A function with a Set as a part: parts compare canonically, not by their number of elements."""
    return fn("rbind", fn("insert"), setof(*elements))


SORTED_BY_THEMSELVES: list[tuple[Any, Any]] = [
    ((3, -1, 2), (-1, 2, 3)),
    (((1, 0), (1,), (), (0, 9)), ((), (0, 9), (1,), (1, 0))),
    ((setof(1, 2), setof(9)), (setof(9), setof(1, 2))),
    ((setof(9), setof(5), setof()), (setof(), setof(9), setof(5))),
    (setof(setof(9), setof(5), setof(1, 2)), (setof(5), setof(9), setof(1, 2))),
    (
        ((1, setof(1, 2)), (1, setof(9)), (0, setof(3, 4, 5))),
        ((0, setof(3, 4, 5)), (1, setof(9)), (1, setof(1, 2))),
    ),
    (((1, setof(9)), (1, setof(5))), ((1, setof(9)), (1, setof(5)))),
    (((setof(9), 1), (setof(5), 0)), ((setof(5), 0), (setof(9), 1))),
    (((ADD,), (setof(),), ((),), (5,)), ((5,), ((),), (setof(),), (ADD,))),
    (((fn("size"),), (ADD,), (fn("rbind", ADD, 1),)), ((ADD,), (fn("rbind", ADD, 1),), (fn("size"),))),
    (
        ((inserted(5, 6),), (inserted(5),), (inserted(1, 2, 3),)),
        ((inserted(1, 2, 3),), (inserted(5),), (inserted(5, 6),)),
    ),
    ((((1, setof(7)),), ((1, setof()),)), (((1, setof()),), ((1, setof(7)),))),
    ((setof((1, 2), ADD), setof(())), (setof(()), setof((1, 2), ADD))),
]


@pytest.mark.parametrize(("elements", "expected"), SORTED_BY_THEMSELVES, ids=shown)
def test_keys_are_ordered_by_their_rules(call: Call, elements: Any, expected: Any) -> None:
    assert call("order", elements, IDENTITY) == expected


def test_ties_are_keys_of_which_neither_is_smaller(call: Call) -> None:
    ones = ((1, setof(9)), (1, setof(5)))
    assert call("argmax", ones, IDENTITY) == call("argmin", ones, IDENTITY) == ones[0]
    assert call("valmax", ones, IDENTITY) == call("valmin", ones, IDENTITY) == ones[0]
    assert call("get_arg_rank", ones, IDENTITY, -1) == ones[1]


@pytest.mark.parametrize("op", RANKING)
@pytest.mark.parametrize("mixed", [(1, ()), (1, setof()), ((), setof()), (setof(1), (1,), 1)], ids=shown)
def test_keys_of_different_kinds_do_not_compare(call: Call, op: str, mixed: Any) -> None:
    assert failed(call(op, mixed, IDENTITY)) == "TYPE"


@pytest.mark.parametrize("op", RANKING)
def test_function_is_no_key_even_alone(call: Call, op: str) -> None:
    assert failed(call(op, (1,), MAKES_FUNCTIONS)) == "TYPE"
    assert failed(call(op, (ADD, ADD), IDENTITY)) == "TYPE"
    assert failed(call(op, (ADD,), constantly(1))) in (ADD, (ADD,), 1)


@pytest.mark.parametrize("op", ["valmax", "valmin"])
def test_key_of_nothing_is_that_of_zero_as_it_is(call: Call, op: str) -> None:
    for empty in ((), setof()):
        assert call(op, empty, fn("increment")) == 1
        assert call(op, empty, fn("initset")) == setof(0)
        assert call(op, empty, MAKES_FUNCTIONS) == fn("lbind", ADD, 0)
        assert failed(call(op, empty, fn("first"))) == "TYPE"
        assert failed(call(op, empty, fn("lbind", fn("divide"), 1))) == "ZERO"


def test_other_rankings_of_nothing(call: Call) -> None:
    assert call("order", (), MAKES_FUNCTIONS) == call("order", setof(), IDENTITY) == ()
    assert failed(call("argmax", setof(), IDENTITY)) == failed(call("argmin", (), IDENTITY)) == "EMPTY"
