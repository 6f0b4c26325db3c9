"""What a backend is, and the choice of one by name or by what this machine has."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Literal, Protocol, get_args

from arcbatt.dsl.failures import Failure
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.table import Op
from arcbatt.dsl.values import Function, Value, intake
from arcbatt.engine.results import Outputs, Verdict
from arcbatt.errors import BackendError, ValueRefused
from arcbatt.program.graph import Node, Program
from arcbatt.tasks import Task

BackendName = Literal["auto", "reference", "native", "cuda", "emulated"]
FailureMode = Literal["fail", "default"]
BACKENDS: tuple[BackendName, ...] = get_args(BackendName)


def _has_core() -> bool:
    """Whether the compiled core is installed; nothing is imported to find out."""
    return not os.environ.get("ARCBATT_REFERENCE") and find_spec("arcbatt._core") is not None


AVAILABLE: tuple[BackendName, ...] = ("reference", "native") if _has_core() else ("reference",)


@dataclass(frozen=True)
class Job:
    """What to run: the wanted programs of each task, and how."""

    tasks: Sequence[Task]
    wanted: Sequence[Sequence[Program]]
    limits: Limits
    on_failure: FailureMode
    threads: int


# Told of each task when it is done: for each of its programs the verdicts on its samples.
Report = Callable[[Task, Sequence[Program], Sequence[tuple[Verdict, ...]]], None]


def task_input(task: Task, value: Value, limits: Limits) -> Value:
    """An input of a task as a value; one that is refused is named with its task."""
    try:
        return intake(value, limits)
    except ValueRefused as refusal:
        raise ValueRefused(f"task {task.id}: {refusal}; raise the limit to run it") from None


class Backend(Protocol):
    """A way to run programs. All backends give the same values and the same failures."""

    name: BackendName

    def run(self, job: Job, report: Report) -> dict[str, float]:
        """Run a job and report each task; the answer is the seconds spent by stage."""

    def outcomes(
        self, nodes: Sequence[Node], task: Task, limits: Limits, on_failure: FailureMode
    ) -> Iterator[Outputs]:
        """The outcome of each node, sample by sample, demo then test."""

    def call(self, op: Op | Function, arguments: tuple[Value, ...], limits: Limits) -> Value | Failure:
        """One op or function on values."""


def choose(name: str) -> tuple[Backend, str]:
    """The backend to use and the reason for it.

    >>> backend, why = choose("reference")
    >>> backend.name, why
    ('reference', 'asked for')
    """
    if name == "auto" and "native" in AVAILABLE:
        try:
            return _load("native"), "the compiled core is installed"
        except BackendError as error:
            return _load("reference"), str(error)
    if name == "auto":
        return _load("reference"), "the compiled core is not installed or switched off"
    if name in AVAILABLE:
        return _load(name), "asked for"
    if name == "native":
        raise BackendError("backend 'native' needs the compiled core; install with a C++20 compiler at hand")
    if name in BACKENDS:
        raise BackendError(f"backend {name!r} is not part of this version; use {' or '.join(AVAILABLE)}")
    raise BackendError(f"there is no backend {name!r}; use one of {', '.join(BACKENDS)}")


@cache
def _load(name: str) -> Backend:
    if name == "native":
        try:
            from arcbatt.engine.native import NativeBackend
        except ImportError as error:
            raise BackendError(f"the compiled core cannot be loaded: {error}") from None
        return NativeBackend()
    from arcbatt.engine.reference import ReferenceBackend

    return ReferenceBackend()
