"""Ray as far as a broker uses it, simulated: attempts end by chance, and time passes only in `wait`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from types import SimpleNamespace
from typing import Any


class RayError(Exception):
    """The base of the errors of Ray."""


class WorkerCrashedError(RayError):
    """A worker process has died."""


class NodeDiedError(RayError):
    """A node has died."""


class ObjectLostError(RayError):
    """An object of the store is gone."""


class RayTaskError(RayError):
    """A remote function has raised an exception."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


@dataclass(eq=False)
class Attempt:
    """A call of the remote function: when it ends, and how."""

    item: bytes
    on_device: bool
    end: float
    error: RayError | None


@dataclass
class SimulatedRay:
    """A cluster whose workers die with a probability, and whose units take a random time, some very long."""

    chance: Random
    deaths: float
    cpus: int
    gpus: int = 0
    now: float = 0.0
    refusal: Exception | None = None
    attempts: list[Attempt] = field(default_factory=list)
    exceptions: Any = field(
        default_factory=lambda: SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)
    )

    def clock(self) -> float:
        """The simulated time."""
        return self.now

    def put(self, value: Any) -> Any:
        """An object for the store."""
        return value

    def nodes(self) -> list[dict[str, Any]]:
        """One node that has all resources."""
        resources = {"CPU": float(self.cpus), "GPU": float(self.gpus)}
        return [{"NodeID": "a", "Alive": True, "NodeManagerAddress": "10.0.0.1", "Resources": resources}]

    def remote(self, _: Callable[..., bytes]) -> Any:
        """A remote function, whose answer is the item itself."""

        def start(asked: dict[str, Any]) -> Any:
            def call(digest: str, release: str, function: Any, item: bytes, on_device: bool) -> Attempt:
                assert on_device == ("num_gpus" in asked)
                return self._start(item, on_device)

            return SimpleNamespace(remote=call)

        return SimpleNamespace(options=lambda **asked: start(asked))

    def _start(self, item: bytes, on_device: bool) -> Attempt:
        error: RayError | None = None
        if self.refusal is not None:
            error = RayTaskError(self.refusal)
        elif self.chance.random() < self.deaths:
            error = self.chance.choice((WorkerCrashedError, NodeDiedError))()
        seconds = self.chance.expovariate(1.0) * (50 if self.chance.random() < 0.1 else 1)
        attempt = Attempt(item, on_device, self.now + seconds, error)
        self.attempts.append(attempt)
        return attempt

    def wait(
        self, attempts: list[Attempt], num_returns: int, timeout: float
    ) -> tuple[list[Attempt], list[Attempt]]:
        """The attempts that have ended, after some time if there are none."""
        ended = [attempt for attempt in attempts if attempt.end <= self.now][:num_returns]
        if not ended and timeout:
            self.now += timeout
            ended = [attempt for attempt in attempts if attempt.end <= self.now][:num_returns]
        return ended, [attempt for attempt in attempts if attempt not in ended]

    def get(self, attempt: Attempt) -> bytes:
        """The answer of an attempt, or its error."""
        if attempt.error is not None:
            raise attempt.error
        return attempt.item
