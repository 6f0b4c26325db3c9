"""Searches on tasks, several at a time: in threads of this process, or on the nodes of a cluster."""

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from arcbatt.dsl.limits import Limits
from arcbatt.errors import BackendError
from arcbatt.search.solve.templates import Template
from arcbatt.tasks import Task

if TYPE_CHECKING:
    from arcbatt.search.solve.enumeration import Enumerator, Found, SearchResult

# An op of a template that needs more than this takes longer than hundreds of others.
SEARCH_LIMITS = Limits(items=20_000, calls=20_000, work=400_000)


@dataclass(frozen=True)
class Allowance:
    """What one search may take: steps or seconds."""

    steps: int | None = None
    seconds: float | None = None

    def __str__(self) -> str:
        return f"{self.steps} steps" if self.steps is not None else f"{self.seconds:.3f} s"


class Asked(NamedTuple):
    """A task to search on, and what the search may take."""

    task: Task
    allowed: Allowance


@dataclass(frozen=True)
class Searching:
    """The function that searches on a task; it is sent to the nodes of a cluster once."""

    templates: Sequence[Template]
    memory: int

    def __call__(self, asked: Asked) -> "Found":
        """What the core has found on a task, as plain data."""
        from arcbatt.search.solve.enumeration import Budget

        task, allowed = asked
        return self.enumerator.found(task, Budget(allowed.steps, allowed.seconds, self.memory))

    @cached_property
    def enumerator(self) -> "Enumerator":
        """The search in the core, which a package of pure Python does without."""
        try:
            from arcbatt.search.solve.enumeration import Enumerator
        except ImportError as error:
            raise BackendError(
                f"solve needs the compiled core, which cannot be loaded: {error}; install the package again"
            ) from None
        return Enumerator(self.templates)

    def told(self, found: "Found") -> "SearchResult":
        """What was found, with the expressions that the templates make of it."""
        from arcbatt.search.solve.enumeration import SearchResult

        return SearchResult(self.enumerator.templates, found)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "enumerator"}


class Searches(Protocol):
    """Several searches at a time; a context manager, since they may need threads or a cluster.

    `seconds_elsewhere` are the CPU seconds of searches that were done in other processes.
    """

    seconds_elsewhere: float

    def __call__(self, asked: Iterator[Asked]) -> "Generator[SearchResult, None, None]":
        """What searches find, in the order in which they are asked for."""

    def __enter__(self) -> "Searches": ...
    def __exit__(self, *_: object) -> None: ...


class InThreads:
    """Searches in threads of this process."""

    seconds_elsewhere = 0.0

    def __init__(self, searching: Searching, threads: int) -> None:
        self._searching, self._threads = searching, threads

    def __enter__(self) -> "InThreads":
        return self

    def __exit__(self, *_: object) -> None:
        """Each call ends its own threads."""

    def __call__(self, asked: Iterator[Asked]) -> "Generator[SearchResult, None, None]":
        """What searches find, in the order in which they are asked for."""
        enumerator = self._searching.enumerator
        running: deque[Future[Found]] = deque()
        with ThreadPoolExecutor(self._threads) as pool:
            try:
                while True:
                    while len(running) < 2 * self._threads and (one := next(asked, None)):
                        running.append(pool.submit(self._searching, one))
                    if not running:
                        return
                    yield self._searching.told(running.popleft().result())
            except BaseException:
                for future in running:
                    future.cancel()
                enumerator.stop()
                raise


class OnCluster:
    """Searches on the nodes of a cluster."""

    def __init__(self, searching: Searching, address: str) -> None:
        from arcbatt.engine.cluster.pool import ClusterPool  # most searches do without

        self._searching, self.seconds_elsewhere = searching, 0.0
        self._pool: ClusterPool[Asked, Found] = ClusterPool(searching, address)

    def __enter__(self) -> "OnCluster":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.close()

    def __call__(self, asked: Iterator[Asked]) -> "Generator[SearchResult, None, None]":
        """What searches find, in the order in which they are asked for."""
        from arcbatt.engine.cluster.pool import result_of

        _ = self._searching.enumerator  # wrong templates are refused before anything is sent
        with closing(self._pool.map(asked)) as answers:
            for answer in answers:
                found = self._searching.told(result_of(answer))
                self.seconds_elsewhere += found.seconds
                yield found


def searches(searching: Searching, threads: int, cluster: str | None) -> Searches:
    """Searches in threads, or on a cluster if there is one."""
    return InThreads(searching, threads) if cluster is None else OnCluster(searching, cluster)
