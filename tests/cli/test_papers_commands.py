"""The words of the papers on the command line: flags and files of the older tools, each with its meaning."""

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import arcbatt as ab
from support.commands import Command, environment

STYLES = ("pile", "guarded", "vectorized", "hybrid", "gpu-direct", "batch")
WINNER = "67a3c6ac"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which commands run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def batt(here: Path, cli: Command) -> Path:
    """The file batt.py of four solvers as they are."""
    assert cli("card", "-c", 4, "--freeze_solvers", "--freeze_differs").code == 0
    return here / "batt.py"


@pytest.mark.slow
def test_card_without_a_file_writes_batt_py_and_run_batt_reads_it(batt: Path, cli: Command) -> None:
    assert batt.exists()
    assert cli("run-batt", "-c", 2).code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "modern"),
    [
        (["--file_name", "x.py"], ["-f", "x.py"]),
        (["--file-name", "x.py"], ["--file", "x.py"]),
        (["--file_name=x.py"], ["-f", "x.py"]),
        (["-f", "x.py", "--freeze_solvers", "--freeze_differs"], ["-f", "x.py", "-fs", "-fd"]),
        (["-f", "x.py", "--freeze-solvers"], ["-f", "x.py", "-fs"]),
        (["-f", "x.py", "--task_id", WINNER], ["-f", "x.py", "-i", WINNER]),
        (["-f", "x.py", "--task_ids", WINNER], ["-f", "x.py", "--ids", WINNER]),
        (["-f", "x.py", "-i", WINNER, "74dd1130"], ["-f", "x.py", "-i", f"{WINNER},74dd1130"]),
        (["--task_ids", WINNER, "74dd1130", "-f", "x.py"], ["-f", "x.py", "-i", f"{WINNER},74dd1130"]),
        (["-f", "x.py", "-i"], ["-f", "x.py"]),
        (["-i", "-f", "x.py"], ["-f", "x.py"]),
        (["-f", "x.py", "--count", "3"], ["-f", "x.py", "-c", "3"]),
    ],
)
def test_card_takes_the_old_flags(old: list[str], modern: list[str], here: Path, cli: Command) -> None:
    common = ["--seed", 5, *(() if "--count" in old else ("-c", 3))]
    texts = []
    for words in (old, modern):
        answer = cli("card", *words, *common)
        assert answer.code == 0, answer.err
        texts.append((here / "x.py").read_text())
        (here / "x.py").unlink()
    assert texts[0] == texts[1]


@pytest.mark.process
@pytest.mark.parametrize(
    ("old", "modern"),
    [
        (["--batt_import", "batt", "-c", "2"], ["-b", "batt", "-c", "2"]),
        (["--batt-import=batt.py", "-c", "2"], ["--batt", "batt", "-c", "2"]),
        (["-i", "-c", "2"], ["-c", "2"]),
        (["-c", "2", "-i"], ["-c", "2"]),
        (["--task_ids", WINNER], ["-i", WINNER]),
        (["--task_id", WINNER], ["--ids", WINNER]),
        (["--task_ids", WINNER, "00d62c1b"], ["-i", WINNER, "00d62c1b"]),
        (["--count", "2"], ["-c", "2"]),
        (["--count", "2", "--timeout", "20"], ["-c", "2", "-t", "20"]),
        (["--count", "2", "--mega_batch", "--batch_size", "3"], ["-c", "2", "--mega-batch"]),
    ],
)
def test_run_batt_takes_the_old_flags(old: list[str], modern: list[str], batt: Path, cli: Command) -> None:
    answers = [cli("run-batt", *words) for words in (old, modern)]
    assert answers[0].code == answers[1].code == 0, answers[0].err
    assert answers[0].out == answers[1].out != ""


@pytest.mark.slow
def test_the_ids_option_without_ids_is_all_tasks(batt: Path, cli: Command) -> None:
    printed = cli("run-batt", "-i").out
    assert "\n400 tasks, " in printed


@pytest.mark.slow
@pytest.mark.parametrize("words", [["--cprofile-top", "3"], ["--cprofile_top=3"]])
def test_cprofile_top_shows_so_many_functions(words: list[str], batt: Path, cli: Command) -> None:
    answer = cli("run-batt", "-c", 1, *words)
    table = answer.err.partition("percall filename:lineno(function)\n")[2]
    assert len(table.split("\n\n")[0].splitlines()) == 3
    assert answer.out == cli("run-batt", "-c", 1).out


def test_help_shows_the_modern_names_and_the_old_ones_once(cli: Command) -> None:
    for command, flags in (("card", ("--file_name", "--task_id")), ("run-batt", ("--batt_import",))):
        text = cli(command, "-h").out
        assert all(text.count(flag) == 1 for flag in flags)
        assert "--ids" in text


def test_an_unknown_flag_is_still_refused_with_the_nearest_one(batt: Path, cli: Command) -> None:
    answer = cli("run-batt", "--time_out", 3)
    assert (answer.code, answer.err.count("\n")) == (2, 1)
    assert "No such option: --time-out" in answer.err


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_call_writes_the_lines_of_the_batt_as_data(style: str, here: Path, cli: Command) -> None:
    assert cli("card", "-c", 3, "-fs", "-fd", "-f", "mine.py", "--call", "--style", style).code == 0
    text = (here / "mine_call.py").read_text()
    calls = ast.literal_eval(text.partition("t_call = ")[2])
    lines = ab.merge(ab.load_programs("mine.py")).nodes
    assert len(calls) == sum(node.kind in ("op", "call") for node in lines)
    # An output is followed back through the lines it needs, as the old tool did, to a solver of its own.
    winner = next(solver for solver in ab.load_programs("mine.py") if solver.kind == "solver")
    number = re.search(rf"o\.append\(\((\d+), False, '{winner.id}'", (here / "mine.py").read_text())
    assert number is not None
    assert ab.parse_programs(_followed(calls, int(number[1])))[0].root is winner.root


