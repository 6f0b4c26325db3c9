"""The reference backend, the living definition: it walks the plan and calls the op bodies."""

from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from time import perf_counter
from typing import Any

from arcbatt.dsl.contract import FORGIVEN, NO_SCORE, Stage
from arcbatt.dsl.failures import Failure, OpFailed
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.machine import Machine, room_for
from arcbatt.dsl.table import TABLE, Callee, Op
from arcbatt.dsl.types import ANY, NOTHING, Type
from arcbatt.dsl.values import Function, Value, intake, judgement, weight
from arcbatt.engine.backend import Backend, BackendName, Clock, Job, Report, RunOptions, StepTime, task_input
from arcbatt.engine.plan import Order, Plan, Step
from arcbatt.engine.results import Outputs, score_of, verdict_code
from arcbatt.errors import ValueRefused
from arcbatt.tasks.samples import TaskLike


def result_type(head: Op | Value | Failure) -> Type:
    """What an op, or a function value, should give when it is called; a composite may give anything."""
    if isinstance(head, Function) and not head.parts:
        return TABLE[head.name].result
    return head.result if isinstance(head, Op) else ANY


class _Full(Exception):
    """The values of a sample weigh more together, or cost more, than those of one program may."""


class Evaluator:
    """Runs some steps of a plan, stage by stage, and keeps the outcome of each in `outcomes`.

    If all outcomes together weigh more than a program may hold, or cost more than a program may, each root
    runs by itself on that sample, and its values are released after their last use.
    """

    def __init__(self, plan: Plan, roots: Sequence[int], options: RunOptions) -> None:
        self.plan, self.roots, self.options = plan, roots, options
        self.machine = Machine(options.limits)
        self.wanted = [plan.roots[root] for root in roots]
        self.stages: list[list[int]] = [[] for _ in Stage]
        for number in plan.needed(roots):
            self.stages[plan.steps[number].stage].append(number)
        self.outcomes: list[Value | Failure] = [NOTHING] * len(plan.steps)
        self.inputs: dict[str, Value | Failure] = {}
        self.failures = 0
        self._held = [0] * len(Stage)  # the weight of the outcomes, by stage
        self._spent = [0] * len(Stage)  # what they have cost
        self._begun = False

    def run_task(self, task: TaskLike) -> Iterator[Outputs]:
        """The outcomes of the wanted roots, sample by sample."""
        limits = self.options.limits
        with room_for(limits.depth):
            self.inputs = {} if task.pairs is None else {"S": task_input(task.id, task.pairs, limits)}
            prepared = False
            for given, expected in task.samples:
                self.inputs["I"] = task_input(task.id, given, limits)
                if expected is not None:
                    self.inputs["C"] = task_input(task.id, expected, limits)
                else:
                    self.inputs.pop("C", None)
                self.failures = 0
                try:
                    self._run_stages(prepared)
                    prepared = True
                    yield tuple(self.outcomes[root] for root in self.wanted)
                except _Full:
                    yield self._run_apart()
                    self._begun = prepared = False

    def _run_stages(self, prepared: bool) -> None:
        """Run what a sample needs: what is constant and what depends on the task alone only if it has not."""
        if not self._begun:
            self._run_stage(Stage.constant)
            self._begun = True
        if not prepared:
            self._run_stage(Stage.task)
        self._run_stage(Stage.sample)

    def _run_stage(self, stage: Stage) -> None:
        limits = self.options.limits
        room = limits.held - sum(self._held[:stage])
        means = limits.work - sum(self._spent[:stage])
        self._held[stage] = self._spent[stage] = 0
        for number in self.stages[stage]:
            step = self.plan.steps[number]
            self.outcomes[number] = outcome = self._outcome(step)
            self._held[stage] += _held_by(step, outcome)
            self._spent[stage] += self.machine.work
            if self._held[stage] > room or (self._spent[stage] > means and not self.plan.whole):
                raise _Full

    def _run_apart(self) -> Outputs:
        """The outcomes of the wanted roots, each run by itself; the lines of a pile cannot be parted."""
        if self.plan.whole:
            self._run_alone(self.plan.orders[None])
            return tuple(self.outcomes[root] for root in self.wanted)
        found = []
        for root, number in zip(self.roots, self.wanted):
            self._run_alone(self.plan.orders[root])
            found.append(self.outcomes[number])
        return tuple(found)

    def _run_alone(self, order: Order) -> None:
        """Run steps in an order, each outcome as long as it is needed; a step without room fails SIZE.

        The work of all of them is one account, unless they are the lines of a pile.
        """
        self.outcomes = [NOTHING] * len(self.plan.steps)
        self.failures = 0
        held, weights = 0, dict[int, int]()
        for number, released in zip(order.steps, order.released):
            step = self.plan.steps[number]
            self.outcomes[number] = self._outcome(step, self.options.limits.held - held)
            if not self.plan.whole:
                self.machine.carried = self.machine.work
            weights[number] = _held_by(step, self.outcomes[number])
            held += weights[number]
            for done in released:
                self.outcomes[done] = NOTHING
                held -= weights[done]
        self.machine.carried = 0

    def _outcome(self, step: Step, room: int | None = None) -> Value | Failure:
        """What a step gives; where its value weighs more than the room, it fails SIZE."""
        node = step.node
        self.machine.work = self.machine.carried
        if node.kind == "constant":
            constant: Value = node.head
            kind = judgement(constant, self.options.limits)
            return constant if kind is None else Failure(kind, node)
        if node.kind == "input":
            return self._conditional(step) if step.args else self.inputs.get(node.head, Failure("TYPE", node))
        outcome = self._attempt(step)
        if room is not None and _held_by(step, outcome) > room:
            outcome = Failure("SIZE", node)
        if not isinstance(outcome, Failure) or self.options.on_failure == "fail":
            return outcome
        head: Any = TABLE[node.head] if node.kind == "op" else self.outcomes[step.args[0]]
        return (
            result_type(head).default
            if self.options.on_failure == "default"
            else self._piled(step, head, outcome)
        )

    def _conditional(self, step: Step) -> Value | Failure:
        """An argument of a line of a pile as the line gets it; see `plan_of_lines`."""
        given, *condition = (self.outcomes[arg] for arg in step.args)
        failed = next((outcome for outcome in condition if isinstance(outcome, Failure)), None)
        return failed or (Failure("TYPE", step.node) if isinstance(given, Failure) else given)

    def _attempt(self, step: Step) -> Value | Failure:
        arguments: list[Value] = []
        for arg in step.args:
            outcome = self.outcomes[arg]
            if isinstance(outcome, Failure):
                return outcome
            arguments.append(outcome)
        try:
            return self.machine.run(step.node.callee, tuple(arguments))
        except OpFailed as failed:
            return Failure(failed.kind, step.node)

    def _piled(self, step: Step, head: Any, failure: Failure) -> Value | Failure:
        """What stands for a failed line in mode `pile`: an empty container, if few lines have failed by then.

        A line does not run, and so does not fail, where an earlier line that it needs gave nothing.
        """
        for arg in step.args:
            given = self.outcomes[arg]
            if isinstance(given, Failure) and getattr(given.node, "kind", None) not in ("input", "constant"):
                return given
        self.failures += 1
        container = result_type(head).stand_in
        if self.failures <= FORGIVEN and container is not None:
            return container
        return Failure(failure.kind, step.node)


