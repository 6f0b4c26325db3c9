"""A cluster of three nodes on this machine, one for all tests that want it."""

import os
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from support.ray_cluster import RayCluster


@pytest.fixture(scope="session")
def cluster() -> Iterator[RayCluster]:
    """Three nodes with one CPU each."""
    require_ray()
    before = dict(os.environ)
    nodes = RayCluster(3)
    yield nodes
    nodes.close()
    os.environ.clear()
    os.environ.update(before)


def require_ray() -> None:
    """Skip a test where Ray is not installed."""
    if find_spec("ray") is None:
        pytest.skip('Ray is not installed: python -m pip install "arcbatt[cluster]"')


@pytest.fixture
def ray() -> None:
    """Ray must be there."""
    require_ray()
