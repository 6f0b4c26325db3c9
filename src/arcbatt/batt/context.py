"""A context in which unchanged batt functions run through the engine, on many inputs at a time."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import wraps
from sys import _getframe
from threading import Lock
from time import perf_counter
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

from arcbatt.arguments import collected, require_callable, require_flags, require_kind
from arcbatt.batt.callables import ops_run_by
from arcbatt.batt.coordinator import BatchInput, as_tuples
from arcbatt.batt.direct import (
    Detour,
    Diversion,
    batt_frames,
    batts_named_in,
    diverted_to,
    function_of,
    original_of,
)
from arcbatt.batt.line_log import LOGGED_AT_ONCE, Arguments, log_lines
from arcbatt.batt.operations import GPUDSLOperations
from arcbatt.batt.per_op_backend import SELECTION, Selection
from arcbatt.batt.recording import (
    Recording,
    bodies_of,
    key_of,
    recording_of,
    require_names,
)
from arcbatt.batt.single_calls import SingleCalls
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.dsl.own_ops import own_op
from arcbatt.dsl.table import TABLE, Callee, Op, scope_of
from arcbatt.dsl.values import Value
from arcbatt.engine.backend import Backend, RunOptions, how_many
from arcbatt.engine.choose import choose, require_backend
from arcbatt.engine.plan import Plan, with_all_outcomes
from arcbatt.engine.results import Outputs
from arcbatt.engine.work import Work
from arcbatt.errors import ArcbattError, ProgramError, ValueRefused
from arcbatt.gc_pause import gc_paused
from arcbatt.program.batt_files.body import PARAMETERS
from arcbatt.program.graph import Style
from arcbatt.tasks.samples import by_task, in_halves
from arcbatt.text import plural

AN_INPUT = f"input of a batt; one is arcbatt.BatchInput(...), or the arguments ({', '.join(PARAMETERS)})"


NO_MEMORY = "it needs more memory than there is"
TRUSTED_OPS = sum(op.trusted for op in TABLE.values())  # those of the language


class RecordedFunction(NamedTuple):
    """A function that was recorded: its place in the source, its style and the number of its lines."""

    function: str
    file: str
    line: int
    style: Style
    lines: int


class PlainFunction(NamedTuple):
    """A function that runs as plain Python, wholly or on some inputs; why, and the line at fault."""

    function: str
    file: str
    line: int
    reason: str


@dataclass
class ContextReport:
    """The work of a context so far.

    Of all `inputs`, `plain_inputs` ran as plain Python, because the function was not recorded or the engine
    refused the input; `plain` says why. `failures` counts outputs of the engine, in o and s, without a value.
    `direct_calls` counts inputs that came as direct calls of a batt function, `batt(...)`. `direct_ops`
    counts ops that other Python code called inside the context; the engine ran each of them.
    """

    backend: str
    why: str
    recorded: list[RecordedFunction] = field(default_factory=list)
    plain: list[PlainFunction] = field(default_factory=list)
    inputs: int = 0
    plain_inputs: int = 0
    failures: int = 0
    seconds: float = 0.0
    direct_calls: int = 0
    direct_ops: int = 0


class BatchRunner:
    """Runs the batt functions of a `batch_dsl_context` on many inputs at a time. Threads may share it."""

    def __init__(
        self,
        chosen: tuple[Backend, str],
        ops: Sequence[Op],
        threads: int | None,
        trust_names: bool,
        selection: Selection,
        limits: Limits,
    ) -> None:
        self.threads = how_many("threads", threads)
        self.backend, why = chosen
        self.trust_names, self.selection, self.limits = trust_names, selection, limits
        self.report = ContextReport(self.backend.name, why)
        self._for_one_op = self.backend.for_one_op
        # A choice between backends is made anew for each context, and one sample is never worth a device.
        self._for_one_sample = self._for_one_op if self.backend.decides else self.backend
        self._ops = ops
        self._open = True
        self._lock = Lock()
        self._refused: dict[Any, ProgramError] = {}
        self._noticed: set[CodeType] = set()
        self._ready: dict[Detour, SingleCalls | None] = {}  # None: it runs as plain Python
        self._diversion: Diversion | None = None

    @property
    def fallbacks(self) -> list[PlainFunction]:
        """The functions and inputs that ran as plain Python, and why."""
        return self.report.plain

    def close(self) -> None:
        """End the context: functions that it has wrapped are plain again."""
        self._open = False

    def map(self, function: Callable[..., Any], inputs: Iterable[BatchInput | Sequence[Any]]) -> list[Any]:
        """The result (o, s) of a batt function for each input.

        An input is a BatchInput or the arguments (task_id, S, I, C, log_path) of a call. A failed line does
        not end the call; its value is that of the function's style, a `Failure` in style `vectorized`.
        An input that the engine refuses, such as one over a limit, runs as plain Python. Exceptions of plain
        Python reach the caller.
        """
        if not self._open:
            raise ArcbattError("this context has been left; enter a new one to run functions in")
        require_callable("the function of a batt", function)
        calls = [
            given.to_args() if isinstance(given, BatchInput) else tuple(collected(given, AN_INPUT))
            for given in collected(inputs, AN_INPUT)
        ]
        return self._results(function, calls)

    def wrap(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, run through the engine whenever it is called while the context is open."""
        require_callable("the function of a batt", function)

        @wraps(function)
        def wrapped(*arguments: Any) -> Any:
            return self._results(function, [arguments])[0] if self._open else function(*arguments)

        return wrapped

    def _results(self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[Any]:
        started = perf_counter()
        with self.scope():
            recording = self._recording(function)
            answers: list[Any]
            if isinstance(recording, ProgramError):
                self._say(_title(function), recording)
                answers = [None] * len(calls)
            else:
                answers = self._answers(function, recording, _arguments(calls))
            with ops_run_by(None):
                plain = original_of(function)
                results = [plain(*call) if answer is None else answer for call, answer in zip(calls, answers)]
        with self._lock:
            self.report.inputs += len(calls)
            self.report.plain_inputs += answers.count(None)
            self.report.seconds += perf_counter() - started
        return results

    def run_op(self, callee: Callee, values: tuple[Value, ...]) -> Value | Failure:
        """Run an op, or apply the first value to the others, for Python code inside the context."""
        with self._lock:
            self.report.direct_ops += 1
        self._notice(_getframe(1))
        off = self.selection.on_reference
        on_reference = callee.name in off or (off and callee.higher_order)  # it may apply any op
        backend = choose("reference")[0] if on_reference else self._for_one_op
        return backend.call(callee, values, self.limits)

    def call(self, detour: Detour, arguments: tuple[Any, ...]) -> Any:
        """The result of a direct call of a batt function, which the context diverts."""
        if not self._open:
            return detour.original(*arguments)
        started = perf_counter()
        ready = self._ready.get(detour)
        if ready is None or not self._is_current(ready):
            ready = self._prepared(detour)
        result, failures = None, 0
        if ready is not None:
            try:
                result, failures = ready.result(Arguments(*arguments))
            except (ValueRefused, MemoryError) as refused:
                self._say_of_inputs(detour.original, [str(refused) or NO_MEMORY])
        report = self.report
        with self._lock:
            report.inputs += 1
            report.direct_calls += 1
            report.failures += failures
            report.plain_inputs += result is None
        if result is None:
            with ops_run_by(None):
                result = detour.original(*arguments)
        with self._lock:
            report.seconds += perf_counter() - started
        return result

    def _is_current(self, ready: SingleCalls) -> bool:
        """Whether what was prepared for single calls still holds: the ops that are there, the names."""
        return (
            len(TABLE) == TRUSTED_OPS
            and ready.options.on_reference == self.selection.on_reference
            and (self.trust_names or ready.is_current())
        )

    def _prepared(self, detour: Detour) -> SingleCalls | None:
        """A diverted function made ready for single calls; None if it runs as plain Python."""
        if detour in self._ready and self._ready[detour] is None:
            return None
        settings = (self._for_one_sample, self.limits, self.trust_names)
        ready = detour.prepared.get(settings)
        if ready is None or not self._is_current(ready):
            ready = self._new_single_calls(detour.original)
            if ready is not None:
                detour.keep(settings, ready)
        else:
            self._note_recorded(detour.original, ready.recording)
        self._ready[detour] = ready
        return ready

    def _new_single_calls(self, function: FunctionType) -> SingleCalls | None:
        recording = self._recording(function)
        if isinstance(recording, ProgramError):
            self._say(_title(function), recording, stacklevel=7)
            return None
        options = RunOptions(self.limits, threads=1, on_reference=self.selection.on_reference)
        return SingleCalls(bodies_of(function), recording, self._for_one_sample, options)

    def divert_to(self, diversion: Diversion) -> None:
        """Add functions that turn up later to those that are diverted."""
        self._diversion = diversion

    def _notice(self, frame: FrameType) -> None:
        """Divert a batt function that calls ops in a frame around this one, from its next call on.

        Among batt functions that call each other, it is the outermost one that can be read.
        """
        frames = [outer for outer in batt_frames(frame) if outer.f_code not in self._noticed]
        if not frames or self._diversion is None:
            return
        self._noticed.update(outer.f_code for outer in frames)
        functions = [function for outer in frames if (function := function_of(outer)) is not None]
        recordings = [self._recording(function) for function in functions]
        read = [one for one, found in zip(functions, recordings) if isinstance(found, Recording)]
        self._diversion.add(read[-1:])
        if functions and not read and isinstance(recordings[-1], ProgramError):
            self._say(_title(functions[-1]), recordings[-1], stacklevel=7)

    def scope(self) -> AbstractContextManager[None]:
        """A scope with the ops of this context, for threads that have not entered it."""
        return scope_of(op for op in self._ops if TABLE.get(op.name) is not op)

    def _say(self, title: str, refused: ProgramError, stacklevel: int = 4) -> None:
        """Report, and once warn, that a function runs as plain Python."""
        plain = PlainFunction(title, refused.file, refused.line, refused.reason)
        if self._note(self.report.plain, plain):
            # The warning is about the line that called `map`, a wrapped function, or the function itself.
            warnings.warn(f"{title} runs as plain Python: {refused}", RuntimeWarning, stacklevel=stacklevel)

    def _say_of_inputs(self, function: Callable[..., Any], refused: Sequence[str]) -> None:
        """Report, and once for each reason warn, that inputs run as plain Python."""
        code = bodies_of(function)[0].__code__
        for reason in dict.fromkeys(refused):
            plain = PlainFunction(_title(function), code.co_filename, code.co_firstlineno, reason)
            if self._note(self.report.plain, plain):
                count = plural(refused.count(reason), "input")
                sentence = f"{plain.function} runs as plain Python on {count}: {reason}"
                warnings.warn(sentence, RuntimeWarning, stacklevel=5)

    def _note(self, entries: list[Any], entry: Any) -> bool:
        """Add an entry to the report; whether it is new."""
        with self._lock:
            is_new = entry not in entries
            if is_new:
                entries.append(entry)
        return is_new

    def _recording(self, function: Callable[..., Any]) -> Recording | ProgramError:
        """The recording of a function, or why there is none; its names are checked again at each call."""
        try:
            bodies = bodies_of(function)
            recording = self._recording_of(bodies)
            if not self.trust_names:
                require_names(bodies, recording)
        except ProgramError as refused:
            return refused
        self._note_recorded(function, recording)
        return recording

    def _note_recorded(self, function: Callable[..., Any], recording: Recording) -> None:
        code, lines = bodies_of(function)[0].__code__, len(recording.lines)
        entry = RecordedFunction(
            _title(function), code.co_filename, code.co_firstlineno, recording.style, lines
        )
        self._note(self.report.recorded, entry)

    def _recording_of(self, bodies: Sequence[FunctionType]) -> Recording:
        """The recording of a function; a refusal holds for as long as the context is open."""
        key = key_of(bodies)
        if key in self._refused:
            raise self._refused[key].with_traceback(None)
        try:
            return recording_of(bodies)
        except ProgramError as refused:
            self._refused[key] = refused
            raise

    def _answers(
        self, function: Callable[..., Any], recording: Recording, calls: Sequence[Arguments]
    ) -> list[Any]:
        """The result of the function for each call; None for a call that the engine refuses."""
        refused: list[str] = []
        if recording.logged is not None and any(call.log_path is not None for call in calls):
            rows = self._logged_rows(recording, recording.logged, calls, refused)
        else:
            rows = self._rows(recording, recording.plan, calls, refused)
        self._say_of_inputs(function, refused)
        failures = sum(isinstance(outcome, Failure) for row in rows if row for outcome in row)
        with self._lock:
            self.report.failures += failures
        with gc_paused():  # many new objects, none of them garbage
            piled = recording.line_style == "pile"
            return [None if row is None else as_tuples(recording.entries, piled, row) for row in rows]

    def _logged_rows(
        self, recording: Recording, lines: Plan, calls: Sequence[Arguments], refused: list[str]
    ) -> list[Outputs | None]:
        """The outcomes of each call; failed lines are written to the log of the call, if it has one."""
        rows: list[Outputs | None] = []
        plan = with_all_outcomes(lines)
        for start in range(0, len(calls), LOGGED_AT_ONCE):
            some = calls[start : start + LOGGED_AT_ONCE]
            with gc_paused():
                found = self._rows(recording, plan, some, refused)
            for call, row in zip(some, found):
                if row is not None and call.log_path is not None:
                    log_lines(recording.lines, lines, call, row, recording.mode)
                rows.append(row and tuple(row[root] for root in lines.roots))
        return rows

    def _rows(
        self, recording: Recording, plan: Plan, calls: Sequence[Arguments], refused: list[str]
    ) -> list[Outputs | None]:
        """The outcomes of each call; None for one that is refused, with the reason added to `refused`."""
        options = RunOptions(self.limits, recording.mode, self.threads, self.selection.on_reference)
        tasks = by_task((call.task_id, call.S, call.I, call.C) for call in calls)
        rows: list[Outputs | None] = []
        run = Work(self.backend, plan, options).outputs
        for _, found in in_halves(run, tasks, (ValueRefused, MemoryError)):
            if isinstance(found, Exception):
                refused.append(str(found) or NO_MEMORY)
                rows.append(None)
            else:
                rows += found
        return rows


@contextmanager
def batch_dsl_context(
    backend: str | GPUDSLOperations | None = "auto",
    ops: Iterable[Callable[..., Any]] | bool = (),
    threads: int | None = None,
    trust_names: bool = False,
    *,
    gpu_ops: GPUDSLOperations | None = None,
    enable_gpu: bool = True,
    selection: Selection = SELECTION,
) -> Iterator[BatchRunner]:
    """Run batt functions through the engine: recorded once, then run on all inputs together.

    The module of the function is not changed. The source of the function is read, and checked against its
    code and against the objects that its names are bound to. A function that is not straight-line code
    runs as plain Python for each input; `batch.report` and a warning say why. With `trust_names`, a name of
    the language means the op of arcbatt, whatever the module binds it to, such as an op of another DSL.
    `ops` are Python functions that are ops inside the context and nowhere else.

    A function that is called directly, `batt(...)`, runs through the engine too, with the results of plain
    Python; one that the block does not name does so from its second call on. `gpu_ops` gives the context its
    limits, and its backend if that was named; `(gpu_ops, enable_gpu)` may come first. With `enable_gpu` False
    no device is used. An op that `selection` puts on the reference runs there.

    >>> from arcbatt.batt.runtime import *
    >>> def batt(task_id, S, I, C, log_path):
    ...     s = []
    ...     o = []
    ...     env = Env(0, task_id, S, log_path)
    ...     t1 = env.do_pile(1, [rot90, I], True)
    ...     o.append((1, False, '00d62c1b', t1))
    ...     return o, s
    >>> with batch_dsl_context() as batch:
    ...     results = batch.map(batt, [("00d62c1b", (), ((color, 2),), None, None) for color in (3, 4)])
    >>> for o, s in results:
    ...     print(o, s)
    [(1, False, '00d62c1b', OKT(ok=True, t=((3,), (2,))))] []
    [(1, False, '00d62c1b', OKT(ok=True, t=((4,), (2,))))] []
    >>> batch.report.inputs, batch.report.plain
    (2, [])
    """
    require_flags(trust_names=trust_names, enable_gpu=enable_gpu)
    require_kind(selection, Selection, "selection; arcbatt.Selection(...) makes one")
    if gpu_ops is not None:
        require_kind(gpu_ops, GPUDSLOperations, "operations; arcbatt.GPUDSLOperations() makes them")
    given = backend if isinstance(backend, GPUDSLOperations) else gpu_ops
    named = "auto" if backend is None or isinstance(backend, GPUDSLOperations) else backend
    require_backend(named)
    if given is not None and named == "auto":
        named = given.asked
    if isinstance(ops, bool):
        enable_gpu = ops
    inside = (
        [] if isinstance(ops, bool) else [_own(body) for body in collected(ops, "function; or give a bool")]
    )
    limits = DEFAULT_LIMITS if given is None else given.limits
    batch = BatchRunner(choose(named, devices=enable_gpu), inside, threads, trust_names, selection, limits)
    functions = batts_named_in(_caller())
    with (
        batch.scope(),
        ops_run_by(batch.run_op),
        diverted_to(batch.call, functions) as diversion,
    ):
        batch.divert_to(diversion)
        try:
            yield batch
        finally:
            batch.close()
    report = batch.report
    if not (functions or report.inputs or report.plain or report.direct_ops):
        # A function that only other code calls, with the ops of another DSL, cannot be noticed.
        reason = "the block names no batt function, and none called an op of arcbatt; see batch.map"
        warnings.warn(f"nothing ran through this context: {reason}", RuntimeWarning, stacklevel=3)


def _caller() -> FrameType:
    """The frame that enters the context."""
    frame = _getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__") in (__name__, "contextlib"):
        frame = frame.f_back
    return frame


def _own(body: Callable[..., Any]) -> Op:
    """The record of a user's op: a new one, or the one in the table that has this body."""
    op = own_op(body, None)
    known = TABLE.get(op.name)
    return known if known is not None and known.body is body else op


def _title(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _arguments(calls: Sequence[tuple[Any, ...]]) -> list[Arguments]:
    """The calls of a recorded function, after a check of the number of their arguments."""
    for number, call in enumerate(calls):
        if len(call) != len(PARAMETERS):
            wanted = ", ".join(PARAMETERS)
            raise ArcbattError(f"input {number} has {len(call)} arguments; a batt function takes ({wanted})")
    return [Arguments(*call) for call in calls]
