"""The native backend: plans as bytecode and tasks as packed values, run by the compiled core on threads."""

from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import copy_context
from dataclasses import replace
from functools import cache, cached_property
from time import perf_counter
from typing import Any, Protocol

from arcbatt import _core
from arcbatt.dsl import contract
from arcbatt.dsl.contract import NAMES_BETWEEN, Judging, NodeKind, Status
from arcbatt.dsl.failures import KINDS, Failure, Kind, OpFailed
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.machine import Machine, room_for
from arcbatt.dsl.own.errors import faults_noted, note, noted_with
from arcbatt.dsl.table import FUNCTION_CALL, TABLE, Callee, Op
from arcbatt.dsl.types import RETURNS_NOTHING
from arcbatt.dsl.values import Function, Value, intake, judgement
from arcbatt.engine.backend import (
    Backend,
    BackendName,
    Clock,
    ColumnMode,
    Elements,
    Examination,
    Examiner,
    FailureMode,
    Job,
    Report,
    RunOptions,
    SampleCaller,
    SolverScores,
    StepTime,
    task_input,
)
from arcbatt.engine.packed import PackedColumn, PackedOutcomes
from arcbatt.engine.plan import GraphSteps, Plan, plan_of, uses_foreign_ops
from arcbatt.engine.records.verdicts import Outputs
from arcbatt.errors import BackendError, OutOfMemory, ValueRefused
from arcbatt.program.graph import NONE, STAGE_OF_INPUT, Node
from arcbatt.program.merge import WITHHELD
from arcbatt.tasks import Task
from arcbatt.tasks.samples import Samples, TaskLike

