"""A task that is too heavy for the limits costs itself: its row says why, and the other tasks run."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from support.commands import Command, Write, environment

HEAVY = Path(__file__).parents[1] / "data" / "attacks" / "heavy_task.json"
MEBIBYTE = 1 << 20
# Tasks whose values fill any memory.
GREEDY = "b775ac94,0e206a2e,3631a71a,6d58a25d,e6721834,447fd412,ff805c23,a64e4611"


def of_weight(demos: int, side: int) -> dict[str, Any]:
    """A task of so many demo samples: mirrored grids that are all different."""
    cells = range(side)
    grids = [[[(row * side + column + k) % 10 for column in cells] for row in cells] for k in range(demos)]
    train = [{"input": grid, "output": [row[::-1] for row in grid]} for grid in grids]
    return {"train": train, "test": [{"input": grids[0]}]}


@pytest.fixture
def tasks(write: Write) -> Path:
    """Three tasks, of which the second has S of 298,081 items."""
    content = {"aa": of_weight(2, 4), "bb": of_weight(160, 30), "cc": of_weight(3, 5)}
    return write("tasks.json", json.dumps(content))


@pytest.fixture
def programs(write: Write) -> Path:
    return write("some.py", "def turn(I):\n    return rot90(I)\n\ndef mirror(I):\n    return vmirror(I)\n")


def rows_of(file: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The rows of a file of JSON lines, and its summary."""
    *rows, last = map(json.loads, file.read_text().splitlines())
    return rows, last["summary"]


def test_a_search_leaves_out_a_heavy_task_and_searches_on_the_others(cli: Command, tmp_path: Path) -> None:
    lines, out, archive = (tmp_path / name for name in ("out.jsonl", "out.py", "out.db"))
    words = ["solve", HEAVY, "--steps", 2000, "--json", lines, "--out", out, "--archive", archive]
    answer = cli(*words)
    assert answer.code == 0
    rows, summary = rows_of(lines)
    reason = "S weighs 20,494 items, more than the limit of 20,000"
    assert [(row["task"], row["steps"], row.get("refused")) for row in rows] == [
        ("00000001", 250, None),
        ("00000002", 0, reason),
        ("00000003", 250, None),
        ("00000004", 250, None),
    ]
    assert all(row["fits"] for row in rows)  # known programs run under higher limits
    assert summary["refused"] == {"00000002": reason}
    assert answer.err == f"arcbatt: task 00000002 is too heavy: {reason}; the search left it out\n"
    before = lines.read_bytes().splitlines()[:-1]
    assert cli(*words, "--resume").code == 0
    assert lines.read_bytes().splitlines()[:-1] == before


@pytest.mark.parametrize("command", ["run", "run-batt"])
def test_a_run_refuses_a_heavy_task_and_runs_on_the_others(
    cli: Command, tasks: Path, programs: Path, tmp_path: Path, command: str
) -> None:
    lines, archive = tmp_path / "out.jsonl", tmp_path / "out.db"
    words = ["run", programs, "--pairs", "all", "--tasks", tasks]
    if command == "run-batt":
        batt = tmp_path / "batt.py"
        batt.write_text(ab.batt_source(ab.batt_of(ab.load_programs(programs), []), "guarded"))
        words = ["run-batt", "-b", batt, "--data", tasks]
    answer = cli(*words, "--json", lines, "--archive", archive)
    assert answer.code == 0
    rows, _ = rows_of(lines)
    reason = "S weighs 298,081 items, more than the limit of 262,144"
    assert [(row["task"], row["solved"], row.get("refused")) for row in rows] == [
        ("aa", False, None),
        ("aa", True, None),
        ("bb", False, reason),
        ("bb", False, reason),
        ("cc", False, None),
        ("cc", True, None),
    ]
    assert reason in answer.out + answer.err
    before = lines.read_bytes().splitlines()[:-1]
    assert cli(*words, "--json", lines, "--archive", archive, "--resume").code == 0
    assert lines.read_bytes().splitlines()[:-1] == before


def test_higher_limits_let_a_heavy_task_run(cli: Command, tasks: Path, programs: Path) -> None:
    words = ["run", programs, "--pairs", "all", "--tasks", tasks]
    assert "2 programs on 2 tasks" in cli(*words).out
    answer = cli(*words, "--max-items", 300_000)
    assert (answer.code, answer.err) == (0, "")
    assert "2 programs on 3 tasks" in answer.out


def test_a_run_of_heavy_tasks_alone_is_refused(cli: Command, tasks: Path, programs: Path) -> None:
    answer = cli("run", programs, "--pairs", "all", "--tasks", f"{tasks}:bb")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        "arcbatt: task bb: S weighs 298,081 items, more than the limit of 262,144; "
        "--max-items and --max-depth raise the limits\n"
    )


