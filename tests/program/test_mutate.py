"""Typed mutation: what a change may be, that it fits where it stands, and that a seed decides everything."""

import os
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.dsl.constants import FAMILIES
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.own_ops import own_ops
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.types import Grid
from arcbatt.dsl.values import Function
from arcbatt.engine.choose import AVAILABLE
from arcbatt.library import load_library
from arcbatt.program.graph import Node, Program
from arcbatt.program.mutation.mutate import Mutator
from arcbatt.program.typed import well_typed
from arcbatt.tasks import Task

COLORS, RANKS, PAIRS = (set(FAMILIES[name].values()) for name in ("color", "rank", "pair"))
NUMBERS = set(FAMILIES["number"].values())
MUTANTS_OF_A_SOLVER = 33 if "native" in AVAILABLE else 3


def program(line: str) -> Program:
    """The solver that gives the value of a line."""
    (found,) = ab.parse_programs(f"def solve_x(S, I, C): return {line}", strict=True)
    return replace(found, inputs=("I",))


def mutants(line: str, count: int = 300, **options: Any) -> list[Program]:
    """Many mutants of a line, of one change each."""
    found = Mutator(3, rate=0, **options).mutants(program(line), count)
    return [mutant for mutant in found if len(mutant.changes) == 1]


def difference(one: Node, other: Node) -> tuple[Node, Node]:
    """The smallest part in which two expressions differ."""
    if one.head != other.head or len(one.args) != len(other.args):
        return one, other
    unlike = [pair for pair in zip(one.args, other.args) if pair[0] is not pair[1]]
    return difference(*unlike[0]) if len(unlike) == 1 else (one, other)


def test_every_program_of_the_library_is_well_typed():
    assert [program.name for program in load_library("all") if not well_typed(program)] == []


@pytest.mark.parametrize(
    "line",
    [
        "rot90(THREE)",
        "apply(rot90, palette(I))",
        "apply(compose(rot90, size), I)",
        "fill(I, I, ORIGIN)",
        "sfilter(palette(I), toivec)",
        "papply(lbind(fill, I), I, I)",
        "hconcat(I, objects(I, T, T, T))",
        "first(first(first(I)))",
        "mapply(size, objects(I, T, T, T))",
    ],
)
def test_a_program_with_an_argument_that_never_fits_is_not_well_typed(line: str):
    assert not well_typed(program(line))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "old", "family"),
    [
        ("fill(I, SEVEN, asindices(I))", 7, COLORS),
        ("replace(I, SEVEN, leastcolor(I))", 7, COLORS),
        ("subgrid(get_nth_f(partition(I), F0), I)", 0, RANKS),
        ("subgrid(first(o_g(I, R5)), I)", 5, set(range(8))),
        ("mir_rot_t(I, A4)", 4, set(range(8))),
        ("fill(I, leastcolor(I), initset(corner(asindices(I), R2)))", 2, set(range(4))),
        ("subgrid(first(objects(I, T, ZERO, T)), I)", 0, {0, 1}),
        ("crop(I, ORIGIN, shape(I))", (0, 0), PAIRS),
        ("upscale(I, TWO)", 2, NUMBERS),
        ("paint(I, mapply(lbind(recolor, SEVEN), partition(I)))", 7, COLORS),
        ("paint(I, mapply(rbind(shift, UP), partition(I)))", (-1, 0), PAIRS),
        ("lbind(lbind(replace, I), SEVEN)(leastcolor(I))", 7, COLORS),
    ],
)
def test_a_constant_becomes_another_of_its_family(line: str, old: object, family: set[object]):
    changes = [difference(program(line).root, mutant.root) for mutant in mutants(line)]
    found = {new.head for was, new in changes if was.head == old and new.kind == "constant"}
    assert found <= family - {old}
    assert len(found) >= min(4, len(family) - 1)


def test_an_op_becomes_another_that_takes_and_gives_the_same():
    heads = {mutant.root.head for mutant in mutants("rot90(I)") if mutant.root.args == (Node.input("I"),)}
    assert {"rot180", "vmirror", "tophalf"} <= heads
    assert "height" not in heads


def test_an_op_does_not_become_its_own_restriction():
    assert all(mutant.root.head != "vmirror_t" for mutant in mutants("vmirror(I)"))


def test_an_op_that_stands_as_a_function_becomes_another():
    changes = [
        difference(program("apply(size, partition(I))").root, mutant.root)
        for mutant in mutants("apply(size, partition(I))")
    ]
    names = {new.head.name for was, new in changes if isinstance(new.head, Function)}
    assert "numcolors" in names
    assert "rot90" not in names