LEAST_ROOM = 16 << 20  # bytes of a thread, since ops need room for their own work
INPUT_KINDS: dict[str, int] = {
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
COLUMN_MODES: dict[ColumnMode, contract.ColumnMode] = {
    "worthwhile": contract.ColumnMode.worthwhile,
    "never": contract.ColumnMode.never,
    "always": contract.ColumnMode.always,
}

CORE_OPS = tuple(_core.op_names())
OP_NUMBERS = {name: number for number, name in enumerate(CORE_OPS)}
CALLEE_NUMBERS = OP_NUMBERS | {FUNCTION_CALL.name: len(CORE_OPS)}
CORE_NAMES = sorted(CORE_OPS)
if tuple(TABLE)[: len(CORE_OPS)] != CORE_OPS or contract.fingerprint() != _core.CONTRACT:
    raise BackendError("the compiled core was built from another op table; install the package again")

LONG_FOR_A_SAMPLE = 0.05  # seconds
OUT_OF_MEMORY = "a program needs more memory than a lane can have; lower the limit of items"
NO_ROOM: AbstractContextManager[None] = nullcontext()
FAILURES_OF_CALLS = {kind: Failure(kind) for kind in KINDS}


def foreign_ops() -> list[Op]:
    """The ops that the core does not have: a user's own, run in Python when a lane comes to one."""
    return list(TABLE.values())[len(CORE_OPS) :]


def has_foreign_ops() -> bool:
    """Whether there are any."""
    return len(TABLE) != len(CORE_OPS)


def threads_for(plan: Plan, options: RunOptions) -> int:
    """The threads of a run; 0, the thread of the caller, if the plan has a user's own ops.

    Ctrl-C reaches only what runs in the main thread.
    """
    return 0 if uses_foreign_ops(plan) else options.threads


def failure_of(kind: Kind, row: int = 0) -> Failure:
    """The failure of a call, or of a row of columns: it has no node."""
    return FAILURES_OF_CALLS[kind]


class CoreOptions:
    """The arguments of every call of the core: the limits, and how foreign ops run under them.

    The ops named in `on_reference` run in Python as foreign ops do.
    """

    def __init__(self, limits: Limits, on_reference: frozenset[str] = frozenset()) -> None:
        switched_off = sorted(OP_NUMBERS.keys() & on_reference)
        self.in_python = [*foreign_ops(), *(TABLE[name] for name in switched_off)]
        self.bounds = limits
        room = max(limits.memory, LEAST_ROOM)
        self.limits = _core.Limits(limits.items, limits.calls, limits.depth, limits.work, limits.held, room)
        places = _name_places() | {name: _core_place(name) for name in switched_off}
        self.ops = [(op.name, op.arity, places[op.name]) for op in self.in_python]
        context = copy_context()

        def run(*call: Any) -> tuple[int, int, int, Value | None]:
            # A lane's thread knows nothing of the scope that the run was started in.
            return context.copy().run(_run_foreign, limits, *call)

        self.foreign = _core.ForeignOps(self.ops, run, Function)

    @cached_property
    def vocabulary(self) -> _core.Vocabulary:
        """The meaning of the names in a plan, the failures of constants, and the defaults of failed ops."""
        return self.vocabulary_of(INPUT_KINDS)

    @cached_property
    def withholding(self) -> _core.Vocabulary:
        """The same for solvers that may read C, which is withheld."""
        return self.vocabulary_of(INPUT_KINDS | {"C": NodeKind.withheld})

    def vocabulary_of(self, kinds: dict[str, int]) -> _core.Vocabulary:
        foreign = enumerate(self.in_python, len(CALLEE_NUMBERS))
        numbers = CALLEE_NUMBERS | {op.name: number for number, op in foreign}
        limits = self.bounds

        def status_of(constant: Value) -> int:
            kind = judgement(constant, limits)
            return Status.ok if kind is None else Status[kind]

        defaults = [(op.default, op.result.stand_in) for op in self.in_python]
        return _core.Vocabulary(numbers, kinds, status_of, RETURNS_NOTHING, defaults)


def _core_place(name: str) -> int:
    """The rank of one of the core's own names in the order of all names."""
    return (CORE_NAMES.index(name) + 1) * NAMES_BETWEEN


def _name_places() -> dict[str, int]:
    """The rank of each foreign name in the order of all names: between two of the core's."""
    places: dict[str, int] = {}
    for name in sorted(op.name for op in foreign_ops()):
        start = bisect(CORE_NAMES, name) * NAMES_BETWEEN
        place = max([start, *(place for place in places.values() if place > start)]) + 1
        if place >= start + NAMES_BETWEEN:
            raise BackendError(f"there are too many ops of your own with names like {name!r}")
        places[name] = place
    return places


def _run_foreign(
    limits: Limits,
    name: str,
    arguments: tuple[Value, ...],
    calls: int,
    depth: int,
    work: int,
    node: int | None,
) -> tuple[int, int, int, Value | None]:
    """A foreign op in the middle of a lane: applications made and work done by then, status, value."""
    calls, work, outcome = Machine(limits).resume(TABLE[name], arguments, calls, depth, work)
    if isinstance(outcome, OpFailed):
        note(node, outcome.fault)
        return calls, work, Status[outcome.kind], None
    return calls, work, Status.ok, outcome


def bytecode(plan: Plan, judged: Sequence[int], options: CoreOptions) -> _core.Plan:
    """A plan as the core reads it."""
    steps = plan.steps
    graph = steps.graph if isinstance(steps, GraphSteps) else _core.Graph.of_steps(Node, steps)
    return _core.make_plan(graph, plan.roots, judged, options.vocabulary, options.limits, options.foreign)


def packed_inputs(tasks: Sequence[TaskLike], options: CoreOptions) -> _core.PackedTasks:
    """The inputs of tasks in the memory of the core."""
    try:
        return _core.pack_tasks(list(tasks), Task, options.limits, options.foreign)
    except (ValueError, TypeError, RuntimeError):  # a list or an array, say, which `intake` converts
        converted = [_taken_in(task, options.bounds) for task in tasks]
        return _core.pack_tasks(converted, Task, options.limits, options.foreign)


def _taken_in(task: TaskLike, limits: Limits) -> Samples:
    """A task with its grids converted to values, which takes longer; an error names the task."""

    def known(value: Any) -> Value | None:
        return None if value is None else task_input(task.id, value, limits)

    samples = [(task_input(task.id, given, limits), known(expected)) for given, expected in task.samples]
    return Samples(task.id, known(task.pairs), samples)


@contextmanager
def under(limits: Limits) -> Iterator[None]:
    """The surroundings of a call of the core: room for foreign ops to recurse, and errors in plain words."""
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
        options: RunOptions,
        judged: Sequence[int] | None = None,
        wanted: list[Sequence[int]] | None = None,
    ) -> None:
        self.tasks, self.width = tasks, len(plan.roots)
        self.options, self.columns = CoreOptions(options.limits, options.on_reference), options.columns
        self.plan = bytecode(plan, judged or [Judging.as_score] * self.width, self.options)
        self.packed = packed_inputs(tasks, self.options)
        self.job = self.job_of(self.plan, self.packed, wanted, options.on_failure)
        nodes = plan.nodes

        @cache
        def failure(kind: Kind, number: int) -> Failure:
            return Failure(kind, nodes[number])

        self.failure = failure

    def job_of(
        self,
        plan: _core.Plan,
        tasks: _core.PackedTasks,
        wanted: list[Sequence[int]] | None,
        mode: FailureMode,
    ) -> _core.Job:
        """A job under the options of this one, but for the failure mode."""
        return _core.Job(plan, tasks, wanted, self.options.limits, MODES[mode], COLUMN_MODES[self.columns])

    def rows(self, kept: _core.OutcomeStore) -> Iterator[list[Outputs]]:
        """The stored outcomes, for each task a list of rows."""
        start = 0
        for count in (len(task.samples) for task in self.tasks):
            yield [PackedOutcomes(kept, (start + k) * self.width, self.width) for k in range(count)]
            start += count


