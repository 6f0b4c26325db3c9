"""Devices against the CPU: every node compared, batches of all sizes timed, a report for an issue."""

import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from time import perf_counter
from typing import TYPE_CHECKING
from zlib import crc32

from arcbatt import __version__
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.values import Value, text
from arcbatt.engine.backend import Backend, Inputs, Job, Terms, by_task, inputs_of
from arcbatt.engine.plan import Step, plan
from arcbatt.engine.results import Outputs
from arcbatt.errors import BackendError
from arcbatt.program.graph import Batt
from arcbatt.tasks import Task

if TYPE_CHECKING:
    from arcbatt.engine.gpu import Gpu, Transfers

CPU = "CPU"
SIZES = (1, 10, 100, 1_000, 10_000, 100_000)
TRIES = 3
TASKS_AT_ONCE = 64  # of which every node is kept
MOST_SHOWN = 10  # differences
LONGEST_OUTCOME = 60  # letters
THREADS = os.cpu_count() or 1
HEAD = (
    "| batch | where | seconds | evaluations/s | times the CPU | verdicts as on the CPU | reran on the CPU |",
    "|---:|---|---:|---:|---:|---|---:|",
)


def open_gpus(backend: str) -> "list[Gpu]":
    """The devices of the backend `cuda` or `emulated`, ready to run: kernels are compiled by then."""
    if backend == "cuda":
        from arcbatt.engine.cuda import cuda_gpus

        return list(cuda_gpus())
    if backend == "emulated":
        from arcbatt.engine.emulated import emulated_gpus

        return list(emulated_gpus())
    raise BackendError(f"backend {backend!r} runs on no device; use cuda or emulated")


