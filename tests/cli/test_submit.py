"""`arcbatt submit` makes sound submissions of programs, and tells in a sentence what has none."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.engine.choose import AVAILABLE
from support.commands import Command, Write, environment

PROGRAMS = """
def mirrored(I):
    return vmirror(I)

def turned(I):
    return rot90(I)

def refused(I):
    return nothing_of_this_name(I)
"""
NONE = "a program file or folder, an archive, or the JSON lines of solve or evolve"
needs_core = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")


def pair(row: list[int]) -> dict[str, Any]:
    return {"input": [row], "output": [row[::-1]]}


CHALLENGES: dict[str, Any] = {
    "mirror": {
        "train": [pair([1, 2, 3]), pair([4, 5, 0])],
        "test": [{"input": [[7, 8, 9]]}, {"input": [[1, 1, 2]]}],
    },
    "other": {"train": [{"input": [[1]], "output": [[5, 5]]}], "test": [{"input": [[2]]}]},
}
SOLUTIONS = {"mirror": [[[9, 8, 7]], [[2, 1, 1]]], "other": [[[5, 5]]]}


@pytest.fixture
def here(tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with challenges and programs, in which the test runs."""
    write("my_challenges.json", json.dumps(CHALLENGES))
    write("programs.py", PROGRAMS.partition("def refused")[0])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def attempts(file: str = "submission.json") -> Any:
    return {
        task: [[entry["attempt_1"], entry["attempt_2"]] for entry in entries]
        for task, entries in json.loads(Path(file).read_text("utf-8")).items()
    }


def test_programs_become_a_submission(here: Path, cli: Command) -> None:
    answer = cli("submit", "programs.py", "--tasks", "my_challenges.json")
    assert answer.code == 0
    assert attempts() == {
        "mirror": [[[[9, 8, 7]], [[7], [8], [9]]], [[[2, 1, 1]], [[1], [1], [2]]]],
        "other": [[[[2]], [[0]]]],  # nothing but the input is given, and then a single cell
    }
    lines = answer.out.splitlines()
    assert lines[0].split("  ") == ["test inputs", "with a fit", "two attempts", "one", "none"]
    assert lines[1].split() == ["3", "2", "2", "1", "0"]
    assert lines[2].startswith(
        "2 distinct programs on 2 tasks: 1 fitted on all demo samples, 2 with an answer"
    )
    assert answer.err == "arcbatt: submission.json: 3 test inputs of 2 tasks, no faults\n"


def test_score_is_told_where_solutions_are_known_and_changes_nothing(
    here: Path, cli: Command, write: Write
) -> None:
    cli("submit", "programs.py", "--tasks", "my_challenges.json", "-o", "blind.json")
    write("my_solutions.json", json.dumps(SOLUTIONS))
    answer = cli("submit", "programs.py", "--tasks", "my_challenges.json", "-o", "seeing.json")
    assert Path("seeing.json").read_bytes() == Path("blind.json").read_bytes()
    rows = [line.split() for line in answer.out.splitlines()]
    assert ["1", "2/3", "1/2", "2/3", "1/2"] in rows
    assert ["2", "2/3", "1/2", "2/3", "1/2"] in rows


def test_refused_programs_are_told_and_the_others_run(here: Path, cli: Command, write: Write) -> None:
    write("some.py", PROGRAMS)
    answer = cli("submit", "some.py", "--tasks", "my_challenges.json")
    assert answer.code == 1
    assert "some.py:9:" in answer.err
    assert attempts()["mirror"][0][0] == [[9, 8, 7]]
    assert cli("submit", "some.py", "--tasks", "my_challenges.json", "--strict").code == 2


def test_folder_archive_library_and_a_program_of_it_are_sources(here: Path, cli: Command) -> None:
    Path("folder").mkdir()
    Path("folder/a.py").write_text(PROGRAMS.partition("def refused")[0])
    cli("run", "programs.py", "--pairs", "all", "--tasks", "my_challenges.json", "--archive", "mine.db")
    for source in ("folder", "mine.db", "library", "programs.py:mirrored", "solve_67a3c6ac"):
        answer = cli("submit", source, "--tasks", "my_challenges.json", "-o", "made.json")
        assert answer.code == 0, answer.err
        assert [first for first, _ in attempts("made.json")["mirror"]] == [[[9, 8, 7]], [[2, 1, 1]]]