class Delivery:
    """Reports finished tasks in the order of the job, whichever thread was first."""

    def __init__(self, job: Job, report: Report) -> None:
        self.job, self.report = job, report
        # The core reports no task without samples.
        self.asked = [k for k, wanted in enumerate(job.wanted) if wanted and job.tasks[k].samples]
        self.expected = frozenset(self.asked)
        self.waiting: dict[int, tuple[bytes, bytes]] = {}
        self.next = 0

    def call(self) -> CoreCall:
        """The call that judges the tasks of which something is wanted."""
        tasks = [self.job.tasks[number] for number in self.asked]
        wanted = [self.job.wanted[number] for number in self.asked]
        return CoreCall(self.job.plan, tasks, self.job.options, self.job.judged, wanted)

    def take(self, finished: list[tuple[int, bytes, bytes]]) -> None:
        """Tasks that have just been finished, numbered as in `call`."""
        for number, verdicts, scores in finished:
            self.waiting[self.asked[number]] = verdicts, scores
        self._deliver()

    def _deliver(self) -> None:
        while self.next < len(self.job.tasks):
            if self.next in self.expected and self.next not in self.waiting:
                return
            # A report that raises, as Ctrl-C does, has been made: the rest is delivered later.
            self.next += 1
            self.report(self.next - 1, *self.waiting.pop(self.next - 1, (b"", b"")))

    def finish(self, complete: bool) -> None:
        """Report the rest; after an interruption, also tasks whose predecessors are missing."""
        self._deliver()
        if not complete:
            for number in sorted(self.waiting):
                self.report(number, *self.waiting[number])


class RunsCoreJobs(Protocol):
    """Runs jobs of the core: solvers for their outputs, and differs for their scores."""

    elements: Elements

    def fill(self, found: _core.Sink, job: _core.Job, options: RunOptions) -> None:
        """Run solvers for their outputs."""

    def scores(self, job: _core.Job, options: RunOptions) -> dict[int, bytes]:
        """The scores of each task of a job."""


