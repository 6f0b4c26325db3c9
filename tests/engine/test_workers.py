"""Worker processes: answers in order, runaways stopped, deaths survived, nothing left behind."""

import faulthandler
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.engine.records.replies import Ending, Reply
from arcbatt.engine.running.worker import answer_from
from arcbatt.engine.running.worker_pool import AHEAD, WorkerPool
from support.commands import end_session, environment
from support.processes import children, is_running

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs fork, memory limits and /proc")

MEGABYTE = 1 << 20


def endless(_: int) -> int:
    while True:
        pass


def endless_but_for_0(n: int) -> int:
    return endless(n) if n else n


def segmentation_fault() -> None:
    faulthandler.disable()  # a report of it is of no use here
    os.kill(os.getpid(), signal.SIGSEGV)


def answers(run: Callable[[Any], Any], items: Any, workers: int = 2, **limits: Any) -> list[Reply[Any]]:
    with WorkerPool(run, workers, **limits) as pool:
        return list(pool.map(items))


def statuses(run: Callable[[Any], Any], items: Any, workers: int = 2, **limits: Any) -> list[Ending]:
    return [answer.status for answer in answers(run, items, workers, **limits)]


@pytest.fixture(autouse=True)
def _nothing_is_left_behind() -> Iterator[None]:
    before = children()
    yield
    assert set(children()) <= set(before)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_answers_come_in_the_order_of_the_items(workers: int) -> None:
    def late_if_even(n: int) -> int:
        time.sleep(0.003 * (n % 2 == 0))
        return n * n

    assert answers(late_if_even, range(60), workers) == [Reply("ok", n * n) for n in range(60)]


def test_no_items_need_no_process() -> None:
    with WorkerPool(str, 2) as pool:
        assert list(pool.map([])) == []
        assert not children()


def test_a_pool_may_be_used_again() -> None:
    def run(n: int) -> tuple[int, int]:
        return n, os.getpid()

    with WorkerPool(run, 1) as pool:
        first, second = (list(pool.map(range(3))) for _ in range(2))
    assert first == second


def test_values_and_programs_of_the_language_pass() -> None:
    (program,) = ab.parse_programs("def solve_it(I): return compose(vmirror, identity)")
    values = [((1, 2), (3, 4)), frozenset({(0, 1)}), program]
    assert [answer.result for answer in answers(lambda value: value, values)] == values


def test_an_exception_is_a_failure_of_its_kind_and_never_a_timeout() -> None:
    class Odd(Exception):
        def __str__(self) -> str:
            raise ValueError

    errors = [ZeroDivisionError("by zero"), TimeoutError("slow"), SystemExit(3), StopIteration(), KeyError(7)]

    def fail(n: int) -> None:
        raise [*errors, Odd()][n]

    found = answers(fail, range(6), seconds=20)
    assert [answer.status for answer in found] == ["failed"] * 6
    assert [answer.kind for answer in found] == [*(type(error).__name__ for error in errors), "Odd"]
    assert found[0].reason == "by zero"


def test_what_cannot_be_pickled_costs_only_itself() -> None:
    def run(n: int) -> object:
        return (lambda: n) if n == 1 else n

    assert statuses(run, [0, 1, 2]) == ["ok", "failed", "ok"]
    assert statuses(str, [0, lambda: 1, 2]) == ["ok", "failed", "ok"]


@pytest.mark.parametrize("workers", [1, 3])
def test_an_endless_loop_is_stopped_and_costs_only_itself(workers: int) -> None:
    items = [1, 0, 0, 0, 1, 0, 0]
    found = statuses(endless_but_for_0, items, workers, seconds=0.5)
    assert found == ["timeout" if n else "ok" for n in items]


def test_a_loop_in_compiled_code_is_stopped() -> None:
    def run(text: str) -> bool:
        return re.match("(a+)+$", text) is None

    assert statuses(run, ["a" * 40 + "b", "b"], seconds=0.5) == ["timeout", "ok"]


