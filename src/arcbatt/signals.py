"""The signals that end a command: SIGTERM and SIGHUP do what Ctrl-C does."""

import atexit
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import current_thread, main_thread
from time import monotonic
from types import FrameType

# Where a system lacks one, it is left out.
ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
# Seconds. `timeout` signals a command, then its whole group; a wrapper may pass on the Ctrl-C of a terminal.
REPEATED = 1.0


@dataclass
class _Ends:
    """Which signal came, and when, and how many pieces of work must not be disturbed by it."""

    caught: int | None = None
    at: float = 0.0
    held: int = 0
    waits: bool = False


_ends = _Ends()


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let each of the signals raise KeyboardInterrupt once; a second one ends the process at once.

    The same signal within a second counts as the first. A closed terminal hangs up more than once, so SIGHUP
    after SIGHUP changes nothing. A signal that is ignored stays ignored, as `nohup` wants it.

    Python drops a KeyboardInterrupt that is raised in a finalizer: `raise_pending_interrupt` raises it again.
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
    """Raise a KeyboardInterrupt that came earlier, when it could not be raised."""
    if _ends.waits and not _ends.held:
        _ends.waits = False
        raise KeyboardInterrupt


def is_ending() -> bool:
    """Whether a signal ends this command: what it still has to do must not take long."""
    return _ends.caught is not None


def interrupted_code() -> int:
    """The exit code of a command that a signal has ended: 130 after Ctrl-C, 143 after SIGTERM."""
    return 128 + (_ends.caught or signal.SIGINT)