def score_outputs(runner: RunsCoreJobs, job: Job, scored: Sequence[int], differs: Plan) -> list[SolverScores]:
    """See `Backend.score`; the outputs of the solvers stay in the core.

    Solvers run in mode `fail`, which tells their failures. Those that fail run again if the mode is another.
    """
    options, mode = job.options, job.options.on_failure
    options = replace(options, threads=threads_for(job.plan, options) and threads_for(differs, options))
    failing = replace(options, on_failure="fail")
    core = CoreCall(job.plan, job.tasks, failing, job.judged, list(job.wanted))
    found = _core.Candidates(core.job, list(scored), mode != "fail")
    planned = bytecode(differs, [Judging.as_score] * len(differs.roots), core.options)
    jobs = [core.job]
    with under(options.limits):
        runner.fill(found, core.job, options)
        if mode != "fail":
            failed: list[Sequence[int]] = [*found.failed(core.job)]
            jobs.append(core.job_of(core.plan, core.packed, failed, mode))
            runner.fill(_core.SecondTry(jobs[-1], found), jobs[-1], options)
        jobs.append(core.job_of(planned, found.tasks, None, mode))
        scores = runner.scores(jobs[-1], options)
    for done in jobs:
        runner.elements += Elements(*done.elements)
    numbers = iter(range(sum(scored)))  # each scored sample is a task of its own there
    return [
        SolverScores(*row, [scores.get(next(numbers), b"") for _ in range(samples)])
        for row, samples in zip(found.rows(), scored)
    ]


def scores_into(rows: dict[int, bytes]) -> Callable[[list[tuple[int, bytes, bytes]]], None]:
    """A function that takes finished tasks, and puts the scores of each into `rows`."""
    return lambda finished: rows.update((number, scores) for number, _, scores in finished)


class CoreExaminer:
    """Judges candidates on one task, which stays packed, as the ops of the user were when it was made."""

    def __init__(
        self, runner: RunsCoreJobs, task: TaskLike, scored: int, options: RunOptions, differs: Plan
    ) -> None:
        self.runner, self.scored = runner, scored
        # With ops of the user, candidates run in the thread of the caller: see `threads_for`.
        self.run_options = replace(options, threads=0) if foreign_ops() else options
        self.options = CoreOptions(options.limits, options.on_reference)
        self.packed = packed_inputs([task], self.options)
        self.differs = bytecode(differs, [Judging.as_score] * len(differs.roots), self.options)
        self.has_differs = bool(differs.roots)

    def __call__(self, roots: Sequence[Node]) -> Examination:
        """The candidates judged, in one run."""
        job = self._job(self._planned(list(roots)), self.packed)
        scored = self.scored if self.has_differs else 0
        found = _core.Behaviours(job, scored, self.options.foreign)
        marks: list[bytes] = []
        with under(self.options.bounds):
            self.runner.fill(found, job, self.run_options)
            if self.has_differs:
                scoring = self._job(self.differs, found.tasks)
                rows = self.runner.scores(scoring, self.run_options)
                marks = [rows.get(number, b"") for number in range(scored)]
                self.runner.elements += Elements(*scoring.elements)
        self.runner.elements += Elements(*job.elements)
        return Examination(*found.found(), marks)

    def _planned(self, roots: list[Node]) -> _core.Plan:
        """The plan of candidates; that all their ops are there still is only asked if it cannot be made."""
        options, judged = self.options, [Judging.in_parts] * len(roots)
        graph = _core.Graph(Node, roots, STAGE_OF_INPUT)
        try:
            return _core.make_plan(
                graph, graph.roots, judged, options.withholding, options.limits, options.foreign
            )
        except (KeyError, ValueError):
            plan_of(roots)  # says which op is missing
            raise

    def _job(self, plan: _core.Plan, tasks: _core.PackedTasks) -> _core.Job:
        modes = MODES[self.run_options.on_failure], COLUMN_MODES[self.run_options.columns]
        return _core.Job(plan, tasks, None, self.options.limits, *modes)


