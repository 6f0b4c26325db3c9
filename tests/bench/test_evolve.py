"""The rows of the benchmark that repair damaged solvers damage them, and say what they have measured."""

import pytest

from arcbatt.bench import evolve
from arcbatt.bench.measures import Bench
from arcbatt.engine.run import run
from support.backends import needs_core


@pytest.mark.slow
@needs_core
def test_damaged_solvers_are_wrong_and_repaired_ones_are_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evolve, "DAMAGED_IF_QUICK", 3)
    bench = Bench(quick=True)
    for program, task in evolve.damaged(bench, 2):
        assert not all(run(program, task, "all")[program, task].demo)
        assert len(program.changes) == 2
    measure = evolve.one_mutation(bench)
    assert measure.line().startswith("solvers repaired after 1 mutation: ")
    assert "of 3 within 1 CPU-s each" in measure.detail
