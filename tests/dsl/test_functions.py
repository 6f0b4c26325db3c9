"""Section 1.5: functions as values - what they are equal to, their arity, what they do."""

import pickle
import re
from typing import Any

import numpy as np
import pytest

import arcbatt as ab
from arcbatt import ArcbattError, fn
from arcbatt.dsl.values import A_VALUE, Function
from support.cases import Call, failed, setof, shown

ADD, IDENTITY, INCREMENT, DOUBLE = fn("add"), fn("identity"), fn("increment"), fn("double")
SUBTRACT = fn("subtract")
GRID = ((1, 0), (0, 2))

APPLIED: list[tuple[Any, tuple[Any, ...], Any]] = [
    (fn("compose", INCREMENT, DOUBLE), (5,), 11),
    (fn("compose", DOUBLE, INCREMENT), (5,), 12),
    (fn("chain", INCREMENT, DOUBLE, fn("invert")), (5,), -9),
    (fn("fork", SUBTRACT, DOUBLE, IDENTITY), (5,), 5),
    (fn("fork", fn("astuple"), INCREMENT, DOUBLE), (5,), (6, 10)),
    (fn("matcher", DOUBLE, 10), (5,), 1),
    (fn("matcher", DOUBLE, 10), (6,), 0),
    (fn("matcher", IDENTITY, setof()), ((),), 0),
    (fn("matcher", IDENTITY, ADD), (ADD,), 1),
    (fn("lbind", SUBTRACT, 10), (3,), 7),
    (fn("rbind", SUBTRACT, 10), (3,), -7),
    (fn("lbind", fn("astuple"), 1), (2,), (1, 2)),
    (fn("lbind", fn("fill"), GRID), (7, setof((0, 0))), ((7, 0), (0, 2))),
    (fn("rbind", fn("fill"), setof((0, 0))), (GRID, 7), ((7, 0), (0, 2))),
    (fn("rbind", fn("objects"), 1), (GRID, 1, 0), setof(setof((1, (0, 0))), setof((2, (1, 1))))),
    (fn("lbind", fn("objects"), GRID), (0, 1, 1), setof(setof((1, (0, 0)), (2, (1, 1))))),
    (fn("lbind", fn("rbind", fn("branch"), 3), 0), (9,), 3),
    (fn("rbind", fn("lbind", fn("branch"), 0), 3), (9,), 3),
    (fn("lbind", fn("lbind"), fn("shift")), (setof((0, 0)),), fn("lbind", fn("shift"), setof((0, 0)))),
    (fn("rbind", fn("fork"), IDENTITY), (ADD, DOUBLE), fn("fork", ADD, DOUBLE, IDENTITY)),
    (fn("lbind", fn("chain"), DOUBLE), (INCREMENT, IDENTITY), fn("chain", DOUBLE, INCREMENT, IDENTITY)),
    (fn("apply"), (DOUBLE, (1, 2)), (2, 4)),
    (fn("branch"), (0, ADD, DOUBLE), DOUBLE),
]


@pytest.mark.parametrize(("function", "arguments", "expected"), APPLIED, ids=shown)
def test_function_does_what_it_says(
    call: Call, function: Any, arguments: tuple[Any, ...], expected: Any
) -> None:
    assert call(function, *arguments) == expected


@pytest.mark.parametrize(
    ("function", "arity"),
    [
        (IDENTITY, 1),
        (ADD, 2),
        (fn("fill"), 3),
        (fn("objects"), 4),
        (fn("compose", IDENTITY, IDENTITY), 1),
        (fn("matcher", IDENTITY, 5), 1),
        (fn("fork", ADD, IDENTITY, IDENTITY), 1),
        (fn("rbind", ADD, 5), 1),
        (fn("lbind", fn("objects"), 5), 3),
        (fn("rbind", fn("lbind", fn("objects"), 5), 1), 2),
        (fn("lbind", fn("chain"), IDENTITY), 2),
    ],
    ids=shown,
)
def test_number_of_arguments_must_be_the_arity(call: Call, function: Any, arity: int) -> None:
    assert function.arity == arity
    arguments = [setof()] * 6
    for count in {0, 1, 2, 3, 4, 5} - {arity}:
        assert failed(call(function, *arguments[:count])) == "TYPE"


