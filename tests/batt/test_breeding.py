"""How solvers are drawn, how differs are ranked, and how a batt and its solvers are the same for a seed."""

from collections import Counter
from random import Random

import numpy as np
import pytest

import arcbatt as ab
from arcbatt.engine.candidates import CandidateJudge
from arcbatt.engine.scoring.differs import every_mark
from arcbatt.library import load_library
from arcbatt.program.graph import KeptScore, KeptSum
from arcbatt.program.kept.score_forms import historical_time, in_means, in_sums, seconds_of_historical
from arcbatt.search.breed.differ_ranking import Agreement, halves_right
from arcbatt.search.breed.drawing import Drawing, drawn, scores_of_kept, weight_of
from arcbatt.search.breed.rounds import BreedSettings, Rounds
from arcbatt.search.breed.state import RankedDiffer, state_from


def test_what_has_more_weight_is_drawn_more_often_and_each_once() -> None:
    firsts = Counter(drawn("abc", [1, 1, 8], 3, Random(seed))[0] for seed in range(2000))
    assert 0.75 < firsts["c"] / 2000 < 0.85
    assert sorted(drawn("abc", [1, 1, 8], 3, Random(0))) == ["a", "b", "c"]


def kept(name: str, score: KeptScore | None) -> ab.Program:
    (solver,) = ab.parse_programs(f"def solve_67a3c6ac_{name}(I): return rot90(I)")
    return solver.altered(kept=score)


def test_scores_of_both_forms_are_compared() -> None:
    task = ab.load_tasks("67a3c6ac")[0]  # four samples
    solvers = [kept("a", KeptScore(750, 12)), kept("b", KeptSum(3, 17)), kept("c", None)]
    assert scores_of_kept(solvers, {task.id: task}) == [750, 750, None]
    assert scores_of_kept(solvers[1:2], {}) == [1000]  # the best that is known of the task


def test_better_solvers_are_drawn_more_often_by_score_and_all_alike_evenly() -> None:
    solvers = [kept("a", KeptScore(1000, 1)), kept("b", KeptScore(500, 1)), kept("c", KeptScore(0, 1))]

    def first(by: str, seed: int) -> str:
        return Drawing(by, seed).solvers(solvers, 1, {})[0].name[-1]  # type: ignore[arg-type]

    by_score = Counter(first("score", seed) for seed in range(1000))
    assert by_score["a"] > 3 * by_score["b"] > by_score["c"]
    evenly = Counter(first("even", seed) for seed in range(1000))
    assert min(evenly.values()) > 250
    assert {first("first", seed) for seed in range(10)} == {"a"}
    assert weight_of(0) == 1


def test_without_a_way_the_scores_decide_where_there_are_some() -> None:
    scored = [kept(letter, KeptScore(score, 1)) for letter, score in zip("abcd", (0, 0, 0, 1000))]
    assert Drawing(None, 1).solvers(scored, 1, {})[0] is scored[3]
    plain = [kept(letter, None) for letter in "abcd"]
    assert Drawing(None, 1).solvers(plain, 1, {}) == plain[:1]


@pytest.mark.parametrize(("score", "time", "samples"), [(3, 17, 4), (0, 5, 3), (7, 11, 7), (1, 20, 2)])
def test_the_historical_form_is_the_same_there_and_back(score: int, time: int, samples: int) -> None:
    ours = in_means(KeptSum(score, time), samples)
    assert in_sums(ours.score, ours.time, samples) == (score, time)


def test_a_larger_historical_time_is_faster() -> None:
    times = [historical_time(seconds) for seconds in (100, 2, 0.5, 0.01, 0.0001)]
    assert times == sorted(times)
    assert historical_time(0) > times[-1]
    assert all(historical_time(seconds_of_historical(time)) == time for time in range(-3, 25))


def test_a_differ_that_tells_nothing_apart_has_500_and_the_truth_itself_1000() -> None:
    chance = np.random.default_rng(1)
    parts = np.repeat(chance.integers(0, 1000, 40)[:, None], 3, axis=1)  # as near on every sample
    marks = np.stack([parts, np.zeros_like(parts), 1000 - parts, chance.integers(0, 1000, parts.shape)])
    agreement = Agreement(4)
    agreement.add(marks, parts)
    scores = agreement.scores()
    assert scores is not None
    assert scores[:3] == [1000, 500, 0]
    assert 400 < scores[3] < 600


def test_the_sample_that_is_held_out_has_no_say() -> None:
    parts = np.array([[900, 100], [100, 900]])
    # The differ sees what is right on each sample, but not what the other sample will show.
    assert halves_right(parts[None], parts) == ([0], 2)


def test_a_task_with_one_demo_sample_tells_nothing_of_differs() -> None:
    agreement = Agreement(1)
    agreement.add(np.array([[[900], [100]]]), np.array([[900], [100]]))
    assert agreement.scores() is None


def test_the_differs_of_the_library_rank_solvers_better_than_chance() -> None:
    solvers = [solver.root for solver in load_library("solvers")][:60]
    differs = load_library("differs")
    agreement = Agreement(len(differs))
    for task in ab.load_tasks("67a3c6ac,a416b8f3,9dfd6313,5582e5ca"):
        found = CandidateJudge(task, "default", differs=differs).judge(solvers).found
        demos = len(task.demo)
        marks = every_mark(found.outputs, found.marks, len(solvers), demos, len(differs))
        parts = np.frombuffer(found.scores, np.intc).reshape(len(solvers), -1)[:, :demos]
        agreement.add(marks, np.maximum(parts, 0))
    scores = dict(zip((differ.name for differ in differs), agreement.scores() or ()))
    assert scores["differ_cells"] > 700
    assert sum(score > 500 for score in scores.values()) > len(scores) / 2


def test_no_score_of_a_round_depends_on_test_samples() -> None:
    tasks = list(ab.load_tasks("67a3c6ac,a416b8f3"))
    blind = [
        ab.Task(task.id, task.demo, tuple(ab.Sample(sample.input, ((0,),)) for sample in task.test))
        for task in tasks
    ]
    settings = BreedSettings(count=2, mutants=3, keep=4, differs=2)
    solvers = [solver for solver in load_library("solvers") if solver.task_id != "67a3c6ac"][:30]
    differs = [RankedDiffer(differ, None) for differ in load_library("differs")]
    found = []
    for given in (tasks, blind):
        rounds = Rounds(given, settings, 1)
        state, _ = rounds.begin(solvers, differs, 5)
        for _ in range(2):
            state, _ = rounds.next(state)
        found.append(
            [
                [(each.program.hash, each.exact, each.parts) for each in population]
                for population in state.populations.values()
            ]
            + [[(each.program.hash, each.score) for each in state.differs]]
        )
        assert state_from(state.text()).text() == state.text()
    assert found[0] == found[1]


def test_each_behaviour_is_kept_once_and_the_smallest_program_stays() -> None:
    (task,) = ab.load_tasks("67a3c6ac")
    solvers = ab.parse_programs(
        """
def long(I): return hmirror(hmirror(vmirror(I)))
def short(I): return vmirror(I)
def other(I): return hmirror(I)
"""
    )
    state, _ = Rounds([task], BreedSettings(), 1).begin(solvers, [], 1)
    assert [each.program.root for each in state.populations[task.id]] == [solvers[1].root, solvers[2].root]
