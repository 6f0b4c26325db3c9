"""Nodes with GPUs, emulated ones here: units run there and on CPUs, from one queue."""

import re
from collections.abc import Iterator

import pytest

import arcbatt as ab
from arcbatt.engine.choose import AUTO_DEVICE, AVAILABLE
from arcbatt.errors import BackendError
from arcbatt.library import load_library
from support.ray_cluster import RayCluster

needs_core = pytest.mark.skipif("native" not in AVAILABLE, reason="a GPU needs the compiled core")


@needs_core
def test_gpus_that_no_node_has_are_told_in_a_sentence(cluster: RayCluster) -> None:
    programs, tasks = load_library("solvers")[:2], ab.load_tasks("arc1/training")[:2]
    with pytest.raises(BackendError, match="no node has a GPU"):
        ab.run(programs, tasks, "all", "cuda", cluster=cluster.address)


@pytest.fixture(scope="module")
def with_gpu(cluster: RayCluster) -> Iterator[str]:
    """The address of a cluster one of whose nodes has a GPU."""
    node = cluster.add_node(num_cpus=0, num_gpus=1)
    yield cluster.address
    cluster.remove_node(node)


@needs_core
@pytest.mark.parametrize(("backend", "on_cpus"), [("auto", True), ("emulated", False)])
def test_results_on_gpus_are_those_of_one_machine(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    with_gpu: str,
    backend: str,
    on_cpus: bool,
) -> None:
    programs, tasks = load_library("solvers")[:20], ab.load_tasks("arc1/training")[:8]
    here = ab.run(programs, tasks, "all", "native")
    monkeypatch.setenv(AUTO_DEVICE, "emulated")
    there = ab.run(programs, tasks, "all", backend, cluster=with_gpu)
    assert [there[p, t].verdicts for p in programs for t in tasks] == [
        here[p, t].verdicts for p in programs for t in tasks
    ]
    # A node that an earlier test has killed may still count, for a while.
    places = re.findall(r"(\d+) places?, 1 GPU", capsys.readouterr().err)
    assert {int(count) > 0 for count in places} == {on_cpus}
