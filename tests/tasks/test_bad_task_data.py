"""Bad task data are refused in one sentence that names the file, the task and the sample."""

import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arcbatt.errors import TaskError
from arcbatt.tasks import Task, TaskSet, grid_fault, load_tasks

Change = Callable[[Any], object]

GOOD: Any = {
    "train": [
        {"input": [[1, 2]], "output": [[2, 1]]},
        {"input": [[3, 4], [5, 6]], "output": [[4, 3], [6, 5]]},
    ],
    "test": [{"input": [[7, 8]], "output": [[8, 7]]}],
}


def refusal(spec: Path) -> str:
    """The one line with which loading a path is refused, without the folder."""
    with pytest.raises(TaskError) as caught:
        load_tasks(spec)
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    return message.replace(f"{spec.parent}{os.sep}", "")


def put(sample: str, number: int, side: str, grid: object) -> Change:
    def change(task: Any) -> None:
        task[sample][number - 1][side] = grid

    return change


def drop(*path: Any) -> Change:
    def change(task: Any) -> None:
        *outer, last = path
        for step in outer:
            task = task[step]
        del task[last]

    return change


def replace(key: str, value: object) -> Change:
    return lambda task: task.update({key: value})


WRONG_GRIDS = [
    ([[1, 2, 3], [1, 2]], "row 2 has 2 cells where row 1 has 3; rows must be equally long"),
    ([], "has no rows; a grid has 1 to 30"),
    ([[]], "row 1 has no cells; a row has 1 to 30"),
    ([[1], []], "row 2 has no cells; a row has 1 to 30"),
    ([[0]] * 31, "has 31 rows; a grid has 1 to 30"),
    ([[0] * 31], "row 1 has 31 cells; a row has 1 to 30"),
    ([[1, 10]], "row 1 cell 2 is 10; colours are the integers 0 to 9"),
    ([[1], [-1]], "row 2 cell 1 is -1; colours are the integers 0 to 9"),
    ([[True]], "row 1 cell 1 is true; colours are the integers 0 to 9"),
    ([[1, False]], "row 1 cell 2 is false; colours are the integers 0 to 9"),
    ([[1.0]], "row 1 cell 1 is 1.0; colours are the integers 0 to 9"),
    ([["1"]], 'row 1 cell 1 is "1"; colours are the integers 0 to 9'),
    ([[None]], "row 1 cell 1 is null; colours are the integers 0 to 9"),
    ([[[1]]], "row 1 cell 1 is a list; colours are the integers 0 to 9"),
    ([1, 2], "row 1 is 1, not a list of cells"),
    ("12", 'is "12", not a list of rows'),
    ({"0": [1]}, "is an object, not a list of rows"),
]


@pytest.mark.parametrize(("grid", "reason"), WRONG_GRIDS)
def test_wrong_grid_is_refused_with_its_place(tmp_path: Path, grid: object, reason: str) -> None:
    for kind, number, side in [
        ("train", 2, "output"),
        ("train", 1, "input"),
        ("test", 1, "input"),
        ("test", 1, "output"),
    ]:
        task = copy.deepcopy(GOOD)
        task[kind][number - 1][side] = grid
        (tmp_path / "00d62c1b.json").write_text(json.dumps(task))
        place = f"{'demo' if kind == 'train' else 'test'} {number} {side}"
        assert refusal(tmp_path / "00d62c1b.json") == f"00d62c1b.json: task 00d62c1b: {place}: {reason}"


@pytest.mark.parametrize(("grid", "reason"), WRONG_GRIDS)
def test_fault_of_a_wrong_grid_is_its_reason(grid: object, reason: str) -> None:
    assert grid_fault(grid) == reason


