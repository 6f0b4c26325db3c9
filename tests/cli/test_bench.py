"""`bench`: every backend at every batch size, with its pace and its ratio to the reference."""

import json
from types import SimpleNamespace

import pytest

from arcbatt.bench import batches, batts, drop_ins, measures
from arcbatt.engine.backend import AVAILABLE
from arcbatt.tasks import load_tasks
from cli.commands import Command

TASKS = load_tasks("arc1/training")[:3]


def test_bench_tells_paces_and_ratios_of_all_backends_at_all_sizes(
    cli: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (measures, batts, drop_ins):
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
