"""A Ray cluster of several nodes on this machine, whose nodes can be killed."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import arcbatt

TRIES = 3  # to start a node


class RayCluster:
    """Nodes with one CPU each; the first one is the head."""

    def __init__(self, nodes: int, port: int = 0) -> None:
        # The nodes must find the same package and this folder, and the tests ask the network for nothing.
        folders = Path(arcbatt.__file__).parents[1], Path(__file__).parents[1]
        os.environ["PYTHONPATH"] = os.pathsep.join(map(str, folders))
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        from ray.cluster_utils import Cluster

        head: dict[str, Any] = {"num_cpus": 1, "include_dashboard": False}
        self._cluster = Cluster(
            initialize_head=True,
            head_node_args=head | ({"gcs_server_port": port} if port else {}),
            shutdown_at_exit=True,
        )
        self._others = [self.add_node() for _ in range(nodes - 1)]

    @property
    def address(self) -> str:
        """The address of the head."""
        return str(self._cluster.address)

    @property
    def session(self) -> str:
        """The folder of the head's files."""
        return str(self._cluster.head_node.get_session_dir_path())

    def add_node(self, **resources: Any) -> Any:
        """Let a node join; on a busy machine Ray may give up on one that starts slowly."""
        asked = {"num_cpus": 1} | resources
        for _ in range(TRIES - 1):
            with suppress(SystemExit):
                return self._cluster.add_node(**asked)
        return self._cluster.add_node(**asked)

    def remove_node(self, node: Any) -> None:
        """Kill a node with SIGKILL."""
        self._cluster.remove_node(node, allow_graceful=False)

    def lose_a_node(self) -> None:
        """Kill a node, not the head; another one joins after it."""
        self.remove_node(self._others.pop(0))
        self._others.append(self.add_node())

    def close(self) -> None:
        """End all nodes."""
        self._cluster.shutdown()
