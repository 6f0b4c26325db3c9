"""A pool of worker processes that runs one function on many items; each item may hang, crash or swell."""

import errno
import multiprocessing
import os
import pickle
import signal
import sys
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from math import inf
from mmap import mmap
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from threading import Lock
from time import monotonic
from typing import Any, Generic, Literal, TypeVar

from arcbatt.engine.records.replies import Reply
from arcbatt.engine.running.worker import LONGEST_NAME, answer_from, failed, read, work
from arcbatt.errors import ArcbattError
from arcbatt.signals import ENDING, raise_pending_interrupt

Item = TypeVar("Item")
Result = TypeVar("Result")
Start = Literal["fork", "spawn"]

DEFAULT_START: Start = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
# Items begun ahead of the one whose answer is next; bounds the answers that wait for a slow item.
AHEAD = 1000
# After so many processes in a row that end before they are ready the pool gives up.
STILLBORN = 10
LONGEST_WAIT = 3600.0  # seconds; the system refuses very long timeouts
# Errors that mean: no room for one more process. The pool goes on with fewer.
NO_ROOM = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)


@dataclass
class _Task:
    """An item on its way through the workers."""

    position: int
    message: bytes = field(repr=False)
    tries: int = 0


@dataclass(eq=False)
class _Worker:
    """A process, the parent's end of its connection, its board, and the task it has."""

    process: BaseProcess
    connection: Connection
    board: mmap | None
    task: _Task | None = None
    ready: bool = False
    deadline: float = inf


class _Job:
    """The items of one map, their limits, and the answers that wait for their turn."""

    def __init__(self, items: Iterable[Any], seconds: float | None, tries: int) -> None:
        self.seconds, self.tries = seconds, tries
        self.answers: dict[int, Reply[Any]] = {}
        self.turn = 0
        self._items = iter(items)
        self._drawn = 0
        self._returned: list[_Task] = []

    def draw(self) -> _Task | None:
        """The next task, if any: one that was given back, or a new item."""
        if self._returned:
            return self._returned.pop()
        while self._drawn < self.turn + AHEAD:
            try:
                item = next(self._items)
            except StopIteration:
                return None
            position = self._drawn
            self._drawn += 1
            try:
                return _Task(position, pickle.dumps(item, pickle.HIGHEST_PROTOCOL))
            except Exception as error:
                self.answers[position] = failed(error)
        return None

    def give_back(self, task: _Task) -> None:
        """Let the task be drawn again."""
        self._returned.append(task)


