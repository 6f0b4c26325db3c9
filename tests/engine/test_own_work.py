"""Programs with a user's own ops in a run: stopped where they hang, crash or swell; their faults are told."""

import ctypes
import faulthandler
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.batt.coordinator import MegaBatchCoordinator
from arcbatt.dsl.own.errors import OpError
from arcbatt.dsl.types import Grid, Integer
from arcbatt.engine.running.own_work import STOPS_IN_A_ROW, TOGETHER
from arcbatt.program.merge import merge

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs fork and memory limits")
LIMIT = 2.0  # seconds: enough for an op that ends, also on a busy machine
PARENT = os.getpid()


def spin(grid: Grid) -> Grid:
    while True:
        pass


def deaf(grid: Grid) -> Grid:
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


def nap(grid: Grid) -> Grid:
    time.sleep(1e9)
    return grid


def swell(grid: Grid) -> Grid:
    return tuple((bytearray(1 << 40),) for _ in grid)  # type: ignore[misc]


def leave(grid: Grid) -> Grid:
    os._exit(7)


def fault(grid: Grid) -> Grid:
    faulthandler.disable()  # a report of it is of no use here
    ctypes.string_at(0)
    return grid


def chat(grid: Grid) -> Grid:
    print("a word")
    return grid


def refuse(grid: Grid, by: Integer) -> Grid:
    if len(grid) > by:
        raise ValueError(f"{len(grid)} rows")
    return grid


def mumble(grid: Grid) -> Grid:
    return "no grid"  # type: ignore[return-value]


def where(grid: Grid) -> Integer:
    return int(os.getpid() == PARENT)


OPS = (spin, deaf, nap, swell, leave, fault, chat, refuse, mumble, where)


@pytest.fixture(autouse=True)
def scope() -> Iterator[None]:
    with ab.own_ops(*OPS):
        yield


def task(name: str, *heights: int) -> ab.Task:
    return ab.Task(name, tuple(ab.Sample(((1, 2),) * height, ((2, 1),) * height) for height in heights), ())


def programs(*bodies: str) -> list[ab.Program]:
    return ab.parse_programs("\n".join(f"def p{k}(I): return {body}" for k, body in enumerate(bodies)))


@pytest.mark.parametrize(
    ("op", "end"),
    [
        ("spin", ("timeout", "spin")),
        ("deaf", ("timeout", "deaf")),
        ("nap", ("timeout", "nap")),
        ("swell", ("out of memory", "swell")),
        ("leave", ("crashed", "exit 7")),
        ("fault", ("crashed", "SIGSEGV")),
    ],
)
def test_an_op_that_does_not_return_costs_its_own_program_alone(op: str, end: tuple[str, str]) -> None:
    found = ab.run(
        programs("vmirror(I)", f"{op}(I)", "chat(vmirror(I))"),
        task("t", 1),
        "all",
        threads=2,
        timeout=LIMIT if end[0] == "timeout" else None,
    )
    assert found.lost == {end: 1}
    assert [(outcome.solved, outcome.lost) for outcome in found] == [(True, 0), (False, 1), (True, 0)]
    assert found["p1", "t"].as_json()["lost"] == 1
    assert found.summary()["lost"] == {" ".join(end): 1}


def test_an_op_that_is_stopped_again_and_again_is_given_up_whatever_the_workers() -> None:
    some = [task("a", 1, 1, 1), task("b", 1, 1, 1), task("c", 1)]
    for threads in (1, 3):
        found = ab.run(programs("leave(I)", "vmirror(I)"), some, "all", threads=threads)
        assert found.lost == {("crashed", "exit 7"): STOPS_IN_A_ROW, ("given up", "leave"): 2}
        assert found.given_up == {"leave": f"stopped {STOPS_IN_A_ROW} times in a row, the last time: crashed"}
        ends = [(lost.sample, lost.end.status) for lost in found.records["b"].lost]
        assert ends == [(0, "crashed"), (1, "crashed"), (2, "given up")]
        assert found.tasks_solved == 3


def test_an_op_that_always_crashes_is_given_up_after_few_tries(tmp_path: Path) -> None:
    tries = tmp_path / "tries"

    def crash(grid: Grid) -> Grid:
        with tries.open("a") as file:
            file.write("x")
        os._exit(7)

    with ab.own_ops(crash):
        found = ab.run(programs("crash(I)", "chat(vmirror(I))"), task("a", *[1] * 60), "all", threads=2)
    assert found.lost == {("crashed", "exit 7"): STOPS_IN_A_ROW, ("given up", "crash"): 60 - STOPS_IN_A_ROW}
    assert found["p1", "a"].solved
    assert len(tries.read_text()) < 40


def test_only_programs_with_own_ops_leave_this_process() -> None:
    found = ab.run(programs("where(I)", "add(where(I), 1)", "vmirror(I)"), task("t", 1), "all")
    assert [outcome.outputs for outcome in found][:2] == [(0,), (1,)]
    before = os.times().children_user
    ab.run(programs("vmirror(I)"), task("t", 1), "all")
    assert os.times().children_user == before


