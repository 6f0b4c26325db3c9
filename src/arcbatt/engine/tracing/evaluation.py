"""One program on one sample, with the value of every node and the cause of every failure."""

from collections.abc import Iterable, Sequence

from arcbatt.dsl.failures import Failure
from arcbatt.dsl.values import Value, weight
from arcbatt.engine.backend import RunOptions
from arcbatt.engine.backends.reference import Evaluator
from arcbatt.engine.plan import Plan, PlanStep, plan_of
from arcbatt.engine.records.verdicts import Outputs
from arcbatt.engine.tracing.recording import Cause, Recorder
from arcbatt.program.graph import Node
from arcbatt.tasks.samples import Samples


class TracingEvaluator(Evaluator):
    """An evaluator that keeps the outcomes of all nodes in `found`, and the causes of failures.

    Values are kept while there is `room`, in units of weight.
    """

    def __init__(self, plan: Plan, options: RunOptions, room: int) -> None:
        super().__init__(plan, range(len(plan.roots)), options)
        self.machine = self.recorder = Recorder(options.limits)
        self.found: dict[Node, Value | Failure] = {}
        self.causes: dict[Node, Cause] = {}
        self.room = self._room_at_first = room

    def _run_apart(self) -> Outputs:
        self.found.clear()
        self.room = self._room_at_first
        return super()._run_apart()

    def _outcome(self, step: PlanStep, room: int | None = None) -> Value | Failure:
        outcome = super()._outcome(step, room)
        heavy = 0 if isinstance(outcome, Failure) else weight(outcome)
        if heavy <= self.room:
            self.room -= heavy
            self.found[step.node] = outcome
        return outcome

    def _attempt(self, step: PlanStep) -> Value | Failure:
        outcome = super()._attempt(step)
        cause = self.recorder.cause
        if isinstance(outcome, Failure) and outcome.node is step.node and cause is not None:
            self.causes[step.node] = cause
        return outcome


class Evaluation:
    """The outcomes of the nodes that a program needs on a sample, and of others if they are asked for.

    `found` leaves out values where all would be heavier together than a program may hold at one time.
    """

    def __init__(self, root: Node, sample: Samples, options: RunOptions) -> None:
        self._sample, self.options = sample, options
        self._room = options.limits.held
        self.found: dict[Node, Value | Failure] = {}
        self.causes: dict[Node, Cause] = {}
        (self.output,), self.needed = self._evaluated([root])

    def _evaluated(self, roots: Sequence[Node]) -> tuple[Sequence[Value | Failure], frozenset[Node]]:
        """The outcomes of nodes, and all nodes that they need."""
        evaluator = TracingEvaluator(plan_of(roots), self.options, self._room)
        (outputs,) = evaluator.run_task(self._sample)
        self._room = evaluator.room
        for node, outcome in evaluator.found.items():
            self.found.setdefault(node, outcome)
        for node, cause in evaluator.causes.items():
            self.causes.setdefault(node, cause)
        for root, output in zip(roots, outputs):
            self.found[root] = output
        return outputs, frozenset(evaluator.plan.nodes)

    def add(self, roots: Iterable[Node]) -> None:
        """Evaluate nodes that the program does not need, each as if it were a program of its own."""
        others = [root for root in dict.fromkeys(roots) if root not in self.needed]
        if others:
            self._evaluated(others)