def test_an_argument_becomes_an_earlier_node():
    line = "fill(rot90(I), leastcolor(I), asindices(vmirror(I)))"
    whole = program(line)
    moved = {mutant.root for mutant in mutants(line)}
    assert Node.op("fill", Node.input("I"), *whole.root.args[1:]) in moved
    assert Node.op("fill", Node.op("vmirror", Node.input("I")), *whole.root.args[1:]) in moved


def test_an_op_is_inserted_and_deleted():
    found = {mutant.root for mutant in mutants("rot90(vmirror(I))")}
    grid = Node.input("I")
    assert {Node.op("rot90", grid), Node.op("vmirror", grid)} <= found
    assert Node.op("rot90", Node.op("vmirror", Node.op("trim", grid))) in found
    assert Node.op("trim", Node.op("rot90", Node.op("vmirror", grid))) in found


def test_a_part_of_another_program_takes_the_place_of_a_node():
    partner = program("paint(I, merge(fgpartition(tophalf(I))))")
    parts = set(partner.nodes)
    crossed = mutants("rot90(vmirror(I))", partners=[partner])
    assert any(partner.root in mutant.nodes for mutant in crossed)
    assert any(parts & set(mutant.nodes) == {Node.input("I"), partner.nodes[1]} for mutant in crossed)


def test_a_solver_gets_no_sight_of_the_answer():
    differs = load_library("differs")
    found = mutants("rot90(vmirror(I))", partners=differs)
    assert all("C" not in mutant.root.needs for mutant in found)
    assert any("C" in mutant.root.needs for mutant in Mutator(1, partners=differs).mutants(differs[0], 50))


def test_a_program_that_begins_to_need_the_samples_says_so():
    partner = program("replace(I, ONE, a_mr(S))")
    found = mutants("replace(I, ONE, leastcolor(I))", partners=[partner])
    assert {mutant.inputs for mutant in found if "S" in mutant.root.needs} == {("S", "I", "C")}
    assert {mutant.inputs for mutant in found if "S" not in mutant.root.needs} == {("I",)}


PAIRS_OF_A_TASK = (
    (((1, 0), (5, 0)), ((2, 0), (6, 0))),
    (((5, 0), (1, 0)), ((2, 0), (6, 0))),
)


@pytest.mark.parametrize(("color", "op"), [("ONE", "c_iz_n"), ("FIVE", "c_iz_n"), ("SIX", "c_zo_n")])
def test_a_color_of_only_inputs_or_only_outputs_is_computed(color: str, op: str):
    line = f"fill(I, {color}, asindices(I))"
    changes = [
        difference(program(line).root, mutant.root) for mutant in mutants(line, task_pairs=PAIRS_OF_A_TASK)
    ]
    (computed,) = {new for _, new in changes if new.needs == {"S"}}
    assert computed.head == op
    (rank,) = (arg.args[1].head for arg in computed.args if arg.head == "rbind")
    pick = ab.fn("rbind", ab.fn("get_nth_t"), rank)
    assert ab.call(op, PAIRS_OF_A_TASK, ab.fn("p_g"), pick) == FAMILIES["number"][color]


def test_a_color_of_inputs_and_outputs_is_not_computed():
    found = mutants("fill(I, ZERO, asindices(I))", task_pairs=PAIRS_OF_A_TASK)
    assert all("S" not in mutant.root.needs for mutant in found)


def test_an_angle_is_computed_where_the_task_has_one():
    turned = ((((1, 2),), ((2, 1),)),)
    computed = Node.op("mir_rot_t", Node.input("I"), Node.op("a_mr", Node.input("S")))
    assert computed in {mutant.root for mutant in mutants("mir_rot_t(I, A1)", task_pairs=turned)}
    found = {mutant.root for mutant in mutants("mir_rot_t(I, A1)", task_pairs=PAIRS_OF_A_TASK)}
    assert computed not in found


def test_a_mutant_tells_what_was_changed():
    (mutant,) = mutants("fill(I, SEVEN, ofcolor(I, TWO))", 1)
    assert mutant.evo
    (change,) = mutant.changes
    assert change.before in program("fill(I, SEVEN, ofcolor(I, TWO))").nodes
    assert change.after in mutant.nodes
    assert str(change).startswith("was ")
    assert ", now " in str(change)


