"""The rows of the benchmark that score and judge populations say what they have measured."""

import pytest

from arcbatt.bench.batts import judged_candidates, scored_population
from arcbatt.bench.measures import Bench
from support.backends import needs_core


@needs_core
def test_the_scoring_of_a_population_is_measured_on_all_its_mutants_and_differs() -> None:
    measure = scored_population(Bench(quick=True))
    assert measure.line().startswith("scoring 600 mutants, 14 differs, one task: ")
    assert "600 mutants of solve_00d62c1b and 14 differs on 5 demo samples" in measure.detail


@pytest.mark.slow
@needs_core
def test_the_judging_of_candidates_is_measured_on_single_edits_of_several_solvers() -> None:
    measure = judged_candidates(Bench(quick=True))
    assert measure.line().startswith("judging a candidate: ")
    assert " candidates of 6 solvers, " in measure.detail
