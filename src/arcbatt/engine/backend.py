"""What a backend is, and the choice of one by name or by what this machine has."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, get_args, runtime_checkable

from arcbatt.dsl.failures import Failure
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.dsl.table import Op
from arcbatt.dsl.values import Function, Value, intake
from arcbatt.engine.cores import cores
from arcbatt.engine.plan import Plan
from arcbatt.engine.results import Outputs
from arcbatt.errors import ArcbattError, BackendError, LimitPassed, ValueRefused
from arcbatt.tasks import Task
from arcbatt.words import shorten

if TYPE_CHECKING:
    from arcbatt.engine.device import DeviceBackend

BackendName = Literal["auto", "reference", "native", "cuda", "emulated"]
FailureMode = Literal["fail", "default", "pile"]
BACKENDS: tuple[BackendName, ...] = get_args(BackendName)
DEVICE_BACKENDS: tuple[BackendName, ...] = ("cuda", "emulated")
MOST_THREADS = 1024  # more threads, or worker processes, help on no machine


def _why_no_core() -> str | None:
    """Why the compiled core cannot be used; None if it can. Nothing is imported to find out."""
    if os.environ.get("ARCBATT_REFERENCE"):
        return "the compiled core is switched off by ARCBATT_REFERENCE"
    if find_spec("arcbatt._core") is None:
        return "the compiled core is not installed; install with a C++20 compiler at hand"
    if _in_subinterpreter():
        return "the compiled core works in the main interpreter only; use processes, not subinterpreters"
    return None


def _in_subinterpreter() -> bool:
    """Whether this is not the interpreter that Python started with: two cannot share the compiled core."""
    for name in ("_interpreters", "_xxsubinterpreters"):  # newer and older Pythons
        if find_spec(name) is not None:
            interpreters = import_module(name)
            return bool(interpreters.get_current() != interpreters.get_main())
    return False


NO_CORE = _why_no_core()
AVAILABLE: tuple[BackendName, ...] = ("reference",) if NO_CORE else ("reference", "native")


class Inputs(NamedTuple):
    """What the samples of one task give to programs: S, and for each sample I and C.

    S or C is None where it is not known; then what needs it fails with TYPE.
    """

    task_id: str
    pairs: Any
    samples: Sequence[tuple[Any, Any]]


def inputs_of(task: Task) -> Inputs:
    """The inputs of a task's samples, demo then test."""
    return Inputs(task.id, task.pairs, task.samples)


def by_task(calls: Iterable[tuple[str, Any, Any, Any]]) -> list[Inputs]:
    """Calls (task id, S, I, C) in order as inputs; those in a row that share a task and its S are one.

    >>> by_task([("a", (), ((1,),), None), ("a", (), ((2,),), None), ("b", (), ((3,),), None)])[0].samples
    [(((1,),), None), (((2,),), None)]
    """
    groups: list[Inputs] = []
    samples: list[tuple[Any, Any]] = []
    for task_id, pairs, given, expected in calls:
        if not groups or groups[-1].task_id != task_id or not _are_same(groups[-1].pairs, pairs):
            samples = []
            groups.append(Inputs(task_id, pairs, samples))
        samples.append((given, expected))
    return groups


def _are_same(a: Any, b: Any) -> bool:
    """Whether two objects are one, or equal and such that they cannot change and do not compare oddly."""
    if a is b:
        return True
    try:
        return hash(a) == hash(b) and bool(a == b)
    except TypeError:
        return False


@dataclass(frozen=True)
class Terms:
    """How to run: under which limits, what a failed node gives, on how many threads.

    The ops named in `on_reference` run in Python on every backend.
    """

    limits: Limits = DEFAULT_LIMITS
    on_failure: FailureMode = "fail"
    threads: int = 1
    on_reference: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Job:
    """What to judge: a plan, which of its roots are compared with C, and which are wanted for each task."""

    plan: Plan
    judged: Sequence[bool]
    tasks: Sequence[Inputs]
    wanted: Sequence[Sequence[int]]
    terms: Terms


# Told of each task when it is done, by its number in the job: a verdict and a score for each wanted root and
# each sample, as `results.py` encodes them.
Report = Callable[[int, bytes, bytes], None]


