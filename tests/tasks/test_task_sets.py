"""A task and a set of tasks behave as the plain collections that they look like."""

import copy
import pickle
from dataclasses import FrozenInstanceError

import pytest

from arcbatt.errors import TaskError
from arcbatt.tasks import Grid, Sample, Task, TaskSet


def row(*cells: int) -> Grid:
    return (cells,)


def task(task_id: str) -> Task:
    demo = (Sample(row(1, 2), row(2, 1)), Sample(row(3), row(3)))
    return Task(task_id, demo, (Sample(row(4, 5), None),))


@pytest.fixture
def tasks() -> TaskSet:
    return TaskSet((task("aa11"), task("bb22"), task("cc33")), "three")


def test_sample_unpacks_into_input_and_output() -> None:
    before, after = Sample(row(1), row(2))
    assert (before, after) == (row(1), row(2))


def test_pairs_are_the_demo_samples_as_plain_tuples() -> None:
    pairs = task("aa11").pairs
    assert pairs == ((row(1, 2), row(2, 1)), (row(3), row(3)))
    assert {type(pair) for pair in pairs} == {tuple}


def test_samples_are_demo_then_test() -> None:
    assert [sample.input for sample in task("aa11").samples] == [row(1, 2), row(3), row(4, 5)]


def test_task_with_a_demo_without_output_cannot_be_made() -> None:
    with pytest.raises(TaskError, match=r"^task aa11: demo 1 has no output"):
        Task("aa11", (Sample(row(1), None),), ())


def test_task_and_set_cannot_be_changed(tasks: TaskSet) -> None:
    with pytest.raises(FrozenInstanceError):
        tasks.name = "other"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        tasks["aa11"].id = "other"  # type: ignore[misc]


def test_set_iterates_over_its_tasks_in_order(tasks: TaskSet) -> None:
    assert [task.id for task in tasks] == ["aa11", "bb22", "cc33"] == list(tasks.ids)
    assert len(tasks) == 3


def test_set_gives_a_task_by_id_and_by_position(tasks: TaskSet) -> None:
    assert tasks["bb22"] == tasks[1] == tasks[-2] == task("bb22")


def test_slice_of_a_set_is_a_set_of_the_same_name(tasks: TaskSet) -> None:
    assert tasks[:2].ids == ("aa11", "bb22")
    assert tasks[::-1].ids == ("cc33", "bb22", "aa11")
    assert tasks[1:].name == "three"


def test_pick_keeps_the_order_of_the_ids(tasks: TaskSet) -> None:
    assert tasks.pick(["cc33", "aa11"]).ids == ("cc33", "aa11")
    assert tasks.pick("cc33, aa11").ids == ("cc33", "aa11")
    assert len(tasks.pick([])) == 0


def test_membership_is_by_id_or_by_task(tasks: TaskSet) -> None:
    assert "aa11" in tasks
    assert "dd44" not in tasks
    assert task("aa11") in tasks
    assert task("dd44") not in tasks
    assert 1 not in tasks


def test_unknown_id_is_answered_with_the_nearest_ids(tasks: TaskSet) -> None:
    with pytest.raises(TaskError, match=r"^three: there is no task bb23; the nearest id is bb22$"):
        tasks["bb23"]
    with pytest.raises(TaskError, match="there is no task bb23"):
        tasks.pick(["aa11", "bb23"])


def test_unknown_id_that_is_near_no_other_is_answered_with_how_one_looks(tasks: TaskSet) -> None:
    with pytest.raises(TaskError, match=r"^three: there is no task zzz; an id looks like aa11$"):
        tasks["zzz"]


def test_unknown_id_in_an_empty_set_says_that_it_is_empty(tasks: TaskSet) -> None:
    with pytest.raises(TaskError, match="it has no tasks at all"):
        tasks[:0]["aa11"]


def test_set_with_an_id_twice_cannot_be_made(tasks: TaskSet) -> None:
    with pytest.raises(TaskError, match=r"^three: task bb22 occurs twice"):
        tasks.pick(["aa11", "bb22", "bb22"])


def test_representation_is_short(tasks: TaskSet) -> None:
    assert repr(tasks) == "TaskSet('three', 3 tasks)"
    assert repr(tasks[:1]) == "TaskSet('three', 1 task)"
    assert repr(tasks[0]) == "Task('aa11', 2 demo, 1 test)"


def test_equal_sets_are_equal_and_survive_copying(tasks: TaskSet) -> None:
    assert pickle.loads(pickle.dumps(tasks)) == tasks == copy.deepcopy(tasks)
    assert hash(tasks) == hash(tasks[:])
    assert tasks != tasks[:2]
