"""Candidates judged on one task: verdicts, scores, marks and behaviours, the same on every backend."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.dsl.contract import BEST_SCORE, EXACT
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.values import Value
from arcbatt.engine.backend import FailureMode
from arcbatt.engine.behaviour import behaviour_of, digest_of
from arcbatt.engine.candidates import CandidateJudge, Judgements
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Program
from arcbatt.tasks import Sample, Task
from arcbatt.testing.values import random_value
from support.backends import HERE, needs_core
from support.strategies import any_value, functions, mutants, programs, tasks

law = settings(derandomize=True, max_examples=30, database=None)
MODES: tuple[FailureMode, ...] = ("fail", "default")
TASK = Task(
    "00000001",
    (Sample(((1, 2), (3, 4)), ((2, 1), (4, 3))), Sample(((5, 5), (0, 5)), ((5, 5), (5, 0)))),
    (Sample(((7, 8),), ((8, 7),)), Sample(((7, 9),), None)),
)
SOLVERS = ab.parse_programs(
    """
def right(I): return vmirror(I)
def right_again(I): return hmirror(rot180(I))
def same(I): return I
def failing(I): return divide(1, 0)
def failing_otherwise(I): return add(I, vmirror)
def function(I): return compose(vmirror, rbind(lbind(fill, I), 1))
def objects_of(I): return objects(I, T, F, F)
def peeking(S, I, C): return C
def peeking_deeper(S, I, C): return vmirror(vmirror(C))
"""
)
DIFFERS = ab.parse_programs(
    """