class CoreCaller(SampleCaller):
    """Runs a plan on single samples in the thread of the caller.

    Ctrl-C does not reach the core there, so a plan that takes long runs in a thread from the next call on.
    """

    def __init__(self, backend: "NativeBackend", plan: Plan, core: CoreOptions, options: RunOptions) -> None:
        super().__init__(backend, plan, options)
        self.width, self.core = len(plan.roots), core
        self.planned = bytecode(plan, [Judging.as_score] * self.width, core)
        self.modes = MODES[options.on_failure], COLUMN_MODES[options.columns]
        self.threads = 1
        nodes = plan.nodes

        @cache
        def failure(kind: Kind, number: int) -> Failure:
            return Failure(kind, nodes[number])

        self.failure = failure

    def __call__(self, sample: Samples) -> Outputs:
        """The outcomes of the roots on a sample."""
        with self._job(sample) as job:
            kept = _core.outcomes(job, self.threads, self.core.foreign, self.failure)
        if kept is None:
            raise KeyboardInterrupt
        return PackedOutcomes(kept, 0, self.width)

    def verdicts(self, sample: Samples) -> bytes:
        """For each root the code of its verdict."""
        found: list[tuple[int, bytes, bytes]] = []
        with self._job(sample) as job:
            interrupted, _ = _core.run(job, self.threads, found.extend)
        if interrupted:
            raise KeyboardInterrupt
        return found[0][1]

    @contextmanager
    def _job(self, sample: Samples) -> Iterator[_core.Job]:
        """The plan on a sample; the time that it takes sets the thread of the next call."""
        started = perf_counter()
        try:
            packed = packed_inputs([sample], self.core)
            job = _core.Job(self.planned, packed, None, self.core.limits, *self.modes)
            yield job
        except MemoryError:
            raise OutOfMemory(OUT_OF_MEMORY) from None
        self.backend.elements += Elements(*job.elements)
        self.threads = 0 if perf_counter() - started < LONG_FOR_A_SAMPLE else 1


