"""What a pool does when its broker or the head dies, when it is interrupted, and what it refuses to send."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.engine.cluster import process
from arcbatt.engine.cluster.messages import Function, Hopeless
from arcbatt.engine.cluster.pool import ClusterPool, result_of
from arcbatt.engine.cluster.process import BrokerProcess
from arcbatt.engine.cluster.remote import answered
from arcbatt.engine.records.replies import Reply
from arcbatt.errors import ArcbattError, BackendError
from support.commands import environment
from support.processes import MARK, SOON, linux, processes, started, until
from support.ray_cluster import RayCluster
from support.units import echoed, ends_its_worker_once, slept


def numbers(count: int, seconds: float) -> Iterator[float]:
    return (seconds for _ in range(count))


def test_a_broker_that_is_killed_is_started_anew_and_nothing_is_lost(cluster: RayCluster) -> None:
    said: list[str] = []
    with ClusterPool(slept, cluster.address, said.append) as pool:
        answers = pool.as_answered(numbers(12, 0.5))
        found = [next(answers)]
        assert pool._broker is not None
        pool._broker._process.kill()
        found += answers
    assert sorted(number for number, _ in found) == list(range(12))
    assert [text for text in said if "it is tried again" in text] != []


def test_a_broker_that_hangs_is_started_anew(cluster: RayCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "SILENCE", 20.0)
    said: list[str] = []
    with ClusterPool(slept, cluster.address, said.append) as pool:
        answers = pool.as_answered(numbers(12, 0.2))
        next(answers)
        assert pool._broker is not None
        os.kill(pool._broker._process.pid, signal.SIGSTOP)
        assert len(list(answers)) == 11
    assert [text for text in said if "it is tried again" in text] != []


def test_a_second_call_of_a_pool_gets_its_own_answers(cluster: RayCluster) -> None:
    with ClusterPool(slept, cluster.address, lambda _: None) as pool:
        for seconds in (0.02, 0.01):
            results = [answer.result for answer in pool.map([seconds] * 6)]
            assert results == [seconds] * 6


def test_units_and_answers_that_are_larger_than_any_buffer_pass_each_other(cluster: RayCluster) -> None:
    given = [bytes([number]) * 3_000_000 for number in range(24)]
    with ClusterPool(echoed, cluster.address, lambda _: None) as pool:
        assert [answer.result for answer in pool.map(given)] == given


def test_units_whose_workers_are_killed_run_again(cluster: RayCluster, tmp_path: Path) -> None:
    files, said = [str(tmp_path / f"{number}") for number in range(5)], list[str]()
    with ClusterPool(ends_its_worker_once, cluster.address, said.append) as pool:
        assert [answer.result for answer in pool.map(files)] == files
    again = sum(int(text.rpartition(" ")[2]) for text in said if "run again" in text)
    assert 1 <= again <= 5  # one that has a copy already, on a busy machine, does not run again


def test_a_node_that_joins_late_is_used(cluster: RayCluster) -> None:
    with ClusterPool(slept, cluster.address, lambda _: None) as pool:
        answers = pool.as_answered(numbers(40, 0.4))
        found = [next(answers)]
        places = pool.cluster.places
        node = cluster.add_node(num_cpus=2)
        try:
            found += answers
            assert pool.cluster.places == places + 2
        finally:
            cluster.remove_node(node)
    assert len(found) == 40


def test_a_head_that_comes_back_finds_its_work_again(ray: None) -> None:
    said: list[str] = []
    first = RayCluster(1)
    port = int(first.address.rpartition(":")[2])
    second = None
    try:
        with ClusterPool(slept, first.address, said.append) as pool:
            answers = pool.as_answered(numbers(8, 0.4))
            found = [next(answers)]
            first.close()
            second = RayCluster(1, port)
            found += answers
    finally:
        (second or first).close()
    assert sorted(number for number, _ in found) == list(range(8))
    assert any("is lost" in text for text in said)


def test_an_address_where_nobody_is_gives_one_sentence(ray: None) -> None:
    programs = ab.parse_programs("def solve_67a3c6ac(I): return vmirror(I)")
    with pytest.raises(
        BackendError, match=r"the cluster 127\.0\.0\.1:9 cannot be reached: .*ray start --head"
    ):
        ab.run(programs, ab.load_tasks("67a3c6ac"), cluster="127.0.0.1:9")


@pytest.mark.parametrize("search", [ab.solve, ab.evolve])
def test_a_wrong_address_is_refused_before_a_search_begins(search: Callable[..., object]) -> None:
    with pytest.raises(ArcbattError, match="cluster is 'here'; it must be local, auto") as caught:
        search("67a3c6ac", cluster="here")
    assert type(caught.value) is ArcbattError  # and none that has what was found by then


def test_a_broker_takes_no_file_of_the_working_folder_for_a_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "queue.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    broker = BrokerProcess("127.0.0.1:9", Function("digest", b"pickled", "1"))
    answer = broker.receive()
    broker.close()
    assert isinstance(answer, Hopeless)
    assert "ConnectionRefusedError" in answer.text


@linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_command_that_is_ended_leaves_no_process_behind(ray: None, number: signal.Signals) -> None:
    mark = f"{number.name}{os.getpid()}"
    command = started("run", "--pairs", "all", "--cluster", "local", "--max-work", "1000000", mark=mark)
    try:
        assert until(lambda: bool(processes(mark, "raylet")))
        assert until(lambda: processes(mark, "ray::"))  # a worker of Ray
        command.send_signal(number)
        out, err = command.communicate(timeout=SOON)
        assert until(lambda: not processes(mark))
    finally:
        command.kill()
    if number != signal.SIGKILL:
        assert command.returncode == 128 + number
        assert "evaluations" in out + err


@linux
def test_the_processes_of_a_local_cluster_end_with_its_broker(
    ray: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = f"broker{os.getpid()}"
    monkeypatch.setenv(MARK, mark)
    with ClusterPool(time.sleep, "local", lambda _: None) as pool:
        answers = pool.as_answered(numbers(6, 0.2))
        next(answers)
        assert pool._broker is not None
        pool._broker._process.kill()
        assert len(list(answers)) == 5
        assert until(lambda: len(processes(mark, "gcs_server")) == 1)
    assert until(lambda: not processes(mark))


def test_a_node_with_another_release_cannot_answer() -> None:
    with pytest.raises(BackendError, match=r"it has arcbatt .*, and this machine has 0\.0"):
        answered("digest", "0.0", None, b"", False)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answer", "kind", "sentence"),
    [
        (Reply("out of memory"), ArcbattError, "a unit of work needs more memory than a node"),
        (
            Reply("failed", kind="ValueError", reason="odd"),
            ArcbattError,
            "a node .* failed: ValueError: odd",
        ),
        (Reply("failed", kind="BackendError", reason="no GPU"), BackendError, "^no GPU$"),
    ],
)
def test_an_item_that_a_node_cannot_answer_gives_one_sentence(
    answer: Reply[int], kind: type[ArcbattError], sentence: str
) -> None:
    with pytest.raises(kind, match=sentence):
        result_of(answer)


def test_own_ops_are_refused(ray: None, tmp_path: Path) -> None:
    file = tmp_path / "ops.py"
    file.write_text("import arcbatt as ab\n@ab.register_op\ndef twice(grid: 'Grid') -> 'Grid': return grid\n")
    programs = tmp_path / "mine.py"
    programs.write_text("def solve_67a3c6ac(I): return twice(I)\n")
    for words in (["run", str(programs)], ["evolve", "--tasks", "67a3c6ac"]):
        done = subprocess.run(
            [sys.executable, "-m", "arcbatt", "--ops", str(file), *words, "--cluster", "local"],
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2, done.stderr
        assert "'twice' is an op of your own, and a cluster has the ops of the language alone" in done.stderr


def test_functions_that_no_node_can_import_are_refused(ray: None) -> None:
    with pytest.raises(ArcbattError, match="cannot be sent to a cluster"):
        ab.evolve(ab.load_tasks("67a3c6ac"), fitness=lambda *_: 0, cluster="local")


ENDLESS = """
def solve_67a3c6ac(I):
    numbers = lbind(lbind(branch, ONE), interval(ZERO, 1000, ONE))
    thousand = chain(size, lbind(apply, increment), numbers)
    million = chain(size, lbind(apply, thousand), numbers)
    milliard = chain(size, lbind(apply, million), numbers)
    endless = chain(size, lbind(apply, milliard), numbers)
    function = branch(equality(index(I, ORIGIN), SEVEN), endless, identity)
    return fill(I, function(ZERO), ofcolor(I, FIVE))
