"""The choice between the CPU and a device, by the speeds that both had on the programs of the library."""

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from arcbatt import __version__
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.table import Callee
from arcbatt.dsl.values import Value
from arcbatt.engine.backend import (
    Backend,
    BackendName,
    Examiner,
    Job,
    Report,
    RunOptions,
    SampleCaller,
    SolverScores,
)
from arcbatt.engine.cores import cores
from arcbatt.engine.gpu.measurements import ENOUGH, Calibration, NoMeasure, add, agreed, fresh
from arcbatt.engine.plan import Plan, plan
from arcbatt.engine.records.verdicts import Outputs
from arcbatt.tasks.samples import TaskLike, count_samples, singles

FEW, MANY, MOST = 4, 16, 1 << 14  # samples of the runs that are timed: the second grows from MANY to MOST
TRIES = 5
GROWTH = 3.0  # many samples must take so many times as long as few, or their difference may be noise
LEAST_SECONDS = 0.02  # of the CPU's run
TOO_LONG = 1.0  # seconds for few samples after which more are not tried
STEADY = 1.5  # up to this ratio the two best tries confirm each other
LEAST_WORK = 1_000_000  # nodes times samples: about a second of a core; less is not worth a measurement


class Gauge(NamedTuple):
    """The work that is timed: a plan, and the tasks whose samples it runs on."""

    plan: Plan
    tasks: Sequence[TaskLike]

    def job(self, samples: int, options: RunOptions) -> Job:
        """The plan on so many samples, spread evenly over the tasks, and repeated where there are too few."""
        single = list(singles(self.tasks))
        tasks = [single[k * len(single) // samples % len(single)] for k in range(samples)]
        every = tuple(range(len(self.plan.roots)))
        return Job(self.plan, [False] * len(every), tasks, [every] * samples, options)


def library_gauge() -> Gauge:
    """The programs of the library on the training tasks: the same work whatever is to run."""
    from arcbatt.library import load_library
    from arcbatt.program.merge import merge
    from arcbatt.tasks import load_tasks

    return Gauge(plan(merge(load_library("all"))), list(load_tasks("arc1/training")))


def measure(
    gauge: Gauge,
    options: RunOptions,
    cpu: Backend,
    device: Backend,
    clock: Callable[[], float] = perf_counter,
) -> Calibration:
    """Time both; the device on few and on many samples, which gives the overhead of a batch and the slope."""
    timer = _Timer(gauge, options, clock)
    nodes = len(gauge.plan.steps)
    on_cpu = timer.growing(cpu, "CPU", LEAST_SECONDS)
    timer.once(device, 1)  # the first run compiles, and does not count
    short = timer.once(device, FEW)
    if short > TOO_LONG:
        return Calibration(on_cpu.a_sample / nodes, short / FEW / nodes, 0.0)
    few = timer.steady(device, "device", FEW)
    many = timer.growing(device, "device", GROWTH * few.seconds)
    if many.seconds < GROWTH * few.seconds:
        raise NoMeasure(
            f"{many.samples:,} samples took the device less than {GROWTH:g} times as long as {FEW}"
        )
    each = (many.seconds - few.seconds) / (many.samples - FEW)
    return Calibration(on_cpu.a_sample / nodes, each / nodes, max(few.seconds - FEW * each, 0.0))


class _TimedRun(NamedTuple):
    """A number of samples and their seconds."""

    samples: int
    seconds: float

    @property
    def a_sample(self) -> float:
        return self.seconds / self.samples


class _Timer:
    """Runs samples of a gauge against a clock."""

    def __init__(self, gauge: Gauge, options: RunOptions, clock: Callable[[], float]) -> None:
        self.gauge, self.options, self.clock = gauge, options, clock

    def once(self, backend: Backend, samples: int) -> float:
        """The seconds of one run."""
        job = self.gauge.job(samples, self.options)
        started = self.clock()
        backend.run(job, lambda *_: None)
        return self.clock() - started

    def steady(self, backend: Backend, place: str, samples: int) -> _TimedRun:
        """The best of some runs; another run must have taken about as long, else the machine is busy."""
        best, second, *_ = sorted(self.once(backend, samples) for _ in range(TRIES))
        if not best > 0.0:
            raise NoMeasure(f"{samples:,} samples took {best:g} s on the {place}, which cannot be")
        if not second <= STEADY * best:
            raise NoMeasure(f"times on the {place} differ by more than {STEADY:g} times; the machine is busy")
        return _TimedRun(samples, best)

    def growing(self, backend: Backend, place: str, least: float) -> _TimedRun:
        """The time of so many samples that they take `least` seconds, or of the most that are tried."""
        samples = MANY
        while samples < MOST:
            if self.once(backend, samples) >= least:
                timed = self.steady(backend, place, samples)
                if timed.seconds >= least:
                    return timed
            samples *= 4
        return self.steady(backend, place, samples)


def version_key() -> str:
    """The versions that a measurement depends on; the kernel's source has all ops."""
    from arcbatt.engine.gpu.nvrtc import source_digest

    return f"arcbatt {__version__}, kernel {source_digest()}"


def key_of(device: Backend, threads: int) -> str:
    """The key of a measurement: the versions, devices, drivers, threads and cores that it depends on."""
    kinds = ", ".join(sorted(f"{gpu.kind} ({gpu.software})" for gpu in device.gpus))
    against = f"{threads} threads of {cores()} cores"
    return f"{version_key()}: {kinds} against {against}"


Measure = Callable[[Gauge, RunOptions, Backend, Backend], Calibration]


def calibrate(
    device: Backend,
    cpu: Backend,
    options: RunOptions,
    gauge: Callable[[], Gauge] = library_gauge,
    measure: Measure = measure,
) -> Calibration:
    """Measure several times; the measurements replace the known ones of these devices."""
    key, work = key_of(device, options.threads), gauge()
    taken = [_measured(measure, key, work, options, cpu, device) for _ in range(ENOUGH)]
    return agreed(add(key, *taken, anew=True))


def _measured(
    measure: Measure, key: str, gauge: Gauge, options: RunOptions, cpu: Backend, device: Backend
) -> Calibration:
    found = measure(gauge, options, cpu, device)
    if key_of(device, options.threads) != key:
        raise NoMeasure("a device failed while it was measured")
    return found


def _work(plan: Plan, tasks: Sequence[TaskLike], wanted: Sequence[Sequence[int]] | None) -> tuple[int, int]:
    """The number of samples, and the average number of nodes that run on one."""
    if wanted is None:
        return count_samples(tasks), len(plan.steps)
    needed = {roots: len(plan.needed(roots)) for roots in set(map(tuple, wanted)) if roots}
    counts = [(len(task.samples), needed.get(tuple(roots), 0)) for task, roots in zip(tasks, wanted)]
    samples = sum(count for count, nodes in counts if nodes)
    return samples, sum(count * nodes for count, nodes in counts) // max(1, samples)


# Why devices could not be measured, by key; a process does not try again.
_refusals: "WeakKeyDictionary[Backend, dict[str, NoMeasure]]" = WeakKeyDictionary()


class CalibratedBackend(Backend):
    """Runs small work on the CPU and large work on devices; measured speeds say where large begins."""

    name: BackendName = "auto"
    decides = True

    def __init__(
        self,
        cpu: Backend,
        device: Backend,
        gauge: Callable[[], Gauge] = library_gauge,
        measure: Measure = measure,
    ) -> None:
        self.cpu, self.device, self.gauge, self.measure = cpu, device, gauge, measure

    def pick(
        self,
        plan: Plan,
        tasks: Sequence[TaskLike],
        options: RunOptions,
        wanted: Sequence[Sequence[int]] | None = None,
    ) -> tuple[Backend, str]:
        """The backend for some work, and why; `wanted` are the roots for each task, by default all."""
        samples, nodes = _work(plan, tasks, wanted)
        if not samples or not nodes:
            return self.cpu, "there is nothing to run"
        if not self.device.gpus:
            return self.cpu, "no device is left"
        if not self.device.can_run(plan):
            return self.cpu, "an op of your own runs on the CPU alone"
        try:
            known = self._known(options, is_worth_it=samples * nodes >= LEAST_WORK)
        except NoMeasure as error:
            return self.cpu, f"{self.device.name} could not be measured: {error}"
        if known is None:
            return self.cpu, f"this is too little work to measure {self.device.name} for"
        least = known.break_even(nodes)
        if least is None:
            return self.cpu, f"the CPU is faster than {self.device.name} here, whatever the batch"
        side = "below" if samples < least else "at or above"
        why = f"{samples:,} samples are {side} the break-even of {least:,} with {self.device.name}"
        return (self.cpu if samples < least else self.device), why

    def _known(self, options: RunOptions, is_worth_it: bool) -> Calibration | None:
        """The measured speeds; while measurements are few and the work is worth it, one more is taken."""
        key = key_of(self.device, options.threads)
        measured = fresh(key)
        refused = _refusals.setdefault(self.device, {})
        if is_worth_it and len(measured) < ENOUGH and key not in refused:
            try:
                new = _measured(self.measure, key, self.gauge(), options, self.cpu, self.device)
            except NoMeasure as error:
                refused[key] = error
            else:
                measured = add(key, new)
        if not measured and key in refused:
            raise refused[key].with_traceback(None)
        return agreed(measured) if measured else None

    def run(self, job: Job, report: Report) -> dict[str, float]:
        """Run a job where it is faster."""
        return self.pick(job.plan, job.tasks, job.options, job.wanted)[0].run(job, report)

    def score(self, job: Job, scored: Sequence[int], differs: Plan) -> list[SolverScores]:
        """Score where it is faster."""
        chosen, _ = self.pick(job.plan, job.tasks, job.options, job.wanted)
        return chosen.score(job, scored, differs)

    def examiner(self, task: TaskLike, scored: int, options: RunOptions, differs: Plan) -> Examiner:
        """One task is never worth a device."""
        return self.cpu.examiner(task, scored, options, differs)

    def outcomes(self, plan: Plan, tasks: Sequence[TaskLike], options: RunOptions) -> Iterator[list[Outputs]]:
        """For each task, for each sample the outcomes of the plan's roots."""
        return self.pick(plan, tasks, options)[0].outcomes(plan, tasks, options)

    def caller(self, plan: Plan, options: RunOptions) -> SampleCaller:
        """One sample is never worth a device."""
        return self.cpu.caller(plan, options)

    @property
    def for_one_op(self) -> Backend:
        """The CPU."""
        return self.cpu

    def call(self, callee: Callee, arguments: tuple[Value, ...], limits: Limits) -> Value | Failure:
        """One op is never worth a device."""
        return self.cpu.call(callee, arguments, limits)

    def call_many(
        self, callee: Callee, columns: Sequence[Sequence[Any]], limits: Limits
    ) -> Sequence[Value | Failure]:
        """One op on many rows is not worth a device either."""
        return self.cpu.call_many(callee, columns, limits)
