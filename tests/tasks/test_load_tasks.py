"""Each kind of spec loads the tasks that it names."""

import json
import os
import shutil
from pathlib import Path

import pytest

from arcbatt.errors import TaskError
from arcbatt.tasks import Sample, load_tasks

DATA = Path(__file__).parent / "data"


def test_folder_gives_its_json_files_in_the_order_of_their_names() -> None:
    tasks = load_tasks(DATA / "folder")
    assert tasks.ids == ("flip", "mirror")
    assert tasks.name == str(DATA / "folder")
    assert tasks["mirror"].pairs == ((((1, 2),), ((2, 1),)), (((3, 4, 5),), ((5, 4, 3),)))
    assert tasks["mirror"].test == (Sample(((6, 7),), ((7, 6),)),)


def test_test_output_that_is_missing_or_null_is_none(tmp_path: Path) -> None:
    assert [sample.output for sample in load_tasks(DATA / "folder")["flip"].test] == [None, None]
    pair = {"input": [[1]], "output": [[2]]}
    file = tmp_path / "null.json"
    file.write_text(json.dumps({"train": [pair], "test": [{"input": [[1]], "output": None}]}))
    assert load_tasks(file)["null"].test == (Sample(((1,),), None),)


def test_text_and_path_object_name_the_same_folder() -> None:
    assert load_tasks(str(DATA / "folder")) == load_tasks(DATA / "folder")


def test_hidden_files_of_a_folder_are_no_tasks(tmp_path: Path) -> None:
    shutil.copytree(DATA / "folder", tmp_path, dirs_exist_ok=True)
    (tmp_path / "._flip.json").write_bytes(b"\x00\x05\x16\x07")
    assert load_tasks(tmp_path).ids == ("flip", "mirror")


def test_file_of_one_task_has_its_name_as_id() -> None:
    assert load_tasks(DATA / "folder" / "mirror.json").ids == ("mirror",)


def test_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "mirror.json"
    file.write_bytes(b"\xef\xbb\xbf" + (DATA / "folder" / "mirror.json").read_bytes())
    assert load_tasks(file)["mirror"] == load_tasks(DATA / "folder")["mirror"]


def test_challenges_file_keeps_its_order_and_takes_the_solutions_next_to_it() -> None:
    tasks = load_tasks(DATA / "small_challenges.json")
    assert tasks.ids == ("mirror", "flip")
    assert tasks["mirror"].test == (Sample(((6, 7),), ((7, 6),)),)
    assert [sample.output for sample in tasks["flip"].test] == [((4,), (3,)), ((6,), (5,))]


def test_challenges_file_without_solutions_has_no_test_outputs(tmp_path: Path) -> None:
    shutil.copy(DATA / "small_challenges.json", tmp_path)
    tasks = load_tasks(tmp_path / "small_challenges.json")
    assert [sample.output for task in tasks for sample in task.test] == [None, None, None]


def test_file_of_tasks_by_id_may_have_any_name(tmp_path: Path) -> None:
    shutil.copy(DATA / "small_challenges.json", tmp_path / "mine.json")
    assert load_tasks(tmp_path / "mine.json").ids == ("mirror", "flip")


def test_ids_after_a_colon_pick_from_any_source() -> None:
    assert load_tasks(f"{DATA / 'folder'}:mirror").ids == ("mirror",)
    assert load_tasks(f"{DATA / 'small_challenges.json'}:flip,mirror").ids == ("flip", "mirror")


@pytest.mark.skipif(os.name == "nt", reason="no colons in names here")
def test_path_with_a_colon_in_it_is_still_a_path(tmp_path: Path) -> None:
    folder = tmp_path / "odd:flip"
    shutil.copytree(DATA / "folder", folder)
    assert load_tasks(str(folder)).ids == ("flip", "mirror")
    assert load_tasks(f"{folder}:mirror").ids == ("mirror",)


def test_tilde_is_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(DATA / "folder", tmp_path / "tasks")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert load_tasks("~/tasks").ids == ("flip", "mirror")


def test_published_name_wins_over_a_folder_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(DATA / "folder", tmp_path / "arc1" / "training")
    monkeypatch.chdir(tmp_path)
    assert len(load_tasks("arc1/training")) == 400
    assert len(load_tasks("./arc1/training")) == 2
    assert len(load_tasks(Path("arc1/training"))) == 2


@pytest.mark.parametrize(
    ("spec", "nearest"),
    [
        ("arc1", "arc1/training"),
        ("arc1/trainin", "arc1/training"),
        ("arc2/eval", "arc2/evaluation"),
        ("arc1/trainin:00d62c1b", "arc1/training"),
        (str(DATA / "foldr"), str(DATA / "folder")),
        (str(DATA / "folder" / "mirro.json"), str(DATA / "folder" / "mirror.json")),
    ],
)
def test_unknown_name_is_answered_with_the_nearest_one_and_what_is_possible(spec: str, nearest: str) -> None:
    with pytest.raises(TaskError) as caught:
        load_tasks(spec)
    reason = f"no file, folder, set or task has this name, the nearest is {nearest}; tasks come from"
    assert reason in str(caught.value)
    assert "arc2/evaluation, a folder of task JSON files" in str(caught.value)


@pytest.mark.parametrize(
    "spec", ["", ":", ",", " ", "a\0b", "C:\\none\\x.json", "x" * 5000, "a:" * 5000, "two\nlines"]
)
def test_odd_text_is_refused_in_one_line(spec: str) -> None:
    with pytest.raises(TaskError, match="no file, folder, set or task has this name") as caught:
        load_tasks(spec)
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 500


def test_path_object_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="no file, folder, set or task has this name"):
        load_tasks(tmp_path / "00d62c1b")


def test_colon_without_ids_is_refused() -> None:
    with pytest.raises(
        TaskError, match=r"^arc1/training: no ids follow the colon; write arc1/training:007bbfb7"
    ):
        load_tasks("arc1/training:")


def test_picking_an_unknown_id_names_source_and_nearest() -> None:
    with pytest.raises(TaskError, match=r"folder: there is no task miror; the nearest id is mirror"):
        load_tasks(f"{DATA / 'folder'}:miror")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_neither_file_nor_folder_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(TaskError, match=r"pipe.json: is neither a file nor a folder"):
        load_tasks(tmp_path / "pipe.json")