def require(name: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse a value of an option that is none of those allowed."""
    if value not in allowed:
        raise ArcbattError(f"{name} is {value!r}; it must be one of {', '.join(allowed)}")


def require_limits(limits: object) -> None:
    """Refuse what are no limits."""
    if not isinstance(limits, Limits):
        raise ArcbattError(f"limits is {limits!r}; it must be arcbatt.Limits(...)")


def how_many(name: str, asked: int | None) -> int:
    """The number of threads, or of worker processes, to use: by default one for each core at hand.

    >>> how_many("threads", 3)
    3
    """
    if asked is None:
        return min(cores(), MOST_THREADS)
    if not isinstance(asked, int):
        raise ArcbattError(f"{name} is {asked!r}; it must be a whole number from 1 to {MOST_THREADS}")
    if not 1 <= asked <= MOST_THREADS:
        raise ArcbattError(f"{name} is {asked}; it must be from 1 to {MOST_THREADS}")
    return asked


def task_input(task_id: str, value: Any, limits: Limits) -> Value:
    """An input of a task as a value; one that is refused is named with its task."""
    try:
        return intake(value, limits)
    except ValueRefused as refusal:
        hint = "; raise the limit to run it" if isinstance(refusal, LimitPassed) else ""
        raise ValueRefused(f"task {shorten(task_id)}: {refusal}{hint}") from None


class Backend(Protocol):
    """A way to run programs. All backends give the same values and the same failures."""

    name: BackendName

    def run(self, job: Job, report: Report) -> dict[str, float]:
        """Run a job and report each task; the answer is the seconds spent by stage."""

    def outcomes(self, plan: Plan, tasks: Sequence[Inputs], terms: Terms) -> Iterator[list[Outputs]]:
        """For each task, for each sample the outcomes of the plan's roots."""

    def call(self, op: Op | Function, arguments: tuple[Value, ...], limits: Limits) -> Value | Failure:
        """One op or function on values."""

    def call_many(
        self, op: Op | None, columns: Sequence[Sequence[Any]], limits: Limits
    ) -> Sequence[Value | Failure]:
        """An op, or calls of the functions in the first column, on each row of equally long columns.

        A row with an object that is no value fails with TYPE.
        """


@runtime_checkable
class Choice(Backend, Protocol):
    """A backend that is one of several, by the work."""

    def pick(
        self,
        plan: Plan,
        tasks: Sequence[Inputs],
        terms: Terms,
        wanted: Sequence[Sequence[int]] | None = None,
    ) -> tuple[Backend, str]:
        """The backend for some work, and why; `wanted` are the roots for each task, all if none are given."""


AUTO_DEVICE = (
    "ARCBATT_AUTO_DEVICE"  # set to `emulated`, `auto` considers emulated devices; to `none`, no device
)


def choose(name: str, devices: bool = True) -> tuple[Backend, str]:
    """The backend to use and the reason for it; `auto` considers GPUs unless `devices` is False.

    >>> backend, why = choose("reference")
    >>> backend.name, why
    ('reference', 'asked for')
    """
    if name == "auto":
        return _best() if devices else best_cpu()
    if name in AVAILABLE:
        return _load(name), "asked for"
    require_backend(name)
    if name == "native":
        raise BackendError(f"backend {name!r} cannot run: {NO_CORE}")
    opened = open_devices(name)
    left = "" if opened.gpus else "; its devices have failed, so all runs on the CPU"
    return opened, f"asked for{left}"


def require_backend(name: str) -> None:
    """Refuse a name that no backend has."""
    if name not in BACKENDS:
        raise BackendError(f"there is no backend {name!r}; use one of {', '.join(BACKENDS)}")


def best_cpu() -> tuple[Backend, str]:
    """The fastest backend that needs no device, and the reason for it."""
    if NO_CORE is not None:
        return _load("reference"), NO_CORE
    try:
        return _load("native"), "the compiled core is installed"
    except BackendError as error:
        return _load("reference"), str(error)


def _best() -> tuple[Backend, str]:
    cpu, why = best_cpu()
    try:
        device = _device_for_auto() if cpu.name == "native" else None
    except BackendError as error:
        return cpu, f"{why}, and {error}"
    if device is None:
        return cpu, why
    from arcbatt.engine.calibration import CalibratedBackend

    return CalibratedBackend(cpu, device), "the number of samples decides between the CPU and a device"


def _device_for_auto() -> "DeviceBackend | None":
    """The devices that `auto` considers."""
    wanted = os.environ.get(AUTO_DEVICE, "cuda")
    require(AUTO_DEVICE, wanted, ("none", *DEVICE_BACKENDS))
    if wanted == "none" or (wanted == "cuda" and not has_gpu()):
        return None
    return open_devices(wanted)


@cache
def has_gpu() -> bool:
    """Whether there is a GPU to use; asked once in a process."""
    from arcbatt.engine.devices import check_gpu_status

    return check_gpu_status().usable


def open_devices(name: str) -> "DeviceBackend":
    """The backend `cuda` or `emulated` with its devices, kernels compiled; in a process `cuda` opens once."""
    if name not in DEVICE_BACKENDS:
        raise BackendError(f"backend {name!r} runs on no device; use {' or '.join(DEVICE_BACKENDS)}")
    if NO_CORE is not None:
        raise BackendError(f"backend {name!r} cannot run: {NO_CORE}")
    if name == "cuda":
        found = _cuda_backend()
        if isinstance(found, BackendError):
            raise found.with_traceback(None)
        return found
    from arcbatt.engine.device import DeviceBackend
    from arcbatt.engine.emulated import emulated_gpus

    return DeviceBackend("emulated", emulated_gpus())


@cache
def _cuda_backend() -> "DeviceBackend | BackendError":
    """The CUDA devices, or why they cannot be used; they are opened once in a process."""
    from arcbatt.engine.cuda import cuda_gpus
    from arcbatt.engine.device import DeviceBackend

    try:
        return DeviceBackend("cuda", cuda_gpus())
    except BackendError as error:
        return error


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