class WorkerPool(Generic[Item, Result]):
    """Runs a function on many items in worker processes.

    `seconds` is the time limit of an item: a worker beyond it is killed. `memory` bounds the bytes that a
    worker may take beyond those that it starts with (on Linux; other systems do not enforce such a limit).
    The item of a worker that dies is tried again, `tries` times in all. The workers end with `close`, or when
    the pool is garbage.

    A worker is forked where the system allows it, and so has all objects of the parent; where it is spawned,
    `run` must be importable by its name. Items and results are pickled.

    >>> from math import isqrt
    >>> with WorkerPool(isqrt, workers=2, seconds=5) as pool:
    ...     answers = list(pool.map([16, -1, 81]))
    >>> [answer.result for answer in answers]
    [4, None, 9]
    >>> answers[1]
    Reply(status='failed', result=None, kind='ValueError', reason='isqrt() argument must be nonnegative')
    """

    def __init__(
        self,
        run: Callable[[Item], Result],
        workers: int,
        seconds: float | None = None,
        memory: int | None = None,
        tries: int = 3,
        start: Start = DEFAULT_START,
    ) -> None:
        for name, value in (("workers", workers), ("tries", tries)):
            if value < 1:
                raise ArcbattError(f"{name} is {value}; it must be 1 or more")
        for name, limit in (("seconds", seconds), ("memory", memory)):
            if limit is not None and not limit > 0:
                raise ArcbattError(f"{name} is {limit}; it must be more than 0")
        if multiprocessing.current_process().daemon:
            raise ArcbattError("a worker process cannot have workers of its own; make the pool in its parent")
        if start == "spawn":
            _require_picklable(run)
        self._run, self._seconds, self._memory, self._tries = run, seconds, memory, tries
        self._context: Any = multiprocessing.get_context(start)
        self._most = workers
        self._workers: list[_Worker] = []
        weakref.finalize(self, _abandon, self._workers, os.getpid())
        self._stillborn = 0
        self._mapping = self._closed = False

    def __enter__(self) -> "WorkerPool[Item, Result]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill all workers at once; the pool cannot be used any more."""
        self._closed = True
        self._end(list(self._workers))

    def map(
        self, items: Iterable[Item], seconds: float | None = None, tries: int | None = None
    ) -> Iterator[Reply[Result]]:
        """The answer to each item, in their order.

        Items are drawn as workers become free. The pool works while the next answer is waited for. These
        items may have a time limit and a number of tries of their own.
        """
        job = _Job(items, seconds or self._seconds, tries or self._tries)
        with closing(self._answers(job, in_order=True)) as answers:
            for _, answer in answers:
                yield answer

    def as_answered(self, items: Iterator[Item]) -> Iterator[tuple[int, Reply[Result]]]:
        """The number of an item and its answer, as the answers come.

        Items may depend on earlier answers: an iterator that has none for the moment is asked again after
        the next answer, unless no worker is busy.
        """
        return self._answers(_Job(items, self._seconds, self._tries), in_order=False)

    def _answers(self, job: _Job, in_order: bool) -> Generator[tuple[int, Reply[Result]], None, None]:
        if self._mapping:
            raise ArcbattError("this pool is still at work on other items; take all their answers first")
        self._mapping = True
        try:
            self._end_busy()  # a map that was interrupted while it ended may have left some
            while True:
                self._hand_out(job)
                number = job.turn if in_order else next(iter(job.answers), job.turn)
                if number in job.answers:
                    answer = job.answers.pop(number)
                    job.turn += 1
                    yield number, answer
                elif any(worker.task for worker in self._workers):
                    self._collect(job)
                else:
                    return
        finally:
            try:
                self._end_busy()
            finally:
                self._mapping = False

    def _hand_out(self, job: _Job) -> None:
        """Give a task to every worker that has none; start workers as long as there are tasks for them."""
        if self._closed:
            raise ArcbattError("this pool is closed; make a new one")
        idle = [worker for worker in self._workers if not worker.task]
        while idle or len(self._workers) < self._most:
            task = job.draw()
            if task is None:
                return
            worker = idle.pop() if idle else self._start()
            if worker is None:
                job.give_back(task)
                return
            worker.task = task
            if worker.ready:
                self._send(worker, job)

    def _send(self, worker: _Worker, job: _Job) -> None:
        """Send a worker its task; from now on the clock runs."""
        assert worker.task is not None
        worker.deadline = inf if job.seconds is None else monotonic() + job.seconds
        try:
            worker.connection.send_bytes(worker.task.message)
        except OSError:  # it is dead, but may have sent a message before
            self._hear(worker, job)

    def _collect(self, job: _Job) -> None:
        """Wait until a worker answers, dies or reaches its deadline, and handle that."""
        raise_pending_interrupt()  # many workers that end have many finalizers
        workers = list(self._workers)
        deadline = min(worker.deadline for worker in workers)
        timeout = None if deadline == inf else min(max(0.0, deadline - monotonic()), LONGEST_WAIT)
        heard = wait([worker.connection for worker in workers], timeout)
        now = monotonic()
        for worker in workers:
            if worker.connection in heard:
                self._hear(worker, job)
            elif worker.deadline <= now:
                self._end([worker])
                self._settle(worker, job, Reply("timeout"))

    def _hear(self, worker: _Worker, job: _Job) -> None:
        """Take the next message of a worker: first that it is ready, then the answers to its tasks."""
        try:
            message = worker.connection.recv_bytes()
        except (EOFError, OSError):
            self._bury(worker, job)
            return
        if not worker.ready:
            worker.ready, self._stillborn = True, 0
            if worker.task:
                self._send(worker, job)
            return
        answer = answer_from(message)
        if answer.status == "out of memory":  # little of its address space may be left for another item
            self._end([worker])
        self._settle(worker, job, answer)

    def _settle(self, worker: _Worker, job: _Job, answer: Reply[Any]) -> None:
        assert worker.task is not None
        if answer.status not in ("ok", "failed") and worker.board is not None:
            answer = replace(answer, op=read(worker.board))
        job.answers[worker.task.position] = answer
        worker.task, worker.deadline = None, inf

    def _bury(self, worker: _Worker, job: _Job) -> None:
        """Handle the death of a worker: its task, if any, is given back, or given up after `tries`."""
        self._end([worker])
        cause = _cause_of_death(worker.process.exitcode)
        if not worker.ready:
            self._stillborn += 1
            if self._stillborn == STILLBORN:
                text = f"no worker can start: {STILLBORN} in a row ended at once, the last by {cause}"
                raise ArcbattError(text) from None
        if worker.task is None:
            return
        worker.task.tries += worker.ready
        if worker.task.tries < job.tries:
            job.give_back(worker.task)
        else:
            self._settle(worker, job, Reply("crashed", kind=cause))

    def _start(self) -> _Worker | None:
        """A new worker; None if the machine has no room for more than there are."""
        try:
            # A process forked by another thread meanwhile would inherit the far end and keep it open.
            with _one_start_at_a_time, _no_interrupt():
                connection, far_end = self._context.Pipe()
                board = mmap(-1, LONGEST_NAME) if self._context.get_start_method() == "fork" else None
                process = self._context.Process(
                    target=work, args=(self._run, far_end, self._memory, board), daemon=True
                )
                process.start()
                far_end.close()
                worker = _Worker(process, connection, board)
                self._workers.append(worker)
                return worker
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            if not self._workers:
                raise ArcbattError(f"no worker process can be started: {error}") from None
            self._most = len(self._workers)
            return None

    def _end_busy(self) -> None:
        self._end([worker for worker in self._workers if worker.task])

    def _end(self, workers: list[_Worker]) -> None:
        """Kill workers and wait until they are gone; after an interrupt it may be called again."""
        _kill(workers)
        for worker in workers:
            self._workers.remove(worker)


def _kill(workers: list[_Worker]) -> None:
    for worker in workers:
        worker.process.kill()
    for worker in workers:
        worker.process.join()
        worker.connection.close()


def _abandon(workers: list[_Worker], parent: int) -> None:
    """Kill the workers of a pool that is garbage; a forked copy of the pool must leave them alone."""
    if os.getpid() == parent:
        _kill(workers)


_one_start_at_a_time = Lock()


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Delay Ctrl-C and the like during a start: a worker must ignore them from the beginning."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _require_picklable(run: object) -> None:
    try:
        pickle.dumps(run)
    except Exception as error:
        raise ArcbattError(
            f"worker processes are spawned here, so their function must be importable by its name: {error}"
        ) from None


def _cause_of_death(code: int | None) -> str:
    """The exit code of a process in a word.

    >>> _cause_of_death(3), _cause_of_death(-11)
    ('exit 3', 'SIGSEGV')
    """
    if code is None or code >= 0:
        return f"exit {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
