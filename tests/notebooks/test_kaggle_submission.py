"""The notebook for an offline Kaggle session installs from wheels, solves, and writes a sound submission."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from zipfile import ZipFile

import pytest

import arcbatt as ab
from arcbatt.engine.choose import AVAILABLE
from support.notebooks import Notebook
from support.wheels import built_wheel, needed_by, packed_wheel

NOTEBOOK = Notebook("kaggle_submission")
needs_core = pytest.mark.skipif("native" not in AVAILABLE, reason="solve needs the compiled core")
needs_environments = pytest.mark.skipif(
    find_spec("ensurepip") is None, reason="this Python makes no environments with pip"
)
# What keeps pip from any index, and Python from the package of the tests.
NOWHERE = {
    "http_proxy": "http://127.0.0.1:9",
    "https_proxy": "http://127.0.0.1:9",
    "PIP_INDEX_URL": "http://127.0.0.1:9",
    "PYTHONPATH": "",
}
OFFLINE = os.environ | NOWHERE
# Not one of the library: only the attached program solves the task of its own.
PROGRAM = "def zoomed(I):\n    return upscale(I, SEVEN)\n"
ZOOMED = {
    "train": [{"input": [[1, 2]], "output": [[1] * 7 + [2] * 7] * 7}],
    "test": [{"input": [[3, 4]]}],
}


@pytest.fixture
def attached(tmp_path: Path) -> Path:
    """Challenges without solutions, and a folder of programs, as they are attached to a notebook."""
    tasks = {
        task.id: {
            "train": [{"input": sample.input, "output": sample.output} for sample in task.demo],
            "test": [{"input": sample.input} for sample in task.test],
        }
        for task in ab.load_tasks("67a3c6ac,a61f2674")
    }
    for folder in ("arc-prize", "mine/programs", "working", "wheels"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "arc-prize" / "arc_training_challenges.json").write_text("{}")
    (tmp_path / "arc-prize" / "arc_test_challenges.json").write_text(json.dumps(tasks | {"zoomed": ZOOMED}))
    (tmp_path / "mine" / "programs" / "mine.py").write_text(PROGRAM)
    return tmp_path


def run(folder: Path, **more: str) -> "subprocess.CompletedProcess[str]":
    settings = {"ARCBATT_NOTEBOOK_WORKING": str(folder / "working"), "ARCBATT_NOTEBOOK_SECONDS": "0.3"}
    return NOTEBOOK.execute(NOTEBOOK.code, folder, **settings, **more)


def new_python(folder: Path) -> str:
    """The Python of a new environment."""
    subprocess.run([sys.executable, "-m", "venv", str(folder / "new")], check=True)
    return str(folder / "new" / "bin" / "python")


def require_submission(folder: Path, said: str) -> None:
    """The submission is sound, and the programs of the library and the attached one have answered it."""
    file = folder / "working" / "submission.json"
    tasks = ab.load_tasks(folder / "arc-prize" / "arc_test_challenges.json")
    assert ab.check_submission(file, tasks).faults == ()
    data = json.loads(file.read_text())
    assert list(data) == ["67a3c6ac", "a61f2674", "zoomed"]
    assert data["zoomed"][0]["attempt_1"] == [[3] * 7 + [4] * 7] * 7
    (known,) = ab.load_tasks("67a3c6ac")
    assert data["67a3c6ac"][0]["attempt_1"] == [list(row) for row in known.test[0].output or ()]
    assert "arc_test_challenges.json: 3 tasks, 3 test inputs" in said
    assert "sources: library mine.py" in said
    assert "3 test inputs of 3 tasks, no faults" in said


@needs_core
def test_notebook_runs_from_top_to_bottom_without_a_network(attached: Path) -> None:
    done = run(attached)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("arcbatt can be imported already; nothing is installed.\n")
    require_submission(attached, done.stdout)


@needs_core
@needs_environments
def test_notebook_installs_from_attached_wheels_alone(attached: Path) -> None:
    """The new environment has nothing but pip; the dataset of wheels is the one that the page describes."""
    for name in needed_by("arcbatt"):
        packed_wheel(name, attached / "wheels")
    done = run(attached, python=new_python(attached), **NOWHERE)
    assert done.returncode == 0, done.stderr
    assert "Successfully installed" in done.stdout
    require_submission(attached, done.stdout)


@needs_environments
@pytest.mark.skipif(
    find_spec("scikit_build_core") is None or which("cmake") is None,
    reason="scikit-build-core or cmake is not installed, so no wheel can be built without an index",
)
def test_wheel_that_is_built_without_an_index_holds_every_file_and_submits(attached: Path) -> None:
    with ZipFile(built_wheel(attached / "wheels")) as wheel:
        held = set(wheel.namelist())
    package = Path(ab.__file__).parent
    kinds = {".py", ".typed", ".dsl", ".html", ".css", ".js"}
    files = (file for file in package.rglob("*") if file.suffix in kinds)
    assert {str(file.relative_to(package.parent)) for file in files} <= held
    for name in needed_by("arcbatt")[1:]:
        packed_wheel(name, attached / "wheels")
    python = new_python(attached)
    links = f"--find-links={attached / 'wheels'}"
    for words in (
        ["pip", "install", "--no-index", links, "arcbatt"],
        ["arcbatt", "submit", "mine/programs/mine.py", "--tasks", "arc-prize/arc_test_challenges.json"],
    ):
        done = subprocess.run(
            [python, "-m", *words], cwd=attached, env=OFFLINE, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert "arcbatt: submission.json: 3 test inputs of 3 tasks, no faults" in done.stderr


@pytest.mark.parametrize("missing", ["wheel", "challenges"])
def test_what_is_not_attached_is_told_in_one_sentence(attached: Path, missing: str) -> None:
    if missing == "wheel":
        done = NOTEBOOK.execute(["settings", "install"], attached, options=("-I", "-S"))
        told = f"There is no arcbatt-*.whl under {attached}: attach a dataset with one, then run all cells."
    else:
        empty = attached / "working"
        done = NOTEBOOK.execute(["settings", "install", "tasks"], empty)
        told = f"There is no *_challenges.json under {empty}: attach the competition, then run all cells."
    assert (done.returncode, done.stderr.splitlines()) == (1, [told])
