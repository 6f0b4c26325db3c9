"""`arcbatt report`: from a file of results or an archive to a page, and what is refused."""

import json
from pathlib import Path

import pytest

from support.commands import Command, Write
from support.reports import data_of

LINE = {
    "program": "solve_x",
    "task": "t",
    "demo": [True],
    "test": [],
    "solved": True,
    "failures": {},
    "key": "0",
}


@pytest.fixture
def ran(cli: Command, solvers: Path, tmp_path: Path) -> Path:
    """The lines of JSON of a run."""
    file = tmp_path / "run.jsonl"
    assert cli("run", solvers, "--pairs", "all", "--tasks", "007bbfb7,00d62c1b", "--json", file).code == 0
    return file


def test_report_of_a_run_is_written_and_told(cli: Command, ran: Path, solvers: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    answer = cli("report", ran, "-o", page, "--programs", solvers)
    assert answer.code == 0
    assert answer.out.startswith(f"{page}: 2 tasks, 4 programs, 8 pairs, 1 task solved; ")
    data = data_of(page)
    assert data["core"]["notes"] == []
    assert data["core"]["summary"].keys() == {"backend", "evaluations_per_second", "seconds", "threads"}
    assert "cellwise" in data["sources"][0]


@pytest.mark.slow
def test_page_forbids_everything_from_elsewhere(cli: Command, ran: Path, tmp_path: Path) -> None:
    cli("report", ran, "-o", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert "default-src 'none'; script-src 'sha256-" in text
    assert "{{" not in text.partition("<script>")[0]
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")


@pytest.mark.slow
def test_programs_of_the_library_are_found_by_themselves(cli: Command, tmp_path: Path) -> None:
    cli("run", "--tasks", "00d62c1b,0520fde7", "--json", tmp_path / "run.jsonl")
    assert cli("report", tmp_path / "run.jsonl", "-o", tmp_path / "page.html").code == 0
    data = data_of(tmp_path / "page.html")
    assert data["core"]["notes"] == []
    assert all(data["sources"])


def test_archive_is_told_by_its_content(cli: Command, solvers: Path, tmp_path: Path) -> None:
    archive = tmp_path / "results.jsonl"
    cli("run", solvers, "--pairs", "all", "--tasks", "007bbfb7", "--archive", archive)
    assert cli("report", archive, "-o", tmp_path / "page.html").code == 0
    core = data_of(tmp_path / "page.html")["core"]
    assert core["kind"] == "archive"
    assert core["runs"] == [
        ["run", "4 of 4 results", "4 programs on 1 task, 007bbfb7 to 007bbfb7, pairs all, fail"]
    ]


def test_joined_files_of_shards_are_one_report(cli: Command, ran: Path, tmp_path: Path) -> None:
    *lines, summary = ran.read_text().splitlines(keepends=True)
    ran.write_text("".join([*lines[:4], summary, *lines[4:], summary]))
    assert cli("report", ran, "-o", tmp_path / "page.html").code == 0
    core = data_of(tmp_path / "page.html")["core"]
    assert core["counts"]["pairs"] == 8
    assert core["summary"]["seconds"] == pytest.approx(2 * json.loads(summary)["summary"]["seconds"])


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])  # the first makes a differ that ignores the output: four equal ones
def test_lines_of_a_batt_are_matched_with_its_solvers(
    seed: int, cli: Command, solvers: Path, tmp_path: Path
) -> None:
    batt, lines, page = (tmp_path / name for name in ("batt.py", "batt.jsonl", "page.html"))
    cli("card", solvers, "-fs", "--style", "vectorized", "--seed", seed, "-f", batt)
    cli("run-batt", "-b", batt, "--data", "007bbfb7", "--json", lines)
    assert cli("report", lines, "-o", page, "--programs", batt).code == 0
    data = data_of(page)
    assert (data["core"]["kind"], data["core"]["notes"]) == ("run-batt", [])
    assert all(data["sources"])


def test_odd_summary_does_no_harm(cli: Command, write: Write, tmp_path: Path) -> None:
    odd = {"seconds": float("nan"), "threads": [], "backend": {"a": 1}, "evaluations_per_second": "many"}
    source = write("odd.jsonl", json.dumps(LINE) + "\n" + json.dumps({"summary": odd}) + "\n")
    assert cli("report", source, "-o", tmp_path / "page.html").code == 0
    assert data_of(tmp_path / "page.html")["core"]["summary"] == {"seconds": None}


@pytest.mark.slow
def test_cut_off_line_is_left_out_and_told(cli: Command, ran: Path, tmp_path: Path) -> None:
    lines = ran.read_bytes().splitlines(keepends=True)
    ran.write_bytes(b"".join(lines[:3]) + lines[3][:40])
    assert cli("report", ran, "-o", tmp_path / "page.html").code == 0
    core = data_of(tmp_path / "page.html")["core"]
    assert core["counts"]["pairs"] == 3
    assert core["notes"][:2] == [
        "The last line of the file is cut off and left out.",
        "The run was not finished: these are its results so far.",
    ]


