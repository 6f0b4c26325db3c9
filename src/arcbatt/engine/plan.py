"""The plan of a run: the nodes that the wanted programs need, each once, in stages by what they depend on."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from arcbatt.program.graph import Node, Program, substituted, topological

# What a solver finds in place of C: the answer is not shown to it.
WITHHELD = Node.input("withheld C")


class Stage(IntEnum):
    """When a node runs: once a run, once a task, or once a sample without or with the expected output."""

    CONSTANT = 0
    SAMPLES = 1
    INPUT = 2
    COMPARISON = 3


_STAGE_OF_INPUT = {"S": Stage.SAMPLES, "I": Stage.INPUT, "C": Stage.COMPARISON, WITHHELD.head: Stage.CONSTANT}


@dataclass(frozen=True)
class Plan:
    """Nodes by stage, and the roots whose outcomes are wanted."""

    roots: tuple[Node, ...]
    stages: tuple[tuple[Node, ...], ...]

    @property
    def nodes(self) -> int:
        """The number of nodes in all stages."""
        return sum(map(len, self.stages))


def stage_of(node: Node) -> Stage:
    """The earliest stage a node can run in, by the inputs it needs."""
    return max((_STAGE_OF_INPUT[name] for name in node.needs), default=Stage.CONSTANT)


def wanted_root(program: Program) -> Node:
    """The root of a program as it is run: a differ gets the expected output as C, a solver does not."""
    if program.kind == "differ" or "C" not in program.root.needs:
        return program.root
    return substituted(program.root, {Node.input("C"): WITHHELD})


def plan(programs: Iterable[Program]) -> Plan:
    """The plan of some programs: only the nodes they need, each in the earliest stage it can run in."""
    return plan_of(wanted_root(program) for program in programs)


def plan_of(nodes: Iterable[Node]) -> Plan:
    """The plan of some nodes."""
    roots = tuple(nodes)
    stages: tuple[list[Node], ...] = tuple([] for _ in Stage)
    for node in topological(roots):
        stages[stage_of(node)].append(node)
    return Plan(roots, tuple(map(tuple, stages)))
