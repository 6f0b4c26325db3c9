"""Data frames of pandas and of polars: the same rows, and one sentence where neither is there."""

import sys
from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.engine.choose import AVAILABLE
from arcbatt.rendered import Tabular

pandas = pytest.importorskip("pandas", reason="pandas is not installed")
polars = pytest.importorskip("polars", reason="polars is not installed")

SOURCE = """
def right(I): return hmirror(I)
def fails(I): return divide(size(I), ZERO)
"""
GRID = ((1, 2), (3, 4))
TASK = ab.Task(
    "mirror",
    demo=(ab.Sample(GRID, ((3, 4), (1, 2))),),
    test=(ab.Sample(((5, 5, 5),), ((5, 5, 5),)), ab.Sample(GRID, None)),
)

needs_core = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")


def rows(thing: Tabular) -> list[dict[str, Any]]:
    """The rows that both libraries give."""
    theirs: list[dict[str, Any]] = thing.to_dataframe("polars").to_dicts()
    frame = thing.to_dataframe("pandas")
    ours = frame.astype(object).where(frame.notna(), None).to_dict("records")
    assert ours == theirs
    return theirs


def test_results_have_a_row_for_each_pair_of_program_and_task() -> None:
    right, fails = rows(ab.run(ab.parse_programs(SOURCE), TASK, "all"))
    assert right == {
        "program": "right",
        "task": "mirror",
        "solved": True,
        "demo_exact": 1,
        "demo_count": 1,
        "test_exact": 1,
        "test_count": 1,  # the other output is not known
        "failures": 0,
        "failure_kinds": "",
        "lost": 0,
        "hash": ab.parse_programs(SOURCE)[0].hash,
    }
    assert (fails["solved"], fails["failures"], fails["failure_kinds"]) == (False, 3, "ZERO 3")


def test_task_set_has_a_row_for_each_sample() -> None:
    demo, test, unknown = rows(ab.TaskSet((TASK,)))
    assert list(demo.values()) == ["mirror", "demo 1", 2, 2, 4, 2, 2, 4]
    assert list(test.values()) == ["mirror", "test 1", 1, 3, 1, 1, 3, 1]
    assert list(unknown.values()) == ["mirror", "test 2", 2, 2, 4, None, None, None]


def test_archive_has_a_row_for_each_task_with_its_best_program(tmp_path: Path) -> None:
    with ab.Archive(tmp_path / "mine.db") as archive:
        archive.add(ab.run(ab.parse_programs(SOURCE), TASK, "all"))
        (row,) = rows(archive)
    assert (row["task"], row["results"], row["winners"], row["program"]) == ("mirror", 2, 1, "right")
    assert (row["solved"], row["demo_exact"], row["score"], row["lines"]) == (True, 1, 1000.0, 1)


def test_an_unknown_score_is_missing_and_not_0(tmp_path: Path) -> None:
    with ab.Archive(tmp_path / "mine.db") as archive:
        archive.add(ab.run(ab.parse_programs(SOURCE)[1], TASK, "all"))
        (row,) = rows(archive)
    assert (row["program"], row["score"]) == ("fails", None)


@needs_core
def test_solution_has_a_row_for_each_task_also_without_an_answer() -> None:
    noise = ab.Task("noise", demo=(ab.Sample(GRID, ((7, 0, 7),)), ab.Sample(GRID, ((8,),))), test=())
    solved, unsolved = rows(ab.solve([TASK, noise], steps=5_000, library=False))
    assert (solved["task"], solved["fits"], solved["demo_exact"]) == ("mirror", True, 1)
    assert (solved["test_right"], solved["test_known"]) == (1, 1)
    assert unsolved["task"] == "noise"
    assert not unsolved["fits"]


def test_numbers_stay_whole_where_some_are_missing() -> None:
    frame = ab.TaskSet((TASK,)).to_dataframe("pandas")
    assert str(frame["output_height"].dtype) == "Int64"
    assert str(frame["input_height"].dtype) == "int64"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_empty_tables_have_their_columns(library: Any) -> None:
    frame = ab.TaskSet(()).to_dataframe(library)
    assert list(frame.columns) == list(ab.TaskSet((TASK,)).to_dataframe(library).columns)
    assert len(frame) == 0


def test_first_library_that_is_there_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(ab.TaskSet((TASK,)).to_dataframe(), pandas.DataFrame)
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(ab.TaskSet((TASK,)).to_dataframe(), polars.DataFrame)


def test_missing_libraries_are_told_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    told = "a data frame needs polars, which cannot be imported here; `pip install polars` installs it"
    with pytest.raises(ab.ArcbattError, match=f"^{told}$"):
        ab.TaskSet((TASK,)).to_dataframe("polars")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ab.ArcbattError, match=r"^a data frame needs pandas or polars, which cannot"):
        ab.TaskSet((TASK,)).to_dataframe()


def test_unknown_library_is_told_in_one_sentence() -> None:
    with pytest.raises(ab.ArcbattError, match=r"library: expected one of pandas, polars.*, got 'dask'"):
        ab.TaskSet((TASK,)).to_dataframe("dask")  # type: ignore[arg-type]
