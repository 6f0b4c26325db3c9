"""Calling the body of a user-defined op: Ctrl-C gets through, and other processes see which op is running."""

import threading

# The enums of `signal` would make these ten times as slow.
from _signal import SIGINT, getsignal  # type: ignore[import-not-found]
from _signal import signal as set_handler
from collections.abc import Callable
from typing import Any

# Called with the name of the running op, and with "" when none runs.
Board = Callable[[str], None]


class _AtWork:
    """The user's op that runs in this process, and the board that shows its name, if any."""

    def __init__(self) -> None:
        self.board: Board | None = None
        self.op = ""

    def show(self, board: Board, op: str) -> str:
        """Write the name of an op on the board; returns the previous one."""
        before, self.op = self.op, op
        board(op)
        return before


_AT_WORK = _AtWork()


def show_work_on(board: Board | None) -> None:
    """Show the name of the user's op that runs in this process on a board."""
    _AT_WORK.board, _AT_WORK.op = board, ""


def call_body(name: str, body: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call the body of an op and return its result; its exceptions propagate.

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
    """Call a body; if it catches a Ctrl-C, raise KeyboardInterrupt when it ends."""
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
        if getsignal(SIGINT) is noting:  # otherwise the handler has set another one, for a second Ctrl-C
            set_handler(SIGINT, handler)
    if came:
        raise KeyboardInterrupt
    return given
