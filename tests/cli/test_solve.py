"""`arcbatt solve`: table, lines of JSON, solver file, submission, archive, interruption, refusals."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.tasks.read import grid_fault
from support.commands import Command, Write, environment, interrupt

IDS = "67a3c6ac,0ca9ddb6,00d62c1b,6855a6e4,0520fde7"
TASKS = f"arc1/training:{IDS}"
HOW = ("--steps", 8000, "--leave-out-own")


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def exported(cli: Command, archive: Path) -> str:
    return cli("archive", "export", archive, "-", "--form", "json").out


@pytest.fixture
def challenges(write: Write) -> Path:
    """A Kaggle challenges file: test outputs are not in it."""
    data = {
        task.id: {
            "train": [{"input": before, "output": after} for before, after in task.demo],
            "test": [{"input": sample.input} for sample in task.test],
        }
        for task in ab.load_tasks(TASKS)
    }
    return write("arc-agi_test_challenges.json", json.dumps(data))


def test_answers_stand_in_a_table_and_in_a_solver_file(cli: Command, tmp_path: Path) -> None:
    out = tmp_path / "found.py"
    answer = cli("solve", TASKS, *HOW, "--out", out)
    assert answer.code == 0
    rows = {line.split()[0]: line.split()[1:] for line in answer.out.splitlines() if line}
    assert rows["67a3c6ac"][1:4] == ["search", "3/3", "1/1"]
    assert rows["6855a6e4"][1:4] == ["library", "3/3", "1/1"]
    assert "guesses  test inputs right  tasks right  inputs right by fits  tasks right by fits" in answer.out
    assert len(rows["2"]) == 4
    assert "5 tasks: " in answer.out
    assert "CPU-s" in answer.out
    solved = ab.run(ab.load_programs(out), ab.load_tasks(TASKS)).solved
    assert {"67a3c6ac", "0ca9ddb6", "6855a6e4"} <= {task for _, task in solved}


def test_each_task_is_a_line_of_json(cli: Command) -> None:
    answer = cli("solve", TASKS, *HOW, "--json", "-")
    *found, last = lines(answer.out)
    assert {row["task"] for row in found} == set(IDS.split(","))
    assert last["summary"]["tasks"] == 5
    assert last["summary"]["replay_failures"] == 0
    assert last["summary"]["steps"] == sum(row["steps"] for row in found)
    best = next(row for row in found if row["task"] == "67a3c6ac")["answers"][0]
    assert best["code"].splitlines()[1:] == ["    O = vmirror(I)", "    return O"]
    assert (best["source"], best["demos"], best["test"]) == ("search", 3, [True])
    assert best["outputs"] == [[list(row) for row in ab.load_tasks("67a3c6ac")[0].test[0].output or ()]]


def test_submission_has_two_distinct_grids_for_every_test_input(
    cli: Command, challenges: Path, tmp_path: Path
) -> None:
    file = tmp_path / "submission.json"
    answer = cli("solve", challenges, *HOW, "--submission", file)
    assert answer.code == 0
    assert "test inputs right" not in answer.out  # nobody knows
    told = json.loads(file.read_text())
    tasks = ab.load_tasks(TASKS)
    assert list(told) == list(tasks.ids)
    for task in tasks:
        assert len(told[task.id]) == len(task.test)
        for attempts in told[task.id]:
            assert attempts.keys() == {"attempt_1", "attempt_2"}
            assert [grid_fault(grid) for grid in attempts.values()] == [None, None]
            assert attempts["attempt_1"] != attempts["attempt_2"]
    right = [list(map(list, tasks["67a3c6ac"].test[0].output or ()))]
    assert [told["67a3c6ac"][0]["attempt_1"]] == right


def test_lines_are_resumed(cli: Command, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    assert cli("solve", TASKS, *HOW, "--json", whole).code == 0
    rows = whole.read_bytes().splitlines(keepends=True)
    assert [json.loads(row)["task"] for row in rows[:-1]] == IDS.split(",")
    parts.write_bytes(rows[1] + rows[3] + rows[0][:100])  # killed while a line was written
    refused = cli("solve", TASKS, *HOW, "--json", parts)
    assert refused.code == 2
    assert "--resume goes on with it" in refused.err
    out = tmp_path / "found.py"
    assert cli("solve", TASKS, *HOW, "--json", parts, "--resume", "--out", out).code == 0
    again = parts.read_bytes().splitlines(keepends=True)
    assert [again[1], again[3]] == [rows[1], rows[3]]
    assert [row["answers"] for row in map(json.loads, again[:-1])] == [
        row["answers"] for row in map(json.loads, rows[:-1])
    ]
    assert "solve_67a3c6ac" in out.read_text()
    other = cli("solve", TASKS, "--steps", 9000, "--json", parts, "--resume")
    assert other.code == 2
    assert "with other settings or content" in other.err


@pytest.mark.parametrize("source", [5, [[]], "mine"])
def test_an_answer_of_no_known_source_is_a_damaged_line(cli: Command, tmp_path: Path, source: object) -> None:
    lines = tmp_path / "lines.jsonl"
    assert cli("solve", TASKS, *HOW, "--json", lines).code == 0
    first, *others = lines.read_text().splitlines(keepends=True)
    row = json.loads(first)
    row["answers"][0]["source"] = source
    lines.write_text(json.dumps(row) + "\n" + "".join(others))
    answer = cli("solve", TASKS, *HOW, "--json", lines, "--resume")
    assert (answer.code, "Traceback" in answer.err) == (2, False)
    assert f"{lines}:1: is no task of a search" in answer.err


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is of POSIX systems")
def test_the_lines_of_a_search_that_was_killed_can_be_read_and_resumed(cli: Command, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    words = ["solve", TASKS, "--steps", "200000"]
    assert cli(*words, "--json", whole).code == 0
    command = [sys.executable, "-m", "arcbatt", *words, "--threads", "1", "--json", str(cut)]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and not (cut.exists() and b'"stage": "small"' in cut.read_bytes()):
            time.sleep(0.005)
        process.kill()
    killed = [json.loads(line) for line in cut.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
    tasks = {row["task"] for row in killed}
    assert len(killed) > len(tasks)  # a task has a new line when the search gets further
    told = ab.report(cut, tmp_path / "report.html")
    assert told["tasks"] == len(tasks)
    assert cli(*words, "--json", cut, "--resume").code == 0
    rows, wanted = ([row | {"seconds": 0} for row in lines(file.read_text())[:-1]] for file in (cut, whole))
    assert rows == wanted


def test_search_is_resumed_from_its_archive(cli: Command, tmp_path: Path) -> None:
    parts, whole = tmp_path / "parts.db", tmp_path / "whole.db"
    assert cli("solve", TASKS, *HOW, "--archive", whole, "--threads", 2).code == 0
    assert cli("solve", f"{TASKS.rsplit(',', 2)[0]}", *HOW, "--archive", parts).code == 0
    again = cli("solve", TASKS, *HOW, "--archive", parts)
    assert again.code == 2
    assert "holds this search already" in again.err
    file = tmp_path / "lines.jsonl"
    assert cli("solve", TASKS, *HOW, "--archive", parts, "--resume", "--json", file).code == 0
    assert exported(cli, parts) == exported(cli, whole)
    assert [row["task"] for row in lines(file.read_text())[:-1]] == IDS.split(",")


def test_templates_are_mined_from_solver_files(cli: Command, write: Write) -> None:
    solvers = "".join(f"def solve_{n}(I): return hconcat(I, vmirror({op}(I)))\n" for n, op in enumerate(OPS))
    answer = cli("solve", "--mine", write("mine.py", solvers))
    assert answer.code == 0
    assert answer.out.startswith("# Parts that at least 3 programs share.")


OPS = ("rot90", "rot180", "trim", "hmirror")


def test_file_is_not_written_without_answers(cli: Command, tmp_path: Path) -> None:
    how = ("--steps", 8, "--no-library", "--out", tmp_path / "none.py")
    answer = cli("solve", "arc1/training:05269061", *how)
    assert answer.code == 0
    assert "none.py: is not written, since there is no answer to any task" in answer.err
    assert not (tmp_path / "none.py").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("nowhere.json",), "nowhere.json"),
        ((TASKS, "--resume"), "--resume needs the results so far"),
        ((TASKS, "--steps", "-1"), "--steps"),
        ((TASKS, "--steps", "5", "--seconds", "1"), "seconds and budget do not; give one of them"),
        ((TASKS, "--guesses", "4"), "--guesses"),
        ((TASKS, "--templates", "missing.dsl"), "missing.dsl"),
        ((TASKS, "--templates", "bad.dsl"), "bad.dsl:2"),
        ((TASKS, "--archive", "missing/a.db"), "the folder is missing"),
        ((TASKS, "--json", "missing/a.jsonl"), "missing/a.jsonl: cannot be written"),
        ((TASKS, "--json", "text.jsonl", "--resume"), "text.jsonl:1: is no task of a search"),
        ((TASKS, "--out", "missing/found.py"), "missing/found.py: cannot be written"),
        ((TASKS, "--submission", "missing/s.json"), "missing/s.json: cannot be written"),
        ((TASKS, "--out", "one.db", "--submission", "one.db"), "one.db: is named for two outputs"),
        ((TASKS, "--templates", "bad.dsl", "--out", "bad.dsl"), "bad.dsl: is read here"),
        (("--mine", "missing.py"), "missing.py: cannot be read"),
        ((TASKS, "--shard", "3/2"), "--shard: expected K/N with K from 1 to N, such as 2/3, got '3/2'"),
    ],
)
def test_wrong_uses_are_refused_in_a_sentence(
    cli: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.dsl").write_text("grid 1: I\ngrid 2: nope(?grid)\n")
    (tmp_path / "text.jsonl").write_text("hello\n")
    answer = cli("solve", *words)
    assert answer.code == 2
    assert sentence in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_a_search_with_a_report(tmp_path: Path, number: int) -> None:
    command = [sys.executable, "-m", "arcbatt", "solve", TASKS, "--steps", 10**9, "--threads", 2]
    command += ["--json", "-", "--archive", tmp_path / "a.db", "--submission", tmp_path / "s.json"]
    with subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        if number == signal.SIGINT:
            out, err = interrupt(process)
        else:
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert lines(first + out)[-1]["summary"]["interrupted"]
    assert "interrupted; this is what was done by then" in err
    assert len(json.loads((tmp_path / "s.json").read_text())) == 5
    with ab.Archive(tmp_path / "a.db", readonly=True) as archive:
        assert archive.check().faults == []
