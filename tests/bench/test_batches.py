"""The sweep over batch sizes: the same samples for every backend, ratios to the first, nothing else timed."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest

import arcbatt as ab
from arcbatt.bench import batches
from arcbatt.bench.batches import Timing, break_even, break_even_in_words, spread, time_batches
from arcbatt.engine.backend import Job, Report
from arcbatt.engine.backends.reference import ReferenceBackend
from arcbatt.tasks.samples import TaskLike

TASKS = list(ab.load_tasks("arc1/training")[:20])
BATT = ab.merge(
    ab.parse_programs("""
def turn(I): return rot90(vmirror(I))
def none(I): return divide(ONE, ZERO)
""")
)


@dataclass
class Clock:
    """A clock that stands still until somebody takes time."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class PacedBackend(ReferenceBackend):
    """A backend that takes a known time for a batch and for each of its samples, and notes what it ran."""

    clock: Clock
    a_batch: float
    a_sample: float
    wrong: bool = False
    ran: list[list[TaskLike]] = field(default_factory=list)

    def run(self, job: Job, report: Report) -> dict[str, float]:
        """Right or wrong verdicts, after some time."""
        self.ran.append(list(job.tasks))
        self.clock.now += self.a_batch + self.a_sample * samples_of(job.tasks)
        for number, task in enumerate(job.tasks):
            report(number, bytes([self.wrong]) * len(task.samples) * len(job.judged), b"")
        return {}


class MoodyBackend(PacedBackend):
    """A backend that is right at first and wrong later."""

    def run(self, job: Job, report: Report) -> dict[str, float]:
        """Right once."""
        done = super().run(job, report)
        self.wrong = True
        return done


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(batches, "perf_counter", clock)
    return clock


def samples_of(tasks: Iterable[TaskLike]) -> int:
    return sum(len(task.samples) for task in tasks)


@pytest.mark.parametrize("count", [1, 7, 86, 1000])
def test_spread_gives_as_many_samples_as_asked_for_in_the_order_of_tasks(count: int) -> None:
    chosen = spread(TASKS, count)
    assert samples_of(chosen) == count
    ids = [task.id for task in chosen]
    assert ids == [task.id for task in TASKS if task.id in ids]


def test_batches_of_any_size_have_the_same_samples() -> None:
    def samples(size: int) -> list[tuple[object, ...]]:
        work = batches.batches(TASKS, size, 12)
        assert {samples_of(batch) for batch in work} == {size}
        return [(task.id, *sample) for batch in work for task in batch for sample in task.samples]

    assert len(samples(1)) == 12
    assert samples(1) == samples(3) == samples(12)


def test_every_backend_runs_the_same_samples_at_each_size(clock: Clock) -> None:
    slow, fast = PacedBackend(clock, 0.0, 100.0), PacedBackend(clock, 0.0, 1e-6)
    timings = list(time_batches(BATT, TASKS, {"slow": slow, "fast": fast}, (1, 2, 8), 1e9, samples=4))
    assert slow.ran == fast.ran
    assert [samples_of(tasks) for tasks in fast.ran] == 3 * [1, 1, 1, 1] + 3 * [2, 2] + 3 * [8]
    assert [(t.batch, t.where, t.evaluations) for t in timings] == [
        (1, "slow", 2),
        (1, "fast", 2),
        (2, "slow", 4),
        (2, "fast", 4),
        (8, "slow", 16),
        (8, "fast", 16),
    ]


def test_paces_are_those_of_a_batch_and_ratios_those_to_the_first_backend(clock: Clock) -> None:
    backends = {"first": PacedBackend(clock, 0.0, 1.0), "other": PacedBackend(clock, 2.0, 0.25)}
    timings = list(time_batches(BATT, TASKS, backends, (1, 8), 1e9, samples=8))
    assert [(t.where, t.seconds, t.pace, t.ratio) for t in timings] == [
        ("first", 1.0, 2.0, 1.0),
        ("other", 2.25, 2 / 2.25, 1 / 2.25),
        ("first", 8.0, 2.0, 1.0),
        ("other", 4.0, 4.0, 2.0),
    ]


