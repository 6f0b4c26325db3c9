"""Fixtures of all tests: what runs ops runs once on every backend that is here."""

import signal
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

import arcbatt as ab
from arcbatt.engine.choose import AVAILABLE
from support.values import is_plain

# No test goes by the clock: a machine may be busy.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

# A process started in the background ignores Ctrl-C, and so would every process that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):  # ignored below `nohup`
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session", params=AVAILABLE)
def backend(request: pytest.FixtureRequest) -> str:
    """Each available backend in turn."""
    name: str = request.param
    return name


@pytest.fixture(scope="session")
def call(backend: str) -> Callable[..., Any]:
    """`ab.call` on each backend; what it gives is a Failure or a plain value, never a bool, list or set."""

    def checked(op: Any, *arguments: Any, **options: Any) -> Any:
        outcome = ab.call(op, *arguments, backend=backend, **options)
        assert isinstance(outcome, ab.Failure) or is_plain(outcome)
        return outcome

    return checked
