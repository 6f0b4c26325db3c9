"""Devices against the CPU: what differs is found, what takes too long is left out."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.bench.devices import (
    Timing,
    break_even,
    compare_nodes,
    markdown_report,
    open_gpus,
    spread,
    time_batches,
)
from arcbatt.engine.backend import Inputs, Job, Report, Terms
from arcbatt.engine.plan import Plan
from arcbatt.engine.reference import ReferenceBackend
from arcbatt.engine.results import Outputs

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

    def outcomes(self, plan: Plan, tasks: Sequence[Inputs], terms: Terms) -> Iterator[list[Outputs]]:
        """What the reference gives, but for some nodes."""
        self.reran += 1
        wrong: dict[str, Any] = {"vmirror": ((1, 2),), "divide": ab.Failure("EMPTY")}
        heads = [step.node.head for step in plan.steps]
        for rows in super().outcomes(plan, tasks, terms):
            yield [[wrong.get(str(head), given) for head, given in zip(heads, row)] for row in rows]

    def run(self, job: Job, report: Report) -> dict[str, float]:
        """Report that nothing is exact and nothing fails."""
        for number, task in enumerate(job.tasks):
            report(number, bytes(len(task.samples) * len(job.judged)), b"")
        return {}


class MoodyBackend(FaultyBackend):
    """A device that is right at first and wrong later."""

    runs = 0

    def run(self, job: Job, report: Report) -> dict[str, float]:
        """Right once."""
        self.runs += 1
        return ReferenceBackend().run(job, report) if self.runs == 1 else super().run(job, report)


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


@pytest.mark.parametrize("count", [1, 7, 86, 1000])
def test_spread_gives_as_many_samples_as_asked_for_in_the_order_of_tasks(count: int) -> None:
    chosen = spread(TASKS, count)
    assert sum(len(task.samples) for task in chosen) == count
    ids = [task.task_id for task in chosen]
    assert ids == [task.id for task in TASKS if task.id in ids]


def test_each_batch_is_timed_everywhere_with_its_evaluations() -> None:
    timings = list(time_batches(BATT, TASKS, ReferenceBackend(), {"one": ReferenceBackend()}, (1, 4), 1e9))
    assert [(t.batch, t.where, t.evaluations) for t in timings] == [
        (1, "CPU", 2),
        (1, "one", 2),
        (4, "CPU", 8),
        (4, "one", 8),
    ]
    assert timings[2].verdicts == timings[3].verdicts


def test_batch_that_would_take_too_long_is_left_out() -> None:
    timings = list(time_batches(BATT, TASKS, ReferenceBackend(), {}, (1, 4, 10), 0.0))
    assert [timing.batch for timing in timings] == [1]


def test_report_tells_wrong_verdicts() -> None:
    timings = list(time_batches(BATT, TASKS, ReferenceBackend(), {"one": FaultyBackend()}, (4,), 0.0))
    assert "| yes |" in markdown_report("", (), timings[:1])
    assert "| NO |" in markdown_report("", (), timings).splitlines()[-1]


def test_report_tells_verdicts_that_change_from_try_to_try() -> None:
    timings = list(time_batches(BATT, TASKS, ReferenceBackend(), {"one": MoodyBackend()}, (4,), 1e9))
    assert "| NO |" in markdown_report("", (), timings).splitlines()[-1]


def test_batch_the_cpu_left_out_is_held_against_its_largest() -> None:
    timings = [Timing(10, "CPU", 1.0, 100), Timing(1000, "one", 1.0, 10_000)]
    assert markdown_report("", (), timings).splitlines()[-1] == (
        "| 1,000 | one | 1.0000 | 10,000 | 100 | not known | 0 |"
    )
    assert break_even(timings, "one") == 1000


def test_device_that_is_slower_at_the_largest_batch_has_no_break_even() -> None:
    cpu = [Timing(1, "CPU", 2.0, 1), Timing(10, "CPU", 2.0, 10)]
    assert break_even([*cpu, Timing(1, "one", 1.0, 1), Timing(10, "one", 3.0, 10)], "one") is None


def test_backend_without_devices_is_refused() -> None:
    with pytest.raises(ab.ArcbattError, match="use cuda or emulated"):
        open_gpus("native")
