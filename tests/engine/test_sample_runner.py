"""Running a batt: the same answers in this process and in workers; a bad sample costs only itself."""

import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from random import Random
from threading import Thread
from time import sleep
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.batt.breeding.tally import TaskTally
from arcbatt.batt.per_op_backend import Selection
from arcbatt.dsl.machine import Machine
from arcbatt.dsl.own_ops import own_ops
from arcbatt.dsl.table import Op
from arcbatt.dsl.types import Grid
from arcbatt.engine.choose import AVAILABLE
from arcbatt.engine.running.sample_runner import Runner
from arcbatt.library import load_library
from arcbatt.program.batt_files.write import batt_source
from arcbatt.program.graph import Batt
from arcbatt.program.merge import batt_of
from arcbatt.tasks import Sample
from arcbatt.tasks.samples import Samples, TaskLike, batches

MODES = ("fail", "default", "pile")


@pytest.fixture(scope="module")
def batt() -> Batt:
    return batt_of(load_library("solvers")[::40], load_library("differs")[:3])


@pytest.fixture(scope="module")
def tasks() -> ab.TaskSet:
    return ab.load_tasks("arc1/training")[:4]


def inputs(tasks: ab.TaskSet) -> list[TaskLike]:
    return list(tasks)


@pytest.mark.parametrize("on_failure", MODES)
def test_outputs_and_records_do_not_depend_on_the_backend_or_the_workers(
    on_failure: str, batt: Batt, tasks: ab.TaskSet
) -> None:
    found = []
    for backend in AVAILABLE:
        for workers in (1, 3):
            with Runner(batt, backend, on_failure, workers=workers) as runner:  # type: ignore[arg-type]
                found.append((list(runner.outputs(inputs(tasks))), list(runner.records(tasks))))
    assert all(other == found[0] for other in found)
    assert {answer.status for answer in found[0][0]} == {"ok"}


def test_outputs_are_those_of_a_run(backend: str, batt: Batt, tasks: ab.TaskSet) -> None:
    result = ab.run(batt, tasks, "all", backend)
    with Runner(batt, backend, "fail") as runner:
        answers = list(runner.outputs(inputs(tasks)))
    rows = iter(answers)
    for task in tasks:
        columns = zip(*(next(rows).result for _ in task.samples))  # type: ignore[arg-type]
        assert list(columns) == [result[program.name, task.id].outputs for program in batt]


def test_where_s_is_no_value_only_what_needs_it_fails(backend: str, tasks: ab.TaskSet) -> None:
    batt = ab.merge(ab.parse_programs("def a(I): return rot90(I)\ndef b(S, I): return size(S)"))
    good = inputs(tasks)[0]
    bad = Samples(good.id, ((*good.pairs[0][:1], ((1.5,),)), *good.pairs[1:]), good.samples)
    with Runner(batt, backend, "fail") as runner:
        expected = [answer.result for answer in runner.outputs([good])]
        found = [answer.result for answer in runner.outputs([bad])]
        (record,) = runner.records([bad])  # type: ignore[list-item]
    assert [row[0] for row in found if row] == [row[0] for row in expected if row]
    assert [row[1].kind for row in found if row] == ["TYPE"] * len(good.samples)
    assert not record.ends


def test_many_workers_will_do_but_not_any_number(backend: str, batt: Batt, tasks: ab.TaskSet) -> None:
    with Runner(batt, backend, workers=1024) as runner:
        assert not next(runner.records(tasks)).ends
    for workers in (0, 1025, 10**11):
        with pytest.raises(
            ab.ArcbattError, match=f"workers: expected an integer from 1 to 1,024, got {workers}"
        ):
            Runner(batt, backend, workers=workers)


def test_a_bad_sample_costs_only_itself(backend: str, batt: Batt, tasks: ab.TaskSet) -> None:
    good = inputs(tasks)
    bad = [good[0], Samples("bad", good[0].pairs, [(None, None), *good[0].samples, (1.5, None)]), good[1]]
    with Runner(batt, backend) as runner:
        answers = list(runner.outputs(bad))
        clean = [answer for task in (good[0], good[0], good[1]) for answer in runner.outputs([task])]
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
    flat = [(task.id, sample) for batch in made for task in batch for sample in task.samples]
    assert flat == [(task.id, sample) for task in tasks for sample in task.samples]


def test_tallies_do_not_depend_on_the_batches(backend: str, batt: Batt, tasks: ab.TaskSet) -> None:
    with Runner(batt, backend, "fail") as runner:
        found = [list(map(TaskTally, runner.records(tasks, size))) for size in (None, 1, 4, 100)]
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


def test_tallies_with_defaults_count_the_failures_of_solvers_that_are_not_exact(
    backend: str, batt: Batt, tasks: ab.TaskSet
) -> None:
    with Runner(batt, backend) as runner:
        assert runner.on_failure == "default"
        found = list(map(TaskTally, runner.records(tasks, 5)))
    failing, defaulting = (
        ab.run(batt, tasks, "all", backend, on_failure=mode) for mode in ("fail", "default")
    )
    for line in found:
        lost: Counter[str] = Counter()
        exact = 0
        for solver in batt.solvers:
            key = solver.name, line.task.id
            for before, after in zip(failing[key].verdicts, defaulting[key].verdicts):
                exact += after is True
                if isinstance(before, str) and after is not True:
                    lost[before] += 1
        assert line.tally.failures == lost
        assert line.tally.demo_exact + line.tally.test_exact == exact
        assert line.tally.outputs == line.tally.asked - sum(lost.values())
    assert any(line.tally.failures for line in found)


