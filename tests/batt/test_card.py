"""Making batts: frozen programs stay what they are, mutants follow from the seed, none stands twice."""

import pytest

import arcbatt as ab
from arcbatt.library import load_library
from arcbatt.program.graph import Node, Program
from arcbatt.program.mutation.edit import Change
from arcbatt.search.breed.card import Recipe, chosen, make_batt, sampled


@pytest.fixture(scope="module")
def solvers() -> list[Program]:
    return load_library("solvers")[:30]


@pytest.fixture(scope="module")
def differs() -> list[Program]:
    return load_library("differs")[:3]


def test_frozen_programs_give_in_the_batt_what_they_give_alone(
    backend: str, solvers: list[Program], differs: list[Program]
) -> None:
    tasks = ab.load_tasks("arc1/training")[:3]
    batt = make_batt(solvers, differs, Recipe(freeze_solvers=True, freeze_differs=True))
    merged = ab.run(batt, tasks, "all", backend)
    for solver in solvers:
        alone = ab.run(solver, tasks, "all", backend)
        for task in tasks:
            name = solver.name.removeprefix("solve_")
            assert merged[name, task.id].verdicts == alone[solver.name, task.id].verdicts
    assert not any(program.evo for program in batt)


def test_one_seed_makes_one_batt(solvers: list[Program], differs: list[Program]) -> None:
    made = [make_batt(solvers, differs, Recipe(seed)) for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]
    assert all(program.evo for program in made[0].solvers)


def test_a_comment_tells_each_change_of_a_differ_once(solvers: list[Program], differs: list[Program]) -> None:
    batt = make_batt(solvers[:4], differs, Recipe(3, freeze_solvers=True))
    assert all(differ.evo for differ in batt.differs)
    lines = ab.batt_source(batt, "vectorized").splitlines()
    told = [line for line in lines if "# mutated: was " in line]
    after = [line for line, above in zip(lines[1:], lines) if above in told and line not in told]
    assert len(after) == len(differs)
    assert all("s.append(" in line and "'None'" in line for line in after)
    changes = [str(change) for differ in batt.differs for change in differ.changes]
    assert [line.partition("# mutated: ")[2] for line in told] == changes


def test_a_change_is_told_in_full_unless_it_is_very_long() -> None:
    def nested(depth: int) -> Node:
        node = Node.input("I")
        for _ in range(depth):
            node = Node.op("hmirror", node)
        return Node.op("hconcat", node, Node.op("rot90", node))

    assert "..." not in str(Change(nested(8), nested(9)))
    long = str(Change(nested(100), nested(101)))
    assert long.count("...") == 4
    assert len(long) < 450


def test_the_mutants_of_a_program_do_not_depend_on_who_else_is_in_the_batt(solvers: list[Program]) -> None:
    recipe = Recipe(5)
    whole = {program.name: program.root for program in make_batt(solvers, [], recipe)}
    others = [solver for solver in solvers if solver.name != solvers[3].name]
    part = {program.name: program.root for program in make_batt(others, [], recipe)}
    same = sum(part[name] is whole.get(name) for name in part)
    assert same > 0.8 * len(part)  # crossover may take from the missing one


def test_no_program_stands_twice(solvers: list[Program]) -> None:
    twins = [
        *solvers,
        *(Program(f"solve_again_{k}", s.kind, s.inputs, s.root) for k, s in enumerate(solvers)),
    ]
    frozen = make_batt(twins, [], Recipe(freeze_solvers=True))
    assert len(frozen) == len(solvers)
    bred = make_batt(solvers, [], Recipe(mutants=5))
    assert len({program.root for program in bred}) == len(bred) > 4 * len(solvers)


def test_a_solver_never_gains_a_sight_of_the_answer(solvers: list[Program]) -> None:
    bred = make_batt(solvers, [], Recipe(seed=9, mutants=10, wild=True))
    assert not any("C" in program.root.needs for program in bred)


@pytest.mark.parametrize(("count", "left"), [(0, 30), (4, 4), (-4, 4), (-99, 30), (99, 30)])
def test_a_count_chooses_the_first_or_a_sample(count: int, left: int, solvers: list[Program]) -> None:
    picked = chosen(solvers, count, 1)
    assert len(picked) == left
    assert picked == chosen(solvers, count, 1)
    if count > 0:
        assert picked == solvers[:count]


def test_a_sample_has_each_at_most_once_in_order_and_depends_on_the_seed() -> None:
    samples = [sampled(range(100), 30, seed) for seed in range(5)]
    assert all(sample == sorted(set(sample)) and len(sample) == 30 for sample in samples)
    assert len(set(map(tuple, samples))) == 5
