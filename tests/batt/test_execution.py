"""Running a batt: the same answers in this process and in workers; a bad sample costs only itself."""

import os
import signal
from collections.abc import Iterator
from random import Random
from threading import Thread
from time import sleep

import pytest

import arcbatt as ab
from arcbatt.batt.execution import Execution
from arcbatt.batt.tally import batches, tallies
from arcbatt.dsl.registry import own_ops
from arcbatt.dsl.types import Grid
from arcbatt.engine.backend import AVAILABLE, Inputs, inputs_of
from arcbatt.library import load_library
from arcbatt.program.graph import Batt
from arcbatt.program.merge import batt_of
from arcbatt.tasks import Sample

MODES = ("fail", "default", "pile")


@pytest.fixture(scope="module")
def batt() -> Batt:
    return batt_of(load_library("solvers")[::40], load_library("differs")[:3])


@pytest.fixture(scope="module")
def tasks() -> ab.TaskSet:
    return ab.load_tasks("arc1/training")[:4]


def inputs(tasks: ab.TaskSet) -> list[Inputs]:
    return [inputs_of(task) for task in tasks]


@pytest.mark.parametrize("on_failure", MODES)
def test_outputs_and_judgements_do_not_depend_on_the_backend_or_the_workers(
    on_failure: str, batt: Batt, tasks: ab.TaskSet
) -> None:
    found = []
    for backend in AVAILABLE:
        for workers in (1, 3):
            with Execution(batt, backend, on_failure, workers=workers) as execution:  # type: ignore[arg-type]
                found.append(
                    (list(execution.outputs(inputs(tasks))), list(execution.judgements(inputs(tasks))))
                )
    assert all(other == found[0] for other in found)
    assert {answer.status for answer in found[0][0]} == {"ok"}


def test_outputs_are_those_of_a_run(backend: str, batt: Batt, tasks: ab.TaskSet) -> None:
    result = ab.run(batt, tasks, "all", backend)
    with Execution(batt, backend, "fail") as execution:
        answers = list(execution.outputs(inputs(tasks)))
    rows = iter(answers)
    for task in tasks:
        columns = zip(*(next(rows).result for _ in task.samples))  # type: ignore[arg-type]
        assert list(columns) == [result[program.name, task.id].outputs for program in batt]


def test_where_s_is_no_value_only_what_needs_it_fails(backend: str, tasks: ab.TaskSet) -> None:
    batt = ab.merge(ab.parse_programs("def a(I): return rot90(I)\ndef b(S, I): return size(S)"))
    good = inputs(tasks)[0]
    bad = good._replace(pairs=((*good.pairs[0][:1], ((1.5,),)), *good.pairs[1:]))
    with Execution(batt, backend) as execution:
        expected = [answer.result for answer in execution.outputs([good])]
        found = [answer.result for answer in execution.outputs([bad])]
        judged = list(execution.judgements([bad]))
    assert [row[0] for row in found if row] == [row[0] for row in expected if row]
    assert [row[1].kind for row in found if row] == ["TYPE"] * len(good.samples)
    assert [answer.status for answer in judged] == ["ok"] * len(good.samples)


def test_any_number_of_workers_will_do_but_none(backend: str, batt: Batt, tasks: ab.TaskSet) -> None:
    with Execution(batt, backend, workers=10**11) as execution:
        assert len(list(execution.judgements(inputs(tasks[:1])))) == len(tasks[0].samples)
    with pytest.raises(ab.ArcbattError, match="workers is 0; it must be 1 or more"):
        Execution(batt, backend, workers=0)


def test_a_bad_sample_costs_only_itself(backend: str, batt: Batt, tasks: ab.TaskSet) -> None:
    good = inputs(tasks)
    bad = [good[0], Inputs("bad", good[0].pairs, [(None, None), *good[0].samples, (1.5, None)]), good[1]]
    with Execution(batt, backend) as execution:
        answers = list(execution.outputs(bad))
        clean = [answer for task in (good[0], good[0], good[1]) for answer in execution.outputs([task])]
    first = len(good[0].samples)
    lost = [answers.pop(first), answers.pop(2 * first)]
    assert [(answer.status, answer.kind) for answer in lost] == [("failed", "ValueRefused")] * 2
    assert "task bad" in lost[0].reason
    assert answers == clean


@pytest.mark.parametrize("size", [1, 2, 5, 7, 1000])
def test_batches_hold_every_sample_once_in_order(size: int, tasks: ab.TaskSet) -> None:
    made = list(batches(inputs(tasks), size))
    counts = [sum(len(task.samples) for task in batch) for batch in made]
    assert set(counts[:-1]) <= {size}
    assert 0 < counts[-1] <= size
    flat = [(task.task_id, sample) for batch in made for task in batch for sample in task.samples]
    assert flat == [(task.id, sample) for task in tasks for sample in task.samples]


