"""Archives that somebody else has changed: refused in a sentence, and no command runs what is in them."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.archive.schema import STATISTICS, VERSION, schema_of
from support.commands import Answer, Command, Write, environment
from support.processes import wait_until, wait_until_at_work

ATTACKS = Path(__file__).parents[1] / "data" / "attacks"
SECONDS = 60.0  # for a command that ends at once; one that hangs fails the test
SIGNALS = [signal.SIGINT, signal.SIGTERM]
# A statement of more steps than SQLite can do, on a schema of ours.
ENDLESS = """
import sys
import arcbatt as ab
from arcbatt.signals import ended_by_signals, interrupted_code
try:
    with ended_by_signals(), ab.Archive(sys.argv[1], readonly=True) as archive:
        print("ready", flush=True)
        tables = ", ".join(f"sqlite_master AS t{number}" for number in range(20))
        archive.connection.one(f"SELECT count(*) FROM {tables}")
except KeyboardInterrupt:
    sys.exit(interrupted_code())
"""


def python(*words: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, *map(str, words)],
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end_of(running: "subprocess.Popen[str]") -> Answer:
    try:
        out, err = running.communicate(timeout=SECONDS)
    finally:
        running.kill()
    return Answer(running.returncode, out, err)


def attack(name: str, folder: Path) -> Path:
    return Path(shutil.copy(ATTACKS / name, folder / name))


def has_open(pid: int, path: Path) -> bool:
    links = [os.path.realpath(link) for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink()]
    return str(path.resolve()) in links


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "mine.db"
    with ab.Archive(path) as opened:
        opened.add(ab.run(ab.parse_programs("def turned(I): return rot90(I)"), "67a3c6ac", "all"))
    return path


@pytest.fixture
def solver(write: Write) -> Path:
    return write("solver.py", "def solve_67a3c6ac(I): return vmirror(I)\n")


@pytest.mark.parametrize(
    ("file", "words", "named"),
    [
        ("endless_view.db", ["archive", "check", "FILE"], "the table px"),
        ("endless_view.db", ["archive", "list", "FILE"], "the table px"),
        ("endless_view.db", ["archive", "merge", "OTHER", "FILE"], "the table px"),
        ("endless_view.db", ["report", "FILE", "-o", "r.html"], "the table px"),
        ("endless_trigger.db", ["archive", "import", "FILE", "SOLVER"], "the trigger t1 on programs"),
        ("endless_trigger.db", ["archive", "merge", "FILE", "OTHER"], "the trigger t1 on programs"),
        (
            "swallowing_trigger.db",
            ["run", "SOLVER", "--pairs", "all", "--tasks", "67a3c6ac", "--archive", "FILE"],
            "the trigger t1 on results",
        ),
        ("swallowing_trigger.db", ["archive", "check", "FILE"], "the trigger t1 on results"),
    ],
)
def test_a_foreign_view_table_or_trigger_is_refused_at_opening(
    tmp_path: Path, archive: Path, solver: Path, file: str, words: Sequence[str], named: str
) -> None:
    path = attack(file, tmp_path)
    content = path.read_bytes()
    names = {"FILE": path, "OTHER": archive, "SOLVER": solver, "r.html": tmp_path / "r.html"}
    answer = end_of(python("-m", "arcbatt", *(names.get(word, word) for word in words)))
    assert answer.code == 2
    assert f"{path}: expected the schema of an archive, got also {named}" in answer.err
    assert len(answer.err.splitlines()) == 1
    assert path.read_bytes() == content


CHANGES = {
    "CREATE VIEW mine AS SELECT 1": "also the view mine",
    "CREATE TABLE mine (x)": "also the table mine",
    "CREATE INDEX mine ON results (mean)": "also the index mine on results",
    "CREATE TEMP TABLE mine (x)": None,
    "DROP INDEX best_of_task": "none with the index best_of_task on results",
    "ALTER TABLE programs ADD COLUMN x AS (abs(-9223372036854775807 - 1))": (
        "another definition of the table programs"
    ),
    "ANALYZE": None,
    "VACUUM": None,
}


@pytest.mark.parametrize(("statement", "fault"), CHANGES.items())
def test_the_schema_is_compared_as_a_whole(archive: Path, statement: str, fault: str | None) -> None:
    with closing(sqlite3.connect(archive)) as database:
        database.execute(statement)
        database.commit()
    if fault is None:
        with ab.Archive(archive, readonly=True) as opened:
            assert len(opened) == 1
        return
    for readonly in (True, False):
        with pytest.raises(ab.ArcbattError, match=f"got {fault}"):
            ab.Archive(archive, readonly=readonly)


def test_the_statistics_that_sqlite_keeps_are_those_that_are_allowed(archive: Path) -> None:
    with closing(sqlite3.connect(archive)) as database:
        database.execute("ANALYZE")
        found = set(database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))
    assert found - schema_of(VERSION) <= STATISTICS


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER late BEFORE INSERT ON programs BEGIN SELECT raise(ignore); END",
        "ALTER TABLE programs RENAME TO hidden; CREATE VIEW programs AS SELECT * FROM hidden",
    ],
)
def test_a_trigger_or_view_that_is_added_later_does_not_run(archive: Path, statement: str) -> None:
    opened = ab.Archive(archive)
    with closing(sqlite3.connect(archive)) as database:
        database.executescript(statement)
    opened.add_programs(ab.parse_programs("def late(I): return hmirror(I)"))
    with pytest.raises(ab.ArcbattError, match="another process has added a view or a trigger"):
        _ = list(opened.programs()), opened.commit()
    opened.writer.done()
    opened.close()


def test_an_archive_that_is_merged_is_compared_again_when_it_is_attached(
    tmp_path: Path, archive: Path
) -> None:
    with ab.Archive(tmp_path / "other.db") as other:
        opened = other._opened_beside(archive)
        with closing(sqlite3.connect(archive)) as database:
            database.execute("CREATE VIEW late AS SELECT 1")
        with (
            pytest.raises(ab.ArcbattError, match="got also the view late"),
            other.connection.attached(opened, "theirs"),
        ):
            pass
        assert len(other) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells what a process does")
@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_interrupts_a_statement(archive: Path, number: signal.Signals) -> None:
    running = python("-c", ENDLESS, archive)
    assert running.stdout is not None
    assert running.stdout.readline() == "ready\n"
    wait_until_at_work(running)
    running.send_signal(number)
    answer = end_of(running)
    assert (answer.code, answer.err) == (128 + number, "")


@contextmanager
def locked(archive: Path, statements: Sequence[str]) -> Iterator[None]:
    with closing(sqlite3.connect(archive, isolation_level=None)) as database:
        for statement in statements:
            database.execute(statement)
        yield


FOR_WRITERS = ["BEGIN IMMEDIATE"]
FOR_ALL = ["PRAGMA journal_mode = DELETE", "BEGIN EXCLUSIVE"]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells what a process does")
@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize(
    ("lock", "words"),
    [
        (FOR_WRITERS, ["archive", "import", "FILE", "SOLVER", "--wait", "3600"]),
        (FOR_WRITERS, ["archive", "merge", "FILE", "OTHER", "--wait", "3600"]),
        (FOR_WRITERS, ["run", "SOLVER", "--pairs", "all", "--tasks", "67a3c6ac", "--archive", "FILE"]),
        (FOR_ALL, ["archive", "import", "FILE", "SOLVER", "--wait", "3600"]),
    ],
)
def test_a_signal_ends_a_command_that_waits_for_a_lock(
    tmp_path: Path,
    archive: Path,
    solver: Path,
    lock: Sequence[str],
    words: Sequence[str],
    number: signal.Signals,
) -> None:
    ab.Archive(tmp_path / "other.db").close()
    names = {"FILE": archive, "OTHER": tmp_path / "other.db", "SOLVER": solver}
    with locked(archive, lock):
        running = python("-m", "arcbatt", *(names.get(word, word) for word in words))
        wait_until(running, lambda: has_open(running.pid, archive))
        running.send_signal(number)
        answer = end_of(running)
    assert answer.code == 128 + number
    assert "Traceback" not in answer.err
    with ab.Archive(archive) as opened:
        assert len(opened) == 1


def test_a_reader_waits_for_a_lock_and_then_says_so(cli: Command, archive: Path) -> None:
    with locked(archive, FOR_ALL), pytest.raises(ab.ArcbattError, match="another process holds the archive"):
        ab.Archive(archive, readonly=True, patience=0)
    assert cli("archive", "list", archive).code == 0


FOREIGN = ("import os", "os.system")


FORMS = [("solvers", []), ("solvers", ["--solved"]), ("batt", []), ("json", []), ("folder", ["--solved"])]


def text_of(out: Path) -> str:
    return "".join(file.read_text() for file in [out, *out.rglob("*")] if file.is_file())


@pytest.mark.parametrize(("form", "options"), FORMS)
def test_a_foreign_source_is_never_exported(
    cli: Command, tmp_path: Path, form: str, options: list[str]
) -> None:
    path, out = attack("foreign_source.db", tmp_path), tmp_path / "out"
    answer = cli("archive", "export", path, out, "--form", form, *options)
    assert not any(part in text_of(out) for part in FOREIGN)
    assert answer.code == (1 if form == "json" else 2)
    assert out.exists() == (form == "json")
    assert "is damaged: it cannot be read" in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.parametrize(("form", "options"), FORMS)
def test_what_is_exported_is_written_from_the_program_that_was_read(
    cli: Command, tmp_path: Path, archive: Path, form: str, options: list[str]
) -> None:
    with ab.Archive(archive) as opened:
        solvers = ab.parse_programs(
            "def a(I): return vmirror(I)\ndef b(I): return hmirror(hmirror(vmirror(I)))"
        )
        opened.add(ab.run(solvers, "67a3c6ac", "all"))
    with closing(sqlite3.connect(archive, isolation_level=None)) as database:
        database.execute(
            "UPDATE programs SET source = 'import os\n' || source || '# os.system' WHERE name = 'a'"
        )
        database.execute("UPDATE programs SET source = 'def solve(I): return I' WHERE name = 'b'")
    out = tmp_path / "out"
    answer = cli("archive", "export", archive, out, "--form", form, *options)
    assert not any(part in text_of(out) for part in FOREIGN)
    assert "vmirror(I)" in text_of(out)
    assert answer.code == 1
    assert answer.err.splitlines() == [
        f"program b is damaged: its source does not have the hash {solvers[1].hash}"
    ]
    shown = cli("archive", "show", archive, "a")
    assert shown.code == 0
    assert not any(part in shown.out for part in FOREIGN)
    checked = cli("archive", "check", archive)
    assert f"fault: program a ({solvers[0].hash}): its source has more than its function" in checked.out
    if form == "json":
        assert cli("archive", "import", tmp_path / "new.db", out).code == 0


def test_a_foreign_source_is_neither_shown_nor_reported(cli: Command, tmp_path: Path) -> None:
    path, page = attack("foreign_source.db", tmp_path), tmp_path / "report.html"
    answers = [
        cli("archive", "list", path, "programs", "--json"),
        cli("archive", "best", path, "67a3c6ac", "--json"),
        cli("archive", "lineage", path, "solve_67a3c6ac", "--json"),
        cli("report", path, "-o", page),
    ]
    assert [answer.code for answer in answers] == [0] * len(answers)
    answers += [cli("archive", "show", path, "solve_67a3c6ac"), cli("submit", path, "--tasks", "67a3c6ac")]
    assert [answer.code for answer in answers[-2:]] == [2, 2]
    text = page.read_text() + "".join(answer.out for answer in answers)
    assert not any(part in text for part in FOREIGN)
    assert not any("Traceback" in answer.err for answer in answers)


def test_an_unknown_input_is_refused_at_import_with_its_line(cli: Command, tmp_path: Path) -> None:
    lines, path = attack("unknown_input.jsonl", tmp_path), tmp_path / "q.db"
    answer = cli("archive", "import", path, lines)
    assert answer.code == 2
    first, second = answer.err.splitlines()
    assert first.startswith(f"{lines}:7: program solve_evil (31cda3758a4f06a91925c6ff904fd8ee) is damaged")
    assert "expected an input I, S or C, got 'Q' in node 1 of a program" in first
    assert second.startswith(f"{lines}:8: the program 31cda3758a4f06a91925c6ff904fd8ee of this result")


def spoil(archive: Path, graph: str) -> None:
    """Put a program into an archive that already holds a winner, under the hash that the file says."""
    with ab.Archive(archive) as opened:
        solvers = ab.parse_programs(
            "def evil(I): return vmirror(I)\ndef good(I): return hmirror(hmirror(vmirror(I)))"
        )
        opened.add(ab.run(solvers, "67a3c6ac", "all"))
    with closing(sqlite3.connect(archive, isolation_level=None)) as database:
        digest = bytes.fromhex("31cda3758a4f06a91925c6ff904fd8ee")
        database.execute("UPDATE programs SET graph = ?, hash = ? WHERE name = 'evil'", (graph, digest))


def test_a_program_with_an_unknown_input_costs_only_itself(
    cli: Command, tmp_path: Path, archive: Path
) -> None:
    spoil(archive, '[["input", "Q", []], ["op", "vmirror", [0]]]')
    named = "program evil (31cda3758a4f06a91925c6ff904fd8ee) is damaged"
    checked = cli("archive", "check", archive, "--replay")
    assert checked.code == 1
    assert f"fault: {named}" in checked.out
    assert "fault: winner evil (31cda3758a4f06a91925c6ff904fd8ee) of 67a3c6ac cannot run again" in checked.out
    assert "1 winner run again" in checked.out
    words = ["--tasks", "67a3c6ac", "-o", tmp_path / "submission.json"]
    submitted = cli("submit", archive, *words)
    assert (submitted.code, named in submitted.err) == (0, True)
    solved = cli("solve", "67a3c6ac", "--steps", "100", "--archive", archive)
    assert (solved.code, "Traceback" in solved.err) == (0, False)
    page = tmp_path / "r.html"
    assert cli("report", archive, "-o", page).code == 0
    assert "expected an input I, S or C" in page.read_text()


@pytest.mark.parametrize(
    "graph",
    [
        "",
        "[]",
        "3",
        "[3]",
        '[["input", "I"]]',
        '[["input", "I", [0]]]',
        '[["input", ["I"], []]]',
        '[["input", "I", []], ["op", "no_op", [0]]]',
        '[["input", "I", []], ["op", "rot90", [-1]]]',
        '[["input", "I", []], ["op", "rot90", [true]]]',
        '[["op", "rot90", [0]]]',
        '[["input", "I", []], ["op", ["rot90"], [0]]]',
        '[["call", null, []]]',
        '[["constant", {"f": ["no_op"]}, []]]',
        '[["constant", "x", []]]',
        '[["constant", null, []]]',
        '[["nothing", null, []]]',
        '[["input", "withheld C", []], ["op", "vmirror", [0]]]',
        "[" * 100_000,
    ],
)
def test_a_graph_of_no_program_is_told_by_its_row(cli: Command, archive: Path, graph: str) -> None:
    spoil(archive, graph)
    answer = cli("archive", "check", archive, "--replay")
    assert answer.code == 1
    assert "fault: program evil" in answer.out
    assert "1 winner run again" in answer.out
    shown = cli("archive", "show", archive, "evil")
    assert (shown.code, len(shown.err.splitlines())) == (2, 1)


DAMAGED_ROWS = [
    "PRAGMA ignore_check_constraints = ON; UPDATE programs SET kind = 'evil' WHERE name = 'evil'",
    "UPDATE programs SET size = 'x'",
    "UPDATE programs SET size = 9e999",
    "UPDATE programs SET name = x'00ff00ff'",
    "UPDATE results SET verdicts = x'ffffffff'",
    "UPDATE results SET scores = x'01' WHERE program = 2",
    "UPDATE results SET rank = 'x'",
]


@pytest.mark.parametrize("statement", DAMAGED_ROWS)
def test_a_damaged_row_is_no_error_of_python(
    cli: Command, archive: Path, tmp_path: Path, statement: str
) -> None:
    solvers = tmp_path / "solvers.py"
    solvers.write_text("def evil(I): return vmirror(I)\ndef good(I): return hmirror(hmirror(vmirror(I)))\n")
    words = ["--pairs", "all", "--tasks", "67a3c6ac", "--archive", archive]
    with ab.Archive(archive) as opened:
        opened.add(ab.run(ab.load_programs(solvers), "67a3c6ac", "all", partial_scores=True))
    with closing(sqlite3.connect(archive)) as database:
        database.executescript(statement)
    answers = [
        cli("archive", "show", archive, "31cda3758a4f06a91925c6ff904fd8ee"),
        cli("report", archive, "-o", tmp_path / "r.html"),
        cli("archive", "check", archive, "--replay"),
        cli("run", solvers, *words, "--resume"),
        cli("solve", "67a3c6ac", "--steps", 10, "--archive", archive),
        cli("evolve", solvers, "--tasks", "67a3c6ac", "--steps", 10, "--archive", archive),
        cli("breed", solvers, "--tasks", "67a3c6ac", "--archive", archive, "--seed", 1),
        cli("card", archive, "-f", tmp_path / "batt.py", "--seed", 1),
    ]
    assert {answer.code for answer in answers} <= {0, 1, 2}
    assert not any("Traceback" in answer.out + answer.err for answer in answers)
    assert answers[2].code == 1
    assert answers[3].code == 0
    assert answers[3].out.count("4/4") == len(ab.load_programs(solvers))


@pytest.mark.skipif(sys.version_info < (3, 11), reason="SQLite takes the bound of a row from Python 3.11 on")
def test_a_row_of_very_many_bytes_is_refused_before_it_is_read(
    cli: Command, archive: Path, tmp_path: Path
) -> None:
    with sqlite3.connect(archive) as database:
        database.execute("UPDATE programs SET source = ?", ("#" * (65 << 20),))
    for words in (
        ["archive", "list", archive],
        ["archive", "show", archive, "turned"],
        ["archive", "export", archive, tmp_path / "out.py", "--form", "solvers"],
    ):
        answer = cli(*words)
        assert answer.code == 2
        assert "holds a row of more than 64 MB" in answer.err
    checked = cli("archive", "check", archive)
    assert (checked.code, "fault: program" in checked.out) == (1, True)
