"""Epochs: what a worker does with an island before it hands the island back, and which island comes next."""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from time import monotonic
from typing import NamedTuple

from arcbatt.gc_pause import gc_paused
from arcbatt.search.evolve.breeder import Breeder, EvolveSettings, NewMember
from arcbatt.search.evolve.island import BEGINNING, Island, IslandProgress, island_from
from arcbatt.search.evolve.population import Member
from arcbatt.tasks import Task

# Generations go on for so many seconds before their state is handed back and committed. No result depends on
# it: an island is the same after so many generations, however often it was handed back in between.
SECONDS = 0.25
HELD = 4  # islands that a worker keeps ready: each has up to 100 MB of edits that are under way


@dataclass(frozen=True)
class Goal:
    """When an island has been bred long enough: after so many steps, so many steps after a program that is
    exact on all demo samples, or after so many steps without a better program; None where that is no reason.
    """

    steps: int | None = None
    beyond: int | None = 0
    patience: int | None = None

    def reached(self, progress: IslandProgress) -> str | None:
        """Why an island has been bred long enough; None if it has not."""
        if progress.generation == 0:
            return None
        if progress.best is None:
            return "no program to breed from"
        if _passed(progress.steps, progress.fitted, self.beyond):
            return "fits"
        if _passed(progress.steps, 0, self.steps):
            return "steps"
        return "no better program" if _passed(progress.steps, progress.improved, self.patience) else None


def _passed(steps: int, since: int | None, bound: int | None) -> bool:
    return since is not None and bound is not None and steps >= since + bound


class IslandId(NamedTuple):
    """An island by its task and its number among those of the task."""

    task: Task
    number: int


class EpochRequest(NamedTuple):
    """An island to breed for a while: its index in the list of islands, its state, and what it takes along.

    `immigrants` are members of other islands of its task.
    """

    island_index: int
    state: bytes
    immigrants: tuple[Member, ...] = ()


class Epoch(NamedTuple):
    """An island after some generations, and the programs that its population has taken in this time."""

    island_index: int
    state: bytes
    progress: IslandProgress
    born: list[NewMember]


class Epochs:
    """The function of a worker: breeds the island that it is sent, and keeps it for the next time."""

    def __init__(
        self, island_ids: Sequence[IslandId], settings: EvolveSettings, goal: Goal, seconds: float = SECONDS
    ) -> None:
        self._island_ids, self._settings, self._goal, self._seconds = island_ids, settings, goal, seconds
        self._held: OrderedDict[int, tuple[Breeder, bytes, Island]] = OrderedDict()

    @gc_paused()  # looking for garbage costs a fifth of the time; what there is goes between epochs
    def __call__(self, request: EpochRequest) -> Epoch:
        """Breed an island for some seconds, until it has been bred long enough, or to the next exchange.

        If it had been bred long enough before, it was sent because others wait for it at the exchange.
        """
        breeder, island = self._island(request)
        born: list[NewMember] = []
        immigrants = request.immigrants
        end = monotonic() + self._seconds
        is_wanted = self._goal.reached(island.progress) is not None
        while is_wanted or self._goal.reached(island.progress) is None:
            island, new = breeder.next(island, immigrants)
            born += new
            immigrants = ()
            if monotonic() >= end or self._settings.is_exchange(island.progress.generation):
                break
        state = island.text()
        self._held[request.island_index] = breeder, state, island
        if len(self._held) > HELD:
            self._held.popitem(last=False)
        return Epoch(request.island_index, state, island.progress, born)

    def _island(self, request: EpochRequest) -> tuple[Breeder, Island]:
        held = self._held.pop(request.island_index, None)
        if held is None:
            return Breeder(*self._island_ids[request.island_index], self._settings), island_from(
                request.state
            )
        breeder, state, island = held
        return breeder, island if state == request.state else island_from(request.state)


@dataclass
class ScheduledIsland:
    """An island in the schedule: its state, and the epochs of its present turn."""

    island_index: int
    state: bytes
    progress: IslandProgress = BEGINNING
    turn: int = 1  # epochs before others have their turn; doubles each time
    left: int = 1


class Schedule(Iterator[EpochRequest]):
    """Which island a worker gets next; there may be none for the moment.

    All islands have a short turn, then all a turn of twice the length, and so on. Within its turn an island
    stays with the worker that has it. An island that is `overtaken`, since another process has bred it
    meanwhile, is passed over; the caller puts it back with `give_way`. Each has its `immigrants` with it.
    """

    def __init__(
        self,
        slots: Sequence[ScheduledIsland],
        deadline: float,
        overtaken: Callable[[ScheduledIsland], bool],
        immigrants: Callable[[ScheduledIsland], tuple[Member, ...]] = lambda slot: (),
    ) -> None:
        self._overtaken, self._immigrants = overtaken, immigrants
        self._random = Random()
        self._given: dict[int, ScheduledIsland] = {}
        self._count = 0
        self._ready: list[ScheduledIsland] = []
        self._waiting = deque(slots)
        self._deadline = deadline

    def __next__(self) -> EpochRequest:
        while monotonic() < self._deadline and (self._ready or self._waiting):
            slot = self._ready.pop() if self._ready else self._waiting.popleft()
            if not self._overtaken(slot):
                self._given[self._count] = slot
                self._count += 1
                return EpochRequest(slot.island_index, slot.state, self._immigrants(slot))
        raise StopIteration

    def taken_back(self, number: int) -> ScheduledIsland:
        """The island that was given out as this number."""
        return self._given.pop(number)

    def go_on(self, slot: ScheduledIsland) -> None:
        """Let an island be bred further, now or when it has its next turn."""
        slot.left -= 1
        if slot.left:
            self._ready.append(slot)
        else:
            self._end_turn(slot)

    def give_way(self, slot: ScheduledIsland) -> None:
        """End the turn of an island that another process is breeding, and go on with any other.

        Processes that begin together would meet at every island, if both took them in the same order. No
        result depends on the order.
        """
        self._end_turn(slot)
        self._waiting = deque(sorted(self._waiting, key=lambda each: (each.turn, self._random.random())))

    def _end_turn(self, slot: ScheduledIsland) -> None:
        slot.turn *= 2
        slot.left = slot.turn
        self._waiting.append(slot)
