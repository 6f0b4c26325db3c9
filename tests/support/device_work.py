"""What the tests of devices share: small work, what a backend makes of it, and a GPU that takes notes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import arcbatt as ab
from arcbatt import _core
from arcbatt.dsl.table import FUNCTION_CALL, TABLE
from arcbatt.engine.backend import Backend, FailureMode, Job, RunOptions
from arcbatt.engine.backends.device import DeviceBackend
from arcbatt.engine.backends.native import Delivery, NativeBackend
from arcbatt.engine.gpu.cuda import cuda_gpus
from arcbatt.engine.gpu.emulated import EmulatedGpu, Emulation, Fault
from arcbatt.engine.gpu.gpu import DeviceError
from arcbatt.engine.plan import Plan, with_all_outcomes
from arcbatt.engine.work import plan_for
from arcbatt.library import load_library
from arcbatt.tasks.samples import TaskLike, some_of

Reports = list[tuple[int, bytes, bytes]]


@cache
def small_tasks() -> list[ab.Task]:
    """Tasks of the smallest grids, ten samples in all."""
    return list(ab.load_tasks("arc1/training").pick(["6150a2bd", "d037b0a7", "e9afcf9a"]))


@cache
def every_node(step: int, mode: FailureMode) -> Plan:
    """The plan of every so manieth program of the library in which every node is a root."""
    return with_all_outcomes(plan_for(ab.merge(load_library("all")[::step]), mode))


def outcomes(backend: Backend, plan: Plan, tasks: Sequence[TaskLike], options: RunOptions) -> list[list[Any]]:
    """The outcomes of all roots, a list for each sample."""
    return [list(row) for rows in backend.outcomes(plan, tasks, options) for row in rows]


@cache
def native_outcomes(step: int, mode: FailureMode) -> list[list[Any]]:
    """What native gives at every node on the small tasks."""
    return outcomes(NativeBackend(), every_node(step, mode), small_inputs(), RunOptions(on_failure=mode))


def small_inputs() -> list[TaskLike]:
    return list(small_tasks())


def small_job(mode: FailureMode = "fail", step: int = 12) -> Job:
    """Some solvers and differs of the library on the small tasks; from the second task nothing is wanted."""
    batt = ab.merge(load_library("all")[::step])
    every = tuple(range(len(batt)))
    judged = [program.kind == "solver" for program in batt]
    return Job(
        plan_for(batt, mode), judged, small_inputs(), [every, (), every[::2]], RunOptions(on_failure=mode)
    )


def alike(count: int) -> Job:
    """A job of so many tasks of one sample, all the same."""
    job = small_job(step=40)
    one = some_of(job.tasks[0], 0, 1)
    return replace(job, tasks=[one] * count, wanted=[job.wanted[0]] * count)


def reports(backend: Backend, job: Job) -> Reports:
    """What a backend reports of a job, in the order in which it does."""
    made: Reports = []
    backend.run(job, lambda number, verdicts, scores: made.append((number, verdicts, scores)))
    return made


class WatchedGpu(EmulatedGpu):
    """An emulated GPU that takes notes of the calls that are made and of how they fail."""

    def __init__(self, number: int = 0, settings: Emulation | None = None, streams: int = 2) -> None:
        super().__init__(number, settings)
        self.streams = streams
        self.calls: list[Fault] = []
        self.failures: list[DeviceError] = []

    def come_to(self, what: Fault) -> None:
        self.calls.append(what)
        try:
            super().come_to(what)
        except DeviceError as error:
            self.failures.append(error)
            raise

    @property
    def is_clean(self) -> bool:
        """Whether all memory has been given back."""
        return self.free_memory() == self.settings.memory


def watched(settings: Emulation) -> list[WatchedGpu]:
    return [WatchedGpu(number, settings) for number in range(settings.devices)]


def on_devices(settings: Emulation | None = None, batch_size: int | None = None) -> DeviceBackend:
    """The backend on emulated GPUs; what it says is an error."""
    return DeviceBackend("emulated", watched(settings or Emulation()), batch_size, say=unexpected)


def unexpected(line: str) -> None:
    raise AssertionError(line)


def device_run(job: Job) -> _core.DeviceRun:
    """A job as the core has it for devices, packed anew."""
    return _core.DeviceRun(Delivery(job, lambda *_: None).call().job)


def on_cuda(batch_size: int | None = None, say: Callable[[str], None] = unexpected) -> DeviceBackend:
    """A backend on the GPUs that CuPy finds, or its stand-in."""
    return DeviceBackend("cuda", cuda_gpus(), batch_size, say)


def calls_on(backend: Backend) -> Callable[..., Any]:
    """Calls an op by its name, or a function value, on a backend."""

    def call(called: Any, *arguments: Any) -> Any:
        if isinstance(called, str):
            return backend.call(TABLE[called], arguments, ab.Limits())
        return backend.call(FUNCTION_CALL, (called, *arguments), ab.Limits())

    return call
