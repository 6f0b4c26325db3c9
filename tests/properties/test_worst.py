"""The search for the program that costs most finds programs, and measures each by itself."""

import pytest

import arcbatt as ab
from arcbatt.engine.choose import AVAILABLE
from support.worst import cost_of, sample, search

pytestmark = pytest.mark.skipif("native" not in AVAILABLE, reason="it measures the compiled core")


def test_a_program_that_makes_more_takes_more_memory() -> None:
    little, much = ab.parse_programs("""
def solve_little(I): return canvas(ONE, UNITY)
def solve_much(I): return apply(initset, interval(ZERO, 100000, ONE))
""")
    assert cost_of(much, sample(0)).memory > cost_of(little, sample(0)).memory


def test_what_is_found_later_costs_more() -> None:
    found = [cost.memory for cost, _, _ in search("memory", seconds=2.0, seed=5)]
    assert found
    assert found == sorted(found)
