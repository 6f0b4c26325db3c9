"""The reference backend, which defines all results: it walks the plan and calls the Python bodies of ops."""

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from time import perf_counter
from typing import Any, TypeAlias

from arcbatt.dsl.contract import FORGIVEN, NO_SCORE, Judging, Stage
from arcbatt.dsl.failures import Failure, OpFailed
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.machine import Machine, room_for
from arcbatt.dsl.own.errors import note
from arcbatt.dsl.table import TABLE, Callee, Op
from arcbatt.dsl.types import ANY, NOTHING, Type
from arcbatt.dsl.values import Function, Value, intake, judgement, weight
from arcbatt.engine.backend import (
    NO_OUTPUT,
    Backend,
    BackendName,
    Clock,
    Examination,
    Examiner,
    Job,
    Report,
    RunOptions,
    SolverScores,
    StepTime,
    task_input,
)
from arcbatt.engine.behaviour import behaviour_of
from arcbatt.engine.plan import Order, Plan, PlanStep, plan_of
from arcbatt.engine.records.verdicts import Outputs, partial_score, score_of, verdict_code, with_failures
from arcbatt.errors import ValueRefused
from arcbatt.program.graph import Node
from arcbatt.program.merge import without_answer
from arcbatt.tasks.samples import Samples, TaskLike


def result_type(head: Op | Value | Failure) -> Type:
    """The result type of an op or of a function value; that of a composition is not known."""
    if isinstance(head, Function) and not head.parts:
        return TABLE[head.name].result
    return head.result if isinstance(head, Op) else ANY


class _LimitReached(Exception):
    """The outcomes of a sample together exceed the weight or the work that one program is allowed."""


