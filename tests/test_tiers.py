"""The tiers of the tests."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.tiers import BY_PATH, TIERS, tier_of

TESTS = Path(__file__).parent


def test_every_test_is_in_exactly_one_tier(request: pytest.FixtureRequest) -> None:
    marks = {item.nodeid: {mark.name for mark in item.iter_markers()} for item in request.session.items}
    assert {name: found for name, found in marks.items() if len(found & {*TIERS}) != 1} == {}


def test_the_nearest_path_says_the_tier_unless_a_fixture_does() -> None:
    assert tier_of("cluster/test_local.py", ()) == "cluster"
    assert tier_of("dsl/test_work.py", ("call",)) == "fast"
    assert tier_of("cli/test_run.py", ("cli", "process")) == "process"


def test_paths_of_tiers_exist() -> None:
    assert [path for path in BY_PATH if not (TESTS / path).exists()] == []


def test_a_fast_test_can_start_no_process() -> None:
    with pytest.raises(RuntimeError, match=r"a fast test starts a process; mark it: @pytest\.mark\.process"):
        subprocess.run([sys.executable, "-c", ""], check=True)