@pytest.mark.parametrize("hoard", ["at once", "bit by bit", "in the result"])
def test_memory_is_bounded(hoard: str) -> None:
    def run(n: int) -> object:
        if n % 2:
            return n
        if hoard == "at once":
            return len(bytearray(400 * MEGABYTE))
        if hoard == "in the result":
            return bytes(60 * MEGABYTE)
        pile: list[object] = []
        while True:
            pile = [pile, *range(1000)]

    found = statuses(run, range(4), memory=100 * MEGABYTE, seconds=30)
    assert found == ["out of memory", "ok", "out of memory", "ok"]


def test_memory_counts_from_what_a_worker_starts_with() -> None:
    mine = bytearray(300 * MEGABYTE)
    assert answers(lambda _: len(mine), [0], memory=50 * MEGABYTE) == [Reply("ok", len(mine))]


def test_an_item_too_large_for_a_worker_is_out_of_memory() -> None:
    items = [b"", bytes(200 * MEGABYTE), b""]
    assert statuses(len, items, memory=100 * MEGABYTE) == ["ok", "out of memory", "ok"]


@pytest.mark.parametrize(
    ("die", "kind"),
    [
        (lambda: os._exit(3), "exit 3"),
        (lambda: os._exit(0), "exit 0"),
        (segmentation_fault, "SIGSEGV"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "SIGKILL"),
    ],
    ids=["exit 3", "exit 0", "SIGSEGV", "SIGKILL"],
)
def test_a_worker_that_dies_is_tried_again_and_then_given_up(
    die: Callable[[], None], kind: str, tmp_path: Path
) -> None:
    def run(n: int) -> int:
        with (tmp_path / str(n)).open("a") as file:
            file.write("x")
        if n == 2:
            die()
        return n

    found = answers(run, range(5), tries=3)
    assert found == [Reply("crashed", kind=kind) if n == 2 else Reply("ok", n) for n in range(5)]
    assert [len((tmp_path / str(n)).read_text()) for n in range(5)] == [1, 1, 3, 1, 1]


def test_a_death_between_the_answer_and_the_next_item_repeats_nothing() -> None:
    """Each worker dies a moment after it has answered."""

    def run(n: int) -> int:
        threading.Timer(0.002, os._exit, [1]).start()
        return n

    with WorkerPool(run, 2, tries=50) as pool:
        found = []
        for answer in pool.map(range(40)):
            found.append(answer)
            time.sleep(0.004)
    assert found == [Reply("ok", n) for n in range(40)]


def test_large_items_and_results_pass_both_ways_at_once() -> None:
    items = [bytes([n]) * (5 * MEGABYTE) for n in range(8)]
    assert [answer.result for answer in answers(bytes, items, 3)] == items


def test_killing_workers_at_random_loses_nothing_and_repeats_nothing() -> None:
    tests = str(Path(__file__).parents[1])
    path = os.pathsep.join([environment()["PYTHONPATH"], tests])
    words = [sys.executable, "-m", "support.killed_workers"]
    done = subprocess.run(
        words, env=environment(PYTHONPATH=path), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.returncode, done.stderr)
    killed, found = map(int, done.stdout.split())
    assert killed == 50
    assert found >= 300


def test_work_ahead_of_a_slow_item_is_bounded() -> None:
    drawn = []

    def items() -> Iterator[int]:
        for n in range(3 * AHEAD):
            drawn.append(n)
            yield n

    def run(n: int) -> int:
        time.sleep(0.5 * (n == 0))
        return n

    with WorkerPool(run, 3) as pool:
        found = pool.map(items())
        assert not drawn
        next(found)
        assert len(drawn) <= AHEAD
        assert [answer.result for answer in found] == list(range(1, 3 * AHEAD))


