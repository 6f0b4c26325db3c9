"""Section 2.7: what a program makes of failed arguments, and names that a program may not use."""

from collections.abc import Callable
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.program.graph import Node, Program
from arcbatt.tasks import Sample
from support.cases import failed

GRID = ((1, 2), (3, 4))
TASK = ab.Task("one", demo=(Sample(GRID, GRID),), test=())

Run = Callable[[Any], Any]


@pytest.fixture
def run(backend: str) -> Run:
    """The outcome of a program, given as the lines of its body or as a Program, on one grid."""

    def outcome(program: Any) -> Any:
        if isinstance(program, str):
            lines = "\n    ".join(line.strip() for line in program.strip().splitlines())
            (program,) = ab.parse_programs(f"def solve_x(S, I, C):\n    {lines}", strict=True)
        results = ab.run([program], [TASK], pairs="all", backend=backend)
        return results[program.name, TASK.id].outputs[0]

    return outcome


def test_variable_that_holds_a_function_can_be_called(run: Run) -> None:
    assert run("f = compose(double, first)\n x = first(I)\n return f(x)") == 2
    assert run("f = rbind(fill, ORIGIN)\n g = lbind(add, THREE)\n return g(FOUR)") == 7


def test_calling_what_is_no_function_is_a_type_failure(run: Run) -> None:
    assert failed(run("f = height(I)\n return f(I)")) == "TYPE"
    assert failed(run("f = compose(double, first)\n return f(I, I)")) == "TYPE"


def test_unused_statement_cannot_fail_a_program(run: Run) -> None:
    assert run("x = divide(ONE, ZERO)\n return height(I)") == 2


def test_op_with_a_failed_argument_does_not_run(run: Run) -> None:
    assert failed(run("x = divide(ONE, ZERO)\n y = add(x, I)\n return equality(y, y)")) == "ZERO"
    assert failed(run("x = divide(ONE, ZERO)\n return branch(ONE, TWO, x)")) == "ZERO"


def test_first_failed_argument_gives_kind_and_origin(run: Run) -> None:
    zero, empty = "x = divide(ONE, ZERO)", "y = first(difference(I, I))"
    for lines in (f"{zero}\n{empty}", f"{empty}\n{zero}"):
        left = run(f"{lines}\n z = astuple(x, y)\n return size(z)")
        right = run(f"{lines}\n z = astuple(y, x)\n return size(z)")
        assert (left.kind, right.kind) == ("ZERO", "EMPTY")
        assert left.node is Node.op("divide", Node.constant(1), Node.constant(0))
        assert right.node.head == "first"


def test_failed_callee_comes_before_failed_arguments(run: Run) -> None:
    assert failed(run("f = power(double, ZERO)\n x = divide(ONE, ZERO)\n return f(x)")) == "DEPTH"
    assert failed(run("f = branch(ONE, double, first)\n x = divide(ONE, ZERO)\n return f(x)")) == "ZERO"


def test_node_with_a_wrong_number_of_arguments_fails_when_it_runs(run: Run) -> None:
    grid = Node.input("I")
    for root in (Node.op("rot90"), Node.op("rot90", grid, grid), Node.op("fill", grid)):
        assert failed(run(Program("solve_x", "solver", ("I",), root))) == "TYPE"
    unused = Node.op("branch", Node.constant(1), grid, Node.op("rot90", grid, grid))
    assert failed(run(Program("solve_x", "solver", ("I",), unused))) == "TYPE"


def test_failed_argument_comes_before_a_wrong_number_of_them(run: Run) -> None:
    zero = Node.op("divide", Node.constant(1), Node.constant(0))
    assert failed(run(Program("solve_x", "solver", ("I",), Node.op("rot90", zero, zero)))) == "ZERO"


def test_alias_is_resolved_when_a_program_is_loaded(run: Run) -> None:
    assert run("return difference_t(I, I)") == ()
    (program,) = ab.parse_programs("def solve_x(I): return apply(difference_t, I)")
    assert program.root.args[0].head == ab.fn("difference_tuple")


@pytest.mark.parametrize(
    "line",
    [
        "x = frst(I)",
        "x = first(NOTHING)",
        "x = first(y)",
        "first = last(I)",
        "ONE = first(I)",
        "I = first(I)",
        "x = first(I)\n    x = last(I)",
        "x = first(I, I)",
        "x = fill(I, ONE)",
    ],
)
def test_line_that_is_no_statement_of_the_language_is_a_load_error(line: str) -> None:
    with pytest.raises(ab.ArcbattError):
        ab.parse_programs(f"def solve_x(S, I, C):\n    {line}\n    return height(I)", strict=True)
