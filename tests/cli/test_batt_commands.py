"""`card` and `run-batt`: the same output whatever the style, backend, batch size and workers."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.batt.breeding.tally import TaskTally
from arcbatt.commands import card as card_command
from arcbatt.engine.choose import AVAILABLE, NO_CORE
from arcbatt.engine.results import Reply, record_of
from arcbatt.library import load_library
from arcbatt.program.merge import batt_of
from arcbatt.program.mutation.mutate import Mutator
from arcbatt.tasks import load_tasks
from arcbatt.tasks.samples import singles
from arcbatt.view.terminal.batt_report import task_line
from support.commands import Command, Write, environment, interrupt

SOLVERS = len(load_library("solvers"))


@pytest.fixture
def card(cli: Command, tmp_path: Path) -> Path:
    path = tmp_path / "a.py"
    answer = cli("card", "-c", 8, "-f", path, "-fd", "--seed", 0)
    assert answer.code == 0, answer.err
    assert answer.out == f"{path}: 8 solvers (8 mutated), 14 differs, {_lines(path):,} lines, style pile\n"
    return path


def _lines(path: Path) -> int:
    return path.read_text().count("do_pile(")


STYLES = ("pile", "guarded", "vectorized", "hybrid", "gpu-direct", "batch")
WAYS: list[list[object]] = [
    [],
    ["--workers", 1],
    ["--mega-batch", "--batch-size", 1, "--workers", 3],
    ["--mega-batch", "--batch-size", 4, "--workers", 1],
    ["--mega-batch", "--workers", 2],
]


@pytest.mark.parametrize("mode", [[], ["--on-failure", "fail"], ["--on-failure", "pile"]])
def test_every_way_to_run_a_batt_prints_the_same(
    mode: list[object], cli: Command, card: Path, tmp_path: Path
) -> None:
    printed = set()
    for style in STYLES:
        path = tmp_path / f"{style}.py"
        assert cli("card", "-c", 8, "-f", path, "-fd", "--seed", 0, "--style", style).code == 0
        answer = cli("run-batt", "-b", path, "-c", 3, *mode)
        assert (answer.code, answer.err) == (0, "")
        printed.add(answer.out)
    devices = ["emulated"] if NO_CORE is None else []
    for backend in (*AVAILABLE, *devices):
        for way in WAYS[3:] if backend in devices or mode else WAYS:
            printed.add(cli("run-batt", "-b", card, "-c", 3, "--backend", backend, *mode, *way).out)
    assert len(printed) == 1
    lines = printed.pop().splitlines()
    assert [line[:9] for line in lines[:3]] == ["007bbfb7:", "00d62c1b:", "017c7c7b:"]
    assert lines[3].startswith("3 tasks, 16 samples: ")


def test_the_style_decides_what_a_failed_line_gives_if_it_is_told_to(
    cli: Command, card: Path, tmp_path: Path
) -> None:
    def run(path: Path, mode: str) -> str:
        return cli("run-batt", "-b", path, "-c", 3, "--on-failure", mode).out

    assert cli("run-batt", "-b", card, "-c", 3).out == run(card, "default") != run(card, "fail")
    for style, mode in zip(STYLES, ("pile", "default", "fail", "default", "fail", "default")):
        path = tmp_path / f"{style}.py"
        assert cli("card", "-c", 8, "-f", path, "-fd", "--seed", 0, "--style", style).code == 0
        assert run(path, "file") == run(card, mode)


def test_frozen_solvers_solve_their_tasks(cli: Command, tmp_path: Path) -> None:
    path = tmp_path / "frozen.py"
    assert cli("card", "-f", path, "-i", "007bbfb7,00d62c1b", "-fs", "-fd").code == 0
    answer = cli("run-batt", "-b", path, "-i", "00d62c1b", "-i", "007bbfb7")
    assert "00d62c1b: 12 of 12 outputs; exact 5 demo, 1 test" in answer.out
    assert "solved by 00d62c1b" in answer.out
    assert "2 of 2 tasks solved" in answer.out


def test_json_tells_what_each_solver_did_on_each_task(cli: Command, tmp_path: Path) -> None:
    path, file = tmp_path / "frozen.py", tmp_path / "out.jsonl"
    assert cli("card", "-f", path, "-i", "007bbfb7,00d62c1b", "-fs", "-fd").code == 0
    words = ["run-batt", "-b", path, "-i", "00d62c1b,007bbfb7"]
    printed = cli(*words, "--json", file)
    *lines, last = map(json.loads, file.read_text().splitlines())
    assert [(line["program"], line["task"], line["solved"]) for line in lines] == [
        ("007bbfb7", "00d62c1b", False),
        ("00d62c1b", "00d62c1b", True),
        ("007bbfb7", "007bbfb7", True),
        ("00d62c1b", "007bbfb7", False),
    ]
    assert {name: value for name, value in lines[1].items() if name != "key"} == {
        "program": "00d62c1b",
        "task": "00d62c1b",
        "demo": [True] * 5,
        "test": [True],
        "solved": True,
        "failures": {},
        "marks": [84_000, 84],
    }
    assert last == {"summary": {"programs": 2, "tasks": 2, "evaluations": 24, "solved": 2, "tasks_solved": 2}}
    assert printed.out == cli(*words).out
    answer = cli(*words, "--json", "-", "--timing", "--backend", "reference")
    *again, last = map(json.loads, answer.out.splitlines())
    assert again == lines
    assert last["summary"]["backend"] == "reference"
    assert "2 of 2 tasks solved" in answer.err


def test_json_does_not_overwrite_the_batt(cli: Command, card: Path) -> None:
    answer = cli("run-batt", "-b", card, "-c", 1, "--json", card)
    assert (answer.code, answer.out) == (2, "")
    assert "would be overwritten" in answer.err


def test_the_mutant_that_wins_is_named_and_found(cli: Command, tmp_path: Path) -> None:
    mutants = list(Mutator(1).mutants(ab.parse_programs("def solve_67a3c6ac(I): return hmirror(I)")[0], 60))
    (batt, kept), task = (tmp_path / "batt.py", tmp_path / "kept"), load_tasks("67a3c6ac")
    batt.write_text(ab.batt_source(batt_of(mutants, []), "guarded"))
    answer = cli("run-batt", "-b", batt, "-i", "67a3c6ac", "--save", kept)
    assert answer.code == 0, answer.err
    winners = {name for name, _ in ab.run(mutants, task, on_failure="default").solved}
    assert winners
    said = answer.out.splitlines()[0].partition("solved by ")[2]
    assert set(said.split(", ")) == winners
    programs = ab.load_programs(kept)
    assert {program.name for program in programs} == winners
    assert {name for name, _ in ab.run(programs, task, on_failure="default").solved} == winners
    for program in programs:
        assert program.kept is not None
        assert program.kept.score == 1000
        assert program.kept.time >= 1
    name = min(winners)
    assert f"{name} solves it" in cli("show", "67a3c6ac", "--program", f"{batt}:{name}").out


def test_what_is_kept_is_neither_written_twice_nor_overwritten(cli: Command, tmp_path: Path) -> None:
    batt, kept = tmp_path / "batt.py", tmp_path / "kept"
    solver = ab.parse_programs("def solve_67a3c6ac(I): return vmirror(I)")
    batt.write_text(ab.batt_source(batt_of(solver, []), "pile"))
    words = ["run-batt", "-b", batt, "-i", "67a3c6ac", "--save", kept]
    assert cli(*words).code == cli(*words).code == 0
    (file,) = kept.rglob("*.py")
    assert file.name == f"{solver[0].hash}.py"
    assert [part.name for part in file.parents][2] == "solve_67a3c6ac"
    assert file.read_text().splitlines()[:2] == [
        "# Exact on all of 67a3c6ac (3 demo, 1 test) with on_failure='default'.",
        "def solve(S, I, C):",
    ]
    assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".")]
    file.write_text("something else")
    assert cli(*words).code == 0
    assert file.read_text() == "something else"


def test_a_folder_that_cannot_be_made_costs_no_work(cli: Command, card: Path) -> None:
    answer = cli("run-batt", "-b", card, "-c", 1, "--save", card)
    assert (answer.code, answer.out) == (2, "")
    assert "the folder cannot be made" in answer.err


def test_the_same_seed_writes_the_same_file(cli: Command, tmp_path: Path) -> None:
    texts = []
    for number, seed in enumerate((3, 3, 4)):
        path = tmp_path / f"{number}.py"
        cli("card", "-c", -5, "-f", path, "--seed", seed, "--rate", 0.3, "--gpu")
        texts.append(path.read_text())
    assert texts[0] == texts[1] != texts[2]


def test_tasks_are_chosen_by_count_start_ids_and_seed(cli: Command, card: Path) -> None:
    def ids(*words: object) -> list[str]:
        return [line[:8] for line in cli("run-batt", "-b", card, *words).out.splitlines() if line[8:9] == ":"]

    assert ids("-c", 2, "-s", 1) == ["00d62c1b", "017c7c7b"]
    assert ids("-i", "00d62c1b,007bbfb7") == ["00d62c1b", "007bbfb7"]
    assert ids("-i", "00d62c1b", "017c7c7b,007bbfb7", "-c", 2) == ["00d62c1b", "017c7c7b"]
    assert ids("-c", -3, "--seed", 1) == ids("-c", -3, "--seed", 1) != ids("-c", -3, "--seed", 2)
    assert ids("-c", 1, "--data", "arc2/evaluation") == ["0934a4d8"]


def test_a_task_may_be_asked_for_by_the_name_of_its_solver(
    cli: Command, card: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("-i", "solve_23b5c85d", "00d62c1b")
    answer = cli("run-batt", "-b", card, *words)
    assert [line[:9] for line in answer.out.splitlines()[:2]] == ["23b5c85d:", "00d62c1b:"]
    texts = []
    for name in ("solve_23b5c85d", "23b5c85d"):
        path = tmp_path / "one.py"
        assert cli("card", "-f", path, "-fs", "-fd", "-i", name).code == 0
        texts.append(path.read_text())
    assert texts[0] == texts[1]
    assert "'23b5c85d'" in texts[0]
    assert cli("card", path, "-f", tmp_path / "again.py", "-fs", "-fd", *words[:2]).code == 0


def test_the_batt_of_the_folder_is_run_unless_another_is_named(
    cli: Command, card: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = cli("run-batt", "-c", 1)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        "arcbatt: there is no batt.py in this folder; name a batt file with -b, "
        "or make one: arcbatt card -f batt.py\n"
    )
    card.rename("batt.py")
    answer = cli("run-batt", "-c", 1)
    assert (answer.code, answer.err) == (0, "")
    assert (
        answer.out
        == cli("run-batt", "-b", "batt", "-c", 1).out
        == cli("run-batt", "-b", "batt.py", "-c", 1).out
    )


@pytest.mark.parametrize("words", [["-fs", "-fd"], ["-fd"], ["-fd", "--rate", 0], ["-fd", "--wild"]])
def test_as_many_programs_are_written_as_are_asked_for(
    cli: Command, write: Write, tmp_path: Path, words: list[object]
) -> None:
    powers = [f"power(rot90, {k})" for k in range(2, 42)]
    text = "\n".join(
        f"def solve_{number:08x}(I):\n    return {op}(I)\n"
        for number, op in enumerate(["rot90"] * 20 + ["vmirror"] * 20 + powers)
    )
    path = tmp_path / "many.py"
    answer = cli("card", write("population.py", text), "-c", 32, "-f", path, *words)
    assert answer.out.startswith(f"{path}: 32 solvers "), answer.err
    assert len({solver.name for solver in ab.load_batt(path).solvers}) == 32


def test_timing_tells_the_time_and_the_backend(cli: Command, card: Path) -> None:
    out = cli("run-batt", "-b", card, "-c", 1, "--timing").out
    assert " s; backend " in out.splitlines()[-2]
    out = cli("run-batt", "-b", card, "-c", 1, "--timing", "--workers", 1).out
    assert ", 1 thread; load " in out or ", 1 worker process; load " in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run-batt", "-b", "nowhere"], "nowhere.py"),
        (["run-batt", "-b", "{card}", "-s", 5000], "only 400 tasks"),
        (["run-batt", "-b", "{card}", "-i", "zzz"], "there is no task zzz"),
        (["run-batt", "-b", "{card}", "00d62c1b"], "'00d62c1b' belongs to no option; -b names"),
        (["run-batt", "-b", "{card}", "-i", ""], "--ids is empty"),
        (["run-batt", "-b", "{card}", "-i", ","], "--ids is empty"),
        (
            ["run-batt", "-b", "{card}", "--use-gpu", "--backend", "reference"],
            "--use-gpu and --backend reference",
        ),
        (
            ["run-batt", "-b", "{card}", "--on-failure", "weep"],
            "--on-failure: expected one of fail, default, pile, file, got 'weep'",
        ),
        (["run-batt", "-b", "{solvers}"], "batt"),
        (["card", "-f", "x.py", "--style", "fancy"], "there is no style 'fancy'"),
        (["card", "-f", "x.py", "--gpu", "--vectorized"], "styles vectorized and hybrid"),
        (["card", "-f", "/nowhere/x.py", "-c", 1], "cannot be written"),
        (["card", "-f", "x.py", "-i", ","], "--ids is empty"),
        (["card", "-f", "x.py", ""], "'' is no file"),
        (["run", ""], "'' is no file"),
        (["profile", ""], "'' is no file"),
        (["show", "00d62c1b", "--program", ""], "there is no program '' in the library, and no file; name "),
        (
            ["card", "-f", "x.py", "--data", "arc2/evaluation"],
            "no solver is for a task of --data arc2/evaluation",
        ),
        (["card", "-f", "x.py", "-i", "zzz"], "there is no solver 'zzz'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    words: list[object],
    said: str,
    cli: Command,
    card: Path,
    solvers: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = cli(*(str(word).format(card=card, solvers=solvers) for word in words))
    assert answer.code == 2
    assert said in answer.err
    assert answer.err.count("\n") == 1
    assert answer.out == ""


def test_ctrl_c_ends_a_run_at_once_and_leaves_no_process(card: Path, tmp_path: Path) -> None:
    words = ["run-batt", "-b", str(card), "--backend", "reference", "--workers", "2"]
    command = [sys.executable, "-m", "arcbatt", *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(), cwd=tmp_path
    ) as process:
        assert _in_time(lambda: len(_children(process.pid)) >= 2, 60)
        time.sleep(2)  # the workers are at work
        children = _children(process.pid)
        out, err = interrupt(process)
    assert process.returncode == 130
    assert "interrupted" in err
    assert " samples: " in out
    assert _in_time(lambda: not any(Path(f"/proc/{child}").exists() for child in children), 5)


def _in_time(holds: Callable[[], bool], seconds: float) -> bool:
    """Whether something comes to hold within some seconds."""
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.05)
    return holds()


def _children(pid: int) -> list[int]:
    return [int(text) for text in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_batt_made_from_a_batt_is_the_same_batt(cli: Command, tmp_path: Path) -> None:
    first, second, part = (tmp_path / f"{name}.py" for name in ("first", "second", "part"))
    assert cli("card", "-c", 5, "--seed", 3, "-f", first).code == 0
    assert cli("card", first, "-f", second, "-fs", "-fd").code == 0
    before, after = ab.load_batt(first), ab.load_batt(second)
    assert after.programs == before.programs
    assert cli("card", first, "-c", 1, "-f", part, "-fs", "-fd").code == 0
    entries = [(program.scored, program.id) for program in ab.load_batt(part).differs]
    assert len(entries) == len(set(entries)) == 2 * 14


def test_a_program_file_may_be_bred_too(cli: Command, write: Write, solvers: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    answer = cli("card", solvers, "-f", path, "-fs")
    assert answer.out.startswith(f"{path}: 4 solvers (0 mutated), 14 differs, ")


@pytest.mark.parametrize("content", ["Dear reader,", "def solve_x(I):\n    return nosuch(I)\n", "", b"\x80"])
def test_nothing_is_written_when_every_given_program_is_refused(
    cli: Command, write: Write, content: str | bytes
) -> None:
    old, bad = write("old.py", "old"), write("bad.py", content)
    answer = cli("card", bad, "-f", old, "-c", 1)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"{bad}:")
    assert answer.err.count("\n") == 1
    assert old.read_text() == "old"


def test_what_a_file_holds_none_of_comes_from_the_library(cli: Command, write: Write, tmp_path: Path) -> None:
    differ = write("differ.py", "def differ_x(S, I, C):\n    return astuple(size(I), C)\n")
    answer = cli("card", differ, "-f", tmp_path / "mine.py", "-c", 3, "-fs")
    assert answer.code == 0
    assert ": 3 solvers (0 mutated), 1 differ, " in answer.out


@pytest.mark.parametrize(
    ("words", "lines"), [(["--mutants", 20], (SOLVERS * 20 + 1) * 14 * 20), (["--mutants", 7], None)]
)
def test_batt_that_could_not_be_read_is_not_made(
    cli: Command, write: Write, monkeypatch: pytest.MonkeyPatch, words: list[object], lines: int | None
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("this takes minutes")

    monkeypatch.setattr(card_command, "batt_of", never)
    old = write("old.py", "old")
    answer = cli("card", "-f", old, *words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"arcbatt: {old}: the batt would have {f'{lines:,}' if lines else ''}")
    assert "a batt file may have 600,000; ask for fewer solvers (-c) or --mutants" in answer.err
    assert answer.err.count("\n") == 1
    assert old.read_text() == "old"


@pytest.mark.parametrize(("name", "unit"), [("LONGEST_FILE", "lines"), ("LARGEST_FILE", "bytes")])
def test_batt_file_that_is_too_large_is_not_written(
    cli: Command, write: Write, monkeypatch: pytest.MonkeyPatch, name: str, unit: str
) -> None:
    old = write("old.py", "old")
    words = ("card", "-c", 1, "-f", old, "-fs", "-fd", "--style", "guarded")
    monkeypatch.setattr(card_command, name, 500)
    answer = cli(*words)
    assert (answer.code, answer.out) == (2, "")
    assert f" {unit} or more, and a batt file may have 500; ask for fewer" in answer.err
    assert old.read_text() == "old"


def test_differs_are_counted_with_their_mutants(cli: Command, tmp_path: Path) -> None:
    path = tmp_path / "many.py"
    out = cli("card", "-c", 1, "-f", path, "--mutants", 3).out
    raw = [differ for differ in ab.load_batt(path).differs if differ.scored == "None"]
    assert len(raw) > 14
    assert out.startswith(f"{path}: 3 solvers (3 mutated), {len(raw)} differs, ")


def test_lost_samples_are_counted_by_status_and_kind() -> None:
    (task,) = load_tasks("00d62c1b")
    answers: list[Reply[Any]] = [Reply("failed", kind="ValueRefused")] * 4
    answers += [Reply("timeout"), Reply("crashed", kind="SIGSEGV")]
    record = record_of(task, load_library("solvers")[:1], zip(singles([task]), answers))
    line = task_line(TaskTally(record))
    assert line.endswith("; samples lost: crashed (SIGSEGV) 1, failed (ValueRefused) 4, timeout 1")


def test_a_folder_in_place_of_a_batt_is_called_one(cli: Command, tmp_path: Path) -> None:
    answer = cli("run-batt", "-b", tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        f"arcbatt: {tmp_path}: is a folder; -b names one batt file, arcbatt run takes folders of programs\n"
    )
