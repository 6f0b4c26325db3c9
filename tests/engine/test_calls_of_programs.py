"""A program is called like a function, and gives what a run gives."""

from typing import Any

import numpy as np
import pytest

import arcbatt as ab
from arcbatt.library import load_library

GRID = ((1, 2), (3, 4))
TASK = ab.load_tasks("67a3c6ac")[0]


def program(text: str) -> ab.Program:
    (found,) = ab.parse_programs(text)
    return found


@pytest.mark.parametrize(
    "grid", [GRID, [[1, 2], [3, 4]], np.array(GRID, np.uint8), [np.array([1, 2]), (3, 4)]]
)
def test_a_program_takes_a_grid_in_every_form(grid: Any) -> None:
    assert program("def solve_x(I): return rot90(I)")(grid) == ((3, 1), (4, 2))


def test_a_call_gives_the_outputs_of_a_run() -> None:
    solvers = {solver.task_id: solver for solver in load_library("solvers")}
    for task in ab.load_tasks("arc1/training")[:40]:
        solver = solvers.get(task.id)
        if solver is not None:
            outputs = ab.run(solver, task)[solver, task].outputs
            assert [solver(sample.input, S=task) for sample in task.samples] == list(outputs)


def test_a_failure_is_an_answer() -> None:
    found = program("def solve_x(I): return divide(size(I), ZERO)")(GRID)
    assert isinstance(found, ab.Failure)
    assert found.kind == "ZERO"
    assert str(found.node) == "divide(size(I), 0)"


def test_s_is_a_task_or_pairs() -> None:
    count = program("def solve_x(S, I): return size(S)")
    pairs = [([[1]], [[2]]), {"input": np.array([[1]]), "output": [[3]]}]
    assert [count(GRID, S=form) for form in (TASK, TASK.id, TASK.pairs, TASK.demo, pairs, [])] == [
        3,
        3,
        3,
        3,
        2,
        0,
    ]


def test_a_differ_scores_by_the_expected_output() -> None:
    differ = program("def differ_x(S, I, C): return astuple(size(S), equality(I, C))")
    assert differ(GRID, S=TASK, C=[[1, 2], [3, 4]]) == (3, 1)
    assert differ(GRID, TASK, ((5,),)) == (3, 0)


def test_a_solver_does_not_see_the_expected_output() -> None:
    cheat = program("def solve_x(S, I, C): return C")
    assert (
        cheat(GRID, S=TASK, C=GRID)
        == cheat(GRID)
        == ab.Failure("TYPE", ab.run(cheat, TASK, "all")[cheat, TASK].outputs[0].node)
    )  # type: ignore[union-attr]


def test_an_op_of_the_user_runs_in_a_call() -> None:
    def plus_one(n: "Integer") -> "Integer":  # type: ignore[name-defined]  # noqa: F821
        return n + 1

    with ab.own_ops(plus_one):
        assert program("def solve_x(I): return plus_one(size(I))")(GRID) == 3


@pytest.mark.parametrize(
    ("text", "given", "sentence"),
    [
        ("def solve_x(S, I): return S", {}, r"solve_x needs S, the demo samples of a task; .* S=task"),
        ("def differ_x(S, I, C): return astuple(ONE, C)", {}, "differ_x needs C, the expected output"),
        ("def solve_x(S, I): return S", {"S": 5}, "expected a task, got 5"),
        ("def solve_x(S, I): return S", {"S": [(1, 2)]}, "sample 1 input: is 1, not a list of rows"),
        ("def solve_x(S, I): return S", {"S": [((1,),)]}, "expected a sample, got "),
    ],
)
def test_what_is_missing_is_said_in_a_sentence(text: str, given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ab.ArcbattError, match=sentence):
        program(text)(GRID, **given)


@pytest.mark.parametrize("wrong", [None, "x", 1.5, [[0.5]], TASK, object()])
def test_an_input_that_is_no_value_is_refused(wrong: Any) -> None:
    with pytest.raises(ab.ArcbattError):
        program("def solve_x(I): return I")(wrong)
