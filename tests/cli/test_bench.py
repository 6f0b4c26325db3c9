"""`bench`: every backend at every batch size, with its pace and its ratio to the reference."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from arcbatt.bench import (
    archive,
    batches,
    batts,
    columns,
    drop_ins,
    elements,
    evolve,
    measures,
    planning,
    solve,
)
from arcbatt.bench.worst import dearest
from arcbatt.engine.choose import AVAILABLE
from arcbatt.tasks import load_tasks
from support.commands import Command, Write

MODULES = (archive, evolve, solve, measures, elements, planning, batts, drop_ins, columns, dearest)
TASKS = load_tasks("arc1/training")[:3]


def test_bench_tells_paces_and_ratios_of_all_backends_at_all_sizes(
    cli: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in MODULES:
        monkeypatch.setattr(module, "MEASURES", ())
    monkeypatch.setattr(measures, "Bench", lambda quick: SimpleNamespace(tasks=TASKS))
    monkeypatch.setattr(batches, "PROGRAMS", 2)
    monkeypatch.setattr(batches, "SAMPLES", 4)
    monkeypatch.setattr(batches, "SECONDS_IF_QUICK", 1e9)
    monkeypatch.setattr(batches, "TRIES", 1)
    answer = cli("bench", "--quick", "--json", "-")
    assert answer.code == 0
    paces = json.loads(answer.out)["paces"]
    samples = sum(len(task.samples) for task in TASKS)
    names = [name for name in (*AVAILABLE, "cuda") if name in {pace["backend"] for pace in paces}]
    assert names[: len(AVAILABLE)] == list(AVAILABLE)
    assert [(pace["batch"], pace["backend"]) for pace in paces] == [
        (size, name) for size in (1, 10, samples) for name in names
    ]
    reference = {pace["batch"]: pace for pace in paces if pace["backend"] == "reference"}
    for pace in paces:
        mean = pace["evaluations_per_second"] / reference[pace["batch"]]["evaluations_per_second"]
        assert pace["ratio"] == pytest.approx(mean)
        assert pace["agrees"]
        line = f"batch of {pace['batch']}, {pace['backend']}: "
        assert any(told.startswith(line) for told in answer.err.splitlines())


def test_figures_that_are_there_outlive_ctrl_c(
    cli: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def stop(bench: object) -> measures.Measure:
        raise KeyboardInterrupt

    done = measures.Measure("ratio", 2.0, "x", 1.0, True, "a test")
    for module in MODULES:
        monkeypatch.setattr(module, "MEASURES", ())
    monkeypatch.setattr(measures, "Bench", lambda quick: None)
    monkeypatch.setattr(measures, "MEASURES", (lambda bench: done, stop))
    file = tmp_path / "figures.json"
    answer = cli("bench", "--json", file)
    assert answer.code == 130
    assert answer.out == f"{done.line()}\n"
    assert answer.err == "arcbatt: interrupted; this is what was done by then\n"
    data = json.loads(file.read_text())
    assert [measure["name"] for measure in data["measures"]] == ["ratio"]
    assert (data["paces"], data["break_even"], data["interrupted"]) == ([], None, True)


def test_older_figures_stay_when_nothing_is_measured(
    cli: Command, monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    def stop(quick: bool) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(measures, "Bench", stop)
    old = write("old.json", "old")
    assert cli("bench", "--json", old).code == 130
    assert old.read_text() == "old"


def test_figures_of_solve_are_numbers_of_a_set(capsys: pytest.CaptureFixture[str]) -> None:
    tasks = "arc1/training:67a3c6ac,0ca9ddb6,00d62c1b"
    solve.main([tasks, "--half", "odd", "--steps", "500", "4000", "--threads", "1"])
    title, heading, *rows = capsys.readouterr().out.splitlines()
    assert title == f"{tasks}, odd ids: 1 tasks; inputs, then tasks"
    assert heading.split()[:2] == ["budget", "fits"]
    assert [row.split()[:2] for row in rows] == [["500", "steps"], ["4000", "steps"]]
    with pytest.raises(SystemExit):
        solve.main([tasks])


def test_the_worth_of_building_blocks_is_told_by_leaving_them_out(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solve, "BLOCKS", ("completion",))
    solve.main(["arc1/training:67a3c6ac", "--blocks", "500", "--threads", "1"])
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    names = ["nothing", "all blocks", "group completion", "symmetric", "periodic"]
    assert [" ".join(row[1:-5]) for row in rows] == names
    assert [int(row[-2]) for row in rows] == [1] * len(names)  # a mirror needs none of them
    assert int(rows[0][-5]) == 0 < int(rows[-1][-5])


def test_one_command_measures_every_drop_in_and_every_column(
    cli: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in MODULES:
        names = [measure.__name__ for measure in module.MEASURES]
        shown = [lambda _, name=name: measures.Measure(name, 1.0, "x", 1, True, "") for name in names]
        monkeypatch.setattr(module, "MEASURES", tuple(shown))
    monkeypatch.setattr(measures, "Bench", lambda quick: SimpleNamespace(tasks=TASKS))
    monkeypatch.setattr(batches, "PROGRAMS", 1)
    monkeypatch.setattr(batches, "SAMPLES", 1)
    monkeypatch.setattr(batches, "TRIES", 1)
    told = json.loads(cli("bench", "--quick", "--json", "-").out)
    rows = {measure["name"] for measure in told["measures"]}
    wanted = {"direct_calls", "mapped", "environment", "coordinated", "light_ops", "mixture", *columns.NAMES}
    if measures.STATUS.exists():
        wanted |= {"memory_of_environment", "memory_of_coordinator"}
    assert wanted <= rows
