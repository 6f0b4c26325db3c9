"""The rows of runs in an archive: which settings a run had, and how far it got."""

from collections.abc import Callable
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.engine.records.record import Record
from arcbatt.results.result_writer import ResultWriter
from support.commands import Answer, Command, Write

PROGRAMS = "def solve_67a3c6ac(I): return vmirror(I)\ndef turn(I): return rot90(I)\n"
TASKS = "007bbfb7,00d62c1b,67a3c6ac"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "mine.db"


@pytest.fixture
def run(cli: Command, write: Write, archive: Path) -> Callable[..., Answer]:
    """Runs all programs on all of some tasks, into the archive."""
    programs = write("some.py", PROGRAMS)
    return lambda *words: cli(
        "run", programs, "--tasks", TASKS, "--pairs", "all", "--archive", archive, *words
    )


def progress(archive: Path) -> list[tuple[str, int, int | None]]:
    """The kinds of the runs, and how far they got."""
    with ab.Archive(archive, readonly=True) as opened:
        return [(each.kind, each.done, each.total) for each in opened.runs()]


def stop_after(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Let a run end as by Ctrl-C when it has so many records; records that are done by then are dropped.

    A record is a whole task, however slow the machine.
    """
    left, add = iter(range(count)), ResultWriter.add

    def added(writer: ResultWriter, record: Record) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        add(writer, record)

    monkeypatch.setattr(ResultWriter, "add", added)
    monkeypatch.setattr("arcbatt.engine.chunks.SECONDS", 3600.0)


def test_a_run_is_listed_with_its_settings_in_words(
    cli: Command, run: Callable[..., Answer], archive: Path
) -> None:
    assert run().code == 0
    assert run("--shard", "2/3", "--on-failure", "default").code == 0
    heading, whole, shard, *_ = cli("archive", "list", archive, "runs").out.splitlines()
    assert heading.split() == ["run", "done", "settings", "digest"]
    words = "6 of 6 results  2 programs on 3 tasks, 007bbfb7 to 67a3c6ac, pairs all, fail"
    assert words in whole
    assert "2 of 2 results  2 programs on 1 task, 00d62c1b to 00d62c1b, pairs all, default" in shard


def test_a_run_that_was_stopped_goes_on_in_its_row(
    run: Callable[..., Answer], archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        stop_after(patched, 1)
        assert run().code == 130
    assert progress(archive) == [("run", 2, 6)]
    assert run("--resume").code == 0
    assert progress(archive) == [("run", 6, 6)]


def test_a_run_that_is_begun_anew_keeps_what_it_had_done(
    run: Callable[..., Answer], archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run().code == 0
    stop_after(monkeypatch, 1)
    assert run().code == 130
    assert progress(archive) == [("run", 6, 6)]


def test_other_programs_or_settings_make_another_run(
    run: Callable[..., Answer], write: Write, archive: Path
) -> None:
    run()
    run("--threads", 1, "--json", archive.with_suffix(".jsonl"))  # no result depends on these
    assert len(progress(archive)) == 1
    run("--max-depth", 50)
    write("some.py", PROGRAMS.replace("rot90", "rot180"))
    run()
    assert len(progress(archive)) == 3


@pytest.mark.process
@pytest.mark.parametrize("words", [(), ("--timeout", 50)])
def test_a_batt_is_one_run_whose_known_results_count_once(
    cli: Command, tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[object, ...]
) -> None:
    batt = tmp_path / "batt.py"
    assert cli("card", "-c", 4, "-f", batt, "-fs", "-fd").code == 0
    run = ("run-batt", "-b", batt, "-c", 3, "--archive", archive, *words)
    with monkeypatch.context() as patched:
        stop_after(patched, 2)
        assert cli(*run).code == 130
    solvers = len([program for program in ab.load_batt(batt) if program.kind == "solver"])
    assert progress(archive) == [("run-batt", 2 * solvers, 3 * solvers)]
    assert cli(*run, "--resume").code == 0
    assert progress(archive) == [("run-batt", 3 * solvers, 3 * solvers)]
    listed = cli("archive", "list", archive, "runs").out
    assert f"{solvers} programs on 3 tasks, 007bbfb7 to 017c7c7b, differs" in listed


def test_the_steps_of_a_search_are_its_progress(archive: Path) -> None:
    with ab.Archive(archive) as opened:
        found = ab.evolve(ab.load_tasks("67a3c6ac"), steps=300, workers=1, archive=opened, beyond=None)
        (row,) = opened.runs()
    assert (row.kind, row.done, row.total) == ("evolve", found.steps, None)
