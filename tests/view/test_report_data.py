"""The data of a report: what it takes from results, lines of JSON, searches and archives."""

import json
from array import array
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.outlet.files import Files
from arcbatt.outlet.programs import program_outlet
from arcbatt.program.merge import merge
from arcbatt.view.report.chosen_outputs import grid_text
from arcbatt.view.report.findings import Pattern, ReportFindings, Subject, TaskFindings, shortened
from arcbatt.view.report.packing import column, in_page
from support.reports import PROGRAMS, TASKS, data_of, results

GRIDS = (
    st.integers(1, 5)
    .flatmap(
        lambda width: st.lists(
            st.lists(st.integers(0, 9), min_size=width, max_size=width).map(tuple), min_size=1, max_size=5
        )
    )
    .map(tuple)
)


def numbers(text: str) -> list[int]:
    """The numbers of a column."""
    return array("I", b64decode(text)).tolist()


def verdicts_of(data: dict[str, Any]) -> dict[tuple[str, str], str]:
    """What a page says of each program on each task: the letters of the samples."""
    core = data["core"]
    tasks, names = core["tasks"], core["programs"]["names"]
    return {
        (names[program], task): core["patterns"][pattern][0]
        for task, programs, patterns in zip(tasks["ids"], tasks["lists"], tasks["patterns"])
        for program, pattern in zip(numbers(core["lists"][programs]), numbers(patterns))
    }


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    """The lines of JSON of a run."""
    file, settings = tmp_path / "run.jsonl", {"on_failure": "fail", "limits": ab.Limits()}
    batt, tasks = merge(ab.parse_programs(PROGRAMS)), ab.load_tasks(TASKS)
    with program_outlet(batt, tasks, "all", settings, Files(json=str(file))) as outlet:
        found = ab.run(batt, tasks, "all", on_record=outlet.add)
        outlet.finish(found.summary())
    return file


@given(st.text() | st.recursive(st.text(), lambda inner: st.dictionaries(st.text(), inner)))
def test_data_in_a_page_reads_back_and_ends_no_element(data: Any) -> None:
    text = in_page(data)
    assert json.loads(text) == data
    assert "<" not in text
    assert text.isascii()


@given(st.lists(st.integers(0, 2**32 - 1)))
def test_column_reads_back(values: list[int]) -> None:
    assert numbers(column(values)) == values


@given(GRIDS)
def test_grid_as_text_reads_back(grid: Any) -> None:
    text = grid_text(grid)
    assert text is not None
    assert tuple(tuple(map(int, row)) for row in text.split("/")) == grid


def test_page_tells_the_verdicts_of_all_pairs(tmp_path: Path) -> None:
    found = results()
    counts = ab.report(found, tmp_path / "page.html")
    told = verdicts_of(data_of(tmp_path / "page.html"))
    assert told == {
        (outcome.program.name, outcome.task.id): "".join(
            "01"[bool(exact)] for exact in outcome.demo + outcome.test
        )
        for outcome in found
    }
    assert counts == {
        "tasks": 4,
        "programs": 4,
        "pairs": 16,
        "tasks_solved": 2,
        "pairs_solved": 2,
        "evaluations": found.stats.evaluations,
        "lost": 0,
    }


def test_page_has_the_outputs_of_the_nearest_and_of_own_programs(tmp_path: Path) -> None:
    ab.report(results(), tmp_path / "page.html")
    data = data_of(tmp_path / "page.html")
    names, ids = data["core"]["programs"]["names"], data["core"]["tasks"]["ids"]
    outputs = {
        (ids[int(task)], names[int(program)]): told
        for key, told in data["outputs"].items()
        for task, program in [key.split()]
    }
    assert set(outputs["017c7c7b", "solve_017c7c7b"]) == {"!ZERO divide(height(I), 0)"}
    assert sum(task == "00d62c1b" for task, _ in outputs) == 3
    assert all(text.startswith("#") for text in outputs["00d62c1b", "turn"])


def test_outputs_beyond_the_budget_are_left_out_and_told(tmp_path: Path) -> None:
    ab.report(results(), tmp_path / "page.html", output_bytes=0)
    data = data_of(tmp_path / "page.html")
    assert len(data["outputs"]) == 1
    assert any("are left out" in note for note in data["core"]["notes"])


def test_lines_of_json_give_the_same_report_as_the_results(lines: Path, tmp_path: Path) -> None:
    programs = ab.parse_programs(PROGRAMS)
    ab.report(results(), tmp_path / "results.html")
    ab.report(lines, tmp_path / "lines.html", programs=programs)
    one, other = (data_of(tmp_path / name) for name in ("results.html", "lines.html"))
    assert verdicts_of(one) == verdicts_of(other)
    for block in ("grids", "sources", "outputs"):
        assert one[block] == other[block]
    assert other["core"]["notes"] == []


def test_program_that_is_not_there_has_verdicts_only(lines: Path, tmp_path: Path) -> None:
    some = [program for program in ab.parse_programs(PROGRAMS) if program.name != "turn"]
    ab.report(lines, tmp_path / "page.html", programs=some)
    data = data_of(tmp_path / "page.html")
    assert len(verdicts_of(data)) == 16
    assert data["sources"][data["core"]["programs"]["names"].index("turn")] == ""
    assert data["core"]["notes"] == [
        "1 program with verdicts only, such as turn: not among the programs at hand; "
        "--programs FILE names a file of programs."
    ]


def test_another_program_of_the_same_name_is_not_taken_for_it(lines: Path, tmp_path: Path) -> None:
    other = ab.parse_programs(PROGRAMS.replace("rot90", "rot180"))
    ab.report(lines, tmp_path / "page.html", programs=other)
    data = data_of(tmp_path / "page.html")
    assert data["sources"][data["core"]["programs"]["names"].index("turn")] == ""
    assert "another program of that name" in data["core"]["notes"][0]


