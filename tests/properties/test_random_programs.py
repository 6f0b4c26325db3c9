"""The generators of programs: what is well typed mostly runs, what is not fails in every way."""

from collections import Counter
from functools import cache
from random import Random

from arcbatt.dsl.failures import KINDS, Failure
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.static.types import GRID
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.values import Function
from arcbatt.engine.backend import RunOptions
from arcbatt.engine.backends.reference import Evaluator
from arcbatt.engine.plan import plan
from arcbatt.program.graph import Node, Program
from arcbatt.tasks import Task, load_tasks
from arcbatt.testing.random_programs import mutated, random_program
from arcbatt.testing.writer import ProgramWriter
from support.values import conforms

SEEDS = range(500, 1700)
SMALL = Limits(items=20_000, calls=20_000)
TINY = Limits(items=2_000, calls=40, depth=8)


@cache
def arc_tasks() -> tuple[Task, ...]:
    return load_tasks("arc1/training").tasks


@cache
def well_typed() -> tuple[Program, ...]:
    return tuple(random_program(seed) for seed in SEEDS)


def outcomes(program: Program, task: Task, limits: Limits) -> dict[Node, object]:
    """What each node of a program gives on the first sample."""
    whole = plan([program])
    evaluator = Evaluator(whole, [0], RunOptions(limits))
    runs = evaluator.run_task(task)
    next(runs)
    runs.close()
    return {step.node: outcome for step, outcome in zip(whole.steps, evaluator.outcomes)}


def test_the_same_seed_gives_the_same_program():
    assert random_program(3) == random_program(3)
    assert random_program(Random(3)) == random_program(Random(3))
    assert len({program.hash for program in well_typed()}) > 0.95 * len(SEEDS)


def test_a_program_has_about_as_many_ops_as_asked_for():
    sizes = [sum(node.kind in ("op", "call") for node in program.nodes) for program in well_typed()]
    assert 10 <= sum(sizes) / len(sizes) <= 18


def test_a_name_says_what_kind_a_program_is():
    differ = random_program(4, kind="differ")
    assert (differ.name, differ.kind, differ.inputs) == ("differ_random_4", "differ", ("S", "I", "C"))
    assert random_program(4).name == "solve_random_4"


def test_every_op_occurs_in_well_typed_programs():
    nodes = {node for program in well_typed() for node in program.nodes}
    as_ops = {node.head for node in nodes if node.kind == "op"}
    as_functions = {node.head.name for node in nodes if isinstance(node.head, Function)}
    assert as_ops | as_functions == TABLE.keys()
    assert len(as_functions) > 200
    assert any(node.kind == "call" for node in nodes)


def test_most_well_typed_programs_give_a_value_on_arc_grids():
    roots, ops = Counter(), Counter()
    for program in well_typed()[:300]:
        found = outcomes(program, Random(program.name).choice(arc_tasks()), SMALL)
        roots[isinstance(found[program.root], Failure)] += 1
        ops.update(isinstance(found[node], Failure) for node in program.nodes if node.kind in ("op", "call"))
    assert roots[False] >= 0.6 * roots.total()
    assert ops[False] >= 0.7 * ops.total()


def is_key_of_nothing(node: Node, found: dict[Node, object]) -> bool:
    is_key = node.kind == "op" and node.head.startswith(("valmax", "valmin"))
    return is_key and found[node.args[0]] in ((), frozenset())


def test_a_node_gives_what_its_type_says():
    """But for what is empty: `()` stands for the corner of an empty patch, `{}` for the indices of `()`.

    The greatest key of an empty container is the key of 0, whatever the elements would be.
    """
    task = arc_tasks()[0]
    checked = 0
    for seed in range(120):
        writer = ProgramWriter(Random(seed), ("I", "S"))
        root = writer.write(12, GRID)
        if root is None:
            continue
        found = outcomes(Program("solve_x", "solver", ("S", "I", "C"), root), task, SMALL)
        for known, nodes in writer.nodes.items():
            for node in filter(found.__contains__, nodes):
                value = found[node]
                if isinstance(value, Failure) or value in ((), frozenset()) or is_key_of_nothing(node, found):
                    continue
                checked += 1
                assert conforms(value, known), (seed, known, value)
    assert checked > 500


def test_a_function_type_that_is_too_deep_to_be_known_admits_no_other_value():
    assert random_program(Random(5687), 24).nodes  # types nested deeper than the bound are `any`


def test_ill_typed_programs_fail_in_every_way_and_some_do_not_fail():
    kinds = Counter()
    for seed in range(600, 1200):
        program = random_program(seed, well_typed=False)
        found = outcomes(program, arc_tasks()[0], TINY if seed % 2 else SMALL)
        results = [found[node] for node in program.nodes if node in found and node.kind in ("op", "call")]
        kinds.update(outcome.kind if isinstance(outcome, Failure) else "value" for outcome in results)
    assert kinds.keys() == {*KINDS, "value"}


def test_ill_typed_programs_hold_nodes_with_a_wrong_number_of_arguments():
    programs = (random_program(seed, well_typed=False) for seed in range(200))
    ops = [node for program in programs for node in program.nodes if node.kind == "op"]
    assert any(len(node.args) < TABLE[node.head].arity for node in ops)
    assert any(len(node.args) > TABLE[node.head].arity for node in ops)


def test_a_mutation_changes_a_program_a_little():
    random = Random(0)
    changed = 0
    for program in well_typed()[:100]:
        mutant = mutated(program, random)
        assert (mutant.name, mutant.inputs) == (program.name, program.inputs)
        fresh = set(mutant.nodes) - set(program.nodes)
        changed += mutant.root is not program.root
        assert len(mutant.nodes) <= len(program.nodes) + len(fresh)
    assert changed > 80


def test_a_program_without_ops_can_be_mutated():
    program = Program("solve_x", "solver", ("I",), Node.input("I"))
    assert mutated(program, Random(0)).root.args == (program.root,)
