"""The signals that end a command: SIGTERM and SIGHUP act like Ctrl-C."""

import atexit
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import current_thread, main_thread
from time import monotonic
from types import FrameType

# Leave out those that the system lacks.
ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
# Seconds. `timeout` signals a command, then its whole group; a wrapper may pass on a terminal's Ctrl-C.
REPEATED = 1.0


@dataclass
class _Ends:
    """Which signal came and when, and how many sections must not be interrupted by it."""

    caught: int | None = None
    at: float = 0.0
    held: int = 0
    waits: bool = False


_ends = _Ends()


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let each of the signals raise KeyboardInterrupt once; a second one ends the process at once.

    The same signal within a second counts as the first. A closed terminal sends SIGHUP more than once, so
    SIGHUP after SIGHUP changes nothing. An ignored signal stays ignored, as `nohup` requires.

    Python drops a KeyboardInterrupt raised in a finalizer: `raise_pending_interrupt` raises it again.
    """
    if current_thread() is not main_thread():  # only the main thread may set handlers
        yield
        return
    _ends.caught, _ends.held, _ends.waits = None, 0, False
    before = {number: signal.getsignal(number) for number in ENDING}
    mine = [number for number, handler in before.items() if handler not in (signal.SIG_IGN, None)]

    def end(number: int, _: FrameType | None) -> None:
        if number == _ends.caught:
            if monotonic() - _ends.at > REPEATED:
                signal.signal(number, signal.SIG_DFL)
                signal.raise_signal(number)
            return
        _ends.caught, _ends.at = number, monotonic()
        for other in mine:
            if other != number:
                signal.signal(other, signal.SIG_DFL)
        if signal.Signals(number).name == "SIGHUP":
            signal.signal(number, signal.SIG_IGN)
        if _ends.held:
            _ends.waits = True
            return
        raise KeyboardInterrupt

    report = sys.unraisablehook

    def keep(dropped: "sys.UnraisableHookArgs") -> None:
        if dropped.exc_type is KeyboardInterrupt:
            _ends.waits = True
        else:
            report(dropped)

    sys.unraisablehook = keep
    for number in mine:
        signal.signal(number, end)
    try:
        yield
    finally:
        sys.unraisablehook = report
        for number in mine:
            signal.signal(number, before[number])
        _ignore_at_exit()


def _ignore_at_exit() -> None:
    """Ignore a repeated signal during interpreter shutdown."""
    if _ends.caught is not None:
        atexit.register(signal.signal, _ends.caught, signal.SIG_IGN)


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Hold back KeyboardInterrupt until this piece of work is done."""
    _ends.held += 1
    try:
        yield
    finally:
        _ends.held -= 1
        raise_pending_interrupt()


def raise_pending_interrupt() -> None:
    """Raise a KeyboardInterrupt that came while it could not be raised."""
    if _ends.waits and not _ends.held:
        _ends.waits = False
        raise KeyboardInterrupt


def is_ending() -> bool:
    """Whether a signal is ending this command, so that the rest must not take long."""
    return _ends.caught is not None


def interrupted_code() -> int:
    """The exit code of a command ended by a signal: 130 after Ctrl-C, 143 after SIGTERM."""
    return 128 + (_ends.caught or signal.SIGINT)