@pytest.mark.slow
@given(st.integers(1, 30), st.integers(1, 30), st.data())
def test_right_grid_has_no_fault(height: int, width: int, data: st.DataObject) -> None:
    line = st.lists(st.integers(0, 9), min_size=width, max_size=width)
    grid = data.draw(st.lists(line, min_size=height, max_size=height))
    assert grid_fault(grid) is None
    assert grid_fault(tuple(map(tuple, grid))) is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (drop("train"), 'the key "train" is missing; a task has the keys "train" and "test"'),
        (drop("test"), 'the key "test" is missing; a task has the keys "train" and "test"'),
        (replace("train", []), "has no demo pairs; a task needs at least one"),
        (lambda task: task.update(train={}, test={}), '"train" is an object, not a list of samples'),
        (replace("train", {}), '"train" is an object, not a list of samples'),
        (replace("test", None), '"test" is null, not a list of samples'),
        (replace("test", [5]), 'test 1: is 5, not an object with the keys "input" and "output"'),
        (
            drop("train", 1, "input"),
            'demo 2: the key "input" is missing; a sample has the keys "input" and "output"',
        ),
        (
            drop("train", 0, "output"),
            'demo 1: the key "output" is missing; a sample has the keys "input" and "output"',
        ),
        (
            drop("test", 0, "input"),
            'test 1: the key "input" is missing; a sample has the keys "input" and "output"',
        ),
        (put("train", 2, "output", None), "demo 2 output: is null, not a list of rows"),
    ],
)
def test_task_with_a_part_missing_is_refused(tmp_path: Path, change: Change, reason: str) -> None:
    task = copy.deepcopy(GOOD)
    change(task)
    (tmp_path / "x.json").write_text(json.dumps(task))
    assert refusal(tmp_path / "x.json") == f"x.json: task x: {reason}"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is not valid JSON: Expecting value: line 1 column 1 (char 0)"),
        (b'{"train": [', "is not valid JSON: Expecting value: line 1 column 12 (char 11)"),
        (b'{"train": "\xff"}', "byte 12 is not UTF-8; task files are UTF-8 text"),
        (b'{"train": [], "train": []}', 'is not valid JSON: the key "train" occurs twice in one object'),
        (b"[" * 200_000, "the JSON is nested too deeply; tasks are nested 6 deep at most"),
        (b'{"a":' * 200_000, "the JSON is nested too deeply; tasks are nested 6 deep at most"),
        (b"[]", 'task x: is a list, not an object with the keys "train" and "test"'),
        (b"{}", 'task x: the key "train" is missing; a task has the keys "train" and "test"'),
        (b"NaN", "is not valid JSON: expected a number of JSON, got NaN"),
    ],
)
def test_file_that_holds_no_task_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "x.json").write_bytes(content)
    assert refusal(tmp_path / "x.json") == f"x.json: {reason}"


def test_endless_number_is_refused_in_a_short_line(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"train": [{"input": [[' + "9" * 5000 + "]]}]}")
    assert len(refusal(tmp_path / "x.json")) < 300


def test_huge_file_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "x.json").open("wb") as file:
        file.truncate(2**40)
    assert refusal(tmp_path / "x.json").startswith(
        "x.json: is too large: it has 1,099,511,627,776 bytes, and 268,435,456 are read at most"
    )


def test_one_bad_file_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(GOOD))
    (tmp_path / "b.json").write_text("nonsense")
    assert refusal(tmp_path).startswith(f"{tmp_path.name}{os.sep}b.json: is not valid JSON: ")


def test_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").mkdir()
    assert refusal(tmp_path).startswith(f"{tmp_path.name}{os.sep}a.json: cannot be read: ")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_file_without_permission_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps(GOOD))
    (tmp_path / "x.json").chmod(0)
    assert refusal(tmp_path / "x.json") == "x.json: cannot be read: Permission denied"


def test_folder_without_tasks_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("none")
    assert "has no task files <id>.json" in refusal(tmp_path)


def test_folder_of_folders_is_refused_with_the_first_of_them(tmp_path: Path) -> None:
    (tmp_path / "training").mkdir()
    assert refusal(tmp_path).endswith(f"perhaps {tmp_path.name}{os.sep}training has")


def test_folder_of_kaggle_files_is_refused_with_one_of_them(tmp_path: Path) -> None:
    (tmp_path / "arc_challenges.json").write_text(json.dumps({"x": GOOD}))
    (tmp_path / "arc_solutions.json").write_text("{}")
    assert refusal(tmp_path).endswith(f"name one of them, such as {tmp_path.name}{os.sep}arc_challenges.json")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[]", "is a list, not an object of tasks by id"),
        ("{}", "has no tasks; a challenges file is an object of tasks by id"),
        ('{"aa": {}}', 'task aa: the key "train" is missing; a task has the keys "train" and "test"'),
        ('{"aa": 3}', 'task aa: is 3, not an object with the keys "train" and "test"'),
        ('{"aa": {}, "aa": {}}', 'is not valid JSON: the key "aa" occurs twice in one object'),
        ('{"a\\nb": 3}', 'task \'a\\nb\': is 3, not an object with the keys "train" and "test"'),
    ],
)
def test_wrong_challenges_file_is_refused(tmp_path: Path, content: str, reason: str) -> None:
    (tmp_path / "k_challenges.json").write_text(content)
    assert refusal(tmp_path / "k_challenges.json") == f"k_challenges.json: {reason}"


