"""Tasks in the core: a task is packed once, and again where the packed form would not do."""

import copy
import pickle
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.values import Function
from support.backends import needs_core

pytestmark = needs_core

GIVEN = ((1, 2), (3, 4))
TURNED = ((3, 1), (4, 2))
(TURN,) = ab.parse_programs("def solve_t(I): return rot90(I)")
(FIRST_OUTPUT,) = ab.parse_programs("def solve_f(S, I): return last(first(S))")


def a_task(given: Any = GIVEN, expected: Any = TURNED) -> ab.Task:
    return ab.Task("t", demo=(ab.Sample(given, expected),), test=(ab.Sample(given, None),))


def outputs(program: ab.Program, task: ab.Task, backend: str = "native") -> list[Any]:
    return list(ab.run(program, task, "all", backend)[program, task].outputs)


def test_a_task_is_packed_once() -> None:
    task = a_task()
    assert outputs(TURN, task) == [TURNED, TURNED]
    packed = task.packed
    assert packed is not None
    assert outputs(FIRST_OUTPUT, task) == [TURNED, TURNED]
    assert task.packed is packed


def test_the_packed_form_is_no_part_of_a_task() -> None:
    task, fresh = a_task(), a_task()
    outputs(TURN, task)
    assert task == fresh
    assert hash(task) == hash(fresh)
    assert repr(task) == repr(fresh)
    for other in (copy.copy(task), copy.deepcopy(task), pickle.loads(pickle.dumps(task))):
        assert other == task
        assert other.packed is None
        assert outputs(TURN, other) == [TURNED, TURNED]


@pytest.mark.parametrize("limits", [Limits(items=6), Limits(depth=1)])
def test_a_packed_task_is_refused_under_limits_that_it_exceeds(limits: Limits) -> None:
    task = a_task()
    outputs(TURN, task)
    with pytest.raises(ab.ArcbattError) as refusal:
        ab.run(TURN, task, "all", "native", limits=limits)
    with pytest.raises(ab.ArcbattError) as expected:
        ab.run(TURN, a_task(), "all", "reference", limits=limits)
    assert str(refusal.value) == str(expected.value)
    assert outputs(TURN, task) == [TURNED, TURNED]


def test_a_task_keeps_the_samples_and_grids_that_it_was_made_of() -> None:
    grid = [[1, 2], [3, 4]]
    demo = [ab.Sample(grid, TURNED)]
    task = ab.Task("t", demo=demo, test=[])  # type: ignore[arg-type]
    grid[0][0] = 5
    demo[0] = ab.Sample(TURNED, GIVEN)
    assert outputs(TURN, task) == outputs(FIRST_OUTPUT, task) == [TURNED]


def test_a_task_whose_grid_can_change_is_packed_anew() -> None:
    grid = [[1, 2], [3, 4]]
    task = ab.Task("t", (ab.Sample._make((grid, grid)),), (ab.Sample._make((grid, None)),))  # not converted
    assert outputs(TURN, task) == [TURNED, TURNED]
    grid[0][0] = 5
    assert outputs(TURN, task) == [((3, 5), (4, 2)), ((3, 5), (4, 2))]


def test_a_task_with_functions_is_packed_anew() -> None:
    """A function may be an op of the user, whose number is that of a run."""
    task = a_task(Function("rot90", (), 1))
    (program,) = ab.parse_programs("def solve_c(I): return I")
    assert outputs(program, task) == outputs(program, task, "reference")
    assert task.packed is None


@pytest.mark.parametrize("color", [-129, -128, -6, -5, -1, 0, 9, 127, 128, 255, 256, 300, True])
@pytest.mark.parametrize("width", [1, 7, 33])
def test_grids_of_all_colors_are_packed_as_they_are(color: int, width: int) -> None:
    rows = (tuple(range(width)), (0,) * (width - 1) + (color,))
    task = a_task(rows, ())
    (program,) = ab.parse_programs("def solve_i(S, I): return astuple(first(first(S)), I)")
    assert outputs(program, task) == outputs(program, task, "reference") == [(rows, rows)] * 2


def test_tasks_packed_by_different_runs_run_together() -> None:
    first, second, third = (
        ab.Task(name, demo=(ab.Sample(((number,),), ((number,),)),), test=())
        for number, name in enumerate("abc")
    )
    (program,) = ab.parse_programs("def solve_i(S, I): return first(first(S))")
    ab.run(program, [second], "all", "native")
    ab.run(program, [third, first], "all", "native")
    results = ab.run(program, [first, second, third], "all", "native")
    assert [results[program, task].solved for task in (first, second, third)] == [True] * 3
