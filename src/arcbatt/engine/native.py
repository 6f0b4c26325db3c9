"""The native backend: a batt becomes bytecode that the compiled core runs on all cores."""

from bisect import bisect
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, cast

from arcbatt import _core
from arcbatt.dsl.failures import KINDS, Failure, Kind, OpFailed
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.table import TABLE, Op
from arcbatt.dsl.types import RETURNS_NOTHING
from arcbatt.dsl.values import Function, Value
from arcbatt.engine.backend import BackendName, FailureMode, Job, Report, task_input
from arcbatt.engine.machine import Machine, room_for
from arcbatt.engine.plan import WITHHELD, Stage, stage_of, wanted_root
from arcbatt.engine.results import Outputs, Verdict
from arcbatt.errors import BackendError
from arcbatt.program.graph import Node, topological
from arcbatt.tasks import Task

# Kinds of node and stages as core/bytecode.h numbers them.
CONSTANT, SAMPLES, INPUT, COMPARISON, WITHHELD_INPUT, OP, CALL = range(7)
INPUT_KINDS = {"S": SAMPLES, "I": INPUT, "C": COMPARISON, WITHHELD.head: WITHHELD_INPUT}
ONCE, EACH_TASK, EACH_SAMPLE = range(3)
STAGES = {
    Stage.CONSTANT: ONCE,
    Stage.SAMPLES: EACH_TASK,
    Stage.INPUT: EACH_SAMPLE,
    Stage.COMPARISON: EACH_SAMPLE,
}

# Verdicts as core/engine.h writes them.
VERDICTS: dict[int, Verdict] = {0: False, 1: True, 2: None} | {17 + k: kind for k, kind in enumerate(KINDS)}

CORE_OPS = tuple(_core.op_names())
CORE_NAMES = sorted(CORE_OPS)
NAMES_BETWEEN = 128  # room for foreign names between two of the core, as in its table.h
if tuple(TABLE)[: len(CORE_OPS)] != CORE_OPS:
    raise BackendError("the compiled core was built from another op table; install the package again")

OUT_OF_MEMORY = "a program needs more memory than a lane can have; lower the limit of items"

Row = tuple[int, int, int, tuple[int, ...], Value | None]


def foreign_ops() -> list[Op]:
    """The ops that the core does not have: a user's own, run in Python when a lane comes to one."""
    return list(TABLE.values())[len(CORE_OPS) :]


