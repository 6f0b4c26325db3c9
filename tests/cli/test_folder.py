"""`folder`: paths against what programs do, the best of each task, counts."""

import json
from hashlib import md5
from pathlib import Path

import pytest

from arcbatt.commands import folder as folder_command
from arcbatt.library import load_library
from support.commands import Command

TASK = "67a3c6ac"  # solved by a turn
TURNS = ("rot90", "rot180", "rot270", "hmirror", "vmirror", "dmirror", "cmirror")


def _solver(op: str) -> str:
    return f"def solve(S, I, C):\n    O = {op}(I)\n    return O\n"


def _keep(folder: Path, op: str, score: object, time: object, task: str = TASK) -> Path:
    """A file of the historical form, named by the MD5 digest of its text."""
    text = _solver(op)
    path = folder / f"solve_{task}" / str(score) / str(time) / f"{md5(text.encode()).hexdigest()}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def solved(cli: Command, tmp_path: Path) -> Path:
    """A folder of winners, as `run-batt --save` writes it."""
    batt, folder = tmp_path / "batt.py", tmp_path / "kept"
    assert cli("card", "-fs", "-fd", "-c", 12, "-f", batt).code == 0
    ids = ",".join(str(program.task_id) for program in load_library("solvers"))
    assert cli("run-batt", "-b", batt, "-i", ids, "--save", folder, "-c", 80).code == 0
    assert any(folder.rglob("*.py"))
    return folder


@pytest.mark.slow
def test_winners_that_run_batt_has_kept_are_right(cli: Command, solved: Path) -> None:
    count = sum(1 for _ in solved.rglob("*.py"))
    answer = cli("folder", "check", solved)
    files = "file" if count == 1 else "files"
    assert (answer.code, answer.out) == (
        0,
        f"{solved}: {count} {files} checked, {count} right, 0 wrong\n",
    )


def test_a_path_that_says_something_else_is_named(cli: Command, tmp_path: Path) -> None:
    right = _keep(tmp_path, "vmirror", 4, 12)
    wrong, claimed = _keep(tmp_path, "rot90", 2, 14), _keep(tmp_path, "rot180", 1000, 90)
    answer = cli("folder", "check", tmp_path)
    assert answer.code == 1
    assert str(right) not in answer.out
    assert f"{wrong}: the path says 2, it is exact on 0 of 4 samples, score " in answer.out
    assert f"{claimed}: the path says 1000, it is exact on 0 of 4 samples, score " in answer.out
    assert answer.out.endswith(f"{tmp_path}: 3 files checked, 1 right, 2 wrong\n")


def test_a_number_of_demo_samples_is_right_too(cli: Command, tmp_path: Path) -> None:
    _keep(tmp_path, "vmirror", 3, 12)
    assert cli("folder", "check", tmp_path).code == 0


