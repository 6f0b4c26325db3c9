"""`arcbatt archive`: questions, exchange and checks; bad files get one sentence and stay as they are."""

import json
import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

import arcbatt as ab
from arcbatt.archive.schema import VERSION
from arcbatt.program.mutation.mutate import Mutator
from support.commands import Command, Write

TASKS = ab.load_tasks("67a3c6ac,68b16354")
SOLVERS = ab.parse_programs(
    "def solve_67a3c6ac(I): return vmirror(I)\n"
    "def long(I): return vmirror(vmirror(vmirror(I)))\n"
    "def solve_68b16354(I): return hmirror(I)\n"
    "def turned(I): return rot90(I)\n"
)
MUTANT = next(iter(Mutator(1).mutants(SOLVERS[3], 1)))


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "mine.db"
    with ab.Archive(path) as opened:
        opened.add_programs([*SOLVERS, MUTANT], {MUTANT.hash: [SOLVERS[3].hash]})
        opened.add(ab.run(SOLVERS, TASKS, "all", partial_scores=True))
    return path


def test_the_best_programs_of_a_task_are_a_table(cli: Command, archive: Path) -> None:
    answer = cli("archive", "best", archive, "67a3c6ac", "--count", "2")
    assert answer.code == 0
    assert [line.split() for line in answer.out.splitlines()] == [
        ["program", "task", "solved", "demo", "score", "lines", "hash"],
        ["solve_67a3c6ac", "67a3c6ac", "yes", "3/3", "1000.0", "1", SOLVERS[0].hash[:12]],
        ["long", "67a3c6ac", "yes", "3/3", "1000.0", "3", SOLVERS[1].hash[:12]],
    ]
    lines = cli("archive", "best", archive, "67a3c6ac", "--json").out.splitlines()
    assert [json.loads(line)["program"] for line in lines][:2] == ["solve_67a3c6ac", "long"]
    answer = cli("archive", "best", archive, "00000000")
    assert (answer.code, answer.out) == (2, "")
    assert "there is no result of task 00000000" in answer.err


def test_tasks_programs_generalists_and_runs_are_listed(cli: Command, archive: Path) -> None:
    tasks = cli("archive", "list", archive)
    assert tasks.out.splitlines()[-1] == "5 programs, 2 tasks, 2 of them solved"
    programs = cli("archive", "list", archive, "programs", "--solved").out.splitlines()
    assert [line.split()[0] for line in programs[1:4]] == ["long", "solve_67a3c6ac", "solve_68b16354"]
    assert cli("archive", "list", archive, "generalists").code == 0
    with ab.Archive(archive) as opened:
        assert opened.run("evolve", {"seed": 3}).advance("island", 1, b"")
    assert "evolve" in cli("archive", "list", archive, "runs").out
    wrong = cli("archive", "list", archive, "cheese")
    assert wrong.code == 2
    assert "use one of tasks, programs, generalists, runs" in wrong.err


def test_a_program_is_shown_with_its_results(cli: Command, archive: Path) -> None:
    for asked in ("turned", SOLVERS[3].hash, SOLVERS[3].hash[:8]):
        answer = cli("archive", "show", archive, asked)
        assert answer.code == 0
        assert "def solve_turned(I):\n    O = rot90(I)\n    return O\n" in answer.out
        assert "made of 0 programs, 1 made of it" in answer.out
        assert len(answer.out.splitlines()) == 10
    shown = json.loads(cli("archive", "show", archive, "turned", "--json").out)
    assert {result["task"] for result in shown["results"]} == set(TASKS.ids)
    missing = cli("archive", "show", archive, "nobody")
    assert missing.code == 2
    assert "there is no program nobody in this archive" in missing.err


def test_results_under_several_settings_are_told_apart_and_a_winner_counts_once(
    cli: Command, archive: Path
) -> None:
    with ab.Archive(archive) as opened:
        opened.add(ab.run(SOLVERS, TASKS, "all", on_failure="default"))
    shown = cli("archive", "show", archive, "solve_67a3c6ac").out.splitlines()
    assert [line.split()[-1] for line in shown if line.startswith("67a3c6ac")] == ["fail", "default"]
    data = json.loads(cli("archive", "show", archive, "solve_67a3c6ac", "--json").out)
    assert {result["settings"]["on_failure"] for result in data["results"]} == {"fail", "default"}
    first = cli("archive", "list", archive).out.splitlines()[1]
    assert first.split()[:3] == ["67a3c6ac", "8", "2"]


