"""A submission file holds every test input of every task, and is whole or not there."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arcbatt.errors import TaskError
from arcbatt.tasks import Grid, TaskSet, load_tasks, write_submission

TASKS = load_tasks(Path(__file__).parent / "data" / "folder")
NOTHING = [[0]]


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    height, width = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    line = st.tuples(*[st.integers(0, 9)] * width)
    return draw(st.tuples(*[line] * height))


def names_in(folder: Path) -> list[str]:
    return [entry.name for entry in folder.iterdir()]


def submitted(path: Path, predictions: Any, tasks: TaskSet = TASKS) -> Any:
    write_submission(path, predictions, tasks)
    return json.loads(path.read_text("utf-8"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mirror=st.lists(grids(), max_size=2), flips=st.lists(st.lists(grids(), max_size=2), max_size=2))
def test_predictions_come_back_from_the_file(
    tmp_path: Path, mirror: list[Grid], flips: list[list[Grid]]
) -> None:
    found = submitted(tmp_path / "submission.json", {"mirror": [mirror], "flip": flips})
    assert {task_id: len(samples) for task_id, samples in found.items()} == {"flip": 2, "mirror": 1}
    for attempts, sample in zip([mirror, *flips], [*found["mirror"], *found["flip"]], strict=False):
        back = [tuple(map(tuple, sample[key])) for key in ("attempt_1", "attempt_2")]
        assert back == (attempts + [((0,),)] * 2)[:2]


def test_known_answers_of_a_published_set_come_back(tmp_path: Path) -> None:
    tasks = load_tasks("arc2/evaluation")
    answers = {task.id: [[sample.output] for sample in task.test] for task in tasks}
    found = submitted(tmp_path / "submission.json", answers, tasks)
    assert list(found) == list(tasks.ids)
    for task in tasks:
        assert [sample["attempt_1"] for sample in found[task.id]] == json.loads(
            json.dumps([sample.output for sample in task.test])
        )


def test_every_test_input_has_two_attempts_even_without_predictions(tmp_path: Path) -> None:
    empty = {"attempt_1": NOTHING, "attempt_2": NOTHING}
    assert submitted(tmp_path / "submission.json", {}) == {"flip": [empty, empty], "mirror": [empty]}


def test_missing_attempts_and_samples_are_filled(tmp_path: Path) -> None:
    found = submitted(tmp_path / "submission.json", {"flip": [[((4,), (3,))]]})
    assert found["flip"] == [
        {"attempt_1": [[4], [3]], "attempt_2": NOTHING},
        {"attempt_1": NOTHING, "attempt_2": NOTHING},
    ]


def test_grids_may_be_lists(tmp_path: Path) -> None:
    found = submitted(tmp_path / "submission.json", {"mirror": [[[[7, 6]], [[6, 7]]]]})
    assert found["mirror"] == [{"attempt_1": [[7, 6]], "attempt_2": [[6, 7]]}]


@pytest.mark.parametrize(
    ("predictions", "reason"),
    [
        ({"miror": []}, "folder: there is no task miror; the nearest id is mirror"),
        ({"mirror": [[], []]}, "task mirror: 2 lists of grids for 1 test inputs; one for each is enough"),
        ({"flip": [[], [((1,),)] * 3]}, "task flip: test 2: has 3 grids; a submission takes at most 2"),
        (
            {"flip": [[((1,),), ((10,),)]]},
            "test 1: attempt 2: row 1 cell 1 is 10; colours are the integers 0 to 9",
        ),
        ({"mirror": [((7, 6),)]}, "task mirror: test 1: attempt 1: row 1 is 7, not a list of cells"),
        (
            {"mirror": [[frozenset()]]},
            "task mirror: test 1: attempt 1: is a Python frozenset, not a list of rows",
        ),
    ],
)
def test_wrong_predictions_are_refused_and_leave_the_old_file(
    tmp_path: Path, predictions: Any, reason: str
) -> None:
    file = tmp_path / "submission.json"
    file.write_text("old")
    with pytest.raises(TaskError) as caught:
        write_submission(file, predictions, TASKS)
    assert str(caught.value).endswith(reason)
    assert file.read_text() == "old"


def test_older_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    (tmp_path / "submission.json").write_text("old")
    write_submission(str(tmp_path / "submission.json"), {}, TASKS)
    assert (tmp_path / "submission.json").read_text() != "old"
    assert names_in(tmp_path) == ["submission.json"]


def test_file_that_cannot_be_written_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in ["folder", "missing/submission.json", "a\0b"]:
        with pytest.raises(TaskError, match="cannot be written: "):
            write_submission(tmp_path / name, {}, TASKS)
    assert names_in(tmp_path) == ["folder"]
    assert names_in(tmp_path / "folder") == []


def test_interrupted_replacement_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "submission.json").write_text("old")
    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_submission(tmp_path / "submission.json", {}, TASKS)
    assert (tmp_path / "submission.json").read_text() == "old"
    assert names_in(tmp_path) == ["submission.json"]
