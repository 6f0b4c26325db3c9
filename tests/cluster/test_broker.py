"""The broker on a simulated Ray: whatever dies or is slow, each unit is answered exactly once."""

from collections.abc import Iterable
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.engine.cluster import broker as broking
from arcbatt.engine.cluster.broker import Broker
from arcbatt.engine.cluster.messages import Done, Function, Hopeless, Ready, Trouble, Unit
from arcbatt.errors import BackendError
from support.simulated_ray import ObjectLostError, SimulatedRay


def told(ray: SimulatedRay, units: Iterable[int], steps: int = 100_000, **function: Any) -> list[Any]:
    """All that a broker says until it has no more to do, or can do nothing."""
    said: list[Any] = []
    broker = Broker(ray, Function("digest", b"pickled", "1", **function), said.append, ray.clock)
    for number in units:
        broker.add(Unit(number, b"%d" % number))
    for _ in range(steps):
        broker.step()
        if any(isinstance(message, Hopeless) for message in said):
            break
        if broker.spare == broking.IDLE:
            break
        ray.now += broker.spare
    else:
        raise AssertionError("there is no end")
    return said


def of(kind: type, said: list[Any]) -> list[Any]:
    return [message for message in said if isinstance(message, kind)]


def runs_again(said: list[Any]) -> int:
    """How many units run again, as the lines on deaths tell."""
    lines = [message.text.split("units of work that run again: ") for message in of(Trouble, said)]
    return sum(int(count) for _, count in lines)


@given(st.integers(0, 2**32), st.floats(0, 0.4), st.integers(1, 9), st.integers(0, 3), st.integers(0, 60))
def test_each_unit_is_answered_once(seed: int, deaths: float, cpus: int, gpus: int, count: int) -> None:
    ray = SimulatedRay(Random(seed), deaths, cpus, gpus)
    said = told(ray, range(count), on_devices=True)
    if not of(Hopeless, said):
        assert sorted(message.number for message in of(Done, said)) == list(range(count))
        assert all(message.answer == b"%d" % message.number for message in of(Done, said))
    assert gpus > 0 or not any(attempt.on_device for attempt in ray.attempts)


def test_a_slow_unit_has_one_copy_at_the_end() -> None:
    ray = SimulatedRay(Random(1), 0.0, 4)
    told(ray, range(60))
    items = [attempt.item for attempt in ray.attempts]
    assert len(items) > len(set(items)) == 60
    assert max(map(items.count, items)) == 2


def test_a_unit_that_always_ends_its_worker_is_given_up_with_a_sentence() -> None:
    ray = SimulatedRay(Random(1), 1.0, 2)
    (reason,) = of(Hopeless, told(ray, [7]))
    assert "has ended its worker 10 times" in reason.text
    assert len(ray.attempts) == broking.TRIES
    assert ray.now > 20  # the pauses between them grow


def test_deaths_of_many_workers_are_told_in_few_lines() -> None:
    ray = SimulatedRay(Random(1), 0.3, 8)
    said = told(ray, range(200))
    assert runs_again(said) > len(of(Trouble, said)) > 0


@given(st.integers(0, 2**32))
def test_all_deaths_are_told_before_the_last_answer(seed: int) -> None:
    ray = SimulatedRay(Random(seed), 0.5, 1)
    said = told(ray, [0])
    if not of(Hopeless, said):
        deaths = sum(attempt.error is not None for attempt in ray.attempts)
        assert runs_again(said[: said.index(of(Done, said)[-1])]) == deaths


@pytest.mark.parametrize(
    ("refusal", "reason"),
    [
        (BackendError("it has arcbatt 0.1"), "BackendError: it has arcbatt 0.1"),
        (  # as Ray tells it
            RuntimeError(
                f"The remote function failed to import on the worker, from {['/a/folder'] * 50}:\n\n"
                "Traceback (most recent call last):\n  File ...\n"
                "ModuleNotFoundError: No module named 'arcbatt'\n"
            ),
            "ModuleNotFoundError: No module named 'arcbatt'",
        ),
    ],
)
def test_a_node_that_cannot_work_is_told_with_its_reason(refusal: Exception, reason: str) -> None:
    said = told(SimulatedRay(Random(1), 0.0, 2, refusal=refusal), [0])
    assert of(Hopeless, said)[0].text == f"a node cannot work: {reason}"


def test_a_unit_whose_worker_loses_an_object_of_ray_runs_again() -> None:
    ray = SimulatedRay(Random(1), 0.0, 2, refusal=ObjectLostError("the object is lost"))
    (reason,) = of(Hopeless, told(ray, [0]))
    assert "has ended its worker 10 times, the last time: a node has died" in reason.text


def test_a_cluster_without_gpus_is_hopeless_for_work_that_needs_them() -> None:
    said = told(SimulatedRay(Random(1), 0.0, 4), [0], on_cpus=False, on_devices=True)
    assert "no node has a GPU" in of(Hopeless, said)[0].text


def test_gpus_and_cpus_share_one_queue() -> None:
    ray = SimulatedRay(Random(1), 0.0, 2, 2)
    said = told(ray, range(40), on_devices=True)
    assert of(Ready, said)[0] == Ready(1, 2, 2)
    kinds = [attempt.on_device for attempt in ray.attempts]
    assert min(kinds.count(True), kinds.count(False)) >= 10