def _followed(calls: dict[int, str], output: int) -> str:
    needed, pending = set[int](), [output]
    while pending:
        number = pending.pop()
        needed.add(number)
        pending += [int(found) for found in re.findall(r"\bt(\d+)\b", calls[number])]
    lines = [
        f"    t{number} = {name}({arguments})\n"
        for number in sorted(needed)
        for name, _, arguments in [calls[number].partition(", ")]
    ]
    return f"def solve_x(S, I, C):\n{''.join(lines)}    return t{output}\n"


def test_call_needs_a_file(here: Path, cli: Command) -> None:
    answer = cli("card", "-c", 1, "-f", "-", "--call")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == ("arcbatt: expected a file with -f for --call, got standard output; name a file\n")


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_profile_count_is_the_table_of_grep(style: str, here: Path, cli: Command) -> None:
    assert cli("card", "-c", 5, "-fs", "-fd", "-f", "mine.py", "--style", style).code == 0
    printed = cli("profile", "--count", "mine.py").out
    assert cli("card", "-c", 5, "-fs", "-fd", "-f", "bare.py", "--style", "vectorized").code == 0
    ops = re.findall(r"t[0-9]* = ([a-z_][a-z_0-9]*)", (here / "bare.py").read_text())
    wanted = Counter("tN" if re.fullmatch(r"t\d+", op) else op for op in ops)
    assert dict(_table(printed)) == dict(wanted)
    counts = [count for _, count in _table(printed)]
    assert counts == sorted(counts, reverse=True)
    assert "env" not in dict(_table(printed))
    assert json.loads(cli("profile", "--count", "mine.py", "--json", "-").out)["ops"] == dict(wanted)


def _table(printed: str) -> list[tuple[str, int]]:
    found = [line.split() for line in printed.splitlines()]
    return [(name, int(count)) for count, name in found]


@pytest.mark.process
def test_profile_count_equals_the_pipeline_itself(here: Path, cli: Command) -> None:
    assert cli("card", "-c", 5, "-fs", "-fd", "-f", "bare.py", "--style", "vectorized").code == 0
    pipeline = (
        "grep -o 't[0-9]* = [a-z_0-9]*' bare.py | cut -d= -f2 | tr -d ' ' | sed 's/^t[0-9]*$/tN/' | "
        "sort | uniq -c | sort -rn"
    )
    environ = environment(LC_ALL="C")
    done = subprocess.run(pipeline, shell=True, env=environ, capture_output=True, text=True, check=True)
    assert cli("profile", "--count", "bare.py").out == done.stdout


def test_profile_count_runs_nothing_and_reads_programs_of_every_form(here: Path, cli: Command) -> None:
    Path("mine.def").write_text("solve_x = lambda I: upscale(rot90(upscale(I, 30)), 30)\n")
    assert cli("profile", "--count", "mine.def", "--tasks", "arc1/training").out == (
        "      2 upscale\n      1 rot90\n"
    )


WAYS: list[list[object]] = [
    [],
    ["--mega-batch", "--batch-size", 7],
    ["--json", "lines.jsonl"],
    ["--archive", "pop.db", "--save", "kept"],
    ["--timeout", 60],
    ["--on-failure", "pile"],
]


@pytest.mark.process
@pytest.mark.parametrize("way", WAYS)
def test_timing_tells_phases_and_ends_with_a_line_of_json(
    way: list[object], batt: Path, cli: Command
) -> None:
    plain = cli("run-batt", "-c", 3, *(["--on-failure", "pile"] if "pile" in way else [])).out
    answer = cli("run-batt", "-c", 3, "--timing", *way)
    *lines, times, last = answer.out.splitlines()
    assert "".join(f"{re.sub('; [0-9.]+ s$', '', line)}\n" for line in lines) == plain
    run = json.loads(last)["run"]
    names = ["load", "plan", "demo", "test", "scoring", "keeping", "other"]
    assert list(run["phases"]) == names
    assert all(f"{name} " in times for name in names)
    assert run["tasks"] == 3
    assert run["phases"]["demo"] > 0
    assert run["phases"]["test"] > 0
    assert (run["phases"]["keeping"] > 0) is (way[:1] in (["--json"], ["--archive"]))
    if "--json" in way:
        summary = json.loads(Path("lines.jsonl").read_text().splitlines()[-1])
        assert list(summary["summary"]["phases"]) == names


def test_run_reads_files_of_one_liners(here: Path, cli: Command) -> None:
    Path("solver_def").mkdir()
    Path(f"solver_def/{'ab' * 16}.def").write_text(f"def solve_{WINNER}(S, I, C): return vmirror(I)\n")
    answer = cli("run", "solver_def")
    assert answer.code == 0
    assert "1 of 1 task solved" in answer.out


@pytest.mark.process
def test_a_file_of_one_liners_is_never_executed(here: Path) -> None:
    Path("mine.def").write_text("solve_x = lambda I: open('made', 'w')\n")
    done = subprocess.run(
        [sys.executable, "-m", "arcbatt", "convert", "mine.def", "--to", "solvers"],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "there is no op or variable 'open'" in done.stderr
    assert not Path("made").exists()
