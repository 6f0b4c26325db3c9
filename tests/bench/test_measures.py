"""The measurements of `arcbatt bench` that need what not every system has."""

import subprocess
import sys

import pytest

from support.commands import environment

pytest.importorskip("arcbatt._core", reason="the compiled core is not installed")


def names(before: str = "") -> set[str]:
    """The measurements of a process that runs some code before it imports them."""
    code = f"import sys; {before}\nfrom arcbatt.bench.measures import MEASURES"
    code += "\nprint(*(measure.__name__ for measure in MEASURES))"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_what_a_system_has_no_means_for_is_left_out() -> None:
    against_plain = {"own_tasks", "all_pairs", "population"}
    assert names("sys.modules['resource'] = None") == names() - against_plain
    assert {"single_ops", "threads", "overhead"} <= names()
