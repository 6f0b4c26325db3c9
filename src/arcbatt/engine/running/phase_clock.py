"""Where the time of a run goes, by phase: each second counts for the innermost phase that it is spent in."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Literal, get_args

Phase = Literal["load", "plan", "demo", "test", "scoring", "keeping"]
PHASES: tuple[Phase, ...] = get_args(Phase)
OTHER = "other"  # the rest of the time, such as that of printing


class PhaseClock:
    """Adds up the seconds of phases; a phase within another one stops the outer for its time.

    >>> clock = PhaseClock()
    >>> with clock.phase("load"):
    ...     with clock.phase("plan"):
    ...         pass
    >>> [name for name in clock.seconds()]
    ['load', 'plan', 'demo', 'test', 'scoring', 'keeping', 'other']
    """

    def __init__(self) -> None:
        self._spent: dict[str, float] = dict.fromkeys((*PHASES, OTHER), 0.0)
        self._running: list[str] = [OTHER]
        self._since = perf_counter()

    @contextmanager
    def phase(self, name: Phase) -> Iterator[None]:
        """Count the time inside for a phase."""
        self._count()
        self._running.append(name)
        try:
            yield
        finally:
            self._count()
            self._running.pop()

    def seconds(self) -> dict[str, float]:
        """The seconds of each phase by now; together they are the age of the clock."""
        self._count()
        return dict(self._spent)

    def _count(self) -> None:
        now = perf_counter()
        self._spent[self._running[-1]] += now - self._since
        self._since = now
