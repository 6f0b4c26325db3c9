"""Devices against the CPU: every node compared, and a report for an issue."""

import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from arcbatt import __version__
from arcbatt.bench.batches import THREADS, Timing
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.values import Value, text
from arcbatt.engine.backend import Backend, RunOptions
from arcbatt.engine.plan import PlanStep, plan, with_all_outcomes
from arcbatt.engine.records.verdicts import Outputs
from arcbatt.program.graph import Batt
from arcbatt.tasks.samples import TaskLike

if TYPE_CHECKING:
    from arcbatt.engine.gpu.gpu import Transfers

TASKS_AT_ONCE = 64  # of which every node is kept
MOST_SHOWN = 10  # differences
LONGEST_OUTCOME = 60  # letters
HEAD = (
    "| batch | where | seconds | evaluations/s | times the CPU | verdicts as on the CPU | reran on the CPU |",
    "|---:|---|---:|---:|---:|---|---:|",
)


@dataclass(frozen=True)
class DeviceDifference:
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
    differences: list[DeviceDifference] = field(default_factory=list)

    def add(self, steps: Sequence[PlanStep], sample: str, on_cpu: Outputs, on_device: Outputs) -> None:
        """Compare what the steps of a plan gave on one sample."""
        self.samples += 1
        self.nodes += len(steps)
        for number, (step, a, b) in enumerate(zip(steps, on_cpu, on_device, strict=True)):
            if a != b:
                self.differing += 1
                if len(self.differences) < MOST_SHOWN:
                    difference = DeviceDifference(number, repr(step.node), sample, _shown(a), _shown(b))
                    self.differences.append(difference)

    def line(self) -> str:
        """The comparison in words.

        >>> Comparison(samples=2, nodes=5000, reran=1).line()
        '5,000 nodes on 2 samples compared with the CPU: 0 differ; samples that reran on the CPU: 1'
        """
        compared = f"{self.nodes:,} nodes on {self.samples:,} samples compared with the CPU"
        return f"{compared}: {self.differing:,} differ; samples that reran on the CPU: {self.reran:,}"


def compare_nodes(batt: Batt, tasks: Sequence[TaskLike], cpu: Backend, device: Backend) -> Comparison:
    """Every node of a batt on every sample: the value, or the kind of failure and the node that failed first.

    >>> from arcbatt import load_tasks, merge, parse_programs
    >>> from arcbatt.bench.batches import spread
    >>> from arcbatt.engine.choose import choose
    >>> batt = merge(parse_programs("def turn(I): return rot90(vmirror(I))"))
    >>> reference, _ = choose("reference")
    >>> compare_nodes(batt, spread(load_tasks("arc1/training"), 2), reference, reference).nodes
    6
    """
    planned = with_all_outcomes(plan(batt))
    found, options, before = Comparison(), RunOptions(threads=THREADS), device.reran
    for start in range(0, len(tasks), TASKS_AT_ONCE):
        some = tasks[start : start + TASKS_AT_ONCE]
        rows = [backend.outcomes(planned, some, options) for backend in (cpu, device)]
        for task, here, there in zip(some, *rows, strict=True):
            for number, (on_cpu, on_device) in enumerate(zip(here, there, strict=True), 1):
                found.add(planned.steps, f"sample {number} taken of task {task.id}", on_cpu, on_device)
    found.reran = device.reran - before
    return found


def _shown(outcome: Value | Failure) -> str:
    if isinstance(outcome, Failure):
        return f"{outcome.kind} in {outcome.node!r}"
    return text(outcome, LONGEST_OUTCOME)


def machine_line() -> str:
    """The package, Python and the machine, in words.

    >>> machine_line()
    'arcbatt ..., Python ... threads on the CPU'
    """
    system = f"{platform.system()} {platform.machine()}, {THREADS} threads on the CPU"
    return f"arcbatt {__version__}, Python {platform.python_version()}, {system}"


def transfers_line(transfers: "Transfers") -> str:
    """How much went to the devices and back, in words.

    >>> from arcbatt.engine.gpu.gpu import Transfers
    >>> transfers_line(Transfers(batches=4, uploads=4, downloads=4, bytes_up=4000, bytes_down=400))
    '2 transfers a batch, 1,000 bytes up and 100 down on average, in 4 batches'
    """
    batches = max(transfers.batches, 1)
    count = f"{(transfers.uploads + transfers.downloads) / batches:g} transfers a batch"
    up, down = transfers.bytes_up // batches, transfers.bytes_down // batches
    return f"{count}, {up:,} bytes up and {down:,} down on average, in {transfers.batches:,} batches"


def markdown_report(title: str, facts: Iterable[str], timings: Sequence[Timing]) -> str:
    """Facts as a list and timings as a table, to paste into an issue.

    >>> timings = [Timing(10, "CPU", 1.0, 100), Timing(10, "one device", 0.5, 100, ratio=2.0)]
    >>> print(markdown_report("A machine", ["driver: 550.54"], timings).splitlines()[-1])
    | 10 | one device | 0.5000 | 200 | 2 | yes | 0 |
    """
    return "\n".join((f"### {title}", "", *(f"- {fact}" for fact in facts), "", *HEAD, *map(_row, timings)))


def _row(timing: Timing) -> str:
    cells = (
        f"{timing.batch:,}",
        timing.where,
        f"{timing.seconds:.4f}",
        f"{timing.pace:,.0f}",
        f"{timing.ratio:.4g}",
        "yes" if timing.agrees else "NO",
        f"{timing.reran:,}",
    )
    return f"| {' | '.join(cells)} |"
