"""Running a batt (a file of many programs) on tasks, and one op on plain values."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import Any, Literal, get_args

from arcbatt.arguments import listed, require_callable, shown
from arcbatt.dsl.contract import Judging
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.dsl.machine import room_for
from arcbatt.dsl.table import FUNCTION_CALL, find, nearest
from arcbatt.dsl.values import Function, Value, intake
from arcbatt.engine.backend import (
    Backend,
    BackendName,
    FailureMode,
    Job,
    Report,
    RunOptions,
    how_many,
    require,
    require_limits,
)
from arcbatt.engine.choose import choose
from arcbatt.engine.plan import Plan, plan, plan_of_lines
from arcbatt.engine.results import Interrupted, Judged, Outputs, Record, Results, Stats, with_failures
from arcbatt.errors import ArcbattError, ValueRefused
from arcbatt.gc_pause import gc_paused
from arcbatt.program.graph import Batt, Program
from arcbatt.program.merge import merge
from arcbatt.tasks import Task
from arcbatt.tasks.samples import TaskLike
from arcbatt.text import shorten

Pairs = Literal["own", "all"]
A_TASK = "task; arcbatt.load_tasks(...) and arcbatt.Task(...) make them"


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
        raise ValueRefused(f"there is no op {op!r}{nearest(op)}")
    return chosen.call(record, values, limits)


def run(
    batt: Iterable[Program] | Program,
    tasks: Iterable[Task] | Task,
    pairs: Pairs = "own",
    backend: str = "auto",
    threads: int | None = None,
    on_failure: FailureMode = "fail",
    limits: Limits = DEFAULT_LIMITS,
    on_task: Callable[[Task], None] | None = None,
    memory: int | None = None,
    partial_scores: bool = False,
) -> Results:
    """Run programs on tasks: each on the task its name says (`pairs="own"`), or all on all (`pairs="all"`).

    `on_task` is called after each task. Ctrl-C raises `Interrupted`, which holds the results so far. `memory`
    is the number of bytes that each thread has for values, and overrides that of `limits`. A program that
    needs more fails with SIZE, and the others run. With `partial_scores` the outcome of a solver has scores,
    too: they tell how near its outputs come to the expected ones.
    """
    if on_task is not None:
        require_callable("on_task", on_task)
    if memory is not None:
        require_limits(limits)
        limits = replace(limits, memory=memory)
    setting = set_up(batt, tasks, pairs, backend, threads, on_failure, limits)
    merged, tasks, wanted, planned = setting.batt, setting.tasks, setting.wanted, setting.plan
    chosen, options, stats = setting.backend, setting.options, setting.stats
    stages = stats.seconds_by_stage
    results = Results(stats, _Rerun(merged if planned.whole else None, chosen.name, options))
    started, before = perf_counter(), chosen.elements
    asked: tuple[int, ...] = ()
    programs: tuple[Program, ...] = ()

    def report(number: int, verdicts: bytes, scores: bytes) -> None:
        nonlocal asked, programs
        if wanted[number] is not asked:  # with pairs `all` every task has the same
            asked = wanted[number]
            programs = tuple([merged.programs[k] for k in asked])
        results.add(Record(tasks[number], programs, verdicts, scores))
        if on_task is not None:
            on_task(tasks[number])

    try:
        work = Work(chosen, planned, options, merged.programs, partial_scores=partial_scores)
        stages |= work.judge(tasks, report, wanted)
    except KeyboardInterrupt:
        raise Interrupted(results) from None
    finally:
        stats.seconds = perf_counter() - started
        stats.failures = results.failures()
        elements = chosen.elements - before
        stats.elements, stats.elements_in_columns = elements.count, elements.in_columns
    return results


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


def set_up(
    batt: Iterable[Program] | Program,
    tasks: Iterable[Task] | Task,
    pairs: Pairs,
    backend: str,
    threads: int | None,
    on_failure: FailureMode,
    limits: Limits,
) -> Setting:
    """Merge and plan programs, and choose a backend; the arguments are those of `run`."""
    require("pairs", pairs, get_args(Pairs))
    require("on_failure", on_failure, get_args(FailureMode))
    require_limits(limits)
    used = how_many("threads", threads)
    chosen, why = choose(backend)
    stages: dict[str, float] = {}
    with _timed(stages, "merging"):
        merged = merge([batt] if isinstance(batt, Program) else batt)
    tasks = _distinct_tasks(tasks)
    wanted = _wanted(merged, tasks, pairs)
    samples = sum(len(task.samples) for task, asked in zip(tasks, wanted) if asked)
    used = min(used, max(1, samples)) if chosen.uses_threads else 1
    options = RunOptions(limits, on_failure, used)
    with _timed(stages, "planning"), gc_paused():
        planned = plan_for(merged, on_failure)
    if chosen.decides:
        with _timed(stages, "choosing"):
            chosen, why = chosen.pick(planned, tasks, options, wanted)
    stats = Stats(
        chosen.name, why, used, programs=len(merged), nodes=len(merged.nodes), seconds_by_stage=stages
    )
    return Setting(merged, planned, tasks, wanted, chosen, options, stats)


@contextmanager
def _timed(stages: dict[str, float], name: str) -> Iterator[None]:
    """Note the seconds of a stage."""
    started = perf_counter()
    yield
    stages[name] = perf_counter() - started


def plan_for(batt: Batt, on_failure: FailureMode) -> Plan:
    """The plan of a batt in a failure mode: in mode `pile` all lines run, in file order."""
    return plan_of_lines(batt) if on_failure == "pile" else plan(batt)


@dataclass(frozen=True)
class Work:
    """A plan with the backend and the options to run it, in this process or in a worker.

    `programs` are the programs of the roots; verdicts need them. `solving` is the plan of the solvers alone:
    in mode `default` it runs in mode `fail` besides, to tell which solvers failed at some node. With
    `partial_scores` solvers get partial scores.
    """

    backend: Backend
    plan: Plan
    options: RunOptions
    programs: Sequence[Program] = ()
    solving: Plan | None = None
    partial_scores: bool = False

    def outputs(self, tasks: Sequence[TaskLike]) -> list[list[Outputs]]:
        """For each task, for each sample the outcomes of the roots."""
        return list(self.backend.outcomes(self.plan, tasks, self.options))

    def judge(
        self, tasks: Sequence[TaskLike], report: Report, wanted: Sequence[Sequence[int]] | None = None
    ) -> dict[str, float]:
        """Judge all programs, or on each task the wanted ones; returns the seconds spent by stage."""
        every = range(len(self.plan.roots))
        asked = wanted or [every] * len(tasks)
        return self.backend.run(Job(self.plan, self._judging, tasks, asked, self.options), report)

    def judged(self, tasks: Sequence[TaskLike]) -> list[Judged]:
        """The verdicts and scores of all programs on each task.

        With `solving`, a solver that failed at some node, and is not exact, has the failure as its verdict.
        """
        found: dict[int, Judged] = {}
        self.judge(tasks, lambda number, verdicts, scores: found.update({number: (verdicts, scores)}))
        judged = [found[number] for number in range(len(tasks))]
        if self.solving is None or not self.solving.roots:
            return judged
        return [
            (with_failures(verdicts, self._solvers, failures, len(task.samples)), scores)
            for task, (verdicts, scores), (failures, _) in zip(tasks, judged, self._failing.judged(tasks))
        ]

    @cached_property
    def _judging(self) -> list[Judging]:
        """How the result of each program is judged."""
        of_solvers = Judging.in_parts if self.partial_scores else Judging.as_whole
        return [of_solvers if program.kind == "solver" else Judging.as_score for program in self.programs]

    @cached_property
    def _solvers(self) -> list[int]:
        """The places of the solvers."""
        return [place for place, program in enumerate(self.programs) if program.kind == "solver"]

    @cached_property
    def _failing(self) -> "Work":
        """The solvers in mode `fail`."""
        assert self.solving is not None
        options = replace(self.options, on_failure="fail")
        return Work(self.backend, self.solving, options, [self.programs[place] for place in self._solvers])


@dataclass(frozen=True)
class _Rerun:
    """Runs a program on a task again, for its outputs: alone, or in mode `pile` with its whole batt."""

    whole: Batt | None
    backend: BackendName
    options: RunOptions

    def __call__(self, program: Program, task: Task) -> Outputs:
        planned = plan([program]) if self.whole is None else self._plan_of_lines
        place = 0 if self.whole is None else self._place(program)
        rows = next(choose(self.backend)[0].outcomes(planned, [task], self.options))
        return tuple(row[place] for row in rows)

    @cached_property
    def _plan_of_lines(self) -> Plan:
        assert self.whole is not None
        return plan_of_lines(self.whole)

    def _place(self, program: Program) -> int:
        """The place of this very program: another line may have an equal one."""
        return next(place for place, other in enumerate(self.whole or ()) if other is program)


def _distinct_tasks(tasks: Iterable[Task] | Task) -> list[Task]:
    """The tasks; no two may have one id, because results are found by it."""
    found = [tasks] if isinstance(tasks, Task) else listed(tasks, Task, A_TASK)
    counts = Counter(task.id for task in found)
    twice = next((name for name, count in counts.items() if count > 1), None)
    if twice is not None:
        raise ArcbattError(f"task {shorten(twice)} is there {counts[twice]} times; run tasks of one id apart")
    return found


def _wanted(merged: Batt, tasks: list[Task], pairs: Pairs) -> list[tuple[int, ...]]:
    """For each task the programs to run on it, by their places in the batt."""
    if pairs == "all":
        return [tuple(range(len(merged)))] * len(tasks)
    by_task: dict[str | None, list[int]] = {}
    for place, program in enumerate(merged):
        by_task.setdefault(program.task_id, []).append(place)
    return [tuple(by_task.get(task.id, ())) for task in tasks]
