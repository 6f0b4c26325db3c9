"""Scores: exact samples, then the differs' mean; selected by demo samples alone; alone as merged."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.batt.coordinator import MegaBatchCoordinator
from arcbatt.batt.scoring import Score, Scorer, score, select
from arcbatt.engine.backend import FailureMode
from arcbatt.engine.scoring import differs as differs_on_outputs
from arcbatt.errors import ArcbattError
from arcbatt.library import load_library
from arcbatt.program.graph import Program, Style
from arcbatt.tasks import Grid, Sample, Task
from support.backends import needs_core
from support.strategies import grids, mutants, programs, samples, tasks

law = settings(derandomize=True, max_examples=40, database=None)

MIRROR = "67a3c6ac"
MODES: tuple[FailureMode, ...] = ("fail", "default")
SOLVERS = ab.parse_programs(
    """
def as_is(I): return I
def upside_down(I): return hmirror(I)
def mirrored(I): return vmirror(I)
def peeking(S, I, C): return C
def failing(I): return first(difference(I, I))
"""
)
solver_lists = st.lists(programs() | mutants(programs()), min_size=1, max_size=5)


def differs(*bodies: str) -> list[Program]:
    """Differs that return what is given here."""
    text = "\n".join(f"def differ_{k}(S, I, C): return {body}" for k, body in enumerate(bodies))
    return list(ab.parse_programs(text))


def grid(*rows: str) -> Grid:
    return tuple(tuple(map(int, row)) for row in rows)


def one(solver: str, task: Task, *bodies: str) -> Score:
    """The score of a solver, given by what it returns, with some differs."""
    (program,) = ab.parse_programs(f"def solver(S, I, C): return {solver}")
    return score([program], [task], differs(*bodies), pairs="all")["solver", task.id]


@pytest.fixture(scope="module")
def mirror() -> Task:
    return ab.load_tasks("arc1/training")[MIRROR]


@pytest.fixture(scope="module")
def half_right() -> Task:
    """A task of which the first demo and the first test sample are solved by giving back the input."""
    same, other = Sample(grid("12"), grid("12")), Sample(grid("34"), grid("43"))
    return Task("00000001", (same, other, other), (same, other, Sample(grid("5"), None)))


def test_the_right_solver_has_all_samples_and_full_marks(backend: str, mirror: Task) -> None:
    found = score(SOLVERS, [mirror], pairs="all", backend=backend)["mirrored", MIRROR]
    assert (found.demo_exact, found.demo_count) == (3, 3)
    assert (found.test_exact, found.test_count) == (1, 1)
    assert found.mean == 1000
    assert found.failures == {}
    assert repr(found) == f"<mirrored on {MIRROR}: demo 3/3, test 1/1, mean 1000.0>"


FIRST_THAT_DIFFERS = """
def differ_colors(S, I, C):
    x1 = p_g(I)
    x2 = p_g(C)
    x3 = difference_tuple(x1, x2)
    x4 = size(x3)
    x5 = multiply(x4, HUNDRED)
    x6 = subtract(THOUSAND, x5)
    x7 = get_nth_t(x3, F0)
    return astuple(x6, x7)
