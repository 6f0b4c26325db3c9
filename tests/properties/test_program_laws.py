"""Programs: merging and staging change nothing, and source text comes back as the same graph."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.dsl.failures import Failure, OpFailed
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.machine import Machine, room_for
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.values import Value, judgement
from arcbatt.engine.backend import RunOptions
from arcbatt.engine.backends.reference import Evaluator, result_type
from arcbatt.engine.plan import plan
from arcbatt.program.graph import Node, Program
from arcbatt.program.merge import WITHHELD
from arcbatt.tasks import Sample, Task
from support.strategies import mutants, programs, tasks

law = settings(derandomize=True, max_examples=40, database=None)
quick = settings(law, max_examples=100)

LIMITS = Limits(items=20_000, calls=2_000, depth=40)
TIGHT = Limits(items=1_500, calls=60, depth=6)
Outcome = Value | Failure


options = st.builds(RunOptions, st.sampled_from((LIMITS, TIGHT)), st.sampled_from(("fail", "default")))

all_programs = st.one_of(
    programs(),
    programs(kind="differ"),
    programs(well_typed=False),
    programs(well_typed=False, kind="differ"),
    mutants(programs()),
)
batts = st.lists(all_programs, min_size=2, max_size=6).map(ab.merge)
task_lists = st.lists(tasks(3), min_size=1, max_size=2, unique_by=lambda task: task.id)


def outcomes(
    programs: Iterable[Program], tasks: list[Task], options: RunOptions
) -> list[list[tuple[Outcome, ...]]]:
    """For each task and program what it gives on each sample, all run as one batt."""
    whole = plan(programs)
    evaluator = Evaluator(whole, range(len(whole.roots)), options)
    return [list(zip(*evaluator.run_task(task))) for task in tasks]


@pytest.mark.slow
@law
@given(batts, task_lists, options)
def test_a_merged_program_gives_what_it_gives_alone(batt: ab.Batt, tasks: list[Task], options: RunOptions):
    alone = [[outcomes([program], [task], options)[0][0] for program in batt] for task in tasks]
    assert outcomes(batt, tasks, options) == alone


@pytest.mark.slow
@law
@given(batts, task_lists, options)
def test_a_merged_program_is_judged_as_it_is_alone(
    backend: str, batt: ab.Batt, tasks: list[Task], options: RunOptions
):
    arguments = {
        "pairs": "all",
        "backend": backend,
        "on_failure": options.on_failure,
        "limits": options.limits,
    }
    merged = ab.run(batt, tasks, **arguments)
    for program in batt:
        alone = ab.run(program, tasks, **arguments)
        for task in tasks:
            key = program.name, task.id
            assert merged[key].verdicts == alone[key].verdicts
            assert merged[key].outputs == alone[key].outputs
            assert len(merged[key].outputs) == len(task.samples)


@law
@given(all_programs, tasks(3), options)
def test_a_run_gives_what_evaluation_node_by_node_gives(program: Program, task: Task, options: RunOptions):
    expected = tuple(naive_outcome(program, task, sample, options) for sample in task.samples)
    assert outcomes([program], [task], options) == [[expected]]


def naive_outcome(program: Program, task: Task, sample: Sample, options: RunOptions) -> Outcome:
    """The outcome of a program, without a plan: each node by itself, on a machine of its own."""
    comparison = Node.input("C") if program.kind == "differ" else WITHHELD
    known: dict[Node, Outcome] = {Node.input("I"): sample.input, Node.input("S"): task.pairs}
    known[Node.input("C")] = Failure("TYPE", comparison)
    if program.kind == "differ" and sample.output is not None:
        known[Node.input("C")] = sample.output
    with room_for(options.limits.depth):
        for node in program.nodes:
            if node.kind == "constant":
                kind = judgement(node.head, options.limits)
                known[node] = node.head if kind is None else Failure(kind, node)
            elif node.kind != "input":
                known[node] = naive_step(node, [known[arg] for arg in node.args], options)
    return known[program.root]


def naive_step(node: Node, arguments: list[Outcome], options: RunOptions) -> Outcome:
    failed = [argument for argument in arguments if isinstance(argument, Failure)]
    machine = Machine(options.limits)
    try:
        if failed:
            outcome: Outcome = failed[0]
        else:
            outcome = machine.run(node.callee, tuple(arguments))
    except OpFailed as failure:
        outcome = Failure(failure.kind, node)
    if isinstance(outcome, Failure) and options.on_failure == "default":
        return result_type(TABLE[node.head] if node.kind == "op" else arguments[0]).default
    return outcome


@pytest.mark.slow
@law
@given(batts, tasks(3))
def test_a_program_solves_the_samples_that_show_what_it_gives_and_no_others(
    backend: str, batt: ab.Batt, task: Task
):
    """So verdicts are about values: one that is computed wrongly in a batt is noticed."""
    solver = Program("solve_shown", "solver", batt.programs[0].inputs, batt.programs[0].root)
    given = [naive_outcome(solver, task, sample, RunOptions(LIMITS)) for sample in task.test]
    failures = [outcome.kind if isinstance(outcome, Failure) else None for outcome in given]
    for shown, right in ((lambda value: value, True), (lambda value: (value,), False)):
        outputs = (None if isinstance(outcome, Failure) else shown(outcome) for outcome in given)
        test = tuple(Sample(sample.input, output) for sample, output in zip(task.test, outputs))
        posed = replace(task, test=test)
        found = ab.run([solver, *batt], [posed], pairs="all", backend=backend, limits=LIMITS)
        verdicts = found[solver.name, task.id].verdicts[len(task.demo) :]
        assert verdicts == tuple(failure or right for failure in failures)


@pytest.mark.slow
@law
@given(batts, st.lists(tasks(3), min_size=2, max_size=3, unique_by=lambda task: task.id), options)
def test_results_do_not_depend_on_the_order_of_tasks_or_programs(
    batt: ab.Batt, tasks: list[Task], options: RunOptions
):
    there = outcomes(batt.programs, tasks, options)
    back = outcomes(batt.programs[::-1], tasks[::-1], options)
    assert there == [of_task[::-1] for of_task in back[::-1]]


@pytest.mark.slow
@quick
@given(st.lists(all_programs, max_size=6), st.data())
def test_merging_keeps_every_program_under_a_name_of_its_own(programs: list[Program], data: st.DataObject):
    names = st.sampled_from(("solve_a", "solve_b", "solve_a~000000"))
    named = [replace(program, name=data.draw(names)) for program in programs]
    batt = ab.merge(named)
    assert {program.root for program in batt} == {program.root for program in programs}
    assert len({program.name for program in batt}) == len(batt)
    assert all(program.name.startswith(("solve_a", "solve_b")) for program in batt)


@quick
@given(programs() | programs(kind="differ"))
def test_source_text_reads_back_as_the_same_program(program: Program):
    (again,) = ab.parse_programs(program.source(), strict=True)
    assert again == program
    assert again.hash == program.hash


literals = st.recursive(
    st.integers(-(1 << 31), (1 << 31) - 1), lambda inner: st.lists(inner, max_size=4).map(tuple), max_leaves=8
)


@quick
@given(literals)
def test_a_constant_of_integers_and_tuples_reads_back(value: Value):
    for root in (Node.constant(value), Node.op("astuple", Node.constant(value), Node.constant(value))):
        program = Program("solve_x", "solver", ("I",), root)
        assert ab.parse_programs(program.source(), strict=True) == [program]


@pytest.mark.slow
@quick
@given(all_programs, all_programs)
def test_programs_have_the_same_hash_only_if_they_have_the_same_graph(one: Program, other: Program):
    assert (one.hash == other.hash) == (one.root is other.root)
    assert replace(one, name="solve_other").hash == one.hash


@pytest.mark.slow
@quick
@given(batts)
def test_merging_a_batt_again_changes_nothing(batt: ab.Batt):
    assert ab.merge(batt) == batt
