"""The native backend: a batt becomes bytecode that the compiled core runs on all cores."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from time import perf_counter
from typing import Any

from arcbatt import _core
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.machine import room_for
from arcbatt.dsl.table import Callee
from arcbatt.dsl.values import Value, intake
from arcbatt.engine.backend import Backend, BackendName, Clock, Job, Report, RunOptions, StepTime
from arcbatt.engine.core_calls import (
    CoreCall,
    CoreTerms,
    Delivery,
    failure_of,
    failure_of_row,
    under,
)
from arcbatt.engine.packed import PackedColumn
from arcbatt.engine.plan import Plan, plan_of
from arcbatt.engine.results import Outputs
from arcbatt.errors import ValueRefused
from arcbatt.program.graph import Node
from arcbatt.tasks.samples import Samples, TaskLike


class NativeBackend(Backend):
    """Runs everything in the compiled core."""

    name: BackendName = "native"
    tells_times = True

    def __init__(self) -> None:
        self._known = _core.Known()  # what Python has brought to columns

    def run(self, job: Job, report: Report) -> dict[str, float]:
        """Run a job and report its tasks in order; the answer is the seconds spent by stage."""
        started = perf_counter()
        delivery = Delivery(job, report)
        core = delivery.call()
        packing = perf_counter() - started
        with under(job.terms.limits):
            interrupted, seconds = _core.run(core.job, job.terms.threads, delivery.take)
        delivery.finish(complete=not interrupted)
        if interrupted:
            raise KeyboardInterrupt
        return {"packing": packing, "evaluation": seconds}

    def outcomes(self, plan: Plan, tasks: Sequence[TaskLike], terms: RunOptions) -> Iterator[list[Outputs]]:
        """For each task, for each sample the outcomes of the plan's roots."""
        core = CoreCall(plan, tasks, terms)
        with under(terms.limits):
            kept = _core.outcomes(core.job, terms.threads, core.terms.foreign, core.failure)
        if kept is None:
            raise KeyboardInterrupt
        return core.rows(kept)

    def profile(
        self,
        plan: Plan,
        tasks: Sequence[TaskLike],
        terms: RunOptions,
        on_task: Callable[[TaskLike], None],
        clock: Clock,
    ) -> list[StepTime]:
        """The times of the steps of a plan, by the clock of the core."""
        core = CoreCall(plan, tasks, terms)
        with under(terms.limits):
            rows = _core.profile(core.job)
        for task in tasks:
            on_task(task)
        return [StepTime(*row) for row in rows]

    def time_of_nothing(self, count: int, terms: RunOptions, clock: Clock) -> int:
        """The nanoseconds of a step that only passes the input on."""
        samples = Samples("", (), [(((0,),), None)] * count)
        (step,) = self.profile(plan_of([Node.input("I")]), [samples], terms, lambda task: None, clock)
        return step.nanoseconds

    def call(self, callee: Callee, arguments: tuple[Value, ...], limits: Limits) -> Value | Failure:
        """An op, or a call of the first argument, on values."""
        terms = CoreTerms(limits)
        with room_for(limits.depth):
            outcome: Value | Failure = _core.call(
                callee.name, arguments, terms.limits, terms.foreign, failure_of
            )
        return outcome

    def call_many(
        self, callee: Callee, columns: Sequence[Sequence[Any]], limits: Limits
    ) -> Sequence[Value | Failure]:
        """The same on each row of equally long columns."""
        terms = CoreTerms(limits)
        rows = len(columns[0])
        if self._known.is_full:
            self._known = _core.Known()

        def take_in(argument: Any) -> Value | None:
            try:
                return intake(argument, limits)
            except ValueRefused:
                return None

        with under(limits):
            kept = _core.call_many(
                callee.name,
                [_column(column, terms) for column in columns],
                rows,
                terms.limits,
                terms.foreign,
                self._known,
                take_in,
                failure_of_row,
            )
        return PackedColumn(kept, rows, terms.ops)


@cache
def open_backend() -> NativeBackend:
    """The one of this process."""
    return NativeBackend()


def _column(column: Sequence[Any], terms: CoreTerms) -> list[Any] | tuple[_core.OutcomeStore, int]:
    """A column as the core takes it: what another batch gave stays packed while ops have the same numbers."""
    if isinstance(column, PackedColumn) and column.ops == terms.ops:
        return column.packed
    return list(column)