def test_tallies_do_not_depend_on_the_batches(backend: str, batt: Batt, tasks: ab.TaskSet) -> None:
    with Execution(batt, backend, "fail") as execution:
        found = [list(tallies(execution, tasks, size)) for size in (None, 1, 4, 100)]
    assert all(other == found[0] for other in found)
    result = ab.run(batt, tasks, "all", backend)
    for line in found[0]:
        outcomes = [result[solver.name, line.task.id] for solver in batt.solvers]
        assert line.tally.demo_exact == sum(sum(outcome.demo) for outcome in outcomes)
        assert line.tally.test_exact == sum(sum(outcome.test) for outcome in outcomes)
        assert sum(line.tally.failures.values()) == sum(
            sum(outcome.failures.values()) for outcome in outcomes
        )
        assert line.solvers == tuple(outcome.program.id for outcome in outcomes if outcome.solved)


def test_the_mean_is_of_marks_from_0_to_1000_and_what_fails_counts_0(backend: str) -> None:
    solvers = ab.parse_programs("def solve_a(I): return I\ndef solve_b(I): return first(difference(I, I))")
    bodies = ("astuple(5000, I)", "astuple(-5, I)", "astuple(7, I)", "astuple(divide(1, 0), I)", "I")
    text = "\n".join(f"def differ_{k}(S, I, C): return {body}" for k, body in enumerate(bodies))
    known, unknown = Sample(((1,),), ((2,),)), Sample(((1,),), None)
    task = ab.Task("00000001", (known,), (known, unknown))
    with Execution(batt_of(solvers, ab.parse_programs(text)), backend, "fail") as execution:
        (found,) = tallies(execution, [task], None)
    assert found.tally.mean == (1000 + 0 + 7 + 0 + 0) / 10


def endless(grid: Grid) -> Grid:
    """Never ends on a grid whose first cell is 7."""
    while grid[0][0] == 7:
        sleep(0.01)
    return grid


def deadly(grid: Grid) -> Grid:
    """Ends its process on a grid whose first cell is 7."""
    if grid[0][0] == 7:
        os._exit(3)
    return grid


@pytest.mark.parametrize(("op", "status"), [("endless", "timeout"), ("deadly", "crashed")])
def test_what_an_op_of_a_user_does_to_a_sample_stays_with_the_sample(
    op: str, status: str, backend: str
) -> None:
    with own_ops(endless, deadly):
        batt = ab.merge(ab.parse_programs(f"def solve_x(I): return {op}(I)"))
        samples = [(((color,),), None) for color in (1, 7, 2, 7, 3)]
        with Execution(batt, backend, workers=2, seconds=0.5) as execution:
            answers = list(execution.outputs([Inputs("x", (), samples)]))
    assert [answer.status for answer in answers] == ["ok", status, "ok", status, "ok"]
    assert [answer.result for answer in answers[::2]] == [(((1,),),), (((2,),),), (((3,),),)]


def test_the_workers_of_an_execution_that_nobody_holds_end(batt: Batt, tasks: ab.TaskSet) -> None:
    execution = Execution(batt, "reference", workers=2)
    for _ in execution.outputs(inputs(tasks)[:1]):
        pass
    assert execution._pool is not None
    processes = [worker.process for worker in execution._pool._workers]
    assert any(process.is_alive() for process in processes)
    del execution
    assert not any(process.is_alive() for process in processes)


def test_killing_workers_at_random_loses_nothing_and_repeats_nothing(
    batt: Batt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arcbatt.batt.execution.TRIES", 1000)  # a busy machine may be long over a sample
    many = inputs(ab.load_tasks("arc1/training")[:100])
    with Execution(batt, "reference", "fail", workers=2) as execution:
        expected = list(execution.judgements(many))
    with Execution(batt, "reference", "fail", workers=2) as execution:
        killed: list[int] = []
        over = False

        def kill() -> None:
            random = Random(3)
            while not over and len(killed) < 50:
                sleep(random.random() / 10)
                pool = execution._pool
                assert pool is not None
                for process in random.sample([worker.process for worker in list(pool._workers)], 1) or ():
                    if process.pid:
                        os.kill(process.pid, signal.SIGKILL)
                        killed.append(process.pid)

        killer = Thread(target=kill)
        answers: Iterator[object] = execution.judgements(many)
        found = [next(answers)]
        killer.start()
        found += list(answers)
        over = True
        killer.join()
    assert len(killed) > 20
    assert found == expected
