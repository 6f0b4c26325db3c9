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
    """Nodes by stage, and the root of each program."""

    programs: tuple[Program, ...]
    roots: tuple[Node, ...]
    stages: tuple[tuple[Node, ...], ...]

    @property
    def nodes(self) -> int:
        """The number of nodes in all stages."""
        return sum(map(len, self.stages))


def wanted_root(program: Program) -> Node:
    """The root of a program as it is run: a differ gets the expected output as C, a solver does not."""
    if program.kind == "differ" or "C" not in program.inputs:
        return program.root
    return substituted(program.root, {Node.input("C"): WITHHELD})


def plan(programs: Iterable[Program]) -> Plan:
    """The plan of some programs: only the nodes they need, each in the earliest stage it can run in."""
    programs = tuple(programs)
    roots = tuple(wanted_root(program) for program in programs)
    stage_of: dict[Node, Stage] = {}
    stages: tuple[list[Node], ...] = tuple([] for _ in Stage)
    for node in topological(roots):
        if node.kind == "input":
            stage = _STAGE_OF_INPUT[node.head]
        else:
            stage = max((stage_of[arg] for arg in node.args), default=Stage.CONSTANT)
        stage_of[node] = stage
        stages[stage].append(node)
    return Plan(programs, roots, tuple(map(tuple, stages)))
