"""Differs on outputs: one run for each distinct output of a sample, the same on every backend."""

from array import array
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.dsl.contract import EXACT, NO_SCORE, Judging
from arcbatt.engine.backend import NO_OUTPUT, Backend, FailureMode, Job, RunOptions, SolverScores
from arcbatt.engine.choose import choose
from arcbatt.engine.plan import plan, plan_for_outputs
from arcbatt.engine.records.verdicts import with_failures
from arcbatt.program.graph import Program
from arcbatt.tasks import Sample, Task
from support.backends import HERE, needs_core
from support.strategies import mutants, programs, tasks

law = settings(derandomize=True, max_examples=40, database=None)
MODES: tuple[FailureMode, ...] = ("fail", "default")

TASK = Task(
    "00000001",
    (Sample(((1, 2), (3, 4)), ((2, 1), (4, 3))), Sample(((5, 5), (0, 5)), ((5, 5), (5, 0)))),
    (Sample(((7, 8),), ((8, 7),)),),
)
# Equal outputs by different ways: grids, a wide grid, Sets in Sets, a function, failures.
SOLVERS = ab.parse_programs(
    """
def right(I): return vmirror(I)
def same(I): return I
def same_again(I): return hmirror(hmirror(I))
def wide(I): return canvas(1000, (2, 2))
def wide_again(I): return replace(canvas(999, (2, 2)), 999, 1000)
def nested(I): return objects(I, T, F, F)
def nested_again(I): return objects(hmirror(hmirror(I)), T, F, F)
def function(I): return compose(vmirror, lbind(fill, I))
def number(I): return ZERO
def peeking(S, I, C): return C
def failing(I): return divide(1, 0)
def failing_in_a_call(I): return objects(first(I), T, F, F)
"""
)
DIFFERS = ab.parse_programs(
    """
def differ_size(S, I, C): return astuple(size(I), C)
def differ_with_samples(S, I, C): return astuple(add(size(S), size(merge(I))), I)
def differ_of_the_answer(S, I, C): return astuple(size(merge(C)), S)
def differ_itself(S, I, C): return I
def differ_failing(S, I, C): return astuple(divide(7, subtract(size(I), 2)), I)
"""
)


def scored(
    backend: Backend, solvers: Sequence[Program], differs: Sequence[Program], task: Task, mode: FailureMode
) -> SolverScores:
    """The outcome of scoring all samples of a task."""
    wanted = [range(len(solvers))]
    job = Job(plan(solvers), [Judging.as_whole] * len(solvers), [task], wanted, RunOptions(on_failure=mode))
    (found,) = backend.score(job, [len(task.samples)], plan_for_outputs(differs))
    return found


def by_solver(found: SolverScores, solvers: int, differs: int, samples: int) -> list[list[list[int] | None]]:
    """For each solver and sample the scores of its output; None where it is exact."""
    numbers = array("I", found.outputs)
    tables = [array("i", scores) for scores in found.scores]
    table: list[list[list[int] | None]] = []
    for solver in range(solvers):
        row: list[list[int] | None] = []
        for sample, scores in enumerate(tables):
            number, outputs = numbers[solver * samples + sample], len(scores) // max(differs, 1)
            row.append(
                None if number == NO_OUTPUT else [scores[k * outputs + number] for k in range(differs)]
            )
        table.append(row)
    return table


@pytest.mark.parametrize("mode", MODES)
def test_a_differ_runs_once_for_each_distinct_output(backend: str, mode: FailureMode) -> None:
    found = scored(choose(backend)[0], SOLVERS, DIFFERS, TASK, mode)
    numbers = array("I", found.outputs)
    first = [numbers[3 * place] for place in range(len(SOLVERS))]
    output = dict(zip((solver.name for solver in SOLVERS), first))
    assert output["right"] == NO_OUTPUT
    assert output["same"] == output["same_again"]
    assert output["wide"] == output["wide_again"]
    assert output["nested"] == output["nested_again"]
    # Without defaults all failures are one output; with them `failing` gives 0, as `number` does.
    alike = {"fail": ("peeking", "failing", "failing_in_a_call"), "default": ("number", "failing")}[mode]
    assert len({output[name] for name in alike}) == 1
    distinct = len({number for number in first if number != NO_OUTPUT})
    assert max(number for number in first if number != NO_OUTPUT) == distinct - 1
    assert len(found.scores[0]) == 4 * distinct * len(DIFFERS)