def test_equality_is_that_of_names_and_parts(call: Call) -> None:
    assert call("equality", ADD, fn("add")) == 1
    assert call("equality", fn("size"), fn("size_f")) == 0
    assert call("equality", fn("compose", INCREMENT, DOUBLE), call("compose", INCREMENT, DOUBLE)) == 1
    assert call("equality", fn("compose", INCREMENT, DOUBLE), fn("compose", DOUBLE, INCREMENT)) == 0
    assert call("equality", fn("lbind", ADD, 1), fn("rbind", ADD, 1)) == 0
    assert call("equality", fn("rbind", ADD, ()), fn("rbind", ADD, setof())) == 0
    three = fn("compose", DOUBLE, fn("compose", DOUBLE, DOUBLE))
    assert call("equality", call("power", DOUBLE, 3), three) == 1
    assert call("equality", three, fn("chain", DOUBLE, DOUBLE, DOUBLE)) == 0
    assert call("equality", three, fn("compose", fn("compose", DOUBLE, DOUBLE), DOUBLE)) == 0


@pytest.mark.parametrize(
    ("constructor", "parts"),
    [
        ("compose", (INCREMENT, DOUBLE)),
        ("chain", (INCREMENT, DOUBLE, IDENTITY)),
        ("fork", (ADD, INCREMENT, DOUBLE)),
        ("matcher", (INCREMENT, (1, setof()))),
        ("lbind", (ADD, GRID)),
        ("rbind", (fn("objects"), ADD)),
    ],
)
def test_constructor_keeps_its_arguments_as_parts(
    call: Call, constructor: str, parts: tuple[Any, ...]
) -> None:
    built = call(constructor, *parts)
    assert (built.name, built.parts) == (constructor, parts)
    assert built == fn(constructor, *parts)


@pytest.mark.parametrize(
    ("constructor", "parts"),
    [
        ("compose", (ADD, IDENTITY)),
        ("compose", (IDENTITY, ADD)),
        ("compose", (IDENTITY, 5)),
        ("chain", (IDENTITY, IDENTITY, ADD)),
        ("chain", (IDENTITY, fn("fill"), IDENTITY)),
        ("fork", (IDENTITY, IDENTITY, IDENTITY)),
        ("fork", (fn("fill"), IDENTITY, IDENTITY)),
        ("fork", (ADD, ADD, IDENTITY)),
        ("matcher", (ADD, 5)),
        ("matcher", ((), 5)),
        ("lbind", (IDENTITY, 5)),
        ("rbind", (IDENTITY, 5)),
        ("lbind", (fn("rbind", ADD, 1), 5)),
        ("rbind", (5, 5)),
    ],
    ids=shown,
)
def test_parts_that_do_not_fit_are_found_when_the_function_is_built(
    call: Call, constructor: str, parts: tuple[Any, ...]
) -> None:
    assert failed(call(constructor, *parts)) == "TYPE"
    with pytest.raises(ab.ArcbattError):
        fn(constructor, *parts)


def test_functions_are_built_inside_functions_under_the_same_rules(call: Call) -> None:
    assert failed(call("apply", fn("lbind", fn("lbind"), IDENTITY), (5,))) == "TYPE"
    assert call("apply", fn("rbind", fn("power"), 2), (DOUBLE,)) == (fn("compose", DOUBLE, DOUBLE),)
    assert failed(call("apply", fn("rbind", fn("power"), 2), (ADD,))) == "TYPE"
    assert failed(call("apply", fn("rbind", fn("power"), 0), (DOUBLE,))) == "DEPTH"
    assert call("rapply", call("apply", fn("lbind", fn("lbind"), ADD), (1, 2)), 10) == (11, 12)


def test_branch_and_first_power_leave_no_node_of_their_own(call: Call) -> None:
    assert call("branch", 1, ADD, DOUBLE) == ADD
    assert call("power", ADD, 1) == ADD


