"""The native backend: a batt becomes bytecode that the compiled core runs on all cores."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

from arcbatt import _core
from arcbatt.dsl.failures import KINDS, Failure, Kind
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.table import TABLE, Op
from arcbatt.dsl.types import RETURNS_NOTHING
from arcbatt.dsl.values import Function, Value, intake
from arcbatt.engine.backend import BackendName, FailureMode, Job, Report
from arcbatt.engine.plan import WITHHELD, wanted_root
from arcbatt.engine.results import Outputs, Verdict
from arcbatt.errors import BackendError, ValueRefused
from arcbatt.program.graph import Node, topological
from arcbatt.tasks import Task

# Kinds of node and stages as core/bytecode.h numbers them.
CONSTANT, SAMPLES, INPUT, COMPARISON, WITHHELD_INPUT, OP, CALL = range(7)
INPUT_KINDS = {"S": SAMPLES, "I": INPUT, "C": COMPARISON, WITHHELD.head: WITHHELD_INPUT}
ONCE, EACH_TASK, EACH_SAMPLE = range(3)
STAGES = {SAMPLES: EACH_TASK, INPUT: EACH_SAMPLE, COMPARISON: EACH_SAMPLE}

# Verdicts as core/engine.h writes them.
VERDICTS: dict[int, Verdict] = {0: False, 1: True, 2: None} | {17 + k: kind for k, kind in enumerate(KINDS)}

NUMBERS = {name: number for number, name in enumerate(_core.op_names())}
if list(NUMBERS) != list(TABLE):
    raise BackendError("the compiled core was built from another op table; install the package again")


class Bytecode:
    """The nodes of some programs, numbered, with the plan the core made of them."""

    def __init__(self, roots: Sequence[Node], judged: Sequence[bool], limits: Limits) -> None:
        self.nodes = topological(roots)
        place = {node: number for number, node in enumerate(self.nodes)}
        rows: list[tuple[int, int, int, tuple[int, ...], Value | None]] = []
        for node in self.nodes:
            args = tuple(place[arg] for arg in node.args)
            rows.append(_row(node, args, max((rows[arg][1] for arg in args), default=ONCE)))
        self.roots = [place[root] for root in roots]
        self.plan = _core.make_plan(rows, list(zip(self.roots, judged)), RETURNS_NOTHING, _limits(limits))


def _row(
    node: Node, args: tuple[int, ...], stage: int
) -> tuple[int, int, int, tuple[int, ...], Value | None]:
    """A node as the core reads it: kind, stage, op, arguments, constant."""
    if node.kind == "op":
        return OP, stage, NUMBERS[node.head], args, None
    if node.kind == "call":
        return CALL, stage, 0, args, None
    if node.kind == "constant":
        return CONSTANT, ONCE, 0, (), node.head
    kind = INPUT_KINDS[node.head]
    return kind, STAGES.get(kind, ONCE), 0, (), None


def _limits(limits: Limits) -> _core.Limits:
    return _core.Limits(limits.items, limits.calls, limits.depth)


def _packed(tasks: Sequence[Task], limits: Limits) -> _core.PackedTasks:
    try:
        return _core.pack_tasks([(task.pairs, task.samples) for task in tasks], _limits(limits))
    except ValueError:
        return _core.pack_tasks([_taken_in(task, limits) for task in tasks], _limits(limits))


def _taken_in(task: Task, limits: Limits) -> tuple[Value, list[tuple[Value, Value | None]]]:
    """A task with its grids taken in as values: the slow way, which names the task at fault."""
    try:
        samples = [
            (intake(given, limits), None if wanted is None else intake(wanted, limits))
            for given, wanted in task.samples
        ]
        return intake(task.pairs, limits), samples
    except ValueRefused as refusal:
        raise ValueRefused(f"task {task.id}: {refusal}; raise the limit to run it") from None


class NativeBackend:
    """Runs everything in the compiled core."""

    name: BackendName = "native"

    def run(self, job: Job, report: Report) -> dict[str, float]:
        """Run a job and report its tasks in order; the answer is the seconds spent by stage."""
        programs = list(dict.fromkeys(program for wanted in job.wanted for program in wanted))
        number = {program: k for k, program in enumerate(programs)}
        bytecode = Bytecode(
            [wanted_root(program) for program in programs],
            [program.kind == "solver" for program in programs],
            job.limits,
        )
        asked = [k for k, wanted in enumerate(job.wanted) if wanted]
        delivery = _Delivery(job, asked, report)
        interrupted, seconds = _core.run(
            bytecode.plan,
            _packed([job.tasks[k] for k in asked], job.limits),
            [[number[program] for program in job.wanted[k]] for k in asked],
            _limits(job.limits),
            job.on_failure == "default",
            job.threads,
            delivery.take,
        )
        delivery.finish(complete=not interrupted)
        if interrupted:
            raise KeyboardInterrupt
        return {"evaluation": seconds}

    def outcomes(
        self, nodes: Sequence[Node], task: Task, limits: Limits, on_failure: FailureMode
    ) -> Iterator[Outputs]:
        """The outcome of each node, sample by sample, demo then test."""
        bytecode = Bytecode(nodes, [False] * len(nodes), limits)
        packed, falls_back = _packed([task], limits), on_failure == "default"
        rows = _core.outcomes(bytecode.plan, packed, 0, bytecode.roots, _limits(limits), falls_back, Function)
        for row in rows:
            yield tuple(_outcome(entry, bytecode.nodes) for entry in row)

    def call(self, op: Op | Function, arguments: tuple[Value, ...], limits: Limits) -> Value | Failure:
        """One op or function on values."""
        name, values = (None, (op, *arguments)) if isinstance(op, Function) else (op.name, arguments)
        result = _core.call(name, values, _limits(limits), Function)
        return Failure(cast(Kind, result)) if isinstance(result, str) else result


def _outcome(entry: tuple[Any, ...], nodes: Sequence[Node]) -> Value | Failure:
    """The outcome that the core gives as (value,) or as (kind, number of the node that failed)."""
    if len(entry) == 1:
        value: Value = entry[0]
        return value
    kind, number = entry
    return Failure(kind, nodes[number])


class _Delivery:
    """Hands finished tasks on in their order, whichever thread was first."""

    def __init__(self, job: Job, asked: list[int], report: Report) -> None:
        self.job, self.asked, self.report = job, asked, report
        self.waiting: dict[int, bytes] = {}
        self.next = 0

    def take(self, finished: list[tuple[int, bytes]]) -> None:
        """Tasks, numbered among those asked for, that have just been finished."""
        for number, verdicts in finished:
            self.waiting[self.asked[number]] = verdicts
        self._deliver()

    def _deliver(self) -> None:
        while self.next < len(self.job.tasks) and (
            self.next in self.waiting or not self.job.wanted[self.next]
        ):
            self._report(self.next)
            self.next += 1

    def _report(self, number: int) -> None:
        task, programs = self.job.tasks[number], self.job.wanted[number]
        row = self.waiting.pop(number, b"")
        count = len(task.samples)
        verdicts = [tuple(VERDICTS[code] for code in row[k : k + count]) for k in range(0, len(row), count)]
        self.report(task, programs, verdicts)

    def finish(self, complete: bool) -> None:
        """Hand on what is left; after an interruption, also tasks whose predecessors are missing."""
        self._deliver()
        if not complete:
            for number in sorted(self.waiting):
                self._report(number)
