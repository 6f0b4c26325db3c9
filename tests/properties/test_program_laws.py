"""Programs: merging and staging change nothing, and source text comes back as the same graph."""

from dataclasses import replace
from typing import Literal

from hypothesis import given, settings
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.dsl.failures import Failure, OpFailed
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.types import NOTHING
from arcbatt.dsl.values import Value
from arcbatt.engine.machine import Machine
from arcbatt.engine.plan import WITHHELD, plan
from arcbatt.engine.reference import Evaluator, room_for
from arcbatt.program.graph import Node, Program
from arcbatt.tasks import Sample, Task
from arcbatt.testing.strategies import mutants, programs, tasks

law = settings(derandomize=True, max_examples=40, deadline=None, database=None)
quick = settings(law, max_examples=100)

LIMITS = Limits(items=20_000, calls=2_000, depth=40)
Mode = Literal["fail", "default"]
Outcome = Value | Failure
modes = st.sampled_from(("fail", "default"))

all_programs = st.one_of(
    programs(),
    programs(kind="differ"),
    programs(well_typed=False),
    programs(well_typed=False, kind="differ"),
    mutants(programs()),
)
batts = st.lists(all_programs, min_size=2, max_size=6).map(ab.merge)
task_lists = st.lists(tasks(3), min_size=1, max_size=2, unique_by=lambda task: task.id)


def outcomes(programs: list[Program], task: Task, mode: Mode) -> list[tuple[Outcome, ...]]:
    """For each program what it gives on each sample, all run as one batt."""
    return list(zip(*Evaluator(LIMITS, mode).run_task(plan(programs), task)))


@law
@given(batts, tasks(3), modes)
def test_a_merged_program_gives_what_it_gives_alone(batt: ab.Batt, task: Task, mode: Mode):
    alone = [outcomes([program], task, mode)[0] for program in batt]
    assert outcomes(list(batt), task, mode) == alone


@law
@given(batts, task_lists, modes)
def test_a_merged_program_is_judged_as_it_is_alone(batt: ab.Batt, tasks: list[Task], mode: Mode):
    merged = ab.run(batt, tasks, pairs="all", on_failure=mode, limits=LIMITS)
    for program in batt:
        alone = ab.run(program, tasks, pairs="all", on_failure=mode, limits=LIMITS)
        for task in tasks:
            key = program.name, task.id
            assert merged[key].verdicts == alone[key].verdicts
            assert merged[key].outputs == alone[key].outputs
            assert len(merged[key].outputs) == len(task.samples)


@law
@given(all_programs, tasks(3), modes)
def test_a_run_gives_what_evaluation_node_by_node_gives(program: Program, task: Task, mode: Mode):
    expected = tuple(naive_outcome(program, task, sample, mode) for sample in task.samples)
    assert outcomes([program], task, mode) == [expected]


def naive_outcome(program: Program, task: Task, sample: Sample, mode: Mode) -> Outcome:
    """The outcome of a program, without a plan: each node by itself, on a machine of its own."""
    comparison = Node.input("C") if program.kind == "differ" else WITHHELD
    known: dict[Node, Outcome] = {Node.input("I"): sample.input, Node.input("S"): task.pairs}
    known[Node.input("C")] = Failure("TYPE", comparison)
    if program.kind == "differ" and sample.output is not None:
        known[Node.input("C")] = sample.output
    with room_for(LIMITS.depth):
        for node in program.nodes:
            if node.kind == "constant":
                known[node] = node.head
            elif node.kind != "input":
                known[node] = naive_step(node, [known[arg] for arg in node.args], mode)
    return known[program.root]


def naive_step(node: Node, arguments: list[Outcome], mode: Mode) -> Outcome:
    failed = [argument for argument in arguments if isinstance(argument, Failure)]
    try:
        if failed:
            outcome: Outcome = failed[0]
        elif node.kind == "op":
            outcome = Machine(LIMITS).run(TABLE[node.head], tuple(arguments))
        else:
            outcome = Machine(LIMITS).call(arguments[0], tuple(arguments[1:]))
    except OpFailed as failure:
        outcome = Failure(failure.kind, node)
    if isinstance(outcome, Failure) and mode == "default":
        return TABLE[node.head].default if node.kind == "op" else NOTHING
    return outcome


@law
@given(batts, st.lists(tasks(3), min_size=2, max_size=3, unique_by=lambda task: task.id), modes)
def test_results_do_not_depend_on_the_order_of_tasks_or_programs(
    batt: ab.Batt, tasks: list[Task], mode: Mode
):
    there = ab.run(batt, tasks, pairs="all", on_failure=mode, limits=LIMITS)
    back = ab.run(batt.programs[::-1], tasks[::-1], pairs="all", on_failure=mode, limits=LIMITS)
    assert {(o.program.name, o.task.id): o.verdicts for o in there} == {
        (o.program.name, o.task.id): o.verdicts for o in back
    }
    assert there.solved == back.solved
    assert there.stats.failures == back.stats.failures


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


@quick
@given(all_programs, all_programs)
def test_programs_have_the_same_hash_only_if_they_have_the_same_graph(one: Program, other: Program):
    assert (one.hash == other.hash) == (one.root is other.root)
    assert replace(one, name="solve_other").hash == one.hash


@quick
@given(batts)
def test_merging_a_batt_again_changes_nothing(batt: ab.Batt):
    assert ab.merge(batt) == batt
    assert len({program.name for program in batt}) == len(batt)