def test_a_list_of_nothing_is_a_sentence_without_a_table(cli: Command, archive: Path) -> None:
    answer = cli("archive", "list", archive, "generalists")
    assert (answer.code, answer.out) == (0, "programs that solve more than one task: 0\n")
    assert cli("archive", "list", archive, "runs").out == "0 runs\n"


def test_an_export_of_nothing_writes_no_file(cli: Command, archive: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.py"
    missing = cli("archive", "export", archive, out, "--task", "00000000")
    assert (missing.code, missing.err) == (
        2,
        f"arcbatt: {archive}: there is no task 00000000 in this archive\n",
    )
    folder = cli("archive", "export", archive, out, "--form", "folder")
    assert folder.code == 2
    assert "no program of a kept population" in folder.err
    with ab.Archive(tmp_path / "new.db"):
        pass
    nothing = cli("archive", "export", tmp_path / "new.db", out)
    assert nothing.code == 2
    assert "no program to export" in nothing.err
    assert not out.exists()


def test_a_lineage_tells_the_mutation(cli: Command, archive: Path) -> None:
    answer = cli("archive", "lineage", archive, MUTANT.hash)
    assert answer.code == 0
    assert "turned" in answer.out
    assert str(MUTANT.changes[0]) in answer.out
    assert answer.out.splitlines()[-1].endswith(MUTANT.hash[:12])


@pytest.mark.parametrize("style", ["pile", "guarded", "vectorized", "hybrid"])
def test_winners_are_exported_as_a_batt(cli: Command, archive: Path, tmp_path: Path, style: str) -> None:
    out = tmp_path / "winners.py"
    assert cli("archive", "export", archive, out, "--form", "batt", "--style", style, "--solved").code == 0
    assert {program.hash for program in ab.load_batt(out)} == {program.hash for program in SOLVERS[:3]}


def test_winners_are_exported_as_solvers_of_their_tasks(cli: Command, archive: Path, tmp_path: Path) -> None:
    out = tmp_path / "winners.py"
    assert cli("archive", "export", archive, out, "--solved").code == 0
    found = ab.load_programs(out, strict=True)
    assert [program.task_id for program in found] == ["67a3c6ac", "67a3c6ac", "68b16354"]
    assert [program.hash for program in found] == [program.hash for program in SOLVERS[:3]]
    answer = cli("run", out, "--tasks", "67a3c6ac,68b16354")
    assert "3 pairs" in answer.out
    assert cli("archive", "export", archive, out, "--task", "67a3c6ac", "--count", "1").code == 0
    assert [program.name for program in ab.load_programs(out)] == ["solve_67a3c6ac"]
    assert cli("archive", "export", archive, out, "--solved", "--count", "1").code == 0
    assert [program.name for program in ab.load_programs(out)] == ["solve_67a3c6ac", "solve_68b16354"]


def test_what_is_exported_as_json_is_imported_again(cli: Command, archive: Path, tmp_path: Path) -> None:
    lines, again = tmp_path / "all.jsonl", tmp_path / "again.db"
    assert cli("archive", "export", archive, lines).code == 0
    answer = cli("archive", "import", again, lines)
    assert (answer.code, answer.out) == (0, "imported 5 programs and 8 results\n")
    assert cli("archive", "export", again, "-").out == lines.read_text("utf-8")
    some = cli("archive", "export", archive, "-", "--task", "67a3c6ac", "--solved").out.splitlines()
    assert sum("result" in json.loads(line) for line in some) == 2


def test_programs_of_any_file_are_imported(cli: Command, tmp_path: Path, write: Write) -> None:
    data = Path(__file__).parents[1] / "data"
    path = tmp_path / "new.db"
    solvers = write("solvers.py", "def solve_a(I): return rot90(I)\ndef solve_b(I): return open('x')\n")
    answer = cli("archive", "import", path, data / "solver_dir", solvers)
    assert answer.code == 1
    assert "solvers.py:2" in answer.err
    with ab.Archive(path, readonly=True) as opened:
        kept = [each for stored in opened for each in opened.kept(stored)]
        found = [program.kept for program in ab.load_programs(data / "solver_dir") if program.kept]
        assert sorted((score, time) for _, score, time in kept) == sorted(tuple(each) for each in found)
        name = next(stored.hash for stored in opened if opened.kept(stored))
    assert "kept for " in cli("archive", "show", path, name).out
    folder = tmp_path / "folder"
    assert cli("archive", "export", path, folder, "--form", "folder").code == 0
    assert sorted(tuple(each.kept) for each in ab.load_programs(folder) if each.kept) == sorted(
        tuple(each) for each in found
    )
    nothing = cli("archive", "import", path, tmp_path / "nowhere.py")
    assert (nothing.code, nothing.out) == (2, "")


def test_the_json_of_a_run_is_imported_where_its_programs_are(
    cli: Command, tmp_path: Path, write: Write
) -> None:
    path, lines = tmp_path / "new.db", tmp_path / "run.jsonl"
    solvers = write("solvers.py", "def solve_67a3c6ac(I): return vmirror(I)\n")
    cli("run", solvers, "--tasks", "67a3c6ac", "--json", lines)
    refused = cli("archive", "import", path, lines)
    assert refused.code == 2
    assert "import its file first" in refused.err
    answer = cli("archive", "import", path, solvers, lines)
    assert (answer.code, answer.out) == (0, "imported 1 program and 1 result\n")
    with ab.Archive(path) as opened:
        assert opened.solved().keys() == {"67a3c6ac"}


def test_archives_are_merged(cli: Command, archive: Path, tmp_path: Path) -> None:
    other, whole = tmp_path / "other.db", tmp_path / "whole.db"
    with ab.Archive(other) as opened:
        opened.add(ab.run(ab.parse_programs("def solve_new(I): return rot180(I)"), TASKS, "all"))
    answer = cli("archive", "merge", whole, other, archive)
    assert (answer.code, answer.out) == (0, f"{whole}: 6 programs, 2 tasks\n")
    itself = cli("archive", "merge", archive, archive)
    assert itself.code == 2
    assert "cannot be merged into itself" in itself.err


def test_a_sound_archive_has_no_fault(cli: Command, archive: Path) -> None:
    answer = cli("archive", "check", archive, "--replay")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == "checked 5 programs, 2 tasks, 8 results, 3 winners run again: no fault\n"


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("UPDATE programs SET source = 'def solve(I): return rot180(I)' WHERE name = 'turned'", "hash"),
        ("UPDATE programs SET source = 'import os' WHERE name = 'turned'", "cannot be read"),
        ("UPDATE programs SET source = x'ff' WHERE name = 'turned'", "cannot be read"),
        ("UPDATE programs SET size = 99 WHERE name = 'turned'", "has 1 lines, not 99"),
        ("UPDATE tasks SET content = replace(content, '[[', '[[[') ", "no demo and test grids"),
        ("UPDATE tasks SET name = 'other' WHERE name = '67a3c6ac'", "does not have its digest"),
        ("UPDATE terms SET settings = '{}'", "they are no settings"),
        ("UPDATE terms SET settings = replace(settings, '100', '101')", "do not have their digest"),
        ("UPDATE results SET solved = 1 - solved", "contradict their own verdicts"),
        ("UPDATE results SET verdicts = 'text'", "contradict their own verdicts"),
        ("UPDATE results SET scores = x'00'", "contradict their own verdicts"),
        ("DELETE FROM tasks", "refer to missing rows"),
        ("UPDATE lineage SET parent = 'x'", "without a hash"),
    ],
)
def test_a_damaged_row_is_told_without_a_traceback(
    cli: Command, archive: Path, statement: str, fault: str
) -> None:
    with closing(sqlite3.connect(archive, isolation_level=None)) as database:
        database.execute(statement)
    answer = cli("archive", "check", archive, "--replay")
    assert answer.code == 1
    assert fault in answer.out
    for action in (
        ("best", archive, "67a3c6ac"),
        ("list", archive),
        ("show", archive, "turned"),
        ("lineage", archive, MUTANT.hash),
        ("export", archive, archive.parent / "out.jsonl"),
        ("export", archive, archive.parent / "out.py"),
        ("merge", archive.parent / "other.db", archive),
    ):
        assert cli("archive", *action).code in (0, 1, 2)