def test_the_batt_is_planned_once_and_that_is_not_timed(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, planned = batches.plan, []

    def slow_plan(batt: ab.Batt) -> object:
        clock.now += 100.0
        planned.append(batt)
        return plan(batt)

    monkeypatch.setattr(batches, "plan", slow_plan)
    backends = {name: PacedBackend(clock, 0.0, 1.0) for name in ("one", "other")}
    timings = list(time_batches(BATT, TASKS, backends, (1, 2), 1e9))
    assert [timing.seconds for timing in timings] == [1.0, 1.0, 2.0, 2.0]
    assert planned == [BATT]


@pytest.mark.parametrize("slow", ["first", "other"])
def test_a_size_that_would_take_one_backend_too_long_is_left_out_for_all(clock: Clock, slow: str) -> None:
    backends = {name: PacedBackend(clock, 0.0, 1.0 if name == slow else 0.001) for name in ("first", "other")}
    timings = list(time_batches(BATT, TASKS, backends, (1, 4, 10, 2), 4.5, threads=1))
    assert [(t.batch, t.where) for t in timings] == [
        (size, name) for size in (1, 4, 2) for name in ("first", "other")
    ]


def test_work_that_takes_most_of_the_time_there_is_runs_once(clock: Clock) -> None:
    backend = PacedBackend(clock, 0.0, 1.0)
    list(time_batches(BATT, TASKS, {"one": backend}, (1, 2, 3), 3.0, threads=1))
    assert [samples_of(tasks) for tasks in backend.ran] == [1, 1, 1, 2, 3]


def test_verdicts_are_compared_with_those_of_the_first_backend(clock: Clock) -> None:
    backends = {
        "first": PacedBackend(clock, 0.0, 1.0),
        "same": PacedBackend(clock, 0.0, 1.0),
        "wrong": PacedBackend(clock, 0.0, 1.0, wrong=True),
        "moody": MoodyBackend(clock, 0.0, 1.0),
    }
    timings = list(time_batches(BATT, TASKS, backends, (4,), 1e9))
    assert {t.where: t.agrees for t in timings} == {
        "first": True,
        "same": True,
        "wrong": False,
        "moody": False,
    }
    assert [timing.line().endswith(", OTHER VERDICTS") for timing in timings] == [False, False, True, True]


def test_real_backends_agree_on_batches() -> None:
    backends, _ = batches.backends_here()
    timings = list(time_batches(BATT, TASKS, backends, (1, 4), 1e9, samples=4))
    assert [timing.where for timing in timings[: len(backends)]] == list(backends)
    assert all(timing.agrees for timing in timings)


def test_a_backend_that_is_slower_at_the_largest_batch_has_no_break_even() -> None:
    cpu = [Timing(1, "CPU", 2.0, 1), Timing(10, "CPU", 2.0, 10)]
    timings = [*cpu, Timing(1, "one", 1.0, 1), Timing(10, "one", 3.0, 10)]
    assert break_even(timings, "one") is None
    assert break_even([*timings, Timing(20, "CPU", 2.0, 20), Timing(20, "one", 1.0, 20)], "one") == 20


def test_break_even_is_told_in_words() -> None:
    native = [Timing(1, "native", 1.0, 1), Timing(1000, "native", 1000.0, 1000)]
    slow, fast = ([Timing(1, "cuda", 5.0, 1), Timing(1000, "cuda", seconds, 1000)] for seconds in (2000, 5))
    assert break_even_in_words([*native, *fast], "") == "1,000 samples, against one thread of the CPU"
    assert break_even_in_words([*native, *slow], "") == "none of those timed, against one thread of the CPU"
    assert break_even_in_words(native, "it is broken") == "there is none to compare: it is broken"
