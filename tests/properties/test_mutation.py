"""Mutation of random programs: mutants fit, read back, run, and leave every other program as it was."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.static.queries import op_index
from arcbatt.program.graph import Program
from arcbatt.program.mutation import edit
from arcbatt.program.mutation.mutate import Mutator
from arcbatt.program.typed import type_of_node, type_of_parts, well_typed
from arcbatt.tasks import Task
from support.strategies import programs, tasks

law = settings(derandomize=True, max_examples=60, database=None)

LIMITS = Limits(items=20_000, calls=2_000, depth=40)
COUNT = 8

seeds = st.integers(0, 0xFFFFFFFF)
well_typed_programs = programs() | programs(kind="differ")
all_programs = well_typed_programs | programs(well_typed=False)
rates = st.sampled_from((0.0, 0.1, 1.0))


@law
@given(well_typed_programs, st.lists(all_programs, max_size=3), tasks(3), seeds, rates)
def test_a_mutant_of_a_well_typed_program_is_well_typed(
    program: Program, partners: list[Program], task: Task, seed: int, rate: float
):
    assume(well_typed(program))
    mutator = Mutator(seed, rate=rate, task_pairs=task.pairs, partners=partners)
    assert all(map(well_typed, mutator.mutants(program, COUNT)))


@law
@given(well_typed_programs, st.lists(well_typed_programs, max_size=3), seeds, rates, st.booleans())
def test_mutants_differ_from_each_other_and_read_back(
    program: Program, partners: list[Program], seed: int, rate: float, wild: bool
):
    mutants = list(Mutator(seed, rate=rate, wild=wild, partners=partners).mutants(program, COUNT))
    assert len({program.root, *(mutant.root for mutant in mutants)}) == 1 + len(mutants)
    for mutant in mutants:
        assert mutant.evo
        assert mutant.changes
        assert mutant.kind == program.kind
        assert mutant.name == f"{program.name}~{mutant.hash[:6]}"
        assert mutant.root.needs <= set(mutant.inputs)
        (again,) = ab.parse_programs(mutant.source(), strict=True)
        assert again.root is mutant.root


@law
@given(all_programs, st.lists(all_programs, max_size=3), tasks(3), seeds, rates, st.booleans())
def test_the_types_that_mutation_keeps_are_those_of_the_ops(
    program: Program, partners: list[Program], task: Task, seed: int, rate: float, wild: bool
):
    index = op_index()
    mutator = Mutator(seed, rate=rate, wild=wild, task_pairs=task.pairs, partners=partners)
    for mutant in mutator.mutants(program, COUNT):
        for node in mutant.nodes:
            arguments = tuple(type_of_node(arg, index).type for arg in node.args)
            assert type_of_node(node, index) == type_of_parts(node.kind, node.head, arguments, index)


@law
@given(all_programs, st.lists(all_programs, max_size=3), seeds, rates, st.booleans())
def test_mutants_are_the_same_whether_nodes_are_made_in_python_or_in_the_core(
    program: Program, partners: list[Program], seed: int, rate: float, wild: bool
):
    def made() -> list[tuple[str, str, list[frozenset[str]]]]:
        mutants = Mutator(seed, rate=rate, wild=wild, partners=partners).mutants(program, COUNT)
        return [(mutant.name, mutant.source(), [node.needs for node in mutant.nodes]) for mutant in mutants]

    before = made()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edit, "rebuild", edit.rebuild_in_python)
        assert made() == before


@law
@given(st.lists(all_programs, min_size=2, max_size=4), tasks(3), seeds, st.booleans())
def test_mutation_of_one_program_changes_no_other(programs: list[Program], task: Task, seed: int, wild: bool):
    def run(programs: list[Program]) -> list[object]:
        found = ab.run(programs, [task], pairs="all", limits=LIMITS)
        return [(outcome.verdicts, outcome.outputs) for outcome in found]

    before = [(program.hash, program.source()) for program in programs]
    alone = run(programs[1:])
    mutants = list(Mutator(seed, wild=wild, partners=programs).mutants(programs[0], COUNT))
    assert [(program.hash, program.source()) for program in programs] == before
    assert run([*programs[1:], *mutants])[: len(alone)] == alone


@law
@given(all_programs, seeds, rates)
def test_the_same_seed_gives_the_same_mutants(program: Program, seed: int, rate: float):
    first, second = (
        [mutant.root for mutant in Mutator(seed, rate=rate).mutants(program, COUNT)] for _ in range(2)
    )
    assert first == second
    assert Mutator(seed, rate=rate).mutated(program).root is Mutator(seed, rate=rate).mutated(program).root
