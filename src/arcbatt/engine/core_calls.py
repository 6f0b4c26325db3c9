"""Work for the compiled core: a plan as bytecode, tasks packed, and what comes back in the order of tasks."""

from bisect import bisect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache
from typing import Any

from arcbatt import _core
from arcbatt.dsl import contract
from arcbatt.dsl.contract import NAMES_BETWEEN, NodeKind, Status
from arcbatt.dsl.failures import Failure, Kind, OpFailed
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.machine import Machine, room_for
from arcbatt.dsl.table import FUNCTION_CALL, TABLE, Op
from arcbatt.dsl.types import RETURNS_NOTHING
from arcbatt.dsl.values import Function, Value, judgement
from arcbatt.engine.backend import FailureMode, Job, Report, RunOptions, task_input
from arcbatt.engine.packed import PackedOutcomes
from arcbatt.engine.plan import Plan, Step
from arcbatt.engine.results import Outputs
from arcbatt.errors import BackendError, OutOfMemory
from arcbatt.gc_pause import gc_paused
from arcbatt.program.graph import NONE
from arcbatt.program.merge import WITHHELD
from arcbatt.tasks.samples import Samples, TaskLike

INPUT_KINDS = {
    "S": NodeKind.samples,
    "I": NodeKind.input,
    "C": NodeKind.comparison,
    WITHHELD.head: NodeKind.withheld,
    NONE.head: NodeKind.withheld,
}
MODES: dict[FailureMode, contract.FailureMode] = {
    "fail": contract.FailureMode.fail,
    "default": contract.FailureMode.fall_back,
    "pile": contract.FailureMode.pile,
}

CORE_OPS = tuple(_core.op_names())
OP_NUMBERS = {name: number for number, name in enumerate(CORE_OPS)}
CALLEE_NUMBERS = OP_NUMBERS | {FUNCTION_CALL.name: len(CORE_OPS)}
CORE_NAMES = sorted(CORE_OPS)
if tuple(TABLE)[: len(CORE_OPS)] != CORE_OPS or contract.fingerprint() != _core.CONTRACT:
    raise BackendError("the compiled core was built from another op table; install the package again")

OUT_OF_MEMORY = "a program needs more memory than a lane can have; lower the limit of items"

Row = tuple[int, int, int, tuple[int, ...], Value | None]


def foreign_ops() -> list[Op]:
    """The ops that the core does not have: a user's own, run in Python when a lane comes to one."""
    return list(TABLE.values())[len(CORE_OPS) :]


class CoreTerms:
    """What every call of the core needs: the limits, and how to run foreign ops under them.

    The ops named in `on_reference` run in Python as foreign ops do.
    """

    def __init__(self, limits: Limits, on_reference: frozenset[str] = frozenset()) -> None:
        switched_off = sorted(OP_NUMBERS.keys() & on_reference)
        self.in_python = [*foreign_ops(), *(TABLE[name] for name in switched_off)]
        self.bounds = limits
        self.limits = _core.Limits(
            limits.items, limits.calls, limits.depth, limits.work, limits.held, limits.memory
        )
        places = _name_places() | {name: _core_place(name) for name in switched_off}
        self.ops = [(op.name, op.arity, places[op.name]) for op in self.in_python]
        context = copy_context()

        def run(*call: Any) -> tuple[int, int, int, Value | None]:
            # A lane's thread knows nothing of the scope that the run was started in.
            return context.copy().run(_run_foreign, limits, *call)

        self.foreign = _core.ForeignOps(self.ops, run, Function)


def _core_place(name: str) -> int:
    """The place of one of the core's own names among all names."""
    return (CORE_NAMES.index(name) + 1) * NAMES_BETWEEN


def _name_places() -> dict[str, int]:
    """The place of each foreign name among all names: behind the core's name before it, in order."""
    places: dict[str, int] = {}
    for name in sorted(op.name for op in foreign_ops()):
        start = bisect(CORE_NAMES, name) * NAMES_BETWEEN
        place = max([start, *(place for place in places.values() if place > start)]) + 1
        if place >= start + NAMES_BETWEEN:
            raise BackendError(f"there are too many ops of your own with names like {name!r}")
        places[name] = place
    return places


def _run_foreign(
    limits: Limits, name: str, arguments: tuple[Value, ...], calls: int, depth: int, work: int
) -> tuple[int, int, int, Value | None]:
    """A foreign op in the middle of a lane: applications made and work done by then, status, value."""
    calls, work, outcome = Machine(limits).resume(TABLE[name], arguments, calls, depth, work)
    if isinstance(outcome, OpFailed):
        return calls, work, Status[outcome.kind], None
    return calls, work, Status.ok, outcome


class Bytecode:
    """A plan as the core reads it."""

    def __init__(self, plan: Plan, judged: Sequence[bool], terms: CoreTerms) -> None:
        foreign = enumerate(terms.in_python, len(CALLEE_NUMBERS))
        numbers = CALLEE_NUMBERS | {op.name: number for number, op in foreign}
        with gc_paused():
            rows = [_row(step, numbers, terms.bounds) for step in plan.steps]
        defaults = [(op.default, op.result.stand_in) for op in terms.in_python]
        self.plan = _core.make_plan(
            rows, list(zip(plan.roots, judged)), RETURNS_NOTHING, defaults, terms.limits, terms.foreign
        )