"""


@pytest.mark.process
@pytest.mark.parametrize("style", ["pile", "guarded", "vectorized", "hybrid"])
def test_a_differ_that_asks_for_the_first_that_differs_scores_the_right_solver_best(
    style: Style, backend: str, mirror: Task, tmp_path: Path
) -> None:
    solvers = ab.parse_programs("def right(I): return vmirror(I)\ndef wrong(I): return canvas(ZERO, UNITY)")
    file = tmp_path / "batt.py"
    file.write_text(ab.batt_source(ab.batt_of(solvers, ab.parse_programs(FIRST_THAT_DIFFERS)), style))
    with MegaBatchCoordinator(str(file), backend=backend) as coordinator:
        (found,) = coordinator.process_batch(coordinator.collect_inputs({mirror.id: mirror})[:1])
    given = {entry[1]: getattr(entry[-1], "t", entry[-1]) for entry in found.s_result}
    assert given == {"None": (1000, ()), "right": (1000, ()), "wrong": (900, 0)}


def test_the_mean_is_over_the_demo_samples_that_are_not_exact(half_right: Task) -> None:
    found = one("I", half_right, "astuple(multiply(HUNDRED, size(palette(I))), I)", "astuple(ONE, I)")
    assert (found.demo_exact, found.demo_count) == (1, 3)
    assert (found.test_exact, found.test_count) == (1, 2)
    assert found.mean == (200 + 1 + 200 + 1) / 4
    assert found.verdicts == (True, False, False, True, False, None)


@pytest.mark.parametrize(
    ("solver", "body", "mean"),
    [
        ("I", "astuple(7, I)", 7.0),
        ("I", "astuple(divide(1, 0), I)", 0.0),
        ("divide(1, 0)", "astuple(7, I)", 7.0),
        ("I", "astuple(7, divide(1, 0))", 7.0),
        ("I", "7", 0.0),
        ("I", "astuple(I, 7)", 0.0),
        ("I", "astuple(5000, I)", 1000.0),
        ("I", "astuple(-5, I)", 0.0),
    ],
)
def test_what_gives_no_score_counts_nothing_and_marks_stay_in_range(
    solver: str, body: str, mean: float, half_right: Task
) -> None:
    assert one(solver, half_right, f"last(astuple(I, {body}))").mean == mean


def test_failures_are_counted_by_kind(mirror: Task) -> None:
    for mode in MODES:
        found = score(SOLVERS, [mirror], pairs="all", on_failure=mode)["failing", MIRROR]
        assert found.failures == {"EMPTY": 4}
        assert (found.mean > 0) == (mode == "default")


def test_a_solver_that_fails_on_its_way_to_the_right_output_is_right(backend: str, mirror: Task) -> None:
    (calling,) = ab.parse_programs(
        "def solve_x(I):\n    x1 = divide(1, 0)\n    x2 = equality(x1, 0)\n"
        "    x3 = branch(x2, vmirror, identity)\n    return x3(I)"
    )
    found = score([calling], [mirror], pairs="all", backend=backend)["solve_x", MIRROR]
    assert (found.demo_exact, found.test_exact, found.mean, found.failures) == (3, 1, 1000, {})
    failed = score([calling], [mirror], pairs="all", backend=backend, on_failure="fail")["solve_x", MIRROR]
    assert (failed.demo_exact, failed.mean, failed.failures) == (0, 0, {"ZERO": 4})


@pytest.mark.slow
@law
@given(solver_lists, tasks(3))
def test_failures_with_defaults_are_those_without_but_for_what_came_out_right(
    backend: str, solvers: list[Program], task: Task
) -> None:
    failing, defaulting = (score(solvers, [task], [], "all", backend, on_failure=mode) for mode in MODES)
    for without, found in zip(failing, defaulting):
        for before, after in zip(without.verdicts, found.verdicts):
            assert after == before or (after is True and isinstance(before, str))


def test_a_solver_does_not_see_the_answer_when_it_is_scored(backend: str, mirror: Task) -> None:
    found = score(SOLVERS, [mirror], pairs="all", backend=backend)["peeking", MIRROR]
    assert found.failures == {"TYPE": 4}
    assert found.demo_exact == 0
    failed = score(SOLVERS, [mirror], pairs="all", backend=backend, on_failure="fail")["peeking", MIRROR]
    assert (failed.failures, failed.mean) == ({"TYPE": 4}, 0)


def test_exact_samples_come_before_the_mean_and_the_mean_breaks_ties(half_right: Task) -> None:
    solvers = ab.parse_programs(
        "def far(I): return I\ndef near(I): return replace(I, 3, 4)\ndef wrong(I): return canvas(4, (5, 5))"
    )
    scores = score(solvers, [half_right], differs("astuple(colorcount(I, 4), C)"), pairs="all")
    ranked = select(scores, 3)[half_right.id]
    assert [(found.program.name, found.demo_exact, found.mean) for found in ranked] == [
        ("near", 1, 2.0),
        ("far", 1, 1.0),
        ("wrong", 0, 25.0),
    ]


def test_pairs_of_their_own_are_scored_by_name(mirror: Task) -> None:
    tasks = ab.load_tasks("arc1/training").pick([MIRROR, "68b16354", "00d62c1b"])
    solvers = ab.parse_programs(
        "def solve_67a3c6ac(I): return vmirror(I)\ndef solve_68b16354(I): return I\ndef idle(I): return I"
    )
    scores = score(solvers, tasks)
    assert [(found.program.name, found.task.id) for found in scores] == [
        ("solve_67a3c6ac", MIRROR),
        ("solve_68b16354", "68b16354"),
    ]
    assert len(scores) == 2
    assert 0 < scores["solve_68b16354", "68b16354"].mean < 1000
    with pytest.raises(ArcbattError, match="no score"):
        scores["idle", MIRROR]


def test_a_differ_whose_name_looks_like_a_task_runs_where_its_solver_does(mirror: Task) -> None:
    named = ab.parse_programs("def differ_00d62c1b(S, I, C): return astuple(7, C)")
    tasks = ab.load_tasks("arc1/training").pick([MIRROR, "00d62c1b"])
    solvers = ab.parse_programs("def solve_67a3c6ac(I): return I\ndef idle(I): return I")
    scores = score(solvers, tasks, named)
    assert [(found.task.id, found.mean) for found in scores] == [(MIRROR, 7)]
    assert scores.baseline["00d62c1b"] == {"differ_00d62c1b": (7,) * 6}


def test_the_baseline_is_what_the_raw_input_gets(backend: str, mirror: Task) -> None:
    scores = score(SOLVERS, [mirror], pairs="all", backend=backend)
    baseline = scores.baseline[MIRROR]
    assert list(baseline) == [differ.name for differ in load_library("differs")]
    assert baseline["differ_shape"] == (1000,) * 4
    shown = [column[: len(mirror.demo)] for column in baseline.values()]
    marks = [mark for column in shown for mark in column if mark is not None]
    assert sum(marks) / len(marks) == scores["as_is", MIRROR].mean


solved_samples = grids(3).flatmap(lambda g: st.sampled_from((Sample(g, g), Sample(g, g[::-1]))))


@pytest.mark.slow
@law
@given(
    solver_lists.map(lambda found: [*SOLVERS, *found]),
    tasks(3),
    st.lists(samples(3) | solved_samples, max_size=3),
    st.randoms(use_true_random=False),
)
def test_the_selection_depends_on_demo_samples_alone(
    solvers: list[Program], task: Task, test: list[Sample], random: Random
) -> None:
    some = load_library("differs")[:3]
    chosen = select(score(solvers, [task], some, pairs="all"), 3)[task.id]
    shuffled = random.sample(solvers, len(solvers))
    again = select(score(shuffled, [replace(task, test=tuple(test))], some, pairs="all"), 3)[task.id]
    assert [found.program.hash for found in again] == [found.program.hash for found in chosen]
    assert [found.rank[:2] for found in again] == [found.rank[:2] for found in chosen]


@pytest.mark.slow
@law
@given(solver_lists, tasks(3), st.sampled_from(("fail", "default")))
def test_a_score_is_what_the_program_gets_alone(
    backend: str, solvers: list[Program], task: Task, mode: FailureMode
) -> None:
    own = differs("astuple(size(S), C)", "astuple(size(first(I)), I)", "astuple(size(C), divide(1, 0))")
    for found in score(solvers, [task], own, "all", backend, on_failure=mode):
        scorer = Scorer(tuple(own), backend, on_failure=mode)
        assert scorer.alone(found.program, task) == found
        assert scorer.confirmed(found) is found


@pytest.mark.slow
@settings(law, max_examples=15)
@given(solver_lists, st.lists(tasks(3), min_size=2, max_size=3, unique_by=lambda task: task.id))
def test_scores_do_not_depend_on_backend_threads_or_order(solvers: list[Program], tasks: list[Task]) -> None:
    expected = list(score(solvers, tasks, pairs="all", backend="reference"))
    assert list(score(solvers, tasks, pairs="all", threads=2)) == expected
    turned = list(score(solvers, tasks[::-1], pairs="all"))
    assert sorted(turned, key=repr) == sorted(expected, key=repr)


@needs_core
@pytest.mark.parametrize("mode", MODES)
def test_scores_on_a_device_are_those_on_the_cpu(mode: FailureMode, mirror: Task) -> None:
    on_device, on_cpu = (
        score(SOLVERS, [mirror], load_library("differs")[:4], "all", name, on_failure=mode)
        for name in ("emulated", "native")
    )
    assert list(on_device) == list(on_cpu)


@pytest.mark.slow
def test_scores_do_not_depend_on_the_outputs_that_are_kept_at_a_time(
    backend: str, mirror: Task, half_right: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [mirror, half_right, replace(half_right, id="00000002")]
    expected = list(score(SOLVERS, tasks, pairs="all", backend=backend))
    for most in (1, 2 * len(SOLVERS) + 1):
        monkeypatch.setattr(differs_on_outputs, "MOST_OUTPUTS", most)
        assert list(score(SOLVERS, tasks, pairs="all", backend=backend)) == expected


def test_a_run_of_scoring_counts_what_it_did(backend: str, half_right: Task) -> None:
    some = differs("astuple(1, C)", "astuple(size(I), C)")
    stats = score(SOLVERS, [half_right], some, "all", backend).stats
    # On each demo sample some solvers are exact; the others give a grid, `()`, and in one case nothing.
    assert stats.evaluations == len(SOLVERS) * 6 + len(some) * 3 * 3
    assert (stats.tasks, stats.programs, stats.failures["EMPTY"]) == (1, len(SOLVERS), 6)


def test_a_score_that_does_not_hold_alone_is_refused(mirror: Task) -> None:
    scores = score(SOLVERS, [mirror], pairs="all")
    found = scores["as_is", MIRROR]
    for wrong in (found._replace(mean=999.0), found._replace(verdicts=(True, True, True, True))):
        with pytest.raises(ArcbattError, match="does not hold"):
            scores.scorer.confirmed(wrong)


def test_the_best_are_selected_for_each_task_and_a_program_only_once() -> None:
    tasks = ab.load_tasks("arc1/training").pick(["68b16354", MIRROR])
    namesakes = ab.parse_programs("def also_mirrored(I): return vmirror(I)")
    chosen = select(score([*SOLVERS, *namesakes], tasks, pairs="all"), 2)
    assert {task_id: [found.program.name for found in best] for task_id, best in chosen.items()} == {
        MIRROR: ["also_mirrored", "as_is"],
        "68b16354": ["upside_down", "as_is"],
    }
    assert list(chosen) == sorted(chosen)
    assert select([], 2) == {}


def test_a_task_without_demo_samples_and_a_scorer_without_differs() -> None:
    task = Task("00000001", (), (Sample(grid("1"), grid("2")),))
    found = score(SOLVERS[:1], [task], pairs="all")["as_is", task.id]
    assert (found.demo_exact, found.demo_count, found.mean) == (0, 0, 1000)
    bare = score(SOLVERS[:1], [Task("00000001", task.test, ())], [], pairs="all")["as_is", task.id]
    assert (bare.demo_exact, bare.demo_count, bare.mean) == (0, 1, 0)


def test_wrong_settings_are_refused_in_a_sentence(mirror: Task) -> None:
    (differ,) = differs("astuple(1, 2)")
    with pytest.raises(ArcbattError, match="'fail' or 'default'"):
        score(SOLVERS, [mirror], on_failure="pile")
    with pytest.raises(ArcbattError, match="expected a solver, got the differ differ_0"):
        score([differ], [mirror])
    with pytest.raises(ArcbattError, match="expected a differ, got the solver as_is"):
        score(SOLVERS, [mirror], SOLVERS)
    assert len(Scorer((differ, differ)).differs) == 1