@needs_core
@pytest.mark.parametrize("mode", MODES)
def test_scores_of_outputs_are_equal_on_all_backends(mode: FailureMode) -> None:
    reference, *others = (scored(choose(name)[0], SOLVERS, DIFFERS, TASK, mode) for name in HERE)
    shape = len(SOLVERS), len(DIFFERS), len(TASK.samples)
    for other in others:
        assert other.verdicts == reference.verdicts
        assert by_solver(other, *shape) == by_solver(reference, *shape)


@law
@given(
    st.lists(programs() | mutants(programs()), min_size=1, max_size=6),
    tasks(3),
    st.sampled_from(MODES),
)
def test_a_differ_on_an_output_equals_the_differ_with_the_solver_inside(
    backend: str, solvers: list[Program], task: Task, mode: FailureMode
) -> None:
    batt = ab.batt_of([*solvers, *SOLVERS], DIFFERS)
    both: tuple[FailureMode, ...] = (mode, "fail")
    record, failing = (ab.run(batt, task, "all", backend, on_failure=each).records[task.id] for each in both)
    solving = [program for program in batt if program.kind == "solver"]
    shape = len(solving), len(DIFFERS), len(task.samples)
    found = scored(choose(backend)[0], solving, DIFFERS, task, mode)
    in_mode, failed = (each.verdicts[: len(found.verdicts)] for each in (record, failing))
    assert found.verdicts == with_failures(in_mode, range(len(solving)), failed, len(task.samples))
    scores = array("i", record.scores)
    inside = {program.name: place for place, program in enumerate(batt)}
    for solver, row in zip(solving, by_solver(found, *shape)):
        for sample, marks in enumerate(row):
            places = [inside[f"{differ.name}({solver.name})"] for differ in DIFFERS]
            expected = [scores[place * len(task.samples) + sample] for place in places]
            is_exact = record.codes(inside[solver.name])[sample] == EXACT
            assert marks == (None if is_exact else expected)


def test_a_differ_has_an_account_of_its_own(backend: str) -> None:
    (solver,) = ab.parse_programs("def solver(I): return hmirror(hmirror(I))")
    (differ,) = ab.parse_programs("def differ_x(S, I, C): return astuple(size(hmirror(I)), C)")
    work = 2 * 112 + 8  # two mirrorings of a grid of 2 x 2, as docs/language.md has their cost
    job = Job(plan([solver]), [Judging.as_whole], [TASK], [[0]], RunOptions(ab.Limits(work=work)))
    (found,) = choose(backend)[0].score(job, [1], plan_for_outputs([differ]))
    assert array("i", found.scores[0]).tolist() == [2]
    within = ab.batt_of([solver], [differ])
    record = ab.run(within, TASK, "all", backend, limits=ab.Limits(work=work)).records[TASK.id]
    assert array("i", record.scores)[-3] == NO_SCORE


def test_nothing_to_score_is_fine(backend: str) -> None:
    chosen = choose(backend)[0]
    exact = scored(chosen, SOLVERS[:1], DIFFERS, TASK, "fail")
    assert exact == SolverScores(bytes([EXACT] * 3), array("I", [NO_OUTPUT] * 3).tobytes(), [b"", b"", b""])
    without = scored(chosen, SOLVERS[1:2], [], TASK, "fail")
    assert without.scores == [b"", b"", b""]
    job = Job(plan(SOLVERS), [Judging.as_whole] * len(SOLVERS), [TASK], [[]], RunOptions())
    (nobody,) = chosen.score(job, [2], plan_for_outputs(DIFFERS))
    assert (nobody.verdicts, nobody.outputs) == (b"", b"")