class NativeBackend(Backend):
    """Runs everything in the compiled core."""

    name: BackendName = "native"
    tells_times = True

    def __init__(self) -> None:
        self._known = _core.Known()  # the packed forms of Python objects in columns
        self._options_of_columns: CoreOptions | None = None  # of the latest call on columns, for the next

    def run(self, job: Job, report: Report) -> dict[str, float]:
        """Run a job and report its tasks in order; returns the seconds spent by stage."""
        started = perf_counter()
        delivery = Delivery(job, report)
        core = delivery.call()
        packing = perf_counter() - started
        with under(job.options.limits), noted_with(job.plan):
            interrupted, seconds = _core.run(core.job, threads_for(job.plan, job.options), delivery.take)
        self.elements += Elements(*core.job.elements)
        delivery.finish(complete=not interrupted)
        if interrupted:
            raise KeyboardInterrupt
        return {"packing": packing, "evaluation": seconds}

    def score(self, job: Job, scored: Sequence[int], differs: Plan) -> list[SolverScores]:
        """Judge solvers, and run differs on each distinct output of a sample that is not exact."""
        return score_outputs(self, job, scored, differs)

    def examiner(self, task: TaskLike, scored: int, options: RunOptions, differs: Plan) -> Examiner:
        """A function that judges candidates on one task."""
        return CoreExaminer(self, task, scored, options, differs)

    def fill(self, found: _core.Sink, job: _core.Job, options: RunOptions) -> None:
        """Run solvers for their outputs."""
        if not _core.fill(job, found, options.threads):
            raise KeyboardInterrupt

    def scores(self, job: _core.Job, options: RunOptions) -> dict[int, bytes]:
        """The scores of each task of a job."""
        rows: dict[int, bytes] = {}
        interrupted, _ = _core.run(job, options.threads, scores_into(rows))
        if interrupted:
            raise KeyboardInterrupt
        return rows

    def outcomes(self, plan: Plan, tasks: Sequence[TaskLike], options: RunOptions) -> Iterator[list[Outputs]]:
        """For each task, for each sample the outcomes of the plan's roots."""
        core = CoreCall(plan, tasks, options)
        with under(options.limits), noted_with(plan):
            kept = _core.outcomes(core.job, threads_for(plan, options), core.options.foreign, core.failure)
        self.elements += Elements(*core.job.elements)
        if kept is None:
            raise KeyboardInterrupt
        return core.rows(kept)

    def caller(self, plan: Plan, options: RunOptions) -> SampleCaller:
        """A function that runs a plan on single samples; with ops in Python each call prepares them anew."""
        core = CoreOptions(options.limits, options.on_reference)
        return super().caller(plan, options) if core.in_python else CoreCaller(self, plan, core, options)

    def profile(
        self,
        plan: Plan,
        tasks: Sequence[TaskLike],
        options: RunOptions,
        on_task: Callable[[TaskLike], None],
        clock: Clock,
    ) -> list[StepTime]:
        """The times of the steps of a plan, by the core's own clock."""
        core = CoreCall(plan, tasks, options)
        with under(options.limits):
            rows = _core.profile(core.job)
        for task in tasks:
            on_task(task)
        return [StepTime(*row[:3], Elements(*row[3:])) for row in rows]

    def time_of_nothing(self, count: int, options: RunOptions, clock: Clock) -> int:
        """The nanoseconds of a step that only passes the input on."""
        samples = Samples("", (), [(((0,),), None)] * count)
        (step,) = self.profile(plan_of([Node.input("I")]), [samples], options, lambda task: None, clock)
        return step.nanoseconds

    def call(self, callee: Callee, arguments: tuple[Value, ...], limits: Limits) -> Value | Failure:
        """An op on values, or a call of the first value with the others."""
        with faults_noted() as notes, room_for(limits.depth):
            options = CoreOptions(limits)
            outcome: Value | Failure = _core.call(
                callee.name, arguments, options.limits, options.foreign, failure_of
            )
        if notes and isinstance(outcome, Failure):
            return Failure(outcome.kind, error=notes[-1][1].error)
        return outcome

    def call_many(
        self, callee: Callee, columns: Sequence[Sequence[Any]], limits: Limits
    ) -> Sequence[Value | Failure]:
        """The same on each row of equally long columns."""
        # Made anew for ops of a user, which run in the context of the call.
        options = self._options_of_columns
        if options is None or options.bounds is not limits or options.in_python or has_foreign_ops():
            self._options_of_columns = options = CoreOptions(limits)
        rows = len(columns[0])
        if self._known.is_full:
            self._known = _core.Known()

        def take_in(argument: Any) -> Value | None:
            try:
                with room_for(limits.depth):
                    return intake(argument, limits)
            except ValueRefused:
                return None

        arguments = [_column(column, options) for column in columns], rows, options.limits, options.foreign
        try:
            # Only ops of the user need room to recurse.
            with room_for(limits.depth) if options.in_python else NO_ROOM:
                kept = _core.call_many(callee.name, *arguments, self._known, take_in, failure_of)
        except MemoryError:
            raise OutOfMemory(OUT_OF_MEMORY) from None
        return PackedColumn(kept, rows, options.ops)


@cache
def open_backend() -> NativeBackend:
    """The backend of this process."""
    return NativeBackend()


def _column(column: Sequence[Any], options: CoreOptions) -> list[Any] | tuple[_core.OutcomeStore, int]:
    """A column as the core takes it: outcomes of a batch stay packed while the user's ops are the same."""
    if isinstance(column, PackedColumn) and column.ops == options.ops:
        return column.packed
    return column if type(column) is list else list(column)
