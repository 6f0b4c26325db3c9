"""Literals of a program are values: judged when they run as a result would be, by RANGE, DEPTH and SIZE."""

import tracemalloc
from typing import Any

import pytest

import arcbatt as ab
from arcbatt import Limits
from arcbatt.engine.backend import FailureMode
from arcbatt.program.graph import Node
from arcbatt.tasks import Sample
from support.cases import failed

GRID = ((1, 2), (3, 4))
TASK = ab.Task("one", demo=(Sample(GRID, GRID),), test=())
BACKENDS = ["reference", "native", "emulated"]


def outcome(lines: str, backend: str, limits: Limits | None = None, on_failure: FailureMode = "fail") -> Any:
    """What a program gives on one grid."""
    (program,) = ab.parse_programs(f"def solve_x(I):\n    {lines}", strict=True)
    results = ab.run([program], [TASK], "all", backend, on_failure=on_failure, limits=limits or Limits())
    return results[program, TASK].outputs[0]


def numbers(count: int) -> str:
    return f"({'1, ' * count})"


def nested(levels: int) -> str:
    return "(" * levels + ")" + ",)" * (levels - 1)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("literal", "kind"),
    [
        (numbers(300_000), "SIZE"),
        (nested(150), "DEPTH"),
        ("2147483648", "RANGE"),
        ("-2147483649", "RANGE"),
        ("(1, (2, 99999999999))", "RANGE"),
    ],
    ids=["heavy", "deep", "high", "low", "inside"],
)
def test_literal_over_a_limit_fails_as_a_result_would(literal: str, kind: str, backend: str) -> None:
    given = outcome(f"return astuple(I, {literal})", backend)
    assert failed(given) == kind
    assert given.node.kind == "constant"
    assert outcome(f"x = {literal}\n    return astuple(I, I)", backend) == (GRID, GRID)
    assert outcome(f"return height(hconcat(I, {literal}))", backend, on_failure="default") == 0


@pytest.mark.parametrize("backend", BACKENDS)
def test_literal_may_be_as_heavy_and_as_deep_as_the_limits_of_the_run_say(backend: str) -> None:
    assert outcome(f"return size({numbers(50)})", backend, Limits(items=51)) == 50
    assert failed(outcome(f"return size({numbers(51)})", backend, Limits(items=51))) == "SIZE"
    assert outcome(f"return size({nested(5)})", backend, Limits(depth=5)) == 1
    assert failed(outcome(f"return size({nested(6)})", backend, Limits(depth=5))) == "DEPTH"
    assert outcome("return add(2147483647, -2147483648)", backend) == -1


def test_failures_of_a_literal_come_in_order() -> None:
    both = f"({nested(6)}, {numbers(100)}, 99999999999)"
    assert failed(outcome(f"return size({both})", "native", Limits(items=51, depth=5))) == "RANGE"
    assert (
        failed(outcome(f"return size(({nested(6)}, {numbers(100)}))", "native", Limits(51, depth=5)))
        == "DEPTH"
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_pile_goes_on_after_a_failed_literal(backend: str) -> None:
    assert outcome("return combine_t(I, 99999999999)", backend, on_failure="pile") == ()


def test_text_of_millions_of_numbers_is_refused_before_it_takes_memory() -> None:
    text = f"def solve_x(I):\n    return size({'(' + '1,' * 4_000_000 + ')'})"
    tracemalloc.start()
    try:
        with pytest.raises(ab.ArcbattError, match="commas and operators are too many"):
            ab.parse_programs(text)
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()


def test_program_with_too_many_numbers_does_not_cost_the_others() -> None:
    text = (
        f"def solve_x(I):\n    return size({'(' + '1,' * 1_000_000 + ')'})\ndef solve_y(I):\n    return I\n"
    )
    programs = ab.parse_programs(text, on_refused="ignore")
    assert [program.name for program in programs] == ["solve_y"]
    assert "too many" in str(programs.refused[0])


def test_constant_of_a_node_is_judged_whatever_made_it() -> None:
    function = ab.fn("lbind", ab.fn("astuple"), (0,) * 100)
    program = ab.Program("solve_x", "solver", ("I",), Node.call(Node.constant(function), Node.input("I")))
    for backend in BACKENDS:
        heavy = ab.run([program], [TASK], "all", backend, limits=Limits(items=100))[program, TASK].outputs[0]
        assert failed(heavy) == "SIZE"


def test_called_function_obeys_the_limits() -> None:
    function = ab.fn("lbind", ab.fn("astuple"), (0,) * 100)
    assert ab.call(function, 1) == ((0,) * 100, 1)
    with pytest.raises(ab.ArcbattError, match="heavier than the limit of 50 items"):
        ab.call(function, 1, limits=Limits(items=50))
    with pytest.raises(ab.ArcbattError, match="nested deeper than the limit of 1"):
        ab.call(function, 1, limits=Limits(depth=1))