def test_the_mode_of_a_file_is_that_of_its_lines(batt: Batt) -> None:
    modes = {"pile": "pile", "guarded": "default", "hybrid": "default", "vectorized": "fail"}
    for style, mode in modes.items():
        read = ab.parse_batt(batt_source(batt, style))  # type: ignore[arg-type]
        with Runner(read, on_failure="file") as runner:
            assert runner.on_failure == mode
    with pytest.raises(
        ab.ArcbattError, match="on_failure: expected one of fail, default, pile, file, got 'cry'"
    ):
        Runner(batt, on_failure="cry")  # type: ignore[arg-type]


def test_ops_that_are_switched_off_run_on_the_reference_with_the_same_results(
    backend: str, batt: Batt, tasks: ab.TaskSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    resume = Machine.resume

    def noting(self: Machine, op: Op, *rest: Any) -> Any:
        asked.append(op.name)
        return resume(self, op, *rest)

    monkeypatch.setattr(Machine, "resume", noting)
    names = {node.head for node in batt.nodes if node.kind == "op"}
    selection = Selection()
    for name in names:
        selection.choose(name, "reference")
    with Runner(batt, backend) as runner:
        expected = list(runner.outputs(inputs(tasks))), list(runner.records(tasks))
    assert not asked
    with Runner(batt, backend, on_reference=selection.on_reference) as runner:
        assert (list(runner.outputs(inputs(tasks))), list(runner.records(tasks))) == expected
    assert set(asked) <= names
    assert bool(asked) == (backend == "native")


def test_the_mean_is_of_marks_from_0_to_1000_and_what_fails_counts_0(backend: str) -> None:
    solvers = ab.parse_programs("def solve_a(I): return I\ndef solve_b(I): return first(difference(I, I))")
    bodies = ("astuple(5000, I)", "astuple(-5, I)", "astuple(7, I)", "astuple(divide(1, 0), I)", "I")
    text = "\n".join(f"def differ_{k}(S, I, C): return {body}" for k, body in enumerate(bodies))
    known, unknown = Sample(((1,),), ((2,),)), Sample(((1,),), None)
    task = ab.Task("00000001", (known,), (known, unknown))
    with Runner(batt_of(solvers, ab.parse_programs(text)), backend, "fail") as runner:
        (found,) = map(TaskTally, runner.records([task]))
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
        with Runner(batt, backend, workers=2, seconds=0.5) as runner:
            answers = list(runner.outputs([Samples("x", (), samples)]))
    assert [answer.status for answer in answers] == ["ok", status, "ok", status, "ok"]
    assert [answer.result for answer in answers[::2]] == [(((1,),),), (((2,),),), (((3,),),)]


ENDLESS = """
def solve_x(I):
    numbers = lbind(lbind(branch, ONE), interval(ZERO, 1000, ONE))
    thousand = chain(size, lbind(apply, increment), numbers)
    million = chain(size, lbind(apply, thousand), numbers)
    milliard = chain(size, lbind(apply, million), numbers)
    endless = chain(size, lbind(apply, milliard), numbers)
    function = branch(equality(index(I, ORIGIN), SEVEN), endless, identity)
    return fill(I, function(ZERO), ofcolor(I, FIVE))
"""


def test_a_sample_that_is_over_its_time_is_given_up_on_every_backend(backend: str) -> None:
    batt = ab.merge(ab.parse_programs(ENDLESS))
    samples = [(((color,),), None) for color in (1, 7, 2)]
    limits = ab.Limits(calls=1 << 40, work=1 << 60)
    with Runner(batt, backend, limits=limits, workers=2, seconds=1.0) as runner:
        answers = list(runner.outputs([Samples("x", (), samples)]))
    assert [answer.status for answer in answers] == ["ok", "timeout", "ok"]
    assert [answer.result for answer in answers[::2]] == [(((1,),),), (((2,),),)]


def test_the_workers_of_a_runner_that_nobody_holds_end(batt: Batt, tasks: ab.TaskSet) -> None:
    runner = Runner(batt, "reference", workers=2)
    for _ in runner.outputs(inputs(tasks)[:1]):
        pass
    assert runner._pool is not None
    processes = [worker.process for worker in runner._pool._workers]
    assert any(process.is_alive() for process in processes)
    del runner
    assert not any(process.is_alive() for process in processes)


def test_killing_workers_at_random_loses_nothing_and_repeats_nothing(
    batt: Batt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "arcbatt.engine.running.sample_runner.TRIES", 1000
    )  # a busy machine may be long over a sample
    many = ab.load_tasks("arc1/training")[:100]
    with Runner(batt, "reference", "fail", workers=2) as runner:
        expected = list(runner.records(many, 1000))
    with Runner(batt, "reference", "fail", workers=2) as runner:
        killed: list[int] = []
        over = False

        def kill() -> None:
            random = Random(3)
            while not over and len(killed) < 50:
                sleep(random.random() / 10)
                pool = runner._pool
                assert pool is not None
                workers = list(pool._workers)
                if workers and (process := random.choice(workers).process).pid:
                    with suppress(ProcessLookupError):  # it was killed before, and is gone by now
                        os.kill(process.pid, signal.SIGKILL)
                    killed.append(process.pid)

        killer = Thread(target=kill)
        answers: Iterator[object] = runner.records(many, 1000)
        found = [next(answers)]
        killer.start()
        found += list(answers)
        over = True
        killer.join()
    assert len(killed) > 20
    assert found == expected
