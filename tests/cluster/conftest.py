"""A cluster of three nodes on this machine, one for all tests that want it."""

import os
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from support.ray_cluster import RayCluster


@pytest.fixture(scope="session")
def cluster(ray: None) -> Iterator[RayCluster]:
    """Three nodes with one CPU each."""
    nodes = RayCluster(3)
    yield nodes
    nodes.close()


def require_ray() -> None:
    """Skip a test where Ray is not installed."""
    if find_spec("ray") is None:
        pytest.skip('Ray is not installed: python -m pip install "arcbatt[cluster]"')


@pytest.fixture(scope="session")
def ray() -> Iterator[None]:
    """Ray must be there; clusters change the environment, which is restored after the last one."""
    require_ray()
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)
