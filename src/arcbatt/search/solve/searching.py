"""Searches on tasks, several at a time: in threads of this process, or on the nodes of a cluster."""

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from arcbatt.errors import ArcbattError, BackendError
from arcbatt.search.solve.templates import Template
from arcbatt.tasks import Task

if TYPE_CHECKING:
    from arcbatt.search.solve.enumeration import Enumerator, Found, Searched


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

    def told(self, found: "Found") -> "Searched":
        """What was found, with the expressions that the templates make of it."""
        from arcbatt.search.solve.enumeration import Searched

        return Searched(self.enumerator.templates, found)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "enumerator"}


def in_threads(
    searching: Searching, asked: Iterator[Asked], threads: int
) -> "Generator[Searched, None, None]":
    """What searches find, in the order in which they are asked for, each in a thread."""
    running: deque[Future[Found]] = deque()
    enumerator = searching.enumerator
    with ThreadPoolExecutor(threads) as pool:
        try:
            while True:
                while len(running) < 2 * threads and (one := next(asked, None)):
                    running.append(pool.submit(searching, one))
                if not running:
                    return
                yield searching.told(running.popleft().result())
        except BaseException:
            for future in running:
                future.cancel()
            enumerator.stop()
            raise


def on_cluster(
    searching: Searching, asked: Iterator[Asked], address: str
) -> "Generator[Searched, None, None]":
    """The same on the nodes of a cluster."""
    from arcbatt.engine.cluster.pool import ClusterPool  # most searches do without

    _ = searching.enumerator  # wrong templates are refused here, before anything is sent
    pool: ClusterPool[Asked, Found] = ClusterPool(searching, address)
    with pool, closing(pool.map(asked)) as answers:
        for answer in answers:
            if answer.result is None:
                raise ArcbattError(f"a node of the cluster cannot search: {answer.kind}: {answer.reason}")
            yield searching.told(answer.result)
