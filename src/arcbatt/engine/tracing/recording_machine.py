"""The reference machine with a record of its applications: the active ones, and on request a tree of all."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from arcbatt.dsl.failures import Kind, OpFailed
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.dsl.machine import BoundFunction, Machine
from arcbatt.dsl.own.errors import Fault
from arcbatt.dsl.table import TABLE, Callee, Collector, Op
from arcbatt.dsl.types import Type, is_container, is_filled_grid
from arcbatt.dsl.values import Function, Value, ordered, weight
from arcbatt.engine.tracing.words import applied

MOST_INNER = 8  # applications of one op or function that a tree keeps
MOST_APPLICATIONS = 400  # of a whole tree
HEAVIEST_TREE = 1_000_000  # the weight of all results that a tree keeps


class Element(NamedTuple):
    """Which of its applications a higher-order op makes: number 2 of 4, and the noun of what is counted.

    `what` is a nearer word for the element itself, such as `row`. `total` is 0 where it is not known.
    """

    number: int
    total: int
    noun: str
    what: str = ""

    def __str__(self) -> str:
        return f"{self.noun} {self.number:,}" + (f" of {self.total:,}" if self.total else "")


@dataclass(frozen=True)
class Application:
    """An op or a function value applied to arguments, and its result or the kind of its failure.

    `callee` is the name of an op, or a composed function. `element` tells which one of its op it is. `inner`
    are the applications that it makes itself; `left_out` is the number of those that are not kept.
    """

    callee: str | Function
    arguments: tuple[Value, ...]
    result: Value | None = None
    kind: Kind | None = None
    element: Element | None = None
    inner: tuple["Application", ...] = ()
    left_out: int = 0

    @property
    def name(self) -> str:
        """The name of the op, or of the op that composed the function."""
        return self.callee if isinstance(self.callee, str) else self.callee.name

    def __str__(self) -> str:
        """The callee with its arguments, such as `add(1, 2)`; an argument that is long by its kind."""
        return applied(self.callee, self.arguments)


class _Frame:
    """An application while it is made; `latest` is the last one that it has made itself."""

    __slots__ = (
        "arguments",
        "callee",
        "element",
        "inner",
        "is_kept",
        "kind",
        "latest",
        "left_out",
        "result",
        "turns",
    )

    def __init__(
        self, callee: str | Function, arguments: tuple[Value, ...], element: Element | None, is_kept: bool
    ) -> None:
        self.callee, self.arguments, self.element, self.is_kept = callee, arguments, element, is_kept
        self.inner: list[_Frame] = []
        self.latest: _Frame | None = None
        self.turns = self.left_out = 0
        self.result: Value | None = None
        self.kind: Kind | None = None

    def application(self, with_inner: bool = True) -> Application:
        """The application as data."""
        inner = tuple(frame.application() for frame in self.inner) if with_inner else ()
        left_out = self.left_out if with_inner else 0
        return Application(self.callee, self.arguments, self.result, self.kind, self.element, inner, left_out)


class ExcessSize(NamedTuple):
    """The size of a result that breaks a limit."""

    weight: int
    nest: int


class Cause(NamedTuple):
    """Why a node failed: the applications that were active, the innermost last, and the accounts by then.

    `latest` is the last application that the innermost one had made by then. `judged` is the size of a result
    that broke a limit, `fault` the fault of a user's own op.
    """

    kind: Kind
    path: tuple[Application, ...]
    latest: Application | None
    judged: ExcessSize | None
    fault: Fault | None
    calls: int
    work: int


class Recorder(Machine):
    """A machine that knows, when an op fails, which application failed: `cause`, of the last op that it ran.

    With `keeps`, `tree` has the applications of that op, as far as they are not too many.

    >>> recorder = Recorder()
    >>> recorder.run(TABLE["apply"], (Function("height", (), 1), ((1, 2), (3, 4))))
    Traceback (most recent call last):
    arcbatt.dsl.failures.OpFailed: TYPE
    >>> [application.name for application in recorder.cause.path]
    ['apply', 'height']
    >>> print(recorder.cause.path[-1].element)
    element 1 of 2
    """

    def __init__(self, limits: Limits = DEFAULT_LIMITS, keeps: bool = False) -> None:
        super().__init__(limits)
        self.cause: Cause | None = None
        self.tree: Application | None = None
        self._keeps = keeps
        self._room = self._weight = 0
        self._active: list[_Frame] = []
        self._element: Element | None = None  # of the application that is made next
        self._judged: ExcessSize | None = None

    def run(self, callee: Callee, arguments: tuple[Value, ...]) -> Value:
        """The result of a top-level op or of a call; raises OpFailed."""
        self.cause = self.tree = self._element = self._judged = None
        self._room, self._weight = MOST_APPLICATIONS if self._keeps else 0, HEAVIEST_TREE
        frame = _Frame(callee.name, arguments, None, self._keeps)
        self._active = [frame]
        try:
            frame.result = super().run(callee, arguments)
            return frame.result
        except OpFailed as failed:
            self._note(failed)
            frame.kind = failed.kind
            raise
        finally:
            self.tree = frame.application() if self._keeps else None
            self._active = []

    def _note(self, failed: OpFailed) -> None:
        """Keep the cause of a failure, unless an application further in is known as the one that failed."""
        if self.cause is None:
            innermost = self._active[-1]
            innermost.kind = failed.kind
            latest = innermost.latest.application(with_inner=False) if innermost.latest else None
            path = tuple(frame.application(with_inner=False) for frame in self._active)
            self.cause = Cause(failed.kind, path, latest, self._judged, failed.fault, self._calls, self.work)

    def _apply(self, function: Function, arguments: tuple[Value, ...]) -> Value:
        outer = self._active[-1]
        is_kept = outer.is_kept and len(outer.inner) < MOST_INNER and self._room > 0
        frame = _Frame(function if function.parts else function.name, arguments, self._element, is_kept)
        self._element = None
        self._active.append(frame)
        try:
            frame.result = super()._apply(function, arguments)
        except OpFailed as failed:
            self._note(failed)
            frame.kind = failed.kind
            if self._keeps:
                outer.inner.append(frame)
            raise
        finally:
            self._active.pop()
        outer.latest = frame
        if is_kept:
            self._keep(outer, frame)
        else:
            outer.left_out += 1
        return frame.result

    def _keep(self, outer: _Frame, frame: _Frame) -> None:
        outer.inner.append(frame)
        self._room -= 1
        self._weight -= weight(frame.result or 0)
        if self._weight < 0:
            self._room = 0

    def _judge_size(self, fits_32_bits: bool, weight: int, nest: int) -> None:
        try:
            super()._judge_size(fits_32_bits, weight, nest)
        except OpFailed:
            self._judged = ExcessSize(weight, nest)
            raise

    def _bound(self, function: Function, kind: Type, collect: Collector | None) -> BoundFunction:
        bound = super()._bound(function, kind, collect)

        def run(*arguments: Value) -> Value:
            frame = self._active[-1]
            self._element = _element(frame, arguments)
            frame.turns += 1
            return bound(*arguments)

        return BoundFunction(function, run)


def _element(frame: _Frame, arguments: tuple[Value, ...]) -> Element:
    """The element that an op has come to when it applies a function to these arguments."""
    turn = frame.turns
    op = TABLE[frame.callee] if isinstance(frame.callee, str) else None
    containers = _containers(op, frame.arguments) if op is not None else []
    if len(arguments) == 2 and len(containers) == 2:
        sizes = [len(container) for container in containers]
        is_parallel = op is not None and "papply" in op.name
        return Element(turn + 1, min(sizes) if is_parallel else sizes[0] * sizes[1], "pair")
    if op is not None and op.name.startswith("rapply"):
        functions: Any = frame.arguments[0]
        return Element(turn + 1, len(functions), "function")
    for container in containers:
        if turn < len(container) and ordered(container)[turn] is arguments[0]:
            is_row = is_filled_grid(container) and type(arguments[0]) is tuple
            return Element(turn + 1, len(container), "element", "row" if is_row else "")
    return Element(turn + 1, 0, "application")


def _containers(op: Op, arguments: tuple[Value, ...]) -> list[Any]:
    """The arguments that a higher-order op takes elements of."""
    return [
        argument
        for param, argument in zip(op.params, arguments)
        if not param.type.is_function and is_container(argument)
    ]