@pytest.mark.process
@needs_core
def test_lines_of_solve_and_of_evolve_are_sources(here: Path, cli: Command) -> None:
    cli("solve", "my_challenges.json", "--steps", 500, "--no-library", "--json", "solved.jsonl")
    cli("evolve", "programs.py", "--tasks", "my_challenges.json", "--steps", 50, "--json", "bred.jsonl")
    for source in ("solved.jsonl", "bred.jsonl"):
        assert cli("submit", source, "--tasks", "my_challenges.json").code == 0
        assert [first for first, _ in attempts()["mirror"]] == [[[9, 8, 7]], [[2, 1, 1]]]


@needs_core
def test_fits_of_a_solve_run_are_handed_in_as_by_the_run_itself(here: Path, cli: Command) -> None:
    answer = cli("solve", "67a3c6ac,a61f2674", "--steps", 3000, "--json", "s.jsonl", "--submission", "a.json")
    assert "arcbatt: a.json: 2 test inputs of 2 tasks, no faults\n" in answer.err
    cli("submit", "s.jsonl", "--tasks", "67a3c6ac,a61f2674", "-o", "b.json")
    first, second = attempts("a.json"), attempts("b.json")
    assert [entries[0][0] for entries in first.values()] == [entries[0][0] for entries in second.values()]


def test_torn_last_line_of_a_killed_run_is_left_out(here: Path, cli: Command) -> None:
    (program,) = ab.parse_programs("def mirrored(I): return vmirror(I)")
    row = {"program": "mirrored", "code": program.source(), "hash": program.hash}
    Path("torn.jsonl").write_text(json.dumps(row) + "\n" + '{"task": "mir')
    assert cli("submit", "torn.jsonl", "--tasks", "my_challenges.json").code == 0


def test_damaged_lines_are_told_in_a_sentence(here: Path, cli: Command) -> None:
    (program,) = ab.parse_programs("def mirrored(I): return vmirror(I)")
    answer = {"program": "mirrored", "code": program.source(), "hash": program.hash, "cost": 2}
    damages: list[Any] = [
        answer | {"hash": "00"},
        answer | {"code": "def mirrored(I): return nothing(I)"},
        answer | {"code": None},
        *({"task": "mirror", "answers": [answer | {"cost": cost}]} for cost in (-1, 1.5, "2", True, 10**40)),
        {"task": "mirror", "answers": 3},
        {"task": "mirror", "answers": [3]},
        {"task": "mirror"},
    ]
    for damage in damages:
        Path("damaged.jsonl").write_text(json.dumps(damage) + "\n")
        told = cli("submit", "damaged.jsonl", "--tasks", "my_challenges.json")
        assert told.code == 2
        assert told.err == f"arcbatt: damaged.jsonl:1: is no line of solve or evolve; a source is {NONE}\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_pipe_is_refused_at_once(here: Path, cli: Command) -> None:
    os.mkfifo("pipe")
    told = cli("submit", "pipe", "--tasks", "my_challenges.json").err
    assert told.startswith("arcbatt: pipe: is neither a regular file nor a folder; ")
    assert (
        "pipe: expected a regular file"
        in cli("submit", "--check", "pipe", "--tasks", "my_challenges.json").err
    )


def test_check_tells_every_fault_and_ends_with_1(here: Path, cli: Command, write: Write) -> None:
    write("bad.json", '{"mirror": [{"attempt_1": [[1.0]], "attempt_2": [[2]]}], "more": []}')
    answer = cli("submit", "--check", "bad.json", "--tasks", "my_challenges.json")
    assert answer.code == 1
    assert answer.err.splitlines() == [
        f"arcbatt: bad.json: {fault}"
        for fault in (
            "task more: is none of the tasks of my_challenges.json; leave it out",
            "task mirror: has 1 entry for 2 test inputs; there must be one for each, in order",
            "task mirror: test 1: attempt_1: row 1 cell 1 is 1.0; colours are the integers 0 to 9",
            "task other: is missing; every task has its list",
            "3 test inputs of 2 tasks, 4 faults",
        )
    ]
    cli("submit", "programs.py", "--tasks", "my_challenges.json")
    sound = cli("submit", "--check", "submission.json", "--tasks", "my_challenges.json")
    assert (sound.code, sound.out) == (0, "")
    assert sound.err == "arcbatt: submission.json: 3 test inputs of 2 tasks, no faults\n"