def test_pools_of_several_threads_do_not_disturb_each_other() -> None:
    found: dict[int, list[Reply[Any]]] = {}

    def use(number: int) -> None:
        def run(n: int) -> int:
            return os._exit(n) if n % 9 == 0 else n * number

        found[number] = answers(run, range(30), tries=2, seconds=20)

    threads = [threading.Thread(target=use, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(4):
        expected = [None if n % 9 == 0 else n * number for n in range(30)]
        assert [answer.result for answer in found[number]] == expected
        assert {answer.status for answer in found[number][::9]} == {"crashed"}


def test_an_exception_of_the_consumer_ends_the_workers() -> None:
    def consume() -> None:
        with WorkerPool(endless_but_for_0, 3) as pool:
            for _ in pool.map(range(3)):
                assert len(children()) == 3
                raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        consume()
    assert not children()


def test_an_exception_of_the_items_ends_the_workers() -> None:
    def items() -> Iterator[int]:
        yield from range(2)
        assert len(children()) == 2
        raise RuntimeError("no more")

    with WorkerPool(endless, 3) as pool:
        with pytest.raises(RuntimeError, match="no more"):
            list(pool.map(items()))
        assert not children()


def test_a_map_that_is_left_early_ends_its_workers_and_the_next_one_works() -> None:
    with WorkerPool(endless_but_for_0, 2, seconds=20) as pool:
        for answer in pool.map(range(3)):
            assert answer.result == 0
            break
        assert [answer.result for answer in pool.map([0, 0])] == [0, 0]


def test_a_map_that_is_interrupted_while_it_ends_does_not_spoil_the_pool(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(process: object) -> None:
        raise KeyboardInterrupt

    with WorkerPool(endless_but_for_0, 2, seconds=20) as pool:
        first = pool.map([0, 1, 1])
        next(first)
        with monkeypatch.context() as patch:
            patch.setattr(multiprocessing.process.BaseProcess, "join", interrupt)
            with pytest.raises(KeyboardInterrupt):
                first.close()  # type: ignore[attr-defined]
        assert [answer.result for answer in pool.map([0, 0, 0])] == [0, 0, 0]


def test_the_workers_of_a_pool_that_nobody_holds_end() -> None:
    pool = WorkerPool(str, 2)
    assert [answer.result for answer in pool.map([1, 2, 3])] == ["1", "2", "3"]
    assert children()
    del pool
    assert not children()


def test_a_copy_of_a_pool_in_another_process_leaves_the_workers_alone() -> None:
    pool = WorkerPool(lambda n: (n, os.getpid()), 1)
    (before,) = pool.map([1])
    child = os.fork()
    if child == 0:
        del pool
        os._exit(0)
    os.waitpid(child, 0)
    assert list(pool.map([1])) == [before]
    pool.close()


def test_one_map_at_a_time() -> None:
    with WorkerPool(str, 2) as pool:
        first = pool.map([1, 2, 3])
        next(first)
        with pytest.raises(ab.ArcbattError, match="still at work"):
            next(pool.map([4]))
        assert [answer.result for answer in first] == ["2", "3"]


def test_a_closed_pool_says_so() -> None:
    with WorkerPool(str, 2) as pool:
        found = pool.map([1, 2, 3])
        next(found)
    with pytest.raises(ab.ArcbattError, match="closed"):
        next(found)


def test_a_time_limit_may_be_as_long_as_it_likes() -> None:
    assert statuses(abs, range(4), seconds=1e300) == ["ok"] * 4


@pytest.mark.parametrize("limits", [{"workers": 0}, {"tries": 0}, {"seconds": 0.0}, {"memory": -1}])
def test_senseless_limits_are_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(ab.ArcbattError, match=f"{next(iter(limits))} is .*must be"):
        WorkerPool(str, **{"workers": 2, **limits})


def test_workers_have_no_workers_of_their_own() -> None:
    def nested(n: int) -> list[Any]:
        return answers(str, range(n))

    (answer,) = answers(nested, [3])
    assert (answer.status, answer.kind) == ("failed", "ArcbattError")


def test_a_function_that_cannot_be_spawned_is_refused() -> None:
    with pytest.raises(ab.ArcbattError, match="importable by its name"):
        WorkerPool(lambda n: n, 2, start="spawn")


def script(body: str) -> subprocess.CompletedProcess[str]:
    """A program that uses a pool, in a process of its own."""
    run = [sys.executable, "-c", f"from arcbatt.engine.running.worker_pool import WorkerPool\n{body}"]
    return subprocess.run(run, env=environment(), capture_output=True, text=True, check=False, timeout=60)


def test_spawned_workers_answer_the_same() -> None:
    done = script("""
with WorkerPool(int, 2, seconds=20, memory=1 << 28, start="spawn") as pool:
    print(*(answer.kind or answer.result for answer in pool.map(["1", "x", "3"])))
""")
    assert done.stdout == "1 ValueError 3\n", done.stderr


def test_a_pool_whose_workers_cannot_start_says_so(tmp_path: Path) -> None:
    """A spawned worker imports the main program; this one starts a pool of its own when it is imported."""
    unguarded = tmp_path / "unguarded.py"
    unguarded.write_text(
        "from arcbatt.engine.running.worker_pool import WorkerPool\n"
        "list(WorkerPool(str, 2, start='spawn').map([1]))\n"
    )
    done = script(f"import runpy\nrunpy.run_path({str(unguarded)!r}, run_name='__main__')")
    assert "no worker can start: 10 in a row ended at once, the last by exit 1" in done.stderr


def test_too_few_file_handles_mean_fewer_workers() -> None:
    done = script("""
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (25, 25))
with WorkerPool(str, 50) as pool:
    print([answer.result for answer in pool.map(range(100))] == [str(n) for n in range(100)])
""")
    assert done.stdout == "True\n", done.stderr


# Tells the pids of its workers, which then never end by themselves: in Python, or in compiled code.
RUNAWAYS = """
import os, re, resource, sys
from arcbatt.engine.running.worker_pool import WorkerPool
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))  # in case the test itself is killed
def run(n):
    os.write(2, b"%d\\n" % os.getpid())  # in one piece, also where Python does not buffer
    while n != 1:
        pass
    re.match("(a+)+$", "a" * 60 + "b")
def main(start):
    with WorkerPool(run, 3, start=start) as pool:
        list(pool.map(range(3)))
if __name__ == "__main__":
    main(sys.argv[1])
"""


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_end_with_their_parent(end: signal.Signals, start: str, tmp_path: Path) -> None:
    script = tmp_path / "runaways.py"
    script.write_text(RUNAWAYS)
    with subprocess.Popen(
        [sys.executable, str(script), start],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as parent:
        try:
            assert parent.stderr is not None
            pids = [int(parent.stderr.readline()) for _ in range(3)]
            assert all(map(is_running, pids))
            time.sleep(0.05)
            if end == signal.SIGINT:
                os.killpg(parent.pid, end)  # as a terminal does
            else:
                parent.send_signal(end)
            patience = time.monotonic() + 20
            parent.wait(timeout=20)
            while any(map(is_running, pids)) and time.monotonic() < patience:
                time.sleep(0.005)
            _, errors = parent.communicate(timeout=20)
        finally:
            end_session(parent)
    assert parent.returncode == -end
    assert not any(map(is_running, pids))
    assert errors.count("Traceback") == (end == signal.SIGINT)  # the parent's own


@pytest.mark.parametrize(
    ("message", "reason"),
    [(b"\x80", "truncated"), (pickle.dumps(7), "expected an answer of a worker, got int")],
)
def test_a_malformed_answer_is_a_failure_of_its_item(message: bytes, reason: str) -> None:
    answer = answer_from(message)
    assert answer.status == "failed"
    assert answer.reason is not None
    assert reason in answer.reason