class Evaluator:
    """Runs the steps that some roots depend on, stage by stage; `outcomes` has the outcome of each.

    Where all outcomes of a sample together exceed what one program may hold or work, the roots run one by one
    on that sample, and a value is released after its last use.
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
        self._spent = [0] * len(Stage)  # their work
        self._begun = False

    def run_task(self, task: TaskLike) -> Iterator[Outputs]:
        """For each sample the outcomes of the roots."""
        limits = self.options.limits
        with room_for(limits.depth):
            self.inputs = {} if task.pairs is None else {"S": task_input(task.id, task.pairs, limits)}
            prepared = False
            for given, expected in task.samples:
                self.inputs["I"] = self._input(task, given)
                if expected is not None:
                    self.inputs["C"] = task_input(task.id, expected, limits)
                else:
                    self.inputs.pop("C", None)
                self.failures = 0
                try:
                    self._run_stages(prepared)
                    prepared = True
                    yield tuple(self.outcomes[root] for root in self.wanted)
                except _LimitReached:
                    yield self._run_apart()
                    self._begun = prepared = False

    def _input(self, task: TaskLike, given: Any) -> Value | Failure:
        """The input of a sample."""
        return task_input(task.id, given, self.options.limits)

    def _run_stages(self, prepared: bool) -> None:
        """Run the sample stage, and the stages before it unless their outcomes are there already."""
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
                raise _LimitReached

    def _run_apart(self) -> Outputs:
        """The outcomes of the roots, each run by itself; a plan in mode `pile` runs as a whole."""
        if self.plan.whole:
            self._run_alone(self.plan.order(None))
            return tuple(self.outcomes[root] for root in self.wanted)
        found = []
        for root, number in zip(self.roots, self.wanted):
            self._run_alone(self.plan.order(root))
            found.append(self.outcomes[number])
        return tuple(found)

    def _run_alone(self, order: Order) -> None:
        """Run steps in an order and release each outcome after its last use; a step without room fails SIZE.

        The limit of work holds for all of them together; in mode `pile`, for each.
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

    def _outcome(self, step: PlanStep, room: int | None = None) -> Value | Failure:
        """The outcome of a step; a value that weighs more than the room is a SIZE failure."""
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

    def _conditional(self, step: PlanStep) -> Value | Failure:
        """The outcome of a step that stands for a condition: see `_conditional` in plan.py."""
        given, *condition = (self.outcomes[arg] for arg in step.args)
        failed = next((outcome for outcome in condition if isinstance(outcome, Failure)), None)
        return failed or (Failure("TYPE", step.node) if isinstance(given, Failure) else given)

    def _attempt(self, step: PlanStep) -> Value | Failure:
        arguments: list[Value] = []
        for arg in step.args:
            outcome = self.outcomes[arg]
            if isinstance(outcome, Failure):
                return outcome
            arguments.append(outcome)
        try:
            return self.machine.run(step.node.callee, tuple(arguments))
        except OpFailed as failed:
            note(step.node, failed.fault)
            return Failure(failed.kind, step.node)

    def _piled(self, step: PlanStep, head: Any, failure: Failure) -> Value | Failure:
        """The outcome of a failed line in mode `pile`: an empty container while few lines have failed.

        A line that depends on an earlier line without an outcome does not run, and does not count as failed.
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


class OutputEvaluator(Evaluator):
    """An evaluator of differs, whose inputs are outputs of solvers: values and failures."""

    def _input(self, task: TaskLike, given: Any) -> Value | Failure:
        output: Value | Failure = given
        return output


class TimedEvaluator(Evaluator):
    """An evaluator that times every step; the weight and work of a sample have no bound."""

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

    def _attempt(self, step: PlanStep) -> Value | Failure:
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
        """Run a job and report each task; returns the seconds spent by stage."""
        started = perf_counter()
        for number, (rows, judged) in enumerate(_rows_by_task(job)):
            report(number, *_encoded(rows, judged))
        return {"evaluation": perf_counter() - started}

    def score(self, job: Job, scored: Sequence[int], differs: Plan) -> list[SolverScores]:
        """Judge solvers, and run differs on each distinct output of a sample that is not exact."""
        evaluator = OutputEvaluator(differs, range(len(differs.roots)), job.options)
        failing = _rows_by_task(replace(job, options=replace(job.options, on_failure="fail")))
        found = []
        for task, count, (rows, judged), (failed, _) in zip(job.tasks, scored, _rows_by_task(job), failing):
            numbers, distinct = _distinct(rows[:count], len(judged))
            scores = _marks(evaluator, task, rows, distinct)
            verdicts, failures = (_encoded(some, judged)[0] for some in (rows, failed))
            verdicts = with_failures(verdicts, range(len(judged)), failures, len(rows))
            found.append(SolverScores(verdicts, numbers, scores))
        return found

    def examiner(self, task: TaskLike, scored: int, options: RunOptions, differs: Plan) -> Examiner:
        """A function that judges candidates on one task."""
        judge = OutputEvaluator(differs, range(len(differs.roots)), options)

        def examine(roots: Sequence[Node]) -> Examination:
            judged = [Judging.in_parts] * len(roots)
            solving = plan_of(without_answer(root) for root in roots)
            ((rows, _),) = _rows_by_task(Job(solving, judged, [task], [range(len(roots))], options))
            by_root = ([outputs[place] for outputs, _ in rows] for place in range(len(roots)))
            behaviours = array("Q", map(behaviour_of, by_root))
            numbers, distinct = _distinct(rows[:scored] if differs.roots else [], len(roots))
            marks = _marks(judge, task, rows, distinct)
            return Examination(*_encoded(rows, judged), behaviours.tobytes(), numbers, marks)

        return examine

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
        """An op on values, or a call of the first value with the others."""
        try:
            with room_for(limits.depth):
                return Machine(limits).run(callee, arguments)
        except OpFailed as failed:
            return Failure(failed.kind, error=failed.fault and failed.fault.error)

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
    """The backend of this process."""
    return ReferenceBackend()


def _held_by(step: PlanStep, outcome: Value | Failure) -> int:
    """The weight of an outcome; inputs and constants are there anyway and weigh nothing."""
    return 0 if step.node.kind in ("constant", "input") or isinstance(outcome, Failure) else weight(outcome)


# The outcomes of the wanted roots on each sample of a task, with its expected output.
Rows: TypeAlias = list[tuple[Outputs, Any]]


def _rows_by_task(job: Job) -> Iterator[tuple[Rows, list[int]]]:
    """The rows of each task, and what the outcomes of the wanted roots are."""
    evaluator = Evaluator(job.plan, (), job.options)
    for task, wanted in zip(job.tasks, map(tuple, job.wanted)):
        if wanted != evaluator.roots:
            evaluator = Evaluator(job.plan, wanted, job.options)
        outcomes = evaluator.run_task(task) if wanted else ()
        yield [(row, evaluator.inputs.get("C")) for row in outcomes], [job.judged[root] for root in wanted]


def _distinct(rows: Rows, roots: int) -> tuple[bytes, list[list[Value | Failure]]]:
    """For each root and sample the number of its output, and the distinct outputs of each sample.

    Exact ones are left out; all failures are one output.
    """
    distinct: list[dict[Value | Failure, int]] = [{} for _ in rows]
    numbers = array("I")
    for place in range(roots):
        for known, (outputs, expected) in zip(distinct, rows):
            output = outputs[place]
            if isinstance(output, Failure):
                output = Failure("TYPE")
            numbers.append(NO_OUTPUT if output == expected else known.setdefault(output, len(known)))
    return numbers.tobytes(), [list(known) for known in distinct]


def _marks(
    differs: OutputEvaluator, task: TaskLike, rows: Rows, distinct: Sequence[Sequence[Value | Failure]]
) -> list[bytes]:
    """For each sample the scores of the differs for its distinct outputs."""
    scores = []
    for outputs, (_, expected) in zip(distinct, rows):
        samples = Samples(task.id, task.pairs, [(output, expected) for output in outputs])
        marked = [(marks, None) for marks in differs.run_task(samples)]
        scores.append(_encoded(marked, [Judging.as_score] * len(differs.roots))[1])
    return scores


def _encoded(rows: Rows, judged: Sequence[int]) -> tuple[bytes, bytes]:
    """Verdicts and scores, root by root; a row has the outcomes of a sample and its expected output."""
    verdicts, scores = bytearray(), array("i")
    for place, judging in enumerate(judged):
        for outputs, expected in rows:
            verdicts.append(verdict_code(outputs[place], expected, judging != Judging.as_score))
            scores.append(_score(outputs[place], expected, judging))
    return bytes(verdicts), scores.tobytes()


def _score(outcome: Value | Failure, expected: Any, judging: int) -> int:
    if judging == Judging.as_score:
        return score_of(outcome)
    in_parts = judging == Judging.in_parts and expected is not None
    return partial_score(outcome, expected) if in_parts else NO_SCORE