def test_task_that_is_not_there_has_no_pictures(lines: Path, tmp_path: Path) -> None:
    ab.report(lines, tmp_path / "page.html", programs=[], tasks=ab.load_tasks("67a3c6ac"))
    data = data_of(tmp_path / "page.html")
    assert [grids is not None for grids in data["grids"]] == [True, False, False, False]
    assert data["core"]["notes"][0].startswith("3 tasks without pictures, such as 00d62c1b")


def test_mode_default_is_told_by_the_keys(tmp_path: Path) -> None:
    file, settings = tmp_path / "run.jsonl", {"on_failure": "default", "limits": ab.Limits()}
    batt, tasks = merge(ab.parse_programs(PROGRAMS)), ab.load_tasks("017c7c7b")
    with program_outlet(batt, tasks, "all", settings, Files(json=str(file))) as outlet:
        outlet.finish(ab.run(batt, tasks, "all", on_record=outlet.add, on_failure="default").summary())
    ab.report(file, tmp_path / "page.html", programs=batt.programs)
    data = data_of(tmp_path / "page.html")
    own = data["core"]["programs"]["names"].index("solve_017c7c7b")
    assert set(data["outputs"][f"0 {own}"]) == {"?0"}


def test_report_of_a_search_has_its_programs(tmp_path: Path) -> None:
    solution = ab.solve(ab.load_tasks("67a3c6ac"), steps=20_000)
    file = tmp_path / "solve.jsonl"
    found = solution["67a3c6ac"]
    file.write_text(json.dumps(found.as_json()) + "\n" + json.dumps({"summary": solution.summary()}) + "\n")
    assert ab.report(solution, tmp_path / "one.html")["tasks_solved"] == 1
    assert ab.report(file, tmp_path / "other.html")["tasks_solved"] == 1
    one, other = (data_of(tmp_path / name) for name in ("one.html", "other.html"))
    assert one["sources"] == other["sources"]
    assert one["core"]["tasks"]["seconds"] != [None]


def test_report_of_an_archive_has_lineage_and_runs(tmp_path: Path) -> None:
    first, second = ab.parse_programs(
        "def solve_67a3c6ac(I): return vmirror(I)\ndef child(I): return rot90(I)"
    )
    with ab.Archive(tmp_path / "mine.db") as archive:
        archive.add(ab.run([first, second], ab.load_tasks("67a3c6ac"), "all"))
        archive.add_programs([second.altered(changes=("vmirror became rot90",))], {second.hash: [first.hash]})
        archive.commit()
        counts = ab.report(archive, tmp_path / "one.html")
    ab.report(tmp_path / "mine.db", tmp_path / "other.html")
    assert counts["pairs"] == 2
    one, other = (data_of(tmp_path / name) for name in ("one.html", "other.html"))
    assert {**one, "times": None} == {**other, "times": None}
    child = one["core"]["programs"]["names"].index("child")
    assert one["lineage"] == [[child, first.hash, "vmirror became rot90"]]


def test_tasks_of_one_id_in_an_archive_are_told_apart(tmp_path: Path) -> None:
    programs = ab.parse_programs("def turn(I): return rot90(I)")
    tasks = [ab.Task("mine", (ab.Sample(((color,),), ((color,),)),), ()) for color in (1, 2)]
    with ab.Archive(tmp_path / "mine.db") as archive:
        for task in tasks:
            archive.add(ab.run(programs, task, "all"))
    assert ab.report(tmp_path / "mine.db", tmp_path / "page.html")["tasks_solved"] == 2
    ids = data_of(tmp_path / "page.html")["core"]["tasks"]["ids"]
    assert ids[0] == "mine"
    assert ids[1].startswith("mine (")


def test_long_lists_keep_the_best_programs_of_each_task() -> None:
    findings = ReportFindings("many", "run")
    task = TaskFindings("mine", 2, 0)
    for name, exact in (("none", "00"), ("all", "11"), ("one", "10"), ("other", "00")):
        findings.add(task, findings.number_of(Subject(name)), Pattern(exact))
    findings.tasks.append(task)
    counts = findings.counts()
    shortened(findings, 2)
    assert [findings.subjects[number].name for number in task.programs] == ["all", "one"]
    assert counts["pairs"] == 4
    assert "the best 2 programs of each task" in findings.notes[0]


@pytest.mark.parametrize(
    ("source", "options", "wrong"),
    [
        (7, {}, "7 cannot be reported"),
        (None, {}, "None cannot be reported"),
        (results, {"output_bytes": -1}, "output_bytes: expected an integer >= 0, got -1"),
        (results, {"programs": 7}, "expected a collection, each item a program, got 7"),
        (results, {"tasks": 7}, "expected a task, got 7"),
        (results, {"path": 7}, "path: expected a path, a Python str or a pathlib.Path, got 7"),
    ],
)
def test_wrong_arguments_get_a_sentence(
    tmp_path: Path, source: Any, options: dict[str, Any], wrong: str
) -> None:
    with pytest.raises(ab.ArcbattError, match=wrong):
        ab.report(source() if callable(source) else source, **{"path": tmp_path / "page.html", **options})
    assert list(tmp_path.iterdir()) == []


def test_same_source_gives_the_same_bytes(lines: Path, tmp_path: Path) -> None:
    pages = [tmp_path / name for name in ("one.html", "other.html")]
    for page in pages:
        ab.report(lines, page, programs=ab.parse_programs(PROGRAMS))
    one, other = (data_of(page) for page in pages)
    assert {**one, "times": None} == {**other, "times": None}