def spread(tasks: Iterable[Task], count: int) -> list[Inputs]:
    """So many samples, evenly from all of the tasks; each several times where there are too few.

    >>> from arcbatt import load_tasks
    >>> [len(task.samples) for task in spread(load_tasks("arc1/training")[:2], 4)]
    [2, 2]
    """
    calls = [
        (task_id, pairs, *sample) for task_id, pairs, samples in map(inputs_of, tasks) for sample in samples
    ]
    return by_task(calls[(2 * place + 1) * len(calls) // (2 * count)] for place in range(count))


def sizes_up_to(largest: int) -> list[int]:
    """The batch sizes to time.

    >>> sizes_up_to(400)
    [1, 10, 100, 400]
    """
    return [*(size for size in SIZES if size < largest), largest]


@dataclass(frozen=True)
class Difference:
    """A node that a device and the CPU do not agree on."""

    number: int
    node: str
    sample: str
    on_cpu: str
    on_device: str

    def line(self) -> str:
        """The difference in words."""
        outcomes = f"{self.on_cpu} on the CPU, {self.on_device} on the device"
        return f"node {self.number}, {self.node}, on {self.sample}: {outcomes}"


@dataclass
class Comparison:
    """What was compared, how many nodes differ, and the first of them.

    Samples that `reran` on the CPU prove nothing of the device.
    """

    samples: int = 0
    nodes: int = 0
    differing: int = 0
    reran: int = 0
    differences: list[Difference] = field(default_factory=list)

    def add(self, steps: Sequence[Step], sample: str, on_cpu: Outputs, on_device: Outputs) -> None:
        """Compare what the steps of a plan gave on one sample."""
        self.samples += 1
        self.nodes += len(steps)
        for number, (step, a, b) in enumerate(zip(steps, on_cpu, on_device, strict=True)):
            if a != b:
                self.differing += 1
                if len(self.differences) < MOST_SHOWN:
                    difference = Difference(number, repr(step.node), sample, _shown(a), _shown(b))
                    self.differences.append(difference)

    def line(self) -> str:
        """The comparison in words.

        >>> Comparison(samples=2, nodes=5000, reran=1).line()
        '5,000 nodes on 2 samples compared with the CPU: 0 differ; samples that reran on the CPU: 1'
        """
        compared = f"{self.nodes:,} nodes on {self.samples:,} samples compared with the CPU"
        return f"{compared}: {self.differing:,} differ; samples that reran on the CPU: {self.reran:,}"


def compare_nodes(batt: Batt, tasks: Sequence[Inputs], cpu: Backend, device: Backend) -> Comparison:
    """Every node of a batt on every sample: the value, or the kind of failure and the node that failed first.

    >>> from arcbatt import load_tasks, merge, parse_programs
    >>> from arcbatt.engine.backend import choose
    >>> batt = merge(parse_programs("def turn(I): return rot90(vmirror(I))"))
    >>> reference, _ = choose("reference")
    >>> compare_nodes(batt, spread(load_tasks("arc1/training"), 2), reference, reference).nodes
    6
    """
    planned = plan(batt)
    planned = replace(planned, roots=tuple(range(len(planned.steps))))
    found, terms, reran = Comparison(), Terms(threads=THREADS), _reran(device)
    for start in range(0, len(tasks), TASKS_AT_ONCE):
        some = tasks[start : start + TASKS_AT_ONCE]
        rows = [backend.outcomes(planned, some, terms) for backend in (cpu, device)]
        for task, here, there in zip(some, *rows, strict=True):
            for number, (on_cpu, on_device) in enumerate(zip(here, there, strict=True), 1):
                found.add(planned.steps, f"sample {number} taken of task {task.task_id}", on_cpu, on_device)
    found.reran = _reran(device) - reran
    return found


def _reran(backend: Backend) -> int:
    """How many samples a device has left to the CPU so far."""
    return getattr(backend, "reran", 0)


def _shown(outcome: Value | Failure) -> str:
    if isinstance(outcome, Failure):
        return f"{outcome.kind} in {outcome.node!r}"
    return text(outcome, LONGEST_OUTCOME)


@dataclass(frozen=True)
class Timing:
    """The best time for a batch, and how many samples a device left to the CPU.

    `verdicts` has a checksum for each task, once if all tries agree.
    """

    batch: int
    where: str
    seconds: float
    evaluations: int
    reran: int = 0
    verdicts: frozenset[tuple[int, ...]] = field(default=frozenset(), repr=False)

    @property
    def pace(self) -> float:
        """Evaluations, a program on a sample each, in a second."""
        return self.evaluations / self.seconds

    def line(self) -> str:
        """The timing in words.

        >>> Timing(10, "CPU", 0.5, 3210).line()
        'batch of 10, CPU: 0.5000 s, 6,420 evaluations/s'
        """
        return f"batch of {self.batch:,}, {self.where}: {self.seconds:.4f} s, {self.pace:,.0f} evaluations/s"


def time_batches(
    batt: Batt,
    tasks: Sequence[Task],
    cpu: Backend,
    devices: Mapping[str, Backend],
    sizes: Iterable[int],
    seconds: float,
) -> Iterator[Timing]:
    """Judge all programs on batches of samples, on the CPU and on devices; best of a few tries.

    A batch that is expected to take longer than `seconds`, by the time of the one before, is left out.
    """
    planned, judged = plan(batt), [program.kind == "solver" for program in batt]
    every = tuple(range(len(batt)))
    last: dict[str, Timing] = {}
    for size in sizes:
        chosen = spread(tasks, size)
        job = Job(planned, judged, chosen, [every] * len(chosen), Terms(threads=THREADS))
        for where, backend in {CPU: cpu, **devices}.items():
            before = last.get(where)
            if before is not None and _expected(before, size, _lanes(backend)) > seconds:
                continue
            last[where] = _best(backend, job, where, size, seconds)
            yield last[where]


def _lanes(backend: Backend) -> int:
    """How many samples run at a time."""
    return sum(gpu.groups for gpu in getattr(backend, "gpus", ())) or THREADS


def _expected(before: Timing, size: int, lanes: int) -> float:
    """The seconds of a batch: those of the one before, and more only once no lane is free.

    >>> _expected(Timing(10, "one device", 2.0, 3210), 100, lanes=50)
    4.0
    """
    return before.seconds * max(size, lanes) / max(before.batch, lanes)


def _best(backend: Backend, job: Job, where: str, size: int, seconds: float) -> Timing:
    """The best of a few tries; once is enough for a batch that takes most of the time there is."""
    times: list[float] = []
    verdicts: set[tuple[int, ...]] = set()
    before = _reran(backend)
    while not times or (len(times) < TRIES and sum(times) + min(times) <= seconds):
        sums = [0] * len(job.tasks)

        def report(number: int, codes: bytes, scores: bytes, sums: list[int] = sums) -> None:
            sums[number] = crc32(scores, crc32(codes))

        started = perf_counter()
        backend.run(job, report)
        times.append(perf_counter() - started)
        verdicts.add(tuple(sums))
    reran = ceil((_reran(backend) - before) / len(times))
    return Timing(size, where, min(times), size * len(job.judged), reran, frozenset(verdicts))


def break_even(timings: Sequence[Timing], where: str) -> int | None:
    """The smallest batch that was timed from which on a device is faster than the CPU; None if there is none.

    >>> cpu = [Timing(1, "CPU", 0.1, 10), Timing(10, "CPU", 1.0, 100)]
    >>> break_even([*cpu, Timing(1, "one device", 0.5, 10), Timing(10, "one device", 0.5, 100)], "one device")
    10
    """
    least = None
    for timing in sorted((t for t in timings if t.where == where), key=lambda t: t.batch, reverse=True):
        if timing.pace <= _on_cpu(timings, timing.batch).pace:
            break
        least = timing.batch
    return least


def _on_cpu(timings: Sequence[Timing], batch: int) -> Timing:
    """The CPU at a batch size, or at its largest below where it was left out."""
    return max((t for t in timings if t.where == CPU and t.batch <= batch), key=lambda t: t.batch)


def machine_line() -> str:
    """The package, Python and the machine, in words.

    >>> machine_line()
    'arcbatt ..., Python ... threads on the CPU'
    """
    system = f"{platform.system()} {platform.machine()}, {THREADS} threads on the CPU"
    return f"arcbatt {__version__}, Python {platform.python_version()}, {system}"


def transfers_line(transfers: "Transfers") -> str:
    """How much went to the devices and back, in words.

    >>> from arcbatt.engine.gpu import Transfers
    >>> transfers_line(Transfers(batches=4, uploads=4, downloads=4, bytes_up=4000, bytes_down=400))
    '2 transfers a batch, 1,000 bytes up and 100 down on average, in 4 batches'
    """
    batches = max(transfers.batches, 1)
    count = f"{(transfers.uploads + transfers.downloads) / batches:g} transfers a batch"
    up, down = transfers.bytes_up // batches, transfers.bytes_down // batches
    return f"{count}, {up:,} bytes up and {down:,} down on average, in {transfers.batches:,} batches"


def markdown_report(title: str, facts: Iterable[str], timings: Sequence[Timing]) -> str:
    """Facts as a list and timings as a table, to paste into an issue.

    >>> timings = [Timing(10, "CPU", 1.0, 100), Timing(10, "one device", 0.5, 100)]
    >>> print(markdown_report("A machine", ["driver: 550.54"], timings).splitlines()[-1])
    | 10 | one device | 0.5000 | 200 | 2 | yes | 0 |
    """
    rows = [_row(timing, _on_cpu(timings, timing.batch)) for timing in timings]
    return "\n".join((f"### {title}", "", *(f"- {fact}" for fact in facts), "", *HEAD, *rows))


def _row(timing: Timing, cpu: Timing) -> str:
    if timing.batch != cpu.batch:
        agrees = "not known"
    else:
        agrees = "yes" if timing.verdicts == cpu.verdicts else "NO"
    ratio = f"{timing.pace / cpu.pace:.4g}"
    pace = f"{timing.pace:,.0f}"
    cells = (
        f"{timing.batch:,}",
        timing.where,
        f"{timing.seconds:.4f}",
        pace,
        ratio,
        agrees,
        f"{timing.reran:,}",
    )
    return f"| {' | '.join(cells)} |"