class Terms:
    """What every call of the core needs: the limits, and how to run foreign ops under them."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.core_limits = _core.Limits(limits.items, limits.calls, limits.depth)
        places = _name_places()
        rows = [(op.name, op.arity, places[op.name]) for op in foreign_ops()]
        self.foreign = _core.ForeignOps(rows, partial(_run_foreign, limits), Function)


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
    limits: Limits, name: str, arguments: tuple[Value, ...], calls: int, depth: int
) -> tuple[int, int, Value | None]:
    """A foreign op in the middle of a lane: applications made by then, status, value."""
    calls, outcome = Machine(limits).resume(TABLE[name], arguments, calls, depth)
    if isinstance(outcome, OpFailed):
        return calls, 1 + KINDS.index(outcome.kind), None
    return calls, 0, outcome


class Bytecode:
    """The nodes of some programs, numbered, with the plan the core made of them."""

    def __init__(self, roots: Sequence[Node], judged: Sequence[bool], terms: Terms) -> None:
        self.nodes = topological(roots)
        place = {node: number for number, node in enumerate(self.nodes)}
        numbers = {name: number for number, name in enumerate(TABLE)}
        rows = [_row(node, tuple(place[arg] for arg in node.args), numbers) for node in self.nodes]
        self.roots = [place[root] for root in roots]
        defaults = [op.default for op in foreign_ops()]
        self.plan = _core.make_plan(
            rows, list(zip(self.roots, judged)), RETURNS_NOTHING, defaults, terms.core_limits, terms.foreign
        )


def _row(node: Node, args: tuple[int, ...], numbers: dict[str, int]) -> Row:
    """A node as the core reads it: kind, stage, op, arguments, constant."""
    stage = STAGES[stage_of(node)]
    if node.kind == "op":
        return OP, stage, numbers[node.head], args, None
    if node.kind == "call":
        return CALL, stage, 0, args, None
    if node.kind == "constant":
        return CONSTANT, stage, 0, (), node.head
    return INPUT_KINDS[node.head], stage, 0, (), None


def _packed(tasks: Sequence[Task], terms: Terms) -> _core.PackedTasks:
    rows: list[tuple[Any, Any]] = [(task.pairs, task.samples) for task in tasks]
    try:
        return _core.pack_tasks(rows, terms.core_limits, terms.foreign)
    except ValueError:
        rows = [_taken_in(task, terms.limits) for task in tasks]
        return _core.pack_tasks(rows, terms.core_limits, terms.foreign)


def _taken_in(task: Task, limits: Limits) -> tuple[Value, list[tuple[Value, Value | None]]]:
    """A task with its grids taken in as values: the slow way, which names the task at fault."""
    samples = [
        (task_input(task, given, limits), None if wanted is None else task_input(task, wanted, limits))
        for given, wanted in task.samples
    ]
    return task_input(task, task.pairs, limits), samples


class NativeBackend:
    """Runs everything in the compiled core."""

    name: BackendName = "native"

    def run(self, job: Job, report: Report) -> dict[str, float]:
        """Run a job and report its tasks in order; the answer is the seconds of evaluation."""
        terms = Terms(job.limits)
        programs = list(dict.fromkeys(program for wanted in job.wanted for program in wanted))
        number = {program: k for k, program in enumerate(programs)}
        roots = [wanted_root(program) for program in programs]
        bytecode = Bytecode(roots, [program.kind == "solver" for program in programs], terms)
        asked = [k for k, wanted in enumerate(job.wanted) if wanted]
        delivery = _Delivery(job, asked, report)
        packed = _packed([job.tasks[k] for k in asked], terms)
        wanted = [[number[program] for program in job.wanted[k]] for k in asked]
        falls_back = job.on_failure == "default"
        try:
            with room_for(job.limits.depth):
                interrupted, seconds = _core.run(
                    bytecode.plan, packed, wanted, terms.core_limits, falls_back, job.threads, delivery.take
                )
        except MemoryError:
            raise BackendError(OUT_OF_MEMORY) from None
        delivery.finish(complete=not interrupted)
        if interrupted:
            raise KeyboardInterrupt
        return {"evaluation": seconds}

    def outcomes(
        self, nodes: Sequence[Node], task: Task, limits: Limits, on_failure: FailureMode
    ) -> Iterator[Outputs]:
        """The outcome of each node, sample by sample, demo then test."""
        terms = Terms(limits)
        bytecode = Bytecode(nodes, [False] * len(nodes), terms)
        packed, falls_back = _packed([task], terms), on_failure == "default"
        try:
            with room_for(limits.depth):
                rows = _core.outcomes(
                    bytecode.plan, packed, 0, bytecode.roots, terms.core_limits, falls_back, terms.foreign
                )
        except MemoryError:
            raise BackendError(OUT_OF_MEMORY) from None
        for row in rows:
            yield tuple(_outcome(entry, bytecode.nodes) for entry in row)

    def call(self, op: Op | Function, arguments: tuple[Value, ...], limits: Limits) -> Value | Failure:
        """One op or function on values."""
        terms = Terms(limits)
        name, values = (None, (op, *arguments)) if isinstance(op, Function) else (op.name, arguments)
        with room_for(limits.depth):
            result: Any = _core.call(name, values, terms.core_limits, terms.foreign)
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
        while self.next < len(self.job.tasks):
            if self.job.wanted[self.next] and self.next not in self.waiting:
                return
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
