"""Runs that were stopped and go on: lines of JSON, shards, refusals."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import arcbatt as ab
from support.commands import Answer, Command, Write

PROGRAMS = """
def solve_007bbfb7(I):
    return rot90(I)

def solve_67a3c6ac(I):
    return vmirror(I)

def fails(I):
    return divide(height(I), ZERO)

def twin(I):
    return vmirror(I)
"""
TASKS = "007bbfb7,00d62c1b,67a3c6ac,68b16354,74dd1130"


@pytest.fixture
def run(cli: Command, write: Write) -> Callable[..., Answer]:
    """Runs all programs on all of some tasks."""
    programs = write("some.py", PROGRAMS)
    return lambda *words: cli("run", programs, "--tasks", TASKS, "--pairs", "all", *words)


def lines_of(file: Path) -> list[bytes]:
    """The results in a file, without the summary, which must be the last line."""
    *lines, last = file.read_bytes().splitlines(keepends=True)
    assert "summary" in json.loads(last)
    return lines


def summary_of(file: Path) -> dict[str, object]:
    """The summary, without times."""
    told: dict[str, object] = json.loads(file.read_bytes().splitlines()[-1])["summary"]
    return {name: value for name, value in told.items() if "second" not in name}


def report(answer: Answer) -> list[str]:
    """What was printed, without times."""
    return [line.partition(" s, ")[0].rpartition(", ")[0] or line for line in answer.out.splitlines()]


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.5, 0.77, 0.999, 1.0])
def test_a_run_whose_file_ends_anywhere_goes_on_to_the_same_bytes(
    run: Callable[..., Answer], tmp_path: Path, share: float
) -> None:
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    wanted = run("--json", whole)
    content = whole.read_bytes()
    cut.write_bytes(content[: round(share * len(content))])
    answer = run("--json", cut, "--resume")
    assert (answer.code, answer.err) == (0, "")
    assert lines_of(cut) == lines_of(whole)
    assert summary_of(cut) == summary_of(whole)
    assert report(answer) == report(wanted)


@pytest.mark.parametrize("kept", ["archive", "json", "both"])
def test_what_is_known_does_not_run_again(
    run: Callable[..., Answer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: str
) -> None:
    file, archive = tmp_path / "results.jsonl", tmp_path / "results.db"
    files = {"archive": ["--archive", archive], "json": ["--json", file]}
    words = [*files["archive"], *files["json"]] if kept == "both" else files[kept]
    wanted = run(*words)
    monkeypatch.setattr("arcbatt.engine.work.Work.judge", _nothing_runs)
    answer = run(*words, "--resume")
    assert (answer.code, answer.err) == (0, "")
    assert report(answer) == report(wanted)


def _nothing_runs(
    work: object, tasks: list[object], report: object, wanted: list[object]
) -> dict[str, float]:
    assert not any(wanted)
    assert callable(report)
    for number in range(len(tasks)):
        report(number, b"", b"")
    return {}


def test_new_programs_and_tasks_run_and_lines_are_in_the_order_of_a_whole_run(
    cli: Command, write: Write, tmp_path: Path
) -> None:
    few, all_of_them = write("few.py", PROGRAMS[PROGRAMS.index("def fails") :]), write("all.py", PROGRAMS)
    file, whole = tmp_path / "results.jsonl", tmp_path / "whole.jsonl"
    assert cli("run", few, "--tasks", "67a3c6ac,00d62c1b", "--pairs", "all", "--json", file).code == 0
    wanted = cli("run", all_of_them, "--tasks", TASKS, "--pairs", "all", "--json", whole)
    answer = cli("run", all_of_them, "--tasks", TASKS, "--pairs", "all", "--json", file, "--resume")
    assert lines_of(file) == lines_of(whole)
    assert report(answer) == report(wanted)


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        ((), ("vmirror", "hmirror")),
        (("--max-depth", 50), ("", "")),
        (("--on-failure", "default"), ("", "")),
    ],
)
def test_results_of_other_programs_or_settings_are_refused(
    cli: Command, write: Write, tmp_path: Path, words: tuple[object, ...], changed: tuple[str, str]
) -> None:
    file = tmp_path / "results.jsonl"
    programs = write("some.py", PROGRAMS)
    base = ["run", programs, "--tasks", TASKS, "--pairs", "all", "--json", file]
    assert cli(*base).code == 0
    before = file.read_bytes()
    write("some.py", PROGRAMS.replace(*changed))
    answer = cli(*base, *words, "--resume")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"arcbatt: {file}:")
    assert "with another program, task, setting or version; name another file, or leave" in answer.err
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("some text\n", "is no result of a run"),
        ("[1]\n", "is no result of a run"),
        ('{"program": "x", "task": "007bbfb7", "key": "1"}\n', "has x on 007bbfb7, which is not to run here"),
        ("{" * 2_000_000, "is too long for a result"),
    ],
)
def test_a_file_of_something_else_is_refused_and_left_alone(
    run: Callable[..., Answer], write: Write, content: str, sentence: str
) -> None:
    file = write("other.jsonl", content)
    answer = run("--json", file, "--resume")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"arcbatt: {file}:1: {sentence}; ")
    assert file.read_text() == content


def test_results_of_an_unfinished_run_are_not_overwritten(run: Callable[..., Answer], tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    run("--json", file)
    finished = file.read_bytes()
    assert run("--json", file).code == 0  # a finished run is replaced
    file.write_bytes(b"".join(finished.splitlines(keepends=True)[:3]))
    before = file.read_bytes()
    answer = run("--json", file)
    assert (answer.code, answer.out) == (2, "")
    assert "holds results of a run that was not finished; --resume goes on with it" in answer.err
    assert file.read_bytes() == before


def test_shards_join_to_the_run_of_all_tasks(run: Callable[..., Answer], tmp_path: Path) -> None:
    whole, joined = tmp_path / "whole.jsonl", tmp_path / "joined.jsonl"
    wanted = run("--json", whole)
    parts = [tmp_path / f"{k}.jsonl" for k in (1, 2, 3)]
    for number, part in enumerate(parts, 1):
        assert run("--shard", f"{number}/3", "--json", part).code == 0
    assert b"".join(line for part in parts for line in lines_of(part)) == b"".join(lines_of(whole))
    joined.write_bytes(b"".join(part.read_bytes() for part in reversed(parts)))
    answer = run("--json", joined, "--resume")
    assert lines_of(joined) == lines_of(whole)
    assert summary_of(joined) == summary_of(whole)
    assert report(answer) == report(wanted)


def test_a_shard_without_tasks_is_no_error(run: Callable[..., Answer]) -> None:
    answer = run("--shard", "1/9")
    assert answer.code == 0
    assert "0 tasks" in answer.out


@pytest.mark.parametrize("shard", ["0/3", "4/3", "1", "a/b", "1/0", "-1/3", "1/3/5"])
def test_a_shard_that_is_none_is_refused(run: Callable[..., Answer], shard: str) -> None:
    answer = run("--shard", shard)
    assert (answer.code, answer.out) == (2, "")
    assert f"--shard: expected K/N with K from 1 to N, such as 2/3, got {shard!r}" in answer.err


@pytest.mark.parametrize("words", [(), ("--json", "-")])
def test_nothing_to_resume_from_is_refused(run: Callable[..., Answer], words: tuple[str, ...]) -> None:
    answer = run("--resume", *words)
    assert (answer.code, answer.out) == (2, "")
    assert "--resume needs the results so far; name their file with --archive or --json" in answer.err


def test_lines_never_take_the_place_of_an_archive(run: Callable[..., Answer], tmp_path: Path) -> None:
    archive, new = tmp_path / "mine.db", tmp_path / "new"
    assert run("--archive", archive).code == 0
    before = archive.read_bytes()
    for words in (("--json", archive), ("--json", archive, "--archive", archive)):
        answer = run(*words)
        assert (answer.code, answer.out) == (2, "")
        assert answer.err.startswith(f"arcbatt: {archive}: ")
    assert archive.read_bytes() == before
    answer = run("--json", new, "--archive", new)
    assert answer.err == f"arcbatt: {new}: cannot be archive and lines of JSON at once; name two files\n"
    assert not new.exists()


def test_a_file_that_is_not_there_yet_is_begun(run: Callable[..., Answer], tmp_path: Path) -> None:
    file, whole = tmp_path / "results.jsonl", tmp_path / "whole.jsonl"
    run("--json", whole)
    assert run("--json", file, "--resume").code == 0
    assert lines_of(file) == lines_of(whole)


@pytest.mark.parametrize("mode", ["fail", "default", "pile"])
def test_every_failure_mode_resumes(run: Callable[..., Answer], tmp_path: Path, mode: str) -> None:
    whole, cut, archive = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl", tmp_path / "results.db"
    wanted = run("--json", whole, "--on-failure", mode)
    content = whole.read_bytes()
    cut.write_bytes(content[: len(content) // 2])
    answer = run("--json", cut, "--resume", "--on-failure", mode, "--archive", archive)
    assert lines_of(cut) == lines_of(whole)
    assert report(answer) == report(wanted)
    again = run("--resume", "--on-failure", mode, "--archive", archive)
    assert report(again) == report(wanted)


@pytest.mark.parametrize("mode", ["fail", "default", "pile"])
@pytest.mark.parametrize("command", ["run", "run-batt"])
def test_the_outputs_of_winners_are_kept_where_nobody_knows_them(
    cli: Command, write: Write, tmp_path: Path, command: str, mode: str
) -> None:
    task = '{"train": [{"input": [[1, 2]], "output": [[2, 1]]}], "test": [{"input": [[3, 4]]}]}'
    tasks = write("tasks/0123abcd.json", task).parent
    programs = write("some.py", "def solve_0123abcd(I): return vmirror(I)\ndef turn(I): return rot90(I)\n")
    archive, batt = tmp_path / "mine.db", tmp_path / "batt.py"
    assert cli("card", programs, "-f", batt, "-fs", "-fd", "--data", tasks).code == 0
    words = {
        "run": ["run", programs, "--tasks", tasks, "--pairs", "all"],
        "run-batt": ["run-batt", "-b", batt, "--data", tasks],
    }[command]
    answer = cli(*words, "--archive", archive, "--on-failure", mode)
    assert (answer.code, answer.err) == (0, "")
    with ab.Archive(archive, readonly=True) as opened:
        best, *_ = opened.best("0123abcd")
        assert best.solved
        assert best.outputs == {1: ((4, 3),)}
        assert best.scores is not None
    assert cli(*words, "--archive", archive, "--on-failure", mode, "--resume").out.count("\n") == (
        answer.out.count("\n")
    )


def test_programs_that_were_stopped_are_told_again(process: Command, write: Write, tmp_path: Path) -> None:
    own = write(
        "own.py",
        "import os\nimport arcbatt as ab\n@ab.register_op\n"
        "def fall(grid: 'Grid') -> 'Grid': return grid if len(grid) < 6 else os._exit(3)\n",
    )
    solvers = write("s.py", "def solve_67a3c6ac(I): return fall(vmirror(I))\ndef turn(I): return rot90(I)\n")
    file = tmp_path / "results.jsonl"
    words = ["--ops", own, "run", solvers, "--tasks", "67a3c6ac", "--pairs", "all", "--json", file]
    wanted = process(*words)
    lines = lines_of(file)
    stopped = json.loads(lines[0])
    assert wanted.code == 1
    assert len(stopped["ends"]) == stopped["lost"] > 0
    answer = process(*words, "--resume")
    assert answer.code == 1
    assert report(answer) == report(wanted)
    assert lines_of(file) == lines