def test_tasks_that_are_not_published_are_named(cli: Command, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    _keep(folder, "rot90", 2, 9, "mine")
    answer = cli("folder", "check", folder)
    assert answer.code == 2
    assert "name the tasks with --tasks" in answer.err
    grids = [{"input": [[1, 2]], "output": [[1], [2]]}] * 2
    (tmp_path / "mine.json").write_text(json.dumps({"train": grids, "test": []}))
    answer = cli("folder", "check", folder, "--tasks", tmp_path / "mine.json", "--json", "-")
    assert answer.code == 0
    (file,) = json.loads(answer.out)["files"]
    assert (file["path_score"], file["exact"], file["samples"], file["right"]) == (2, 2, 2, True)


@pytest.mark.parametrize("kept", ["sums", "means"])
def test_prune_keeps_the_best_of_each_task(kept: str, cli: Command, tmp_path: Path) -> None:
    scores = (4, 3, 2, 1) if kept == "sums" else (1000, 750.5, 500, 250)
    # What is faster has a larger time in the historical form, and a smaller one else.
    times = (12, 11) if kept == "sums" else (11, 12)
    first = _keep(tmp_path, "vmirror", scores[0], times[0])
    second = _keep(tmp_path, "hmirror", scores[0], times[1])
    third = _keep(tmp_path, "rot90", scores[1], times[0])
    other = _keep(tmp_path, "rot90", scores[3], times[0], "00d62c1b")
    dry = cli("folder", "prune", tmp_path, "--keep", 2, "--dry-run")
    assert dry.out == (
        f"would remove {third}: not among the best 2 of {TASK}\n{tmp_path}: 1 file would go, 3 left\n"
    )
    assert third.exists()
    answer = cli("folder", "prune", tmp_path, "--keep", 1)
    assert answer.code == 0
    assert answer.out.splitlines()[0] == f"removed {second}: not among the best 1 of {TASK}"
    assert [path.exists() for path in (first, second, third, other)] == [True, False, False, True]
    assert not third.parents[1].exists()
    assert cli("folder", "prune", tmp_path, "--keep", 1).out == f"{tmp_path}: 0 files removed, 2 left\n"


def test_a_program_stands_once_with_its_best_score(cli: Command, tmp_path: Path) -> None:
    best, worse = _keep(tmp_path, "vmirror", 4, 12), _keep(tmp_path, "vmirror", 3, 12)
    answer = cli("folder", "prune", tmp_path)
    assert answer.out.splitlines()[0] == f"removed {worse}: the same program as {best}"
    assert best.exists()
    assert not worse.exists()


def test_files_that_are_no_kept_solvers_stay(cli: Command, tmp_path: Path) -> None:
    for number, op in enumerate(TURNS):
        _keep(tmp_path, op, number, 12)
    other, broken = tmp_path / "mine.py", tmp_path / "solve_67a3c6ac" / "1" / "12" / "broken.py"
    other.write_text(_solver("rot90"))
    broken.write_text("def solve(")
    answer = cli("folder", "prune", tmp_path, "--keep", 1)
    assert answer.code == 1
    assert "broken.py:1" in answer.err
    assert other.exists()
    assert broken.exists()
    assert len(list(tmp_path.rglob("*.py"))) == 3


def test_a_file_of_several_programs_is_named_and_stays(cli: Command, tmp_path: Path) -> None:
    single, several = _keep(tmp_path, "vmirror", 4, 12), _keep(tmp_path, "hmirror", 3, 12)
    several.write_text("".join(_solver(op).replace("solve", f"solve_{op}") for op in TURNS))
    for action in ("prune", "count", "check"):
        answer = cli("folder", action, tmp_path, *(["--keep", 1] if action == "prune" else []))
        assert answer.code == 1
        assert "expected one program in a kept file, got 7 programs; write a file for each" in answer.err
    assert single.exists()
    assert several.exists()


def test_an_interrupted_prune_has_named_what_is_gone(
    cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [_keep(tmp_path, op, number, 12) for number, op in enumerate(TURNS)]
    remove = folder_command.remove_file

    def remove_two(path: Path, folder: Path) -> None:
        if sum(each.exists() for each in paths) <= len(paths) - 2:
            raise KeyboardInterrupt
        remove(path, folder)

    monkeypatch.setattr(folder_command, "remove_file", remove_two)
    answer = cli("folder", "prune", tmp_path, "--keep", 1, "--json", tmp_path / "done.json")
    assert answer.code == 130
    gone = [str(path) for path in paths if not path.exists()]
    data = json.loads((tmp_path / "done.json").read_text())
    assert sorted(each["file"] for each in data["removed"]) == sorted(gone)
    assert len(gone) == 2
    assert data["interrupted"] is True
    assert all(f"removed {path}: " in answer.out for path in gone)


def test_count_tells_programs_files_and_scores(cli: Command, tmp_path: Path) -> None:
    _keep(tmp_path, "vmirror", 4, 12), _keep(tmp_path, "vmirror", 3, 12), _keep(tmp_path, "rot90", 0, 9)
    _keep(tmp_path, "rot90", 1, 12, "00d62c1b")
    (tmp_path / "mine.py").write_text(_solver("rot90"))
    answer = cli("folder", "count", tmp_path)
    assert [line.split() for line in answer.out.splitlines()[:3]] == [
        ["task", "programs", "files", "best", "worst"],
        ["00d62c1b", "1", "1", "1", "1"],
        ["67a3c6ac", "2", "3", "4", "0"],
    ]
    assert answer.out.endswith(f"{tmp_path}: 4 files of 2 programs for 2 tasks; 1 other program file\n")
    data = json.loads(cli("folder", "count", tmp_path, "--json", "-").out)
    assert data["total"] == {"tasks": 2, "programs": 2, "files": 4, "other_files": 1}


@pytest.mark.parametrize("action", ["count", "check", "prune"])
def test_what_is_no_folder_of_kept_solvers_is_one_sentence(action: str, cli: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(_solver("rot90"))
    for folder, sentence in (
        (tmp_path, "expected files solve_<id>/<score>/<time>/<hash>.py, got none"),
        (tmp_path / "nowhere", "expected a folder of kept solvers, got no folder"),
        (tmp_path / "mine.py", "expected a folder of kept solvers, got no folder"),
    ):
        answer = cli("folder", action, folder)
        assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
        assert sentence in answer.err
