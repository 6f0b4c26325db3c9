"""The algebraic traits in the records of ops hold for random values of the types that the ops take."""

from collections.abc import Iterator
from random import Random

import pytest

from arcbatt.dsl.failures import Failure, OpFailed
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.machine import Machine
from arcbatt.dsl.table import TABLE, Op
from arcbatt.dsl.values import Value
from arcbatt.testing.random_values import random_arguments

DRAWS = 200
LIMITS = Limits(items=20_000, calls=2_000)


def ops_with(trait: str) -> list[str]:
    return [name for name, op in TABLE.items() if getattr(op, trait)]


def outcome(op: Op, arguments: tuple[Value, ...]) -> Value | Failure:
    try:
        return Machine(LIMITS).run(op, arguments)
    except OpFailed as failed:
        return Failure(failed.kind)


def runs(op: Op) -> Iterator[tuple[tuple[Value, ...], Value | Failure]]:
    """Arguments that hold something, and what the op gives for them."""
    for seed in range(DRAWS):
        arguments, _ = random_arguments(Random(f"{op.name} {seed}"), op, 4)
        if arguments[0] not in ((), frozenset()) and set(shape(arguments[0])) != {0}:
            yield arguments, outcome(op, arguments)


def shape(value: Value) -> list[int]:
    """The lengths of the rows, if a value may be a grid."""
    rows = value if isinstance(value, tuple) else ()
    return [len(row) for row in rows if isinstance(row, tuple)]


def values(op: Op) -> Iterator[tuple[tuple[Value, ...], Value]]:
    """Arguments for which the op gives a value, and this value; they are not few."""
    found = [(arguments, value) for arguments, value in runs(op) if not isinstance(value, Failure)]
    assert len(found) > DRAWS // 4
    yield from found


@pytest.mark.parametrize("name", ops_with("idempotent"))
def test_an_idempotent_op_changes_nothing_when_it_is_done_again(name: str) -> None:
    op = TABLE[name]
    for arguments, value in values(op):
        assert outcome(op, (value, *arguments[1:])) == value, arguments


@pytest.mark.parametrize("name", ops_with("involution"))
def test_an_involution_undoes_itself(name: str) -> None:
    op = TABLE[name]
    for arguments, value in values(op):
        assert outcome(op, (value, *arguments[1:])) == arguments[0], arguments


@pytest.mark.parametrize("name", ops_with("commutes"))
def test_an_op_that_commutes_takes_its_arguments_in_either_order(name: str) -> None:
    op = TABLE[name]
    for (first, second), found in runs(op):
        assert outcome(op, (second, first)) == found, (first, second)


@pytest.mark.parametrize(
    ("trait", "name"),
    [("idempotent", "rot90"), ("involution", "rot90"), ("commutes", "subtract"), ("commutes", "combine")],
)
def test_a_trait_that_an_op_lacks_would_be_found_out(trait: str, name: str) -> None:
    op = TABLE[name]
    assert name not in ops_with(trait)
    found = [
        outcome(op, arguments[::-1]) == value
        if trait == "commutes"
        else outcome(op, (value,)) == (value if trait == "idempotent" else arguments[0])
        for arguments, value in values(op)
    ]
    assert not all(found)
