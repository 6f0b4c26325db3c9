"""Running a batt on tasks, and one op on plain values."""

import os
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import Any, Literal, get_args

from arcbatt.dsl.failures import KINDS, Failure
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.dsl.table import find, nearest
from arcbatt.dsl.values import Function, Value, intake
from arcbatt.engine.backend import FailureMode, Job, choose
from arcbatt.engine.machine import room_for
from arcbatt.engine.plan import wanted_root
from arcbatt.engine.results import Interrupted, Outcome, Outputs, Results, Stats, Verdict
from arcbatt.errors import ArcbattError, ValueRefused
from arcbatt.program.graph import Batt, Program
from arcbatt.program.merge import merge
from arcbatt.tasks import Task

Pairs = Literal["own", "all"]


def call(
    op: str | Function, *arguments: Any, backend: str = "auto", limits: Limits = DEFAULT_LIMITS
) -> Value | Failure:
    """One op, or one function value, on plain Python values: a value or a `Failure`.

    >>> call("fill", ((0, 0), (0, 0)), 3, frozenset({(0, 1)}))
    ((0, 3), (0, 0))
    >>> call("divide", 1, 0)
    Failure(kind='ZERO', node=None)
    """
    chosen, _ = choose(backend)
    with room_for(limits.depth):
        values = tuple(intake(argument, limits) for argument in arguments)
    if isinstance(op, Function):
        return chosen.call(op, values, limits)
    record = find(op)
    if record is None:
        raise ValueRefused(f"there is no op {op!r}{nearest(op)}")
    return chosen.call(record, values, limits)


def run(
    batt: Iterable[Program] | Program,
    tasks: Iterable[Task],
    pairs: Pairs = "own",
    backend: str = "auto",
    threads: int | None = None,
    on_failure: FailureMode = "fail",
    limits: Limits = DEFAULT_LIMITS,
    on_task: Callable[[Task], None] | None = None,
) -> Results:
    """Run programs on tasks: each on the task its name says (`pairs="own"`), or all on all (`pairs="all"`).

    `on_task` is called after each task. Ctrl-C raises `Interrupted`, which holds the results so far.
    """
    _require("pairs", pairs, get_args(Pairs))
    _require("on_failure", on_failure, get_args(FailureMode))
    if threads is not None and threads < 1:
        raise ArcbattError(f"threads is {threads}; it must be 1 or more")
    chosen, why = choose(backend)
    merged = merge([batt] if isinstance(batt, Program) else batt)
    tasks = list(tasks)
    used = 1 if chosen.name == "reference" else threads or os.cpu_count() or 1
    job = Job(tasks, _wanted(merged, tasks, pairs), limits, on_failure, used)
    stats = Stats(chosen.name, why, job.threads, programs=len(merged), nodes=len(merged.nodes))
    outcomes: dict[tuple[str, str], Outcome] = {}
    results = Results(outcomes, stats)
    started = perf_counter()

    def rerun(program: Program, task: Task) -> Outputs:
        return tuple(row[0] for row in chosen.outcomes([wanted_root(program)], task, limits, on_failure))

    def report(task: Task, programs: Sequence[Program], verdicts: Sequence[tuple[Verdict, ...]]) -> None:
        for program, row in zip(programs, verdicts):
            outcomes[program.name, task.id] = Outcome(program, task, row, rerun)
            stats.evaluations += len(row)
        stats.tasks += bool(programs)
        stats.seconds = perf_counter() - started
        if on_task is not None:
            on_task(task)

    try:
        stats.seconds_by_stage = chosen.run(job, report)
    except KeyboardInterrupt:
        raise Interrupted(results) from None
    finally:
        counts = [outcome.failures for outcome in results]
        stats.failures = {kind: sum(count.get(kind, 0) for count in counts) for kind in KINDS}
    return results


def _wanted(merged: Batt, tasks: list[Task], pairs: Pairs) -> list[tuple[Program, ...]]:
    """The programs to run on each task."""
    if pairs == "all":
        return [merged.programs] * len(tasks)
    by_task: dict[str | None, list[Program]] = {}
    for program in merged:
        by_task.setdefault(program.task_id, []).append(program)
    return [tuple(by_task.get(task.id, ())) for task in tasks]


def _require(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ArcbattError(f"{name} is {value!r}; it must be one of {', '.join(allowed)}")
