"""A pool whose workers are the processes of a Ray cluster; it answers items as `WorkerPool` does."""

import hashlib
import pickle
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from itertools import count
from time import monotonic, sleep
from typing import Generic, TypeVar

from arcbatt import __version__, errors
from arcbatt.engine.cluster.local import LOCAL
from arcbatt.engine.cluster.messages import Done, FromBroker, Function, Hopeless, Loss, Ready, Trouble, Unit
from arcbatt.engine.cluster.process import BrokerProcess
from arcbatt.engine.cluster.sending import as_sent, require_cluster
from arcbatt.engine.records.replies import Reply
from arcbatt.engine.running.worker import answer_from, failed
from arcbatt.errors import ArcbattError, BackendError
from arcbatt.notices import tell
from arcbatt.text import plural

Item = TypeVar("Item")
Result = TypeVar("Result")

PATIENCE = 300.0  # seconds for a cluster to come back
PAUSES = (0.5, 1.0, 2.0, 5.0)  # seconds before each next attempt to reach it
STARTS = 3  # attempts to start a broker, and a local cluster with it, until the first answer
MOST_LOSSES = 5  # times that the cluster is lost, with no answer in between
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
        require_cluster(address)
        pickled = as_sent(run)
        self._function = Function(
            hashlib.blake2b(pickled, digest_size=16).hexdigest(),
            pickled,
            __version__,
            getattr(run, "on_cpus", True),
            getattr(run, "on_devices", False),
        )
        self._address, self._on_event = address, on_event
        self._broker: BrokerProcess | None = None
        self._numbers = count()  # of units; a copy of an old one may still be under way
        self._under_way: dict[int, Unit] = {}
        self._losses = 0  # since the last answer
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

    def reach(self) -> None:
        """Reach the cluster now, and not with the first item."""
        if self._broker is None:
            self._start()

    def map(self, items: Iterable[Item]) -> Generator[Reply[Result], None, None]:
        """The answer to each item, in their order."""
        gate = _Gate(items)
        waiting: dict[int, Reply[Result]] = {}
        with closing(self.as_answered(gate)) as answers:
            for number, answer in answers:
                waiting[number] = answer
                while gate.turn in waiting:
                    gate.turn += 1
                    yield waiting.pop(gate.turn - 1)

    def as_answered(self, items: Iterator[Item]) -> Generator[tuple[int, Reply[Result]], None, None]:
        """The number of an item and its answer, as the answers come.

        Items may depend on earlier answers: an iterator that has none for the moment is asked again after
        the next answer, unless nothing is under way.
        """
        places: dict[int, int] = {}  # of items that are under way, by the numbers of their units
        drawn = count()
        try:
            while True:
                while len(self._under_way) < self._most_under_way:
                    try:
                        item = next(items)
                    except StopIteration:
                        break
                    place, number = next(drawn), next(self._numbers)
                    try:
                        unit = Unit(number, pickle.dumps(item, pickle.HIGHEST_PROTOCOL))
                    except Exception as error:
                        yield place, failed(error)
                    else:
                        places[number] = place
                        self._under_way[number] = unit
                        self._send(unit)
                if not self._under_way:
                    return
                done = self._next()
                if self._under_way.pop(done.number, None) is not None:
                    yield places.pop(done.number), answer_from(done.answer)
        finally:
            if self._under_way:  # given up: the workers need not go on
                self.close()
                self._under_way.clear()

    @property
    def places(self) -> int:
        """How many items run at the same time."""
        return self.cluster.places + self.cluster.devices

    @property
    def _most_under_way(self) -> int:
        return max(LEAST_AHEAD, AHEAD * self.places)

    def _send(self, unit: Unit) -> None:
        if self._broker is None:
            self._start()  # which sends all that is under way
        else:
            self._broker.send(unit)

    def _next(self) -> Done:
        """The next answer; events before it are told."""
        while True:
            message = self._broker.receive() if self._broker is not None else None
            if isinstance(message, Done):
                self._losses = 0
                return message
            if isinstance(message, Ready):
                self._note(message)
            elif isinstance(message, Trouble):
                self._on_event(message.text)
            elif isinstance(message, Hopeless):
                self.close()
                raise BackendError(f"the cluster {self._address} gives no answers: {message.text}")
            else:
                self._lose(_reason(message))
                self._start()

    def _note(self, cluster: Ready) -> None:
        """Tell how large the cluster is, if that is new."""
        if cluster != self.cluster:
            devices = f", {plural(cluster.devices, 'GPU')}" if cluster.devices else ""
            size = f"{plural(cluster.nodes, 'node')}, {plural(cluster.places, 'place')}{devices}"
            self._on_event(f"the cluster {self._address} has {size}")
        self.cluster = cluster

    def _drop_broker(self) -> None:
        """End a broker that has no cluster, and may hang in a call of Ray."""
        if self._broker is not None:
            self._broker.kill()
            self._broker = None

    def _lose(self, reason: str) -> None:
        """Give up a broker whose cluster is lost."""
        self._drop_broker()
        self._losses += 1
        if self._losses > MOST_LOSSES:
            raise BackendError(
                f"the cluster {self._address} was lost {self._losses} times without an answer in between, "
                f"the last time: {reason}"
            )
        self._on_event(f"the cluster {self._address} is lost ({reason}); it is tried again")

    def _start(self) -> None:
        """Reach the cluster, also after it was lost, and send it all that is under way."""
        deadline, pauses = monotonic() + PATIENCE, iter(PAUSES)
        for attempt in count(1):
            broker = self._broker = BrokerProcess(self._address, self._function)
            while isinstance(first := broker.receive(), Trouble):
                self._on_event(first.text)
            if isinstance(first, Ready):
                self._note(first)
                for unit in self._under_way.values():
                    broker.send(unit)
                return
            self._drop_broker()
            self._require_hope(first, attempt, monotonic() > deadline)
            sleep(next(pauses, PAUSES[-1]))

    def _require_hope(self, message: FromBroker | None, attempt: int, is_late: bool) -> None:
        """Raise unless another attempt may help: a lost cluster gets minutes, others a few attempts."""
        reason, is_new = _reason(message), self.cluster.nodes == 0
        if is_new and not isinstance(message, Hopeless) and attempt < STARTS:
            self._on_event(f"the cluster {self._address} was not reached: {reason}; trying again")
        elif is_new and self._address == LOCAL:
            raise BackendError(f"Ray cannot be started on this machine: {reason}; {attempt} attempts failed")
        elif is_new or is_late:
            raise BackendError(
                f"the cluster {self._address} cannot be reached: {reason}; "
                "`ray start --head` starts one, and --cluster local needs none"
            )


def _reason(message: FromBroker | None) -> str:
    """Why a broker has no cluster, from its last message."""
    return message.text if isinstance(message, Loss | Hopeless) else "its broker has ended, or is silent"


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


def result_of(answer: Reply[Result]) -> Result:
    """The result of a node; the error that it has raised, if there is none.

    >>> result_of(Reply("ok", 7))
    7
    """
    if answer.result is not None:
        return answer.result
    if answer.status == "out of memory":
        raise ArcbattError(
            "a unit of work needs more memory than a node of the cluster has for it; "
            "lower the limits, or use larger nodes"
        )
    kind = getattr(errors, answer.kind, None)
    if isinstance(kind, type) and issubclass(kind, ArcbattError):
        raise (ArcbattError if kind is errors.ProgramError else kind)(answer.reason)
    raise ArcbattError(f"a node of the cluster failed: {answer.kind}: {answer.reason}")
