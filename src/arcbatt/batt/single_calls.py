"""A recorded batt function made ready for single calls: each runs its plan on one sample."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from operator import is_
from types import FunctionType
from typing import Any, NamedTuple

from arcbatt.batt.callables import as_callable, ops_run_by
from arcbatt.batt.env import as_okt
from arcbatt.batt.historical.forgiven import forgiven_values, steps_that_apply
from arcbatt.batt.line_log import Arguments, log_lines, one_of
from arcbatt.batt.recording import Recording
from arcbatt.dsl.contract import FAILED
from arcbatt.dsl.failures import Failure
from arcbatt.engine.backend import Backend, FailureMode, RunOptions, SampleCaller
from arcbatt.engine.plan import Plan, plan_of, with_all_outcomes
from arcbatt.program.batt_files.read import FALLBACK, RESIDENT
from arcbatt.tasks.samples import Samples


class _Names(NamedTuple):
    """Names of a module, and the objects that they were bound to."""

    lookup: Callable[[str], Any]
    names: tuple[str, ...]
    objects: tuple[Any, ...]


class _OutputEntry(NamedTuple):
    """An entry of o or s: the place of its value among the outcomes, and what stands before the value."""

    place: int
    beginning: tuple[Any, ...]


def count_failures(outcomes: Sequence[Any]) -> int:
    """The number of failures among outcomes; packed ones are not converted."""
    counted = getattr(outcomes, "failures", None)
    if counted is not None:
        return int(counted.total())
    return sum(isinstance(outcome, Failure) for outcome in outcomes)


class SingleCalls:
    """Runs a recorded function on one sample at a time, as `options` say."""

    def __init__(
        self, bodies: Sequence[FunctionType], recording: Recording, backend: Backend, options: RunOptions
    ) -> None:
        self.recording, self.backend, self.options = recording, backend, options
        self._codes = [(body, body.__code__) for body in bodies[1:]]
        lost = recording.stand_ins
        self._names = [_names_of(body, names | lost) for body, names in zip(bodies, recording.names)]
        if len(bodies) > 1:
            self._names.append(_names_of(bodies[0], (RESIDENT, FALLBACK)))
        self._cells = [(cell, cell.cell_contents) for body in bodies for cell in body.__closure__ or ()]
        roots = recording.plan.roots
        into = {name: [] for name in "os"}  # type: dict[str, list[_OutputEntry]]
        for place, (name, beginning) in enumerate(recording.entries):
            into[name].append(_OutputEntry(place, beginning))
        self._o, self._s = into["o"], into["s"]
        self._value_of = as_okt if recording.line_style == "pile" else as_callable
        self._ends_at_failure = recording.style == "vectorized" and recording.mode == "fail"
        plan = recording.plan
        if self._ends_at_failure:
            # In plain Python any line that fails ends the call, also one on which no output depends.
            plan = plan_of([plan.steps[root].node for root in roots] + recording.nodes)
        self._outputs = self._caller(plan, recording.mode)
        self._logged: Plan | None = recording.logged
        if self._logged is not None:
            every = with_all_outcomes(self._logged)
            self._trial = self._caller(every, "fail")
            self._every_line = self._caller(every, recording.mode)
        self._applying = steps_that_apply(plan) if recording.is_forgiving else {}
        if self._applying:
            self._plan = plan
            every = with_all_outcomes(plan)
            self._trial, self._every_line = self._caller(every, "fail"), self._caller(every, "default")

    def _caller(self, plan: Plan, mode: FailureMode) -> SampleCaller:
        return self.backend.caller(plan, replace(self.options, on_failure=mode))

    def is_current(self) -> bool:
        """Whether all names of the function are bound to the objects that they were bound to."""
        return (
            all(all(map(is_, map(lookup, names), objects)) for lookup, names, objects in self._names)
            and all(body.__code__ is code for body, code in self._codes)
            and all(cell.cell_contents is content for cell, content in self._cells)
        )

    def result(self, call: Arguments) -> tuple[tuple[list[Any], list[Any]] | None, int]:
        """The o and s of a call, and the number of failures in them; None if plain Python ends early."""
        sample = Samples(call.task_id, call.S, [(call.I, call.C)])
        outcomes: Sequence[Any]
        if call.log_path is not None and self._logged is not None:
            outcomes = self._with_log(self._logged, call, sample)
        elif self._applying:
            outcomes = self._forgiven(call, sample)
        else:
            outcomes = self._outputs(sample)
        failures = count_failures(outcomes)
        if failures and self._ends_at_failure:
            return None, 0
        values, value_of = tuple(outcomes), self._value_of
        o = [(*beginning, value_of(values[place])) for place, beginning in self._o]
        s = [(*beginning, value_of(values[place])) for place, beginning in self._s]
        return (o, s), failures

    def _forgiven(self, call: Arguments, sample: Samples) -> Sequence[Any]:
        """The outcomes of a call of safe ops; only if an op that applies functions fails is one looked at."""
        alone = self._trial.verdicts(sample)
        if all(alone[place] < FAILED for place in self._applying):
            return self._outputs(sample)
        outcomes = self._every_line(sample)
        changed = forgiven_values(self._plan, self._applying, call, outcomes, alone)
        return [changed[root] if root in changed else one_of(outcomes, root) for root in self._plan.roots]

    def _with_log(self, lines: Plan, call: Arguments, sample: Samples) -> Sequence[Any]:
        """The outcomes of a call that logs failed lines; only if one fails other values are looked at."""
        alone = self._trial.verdicts(sample)
        if max(alone, default=0) < FAILED:
            return self._outputs(sample)
        outcomes = self._every_line(sample)
        with ops_run_by(None):
            recording = self.recording
            log_lines(recording.lines, lines, call, outcomes, recording.mode, alone, recording.unknown)
        return [one_of(outcomes, root) for root in lines.roots]


def _names_of(body: FunctionType, names: Sequence[str] | frozenset[str]) -> _Names:
    """The global names of a function; those of a closure are asked for by cell."""
    some = tuple(name for name in sorted(names) if name not in body.__code__.co_freevars)
    lookup = partial(body.__globals__.get)
    return _Names(lookup, some, tuple(map(lookup, some)))
