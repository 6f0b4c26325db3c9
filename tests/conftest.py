"""Fixtures of all tests: what runs ops runs once on every backend that is here. Each test gets its tier."""

import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import arcbatt as ab
from arcbatt.engine.choose import AVAILABLE
from support.tiers import FAST, TIERS, NoProcess, is_never_fast, tier_of
from support.values import is_plain

# No test goes by the clock: a machine may be busy.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

# A process started in the background ignores Ctrl-C, and so would every process that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):  # ignored below `nohup`
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

TESTS = Path(__file__).parent
no_process = NoProcess()
sys.addaudithook(no_process)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave files out that have no fast test when only these are wanted; to collect a file takes a while."""
    return (config.option.markexpr == FAST and is_never_fast(relative(collection_path))) or None


def relative(path: Path) -> str:
    """The path of a file below tests/."""
    return path.relative_to(TESTS).as_posix() if path.is_relative_to(TESTS) else ""


@pytest.hookimpl(tryfirst=True)  # before tests are selected by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test by its tier."""
    for item in items:
        if not any(item.get_closest_marker(tier) for tier in TIERS):
            item.add_marker(tier_of(relative(item.path), getattr(item, "fixturenames", ())))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Hold a test to its tier."""
    no_process.tier = next(tier for tier in TIERS if item.get_closest_marker(tier))
    try:
        return (yield)
    finally:
        no_process.tier = ""


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
