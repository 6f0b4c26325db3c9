"""Random programs from a seed: well typed ones, ill typed ones, and small mutations of a given one."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random

from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.dsl.constants import INPUTS
from arcbatt.dsl.table import TABLE
from arcbatt.program.graph import Node, Program, ProgramKind, substituted
from arcbatt.testing.shapes import ANY, GRID, INTEGER
from arcbatt.testing.values import anything, random_argument
from arcbatt.testing.writer import Writer, Written

DEFAULT_NODES = 12


def random_program(
    seed: int | Random, nodes: int = DEFAULT_NODES, well_typed: bool = True, kind: ProgramKind = "solver"
) -> Program:
    """A program of about `nodes` ops or fewer; the same seed gives the same program.

    A well typed program gives each op only arguments whose shape fits, closures included. It may still fail, where a
    container is empty or a rank is not there. One that is not well typed takes arguments without regard to types.
    A well typed solver makes no use of C, which is withheld from it.

    >>> print(random_program(5, nodes=3).source())
    """
    if isinstance(seed, Random):
        random, number = seed, seed.getrandbits(32)
    else:
        random, number = Random(seed), seed
    name = f"{'differ' if kind == 'differ' else 'solve'}_random_{number}"
    inputs = INPUTS if kind == "differ" else random.choice((("I",), INPUTS))
    if not well_typed:
        return Program(name, kind, inputs, _ill_typed_root(random, inputs, nodes))
    writer = Writer(random, tuple(name for name in inputs if name != "C" or kind == "differ"))
    return Program(name, kind, inputs, _well_typed_root(random, writer.write(nodes), kind))


def _well_typed_root(random: Random, written: list[Written], kind: ProgramKind) -> Node:
    """A late node: mostly a grid for a solver, (score, extra) for a differ."""
    if not written:
        return Node.input("I")
    latest = written[-1].node
    wanted = INTEGER if kind == "differ" else GRID if random.randrange(3) else ANY
    late = written[len(written) // 3 :]
    chosen = next((node for node, shape in reversed(late) if wanted in (ANY, shape)), None)
    if kind == "differ":
        return Node.op("astuple", chosen or Node.constant(random.randrange(10)), latest)
    return chosen or latest


def _ill_typed_root(random: Random, inputs: tuple[str, ...], nodes: int) -> Node:
    known = [Node.input(name) for name in inputs]
    for _ in range(nodes):
        known.append(_ill_typed_call(random, known) if random.randrange(12) == 0 else _ill_typed_op(random, known))
    return known[-1]


def _ill_typed_op(random: Random, known: list[Node]) -> Node:
    """An op of which some arguments are earlier nodes, some fit their parameter, and some are anything."""
    op = random.choice(_ops())
    arguments = []
    for param in op.params:
        roll = random.randrange(10)
        if roll < 4:
            arguments.append(random.choice(known[-6:]))
        else:
            value = random_argument(random, param) if roll < 9 else anything(random, 3)
            arguments.append(Node.constant(value))
    if random.randrange(40) == 0:
        arguments = random.choice((arguments[1:], [*arguments, random.choice(known)]))
    return Node.op(op.name, *arguments)
