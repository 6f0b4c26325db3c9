"""Noticing batt functions that Python calls directly while a context is open."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

from arcbatt.program.batt_files.body import PARAMETERS


class Watch:
    """Calls `notice` for every batt function that this thread calls while the watch is on.

    The watch is a hook of `sys.setprofile`, which each thread has for itself. If a profiler holds the hook
    already, the watch stays off. Afterwards the previous hook is restored.
    """

    def __init__(self, notice: Callable[[FrameType], None]) -> None:
        self._notice = notice

    @contextmanager
    def on(self) -> Iterator[bool]:
        """Watch, unless a profiler is active; yields whether it watches."""
        before = sys.getprofile()
        is_free = before is None or isinstance(getattr(before, "__self__", None), Watch)
        if is_free:
            sys.setprofile(self._see)
        try:
            yield is_free
        finally:
            if is_free:
                sys.setprofile(before)

    def _see(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and _is_batt(frame.f_code):
            self._notice(frame)


@contextmanager
def unwatched() -> Iterator[None]:
    """Suspend the watch: the hook would slow down the work of the engine itself."""
    before = sys.getprofile()
    is_ours = isinstance(getattr(before, "__self__", None), Watch)
    if is_ours:
        sys.setprofile(None)
    try:
        yield
    finally:
        if is_ours:
            sys.setprofile(before)


def _is_batt(code: CodeType) -> bool:
    return code.co_argcount == len(PARAMETERS) and code.co_varnames[: len(PARAMETERS)] == tuple(PARAMETERS)
