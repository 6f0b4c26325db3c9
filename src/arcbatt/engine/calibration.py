"""When a device is faster than the CPU: measured once a machine, kept, and asked for every run."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass
from math import isfinite
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from arcbatt import __version__
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.table import Op
from arcbatt.dsl.values import Function, Value
from arcbatt.engine.backend import Backend, BackendName, Inputs, Job, Report, Terms
from arcbatt.engine.plan import Plan
from arcbatt.engine.results import Outputs
from arcbatt.errors import ArcbattError
from arcbatt.files import cache_folder, whole_file
from arcbatt.words import plural

if TYPE_CHECKING:
    from arcbatt.engine.device import DeviceBackend

FEW, MANY = 4, 64  # samples of the two runs that are timed
TRIES = 3
TOO_LONG = 1.0  # seconds for few samples after which more are not tried


@dataclass(frozen=True)
class Calibration:
    """Seconds that a node takes on the CPU and on a device, and what a batch on the device costs besides."""

    cpu: float
    device: float
    overhead: float

    def break_even(self, nodes: int) -> int | None:
        """The samples of a batt of some nodes from which on the device is faster; None if it never is.

        >>> Calibration(cpu=2e-6, device=1e-6, overhead=0.001).break_even(100)
        10
        """
        gain = (self.cpu - self.device) * nodes
        return max(1, round(self.overhead / gain)) if gain > 0 else None

    def in_words(self, nodes: int = 1000) -> str:
        """When the device is faster, for a batt of some nodes.

        >>> Calibration(cpu=2e-6, device=1e-6, overhead=0.01).in_words()
        'break-even at 10 samples of a batt of 1,000 nodes'
        """
        least = self.break_even(nodes)
        if least is None:
            return "the CPU is faster, whatever the batch"
        return f"break-even at {plural(least, 'sample')} of a batt of {nodes:,} nodes"


def measure(plan: Plan, tasks: Sequence[Inputs], terms: Terms, cpu: Backend, device: Backend) -> Calibration:
    """Both on a few of the samples, and on some more."""
    few, many = _samples(tasks, FEW), _samples(tasks, MANY)
    nodes = len(plan.steps)
    on_cpu = _seconds(cpu, plan, many, terms, TRIES) / MANY
    _seconds(device, plan, few[:1], terms, 1)  # what is done once, such as to compile, does not count
    short = _seconds(device, plan, few, terms, 1)
    if short > TOO_LONG:
        return Calibration(on_cpu / nodes, short / FEW / nodes, 0.0)
    short, long = (_seconds(device, plan, tasks, terms, TRIES) for tasks in (few, many))
    each = max(long - short, 0.0) / (MANY - FEW)
    return Calibration(on_cpu / nodes, each / nodes, max(short - FEW * each, 0.0))


def _samples(tasks: Sequence[Inputs], count: int) -> list[Inputs]:
    """Samples of the tasks, evenly, and again where there are too few."""
    single = [task._replace(samples=[sample]) for task in tasks for sample in task.samples]
    return [single[k * len(single) // count % len(single)] for k in range(count)]


def _seconds(backend: Backend, plan: Plan, tasks: Sequence[Inputs], terms: Terms, tries: int) -> float:
    every = tuple(range(len(plan.roots)))
    job = Job(plan, [False] * len(every), tasks, [every] * len(tasks), terms)
    best = float("inf")
    for _ in range(tries):
        started = perf_counter()
        backend.run(job, lambda *_: None)
        best = min(best, perf_counter() - started)
    return best


def _file() -> Path:
    return cache_folder() / "calibration.json"


def stored() -> dict[str, Calibration]:
    """What has been measured on this machine, by device."""
    with suppress(OSError, ValueError, TypeError, AttributeError):  # a damaged file says nothing
        found = {key: Calibration(**entry) for key, entry in json.loads(_file().read_text()).items()}
        if all(isfinite(number) for entry in found.values() for number in astuple(entry)):
            return found
    return {}


def store(key: str, calibration: Calibration) -> None:
    """Keep a measurement; where there is no place for it, it is made again."""
    entries = {name: asdict(entry) for name, entry in (stored() | {key: calibration}).items()}
    with suppress(OSError, ArcbattError):
        _file().parent.mkdir(parents=True, exist_ok=True)
        with whole_file(str(_file())) as file:
            json.dump(entries, file)


def key_of(device: "DeviceBackend", threads: int) -> str:
    """What a measurement depends on: the devices, the threads, the version."""
    kinds = ", ".join(sorted(gpu.kind for gpu in device.gpus))
    return f"arcbatt {__version__}: {kinds} against {threads} threads of {os.cpu_count()} cores"


def _work(plan: Plan, tasks: Sequence[Inputs], wanted: Sequence[Sequence[int]] | None) -> tuple[int, int]:
    """How many samples run, and how many nodes on one of them, on average."""
    if wanted is None:
        return sum(len(task.samples) for task in tasks), len(plan.steps)
    needed = {roots: len(plan.needed(roots)) for roots in set(map(tuple, wanted)) if roots}
    counts = [(len(task.samples), needed.get(tuple(roots), 0)) for task, roots in zip(tasks, wanted)]
    samples = sum(count for count, nodes in counts if nodes)
    return samples, sum(count * nodes for count, nodes in counts) // max(1, samples)


class CalibratedBackend:
    """The CPU for small work and the devices for large; which is which has been measured."""

    name: BackendName = "auto"

    def __init__(self, cpu: Backend, device: "DeviceBackend") -> None:
        self.cpu, self.device = cpu, device

    def pick(
        self,
        plan: Plan,
        tasks: Sequence[Inputs],
        terms: Terms,
        wanted: Sequence[Sequence[int]] | None = None,
    ) -> tuple[Backend, str]:
        """The backend for some work, and why; `wanted` are the roots for each task, all if none are given."""
        samples, nodes = _work(plan, tasks, wanted)
        if not samples or not nodes:
            return self.cpu, "there is nothing to run"
        if not self.device.gpus:
            return self.cpu, "no device is left"
        if not self.device.can_run(plan):
            return self.cpu, "an op of your own runs on the CPU alone"
        key = key_of(self.device, terms.threads)
        known = stored().get(key)
        if known is None:
            known = measure(plan, tasks, terms, self.cpu, self.device)
            if key_of(self.device, terms.threads) != key:
                return self.cpu, "a device failed while it was measured"
            store(key, known)
        least = known.break_even(nodes)
        if least is None:
            return self.cpu, f"the CPU is faster than {self.device.name} here, whatever the batch"
        side = "below" if samples < least else "at or above"
        why = f"{samples:,} samples are {side} the break-even of {least:,} with {self.device.name}"
        return (self.cpu if samples < least else self.device), why

    def run(self, job: Job, report: Report) -> dict[str, float]:
        """Run a job where it is faster."""
        return self.pick(job.plan, job.tasks, job.terms, job.wanted)[0].run(job, report)

    def outcomes(self, plan: Plan, tasks: Sequence[Inputs], terms: Terms) -> Iterator[list[Outputs]]:
        """For each task, for each sample the outcomes of the plan's roots."""
        return self.pick(plan, tasks, terms)[0].outcomes(plan, tasks, terms)

    def call(self, op: Op | Function, arguments: tuple[Value, ...], limits: Limits) -> Value | Failure:
        """One op is never worth a device."""
        return self.cpu.call(op, arguments, limits)

    def call_many(
        self, op: Op | None, columns: Sequence[Sequence[Any]], limits: Limits
    ) -> Sequence[Value | Failure]:
        """Nor is one op on many rows."""
        return self.cpu.call_many(op, columns, limits)
