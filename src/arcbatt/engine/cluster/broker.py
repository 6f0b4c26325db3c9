"""The broker: a process of its own that hands units to Ray, and tries those again whose worker or node dies.

Ray may end a process that loses the head of its cluster. So the process that has the results does not speak
to Ray: it starts this one, and starts it anew if it ends.
"""

import os
import statistics
import sys
import traceback
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any

from arcbatt.engine.cluster.messages import Done, Function, Hopeless, Ready, Trouble, Unit
from arcbatt.engine.cluster.remote import answered
from arcbatt.engine.cores import cores

LOCAL = "local"
TRIES = 10  # of a unit whose worker dies
WAIT = 0.05  # seconds until new units are looked for
BETWEEN_LOOKS = 1.0  # seconds after which the nodes are counted again
SLOW = 2.0  # a copy of a unit starts if it takes so many times the median, and no other unit waits
LEAST_SECONDS = 1.0  # of a unit that may have a copy
REMEMBERED = 200  # times of units, for the median

# Ray must not ask the network for anything but its own cluster, and writes no lines of its own.
SETTINGS = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}


@dataclass
class _Attempt:
    """A unit on its way through a worker."""

    unit: Unit
    on_device: bool
    started: float = field(default_factory=monotonic)


class Broker:
    """Hands units to a Ray cluster; `say` takes its messages.

    A unit is answered once: the first answer counts, also if a copy of the unit is still under way.
    """

    def __init__(self, ray: Any, function: Function, say: Any) -> None:
        import numpy as np

        self._ray, self._say = ray, say
        self._digest = function.digest
        self._function = ray.put(np.frombuffer(function.pickled, np.uint8))
        self._remote = ray.remote(answered)
        self._waiting: deque[Unit] = deque()
        self._running: dict[Any, _Attempt] = {}
        self._answered: set[int] = set()  # of units that still have a copy under way
        self._tries: Counter[int] = Counter()
        self._seconds: deque[float] = deque(maxlen=REMEMBERED)
        self._cluster = Ready(0, 0)
        self._nodes: dict[str, str] = {}
        self._looked = -BETWEEN_LOOKS

    def add(self, unit: Unit) -> None:
        """Take a unit on."""
        self._waiting.append(unit)

    def step(self) -> None:
        """Hand out units, and wait a moment for answers."""
        self._look()
        self._hand_out()
        if self._running:
            ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=WAIT)
            if ready:  # and all that are there by now
                ready, _ = self._ray.wait(list(self._running), num_returns=len(self._running), timeout=0)
            for reference in ready:
                self._take(reference)

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to do."""
        return not self._running and not self._waiting

    def _look(self) -> None:
        """Count the nodes, and tell of those that came and went."""
        if monotonic() - self._looked < BETWEEN_LOOKS:
            return
        self._looked = monotonic()
        alive = {node["NodeID"]: node for node in self._ray.nodes() if node["Alive"]}
        names = {key: node["NodeManagerAddress"] for key, node in alive.items()}
        for key in self._nodes.keys() - names.keys():
            self._say(Trouble(f"node {self._nodes[key]} is gone; its units run again on other nodes"))
        self._nodes = names
        resources: Counter[str] = Counter()
        for node in alive.values():
            resources.update({name: int(node["Resources"].get(name, 0)) for name in ("CPU", "GPU")})
        found = Ready(len(alive), resources["CPU"], resources["GPU"])
        if found != self._cluster:
            self._cluster = found
            self._say(found)

    def _hand_out(self) -> None:
        """Give units to places that are free, devices first; at the end, copies of slow ones."""
        for on_device, places in ((True, self._cluster.devices), (False, 2 * self._cluster.places)):
            busy = sum(attempt.on_device == on_device for attempt in self._running.values())
            for _ in range(places - busy):
                if not self._waiting:
                    break
                self._start(self._waiting.popleft(), on_device)
        if not self._waiting and self._seconds:
            free = self._cluster.places - len(self._running)
            for attempt in list(self._slow())[: max(0, free)]:
                self._start(attempt.unit, attempt.on_device)

    def _slow(self) -> Iterator[_Attempt]:
        """The units that have taken long, and have no copy yet."""
        bound = max(LEAST_SECONDS, SLOW * statistics.median(self._seconds))
        copies = Counter(attempt.unit.number for attempt in self._running.values())
        for attempt in sorted(self._running.values(), key=lambda each: each.started):
            if monotonic() - attempt.started > bound and copies[attempt.unit.number] == 1:
                yield attempt

    def _start(self, unit: Unit, on_device: bool) -> None:
        asked = {"num_cpus": 0, "num_gpus": 1} if on_device else {"num_cpus": 1}
        remote = self._remote.options(**asked, max_retries=0, scheduling_strategy="SPREAD")
        reference = remote.remote(self._digest, self._function, unit.item, on_device)
        self._running[reference] = _Attempt(unit, on_device)

    def _take(self, reference: Any) -> None:
        """Pass an answer on, or let the unit run again if its worker has died."""
        attempt = self._running.pop(reference)
        unit = attempt.unit
        has_copy = any(other.unit.number == unit.number for other in self._running.values())
        try:
            answer = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            if unit.number not in self._answered and not has_copy:
                self._again(unit, error)
        else:
            self._seconds.append(monotonic() - attempt.started)
            if unit.number not in self._answered:
                self._say(Done(unit.number, answer))
                self._tries.pop(unit.number, None)
                self._answered.add(unit.number)
        if not has_copy:
            self._answered.discard(unit.number)

    def _again(self, unit: Unit, error: Exception) -> None:
        self._tries[unit.number] += 1
        cause = _cause(error)
        if self._tries[unit.number] >= TRIES:
            self._say(Hopeless(f"a unit of work has ended its worker {TRIES} times, the last time: {cause}"))
            return
        self._say(Trouble(f"{cause}; its unit runs again"))
        self._waiting.appendleft(unit)


def _cause(error: Exception) -> str:
    """Why there is no answer, in a few words."""
    name = type(error).__name__
    if name == "OutOfMemoryError":
        return "a worker was ended since its node is short of memory"
    if name in ("NodeDiedError", "ObjectLostError", "OwnerDiedError", "LocalRayletDiedError"):
        return "a node has died"
    if name == "WorkerCrashedError":
        return "a worker process has died"
    return f"a worker has no answer ({name})"


def connect(address: str) -> Any:
    """Ray, connected to a cluster; `local` is a new one on the cores of this process."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    import ray

    quiet: dict[str, Any] = {"log_to_driver": False, "configure_logging": False}
    if address == LOCAL:
        ray.init(num_cpus=cores(), include_dashboard=False, **quiet)
    else:
        ray.init(address=address, **quiet)
    return ray


def serve(connection: Connection, address: str) -> None:
    """Answer units until the other side hangs up."""
    function = connection.recv()
    try:
        ray = connect(address)
    except Exception as error:
        connection.send(Hopeless("".join(traceback.format_exception_only(error)).splitlines()[0]))
        return
    broker = Broker(ray, function, connection.send)
    try:
        while True:
            while connection.poll(0.5 if broker.is_idle else 0):
                broker.add(connection.recv())
            broker.step()
    except (EOFError, BrokenPipeError, ConnectionResetError):
        ray.shutdown()


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])), sys.argv[2])
