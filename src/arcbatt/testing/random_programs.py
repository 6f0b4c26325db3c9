"""Random programs from a seed, well typed or not, and changes of a program that ignore types."""

from dataclasses import replace
from functools import cache
from random import Random

from arcbatt.dsl.constants import INPUTS
from arcbatt.dsl.static.matching import STRICT, closed
from arcbatt.dsl.static.notation import static_type
from arcbatt.dsl.static.types import ANY, GRID, INTEGER, StaticType
from arcbatt.dsl.table import TABLE, Param
from arcbatt.dsl.values import Function, Value
from arcbatt.program.graph import Node, Program, ProgramKind, substituted
from arcbatt.program.typed import TYPES_OF_INPUTS
from arcbatt.testing.random_values import (
    EDGES,
    GREATEST_ARITY,
    anything,
    function,
    integer,
    location,
    random_argument,
)
from arcbatt.testing.writer import ProgramWriter

DEFAULT_NODES = 12
LATEST = 8


def random_program(
    seed: int | Random, nodes: int = DEFAULT_NODES, well_typed: bool = True, kind: ProgramKind = "solver"
) -> Program:
    """A program of about `nodes` ops; the same seed gives the same program.

    A well typed program gives each op only arguments whose type fits, closures included. It may still fail,
    where a container is empty or a rank is not there; on ARC grids at least six of ten do not. One that is
    not well typed takes some arguments without regard to types, and now and then too few or too many.
    A well typed solver makes no use of C, which is withheld from it.

    >>> random_program(9) == random_program(9) != random_program(10)
    True
    """
    if isinstance(seed, Random):
        random, number = seed, seed.getrandbits(32)
    else:
        random, number = Random(seed), seed
    name = f"{'differ' if kind == 'differ' else 'solve'}_random_{number}"
    inputs = INPUTS if kind == "differ" else random.choice((("I",), INPUTS))
    if not well_typed and random.randrange(2):
        return Program(name, kind, inputs, _ill_typed_root(random, inputs, nodes))
    known = tuple(name for name in inputs if name != "C" or kind == "differ")
    program = Program(name, kind, inputs, _well_typed_root(ProgramWriter(random, known), nodes, kind))
    for _ in range(0 if well_typed else 1 + random.randrange(3)):
        program = mutated(program, random)
    return program


def _well_typed_root(writer: ProgramWriter, nodes: int, kind: ProgramKind) -> Node:
    """Mostly a grid for a solver, (score, extra) for a differ."""
    if kind == "differ":
        score = writer.write(nodes // 2, INTEGER) or Node.constant(0)
        return Node.op("astuple", score, writer.write(nodes // 2, ANY) or Node.input("I"))
    wanted = GRID if writer.random.randrange(3) else ANY
    return writer.write(nodes, wanted) or Node.input("I")


def _ill_typed_root(random: Random, inputs: tuple[str, ...], nodes: int) -> Node:
    known = [(Node.input(name), TYPES_OF_INPUTS[name]) for name in inputs]
    for _ in range(nodes):
        known.append(_ill_typed_op(random, known) if random.randrange(8) else _ill_typed_call(random, known))
    return known[-1][0]


def _ill_typed_op(random: Random, known: list[tuple[Node, StaticType]]) -> tuple[Node, StaticType]:
    """An op with arguments that mostly fit, and a likely type of its result."""
    op = TABLE[random.choice(_named(random.randrange(1, GREATEST_ARITY + 1)))]
    arguments = [_ill_typed_argument(random, param, known) for param in op.params]
    if random.randrange(40) == 0:
        arguments = random.choice((arguments[1:], [*arguments, random.choice(known)[0]]))
    return Node.op(op.name, *arguments), closed(random.choice(op.signature.alternatives).result)


def _ill_typed_argument(random: Random, param: Param, known: list[tuple[Node, StaticType]]) -> Node:
    """A node or constant that seems to fit, or now and then any node or any value at all."""
    roll = random.randrange(16)
    if roll == 0:
        return Node.constant(anything(random, 3))
    if roll == 1:
        return random.choice(known)[0]
    if roll < 5 and param.type.name in ("Integer", "Numerical", "IJ"):
        edge = random.choice(EDGES)
        return Node.constant((edge, edge) if param.type.name == "IJ" else edge)
    fitting = [
        node
        for node, known_type in known[-LATEST:]
        if STRICT.fits(static_type(param.type.static), known_type, {})
    ]
    if fitting and roll < 12:
        return random.choice(fitting)
    return Node.constant(random_argument(random, param))


def _ill_typed_call(random: Random, known: list[tuple[Node, StaticType]]) -> tuple[Node, StaticType]:
    arity = random.randrange(1, GREATEST_ARITY + 1)
    callee = Node.constant(function(random, arity)) if random.randrange(8) else random.choice(known)[0]
    arguments = [random.choice(known[-LATEST:])[0] for _ in range(arity)]
    return Node.call(callee, *arguments), ANY


@cache
def _named(arity: int) -> tuple[str, ...]:
    return tuple(op.name for op in TABLE.values() if op.arity == arity)


def mutated(program: Program, random: Random) -> Program:
    """The program with one change that ignores types: another constant, op or argument.

    Constants reach the edges of the range, and an argument may be any node, also one that depends on the
    changed one; `Mutator(wild=True)` does neither.

    >>> program = random_program(9)
    >>> mutated(program, Random(1)) == program
    False
    """
    nodes = program.nodes
    changeable = [node for node in nodes if node.kind == "constant" or node.args]
    if not changeable:
        return replace(program, root=Node.op(random.choice(_named(1)), program.root))
    node = random.choice(changeable)
    return replace(program, root=substituted(program.root, {node: _changed(node, nodes, random)}))


def _changed(node: Node, nodes: list[Node], random: Random) -> Node:
    if node.kind == "constant":
        return Node.constant(_other_constant(node.head, random))
    if node.kind == "op" and len(node.args) <= GREATEST_ARITY and random.randrange(2):
        return Node.op(random.choice(_named(len(node.args))), *node.args)
    place = random.randrange(len(node.args))
    return Node(node.kind, node.head, (*node.args[:place], random.choice(nodes), *node.args[place + 1 :]))


def _other_constant(value: Value, random: Random) -> Value:
    if isinstance(value, Function):
        return Function(random.choice(_named(value.arity)), (), value.arity)
    at_edge = random.randrange(4) == 0
    if type(value) is int:
        return random.choice(EDGES) if at_edge else integer(random)
    return (0, random.choice(EDGES)) if at_edge else location(random)
