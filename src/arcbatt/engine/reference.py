"""The reference backend, the living definition: it walks the plan and calls the op bodies."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Literal

from arcbatt.dsl.failures import Failure, OpFailed
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.types import NOTHING
from arcbatt.dsl.values import Value, intake
from arcbatt.engine.machine import Machine
from arcbatt.engine.plan import WITHHELD, Plan, Stage
from arcbatt.program.graph import Node
from arcbatt.tasks import Sample, Task

FailureMode = Literal["fail", "default"]
FRAMES_PER_APPLICATION = 12


@contextmanager
def room_for(depth: int) -> Iterator[None]:
    """Let Python recurse as deep as applications of that nesting need."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 2000 + FRAMES_PER_APPLICATION * depth))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


class Evaluator:
    """Runs the nodes of a plan, stage by stage, and keeps the outcome of each in `outcomes`."""

    def __init__(self, limits: Limits, on_failure: FailureMode) -> None:
        self.limits = limits
        self.on_failure = on_failure
        self.machine = Machine(limits)
        self.outcomes: dict[Node, Value | Failure] = {WITHHELD: Failure("TYPE", WITHHELD)}
        self.seconds = dict.fromkeys(Stage, 0.0)

    def run_stage(self, plan: Plan, stage: Stage) -> None:
        """The outcomes of all nodes of a stage, from those of the stages before; constants run only once."""
        started = perf_counter()
        outcomes = self.outcomes
        for node in plan.stages[stage]:
            if node.kind != "input" and (stage != Stage.CONSTANT or node not in outcomes):
                outcomes[node] = self._outcome(node)
        self.seconds[stage] += perf_counter() - started

    def run_sample(self, plan: Plan, sample: Sample) -> tuple[Value | Failure, ...]:
        """The outcome of each program on one sample; the stages before must have run."""
        comparison = Node.input("C")
        self.outcomes[Node.input("I")] = intake(sample.input, self.limits)
        self.outcomes[comparison] = (
            Failure("TYPE", comparison) if sample.output is None else intake(sample.output, self.limits)
        )
        self.run_stage(plan, Stage.INPUT)
        self.run_stage(plan, Stage.COMPARISON)
        return tuple(self.outcomes[root] for root in plan.roots)

    def run_task(self, plan: Plan, task: Task) -> Iterator[tuple[Value | Failure, ...]]:
        """The outcomes of each program, sample by sample, demo then test."""
        with room_for(self.limits.depth):
            self.outcomes[Node.input("S")] = intake(task.pairs, self.limits)
            self.run_stage(plan, Stage.CONSTANT)
            self.run_stage(plan, Stage.SAMPLES)
            for sample in task.samples:
                yield self.run_sample(plan, sample)

    def _outcome(self, node: Node) -> Value | Failure:
        if node.kind == "constant":
            constant: Value = node.head
            return constant
        outcome = self._attempt(node)
        if isinstance(outcome, Failure) and self.on_failure == "default":
            return TABLE[node.head].default if node.kind == "op" else NOTHING
        return outcome

    def _attempt(self, node: Node) -> Value | Failure:
        arguments = []
        for arg in node.args:
            outcome = self.outcomes[arg]
            if isinstance(outcome, Failure):
                return outcome
            arguments.append(outcome)
        try:
            if node.kind == "op":
                return self.machine.run(TABLE[node.head], tuple(arguments))
            return self.machine.call(arguments[0], tuple(arguments[1:]))
        except OpFailed as failed:
            return Failure(failed.kind, node)
