"""The generators of values serve every type of the language, typical values and corners."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import find

from arcbatt.dsl.failures import OpFailed
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.machine import Machine
from arcbatt.dsl.static.notation import static_type
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.types import TYPES, Type
from arcbatt.dsl.values import Function, in_range, size_of
from arcbatt.testing.random_values import EDGES, random_argument, random_arguments, random_value, value_of
from support import strategies
from support.values import conforms

DRAWS = 40
EMPTY = ((), frozenset())


@pytest.mark.parametrize("kind", TYPES.values(), ids=str)
def test_a_random_value_is_of_its_type_and_in_range(kind: Type):
    for seed in range(200):
        value = random_value(Random(seed), kind)
        assert kind.admits(value)
        assert in_range(value)


@pytest.mark.parametrize("kind", TYPES.values(), ids=str)
def test_the_same_seed_gives_the_same_value_and_seeds_differ(kind: Type):
    found = {random_value(Random(seed), kind) for seed in range(60)}
    assert found == {random_value(Random(seed), kind) for seed in range(60)}
    assert len(found) >= (4 if kind.name == "Boolean" else 20)


def test_every_kind_and_corner_occurs_among_any_values():
    found = [random_value(Random(seed), "Any") for seed in range(3000)]
    kinds = Counter(type(value) for value in found)
    assert min(kinds[kind] for kind in (int, tuple, frozenset, Function)) > 100
    assert {0, (), frozenset(), ((),)} <= set(found)
    assert not set(EDGES).isdisjoint(found)
    assert max(size_of(value)[1] for value in found) > 10
    assert any(isinstance(value, Function) and value.arity == 4 for value in found)
    assert {value.name for value in found if isinstance(value, Function) and value.parts} == {
        "compose",
        "chain",
        "fork",
        "matcher",
        "lbind",
        "rbind",
    }


def test_arguments_mostly_meet_what_their_parameter_requires():
    param = TABLE["first"].params[0]
    empty = sum(not random_argument(Random(seed), param) for seed in range(500))
    plain = sum(not random_value(Random(seed), param.type) for seed in range(500))
    assert empty < plain


@pytest.mark.parametrize("name", TABLE)
def test_an_op_gives_what_its_signature_says(name: str):
    """But an empty container is of every type, and of an empty one an op may give what it likes."""
    op, machine = TABLE[name], Machine(Limits(items=20_000, calls=2_000))
    given = 0
    for seed in range(DRAWS):
        arguments, promised = random_arguments(Random(f"{name} {seed}"), op, 4)
        try:
            value = machine.run(op, arguments)
        except OpFailed:
            continue
        given += 1
        if value not in EMPTY and not any(argument in EMPTY for argument in arguments):
            assert conforms(value, promised), (op.signature, arguments, value)
    assert given


def test_a_wrong_signature_is_found_by_drawing_from_it():
    op = replace(TABLE["palette"], written="Element -> Set[IJ]")
    arguments, promised = random_arguments(Random(1), op)
    assert not conforms(Machine().run(op, arguments), promised)


@pytest.mark.parametrize(
    "text",
    ["Set[(IJ, Integer)]", "Tuple[Set[Object]]", "(Grid, Samples)", "Tuple[(Grid -> Integer)]", "Patch"],
)
def test_a_value_of_a_static_type_conforms_to_it(text: str):
    wanted = static_type(text)
    values = {value_of(Random(seed), wanted) for seed in range(60)}
    assert all(conforms(value, wanted) for value in values)
    assert len(values) > 30


def test_a_strategy_shrinks_to_a_small_value():
    grid = find(strategies.grids(), lambda grid: len(grid) >= 2)
    assert len(grid) == 2
    assert len(grid[0]) == 1
