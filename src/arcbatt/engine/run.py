"""Running a batt on tasks, and one op on plain values."""

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any, Literal, get_args

from arcbatt.dsl.failures import KINDS, Failure, OpFailed
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.dsl.table import find, nearest
from arcbatt.dsl.values import Function, Value, intake
from arcbatt.engine.backend import choose
from arcbatt.engine.machine import Machine
from arcbatt.engine.plan import Plan, plan
from arcbatt.engine.reference import Evaluator, FailureMode, room_for
from arcbatt.engine.results import Interrupted, Outcome, Outputs, Results, Stats, verdict
from arcbatt.errors import ArcbattError, ValueRefused
from arcbatt.program.graph import Program
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
    choose(backend)
    values = tuple(intake(argument, limits) for argument in arguments)
    machine = Machine(limits)
    try:
        with room_for(limits.depth):
            if isinstance(op, Function):
                return machine.call(op, values)
            record = find(op)
            if record is None:
                raise ValueRefused(f"there is no op {op!r}{nearest(op)}")
            return machine.run(record, values)
    except OpFailed as failed:
        return Failure(failed.kind)


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
    name, why = choose(backend)
    merged = merge([batt] if isinstance(batt, Program) else batt)
    stats = Stats(backend=name, why=why, threads=1, programs=len(merged), nodes=len(merged.nodes))
    evaluator = Evaluator(limits, on_failure)
    outcomes: dict[tuple[str, str], Outcome] = {}
    results = Results(outcomes, stats)

    def rerun(program: Program, task: Task) -> Outputs:
        fresh = Evaluator(limits, on_failure)
        return tuple(outcome for (outcome,) in fresh.run_task(plan([program]), task))

    whole = plan(merged) if pairs == "all" else None
    started = perf_counter()
    try:
        for task in tasks:
            chosen = whole or plan(program for program in merged if program.task_id == task.id)
            verdicts = _verdicts(evaluator, chosen, task)
            for program, row in zip(chosen.programs, verdicts):
                outcomes[program.name, task.id] = Outcome(program, task, row, rerun)
                stats.evaluations += len(row)
            stats.tasks += bool(chosen.programs)
            stats.seconds = perf_counter() - started
            if on_task is not None:
                on_task(task)
    except KeyboardInterrupt:
        raise Interrupted(results) from None
    finally:
        stats.seconds_by_stage = {stage.name.lower(): spent for stage, spent in evaluator.seconds.items()}
        counts = [outcome.failures for outcome in results]
        stats.failures = {kind: sum(count.get(kind, 0) for count in counts) for kind in KINDS}
    return results


def _verdicts(evaluator: Evaluator, chosen: Plan, task: Task) -> list[tuple[Any, ...]]:
    """For each program of the plan its verdicts on the samples of the task."""
    if not chosen.programs:
        return []
    rows = [
        [verdict(program, outcome, sample.output) for program, outcome in zip(chosen.programs, outputs)]
        for sample, outputs in zip(task.samples, evaluator.run_task(chosen, task))
    ]
    return list(zip(*rows))


def _require(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ArcbattError(f"{name} is {value!r}; it must be one of {', '.join(allowed)}")
