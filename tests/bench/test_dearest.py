"""The search for applications that take long for their units of work, and the units of the worst hundred."""

import pytest

from arcbatt.bench.worst.dearest import (
    LOOPED,
    ApplicationCost,
    Meter,
    combinations,
    searched,
    worst,
    worst_known,
)
from arcbatt.dsl.failures import OpFailed
from arcbatt.dsl.machine import Machine, room_for
from arcbatt.dsl.table import TABLE
from arcbatt.engine.choose import AVAILABLE
from arcbatt.testing.extremes import extreme

KNOWN = worst_known()
native = pytest.mark.skipif("native" not in AVAILABLE, reason="needs the compiled core")


def units_on_reference(dear: ApplicationCost) -> tuple[int, str]:
    """What an op costs on the reference, and how it ends."""
    machine, status = Machine(), "ok"
    arguments = tuple(extreme(name, LOOPED) for name in dear.arguments)
    with room_for(machine.limits.depth):
        try:
            machine.run(TABLE[dear.op], arguments)
        except OpFailed as failed:
            status = failed.kind
    return machine.work, status


def test_a_hundred_combinations_are_known() -> None:
    assert len({(dear.op, dear.arguments) for dear, _ in KNOWN}) == len(KNOWN) == 100


@pytest.mark.slow
@native
def test_the_dearest_combinations_cost_the_units_that_they_cost_when_they_were_measured() -> None:
    meter = Meter(LOOPED)
    for dear, units in KNOWN:
        found = meter.again(dear)
        assert (found.op, found.arguments, found.units) == (dear.op, dear.arguments, units)


@pytest.mark.slow
def test_the_reference_counts_the_same_units() -> None:
    for dear, units in KNOWN:
        assert (dear, units_on_reference(dear)[0]) == (dear, units)


@pytest.mark.slow
@native
def test_all_ops_are_searched_and_those_that_apply_functions_with_and_without_columns() -> None:
    found = list(searched(TABLE.values(), most=2))
    assert {dear.op for dear in found} == set(TABLE)
    assert {dear.op for dear in found if not dear.columns} == {
        op.name for op in TABLE.values() if op.higher_order
    }


@pytest.mark.slow
def test_combinations_are_all_or_spread_over_all() -> None:
    few, many = TABLE["size"], TABLE["equality"]
    assert len({entry.name for (entry,) in combinations(few, LOOPED)}) > 200
    drawn = list(combinations(many, LOOPED, 600))
    assert len(set(drawn)) == 600
    assert len({first.name for first, _ in drawn}) > 100


def test_the_worst_is_what_would_take_longest_until_the_limit_of_work() -> None:
    cheap = ApplicationCost("add", ("1", "2"), True, "ok", 2e-8, 0)
    long = ApplicationCost("merge", ("x",), True, "ok", 1e-3, 1_000_000)
    failing = ApplicationCost("merge", ("y",), True, "SIZE", 1e-5, 0)
    assert worst([cheap, long, failing], 3) == [long, cheap, failing]
    assert round(cheap.at_the_limit, 6) == round(2e-8 * 300e6 / 32, 6)
    assert failing.at_the_limit == 1e-5 * 10_000
