"""`arcbatt evolve`: table, lines of JSON, winners as a file, archive, plug-ins, refusals."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from support import searches
from support.commands import Command, Write, environment

SEEDS = """
def solve_67a3c6ac(I): return hmirror(I)
def solve_8be77c9e(I): return hconcat(I, hmirror(I))
"""
IDS = "67a3c6ac,8be77c9e,0520fde7"
HOW = ("--tasks", IDS, "--steps", 400, "--workers", 1)


@pytest.fixture
def seeds(write: Write) -> Path:
    return write("seeds.py", SEEDS)


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def exported(cli: Command, archive: Path) -> str:
    return cli("archive", "export", archive, "-", "--form", "json").out


def test_winners_stand_in_a_table_and_in_a_solver_file(cli: Command, seeds: Path, tmp_path: Path) -> None:
    out = tmp_path / "found.py"
    answer = cli("evolve", seeds, *HOW, "--out", out)
    assert answer.code == 0
    rows = {line.split()[0]: line.split()[1:] for line in answer.out.splitlines() if line}
    assert rows["67a3c6ac"][1:4] == ["3/3", "1/1", "yes"]
    assert rows["0520fde7"][3] == "no"
    assert re.search(r"3 tasks: 2 fitted on all demo samples, 2 solved; .* a second", answer.out)
    assert len(ab.run(ab.load_programs(out), ab.load_tasks("arc1/training").pick(IDS)).solved) == 2


def test_each_better_program_is_a_line_of_json(cli: Command, seeds: Path) -> None:
    *found, last = lines(cli("evolve", seeds, *HOW, "--json", "-").out)
    assert last["summary"]["fits"] == last["summary"]["solved"] == 2
    best = {find["task"]: find for find in found}
    assert best["67a3c6ac"]["fits"]
    assert best["67a3c6ac"]["test"] == [True]
    scores = [find["score"] for find in found if find["task"] == "0520fde7"]
    assert scores == sorted(scores)


def test_file_is_not_written_without_winners(cli: Command, seeds: Path, tmp_path: Path) -> None:
    answer = cli("evolve", seeds, "--tasks", "0520fde7", "--steps", 2, "--out", tmp_path / "none.py")
    assert answer.code == 0
    assert "none.py: is not written, since no program fits a task" in answer.err
    assert not (tmp_path / "none.py").exists()


@pytest.mark.process
def test_search_is_resumed_from_its_archive(cli: Command, seeds: Path, tmp_path: Path) -> None:
    parts, whole = tmp_path / "parts.db", tmp_path / "whole.db"
    assert cli("evolve", seeds, *HOW, "--archive", parts).code == 0
    again = cli("evolve", seeds, *HOW, "--archive", parts)
    assert again.code == 2
    assert "holds this search already" in again.err
    more = ("--tasks", IDS, "--steps", 900, "--workers", 2, "--archive")
    assert cli("evolve", seeds, *more, parts, "--resume").code == 0
    assert cli("evolve", seeds, *more, whole).code == 0
    assert exported(cli, parts) == exported(cli, whole)


def test_shards_merge_to_what_one_search_finds(cli: Command, seeds: Path, tmp_path: Path) -> None:
    archives = [tmp_path / f"{name}.db" for name in ("whole", "first", "second")]
    for archive, shard in zip(archives, ((), ("--shard", "1/2"), ("--shard", "2/2"))):
        assert cli("evolve", seeds, *HOW, "--archive", archive, *shard).code == 0
    assert cli("archive", "merge", archives[1], archives[2]).code == 0
    assert exported(cli, archives[1]) == exported(cli, archives[0])


@pytest.mark.process
def test_islands_that_exchange_members_in_step_find_the_same_again(
    cli: Command, write: Write, tmp_path: Path
) -> None:
    seeds = write("seeds.py", "\n".join(program.source() for program in searches.SEEDS))
    how = ("evolve", seeds, "--tasks", "007bbfb7,00d62c1b", "--steps", 1300, "--members", 8)
    for workers in (1, 2):
        files = ("--archive", tmp_path / f"{workers}.db", "--json", "-")
        in_step = ("--islands", 3, "--exchange", 3, "--deterministic", "--workers", workers)
        answer = cli(*how, *in_step, *files)
        assert answer.code == 0
        assert lines(answer.out)[-1]["summary"]["immigrants"] > 0
    assert exported(cli, tmp_path / "1.db") == exported(cli, tmp_path / "2.db")


def test_plugins_steer_the_search(cli: Command, seeds: Path, write: Write) -> None:
    plugins = write("mine.py", "def fitness(judged):\n    return judged.demo_exact\n")
    *found, _ = lines(cli("evolve", seeds, *HOW, "--plugins", plugins, "--json", "-").out)
    assert {find["task"] for find in found} == set(IDS.split(","))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x = 1", "defines none of fitness, selection, mutation; name a .py file that defines fitness"),
        ("fitness = 3", "fitness is no function; define one"),
        ("1 / 0", "its functions cannot be imported: ZeroDivisionError"),
        (
            "def fitness(judged):\n    return judged.nothing",
            r"breeding on task .* failed: fitness failed: AttributeError: .* \(mine.py, line 2\)",
        ),
        ("def fitness(judged): return 1", "it must give one finite number for each candidate"),
        (
            "def selection(members, random):\n\n    return members[99]",
            r"selection failed: IndexError: .* \(mine.py, line 3\)",
        ),
        (
            "def selection(members, random): return None",
            "selection gave None; it must give one of the members",
        ),
        (
            "def mutation(mutator, member, random):\n    yield from [1 / 0]",
            r"mutation failed: ZeroDivisionError: .* \(mine.py, line 2\)",
        ),
        ("def mutation(mutator, member, random): return [7]", "mutation gave 7; it must give candidates"),
        ("def mutation(mutator, member, random): return 7", "mutation failed: TypeError"),
    ],
)
def test_bad_plugins_are_refused_in_a_sentence(
    cli: Command, seeds: Path, write: Write, text: str, sentence: str
) -> None:
    how = ("--tasks", IDS, "--steps", 2000, "--workers", 1)
    answer = cli("evolve", seeds, *how, "--plugins", write("mine.py", text))
    assert answer.code == 2
    assert re.search(sentence, answer.err)
    assert "Traceback" not in answer.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--resume",), "a search can only be resumed from an archive"),
        (("--steps", "-1"), "--steps"),
        (("--islands", 2, "--exchange", "-1"), "--exchange"),
        (("--islands", 2, "--exchange", 0, "--deterministic"), "deterministic is for islands that exchange"),
        (("--archive", "missing/a.db"), "the folder is missing"),
        (("--json", "missing/a.jsonl"), "missing/a.jsonl: cannot be written"),
        (("--out", "missing/found.py"), "missing/found.py: cannot be written"),
        (
            ("--json", "one.db", "--archive", "one.db"),
            "one.db: is named for two outputs; name a file for each",
        ),
        (("--json", "-", "--out", "-"), "-: is named for two outputs"),
        (("--plugins", "missing.py"), "missing.py: its functions cannot be imported"),
    ],
)
def test_wrong_uses_are_refused_in_a_sentence(
    cli: Command, seeds: Path, words: tuple[str, ...], sentence: str
) -> None:
    answer = cli("evolve", seeds, *HOW, *words)
    assert answer.code == 2
    assert sentence in answer.err
    assert "Traceback" not in answer.err


def test_finds_are_reported_and_written_even_if_an_error_ends_the_search(
    cli: Command, seeds: Path, write: Write, tmp_path: Path
) -> None:
    text = "def fitness(judged):\n    return judged.score if len(judged) < 50 else 1 / 0\n"
    out, more = tmp_path / "found.py", write("more.py", "def solve_x(I): return vmirror(I)")
    answer = cli("evolve", more, *HOW, "--plugins", write("mine.py", text), "--out", out)
    assert answer.code == 2
    assert "3 tasks: 1 fitted on all demo samples" in answer.out
    assert "fitness failed: ZeroDivisionError" in answer.err
    assert "solve_67a3c6ac" in out.read_text()


def test_differs_are_nothing_to_start_from(cli: Command, write: Write) -> None:
    differs = write("differs.py", "def differ_x(S, I, C): return astuple(size(I), size(C))")
    answer = cli("evolve", differs, *HOW)
    assert answer.code == 2
    assert "there is no solver among the programs to start from" in answer.err


def test_differs_of_files_and_of_the_library_count(cli: Command, seeds: Path, write: Write) -> None:
    own = write("differs.py", "def differ_width(S, I, C): return astuple(width(I), width(C))")
    *found, _ = lines(cli("evolve", seeds, *HOW, "--differs", own, "--differs", "library", "--json", "-").out)
    assert {find["task"] for find in found if find["fits"]} == {"67a3c6ac", "8be77c9e"}
    answer = cli("evolve", seeds, *HOW, "--differs", seeds)
    assert answer.code == 2
    assert "there is no differ in" in answer.err


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_a_search_with_a_report(seeds: Path, tmp_path: Path, number: int) -> None:
    command = [sys.executable, "-m", "arcbatt", "evolve", seeds, "--tasks", IDS, "--steps", 10**9]
    command += ["--archive", tmp_path / "a.db", "--json", "-"]
    with subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert lines(first + out)[-1]["summary"]["interrupted"]
    assert "interrupted; this is what was done by then" in err
    with ab.Archive(tmp_path / "a.db", readonly=True) as archive:
        assert archive.check().faults == []
