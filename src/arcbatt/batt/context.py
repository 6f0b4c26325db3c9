"""A context in which batt functions run through the engine as they are, on many inputs together."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import wraps
from threading import Lock
from time import perf_counter
from types import FunctionType
from typing import Any, NamedTuple

from arcbatt.batt.coordinator import BatchInput
from arcbatt.batt.line_log import Arguments, log_lines
from arcbatt.batt.recording import Recording, Result, bodies_of, key_of, recording_of, require_names
from arcbatt.collection import collection_put_off
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.registry import own_op
from arcbatt.dsl.table import TABLE, Op, scope_of
from arcbatt.engine.backend import Terms, by_task, choose, how_many
from arcbatt.engine.plan import Plan, with_all_outcomes
from arcbatt.engine.results import Outputs
from arcbatt.errors import ArcbattError, ProgramError, ValueRefused
from arcbatt.program.batt_body import PARAMETERS
from arcbatt.program.graph import Style

LOGGED_AT_ONCE = 50  # samples of which the values of all lines are held, which a log needs


class Recorded(NamedTuple):
    """A function that was recorded: where it stands, its style and how many lines it has."""

    function: str
    file: str
    line: int
    style: Style
    lines: int


class Plain(NamedTuple):
    """A function that runs as plain Python, and why: the line is the one that is in the way."""

    function: str
    file: str
    line: int
    reason: str


@dataclass
class Report:
    """What a context has done so far.

    `plain_inputs` of the `inputs` ran as plain Python: those of plain functions, and those that the engine
    does not take. `failures` counts outputs of the engine, in o and s, that have no value.
    """

    backend: str
    why: str
    recorded: list[Recorded] = field(default_factory=list)
    plain: list[Plain] = field(default_factory=list)
    inputs: int = 0
    plain_inputs: int = 0
    failures: int = 0
    seconds: float = 0.0


class Batch:
    """What `batch_dsl_context` gives: runs batt functions on many inputs together. Threads may share it."""

    def __init__(self, backend: str, ops: Sequence[Op], threads: int | None, trust_names: bool) -> None:
        self.threads = how_many("threads", threads)
        self.backend, why = choose(backend)
        self.trust_names = trust_names
        self.report = Report(self.backend.name, why)
        self._ops = ops
        self._open = True
        self._lock = Lock()
        self._refused: dict[Any, ProgramError] = {}

    def close(self) -> None:
        """End the context: functions that it has wrapped are plain again."""
        self._open = False

    def map(self, function: Callable[..., Any], inputs: Iterable[BatchInput | Sequence[Any]]) -> list[Any]:
        """What a batt function returns for each input: (o, s).

        An input is a BatchInput or the arguments (task_id, S, I, C, log_path) of a call. A failed line costs
        only itself and gives what the function's style says; in style `vectorized` that is a `Failure`.
        An input that the engine does not take, such as one over a limit, runs as plain Python. What plain
        Python raises reaches the caller.
        """
        if not self._open:
            raise ArcbattError("this context has been left; enter a new one to run functions in")
        calls = [given.to_args() if isinstance(given, BatchInput) else tuple(given) for given in inputs]
        return self._results(function, calls)

    def wrap(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, run through the engine whenever it is called while the context is open."""

        @wraps(function)
        def wrapped(*arguments: Any) -> Any:
            return self._results(function, [arguments])[0] if self._open else function(*arguments)

        return wrapped

    def _results(self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[Any]:
        started = perf_counter()
        with self.scope():
            recording = self._recording(function)
            answers: list[Result | None]
            if isinstance(recording, ProgramError):
                self._say(function, recording)
                answers = [None] * len(calls)
            else:
                answers = self._answers(recording, _arguments(calls))
            results = [function(*call) if answer is None else answer for call, answer in zip(calls, answers)]
        with self._lock:
            self.report.inputs += len(calls)
            self.report.plain_inputs += answers.count(None)
            self.report.seconds += perf_counter() - started
        return results

    def scope(self) -> AbstractContextManager[None]:
        """The ops of this context, also in a thread that has not entered it."""
        return scope_of(op for op in self._ops if TABLE.get(op.name) is not op)

    def _say(self, function: Callable[..., Any], refused: ProgramError) -> None:
        """Report, and once warn, that a function runs as plain Python."""
        plain = Plain(_title(function), refused.file, refused.line, refused.reason)
        if self._note(self.report.plain, plain):
            # The line to warn of is that which called `map` or a wrapped function.
            warnings.warn(f"{plain.function} runs as plain Python: {refused}", RuntimeWarning, stacklevel=4)

    def _note(self, entries: list[Any], entry: Any) -> bool:
        """Whether an entry of the report is new; it is there from then on."""
        with self._lock:
            is_new = entry not in entries
            if is_new:
                entries.append(entry)
        return is_new

    def _recording(self, function: Callable[..., Any]) -> Recording | ProgramError:
        """The recording of a function, or why there is none; its names are looked up afresh each time."""
        try:
            bodies = bodies_of(function)
            recording = self._recording_of(bodies)
            if not self.trust_names:
                require_names(bodies, recording)
        except ProgramError as refused:
            return refused
        code, lines = bodies[0].__code__, len(recording.lines)
        entry = Recorded(_title(function), code.co_filename, code.co_firstlineno, recording.style, lines)
        self._note(self.report.recorded, entry)
        return recording

    def _recording_of(self, bodies: Sequence[FunctionType]) -> Recording:
        """The recording of a function; what was refused once is refused as long as the context is open."""
        key = key_of(bodies)
        if key in self._refused:
            raise self._refused[key].with_traceback(None)
        try:
            return recording_of(bodies)
        except ProgramError as refused:
            self._refused[key] = refused
            raise

    def _answers(self, recording: Recording, calls: Sequence[Arguments]) -> list[Result | None]:
        """What the function returns for each call; None for one that the engine does not take."""
        if recording.manner == "pile" and any(call.log_path is not None for call in calls):
            rows = self._logged_rows(recording, calls)
        else:
            rows = self._rows(recording, recording.plan, calls)
        failures = sum(isinstance(outcome, Failure) for row in rows if row for outcome in row)
        with self._lock:
            self.report.failures += failures
        with collection_put_off():  # results are many and no garbage
            return [None if row is None else recording.result(row) for row in rows]

    def _logged_rows(self, recording: Recording, calls: Sequence[Arguments]) -> list[Outputs | None]:
        """The outcomes of each call; what has failed goes to the log of the call, if it has one."""
        rows: list[Outputs | None] = []
        plan = with_all_outcomes(recording.plan)
        for start in range(0, len(calls), LOGGED_AT_ONCE):
            some = calls[start : start + LOGGED_AT_ONCE]
            with collection_put_off():
                found = self._rows(recording, plan, some)
            for call, row in zip(some, found):
                if row is not None and call.log_path is not None:
                    log_lines(recording.lines, recording.plan, call, row)
                rows.append(row and tuple(row[root] for root in recording.plan.roots))
        return rows

    def _rows(self, recording: Recording, plan: Plan, calls: Sequence[Arguments]) -> list[Outputs | None]:
        """The outcomes of each call; where they cannot run together, halves do, down to the call at fault."""
        terms = Terms(on_failure=recording.mode, threads=self.threads)
        inputs = by_task((call.task_id, call.S, call.I, call.C) for call in calls)
        try:
            return [row for rows in self.backend.outcomes(plan, inputs, terms) for row in rows]
        except (ValueRefused, MemoryError):
            if len(calls) == 1:
                return [None]
        middle = len(calls) // 2
        return [row for half in (calls[:middle], calls[middle:]) for row in self._rows(recording, plan, half)]


@contextmanager
def batch_dsl_context(
    backend: str = "auto",
    ops: Iterable[Callable[..., Any]] = (),
    threads: int | None = None,
    trust_names: bool = False,
) -> Iterator[Batch]:
    """Run batt functions through the engine: recorded once, then run on all inputs together.

    A function stays as it is, and nothing is replaced in its module: what it does is read from its source,
    and checked against its code and against what its names stand for. One that is not straight-line runs as
    plain Python for each input; `batch.report` and a warning say why. `trust_names` takes a name of the
    language for what it says, whatever the module has under it, such as a DSL of its own.
    `ops` are Python functions that are ops inside the context and nowhere else.

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
    inside = [_own(body) for body in ops]
    batch = Batch(backend, inside, threads, trust_names)
    with batch.scope():
        try:
            yield batch
        finally:
            batch.close()


def _own(body: Callable[..., Any]) -> Op:
    """The record of a user's op: the one that is there already, if it has this body."""
    op = own_op(body, None)
    known = TABLE.get(op.name)
    return known if known is not None and known.body is body else op


def _title(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _arguments(calls: Sequence[tuple[Any, ...]]) -> list[Arguments]:
    """The calls of a recorded function, if all of them have its arguments."""
    for number, call in enumerate(calls):
        if len(call) != len(PARAMETERS):
            wanted = ", ".join(PARAMETERS)
            raise ArcbattError(f"input {number} has {len(call)} arguments; a batt function takes ({wanted})")
    return [Arguments(*call) for call in calls]
