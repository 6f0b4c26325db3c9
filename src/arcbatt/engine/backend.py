"""What a backend is, and the choice of one by name or by what this machine has."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from arcbatt.dsl.failures import Failure
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.table import Op
from arcbatt.dsl.values import Function, Value
from arcbatt.engine.results import Outputs, Verdict
from arcbatt.errors import BackendError
from arcbatt.program.graph import Program
from arcbatt.tasks import Task

BackendName = Literal["auto", "reference", "native", "cuda", "emulated"]
FailureMode = Literal["fail", "default"]
BACKENDS: tuple[BackendName, ...] = get_args(BackendName)
AVAILABLE: tuple[BackendName, ...] = ("reference",)


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


class Backend(Protocol):
    """A way to run programs. All backends give the same values and the same failures."""

    name: BackendName

    def run(self, job: Job, report: Report) -> dict[str, float]:
        """Run a job and report each task; the answer is the seconds spent by stage."""

    def outputs(self, program: Program, task: Task, limits: Limits, on_failure: FailureMode) -> Outputs:
        """The outcome of one program on each sample of a task."""

    def call(self, op: Op | Function, arguments: tuple[Value, ...], limits: Limits) -> Value | Failure:
        """One op or function on values."""


def choose(name: str) -> tuple[Backend, str]:
    """The backend to use and the reason for it.

    >>> backend, why = choose("reference")
    >>> backend.name, why
    ('reference', 'asked for')
    """
    from arcbatt.engine.reference import ReferenceBackend

    if name == "auto":
        return ReferenceBackend(), "the only backend of this version"
    if name in AVAILABLE:
        return ReferenceBackend(), "asked for"
    if name in BACKENDS:
        raise BackendError(f"backend {name!r} is not part of this version; use {' or '.join(AVAILABLE)}")
    raise BackendError(f"there is no backend {name!r}; use one of {', '.join(BACKENDS)}")
