"""A pool whose workers are the processes of a Ray cluster; it answers items as `WorkerPool` does."""

import hashlib
import pickle
import socket
import subprocess
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from importlib.util import find_spec
from multiprocessing.connection import Connection
from time import monotonic, sleep
from typing import Any, Generic, TypeVar

from arcbatt.engine.cluster.messages import Done, Function, Hopeless, Ready, Trouble, Unit
from arcbatt.engine.results import Answer
from arcbatt.engine.running.worker import failed
from arcbatt.errors import BackendError
from arcbatt.signals import heed
from arcbatt.telling import tell

Item = TypeVar("Item")
Result = TypeVar("Result")

PATIENCE = 300.0  # seconds for a cluster to come back
PAUSES = (0.5, 1.0, 2.0, 5.0)  # seconds before each next attempt to reach it
AHEAD = 3  # units a place: one runs, one waits at the node, one is on its way
LEAST_AHEAD = 4
MOST_AHEAD = 1000  # items of an ordered map that are answered before one that is slow


class ClusterPool(Generic[Item, Result]):
    """Runs a function on many items in the processes of a Ray cluster; a context manager.

    The function is pickled once, and goes once to each node. Items and answers are pickled. An item whose
    worker, node or cluster dies runs again; each is answered exactly once. So many items are under way at a
    time as the cluster can use: an iterator of items is asked no further ahead.

    `address` is that of a cluster, as Ray takes it, or `local` for one on this machine.
    """

    def __init__(
        self, run: Callable[[Item], Result], address: str, on_event: Callable[[str], None] = tell
    ) -> None:
        require_ray()
        pickled = pickle.dumps(run, pickle.HIGHEST_PROTOCOL)
        self._function = Function(hashlib.blake2b(pickled, digest_size=16).hexdigest(), pickled)
        self._address, self._on_event = address, on_event
        self._broker: _Broker | None = None
        self._under_way: dict[int, Unit] = {}
        self.cluster = Ready(0, 0)

    def __enter__(self) -> "ClusterPool[Item, Result]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the cluster; units that are under way are given up."""
        if self._broker is not None:
            self._broker.close()
            self._broker = None

    def map(self, items: Iterable[Item]) -> Generator[Answer[Result], None, None]:
        """The answer to each item, in their order."""
        gate = _Gate(items)
        waiting: dict[int, Answer[Result]] = {}
        with closing(self.as_answered(gate)) as answers:
            for number, answer in answers:
                waiting[number] = answer
                while gate.turn in waiting:
                    gate.turn += 1
                    yield waiting.pop(gate.turn - 1)

    def as_answered(self, items: Iterator[Item]) -> Generator[tuple[int, Answer[Result]], None, None]:
        """The number of an item and its answer, as the answers come.

        Items may depend on earlier answers: an iterator that has none for the moment is asked again after
        the next answer, unless nothing is under way.
        """
        drawn = 0
        try:
            while True:
                while len(self._under_way) < max(LEAST_AHEAD, AHEAD * self.cluster.places):
                    try:
                        item = next(items)
                    except StopIteration:
                        break
                    number = drawn
                    drawn += 1
                    try:
                        unit = Unit(number, pickle.dumps(item, pickle.HIGHEST_PROTOCOL))
                    except Exception as error:
                        yield number, failed(error)
                    else:
                        self._under_way[number] = unit
                        self._send(unit)
                if not self._under_way:
                    return
                done = self._next()
                if self._under_way.pop(done.number, None) is not None:
                    yield done.number, pickle.loads(done.answer)
        finally:
            if self._under_way:  # given up: what still comes must not be taken for answers to later items
                self.close()
                self._under_way.clear()

    def _send(self, unit: Unit) -> None:
        if self._broker is None:
            self._start()  # sends all that is under way
        else:
            self._broker.send(unit)

    def _next(self) -> Done:
        """The next answer; events before it are told."""
        while True:
            heed()
            message = self._broker.receive() if self._broker is not None else None
            if isinstance(message, Done):
                return message
            if isinstance(message, Ready):
                self.cluster = message
            elif isinstance(message, Trouble):
                self._on_event(message.text)
            elif isinstance(message, Hopeless):
                self.close()
                raise BackendError(f"the cluster {self._address} gives no answers: {message.text}")
            else:
                self._start()

    def _start(self) -> None:
        """Reach the cluster, also after it was lost, and send it all that is under way."""
        if self._broker is not None:
            self._on_event(f"the cluster {self._address} is lost; it is tried again")
            self.close()
        deadline, pauses = monotonic() + PATIENCE, iter(PAUSES)
        while True:
            broker = _Broker(self._address, self._function)
            first = broker.receive(wait=True)
            if isinstance(first, Ready):
                break
            broker.close()
            reason = first.text if isinstance(first, Hopeless) else "the connection was closed"
            if self.cluster.nodes == 0 or monotonic() > deadline:  # it was never there, or not for long
                raise BackendError(
                    f"the cluster {self._address} cannot be reached: {reason}; "
                    "`ray start --head` starts one, and --cluster local needs none"
                )
            sleep(next(pauses, PAUSES[-1]))
        self._broker, self.cluster = broker, first
        for unit in self._under_way.values():
            broker.send(unit)


class _Gate(Iterator[Item]):
    """Items that are drawn only so far ahead of the one whose turn it is: answers wait for the slowest."""

    def __init__(self, items: Iterable[Item]) -> None:
        self.turn = 0
        self._items, self._drawn = iter(items), 0

    def __next__(self) -> Item:
        if self._drawn >= self.turn + MOST_AHEAD:
            raise StopIteration
        item = next(self._items)
        self._drawn += 1
        return item


class _Broker:
    """The process that speaks to Ray, and the connection to it."""

    def __init__(self, address: str, function: Function) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            words = [sys.executable, "-m", "arcbatt.engine.cluster.broker", str(theirs.fileno()), address]
            self._process = subprocess.Popen(
                words,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for this process alone
            )
        self._connection = Connection(ours.detach())
        self.send(function)

    def send(self, message: Any) -> None:
        """Send a message; one that is lost is noticed when the next one is to be received."""
        with suppress(OSError):
            self._connection.send(message)

    def receive(self, wait: bool = False) -> Any:
        """The next message; None if the process has ended."""
        try:
            while wait and not self._connection.poll(1.0):
                heed()
            return self._connection.recv()
        except (EOFError, OSError):
            return None

    def close(self) -> None:
        """Hang up; the process ends by itself, and is killed if it does not."""
        self._connection.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def require_ray() -> None:
    """Refuse if Ray is not installed, or cannot be used here."""
    if sys.platform == "win32":
        raise BackendError("a cluster needs Linux or macOS; without --cluster the work runs on this machine")
    if find_spec("ray") is None:
        raise BackendError(
            'a cluster needs Ray, which is not installed: python -m pip install "arcbatt[cluster]"'
        )
