"""Every op on random arguments gives a value within the limits or a known failure, never anything else."""

from collections.abc import Callable
from functools import partial
from random import Random

import pytest

from arcbatt.dsl.failures import KINDS, Failure, OpFailed
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.machine import Machine, room_for
from arcbatt.dsl.table import FUNCTION_CALL, TABLE, Op
from arcbatt.dsl.values import Value, in_range, size_of, text
from arcbatt.testing.random_values import anything, function, random_argument
from support.cases import Call
from support.values import is_plain, rebuilt

ROOMY = Limits(items=50_000, calls=5_000, depth=60)
TINY = (Limits(60, 8, 4), Limits(20, 3, 3), Limits(500, 40, 10), Limits(1_000, 0, 5))
EXAMPLES = 40


def arguments_for(op: Op, random: Random) -> tuple[Value, ...]:
    size = random.choice((1, 3, 6, 9))
    return tuple(
        random_argument(random, param, size) if random.randrange(12) else anything(random, size)
        for param in op.params
    )


def outcome(op: Op, arguments: tuple[Value, ...], limits: Limits) -> Value | Failure:
    with room_for(limits.depth):
        return attempted(partial(Machine(limits).run, op, arguments))


def attempted(step: Callable[[], Value]) -> Value | Failure:
    try:
        return step()
    except OpFailed as failed:
        return Failure(failed.kind)


def within(value: Value, limits: Limits) -> bool:
    weight, nest = size_of(value)
    return weight <= limits.items and nest <= limits.depth


@pytest.mark.parametrize("name", TABLE)
def test_op_gives_a_value_within_the_limits_or_a_known_failure(name: str):
    op = TABLE[name]
    for seed in range(EXAMPLES):
        random = Random(f"{name} {seed}")
        arguments = arguments_for(op, random)
        limits = random.choice((ROOMY, *TINY))
        if not all(within(argument, limits) for argument in arguments):
            limits = ROOMY
        found = outcome(op, arguments, limits)
        if isinstance(found, Failure):
            assert found.kind in KINDS
        else:
            assert is_plain(found), (text(arguments), found)
            assert in_range(found), text(arguments)
            assert within(found, limits), (text(arguments), limits)


@pytest.mark.parametrize("name", TABLE)
def test_op_depends_on_its_arguments_alone_and_not_on_how_they_were_built(name: str):
    op = TABLE[name]
    for seed in range(4 * EXAMPLES if op.order_sensitive else EXAMPLES // 2):
        arguments = arguments_for(op, Random(f"{name} {seed}"))
        before = text(arguments)
        once = outcome(op, arguments, ROOMY)
        again = outcome(op, tuple(map(rebuilt, arguments)), ROOMY)
        assert text(arguments) == before
        assert once == again


def test_what_a_machine_did_before_does_not_matter():
    random = Random(0)
    limits = Limits(2_000, 30, 5)
    machine = Machine(limits)
    failed = 0
    for _ in range(3_000):
        op = TABLE[random.choice(list(TABLE))]
        arguments = arguments_for(op, random)
        if random.randrange(2):
            step = partial(Machine.run, callee=op, arguments=arguments)
        else:
            given = (function(random, op.arity), *arguments)
            step = partial(Machine.run, callee=FUNCTION_CALL, arguments=given)
        found = attempted(partial(step, machine))
        assert found == attempted(partial(step, Machine(limits)))
        failed += isinstance(found, Failure)
    assert 300 < failed < 2_700


@pytest.mark.parametrize("name", TABLE)
def test_wrong_number_of_arguments_is_a_type_failure(call: Call, name: str):
    arguments = arguments_for(TABLE[name], Random(name))
    for wrong in ((), arguments[1:], (*arguments, 0)):
        assert call(name, *wrong) == Failure("TYPE")


def test_some_arguments_are_good_enough_to_get_past_the_checks():
    """Without this the laws above would hold for want of a value."""
    for name, op in TABLE.items():
        seeds = (f"{name} {seed}" for seed in range(EXAMPLES))
        found = [outcome(op, arguments_for(op, Random(seed)), ROOMY) for seed in seeds]
        assert any(not isinstance(result, Failure) for result in found), name