def differ_height(S, I, C): return astuple(height(I), C)
def differ_equal(S, I, C): return astuple(multiply(700, equality(I, C)), I)
def differ_large(S, I, C): return astuple(5000, I)
"""
)


def judged(
    solvers: list[Program] | tuple[Program, ...],
    task: Task = TASK,
    backend: str = "native",
    **settings: object,
) -> Judgements:
    """Solvers judged as candidates."""
    return CandidateJudge(task, backend=backend, **settings).judge([solver.root for solver in solvers])  # type: ignore[arg-type]


def outcomes_of(program: Program, task: Task, on_failure: FailureMode) -> list[Value | Failure]:
    """What the reference says that a program gives."""
    results = ab.run(program, task, "all", "reference", on_failure=on_failure)
    return list(results[program, task].outputs)


@pytest.mark.parametrize("backend", HERE)
@pytest.mark.parametrize("on_failure", MODES)
def test_candidates_are_judged_as_a_run_judges_them(backend: str, on_failure: FailureMode) -> None:
    found = judged(SOLVERS, backend=backend, on_failure=on_failure)
    results = ab.run(SOLVERS, TASK, "all", "reference", on_failure=on_failure, partial_scores=True)
    record = results.records[TASK.id]
    assert len(found) == len(SOLVERS)
    assert (found.verdicts == record.table()).all()
    for place, solver in enumerate(SOLVERS):
        outcome = results[solver, TASK]
        assert found.score[place] == sum(score or 0 for score in outcome.scores[:2])
        assert found.demo_exact[place] == outcome.demo.count(True)
        assert found.fits[place] == (outcome.demo == (True, True))
        assert found.failed[place] == sum(outcome.failures.values())
        assert found.behaviour[place] == behaviour_of(outcomes_of(solver, TASK, on_failure))
        assert (found.test[place] == EXACT).tolist() == [exact is True for exact in outcome.test]


@pytest.mark.parametrize("backend", HERE)
def test_programs_with_equal_outputs_have_one_behaviour(backend: str) -> None:
    found = judged(SOLVERS, backend=backend).behaviour.tolist()
    right, right_again, same, failing, otherwise, function, objects_of, peeking, deeper = found
    assert right == right_again
    assert peeking == deeper == otherwise  # C is withheld, which is a failure of TYPE, too
    assert len({right, same, failing, otherwise, function, objects_of}) == 6


@pytest.mark.parametrize("backend", HERE)
def test_outputs_on_test_samples_are_part_of_a_behaviour(backend: str) -> None:
    near = ab.parse_programs("def near(I): return branch(equality(width(I), 2), hmirror(hmirror(I)), I)")
    wide = Task("00000001", TASK.demo, (Sample(((1, 2, 3),), None),))
    other = ab.parse_programs("def other(I): return branch(equality(width(I), 2), I, vmirror(I))")
    one, two = judged([*near, *other], wide, backend).behaviour
    assert one != two
    one, two = judged([*near, *other], Task("00000001", TASK.demo, ()), backend).behaviour
    assert one == two


@pytest.mark.parametrize("backend", HERE)
def test_expected_outputs_of_test_samples_change_only_what_is_said_of_them(backend: str) -> None:
    blind = Task(TASK.id, TASK.demo, tuple(Sample(sample.input, None) for sample in TASK.test))
    seeing, unseeing = (judged(SOLVERS, task, backend, differs=DIFFERS) for task in (TASK, blind))
    for name in ("demo", "demo_exact", "fits", "failed", "score", "behaviour", "marks"):
        assert (getattr(seeing, name) == getattr(unseeing, name)).all(), name
    assert (seeing.test != unseeing.test).any()


@pytest.mark.parametrize("backend", HERE)
@pytest.mark.parametrize("on_failure", MODES)
def test_differs_mark_the_demo_samples_that_are_not_exact(backend: str, on_failure: FailureMode) -> None:
    found = judged(SOLVERS, backend=backend, differs=DIFFERS, on_failure=on_failure)
    marks = dict(zip([solver.name for solver in SOLVERS], found.marks.tolist()))
    assert marks["right"] == 2 * 3 * 1000  # exact
    assert marks["same"] == 2 * (2 + 0 + 1000)  # a mark is at most 1000
    if on_failure == "fail":
        assert marks["failing"] == 0
    without = judged(SOLVERS, backend=backend, on_failure=on_failure)
    assert not without.marks.any()
    assert (found.score == without.score).all()
    assert (found.behaviour == without.behaviour).all()


@needs_core
@law
@given(st.lists(any_value() | functions(1), min_size=1, max_size=12))
def test_digests_of_values_are_equal_on_all_backends(values: list[Value]) -> None:
    task = Task("00000001", (), tuple(Sample(value, None) for value in values))  # type: ignore[arg-type]
    same = ab.parse_programs("def same(I): return I")
    for backend in HERE:
        assert judged(same, task, backend).behaviour.tolist() == [behaviour_of(values)], backend


@needs_core
def test_digests_do_not_depend_on_how_a_value_was_made() -> None:
    """Wide and narrow grids, rows, pairs, cells and Sets, each also as part of a larger value."""
    random = Random(5)
    kinds = ("Grid0", "Indices", "Object", "Objects", "IntegersT", "Fn1", "Cell", "IJ", "Integers", "Any")
    values = [random_value(random, kind) for kind in kinds for _ in range(40)]
    rebuilt = ab.parse_programs(
        "def same(I): return I\ndef rebuilt(I): return first(astuple(I, 300))\n"
        "def searched(I): return last(totuple(insert(I, initset(-1))))"
    )
    task = Task("00000001", (), tuple(Sample(value, None) for value in values))  # type: ignore[arg-type]
    same, again, _ = judged(rebuilt, task).behaviour.tolist()
    assert same == again == behaviour_of(values)


@needs_core
def test_rows_of_every_length_have_one_digest_on_all_backends() -> None:
    """Eight Integers that fit bytes are a word: rows, pairs and grids at the edges of both."""
    rows = [tuple((5 * k + length) % 11 - 1 for k in range(length)) for length in range(1, 27)]
    edges = [(-128, 127), (-129, 127), (128, 0), (127,) * 9, (128,) * 9, (-128,) * 8, (0,) * 16, (0,) * 17]
    values: list[Value] = [
        *rows,
        *edges,
        *((row, row) for row in (*rows, *edges)),
        ((), ()),
        (rows[3], edges[1][:1]),
    ]
    values += [((1, 2), (300, 4)), (((1, 2), (3, 4)), 5), frozenset({(127, 0), (-128, 1), (128, 2)})]
    task = Task("00000001", (), tuple(Sample(value, None) for value in values))  # type: ignore[arg-type]
    same = ab.parse_programs("def same(I): return I")
    for backend in HERE:
        assert judged(same, task, backend).behaviour.tolist() == [behaviour_of(values)], backend
    assert len({digest_of(value) for value in values}) == len(values)


def test_different_values_have_different_digests() -> None:
    values = [0, 1, -1, (), frozenset(), (0,), (0, 0), ((0,),), ((), ()), frozenset({0}), (0, 1), (1, 0)]
    values += [((1, 2), (3, 4)), ((1, 2, 3, 4),), ((1,), (2,), (3,), (4,)), (1, (2, 3)), ab.fn("first")]
    values += [ab.fn("last"), ab.fn("compose", ab.fn("first"), ab.fn("last"))]
    assert len({digest_of(value) for value in values}) == len(values)


@needs_core
@law
@given(
    st.lists(programs() | mutants(programs()), min_size=1, max_size=6),
    tasks(),
    st.sampled_from(MODES),
    st.booleans(),
)
def test_random_programs_are_judged_alike_on_all_backends(
    solvers: list[Program], task: Task, on_failure: FailureMode, with_differs: bool
) -> None:
    differs = DIFFERS if with_differs else ()
    found = [judged(solvers, task, backend, on_failure=on_failure, differs=differs) for backend in HERE]
    for one in found[1:]:
        assert one.found[:3] == found[0].found[:3]
        assert (one.marks == found[0].marks).all()


@pytest.mark.parametrize("backend", HERE)
def test_an_own_op_runs_and_may_be_part_of_an_output(backend: str) -> None:
    @ab.register_op
    def painted(grid: "Grid", color: "Integer") -> "Grid":  # type: ignore[name-defined]  # noqa: F821
        return tuple(tuple(color for _ in row) for row in grid)

    try:
        solvers = ab.parse_programs(
            "def own(I): return painted(I, 3)\ndef partial(I): return lbind(painted, I)"
        )
        expected = [behaviour_of(outcomes_of(solver, TASK, "fail")) for solver in solvers]
        assert judged(solvers, backend=backend).behaviour.tolist() == expected
    finally:
        ab.unregister_op("painted")


@pytest.mark.parametrize("backend", HERE)
def test_a_candidate_with_an_op_that_is_gone_is_refused(backend: str) -> None:
    @ab.register_op
    def gone(grid: "Grid") -> "Grid":  # type: ignore[name-defined]  # noqa: F821
        return grid

    text = "def run(I): return gone(I)\ndef held(I): return apply(gone, initset(I))"
    solvers = ab.parse_programs(text)
    ab.unregister_op("gone")
    for solver in solvers:
        with pytest.raises(ArcbattError, match="uses the op 'gone', which is not registered any more"):
            judged([solver], backend=backend)


@pytest.mark.parametrize("backend", HERE)
def test_no_candidates_are_judged_too_and_so_is_a_task_without_demo_samples(backend: str) -> None:
    judge = CandidateJudge(TASK, backend=backend, differs=DIFFERS)
    assert len(judge.judge([])) == 0
    assert judge.judge([]).marks.tolist() == []
    lone = judged(SOLVERS[:1], Task("00000001", (), TASK.test), backend, differs=DIFFERS)
    assert (lone.fits.tolist(), lone.score.tolist(), lone.marks.tolist()) == ([False], [0], [0])


@pytest.mark.parametrize("backend", HERE)
def test_candidates_on_a_task_without_samples_are_alike_and_fit_nowhere(backend: str) -> None:
    found = judged(SOLVERS[:2], Task("00000001", (), ()), backend, differs=DIFFERS)
    assert found.behaviour.tolist() == [behaviour_of([])] * 2
    assert found.verdicts.shape == (2, 0)
    for name in ("fits", "demo_exact", "failed", "score", "marks"):
        assert getattr(found, name).tolist() == [0, 0], name


@pytest.mark.parametrize("backend", HERE)
def test_the_limits_are_those_that_the_judge_is_given(backend: str) -> None:
    right = SOLVERS[:1]
    assert judged(right, backend=backend).fits.tolist() == [True]
    assert judged(right, backend=backend, limits=ab.Limits(work=3)).failed.tolist() == [4]


def test_what_cannot_be_judged_by_is_refused() -> None:
    with pytest.raises(ArcbattError, match="on_failure: expected one of fail, default, got 'pile'"):
        CandidateJudge(TASK, on_failure="pile")
    with pytest.raises(ArcbattError, match="same is a solver; a differ is wanted here"):
        CandidateJudge(TASK, differs=[solver for solver in SOLVERS if solver.name == "same"])


def test_an_exact_candidate_has_the_best_score() -> None:
    best = judged(SOLVERS[:1]).score
    assert best.tolist() == [len(TASK.demo) * BEST_SCORE]
    assert best.dtype == np.intp