def _row(step: Step, numbers: dict[str, int], limits: Limits) -> Row:
    """A step as the core reads it: kind, stage, op, arguments, constant.

    A constant that fails under the limits has, instead of an op and a value, the number of its failure.
    """
    node, stage = step.node, step.stage
    if node.kind in ("op", "call"):
        return NodeKind.op, stage, numbers[node.callee.name], step.args, None
    if node.kind == "constant":
        kind = judgement(node.head, limits)
        if kind is not None:
            return NodeKind.constant, stage, Status[kind], (), None
        return NodeKind.constant, stage, 0, (), node.head
    return INPUT_KINDS[node.head], stage, 0, step.args, None


def packed_inputs(tasks: Sequence[TaskLike], limits: Limits, terms: CoreTerms) -> _core.PackedTasks:
    """The inputs of tasks in the memory of the core."""
    try:
        return _core.pack_tasks(list(tasks), terms.limits, terms.foreign)
    except (ValueError, TypeError, RuntimeError):  # some grid is no value as it stands; it may stand for one
        return _core.pack_tasks([_taken_in(task, limits) for task in tasks], terms.limits, terms.foreign)


def _taken_in(task: TaskLike, limits: Limits) -> Samples:
    """A task with its grids taken in as values: the slow way, which names the task at fault."""

    def known(value: Any) -> Value | None:
        return None if value is None else task_input(task.id, value, limits)

    samples = [(task_input(task.id, given, limits), known(expected)) for given, expected in task.samples]
    return Samples(task.id, known(task.pairs), samples)


@contextmanager
def under(limits: Limits) -> Iterator[None]:
    """What every call of the core needs around it: room for foreign ops to recurse, and plain words."""
    try:
        with room_for(limits.depth):
            yield
    except MemoryError:
        raise OutOfMemory(OUT_OF_MEMORY) from None


class CoreCall:
    """A plan and tasks as the core takes them, with the roots wanted for each task, or all."""

    def __init__(
        self,
        plan: Plan,
        tasks: Sequence[TaskLike],
        terms: RunOptions,
        judged: Sequence[bool] | None = None,
        wanted: list[list[int]] | None = None,
    ) -> None:
        self.tasks, self.width = tasks, len(plan.roots)
        self.terms = CoreTerms(terms.limits, terms.on_reference)
        bytecode = Bytecode(plan, judged or [False] * self.width, self.terms)
        packed = packed_inputs(tasks, terms.limits, self.terms)
        self.job = _core.Job(bytecode.plan, packed, wanted, self.terms.limits, MODES[terms.on_failure])

        @cache
        def failure(kind: Kind, number: int) -> Failure:
            return Failure(kind, plan.steps[number].node)

        self.failure = failure

    def rows(self, kept: _core.OutcomeStore) -> Iterator[list[Outputs]]:
        """What was kept, for each task a list of rows."""
        start = 0
        for count in (len(task.samples) for task in self.tasks):
            yield [PackedOutcomes(kept, (start + k) * self.width, self.width) for k in range(count)]
            start += count


@cache
def failure_of(kind: Kind) -> Failure:
    """The failure of a single call, which has no node."""
    return Failure(kind)


@cache
def failure_of_row(kind: Kind, row: int) -> Failure:
    """The failure of a row of columns, which has no node."""
    return Failure(kind)


class Delivery:
    """Hands finished tasks on in their order, whichever thread was first."""

    def __init__(self, job: Job, report: Report) -> None:
        self.job, self.report = job, report
        self.asked = [number for number, wanted in enumerate(job.wanted) if wanted]
        self.waiting: dict[int, tuple[bytes, bytes]] = {}
        self.next = 0

    def call(self) -> CoreCall:
        """The call that judges the tasks asked for."""
        tasks = [self.job.tasks[number] for number in self.asked]
        wanted = [list(self.job.wanted[number]) for number in self.asked]
        return CoreCall(self.job.plan, tasks, self.job.terms, self.job.judged, wanted)

    def take(self, finished: list[tuple[int, bytes, bytes]]) -> None:
        """Tasks, numbered among those asked for, that have just been finished."""
        for number, verdicts, scores in finished:
            self.waiting[self.asked[number]] = verdicts, scores
        self._deliver()

    def _deliver(self) -> None:
        while self.next < len(self.job.tasks):
            if self.job.wanted[self.next] and self.next not in self.waiting:
                return
            self.report(self.next, *self.waiting.pop(self.next, (b"", b"")))
            self.next += 1

    def finish(self, complete: bool) -> None:
        """Hand on what is left; after an interruption, also tasks whose predecessors are missing."""
        self._deliver()
        if not complete:
            for number in sorted(self.waiting):
                self.report(number, *self.waiting[number])
