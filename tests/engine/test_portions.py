"""Runs in portions of programs: the same results, and they come as the run goes on."""

from typing import Any

import pytest

import arcbatt as ab
from arcbatt.engine import chunks, work
from arcbatt.engine.backend import FailureMode
from arcbatt.engine.chunks import Pace, weight
from arcbatt.engine.records.record import Record, joined
from arcbatt.engine.results import Interrupted
from arcbatt.library import load_library
from support.backends import HERE

TASKS = ab.load_tasks("arc1/training")[:3]
PROGRAMS = load_library()[:14]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Portions of a program or a few."""
    monkeypatch.setattr(chunks, "SECONDS", 1e-9)
    monkeypatch.setattr(work, "CALL", 1e-3)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("backend", HERE)
@pytest.mark.parametrize("mode", ["fail", "default"])
def test_portions_change_no_result(backend: str, mode: FailureMode) -> None:
    told: list[Record] = []
    settings: dict[str, Any] = {"backend": backend, "on_failure": mode, "partial_scores": True}
    whole = ab.run(PROGRAMS, TASKS, "all", **settings)
    found = ab.run(PROGRAMS, TASKS, "all", on_record=told.append, **settings)
    assert found.records == whole.records
    assert found.stats.failures == whole.stats.failures
    assert found.stats.tasks == whole.stats.tasks
    assert len(told) == len(TASKS) * len(PROGRAMS)


@pytest.mark.usefixtures("small")
def test_portions_come_in_the_order_of_tasks_and_programs() -> None:
    told: list[Record] = []
    done: list[str] = []
    ab.run(PROGRAMS, TASKS, "all", on_record=told.append, on_task=lambda task: done.append(task.id))
    assert [record.task.id for record in told] == [task.id for task in TASKS for _ in PROGRAMS]
    names = [program.name for record in told for program in record.programs]
    assert names == [program.name for program in PROGRAMS] * len(TASKS)
    assert done == [task.id for task in TASKS]


def test_programs_that_fit_a_portion_run_together() -> None:
    told: list[Record] = []
    ab.run(PROGRAMS, TASKS, "all", on_record=told.append)
    assert len(told) == len(TASKS)


@pytest.mark.usefixtures("small")
def test_mode_pile_is_never_cut() -> None:
    told: list[Record] = []
    ab.run(PROGRAMS, TASKS, "all", on_failure="pile", on_record=told.append)
    assert [len(record.programs) for record in told] == [len(PROGRAMS)] * len(TASKS)


@pytest.mark.usefixtures("small")
def test_an_interrupted_run_has_the_portions_that_were_done() -> None:
    told: list[Record] = []

    def stop_soon(record: Record) -> None:
        told.append(record)
        if len(told) == len(PROGRAMS) + 3:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        ab.run(PROGRAMS, TASKS, "all", on_record=stop_soon)
    found = caught.value.results.records
    assert len(found[TASKS[0].id].programs) == len(PROGRAMS)
    assert sum(len(record.programs) for record in found.values()) == len(told) >= len(PROGRAMS) + 3


@pytest.mark.parametrize("size", [1, 7, len(PROGRAMS)])
def test_what_is_known_does_not_run_and_is_part_of_the_results(size: int) -> None:
    whole = ab.run(PROGRAMS, TASKS, "all")
    told: list[Record] = []

    def known(task: ab.Task, programs: object) -> Record | None:
        if task.id == TASKS[1].id:
            return None
        record = whole.records[task.id]
        rows = [record.codes(place) for place in range(len(PROGRAMS))]
        assert isinstance(programs, tuple)
        kept = range(0, len(PROGRAMS), len(PROGRAMS) // size)
        samples = 4 * len(task.samples)
        scores = b"".join(record.scores[place * samples : (place + 1) * samples] for place in kept)
        return Record(task, [programs[k] for k in kept], b"".join(rows[k] for k in kept), scores)

    found = ab.run(PROGRAMS, TASKS, "all", on_record=told.append, known=known)
    assert found.records == whole.records
    taken = len(range(0, len(PROGRAMS), len(PROGRAMS) // size))
    ran = {record.task.id: 0 for record in told}
    for record in told:
        ran[record.task.id] += len(record.programs)
    assert ran == {task.id: len(PROGRAMS) - (taken if task.id != TASKS[1].id else 0) for task in TASKS}


def test_a_task_without_samples_has_nothing_to_wait_for() -> None:
    told: list[Record] = []
    found = ab.run(PROGRAMS, [ab.Task("empty", (), ()), TASKS[0]], "all", on_record=told.append)
    assert [(record.task.id, len(record.programs)) for record in told] == [
        ("empty", len(PROGRAMS)),
        (TASKS[0].id, len(PROGRAMS)),
    ]
    assert found.records["empty"].verdicts == b""


def test_a_slow_measurement_counts_at_once_and_a_fast_one_in_steps() -> None:
    pace, task = Pace(), TASKS[0]
    first = pace.programs(task)
    pace.note(weight(task), 1000.0)
    assert pace.programs(task) == 1
    pace = Pace()
    pace.note(weight(task), 1e-12)
    assert first < pace.programs(task) <= 8 * (first + 1)


def test_parts_of_a_record_are_joined_in_the_order_of_the_programs() -> None:
    programs = ab.parse_programs(
        "def a(I): return I\ndef b(I): return divide(I, 0)\ndef c(I): return rot90(I)"
    )
    record = ab.run(programs, TASKS[0], "all").records[TASKS[0].id]
    a, b, c = record.programs
    size = len(TASKS[0].samples)

    def part(place: int) -> Record:
        scores = record.scores[4 * size * place : 4 * size * (place + 1)]
        return Record(record.task, [record.programs[place]], record.codes(place), scores)

    assert joined(record.task, (a, b, c), [part(2), part(0), part(1)]) == record
    assert joined(record.task, (a, b, c), [part(2), part(0)]).programs == (a, c)