def test_functions_pass_through_containers_as_plain_values(call: Call) -> None:
    assert call("astuple", ADD, DOUBLE) == (ADD, DOUBLE)
    assert call("initset", ADD) == setof(ADD)
    assert call("repeat", ADD, 2) == (ADD, ADD)
    assert call("contained", fn("rbind", ADD, 1), (ADD, fn("rbind", ADD, 1))) == 1
    assert call("dedupe", (ADD, DOUBLE, ADD)) == (ADD, DOUBLE)


@pytest.mark.parametrize(
    "function",
    [ADD, fn("rbind", ADD, 3), fn("fork", ADD, fn("matcher", IDENTITY, setof((1, ADD))), DOUBLE)],
    ids=shown,
)
def test_functions_survive_pickling_and_encoding(function: Any) -> None:
    for copy in (pickle.loads(pickle.dumps(function)), ab.decode(ab.encode(function))):
        assert copy == function
        assert hash(copy) == hash(function)
        assert copy.arity == function.arity


def test_unknown_names_and_parts_of_a_primitive_are_refused() -> None:
    with pytest.raises(ab.ArcbattError, match="identiti"):
        fn("identiti")
    with pytest.raises(ab.ArcbattError, match="add"):
        fn("add", 1, 2)
    with pytest.raises(ab.ArcbattError, match="compose"):
        fn("compose", IDENTITY)


FIRST = fn("first")


@pytest.mark.parametrize(
    ("name", "parts", "arity", "sentence"),
    [
        ("compose", (FIRST,), 1, "'compose' takes 2 parts, not 1"),
        ("chain", (FIRST, FIRST), 1, "'chain' takes 3 parts, not 2"),
        ("fork", (ADD, FIRST, FIRST, FIRST), 1, "'fork' takes 3 parts, not 4"),
        ("matcher", (FIRST,), 1, "'matcher' takes 2 parts, not 1"),
        ("lbind", (ADD,), 1, "'lbind' takes 2 parts, not 1"),
        ("add", (1, 2), 2, "'add' takes no parts"),
        ("compose", (FIRST, 3), 1, "part 2 must be a function of 1 argument"),
        ("fork", (FIRST, FIRST, FIRST), 1, "part 1 must be a function of 2 arguments"),
        ("rbind", (FIRST, 3), 1, "part 1 must be a function of 2 or 3 or 4 arguments"),
        ("rbind", (ADD, "text"), 1, f"part 2: expected {re.escape(A_VALUE)}, got str"),
        ("rbind", (ADD, 3), 2, "takes 1 argument, not 2"),
    ],
)
def test_function_of_parts_that_do_not_fit_is_refused_where_it_is_made(
    name: str, parts: tuple[Any, ...], arity: int, sentence: str
) -> None:
    with pytest.raises(ArcbattError, match=sentence):
        Function(name, parts, arity)


def test_function_of_an_op_that_is_not_there_is_refused(backend: str) -> None:
    for function in (Function("nope", (), 1), Function("compose", (Function("nope", (), 1), FIRST), 1)):
        with pytest.raises(ArcbattError, match="the op 'nope', which is not registered"):
            ab.call(function, (1,), backend=backend)
        with pytest.raises(ArcbattError, match="the op 'nope', which is not registered"):
            ab.call("apply", function, ((1,),), backend=backend)
    with pytest.raises(ArcbattError, match="'add' takes 2 arguments, not 1"):
        ab.call(Function("add", (), 1), 1, backend=backend)


class StandsForItself:
    def __arcbatt_value__(self) -> Any:
        return self


class StandsForAnArray:
    def __arcbatt_value__(self) -> Any:
        return np.array([[1, 2]])


def test_object_that_stands_for_itself_is_refused_with_a_sentence(backend: str) -> None:
    with pytest.raises(ArcbattError, match="StandsForItself cannot be converted"):
        ab.call("identity", StandsForItself(), backend=backend)
    assert ab.call("identity", StandsForAnArray(), backend=backend) == ((1, 2),)
