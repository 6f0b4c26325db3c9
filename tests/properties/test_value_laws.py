"""Values: their order is total, equal ones hash alike, and what is written down comes back."""

import pickle
from enum import IntEnum
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.dsl.values import Function, Value, in_range, intake, order_key, ordered, size_of, text
from arcbatt.errors import ValueRefused
from arcbatt.program.graph import Node, Program
from support.strategies import any_value, programs, values
from support.values import rebuilt

law = settings(derandomize=True, max_examples=150, database=None)

KINDS = (int, tuple, frozenset, Function)


def compared(a: Value, b: Value) -> int:
    """The canonical order as the language defines it, word for word and slow: -1, 0 or 1."""
    kind = type(a)
    if kind is not type(b):
        return -1 if KINDS.index(kind) < KINDS.index(type(b)) else 1
    if kind is int:
        return (a > b) - (a < b)
    if kind is tuple:
        different = (found for found in map(compared, a, b) if found)
        return next(different, (len(a) > len(b)) - (len(a) < len(b)))
    if kind is frozenset:
        return compared(ascending(a), ascending(b))
    return (a.name > b.name) - (a.name < b.name) or compared(a.parts, b.parts)


def ascending(elements: Any) -> tuple[Value, ...]:
    return tuple(sorted(elements, key=cmp_to_key(compared)))


# Values that are alike meet more often than any two values do.
alike = st.lists(
    st.sampled_from(("Any", "Integer", "Containers", "Object", "Fn1", "Grid0")), min_size=1, max_size=1
)
batches = alike.flatmap(lambda kinds: st.lists(values(kinds[0], 2), min_size=1, max_size=5))


@law
@given(batches)
def test_sorting_by_key_is_the_canonical_order(batch: list[Value]):
    assert sorted(batch, key=order_key) == sorted(batch, key=cmp_to_key(compared))


@law
@given(batches)
def test_the_order_is_total_antisymmetric_and_transitive(batch: list[Value]):
    for a in batch:
        for b in batch:
            assert (order_key(a) < order_key(b)) + (order_key(b) < order_key(a)) + (a == b) == 1
            for c in batch:
                assert not (order_key(a) < order_key(b) < order_key(c)) or order_key(a) < order_key(c)


@law
@given(values("Set", 5))
def test_a_set_iterates_ascending_and_is_printed_that_way(elements: Any):
    assert ordered(elements) == ascending(elements)
    assert all(compared(a, b) < 0 for a, b in pairwise(ordered(elements)))
    assert text(elements) == "{" + ", ".join(text(element) for element in ascending(elements)) + "}"


@law
@given(batches)
def test_equal_values_hash_alike_and_print_alike_and_others_do_not(batch: list[Value]):
    for a in batch:
        for b in batch:
            if a == b:
                assert hash(a) == hash(b)
            assert (a == b) == (compared(a, b) == 0) == (text(a) == text(b))


@law
@given(any_value())
def test_a_value_built_anew_is_equal(value: Value):
    twin = rebuilt(value)
    assert twin == value
    assert hash(twin) == hash(value)
    assert size_of(twin) == size_of(value)
    assert order_key(twin) == order_key(value)


@pytest.mark.slow
@law
@given(any_value())
def test_weight_and_nesting_are_those_of_the_definition(value: Value):
    assert size_of(value) == (weight(value), nest(value))


def inside(value: Value) -> tuple[Value, ...]:
    return value.parts if isinstance(value, Function) else () if type(value) is int else tuple(value)


def weight(value: Value) -> int:
    return 1 + sum(map(weight, inside(value)))


def nest(value: Value) -> int:
    return 0 if type(value) is int else 1 + max(map(nest, inside(value)), default=0)


@law
@given(any_value())
def test_encoding_comes_back(value: Value):
    assert ab.decode(ab.encode(value)) == value


@law
@given(any_value(), st.integers(1, pickle.HIGHEST_PROTOCOL))
def test_a_pickled_value_comes_back(value: Value, protocol: int):
    assert pickle.loads(pickle.dumps(value, protocol)) == value


@pytest.mark.slow
@law
@given(st.booleans().flatmap(lambda well_typed: programs(well_typed=well_typed)))
def test_a_pickled_program_comes_back_as_the_same_nodes(program: Program):
    again = pickle.loads(pickle.dumps(program))
    assert again == program
    assert again.root is program.root
    assert again.hash == program.hash


@law
@given(any_value())
def test_intake_gives_a_value_back_unchanged(value: Value):
    assert intake(value) == value


@law
@given(any_value())
def test_intake_takes_lists_and_sets_for_what_they_stand_for(value: Value):
    assert intake(loosened(value)) == value


def loosened(value: Value) -> Any:
    if type(value) is tuple:
        return [loosened(element) for element in value]
    return set(value) if type(value) is frozenset else value


class Color(IntEnum):
    RED = 2


class Spot(NamedTuple):
    row: int
    column: int


odd_atoms = st.one_of(
    st.none(),
    st.booleans(),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=3),
    st.integers(),
    st.sampled_from(
        [
            Color.RED,
            Spot(1, 2),
            Fraction(1, 2),
            np.int64(3),
            np.bool_(True),
            np.zeros((2, 2), int),
            object(),
            int,
            range(3),
            Ellipsis,
            NotImplemented,
        ]
    ),
)
odd_objects = st.recursive(
    odd_atoms,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.integers(), inner, max_size=2),
        st.sets(st.integers(), max_size=3),
    ),
    max_leaves=6,
)


def accepted(thing: Any, limits: Limits = DEFAULT_LIMITS) -> Value | None:
    try:
        return intake(thing, limits)
    except ValueRefused:
        return None


@law
@given(odd_objects)
def test_intake_refuses_or_gives_a_value_within_the_limits(thing: Any):
    for limits in (DEFAULT_LIMITS, Limits(items=3, depth=1)):
        value = accepted(thing, limits)
        if value is not None:
            assert in_range(value)
            assert size_of(value)[0] <= limits.items
            assert size_of(value)[1] <= limits.depth
            assert rebuilt(value) == value


def test_intake_refuses_what_holds_itself():
    circle: list[Any] = []
    circle.append(circle)
    assert accepted(circle) is None


def test_intake_refuses_what_is_nested_very_deep():
    deep: Any = 0
    for _ in range(100_000):
        deep = [deep]
    assert accepted(deep) is None


@pytest.mark.parametrize("value", [0, (), frozenset(), Function("add", (), 2)])
def test_a_node_keeps_the_constant_it_is_made_of(value: Value):
    node = Node.constant(value)
    assert node.head == value
    assert pickle.loads(pickle.dumps(node)) is node