def test_a_winner_that_is_none_any_more_is_found_by_replay(cli: Command, archive: Path) -> None:
    (other,) = ab.parse_programs("def solve(I): return rot270(I)")
    with closing(sqlite3.connect(archive, isolation_level=None)) as database:
        database.execute(
            "UPDATE programs SET source = ?, hash = ? WHERE name = 'solve_67a3c6ac'",
            (other.source(), other.root.digest),
        )
    answer = cli("archive", "check", archive, "--replay")
    assert answer.code == 1
    assert "does not solve 67a3c6ac any more" in answer.out


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE other (x)")


def newer(path: Path) -> None:
    ab.Archive(path).close()
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA user_version = {VERSION + 1}")


def truncated(path: Path) -> None:
    with ab.Archive(path) as archive:
        archive.add_programs(SOLVERS)
    path.write_bytes(path.read_bytes()[:5000])


BAD_FILES = {
    "no database": (lambda path: path.write_text("solvers = 1\n"), "is no archive of arcbatt"),
    "a short file": (lambda path: path.write_bytes(b"SQLite"), "is no archive of arcbatt"),
    "an empty file": (lambda path: path.touch(), "is empty"),
    "a folder": (lambda path: path.mkdir(), "is a folder"),
    "a pipe": (os.mkfifo, "is no regular file"),
    "nothing": (lambda path: None, "there is no such archive"),
    "another program's database": (foreign, "a database of another program"),
    "a newer archive": (newer, "made by a newer arcbatt"),
    "a truncated archive": (truncated, "damaged"),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_what_is_no_archive_gets_a_sentence(cli: Command, tmp_path: Path, kind: str) -> None:
    make, sentence = BAD_FILES[kind]
    path = tmp_path / "bad.db"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    for action in (
        ("best", path, "67a3c6ac"),
        ("list", path),
        ("check", path),
        ("merge", tmp_path / "x", path),
    ):
        answer = cli("archive", *action)
        assert answer.code == 2
        assert sentence in answer.err
        assert len(answer.err.splitlines()) == 1
    assert (path.read_bytes() if path.is_file() else None) == before
    assert stat.S_ISFIFO(path.stat().st_mode) if kind == "a pipe" else True


def test_lines_that_are_no_export_are_refused_by_number(cli: Command, archive: Path, tmp_path: Path) -> None:
    lines = tmp_path / "all.jsonl"
    cli("archive", "export", archive, lines)
    good = lines.read_text("utf-8").splitlines()
    bad = ["{", "[]", "3", "null", '{"program": 3}', '{"result": {}}', "[" * 100_000, '{"source": "x"}']
    spoiled = good[:3] + bad + [line.replace("rot90", "rot270") for line in good[3:]]
    lines.write_text("\n".join(spoiled))
    answer = cli("archive", "import", tmp_path / "new.db", lines)
    assert answer.code == 1
    assert "all.jsonl:4: this is no line of an archive" in answer.err
    assert "is damaged: its source does not have the hash" in answer.err
    assert "Traceback" not in answer.err
    assert cli("archive", "check", tmp_path / "new.db").code == 0
    wrong = cli("archive", "import", tmp_path / "new.db", archive)
    assert wrong.code == 2
    assert "`archive merge` adds it" in wrong.err


def test_an_archive_that_another_process_holds_is_waited_for_and_then_told(
    cli: Command, archive: Path, write: Write
) -> None:
    source = write("more.py", "def solve_more(I): return rot270(I)\n")
    with closing(sqlite3.connect(archive)) as other:
        other.execute("BEGIN IMMEDIATE")
        answer = cli("archive", "import", archive, source, "--wait", "0.05")
        assert answer.code == 2
        assert (
            answer.err
            == f"arcbatt: {archive}: another process holds the archive; try again when it has ended\n"
        )
        assert cli("archive", "best", archive, "67a3c6ac").code == 0
    assert cli("archive", "import", archive, source).code == 0


def test_an_export_sees_one_state_while_others_write(archive: Path, tmp_path: Path) -> None:
    whole, interfered = tmp_path / "whole.jsonl", tmp_path / "interfered.jsonl"
    with ab.Archive(archive, readonly=True) as reader, ab.Archive(archive) as writer:
        reader.export(whole)
        rows, written = reader.connection.rows, []

        def disturbed(statement: str, values: object = ()) -> object:
            if "FROM terms" in statement and not written:
                written.append(statement)
                writer.add(ab.run(ab.parse_programs("def solve_more(I): return rot270(I)"), TASKS, "all"))
            return rows(statement, values)  # type: ignore[arg-type]

        reader.connection.rows = disturbed  # type: ignore[method-assign,assignment]
        reader.export(interfered)
        assert written
        assert len(writer) == 6
    assert interfered.read_bytes() == whole.read_bytes()


def test_wrong_bytes_anywhere_in_the_file_lead_to_no_traceback(cli: Command, archive: Path) -> None:
    random, sound = Random(5), archive.read_bytes()
    for _ in range(5):
        spoiled = bytearray(sound)
        for _ in range(random.choice((1, 20, 200))):
            spoiled[random.randrange(100, len(spoiled))] = random.randrange(256)
        archive.write_bytes(spoiled)
        for action in ("check", "list", "best 67a3c6ac", f"export {archive.parent / 'out.jsonl'}"):
            name, *rest = action.split(" ", 1)
            answer = cli("archive", name, archive, *rest)
            assert answer.code in (0, 1, 2)
            assert len(answer.err.splitlines()) == (answer.code == 2)