class TimedEvaluator(Evaluator):
    """The evaluator with a clock at every step; what a sample holds has no bound."""

    def __init__(self, plan: Plan, options: RunOptions, clock: Clock) -> None:
        super().__init__(plan, range(len(plan.roots)), options)
        count = len(plan.steps)
        self.clock = clock
        self.turns, self.nanoseconds, self.failed = [0] * count, [0] * count, [0] * count
        self._number = 0

    def _run_stage(self, stage: Stage) -> None:
        for number in self.stages[stage]:
            self._number = number
            started = self.clock()
            self.outcomes[number] = self._outcome(self.plan.steps[number])
            self.nanoseconds[number] += self.clock() - started
            self.turns[number] += 1

    def _attempt(self, step: Step) -> Value | Failure:
        outcome = super()._attempt(step)
        is_own = not any(isinstance(self.outcomes[arg], Failure) for arg in step.args)
        self.failed[self._number] += is_own and isinstance(outcome, Failure)
        return outcome


class ReferenceBackend(Backend):
    """Runs everything in Python, one sample after the other."""

    name: BackendName = "reference"
    in_core = False
    uses_threads = False
    tells_times = True

    def run(self, job: Job, report: Report) -> dict[str, float]:
        """Run a job and report each task; the answer is the seconds spent by stage."""
        started = perf_counter()
        evaluator = Evaluator(job.plan, (), job.options)
        for number, (task, wanted) in enumerate(zip(job.tasks, map(tuple, job.wanted))):
            if wanted != evaluator.roots:
                evaluator = Evaluator(job.plan, wanted, job.options)
            rows = [
                (outputs, evaluator.inputs.get("C"))
                for outputs in (evaluator.run_task(task) if wanted else ())
            ]
            report(number, *_encoded(rows, [job.judged[root] for root in wanted]))
        return {"evaluation": perf_counter() - started}

    def outcomes(self, plan: Plan, tasks: Sequence[TaskLike], options: RunOptions) -> Iterator[list[Outputs]]:
        """For each task, for each sample the outcomes of the plan's roots."""
        evaluator = Evaluator(plan, range(len(plan.roots)), options)
        for task in tasks:
            yield list(evaluator.run_task(task))

    def profile(
        self,
        plan: Plan,
        tasks: Sequence[TaskLike],
        options: RunOptions,
        on_task: Callable[[TaskLike], None],
        clock: Clock,
    ) -> list[StepTime]:
        """The times of the steps of a plan."""
        evaluator = TimedEvaluator(plan, options, clock)
        for task in tasks:
            for _ in evaluator.run_task(task):
                pass
            on_task(task)
        return list(map(StepTime, evaluator.turns, evaluator.nanoseconds, evaluator.failed))

    def time_of_nothing(self, count: int, options: RunOptions, clock: Clock) -> int:
        """The nanoseconds between readings of the clock."""
        readings = [clock() for _ in range(count + 1)]
        return readings[-1] - readings[0]

    def call(self, callee: Callee, arguments: tuple[Value, ...], limits: Limits) -> Value | Failure:
        """An op, or a call of the first argument, on values."""
        try:
            with room_for(limits.depth):
                return Machine(limits).run(callee, arguments)
        except OpFailed as failed:
            return Failure(failed.kind)

    def call_many(
        self, callee: Callee, columns: Sequence[Sequence[Any]], limits: Limits
    ) -> Sequence[Value | Failure]:
        """The same on each row of equally long columns."""
        return [self._call_row(callee, row, limits) for row in zip(*columns)]

    def _call_row(self, callee: Callee, row: tuple[Any, ...], limits: Limits) -> Value | Failure:
        try:
            with room_for(limits.depth):
                values = tuple(intake(argument, limits) for argument in row)
        except ValueRefused:
            return Failure("TYPE")
        return self.call(callee, values, limits)


@cache
def open_backend() -> ReferenceBackend:
    """The one of this process."""
    return ReferenceBackend()


def _held_by(step: Step, outcome: Value | Failure) -> int:
    """What an outcome adds to what a program holds: inputs and constants are there anyway."""
    return 0 if step.node.kind in ("constant", "input") or isinstance(outcome, Failure) else weight(outcome)


def _encoded(rows: list[tuple[Outputs, Any]], judged: list[bool]) -> tuple[bytes, bytes]:
    """Verdicts and scores, root by root, of the outcomes for samples with their expected outputs."""
    verdicts, scores = bytearray(), array("i")
    for place, is_judged in enumerate(judged):
        for outputs, expected in rows:
            verdicts.append(verdict_code(outputs[place], expected, is_judged))
            scores.append(NO_SCORE if is_judged else score_of(outputs[place]))
    return bytes(verdicts), scores.tobytes()
