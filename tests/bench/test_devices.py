"""Devices against the CPU: what differs is found and told."""

from collections.abc import Iterator, Sequence
from typing import Any

import arcbatt as ab
from arcbatt.bench.batches import Timing, spread
from arcbatt.bench.devices import compare_nodes, markdown_report
from arcbatt.engine.backend import RunOptions
from arcbatt.engine.backends.reference import ReferenceBackend
from arcbatt.engine.plan import Plan
from arcbatt.engine.records.verdicts import Outputs
from arcbatt.tasks.samples import TaskLike

TASKS = list(ab.load_tasks("arc1/training")[:20])
BATT = ab.merge(
    ab.parse_programs("""
def turn(I): return rot90(vmirror(I))
def none(I): return divide(ONE, ZERO)
""")
)


class FaultyBackend(ReferenceBackend):
    """A device that gets a mirrored grid wrong, fails in another way, and is not done with all samples."""

    reran = 0

    def outcomes(self, plan: Plan, tasks: Sequence[TaskLike], options: RunOptions) -> Iterator[list[Outputs]]:
        """What the reference gives, but for some nodes."""
        self.reran += 1
        wrong: dict[str, Any] = {"vmirror": ((1, 2),), "divide": ab.Failure("EMPTY")}
        heads = [step.node.head for step in plan.steps]
        for rows in super().outcomes(plan, tasks, options):
            yield [[wrong.get(str(head), given) for head, given in zip(heads, row)] for row in rows]


def test_equal_backends_differ_in_no_node() -> None:
    found = compare_nodes(BATT, spread(TASKS, 10), ReferenceBackend(), ReferenceBackend())
    assert (found.samples, found.differing, found.reran, found.differences) == (10, 0, 0, [])


def test_differing_value_and_differing_kind_are_found_and_shown() -> None:
    found = compare_nodes(BATT, spread(TASKS, 3), ReferenceBackend(), FaultyBackend())
    assert (found.differing, found.reran) == (6, 1)
    lines = [difference.line() for difference in found.differences]
    assert any(
        "vmirror(I), on sample 1 taken of task" in line and "((1, 2),) on the device" in line
        for line in lines
    )
    assert any("ZERO in divide(1, 0) on the CPU, EMPTY in" in line for line in lines)


def test_no_more_than_ten_differences_are_shown() -> None:
    found = compare_nodes(BATT, spread(TASKS, 30), ReferenceBackend(), FaultyBackend())
    assert (found.differing, len(found.differences)) == (60, 10)


def test_report_has_a_row_for_each_timing_and_tells_wrong_verdicts() -> None:
    timings = [
        Timing(1000, "CPU", 100.0, 10_000),
        Timing(1000, "one", 1.0, 10_000, ratio=100.0, agrees=False, reran=3),
    ]
    assert markdown_report("", (), timings).splitlines()[-2:] == [
        "| 1,000 | CPU | 100.0000 | 100 | 1 | yes | 0 |",
        "| 1,000 | one | 1.0000 | 10,000 | 100 | NO | 3 |",
    ]
