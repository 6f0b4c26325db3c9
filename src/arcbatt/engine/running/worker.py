"""The main loop of a worker process, which answers items and ends with its parent."""

import errno
import multiprocessing
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from mmap import mmap
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread
from typing import Any

from arcbatt.dsl.own.body import show_work_on
from arcbatt.engine.records.replies import Reply
from arcbatt.errors import ArcbattError
from arcbatt.signals import ENDING

REASON_LENGTH = 300
LONGEST_NAME = 256  # bytes of a board


OUT_OF_MEMORY = pickle.dumps(Reply("out of memory"), pickle.HIGHEST_PROTOCOL)


def failed(error: BaseException) -> Reply[Any]:
    """An exception as an answer."""
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return Reply("out of memory")
    line = "".join(traceback.format_exception_only(error)).strip()
    kind = type(error).__name__
    return Reply("failed", kind=kind, reason=line.partition(f"{kind}: ")[2][:REASON_LENGTH])


def work(
    run: Callable[[Any], Any], connection: Connection, memory: int | None, board: mmap | None = None
) -> None:
    """The main loop of a worker process: apply `run` to each item, within `memory` more bytes.

    The name of the own op that is at work stands on the board, where the parent reads it.
    """
    for number in ENDING:  # the parent sees to them, and kills its workers
        signal.signal(number, signal.SIG_IGN)
    _print_to_stderr()
    _end_with_parent()
    if board is not None:
        show_work_on(partial(_write, board))
    if memory is not None:
        _cap_memory(memory)
    with suppress(EOFError, OSError):  # the parent is gone
        connection.send_bytes(b"ready")
        answer = b""
        while answer != OUT_OF_MEMORY:
            if board is not None:
                _write(board, "")
            try:
                answer = answer_to(run, connection.recv_bytes())
            except MemoryError:
                answer = OUT_OF_MEMORY
            connection.send_bytes(answer)


def answer_to(run: Callable[[Any], Any], message: bytes) -> bytes:
    """The pickled answer to a pickled item."""
    try:
        return pickle.dumps(Reply("ok", run(pickle.loads(message))), pickle.HIGHEST_PROTOCOL)
    except MemoryError:  # the answer is made when the memory is free again
        raise
    except BaseException as error:  # sys.exit() is a failure like any other
        return pickle.dumps(failed(error), pickle.HIGHEST_PROTOCOL)


def answer_from(message: bytes) -> Reply[Any]:
    """The answer that another process has pickled; a malformed one counts as a failure of its item."""
    try:
        answer = pickle.loads(message)
    except Exception as error:
        return failed(error)
    if isinstance(answer, Reply):
        return answer
    return failed(ArcbattError(f"expected an answer of a worker, got {type(answer).__name__}"))


def _write(board: mmap, op: str) -> None:
    name = op.encode("utf-8")[: LONGEST_NAME - 1]
    board[: len(name) + 1] = name + b"\0"


def read(board: mmap) -> str:
    """The name on a board, also that of a process that is dead."""
    return board[:].partition(b"\0")[0].decode("utf-8", "replace")


def _print_to_stderr() -> None:
    """Let an own op print to standard error: what stands on standard output is the report's."""
    sys.stdout = sys.stderr
    with suppress(OSError):
        os.dup2(2, 1)


def _cap_memory(more: int) -> None:
    """Let the address space grow by `more` bytes at most."""
    if sys.platform != "linux":
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    limit = pages * resource.getpagesize() + more
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _end_with_parent() -> None:
    """End this process when its parent ends, in whatever way."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    if sys.platform != "linux":
        Thread(target=_follow, args=(parent,), daemon=True).start()
        return
    import fcntl

    # The parent holds the other end of this pipe. When that end closes, the kernel kills this process, even
    # while compiled code holds the interpreter.
    pipe = parent.sentinel
    fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
    if not parent.is_alive():  # it ended before that
        os._exit(1)


def _follow(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
