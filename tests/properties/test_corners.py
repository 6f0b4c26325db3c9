"""Corners that once went wrong: deep, heavy and shared values, calls of constants, peeking programs."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.dsl import values
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.values import intake, size_of
from arcbatt.errors import ValueRefused
from arcbatt.program.graph import Node, Program
from arcbatt.tasks import Sample, Task


class Watched(tuple[Any, ...]):
    """A tuple that counts how often any of its kind is walked through."""

    __slots__ = ()
    walks = 0

    def __iter__(self) -> Iterator[Any]:
        Watched.walks += 1
        return super().__iter__()


def test_intake_gives_up_soon_on_a_value_that_holds_its_parts_many_times():
    value = Watched()
    for _ in range(14):
        value = Watched((value, value))
    Watched.walks = 0
    with pytest.raises(ValueRefused):
        intake(value, Limits(items=100))
    assert Watched.walks < 1_000


def test_intake_refuses_an_integer_of_very_many_digits():
    with pytest.raises(ValueRefused):
        intake(1 << 20_000)


def test_a_value_as_deep_as_the_greatest_limit_can_be_handed_in():
    value: Any = 0
    for _ in range(250):
        value = (value,)
    assert ab.call("size", value, limits=Limits(depth=250)) == 1


def test_ordering_nested_sets_takes_steps_in_proportion_to_their_weight(monkeypatch: pytest.MonkeyPatch):
    calls = 0

    def counted(value: Any) -> Any:
        nonlocal calls
        calls += 1
        return order_key(value)

    order_key = values.order_key
    monkeypatch.setattr(values, "order_key", counted)
    filler = [frozenset({(number,)}) for number in range(300)]
    nested: frozenset[Any] = frozenset()
    for _ in range(6):
        nested = frozenset([nested, *filler])
    values.ordered(frozenset([nested, 1]))
    assert calls < 4 * size_of(nested)[0]


@pytest.mark.parametrize("callee", ["rot90", "ONE", "(1, 2)"])
def test_a_call_of_a_variable_that_holds_a_constant_reads_back(callee: str):
    (program,) = ab.parse_programs(f"def solve_x(I):\n    f = {callee}\n    return f(I)\n")
    assert ab.parse_programs(program.source(), strict=True) == [program]


def test_a_solver_never_sees_the_answer_whatever_inputs_it_names():
    task = Task("00000000", (Sample(((1,),), ((2,),)),), ())
    peeks = Program("solve_x", "solver", ("I",), Node.input("C"))
    assert not ab.run(peeks, [task], pairs="all").solved


def test_a_solver_and_a_differ_of_one_name_and_graph_stay_two():
    solver = Program("x", "solver", ("S", "I", "C"), Node.op("identity", Node.input("C")))
    assert {program.kind for program in ab.merge([solver, replace(solver, kind="differ")])} == {
        "solver",
        "differ",
    }


@pytest.mark.parametrize(
    "data",
    [{"f": []}, {"f": 5}, {"f": [["add"]]}, {"t": 5}, {"g": ["a"]}, {"g": [1]}, 1 << 40, {"t": [1 << 40]}],
)
def test_decode_refuses_what_encode_never_gives(data: Any):
    with pytest.raises(ValueRefused):
        ab.decode(data)


@pytest.mark.parametrize("seed", range(12))
def test_distance_of_large_patches_is_that_of_their_nearest_locations(seed: int, backend: str):
    random = Random(seed)
    spread = random.choice((30, 300, 2_000_000_000))
    one, other = (
        {(random.randrange(-spread, spread // 2), random.randrange(-spread, spread)) for _ in range(count)}
        for count in (110, 90)
    )
    nearest = min(abs(i - k) + abs(j - m) for i, j in one for k, m in other)
    expected = nearest if nearest < 1 << 31 else ab.Failure("RANGE")
    assert ab.call("manhattan", frozenset(one), frozenset(other), backend=backend) == expected


@pytest.mark.parametrize("seed", range(40))
def test_sets_of_nested_values_are_visited_in_canonical_order(seed: int, backend: str):
    random = Random(seed)

    def nested(depth: int) -> Any:
        kind = random.randrange(5 if depth else 1)
        if kind == 0:
            return random.choice((-(1 << 31), -1, 0, 1, 1, 2, 300, (1 << 31) - 1))
        elements = [nested(depth - 1) for _ in range(random.randrange(4))]
        return frozenset(elements) if kind == 4 else tuple(elements)

    container = frozenset(nested(3) for _ in range(60))
    expected = tuple(sorted(container, key=values.order_key))
    assert ab.call("totuple", container, backend=backend) == expected
    assert all(ab.call("contained", element, container, backend=backend) == 1 for element in expected)


def test_sets_inside_functions_rank_canonically_and_others_by_size(backend: str):
    two, one = frozenset({(), (0,)}), frozenset({(0,)})
    bound = ab.fn("lbind", ab.fn("rbind"), ab.fn("occurrences"))
    as_pair = ab.fn("fork", ab.fn("astuple"), bound, bound)
    assert ab.call("order", (one, two), as_pair, backend=backend) == (two, one)
    assert ab.call(
        "order", (two, one), ab.fn("fork", ab.fn("astuple"), *[ab.fn("identity")] * 2), backend=backend
    ) == (
        one,
        two,
    )