@pytest.mark.parametrize(
    ("solutions", "reason"),
    [
        ({"x": [[[1]], [[2]]]}, "task x: 2 solutions for 1 test inputs; there must be one for each"),
        ({"y": [[[1]]]}, "task x: 0 solutions for 1 test inputs; there must be one for each"),
        (
            {"x": [[[1], [1, 2]]]},
            "task x: solution 1: row 2 has 2 cells where row 1 has 1; rows must be equally long",
        ),
        ({"x": 3}, "task x: is 3, not a list of grids"),
        ([], "is a list, not an object of lists of grids by task id"),
    ],
)
def test_solutions_that_do_not_fit_are_refused(tmp_path: Path, solutions: object, reason: str) -> None:
    (tmp_path / "k_challenges.json").write_text(json.dumps({"x": GOOD}))
    (tmp_path / "k_solutions.json").write_text(json.dumps(solutions))
    assert refusal(tmp_path / "k_challenges.json") == f"k_solutions.json: {reason}"


def test_solutions_file_is_refused_with_what_to_name_instead(tmp_path: Path) -> None:
    (tmp_path / "k_solutions.json").write_text("{}")
    assert refusal(tmp_path / "k_solutions.json").endswith("name the *_challenges.json file next to it")


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 12) | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["train", "test", "input", "output", "x"]), inner, max_size=4)
    ),
)


def with_one_part_replaced(value: Any, part: object, choose: Callable[[int], int]) -> Any:
    """A copy of a JSON value in which one part, reached by choices, is another value."""
    children = (
        list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    )
    choice = choose(len(children))
    if choice == len(children):
        return part
    result = copy.copy(value)
    result[children[choice]] = with_one_part_replaced(value[children[choice]], part, choose)
    return result


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(part=JSON_VALUES, name=st.sampled_from(["x.json", "x_challenges.json"]), data=st.data())
def test_any_json_is_a_task_or_refused_in_one_line(
    tmp_path: Path, part: object, name: str, data: st.DataObject
) -> None:
    whole = GOOD if name == "x.json" else {"x": GOOD}
    file = tmp_path / name
    file.write_text(json.dumps(with_one_part_replaced(whole, part, lambda n: data.draw(st.integers(0, n)))))
    outcome = tasks_or_refusal(file)
    if isinstance(outcome, str):
        assert outcome.startswith(f"{file}: ")
        assert len(outcome.splitlines()) == 1
    else:
        assert all(is_sound(task) for task in outcome)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=40))
def test_any_bytes_are_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.json").write_bytes(content)
    assert refusal(tmp_path / "x.json").startswith("x.json: ")


def tasks_or_refusal(file: Path) -> TaskSet | str:
    try:
        return load_tasks(file)
    except TaskError as error:
        return str(error)


def is_sound(task: Task) -> bool:
    grids = [grid for sample in task.samples for grid in sample if grid is not None]
    return len(task.demo) > 0 and all(
        grid_fault(grid) is None and isinstance(grid[0], tuple) for grid in grids
    )
