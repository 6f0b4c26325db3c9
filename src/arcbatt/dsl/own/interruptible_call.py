"""Calling the body of a user's own op: Ctrl-C gets through, and others can see which op is at work."""

import threading

# Those of `signal` make enums of numbers, which takes ten times as long.
from _signal import SIGINT, getsignal  # type: ignore[import-not-found]
from _signal import signal as set_handler
from collections.abc import Callable
from typing import Any

# Takes the name of the op that is at work now, and "" when none is.
Board = Callable[[str], None]


class _AtWork:
    """The own op that is at work in this process, and the board that its name is written on, if any."""

    def __init__(self) -> None:
        self.board: Board | None = None
        self.op = ""

    def show(self, board: Board, op: str) -> str:
        """Write the name of an op on the board; returns the one that was there."""
        before, self.op = self.op, op
        board(op)
        return before


_AT_WORK = _AtWork()


def show_work_on(board: Board | None) -> None:
    """Have the name of the own op that is at work in this process written on a board."""
    _AT_WORK.board, _AT_WORK.op = board, ""


def call_body(name: str, body: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """What the body of an op returns; whatever it raises is raised.

    A MemoryError leaves the name of the op on the board: it may end the process.
    """
    board = _AT_WORK.board
    if board is None:
        return _heeding_ctrl_c(body, arguments)
    before = _AT_WORK.show(board, name)
    try:
        given = _heeding_ctrl_c(body, arguments)
    except BaseException as error:
        if not isinstance(error, MemoryError):
            _AT_WORK.show(board, before)
        raise
    _AT_WORK.show(board, before)
    return given


def _heeding_ctrl_c(body: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call a body; a Ctrl-C that it catches is raised once it has ended."""
    handler = getsignal(SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        return body(*arguments)
    came = False

    def noting(number: int, frame: Any) -> Any:
        nonlocal came
        came = True
        return handler(number, frame)

    set_handler(SIGINT, noting)
    try:
        given = body(*arguments)
    except BaseException:
        if came:
            raise KeyboardInterrupt from None
        raise
    finally:
        if getsignal(SIGINT) is noting:  # else the handler has set another one, for a second Ctrl-C
            set_handler(SIGINT, handler)
    if came:
        raise KeyboardInterrupt
    return given