@pytest.mark.process
def test_a_breeder_leaves_out_a_heavy_task(cli: Command, tasks: Path, programs: Path, tmp_path: Path) -> None:
    lines, out = tmp_path / "out.jsonl", tmp_path / "out.py"
    answer = cli("evolve", programs, "--tasks", tasks, "--steps", 100, "--json", lines, "--out", out)
    assert answer.code == 0
    rows, summary = rows_of(lines)
    reason = "S weighs 298,081 items, more than the limit of 262,144"
    assert sorted(row["task"] for row in rows if row.get("fits")) == ["aa", "cc"]
    assert {"task": "bb", "refused": reason} in rows
    assert summary["fits"] == 2
    assert reason in answer.err
    submission = tmp_path / "submission.json"
    assert cli("submit", lines, "--tasks", tasks, "-o", submission).code == 0
    assert sorted(json.loads(submission.read_text())) == ["aa", "bb", "cc"]
    assert cli("report", lines, "--tasks", tasks, "-o", tmp_path / "report.html").code == 0


def test_rounds_leave_out_a_heavy_task(cli: Command, tasks: Path, programs: Path, tmp_path: Path) -> None:
    lines, reason = tmp_path / "out.jsonl", "S weighs 298,081 items, more than the limit of 262,144"
    answer = cli("breed", programs, "--tasks", tasks, "--seed", 1, "-c", 2, "--json", lines)
    assert answer.code == 0
    assert f"task bb is too heavy: {reason}; it is not bred on" in answer.err
    _, summary = rows_of(lines)
    assert (summary["solved_tasks"], summary["refused"]) == (["aa", "cc"], {"bb": reason})
    alone = cli("breed", programs, "--tasks", f"{tasks}:bb")
    assert (alone.code, alone.out) == (2, "")
    assert alone.err == (
        f"arcbatt: there is no task to breed on: task bb is too heavy: {reason}; name other tasks\n"
    )


def test_a_submission_has_the_input_itself_for_a_heavy_task(
    cli: Command, tasks: Path, programs: Path, tmp_path: Path
) -> None:
    file = tmp_path / "submission.json"
    answer = cli("submit", programs, "--tasks", tasks, "-o", file)
    assert answer.code == 0
    assert "task bb is too heavy: S weighs 298,081 items, more than the limit of 262,144" in answer.err
    attempts = json.loads(file.read_text())
    mirrored = [row[::-1] for row in of_weight(2, 4)["test"][0]["input"]]
    assert attempts["aa"][0]["attempt_1"] == mirrored
    assert attempts["bb"][0]["attempt_1"] == of_weight(160, 30)["test"][0]["input"]


@pytest.mark.process
@pytest.mark.parametrize("command", ["run", "run-batt", "solve", "evolve", "submit"])
def test_options_in_the_sentence_on_a_heavy_task_exist_in_the_command(
    cli: Command, tasks: Path, programs: Path, tmp_path: Path, command: str
) -> None:
    words = {
        "run": [programs, "--pairs", "all", "--tasks", tasks],
        "run-batt": ["-b", tmp_path / "batt.py", "--data", tasks],
        "solve": [tasks, "--steps", 10],
        "evolve": [programs, "--tasks", tasks, "--steps", 10],
        "submit": [programs, "--tasks", tasks, "-o", tmp_path / "submission.json"],
    }
    (tmp_path / "batt.py").write_text(ab.batt_source(ab.batt_of(ab.load_programs(programs), []), "guarded"))
    answer = cli(command, *words[command])
    sentences = [line for line in (answer.out + answer.err).splitlines() if "weighs" in line]
    assert sentences
    named = {option for line in sentences for option in re.findall(r"--[a-z-]+", line)}
    assert named <= set(re.findall(r"--[a-z-]+", cli(command, "--help").out))


@pytest.mark.process
@pytest.mark.skipif(not hasattr(os, "wait4"), reason="the memory of a process is told by POSIX systems")
def test_a_search_keeps_to_its_memory_and_tells_of_every_task(tmp_path: Path) -> None:
    lines = tmp_path / "out.jsonl"

    def peak(*words: str) -> int:
        """The most memory that a search with two threads took, in bytes."""
        given = [GREEDY, "--threads", "2", "--json", str(lines), *words]
        process = subprocess.Popen(
            [sys.executable, "-m", "arcbatt", "solve", *given], env=environment(), stdout=subprocess.DEVNULL
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)

    idle = peak("--steps", "8")
    memory = 32 * MEBIBYTE
    taken = peak("--steps", "1500000", "--memory", "32") - idle
    rows, summary = rows_of(lines)
    assert [row["task"] for row in rows] == [task.id for task in ab.load_tasks(GREEDY)]
    assert [row["ended"] for row in rows].count("memory") >= 4
    assert summary["peak_bytes"] <= memory
    assert taken <= 1.5 * 2 * memory  # two tasks at a time