"""


@pytest.mark.parametrize("backend", ["native", "reference"])
def test_a_sample_that_is_over_its_time_is_given_up_as_on_one_machine(ray: None, backend: str) -> None:
    batt = ab.merge(ab.parse_programs(ENDLESS))
    limits = ab.Limits(calls=1 << 40, work=1 << 60)
    samples = tuple(ab.Sample(((color,),), ((1,),)) for color in (1, 7, 2))
    tasks = [ab.Task(name, samples, ()) for name in ("a", "b")]
    records = []
    for cluster in (None, "local"):
        settings: dict[str, Any] = {"backend": backend, "limits": limits, "seconds": 1.0, "cluster": cluster}
        with ab.MegaBatchCoordinator(batt, **settings) as coordinator:
            records.append(list(coordinator.judge(tasks)))
    assert records[0] == records[1]
    ends = [[(number, end.status) for number, end in record.ends] for record in records[1]]
    assert ends == [[(1, "timeout")]] * 2


WITHOUT_RAY = """
import sys
sys.modules["ray"] = None
import arcbatt as ab
try:
    ab.run(ab.parse_programs("def solve_67a3c6ac(I): return I"), ab.load_tasks("67a3c6ac"), cluster="local")
except ab.ArcbattError as error:
    print(error)
"""
NOTHING_OF_RAY = """
import sys
import arcbatt as ab
ab.run(ab.parse_programs("def solve_67a3c6ac(I): return I"), ab.load_tasks("67a3c6ac"))
print([name for name in sys.modules if name.partition(".")[0] == "ray" or "cluster" in name])
"""


def test_without_ray_a_sentence_says_what_to_install() -> None:
    assert printed(WITHOUT_RAY) == (
        'a cluster needs Ray, which is not installed: python -m pip install "arcbatt[cluster]"\n'
    )


def test_a_run_on_one_machine_imports_nothing_of_ray() -> None:
    assert printed(NOTHING_OF_RAY) == "[]\n"


def printed(code: str) -> str:
    """What a script prints."""
    words = [sys.executable, "-c", code]
    return subprocess.run(words, env=environment(), capture_output=True, text=True, check=True).stdout