@pytest.mark.slow
def test_refused_programs_are_told_and_the_page_is_written(
    cli: Command, ran: Path, write: Write, tmp_path: Path
) -> None:
    odd = write("odd.py", "def solve_a(I): return rot90(I)\ndef solve_b(I): return nothing(I)\n")
    answer = cli("report", ran, "-o", tmp_path / "page.html", "--programs", odd)
    assert answer.code == 1
    assert "nothing" in answer.err
    assert (tmp_path / "page.html").is_file()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (None, "cannot be read: No such file"),
        (b"", "is empty"),
        (b"def solve_x(I): return I\n", "is neither lines of JSON nor an archive"),
        (b"\x00\xff\xfe", "is neither lines of JSON nor an archive"),
        (b"[1, 2]\n", "is neither lines of JSON nor an archive"),
        (b'{"summary": {}}\n', "holds no results"),
        (b'{"a": 1}\n', "source.jsonl:1: is no result of a run"),
        (b'{"arcbatt": "archive", "version": 1}\n', "is an export of an archive"),
        (json.dumps(LINE).encode() + b"\nnonsense\n", "source.jsonl:2: is no line of JSON"),
        (json.dumps(LINE | {"demo": [1.5]}).encode() + b"\n", "source.jsonl:1: is no result of a run"),
        (json.dumps(LINE | {"demo": 7}).encode() + b"\n", "source.jsonl:1: is no result of a run"),
        (json.dumps(LINE | {"failures": {"TYPE": "x"}}).encode() + b"\n", "source.jsonl:1: is no result"),
        (b'{"task": "00d62c1b", "answers": [7]}\n', "source.jsonl:1: is no task of a search"),
        (b'{"task": "mine", "answers": []}\n', "none of its tasks is at hand"),
        (b"SQLite format 3\0" + bytes(100), "source.jsonl"),
    ],
)
def test_file_without_results_is_refused(
    cli: Command, tmp_path: Path, content: bytes | None, wrong: str
) -> None:
    source, page = tmp_path / "source.jsonl", tmp_path / "page.html"
    if content is not None:
        source.write_bytes(content)
    answer = cli("report", source, "-o", page)
    assert answer.code == 2
    assert answer.err.startswith(f"arcbatt: {tmp_path}")
    assert wrong in answer.err
    assert answer.err.count("\n") == 1
    assert not page.exists()


def test_folder_is_refused(cli: Command, tmp_path: Path) -> None:
    answer = cli("report", tmp_path, "-o", tmp_path / "page.html")
    assert (answer.code, "is no regular file" in answer.err) == (2, True)


def test_page_that_cannot_be_written_is_refused(cli: Command, ran: Path, tmp_path: Path) -> None:
    answer = cli("report", ran, "-o", tmp_path / "nowhere" / "page.html")
    assert (answer.code, "cannot be written" in answer.err) == (2, True)


def test_source_is_not_overwritten(cli: Command, ran: Path, solvers: Path) -> None:
    before = ran.read_bytes()
    for target in (ran, solvers):
        answer = cli("report", ran, "-o", target, "--programs", solvers)
        assert (answer.code, "would be overwritten" in answer.err) == (2, True)
    assert ran.read_bytes() == before


def test_archive_is_not_overwritten(cli: Command, ran: Path, solvers: Path, tmp_path: Path) -> None:
    archive = tmp_path / "mine.db"
    cli("run", solvers, "--pairs", "all", "--tasks", "007bbfb7", "--archive", archive)
    before = archive.read_bytes()
    for source in (ran, archive):
        assert cli("report", source, "-o", archive).code == 2
    assert archive.read_bytes() == before


def test_missing_tasks_and_programs_are_refused(cli: Command, ran: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert cli("report", ran, "-o", page, "--tasks", "nowhere").code == 2
    assert cli("report", ran, "-o", page, "--programs", tmp_path / "nowhere.py").code == 2
    assert not page.exists()


def test_what_is_missing_is_told_as_on_the_page(
    cli: Command, ran: Path, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write("cut.jsonl", ran.read_bytes().splitlines(keepends=True)[0] + b'{"program": "solv')
    write("other.py", "def other(I):\n    return rot90(I)\n")
    answer = cli("report", "cut.jsonl", "--programs", "other.py")
    assert answer.code == 0
    notes = data_of(tmp_path / "report.html")["core"]["notes"]
    assert answer.err.splitlines() == [f"cut.jsonl: {sentence}" for sentence in notes]
    cut, unfinished, without_source, *_ = notes
    assert cut == "The last line of the file is cut off and left out."
    assert unfinished == "The run was not finished: these are its results so far."
    assert "solve_007bbfb7" in without_source
