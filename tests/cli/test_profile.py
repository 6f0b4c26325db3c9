"""`arcbatt profile`: tables, JSON, what it runs by default, errors, Ctrl-C."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arcbatt.engine.choose import AVAILABLE
from arcbatt.library import library_files, load_library
from arcbatt.program.batt_files.write import batt_source
from arcbatt.program.graph import Style
from arcbatt.program.merge import batt_of
from support.commands import Command, Write, environment, interrupt


def table_after(out: str, heading: str) -> list[list[str]]:
    """The rows of the table whose heading has a word, as words."""
    lines = out.splitlines()
    start = next(number for number, line in enumerate(lines) if heading in line)
    end = next(number for number in range(start, len(lines)) if not lines[number])
    return [line.split() for line in lines[start + 1 : end]]


def batt_file(write: Write, style: Style) -> Path:
    batt = batt_of(load_library("solvers")[:4], load_library("differs")[:2])
    return write(f"{style}.py", batt_source(batt, style))


def read(file: Path) -> list[dict[str, Any]]:
    profiles: list[dict[str, Any]] = json.loads(file.read_text())["profiles"]
    return profiles


def test_programs_run_on_their_own_tasks(cli: Command, solvers: Path) -> None:
    answer = cli("profile", solvers)
    assert answer.code == 0
    assert answer.out.startswith("3 programs, 9 nodes on 3 tasks, 16 samples; pairs own, on failure default")
    rows = {row[0]: row[1:] for row in table_after(answer.out, "failures")}
    assert rows["divide"][:4] == ["1", "4", "0", "4"]
    assert rows["divide"][-2:] == ["ZERO", "4"]
    assert rows["hconcat"][:4] == ["2", "12", "0", "0"]
    assert "not run: turn has no task id in its name; --pairs all runs it on every task" in answer.err


def test_all_pairs_run_every_program_on_the_first_tasks(cli: Command, solvers: Path) -> None:
    answer = cli("profile", solvers, "--pairs", "all", "--limit", 2)
    assert answer.out.startswith("4 programs, 10 nodes on 2 tasks, 12 samples; pairs all")
    assert answer.err == ""


def test_limit_counts_the_tasks_that_programs_have(cli: Command, write: Write) -> None:
    file = write("late.py", "def solve_67a3c6ac(I):\n    return vmirror(I)\n")
    answer = cli("profile", file, "--limit", 1)
    assert answer.code == 0
    assert answer.out.startswith("1 program, 1 node on 1 task, 4 samples")


def test_file_of_the_library_has_a_line_for_each_op(cli: Command, tmp_path: Path) -> None:
    data = tmp_path / "profile.json"
    answer = cli(
        "profile", library_files("differs")[0], "--pairs", "all", "--limit", 2, "--top", 500, "--json", data
    )
    assert answer.code == 0
    (found,) = read(data)
    assert [row[0] for row in table_after(answer.out, "failures")] == [
        *(op["op"] for op in found["ops"]),
        "all",
    ]


def test_json_has_the_figures_of_the_table(cli: Command, solvers: Path, tmp_path: Path) -> None:
    data = tmp_path / "profile.json"
    answer = cli("profile", solvers, "--json", data, "--top", 100)
    (found,) = read(data)
    for row, op in zip(table_after(answer.out, "failures"), found["ops"]):
        assert row[:8] == [
            op["op"],
            str(op["nodes"]),
            str(op["runs"]),
            str(op["skipped"]),
            str(op["failed"]),
            f"{op['seconds'] * 1e3:,.3f}",
            f"{100 * op['share']:.1f}",
            "%",
        ]
    nodes = table_after(answer.out, "slowest nodes")
    assert [row[3] for row in nodes] == [f"{node['seconds'] * 1e3:,.3f}" for node in found["slowest_nodes"]]
    assert len(nodes) == found["total"]["nodes"] == 9
    assert f"{found['merging']['nodes_alone']} nodes in the programs alone" in answer.out
    assert f"{found['staging']['turns_unstaged']} if every node ran on every sample" in answer.out
    assert f"of {found['sharing_by_value']['runs']} runs on 16 samples" in answer.out
    assert not list(tmp_path.glob(".*"))


def test_other_ops_are_summed_up_on_one_line(cli: Command, solvers: Path) -> None:
    rows = table_after(cli("profile", solvers, "--top", 2).out, "failures")
    assert len(rows) == 4
    assert rows[2][1:3] == ["more", "ops"]
    assert rows[3][0] == "all"


def test_json_on_standard_output_has_nothing_beside_it(cli: Command, solvers: Path) -> None:
    answer = cli("profile", solvers, "--json", "-")
    assert json.loads(answer.out)["profiles"][0]["programs"] == 3
    assert "3 programs, 9 nodes" in answer.err


@pytest.mark.parametrize(
    ("style", "mode"),
    [("pile", "pile"), ("guarded", "default"), ("hybrid", "default"), ("vectorized", "fail")],
)
def test_batt_file_runs_whole_and_with_typed_defaults_unless_its_style_is_to_say(
    cli: Command, write: Write, style: Style, mode: str
) -> None:
    for words, expected in (((), "default"), (("--on-failure", "file"), mode)):
        answer = cli("profile", batt_file(write, style), "--limit", 2, *words)
        assert answer.code == 0
        assert "14 programs, " in answer.out
        assert f"2 tasks, 12 samples; pairs all, on failure {expected}, " in answer.out
        assert "are needed by no output and 0 repeat another one" in answer.out


def test_what_a_failed_op_gives_can_be_chosen(cli: Command, write: Write) -> None:
    answer = cli("profile", batt_file(write, "pile"), "--limit", 2, "--on-failure", "fail")
    assert "on failure fail, " in answer.out


def test_both_backends_are_shown_one_after_the_other(cli: Command, solvers: Path, tmp_path: Path) -> None:
    data = tmp_path / "profile.json"
    answer = cli("profile", solvers, "--backend", "both", "--json", data)
    assert answer.code == 0
    found = read(data)
    assert sorted(each["backend"] for each in found) == sorted(AVAILABLE)
    assert answer.out.count("slowest nodes") == len(AVAILABLE)
    runs = [{op["op"]: (op["runs"], op["failures"]) for op in each["ops"]} for each in found]
    assert all(each == runs[0] for each in runs)


def test_refused_program_is_placed_and_the_others_are_measured(
    cli: Command, solvers: Path, write: Write
) -> None:
    bad = write("bad.py", "def solve_b(I):\n    return nosuch(I)\n")
    answer = cli("profile", solvers, bad)
    assert answer.code == 1
    assert answer.err.startswith(f"{bad}:2:12: solve_b: there is no op or variable 'nosuch'")
    assert "3 programs, 9 nodes" in answer.out


@pytest.mark.parametrize(
    "content",
    [
        "Dear reader,\n",
        "def solve_b(I):\n    return nosuch(I)\n",
        "def batt(task_id, S, I, C, log_path):\n    for t1 in S:\n        pass\n    return o, s\n",
    ],
)
def test_file_that_is_neither_batt_nor_programs_is_refused_in_one_line(
    cli: Command, write: Write, content: str
) -> None:
    file = write("wrong.py", content)
    answer = cli("profile", file)
    assert answer.code == 2
    assert answer.out == ""
    assert len(answer.err.splitlines()) == 1
    assert f"{file}:" in answer.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--pairs", "some"), "--pairs: expected one of own, all, got 'some'"),
        (("--backend", "steam"), "there is no backend 'steam'"),
        (("--on-failure", "cry"), "--on-failure: expected one of fail, default, pile, file, got 'cry'"),
        (("--tasks", "nowhere"), "nowhere: there is nothing of this name"),
        (("--tasks", "arc1/training:67a3c6ac"), "no program runs on any of the tasks"),
    ],
)
def test_wrong_option_is_answered_with_one_sentence(
    cli: Command, solvers: Path, words: tuple[str, str], sentence: str
) -> None:
    answer = cli("profile", solvers, *words)
    assert answer.code == 2
    assert answer.out == ""
    assert f"arcbatt: {sentence}" in answer.err


def test_older_json_file_stays_when_nothing_is_measured(cli: Command, solvers: Path, write: Write) -> None:
    old = write("old.json", "old")
    assert cli("profile", solvers, "--json", old, "--backend", "steam").code == 2
    assert old.read_text() == "old"


@pytest.mark.skipif(os.name != "posix" or len(AVAILABLE) < 2, reason="needs signals and two backends")
def test_ctrl_c_ends_at_once_and_what_is_done_is_there(tmp_path: Path) -> None:
    data = tmp_path / "profile.json"
    words = ["profile", "--backend", "both", "--pairs", "all", "--limit", "4", "--json", str(data)]
    command = [sys.executable, "-m", "arcbatt", *words]
    with subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        while "by value" not in (line := process.stdout.readline()):
            assert line
        rest, errors = interrupt(process)
    assert process.returncode == 130
    assert errors == "arcbatt: interrupted\n"
    assert rest == ""
    assert [each["backend"] for each in read(data)] == ["native"]
    assert json.loads(data.read_text())["interrupted"] is True