@pytest.mark.parametrize("mode", ["fail", "default", "pile"])
def test_a_mixed_run_equals_the_reference_in_this_process(mode: Any, backend: str) -> None:
    bodies = ["refuse(I, 2)", "rot90(I)", "chat(rot90(I))", "apply(rbind(refuse, 1), hsplit(I, 1))", "nap"]
    some = [task("a", 1, 2, 3), task("b", 3)]
    batt = programs(*bodies)
    found = ab.run(batt, some, "all", backend, on_failure=mode)
    for outcome in found:
        alone = ab.run(
            batt if mode == "pile" else outcome.program, outcome.task, "all", "reference", on_failure=mode
        )
        assert outcome.verdicts == alone[outcome.program, outcome.task].verdicts
        assert outcome.outputs == alone[outcome.program, outcome.task].outputs


def faults_of(found: Any) -> list[tuple[Any, ...]]:
    """The faults, without the folder of this file."""
    return [
        (
            error.op,
            error.kind,
            error.message,
            error.place,
            error.call,
            error.program,
            error.task,
            error.sample,
            error.count,
        )
        for error in found.op_errors
    ]


def line_of(text: str) -> str:
    """The place of a line of this file."""
    lines = Path(__file__).read_text("utf-8").splitlines()
    return next(f"test_own_work.py, line {k}" for k, line in enumerate(lines, 1) if text in line)


CASES = ("rot90(I)", "chat(rot90(refuse(I, 1)))", "refuse(I, 1)", "mumble(chat(I))")
RAISED = ("refuse", "ValueError", "2 rows")
WRONG = ("mumble", "wrong result", "it declares Grid and gave 'no grid', of type str")


def expected_faults() -> list[tuple[Any, ...]]:
    """Of the cases on two tasks: in three of four samples two programs meet a grid of more than one row."""
    raised, wrong = line_of("raise ValueError(f"), line_of("def mumble(")
    return [
        (*WRONG, wrong, "mumble(((1, 2),))", "p3", "a", "demo 1", 4),
        (*RAISED, raised, "refuse(((1, 2), (1, 2)), 1)", "p1", "a", "demo 2", 6),
    ]


def test_faults_are_told_with_their_first_case_and_counted_by_evaluations(backend: str) -> None:
    some = [task("a", 1, 2, 3), task("b", 2)]
    for threads in (1, 3):
        found = ab.run(programs(*CASES), some, "all", backend, threads=threads)
        assert faults_of(found) == expected_faults()
        assert found["p2", "a"].failures == {"TYPE": 2}
    told = found.summary()["op_errors"][1]
    assert told["file"] == __file__
    assert told["count"] == 6
    assert "rank" not in told


def test_faults_of_very_many_programs_are_counted_as_those_of_each() -> None:
    count = TOGETHER + 10
    bodies = [f"shift(refuse(I, 1), ({k}, 0))" for k in range(count)]
    found = ab.run(programs(*bodies, "leave(I)"), task("a", 1, 2), "all", threads=2)
    (error,) = found.op_errors
    assert (error.count, error.program, error.sample) == (count, "p0", "demo 2")


@pytest.mark.parametrize("workers", [1, 3])
def test_a_coordinator_tells_them_too(workers: int, backend: str) -> None:
    some = {name.id: name for name in (task("a", 1, 2, 3), task("b", 2))}
    batt = merge(programs(*CASES))
    with MegaBatchCoordinator(batt, max_workers=workers, backend=backend, on_failure="fail") as coordinator:
        results = coordinator.process_batch(coordinator.collect_inputs(some))
        assert faults_of(coordinator) == expected_faults()
    assert [len(result.op_errors) for result in results] == [1, 2, 2, 2]
    with MegaBatchCoordinator(batt, max_workers=workers, backend=backend, on_failure="fail") as coordinator:
        records = list(coordinator.judge(some.values()))
        assert faults_of(coordinator) == expected_faults()
    assert [len(record.op_errors) for record in records] == [2, 2]


def test_a_single_call_has_the_fault_with_its_failure(backend: str) -> None:
    failure = ab.call("refuse", ((1, 2),) * 2, 1, backend=backend)
    assert failure == ab.Failure("TYPE")
    assert isinstance(failure, ab.Failure)
    assert isinstance(failure.error, OpError)
    assert str(failure.error) == f"ValueError: 2 rows ({line_of('raise ValueError(f')})"
    nested = ab.call("apply", ab.fn("mumble"), (((1,),),), backend=backend)
    assert isinstance(nested, ab.Failure)
    assert nested.error is not None
    assert nested.error.kind == "wrong result"
    plain = ab.call("divide", 1, 0, backend=backend)
    assert isinstance(plain, ab.Failure)
    assert plain.error is None


def test_outputs_of_a_program_that_was_stopped_are_refused_in_a_sentence() -> None:
    found = ab.run(programs("spin(I)"), task("t", 1), "all", timeout=LIMIT)
    with pytest.raises(ab.ArcbattError, match=r"p0 has no output for t demo 1: timeout \(spin\)"):
        found["p0", "t"].outputs  # noqa: B018


def test_a_limit_that_is_no_time_is_refused() -> None:
    with pytest.raises(ab.ArcbattError, match="timeout: expected a number of seconds > 0, got 0"):
        ab.run(programs("spin(I)"), task("t", 1), "all", timeout=0)
