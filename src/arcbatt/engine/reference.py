"""The reference backend, the living definition: it walks the plan and calls the op bodies."""

from collections.abc import Iterator, Sequence
from time import perf_counter

from arcbatt.dsl.failures import Failure, OpFailed
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.table import TABLE, Op
from arcbatt.dsl.types import NOTHING
from arcbatt.dsl.values import Function, Value
from arcbatt.engine.backend import BackendName, FailureMode, Job, Report, task_input
from arcbatt.engine.machine import Machine, room_for
from arcbatt.engine.plan import WITHHELD, Plan, Stage, plan, plan_of
from arcbatt.engine.results import Outputs, verdict
from arcbatt.program.graph import Node, Program
from arcbatt.tasks import Sample, Task


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

    def run_task(self, plan: Plan, task: Task) -> Iterator[tuple[Value | Failure, ...]]:
        """The outcomes of each program, sample by sample, demo then test."""
        with room_for(self.limits.depth):
            self.outcomes[Node.input("S")] = task_input(task, task.pairs, self.limits)
            self.run_stage(plan, Stage.CONSTANT)
            self.run_stage(plan, Stage.SAMPLES)
            for sample in task.samples:
                yield self._run_sample(plan, task, sample)

    def _run_sample(self, plan: Plan, task: Task, sample: Sample) -> tuple[Value | Failure, ...]:
        comparison = Node.input("C")
        self.outcomes[Node.input("I")] = task_input(task, sample.input, self.limits)
        self.outcomes[comparison] = (
            Failure("TYPE", comparison)
            if sample.output is None
            else task_input(task, sample.output, self.limits)
        )
        self.run_stage(plan, Stage.INPUT)
        self.run_stage(plan, Stage.COMPARISON)
        return tuple(self.outcomes[root] for root in plan.roots)

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


class ReferenceBackend:
    """Runs everything in Python, one sample after the other."""

    name: BackendName = "reference"

    def run(self, job: Job, report: Report) -> dict[str, float]:
        """Run a job and report each task; the answer is the seconds spent by stage."""
        evaluator = Evaluator(job.limits, job.on_failure)
        plans: dict[tuple[Program, ...], Plan] = {}
        for task, wanted in zip(job.tasks, job.wanted):
            programs = tuple(wanted)
            if programs not in plans:
                plans = {programs: plan(programs)}
            outputs = evaluator.run_task(plans[programs], task) if programs else ()
            rows = [
                [verdict(program, outcome, sample.output) for program, outcome in zip(programs, outcomes)]
                for sample, outcomes in zip(task.samples, outputs)
            ]
            report(task, programs, list(zip(*rows)))
        return {stage.name.lower(): spent for stage, spent in evaluator.seconds.items()}

    def outcomes(
        self, nodes: Sequence[Node], task: Task, limits: Limits, on_failure: FailureMode
    ) -> Iterator[Outputs]:
        """The outcome of each node, sample by sample, demo then test."""
        return Evaluator(limits, on_failure).run_task(plan_of(nodes), task)

    def call(self, op: Op | Function, arguments: tuple[Value, ...], limits: Limits) -> Value | Failure:
        """One op or function on values."""
        machine = Machine(limits)
        try:
            with room_for(limits.depth):
                return machine.call(op, arguments) if isinstance(op, Function) else machine.run(op, arguments)
        except OpFailed as failed:
            return Failure(failed.kind)
