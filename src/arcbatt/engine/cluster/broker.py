"""The broker hands units to Ray, and tries those again whose worker or node dies."""

import statistics
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from time import monotonic
from typing import Any

from arcbatt.engine.cluster.messages import Done, FromBroker, Function, Hopeless, Ready, Trouble, Unit
from arcbatt.engine.cluster.remote import answered

TRIES = 10  # of a unit whose worker dies
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 10.0  # seconds before such a unit runs again; each pause is twice the last
WAIT = 0.05  # seconds until new units are looked for
IDLE = 0.5  # the same when there is nothing to do at all
BETWEEN_LOOKS = 1.0  # seconds after which the nodes are counted again
SLOW = 2.0  # a copy of a unit starts if it takes so many times the median, and no other unit waits
LEAST_SECONDS = 1.0  # of a unit that may have a copy
REMEMBERED = 200  # times of units, for the median
LONGEST_REASON = 300


@dataclass
class _Attempt:
    """A unit on its way through a worker."""

    unit: Unit
    on_device: bool
    started: float  # when it was handed to Ray; all times count from here, also those of the median


class Broker:
    """Hands units to a Ray cluster; `say` takes its messages.

    A unit is answered once: the first answer counts, also if a copy of the unit is still under way. Numbers
    of units do not repeat.
    """

    def __init__(
        self,
        ray: Any,
        function: Function,
        say: Callable[[FromBroker], None],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        import numpy as np

        self._ray, self._function, self._say, self._clock = ray, function, say, clock
        self._pickled = ray.put(np.frombuffer(function.pickled, np.uint8))
        self._remote = ray.remote(answered)
        self._waiting: deque[Unit] = deque()
        self._later: list[tuple[float, Unit]] = []  # a heap of units that run again, by their time
        self._running: dict[Any, _Attempt] = {}
        self._attempts: Counter[int] = Counter()  # under way, by number
        self._answered: set[int] = set()  # numbers of units that still have a copy under way
        self._tries: Counter[int] = Counter()
        self._causes: Counter[str] = Counter()  # why units run again, since the last look
        self._seconds: deque[float] = deque(maxlen=REMEMBERED)
        self._cluster = Ready(0, 0)
        self._nodes: dict[str, str] = {}
        self._looked = -BETWEEN_LOOKS

    def add(self, unit: Unit) -> None:
        """Take a unit on."""
        self._waiting.append(unit)

    def step(self) -> None:
        """Hand out units, and wait a moment for answers."""
        if self._clock() - self._looked >= BETWEEN_LOOKS:
            self._looked = self._clock()
            self._look()
            self._tell_causes()
        self._hand_out()
        if self._running:
            ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=WAIT)
            if ready:  # and all that are there by now
                ready, _ = self._ray.wait(list(self._running), num_returns=len(self._running), timeout=0)
            for reference in ready:
                self._take(reference)

    @property
    def spare(self) -> float:
        """Seconds in which there is nothing to do but to wait for new units."""
        if self._running or self._waiting:
            return 0.0
        return WAIT if self._later else IDLE

    def _look(self) -> None:
        """Count the nodes, and tell of those that are gone."""
        alive = {node["NodeID"]: node for node in self._ray.nodes() if node["Alive"]}
        names = {key: node["NodeManagerAddress"] for key, node in alive.items()}
        for key in self._nodes.keys() - names.keys():
            self._say(Trouble(f"node {self._nodes[key]} is gone; its units run again on other nodes"))
        self._nodes = names
        resources: Counter[str] = Counter()
        for node in alive.values():
            resources.update({name: int(node["Resources"].get(name, 0)) for name in ("CPU", "GPU")})
        places = resources["CPU"] if self._function.on_cpus else 0
        self._cluster = Ready(len(alive), places, resources["GPU"] if self._function.on_devices else 0)
        self._say(self._cluster)
        if not self._function.on_cpus and not self._cluster.devices:
            self._say(Hopeless("no node has a GPU; --backend auto uses GPUs where there are some"))

    def _tell_causes(self) -> None:
        for cause, count in self._causes.items():
            self._say(Trouble(f"{cause}; units of work that run again: {count}"))
        self._causes.clear()

    def _hand_out(self) -> None:
        """Give each place two units, one to run and one to wait, devices first; at the end, copy slow ones.

        A copy runs on a CPU, if CPUs are used at all: the last device may be gone.
        """
        while self._later and self._later[0][0] <= self._clock():
            self._waiting.appendleft(heappop(self._later)[1])
        cpus, devices = self._places()
        for on_device, places in ((True, 2 * devices), (False, 2 * cpus)):
            for _ in range(min(places - self._busy(on_device), len(self._waiting))):
                self._start(self._waiting.popleft(), on_device)
        if not self._waiting and self._seconds:
            on_device = not self._function.on_cpus
            free = (devices if on_device else cpus) - self._busy(on_device)
            for attempt in list(self._slow())[: max(0, free)]:
                self._start(attempt.unit, on_device)

    def _places(self) -> tuple[int, int]:
        """CPUs and devices to use; one that is wanted is thought to be there, so that a cluster can grow."""
        if self._function.on_cpus:
            return max(1, self._cluster.places), self._cluster.devices
        return 0, max(1, self._cluster.devices)

    def _busy(self, on_device: bool) -> int:
        return sum(attempt.on_device == on_device for attempt in self._running.values())

    def _slow(self) -> Iterator[_Attempt]:
        """The units that have taken long, and have no copy yet."""
        bound = max(LEAST_SECONDS, SLOW * statistics.median(self._seconds))
        for attempt in sorted(self._running.values(), key=lambda each: each.started):
            number = attempt.unit.number
            is_slow = self._clock() - attempt.started > bound
            if is_slow and self._attempts[number] == 1 and number not in self._answered:
                yield attempt

    def _start(self, unit: Unit, on_device: bool) -> None:
        asked = {"num_cpus": 0, "num_gpus": 1} if on_device else {"num_cpus": 1}
        remote = self._remote.options(**asked, max_retries=0, scheduling_strategy="SPREAD")
        reference = remote.remote(
            self._function.digest, self._function.release, self._pickled, unit.item, on_device
        )
        self._running[reference] = _Attempt(unit, on_device, self._clock())
        self._attempts[unit.number] += 1

    def _take(self, reference: Any) -> None:
        """Pass an answer on, or let the unit run again if its worker has died."""
        attempt = self._running.pop(reference)
        number = attempt.unit.number
        self._attempts[number] -= 1
        has_copy = self._attempts[number] > 0
        try:
            answer = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            cause = self._cause_of(error)
            if not isinstance(cause, self._ray.exceptions.RayError):
                self._say(Hopeless(_reason(cause)))
            elif number not in self._answered and not has_copy:
                self._again(attempt.unit, cause)
        else:
            self._seconds.append(self._clock() - attempt.started)
            if number not in self._answered:
                if not self._waiting and not self._later:  # after the last answer nobody listens
                    self._tell_causes()
                self._say(Done(number, answer))
                self._tries.pop(number, None)
                self._answered.add(number)
        if not has_copy:
            del self._attempts[number]
            self._answered.discard(number)

    def _cause_of(self, error: Exception) -> Exception:
        """The exception that a worker has raised, if one has; an error of Ray itself may pass by."""
        is_raised = isinstance(error, self._ray.exceptions.RayTaskError)
        cause: Exception | None = getattr(error, "cause", None) if is_raised else None
        return cause or error

    def _again(self, unit: Unit, error: Exception) -> None:
        self._tries[unit.number] += 1
        tries, cause = self._tries[unit.number], _cause(error)
        if tries >= TRIES:
            self._say(Hopeless(f"a unit of work has ended its worker {TRIES} times, the last time: {cause}"))
            return
        self._causes[cause] += 1
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (tries - 1))
        heappush(self._later, (self._clock() + pause, unit))


def _cause(error: Exception) -> str:
    """Why there is no answer, in a few words."""
    name = type(error).__name__
    if name == "OutOfMemoryError":
        return "a worker was ended since its node is short of memory"
    if name in ("NodeDiedError", "ObjectLostError", "OwnerDiedError", "LocalRayletDiedError"):
        return "a node has died"
    if name == "WorkerCrashedError":
        return "a worker process has died"
    return f"a worker gives no answer ({name})"


def _reason(cause: Exception) -> str:
    """Why a worker cannot work at all: an error that arcbatt raised, or the lack of arcbatt.

    Of an import that fails Ray gives the whole traceback: the last line tells which module is missing.
    """
    lines = [line for line in str(cause).splitlines() if line.strip()]
    said = lines[-1].strip() if len(lines) > 1 else f"{type(cause).__name__}: {cause}"
    return f"a node cannot work: {said[:LONGEST_REASON]}"