WRONG_USES: dict[str, tuple[list[str], str]] = {
    "no source": ([], f"there is no SOURCE; name {NONE}, or library"),
    "empty source": ([""], "there is no program '' in the library, and no file; name a file, FILE:NAME, or "),
    "no such file": (["none.py"], "there is no program 'none.py' in the library, and no file; "),
    "no such program": (["programs.py:none"], "there is no program 'none' in programs.py; "),
    "only differs": (["differ.py"], f"there is no solver in what a submission is to be made of; name {NONE}"),
    "empty archive": (["empty.db"], "empty.db: there is no solver in this archive; name one that has some"),
    "a submission": (
        ["old.json"],
        f"old.json: is a submission itself; --check checks one, a source is {NONE}",
    ),
    "a pretty submission": (["pretty.json"], "pretty.json: is a submission itself; --check checks one, "),
    "challenges": (
        ["my_challenges.json"],
        "my_challenges.json:1: is no line of solve or evolve; a source is ",
    ),
    "lines of run": (["run.jsonl"], "run.jsonl:1: has the name of a program and not its code; name the "),
    "no programs in lines": (
        ["none.jsonl"],
        "none.jsonl: there is no program in these lines; name those of ",
    ),
    "no tests": (
        ["programs.py", "--tasks", "bare.json"],
        "bare.json: no task has a test input; a submission ",
    ),
    "target is a source": (["programs.py", "-o", "programs.py"], "programs.py: is read here and would be "),
    "target is in a folder that is a source": ([".", "-o", "programs.py"], "programs.py: is read here and "),
    "target is an archive that is a source": (["empty.db", "-o", "empty.db"], "empty.db: is read here and "),
    "target is the challenges": (
        ["programs.py", "-o", "my_challenges.json"],
        "my_challenges.json: is read here and would be overwritten; name another file to write",
    ),
    "target not writable": (["programs.py", "-o", "no/such.json"], "no/such.json: cannot be written: "),
    "target is a folder": (["programs.py", "-o", "."], ".: is a folder; name a file to write"),
    "target is standard output": (
        ["programs.py", "-o", "-"],
        "-: a submission is written to a file; Kaggle ",
    ),
    "check with a source": (["programs.py", "--check", "old.json"], "--check goes without a SOURCE; leave "),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG_USES)
def test_wrong_use_is_a_sentence_and_writes_nothing(
    here: Path, cli: Command, write: Write, name: str
) -> None:
    old = {"mirror": [{"attempt_1": [[1]], "attempt_2": [[2]]}]}
    write("old.json", json.dumps(old))
    write("pretty.json", json.dumps(old, indent=1))
    write("run.jsonl", '{"program": "a", "task": "mirror", "solved": true}\n')
    write("none.jsonl", '{"summary": {}}\n')
    write("differ.py", "def differ_a(S, I, C): return astuple(ZERO, ZERO)")
    write("bare.json", json.dumps({"mirror": CHALLENGES["mirror"] | {"test": []}}))
    ab.Archive("empty.db").close()
    words, told = WRONG_USES[name]
    before = {file: file.read_bytes() for file in here.iterdir() if file.is_file()}
    chosen = words if "--tasks" in words else [*words, "--tasks", "my_challenges.json"]
    answer = cli("submit", *chosen)
    assert answer.code == 2
    assert answer.err.startswith(f"arcbatt: {told}")
    assert answer.err.count("\n") == 1
    assert {file: file.read_bytes() for file in here.iterdir() if file.is_file()} == before


@pytest.mark.process
def test_ctrl_c_hands_in_what_was_found_by_then(here: Path, write: Write) -> None:
    """A program interrupts the run after some tasks: the file is whole, and the exit code tells it."""
    script = write(
        "interrupted.py",
        """
import signal
from arcbatt.commands.main import main
from arcbatt.search.submit.finalists import Finalists
seen = []
add = Finalists.add
def counted(self, record):
    add(self, record)
    seen.append(record.task.id)
    if len(seen) == 1:
        signal.raise_signal(signal.SIGINT)
Finalists.add = counted
main(["submit", "programs.py", "--tasks", "my_challenges.json", "--threads", "1"])
""",
    )
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=here,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 128 + signal.SIGINT, done.stderr
    assert "interrupted; this is what was done by then" in done.stderr
    found = attempts()
    assert [first for first, _ in found["mirror"]] == [[[9, 8, 7]], [[2, 1, 1]]]
    assert found["other"] == [[[[2]], [[0]]]]
