"""The check of a submission passes every sound file, and finds every fault with its place."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.tasks.submission import write_submission
from arcbatt.tasks.submission_check import require_sound

CHALLENGES = Path(__file__).parent / "data" / "folder"
TASKS = ab.load_tasks(CHALLENGES)
SOUND: dict[str, Any] = {
    "flip": [
        {"attempt_1": [[1, 2], [3, 4]], "attempt_2": [[0]]},
        {"attempt_1": [[9] * 30] * 30, "attempt_2": [[5]]},
    ],
    "mirror": [{"attempt_1": [[1], [2]], "attempt_2": [[2], [1]]}],
}
side = st.integers(1, 30)
cells = st.integers(0, 9)


@st.composite
def submissions(draw: st.DrawFn) -> dict[str, Any]:
    """A sound submission for the tasks."""

    def grid() -> list[list[int]]:
        height, width, color = draw(side), draw(side), draw(cells)
        made = [[color] * width for _ in range(height)]
        made[draw(st.integers(0, height - 1))][draw(st.integers(0, width - 1))] = draw(cells)
        return made

    return {
        task.id: [{"attempt_1": grid(), "attempt_2": grid()} for _ in task.test]
        for task in draw(st.permutations(TASKS.tasks))
    }


# Each changes one thing at the place (task, entry, attempt, row, cell), and returns what is told of it.
Place = tuple[str, int, str, int, int]
Corruption = Callable[[Any, Place], str]


def _cell(value: Any, told: str) -> Corruption:
    def corrupt(data: Any, place: Place) -> str:
        task, entry, attempt, row, cell = place
        data[task][entry][attempt][row][cell] = value
        return f"task {task}: test {entry + 1}: {attempt}: row {row + 1} cell {cell + 1} is {told}; "

    return corrupt


def _grid(value: Any, told: str) -> Corruption:
    def corrupt(data: Any, place: Place) -> str:
        task, entry, attempt, _, _ = place
        data[task][entry][attempt] = value
        return f"task {task}: test {entry + 1}: {attempt}: {told}"

    return corrupt


def _longer_row(data: Any, place: Place) -> str:
    task, entry, attempt, _, _ = place
    data[task][entry][attempt].append([*data[task][entry][attempt][0][:29], 1, 1])
    return f"task {task}: test {entry + 1}: {attempt}: "


def _missing_task(data: Any, place: Place) -> str:
    del data[place[0]]
    return f"task {place[0]}: is missing; "


def _unknown_task(data: Any, place: Place) -> str:
    data["other"] = data[place[0]]
    return "task other: is none of the tasks of "


def _entry_too_many(data: Any, place: Place) -> str:
    count = len(data[place[0]])
    data[place[0]].append(data[place[0]][0])
    return f"task {place[0]}: has {count + 1} entries for {count} test input"


def _entry_too_few(data: Any, place: Place) -> str:
    data[place[0]].pop()
    return f"task {place[0]}: has "


def _no_list(data: Any, place: Place) -> str:
    data[place[0]] = {"attempt_1": [[0]], "attempt_2": [[0]]}
    return f"task {place[0]}: is an object, not a list with "


def _no_object(data: Any, place: Place) -> str:
    task, entry, *_ = place
    data[task][entry] = [[[0]], [[0]]]
    return f"task {task}: test {entry + 1}: is a list, not an object with "


def _missing_attempt(data: Any, place: Place) -> str:
    task, entry, attempt, _, _ = place
    del data[task][entry][attempt]
    return f"task {task}: test {entry + 1}: {attempt}: is missing; "


def _third_attempt(data: Any, place: Place) -> str:
    task, entry, *_ = place
    data[task][entry]["attempt_3"] = [[0]]
    return f'task {task}: test {entry + 1}: the key "attempt_3" is unknown; '


CORRUPTIONS = {
    "a float": _cell(1.0, "1.0"),
    "a boolean": _cell(True, "true"),
    "no colour": _cell(10, "10"),
    "a negative number": _cell(-1, "-1"),
    "a text": _cell("1", '"1"'),
    "null": _cell(None, "null"),
    "a list": _cell([1], "a list"),
    "no grid": _grid(None, "is null, not a list of rows"),
    "an empty grid": _grid([], "has no rows; "),
    "an empty row": _grid([[]], "row 1 has no cells; "),
    "too high": _grid([[0]] * 31, "has 31 rows; "),
    "too wide": _grid([[0] * 31], "row 1 has 31 cells; "),
    "ragged": _longer_row,
    "missing task": _missing_task,
    "unknown task": _unknown_task,
    "entry too many": _entry_too_many,
    "entry too few": _entry_too_few,
    "no list": _no_list,
    "no object": _no_object,
    "missing attempt": _missing_attempt,
    "third attempt": _third_attempt,
}


def places(data: Any) -> st.SearchStrategy[Place]:
    """Some cell of a submission."""
    return st.sampled_from(
        [
            (task, number, attempt, row, cell)
            for task, entries in data.items()
            for number, entry in enumerate(entries)
            for attempt, grid in entry.items()
            for row in {0, len(grid) - 1}
            for cell in {0, len(grid[0]) - 1}
        ]
    )


def checked(folder: Path, data: Any) -> ab.SubmissionCheck:
    file = folder / "submission.json"
    file.write_text(data if isinstance(data, str) else json.dumps(data))
    return ab.check_submission(file, TASKS)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(data=submissions())
def test_every_sound_submission_passes(tmp_path: Path, data: dict[str, Any]) -> None:
    check = checked(tmp_path, data)
    assert check.faults == ()
    equal = sum(entry["attempt_1"] == entry["attempt_2"] for entries in data.values() for entry in entries)
    assert bool(check.remarks) == bool(equal)


@pytest.mark.parametrize("name", CORRUPTIONS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(drawn=st.data())
def test_every_single_corruption_is_found_at_its_place(
    tmp_path: Path, name: str, drawn: st.DataObject
) -> None:
    data = deepcopy(drawn.draw(submissions()))
    told = CORRUPTIONS[name](data, drawn.draw(places(data)))
    (fault,) = checked(tmp_path, data).faults
    assert fault.startswith(f"{tmp_path / 'submission.json'}: {told}")


def test_every_fault_is_told(tmp_path: Path) -> None:
    broken = deepcopy(SOUND)
    broken["flip"][0] = {"attempt_1": [[True]], "attempt_2": [[1], [2, 3]]}
    broken["mirror"][0] = {"attempt": [[0]], "attempt_2": [[0]]}
    check = checked(tmp_path, broken)
    file = tmp_path / "submission.json"
    assert [fault.removeprefix(f"{file}: task ") for fault in check.faults] == [
        "flip: test 1: attempt_1: row 1 cell 1 is true; colours are the integers 0 to 9",
        "flip: test 1: attempt_2: row 2 has 2 cells where row 1 has 1; rows must be equally long",
        'mirror: test 1: the key "attempt" is unknown; an entry is an object with the keys attempt_1 and '
        "attempt_2",
        "mirror: test 1: attempt_1: is missing; an entry is an object with the keys attempt_1 and attempt_2",
    ]
    assert repr(check).endswith(": 3 test inputs of 2 tasks, 4 faults>")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"flip": [], "flip": []}', 'is not valid JSON: the key "flip" stands twice in one object'),
        ('{"flip": [NaN]}', "is not valid JSON: NaN is no number of JSON"),
        ('{"flip": [-Infinity]}', "is not valid JSON: -Infinity is no number of JSON"),
        ('{"flip": ', "is not valid JSON: Expecting value: line 1 column 10 (char 9)"),
        ("[]", "is a list; a submission is an object of lists by task id"),
        ("3", "is 3; a submission is an object of lists by task id"),
    ],
)
def test_text_that_is_no_submission_is_one_fault(tmp_path: Path, text: str, told: str) -> None:
    check = checked(tmp_path, text)
    assert check.faults == (f"{tmp_path / 'submission.json'}: {told}",)
    assert not check.ok


def test_file_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    (fault,) = ab.check_submission(tmp_path / "none.json", TASKS).faults
    assert fault == f"{tmp_path / 'none.json'}: cannot be read: No such file or directory"


def test_equal_attempts_are_a_remark_and_no_fault(tmp_path: Path) -> None:
    equal = SOUND | {"mirror": [{"attempt_1": [[7]], "attempt_2": [[7]]}]}
    check = checked(tmp_path, equal)
    assert check.ok
    assert check.remarks == (
        f"{tmp_path / 'submission.json'}: 1 test input has two equal attempts, so that one is wasted; "
        "the first is task mirror test 1",
    )


def test_tasks_are_given_as_a_spec_a_set_a_list_or_one(tmp_path: Path) -> None:
    write_submission(tmp_path / "submission.json", {}, TASKS)
    for tasks in (str(CHALLENGES), CHALLENGES, TASKS, list(TASKS)):
        assert ab.check_submission(tmp_path / "submission.json", tasks).inputs == 3
    assert len(ab.check_submission(tmp_path / "submission.json", TASKS[0]).faults) == 1
    with pytest.raises(ab.ArcbattError, match="expected a task, got 3; "):
        ab.check_submission(tmp_path / "submission.json", 3)  # type: ignore[arg-type]
    with pytest.raises(
        ab.ArcbattError, match=r"path: expected a path, a Python str or a pathlib\.Path, got None"
    ):
        ab.check_submission(None, TASKS)  # type: ignore[arg-type]


def test_file_that_was_written_must_be_sound(tmp_path: Path) -> None:
    write_submission(tmp_path / "submission.json", {}, TASKS[:1])
    with pytest.raises(
        ab.ArcbattError, match="task mirror: is missing; every task has its list; 1 fault in all"
    ):
        require_sound(tmp_path / "submission.json", TASKS)
