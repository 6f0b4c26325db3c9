"""Watching for batt functions that are called directly while a context is open."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

from arcbatt.program.batt_files.body import PARAMETERS


class Watch:
    """Tells of every batt function that is called in this thread while it is on.

    It uses the hook that profilers use, which each thread has for itself; where a profiler has it the watch
    stays off. What the hook was before is put back.
    """

    def __init__(self, notice: Callable[[FrameType], None]) -> None:
        self._notice = notice

    @contextmanager
    def on(self) -> Iterator[bool]:
        """Watch, unless there is a profiler; whether it does is the answer."""
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
    """Nothing is noticed inside: the work of the engine itself would only be slowed down."""
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
