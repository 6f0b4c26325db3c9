"""Faults of user-defined ops as data: exceptions, and results that are not of the declared type."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import CodeType, TracebackType
from typing import Any, NamedTuple, Protocol

from arcbatt.dsl.own.short_values import call_in_short, value_in_short
from arcbatt.dsl.table import Op
from arcbatt.text import printable, shorten

WRONG_RESULT = "wrong result"
LONGEST_MESSAGE = 200
MOST_KINDS = 100  # of faults in a report


class Fault(NamedTuple):
    """An exception of an op with its location in the user's file, or a result of the wrong type.

    `kind` is the class of the exception, or `wrong result`.
    """

    op: str
    kind: str
    message: str
    file: str
    line: int
    arguments: tuple[Any, ...]

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Faults with equal keys are reported together."""
        return self.op, self.kind, self.file, self.line

    @property
    def error(self) -> "OpError":
        """The fault for a report."""
        return OpError(*self[:5], call_in_short(self.op, self.arguments))


@dataclass(frozen=True)
class OpError:
    """A kind of fault of a user's op: an exception at one line of its file, or a wrong result.

    `call`, `program`, `task` and `sample` are the first case, in the order of tasks, samples and programs.
    `count` is the number of evaluations (one program on one sample each) in which it occurred.
    """

    op: str
    kind: str
    message: str
    file: str
    line: int
    call: str
    program: str = ""
    task: str = ""
    sample: str = ""
    count: int = 1
    rank: tuple[int, int] = field(default=(0, 0), repr=False, compare=False)  # of the case within its task

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Faults with equal keys are reported together."""
        return self.op, self.kind, self.file, self.line

    @property
    def place(self) -> str:
        """The file, without its folders, and the line."""
        return f"{shorten(Path(self.file).name)}, line {self.line}" if self.file else "unknown place"

    def __str__(self) -> str:
        """What went wrong and where, without the case."""
        what = f"{self.kind}: {self.message}" if self.message else self.kind
        return f"{what} ({self.place})"

    def as_json(self) -> dict[str, Any]:
        """The fault as plain data."""
        return {name: value for name, value in asdict(self).items() if name != "rank"}


def summed(errors: Iterable[OpError]) -> tuple[OpError, ...]:
    """Add up errors with equal keys; keeps the first case of each key, and the first hundred keys.

    >>> error = OpError("spin", "ValueError", "no", "ops.py", 3, "spin(1)")
    >>> [both.count for both in summed([error, error])]
    [2]
    """
    found: dict[tuple[str, str, str, int], OpError] = {}
    for error in errors:
        known = found.get(error.key)
        if known is not None:
            found[error.key] = replace(known, count=known.count + error.count)
        elif len(found) < MOST_KINDS:
            found[error.key] = error
    return tuple(found.values())


def raised(op: Op, arguments: Sequence[Any], error: BaseException) -> Fault:
    """The fault of an op whose body raised an exception."""
    return Fault(
        op.name, type(error).__qualname__, text_of(error), *location_of(op.body, error), tuple(arguments)
    )


def misfit(op: Op, arguments: Sequence[Any], declared: str, given: object) -> Fault:
    """The fault of an op whose body returned a result that it does not declare."""
    what = type(given).__qualname__
    with suppress(Exception):  # it is the user's object, and so is its repr
        what = f"{value_in_short(given)}, of type {what}"
    code = _code_of(op.body)
    location = ("", 0) if code is None else (code.co_filename, code.co_firstlineno)
    message = f"it declares {declared} and gave {what}"
    return Fault(op.name, WRONG_RESULT, message[:LONGEST_MESSAGE], *location, tuple(arguments))


def text_of(error: BaseException) -> str:
    """The message of an exception on one line, shortened if it is long."""
    try:
        return printable(" ".join(str(error)[:LONGEST_MESSAGE].split()))
    except Exception:
        return ""


def _code_of(body: Any) -> CodeType | None:
    """The code of a function, also inside decorators, a partial or a callable object."""
    for _ in range(10):
        code = getattr(body, "__code__", None)
        inner = getattr(body, "__wrapped__", None) or getattr(body, "func", None)
        if inner is None and isinstance(code, CodeType):
            return code
        body = inner if inner is not None else type(body).__call__
    return None


def location_of(body: Callable[..., Any], error: BaseException) -> tuple[str, int]:
    """The file and line of an exception: the innermost frame in the file of the body, or else of all."""
    code = _code_of(body)
    own = "" if code is None else code.co_filename
    found = ("", 0) if code is None else (own, code.co_firstlineno)
    is_own = False
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file == own or (not is_own and not file.startswith(_MACHINE)):
            found, is_own = (file, trace.tb_lineno), file == own
        trace = trace.tb_next
    return found


_MACHINE = str(Path(__file__).parents[1]) + os.sep  # the code that calls the body

# A list that collects (node, fault) of each failed node; the core gives the number of the node in its plan.
_NOTES: ContextVar[list[tuple[Any, Fault]] | None] = ContextVar("faults of own ops", default=None)


@contextmanager
def faults_noted() -> Iterator[list[tuple[Any, Fault]]]:
    """Inside, faults of user-defined ops are collected with the nodes that they make fail."""
    notes: list[tuple[Any, Fault]] = []
    before = _NOTES.set(notes)
    try:
        yield notes
    finally:
        _NOTES.reset(before)


def note(node: Any, fault: Fault | None) -> None:
    """Record the fault that makes a node fail, if a caller collects faults."""
    notes = _NOTES.get()
    if notes is not None and fault is not None:
        notes.append((node, fault))


class HasNodes(Protocol):
    """A plan."""

    @property
    def nodes(self) -> Sequence[Any]:
        """Its nodes."""


@contextmanager
def noted_with(plan: HasNodes) -> Iterator[None]:
    """Record the faults of a plan with its nodes in place of their numbers."""
    notes = _NOTES.get()
    start = 0 if notes is None else len(notes)
    try:
        yield
    finally:
        if notes is not None and len(notes) > start:
            nodes = plan.nodes
            notes[start:] = [
                (nodes[node] if isinstance(node, int) else node, fault) for node, fault in notes[start:]
            ]
