"""All commands on three nodes give the bytes of one machine, also if a node or the command is killed.

A node is killed at twenty moments, the command at five; `support/killing.py` does more by hand.
"""

from pathlib import Path

import pytest

from support.killing import BATT, SHORT, Killing
from support.ray_cluster import RayCluster

WORDS = SHORT | {
    "run": ["run", "--pairs", "all", "--limit", "30"],
    "run-batt": ["run-batt", "-b", BATT, "-c", "12"],
}
KILLS_OF_NODES = {"run": 8, "evolve": 3, "evolve, islands in step": 3, "run-batt": 3, "solve": 3}
KILLS_OF_COMMANDS = {"run": 3, "evolve": 2}


@pytest.mark.parametrize("name", WORDS)
def test_a_run_that_loses_a_node_or_its_driver_gives_the_bytes_of_one_machine(
    tmp_path: Path, cluster: RayCluster, name: str
) -> None:
    killing = Killing(WORDS[name], tmp_path, cluster)  # which compares a run that nothing disturbs
    *_, tally = killing.check(KILLS_OF_NODES[name], seed=5, kills_nodes=True)
    assert (tally.moments, tally.wrong) == (KILLS_OF_NODES[name], [])
    if name in KILLS_OF_COMMANDS:
        *_, tally = killing.check(KILLS_OF_COMMANDS[name], seed=11)
        assert (tally.moments, tally.wrong) == (KILLS_OF_COMMANDS[name], [])
