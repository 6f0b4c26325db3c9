"""Batts whose run was stopped go on: lines of JSON, archives, shards, portions."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.engine import chunks
from arcbatt.engine.records.record import Record
from arcbatt.engine.records.replies import Reply as Lost
from arcbatt.engine.running.sample_runner import Runner
from support.commands import Answer, Command, Write

COUNT = 5


@pytest.fixture
def batt(cli: Command, tmp_path: Path) -> Path:
    """A batt with some solvers, differs and failures."""
    path = tmp_path / "mine.py"
    assert cli("card", "-c", 6, "-f", path, "-fs", "-fd").code == 0
    return path


@pytest.fixture
def run(cli: Command, batt: Path) -> Callable[..., Answer]:
    """Runs the batt on some tasks."""
    return lambda *words: cli("run-batt", "-b", batt, "-c", COUNT, *words)


def export(archive: Path) -> bytes:
    file = archive.with_suffix(".export")
    with ab.Archive(archive, readonly=True) as opened:
        opened.export(file)
    return file.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.2, 0.55, 0.9, 1.0])
def test_a_batt_whose_file_ends_anywhere_goes_on_to_the_same_bytes(
    run: Callable[..., Answer], tmp_path: Path, share: float
) -> None:
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    wanted = run("--json", whole)
    content = whole.read_bytes()
    cut.write_bytes(content[: round(share * len(content))])
    answer = run("--json", cut, "--resume")
    assert answer == wanted
    assert cut.read_bytes() == content
    assert "mean score" in answer.out


@pytest.mark.slow
def test_the_report_of_a_resumed_archive_covers_old_and_new_tasks(
    cli: Command, batt: Path, tmp_path: Path
) -> None:
    archive, whole = tmp_path / "mine.db", tmp_path / "whole.db"
    wanted = cli("run-batt", "-b", batt, "-c", COUNT, "--archive", whole)
    assert cli("run-batt", "-b", batt, "-c", 2, "--archive", archive).code == 0
    answer = cli("run-batt", "-b", batt, "-c", COUNT, "--archive", archive, "--resume")
    assert answer == wanted
    assert export(archive) == export(whole)


@pytest.mark.slow
def test_portions_of_a_batt_change_nothing(
    run: Callable[..., Answer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [tmp_path / name for name in ("whole.jsonl", "whole.db", "cut.jsonl", "cut.db")]
    wanted = run()
    assert run("--json", files[0], "--archive", files[1]) == wanted
    monkeypatch.setattr(chunks, "SECONDS", 1e-9)
    assert run("--json", files[2], "--archive", files[3]) == wanted
    assert files[2].read_bytes() == files[0].read_bytes()
    assert export(files[3]) == export(files[1])
    content = files[2].read_bytes()
    files[2].write_bytes(content[: len(content) // 2])
    assert run("--json", files[2], "--resume") == wanted
    assert files[2].read_bytes() == content


@pytest.mark.process
@pytest.mark.parametrize("mode", ["fail", "default", "pile"])
@pytest.mark.parametrize("words", [(), ("--mega-batch", "--batch-size", 9), ("--backend", "reference")])
def test_every_way_to_run_a_batt_resumes(
    run: Callable[..., Answer], tmp_path: Path, mode: str, words: tuple[object, ...]
) -> None:
    file, archive = tmp_path / "results.jsonl", tmp_path / "mine.db"
    wanted = run("--on-failure", mode)
    assert run("--on-failure", mode, "--json", file, "--archive", archive, *words) == wanted
    content = file.read_bytes()
    assert run("--on-failure", mode, "--archive", archive, "--resume", *words) == wanted
    file.write_bytes(content[: len(content) // 2])
    assert run("--on-failure", mode, "--json", file, "--resume", *words) == wanted
    assert file.read_bytes() == content


def _nothing_runs(writer: object, record: Record) -> None:
    assert all(program.kind == "differ" for program in record.programs)


@pytest.mark.slow
def test_shards_of_a_batt_merge_to_the_run_of_all_tasks(
    run: Callable[..., Answer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, merged = tmp_path / "whole.db", tmp_path / "merged.db"
    lines, joined = tmp_path / "whole.jsonl", tmp_path / "joined.jsonl"
    wanted = run("--archive", whole, "--json", lines)
    parts = [tmp_path / f"{k}.db" for k in (1, 2, 3)]
    for number, part in enumerate(parts, 1):
        files = ("--archive", part, "--json", part.with_suffix(".jsonl"))
        assert run("--shard", f"{number}/3", *files).code == 0
    with ab.Archive(merged) as archive:
        archive.merge(*parts)
    assert export(merged) == export(whole)
    with monkeypatch.context() as patched:
        patched.setattr("arcbatt.results.result_writer.ResultWriter.add", _nothing_runs)
        assert run("--archive", merged, "--resume") == wanted
    joined.write_bytes(b"".join(part.with_suffix(".jsonl").read_bytes() for part in parts))
    assert run("--json", joined, "--resume") == wanted
    assert joined.read_bytes() == lines.read_bytes()


@pytest.mark.slow
def test_other_differs_make_other_results(cli: Command, batt: Path, write: Write, tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    assert cli("run-batt", "-b", batt, "-c", 1, "--json", file).code == 0
    other = tmp_path / "other.py"
    assert cli("card", "-c", 6, "-f", other, "-fs", "--seed", 1).code == 0
    answer = cli("run-batt", "-b", other, "-c", 1, "--json", file, "--resume")
    assert answer.code == 2
    assert "with another program, task, setting or version" in answer.err


def test_samples_that_were_lost_are_told_again(process: Command, write: Write, tmp_path: Path) -> None:
    own = write(
        "own.py",
        "import os\nimport arcbatt as ab\nfrom arcbatt.dsl.types import Grid\n@ab.register_op\n"
        "def fall(grid: 'Grid') -> 'Grid': return grid if len(grid) < 6 else os._exit(3)\n",
    )
    solver = write("solver.py", "def solve_67a3c6ac(I): return fall(vmirror(I))\n")
    batt, file = write("batt.py", ""), tmp_path / "results.jsonl"
    assert process("--ops", own, "card", solver, "-f", batt, "-fs", "-fd").code == 0
    words = ["--ops", own, "run-batt", "-b", batt, "-i", "67a3c6ac", "--json", file]
    wanted = process(*words)
    content = file.read_bytes()
    line = json.loads(content.splitlines()[0])
    assert (wanted.code, line["lost"]) == (1, len(line["ends"]))
    assert {tuple(end[1:]) for end in line["ends"]} == {("crashed", "exit 3")}
    assert process(*words, "--resume") == wanted
    assert file.read_bytes() == content


@pytest.mark.slow
def test_the_marks_of_a_damaged_line_are_refused(run: Callable[..., Answer], tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    run("--json", file)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    rows[0]["marks"] = "many"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    answer = run("--json", file, "--resume")
    assert answer.code == 2
    assert f"{file}: has a damaged result of task 007bbfb7; name another file" in answer.err
    assert "Traceback" not in answer.err


def test_a_winner_whose_outputs_are_lost_is_kept_without_them(
    cli: Command, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = '{"train": [{"input": [[1, 2]], "output": [[2, 1]]}], "test": [{"input": [[3, 4]]}]}'
    tasks = write("tasks/0123abcd.json", task).parent
    solver = write("some.py", "def solve_0123abcd(I): return vmirror(I)\n")
    archive, batt = tmp_path / "mine.db", tmp_path / "batt.py"
    assert cli("card", solver, "-f", batt, "-fs", "-fd", "--data", tasks).code == 0
    monkeypatch.setattr(Runner, "outputs", lambda runner, tasks: iter([Lost("timeout")]))
    assert cli("run-batt", "-b", batt, "--data", tasks, "--archive", archive).code == 0
    with ab.Archive(archive, readonly=True) as opened:
        (best,) = opened.best("0123abcd")
        assert (best.solved, best.outputs) == (True, {})