def test_the_rate_is_the_chance_of_a_line_to_change():
    solver = max(load_library("solvers"), key=lambda solver: len(solver.nodes))
    counts = [
        sum(len(Mutator(seed, rate=rate).mutated(solver).changes) for seed in range(30))
        for rate in (0.0, 0.2, 1.0)
    ]
    lines = sum(node.kind in ("op", "call") for node in solver.nodes)
    assert counts[0] == 30
    assert 0.1 * lines * 30 < counts[1] < 0.3 * lines * 30
    assert counts[2] > 0.9 * lines * 30


@pytest.mark.parametrize("line", ["I", "C", "THREE", "ORIGIN", "rot90(I)"])
def test_the_smallest_programs_have_mutants(line: str):
    assert len({mutant.root for mutant in mutants(line, 5)} - {program(line).root}) == 5


def test_wild_mutants_heed_no_types():
    solvers = load_library("solvers")[:20]
    wild = [well_typed(mutant) for solver in solvers for mutant in Mutator(1, wild=True).mutants(solver, 20)]
    assert len(wild) == 400
    assert wild.count(False) > 100


def test_ops_of_a_user_take_part_and_are_not_run():
    def spin(grid: Grid) -> Grid:
        raise AssertionError("the op was run")

    with own_ops(spin):
        assert Node.op("spin", Node.input("I")) in {mutant.root for mutant in mutants("rot90(I)")}
        spinning = program("fill(spin(I), ONE, asindices(spin(I)))")
        assert all(map(well_typed, Mutator(1).mutants(spinning, 50)))
    assert all("spin" not in {node.head for node in mutant.nodes} for mutant in mutants("rot90(I)"))


REPEATED = """
from arcbatt.library import load_library
from arcbatt.program.mutation.mutate import Mutator
library = load_library("solvers")
mutator = Mutator(5, partners=library, rate=0.1)
print([mutant.hash for solver in library[:40] for mutant in mutator.mutants(solver, 5)])
"""


@pytest.mark.process
def test_a_seed_gives_the_same_mutants_in_every_process():
    outputs = {
        subprocess.run(
            [sys.executable, "-c", REPEATED],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_what_was_mutated_before_changes_nothing():
    first, second = load_library("solvers")[:2]
    alone = [mutant.root for mutant in Mutator(8).mutants(second, 20)]
    list(Mutator(9).mutants(first, 20))
    list(Mutator(9, wild=True).mutants(second, 20))
    assert [mutant.root for mutant in Mutator(8).mutants(second, 20)] == alone


def outputs(programs: list[Program]) -> list[tuple[object, ...]]:
    """What each program gives on the demo samples of its own task, or how it fails there."""
    tasks = ab.load_tasks("arc1/training")
    named = [replace(program, name=f"{program.name}_{place}") for place, program in enumerate(programs)]
    ids = dict.fromkeys(program.task_id or "" for program in programs)
    results = ab.run(named, [Task(task_id, tasks[task_id].demo, ()) for task_id in ids])
    found = (results[program.name, program.task_id or ""].outputs for program in named)
    return [tuple(value.kind if isinstance(value, Failure) else value for value in given) for given in found]


@pytest.mark.slow
def test_mutants_of_the_library_run_and_differ():
    library, tasks = load_library("solvers"), ab.load_tasks("arc1/training")
    pairs: list[tuple[Program, Program]] = []
    for solver in library:
        mutator = Mutator(1, task_pairs=tasks[solver.task_id or ""].pairs, partners=library)
        pairs += [(solver, mutant) for mutant in mutator.mutants(solver, MUTANTS_OF_A_SOLVER)]
    assert len(pairs) == MUTANTS_OF_A_SOLVER * len(library)
    assert all(well_typed(mutant) for _, mutant in pairs)
    before = dict(zip([solver.name for solver in library], outputs(library)))
    given = [(before[solver.name], new) for (solver, _), new in zip(pairs, outputs([m for _, m in pairs]))]
    ill_typed = sum(any(new == "TYPE" != old for old, new in zip(*both)) for both in given)
    changed = sum(old != new for old, new in given)
    failing = sum(any(isinstance(value, str) for value in new) for _, new in given)
    assert ill_typed < 0.05 * len(pairs)
    assert changed > 0.6 * len(pairs)
    assert failing < 0.2 * len(pairs)


@pytest.mark.slow
def test_every_op_can_be_found_by_mutation():
    """So types are neither too narrow nor too wide: but for a few ops each one comes up somewhere."""
    library = load_library("solvers")
    mutator = Mutator(2, rate=0)
    used = {
        node.head.name if isinstance(node.head, Function) else node.head
        for solver in library
        for mutant in mutator.mutants(solver, 50)
        for node in mutant.nodes
        if node.kind == "op" or isinstance(node.head, Function)
    }
    assert len(used) > 0.5 * len(TABLE)
