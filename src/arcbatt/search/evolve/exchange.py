"""Exchange between the islands of a task: what each takes from the others, and which of them wait."""

from collections.abc import Iterable, Sequence
from heapq import nsmallest
from operator import attrgetter

from arcbatt.program.graph import Node
from arcbatt.search.evolve.breeder import EvolveSettings
from arcbatt.search.evolve.epochs import Goal, IslandId, ScheduledIsland
from arcbatt.search.evolve.population import Member

MOST_IMMIGRANTS = 16  # that an island takes at a time


class Exchange:
    """Tells which islands may be bred further, and which members of others they take.

    After every `settings.exchange` generations an island takes the best member of each other island of its
    task. Free-running islands take the best that the others have by now. Deterministic islands take the best
    that the others had after as many generations, and wait for each other until all are there.

    A deterministic island that is over is bred on to the generation where another one waits for it, unless
    all of them are over before. So the state of an island after so many generations depends on the settings
    alone: neither on the order in which islands are bred, nor on budgets, which only tell where they stop.
    """

    def __init__(
        self,
        slots: Sequence[ScheduledIsland],
        island_ids: Sequence[IslandId],
        settings: EvolveSettings,
        goal: Goal,
    ) -> None:
        self._settings, self._goal = settings, goal
        self._in_step = settings.exchange > 0 and settings.deterministic
        self._tasks = [island_id.task.id for island_id in island_ids]
        self._islands: dict[str, list[ScheduledIsland]] = {}
        for slot in slots:
            self._islands.setdefault(self._tasks[slot.island_index], []).append(slot)
        self._held = {slot.island_index for slot in slots}

    def begin(self) -> list[ScheduledIsland]:
        """The islands that a search begins with; all others are held back."""
        return [slot for islands in self._islands.values() for slot in self._released(islands)]

    def taken_back(self, slot: ScheduledIsland) -> list[ScheduledIsland]:
        """The islands that may be bred further now that this one has come so far; it may be one of them."""
        self._held.add(slot.island_index)
        return self._released(self._islands[self._tasks[slot.island_index]] if self._in_step else [slot])

    def waiting(self) -> list[ScheduledIsland]:
        """The islands that are held back, though they are not over."""
        slots = (slot for islands in self._islands.values() for slot in islands)
        return [slot for slot in slots if slot.island_index in self._held and not self._is_over(slot)]

    def immigrants(self, slot: ScheduledIsland) -> tuple[Member, ...]:
        """The members of other islands that an island takes in its next generation, best first."""
        generation = slot.progress.generation
        if not self._settings.is_exchange(generation):
            return ()
        others = (each for each in self._islands[self._tasks[slot.island_index]] if each is not slot)
        return _best(self._emigrant(each, generation) for each in others)

    def _emigrant(self, slot: ScheduledIsland, generation: int) -> Member | None:
        """The best member of an island: as it is now, or was after so many generations.

        No deterministic island is two exchanges ahead of another, so its state still has that member.
        """
        progress = slot.progress
        is_now = not self._in_step or progress.generation == generation
        return progress.best if is_now else progress.emigrant

    def _released(self, islands: Sequence[ScheduledIsland]) -> list[ScheduledIsland]:
        least = min(slot.progress.generation for slot in islands)
        wanted = max(self._wanted(slot) for slot in islands) if self._in_step else 0
        free = [
            slot
            for slot in islands
            if slot.island_index in self._held and self._may_go_on(slot, least, wanted)
        ]
        self._held.difference_update(slot.island_index for slot in free)
        return free

    def _may_go_on(self, slot: ScheduledIsland, least: int, wanted: int) -> bool:
        """Whether an island may be bred: `least` is where the last island of its task is.

        Others want it to come as far as `wanted` generations, even if it is over.
        """
        generation = slot.progress.generation
        if self._is_over(slot) and wanted <= generation:
            return False
        return not (self._in_step and self._settings.is_exchange(generation)) or least >= generation

    def _wanted(self, slot: ScheduledIsland) -> int:
        """The last exchange that an island has passed, or waits for."""
        generation = slot.progress.generation
        last = generation - generation % self._settings.exchange
        return last - self._settings.exchange if last == generation and self._is_over(slot) else last

    def _is_over(self, slot: ScheduledIsland) -> bool:
        return self._goal.reached(slot.progress) is not None


def _best(members: Iterable[Member | None]) -> tuple[Member, ...]:
    """The best of some members, each program once."""
    distinct: dict[Node, Member] = {}
    for member in members:
        if member is not None:
            distinct.setdefault(member.program.root, member)
    return tuple(nsmallest(MOST_IMMIGRANTS, distinct.values(), key=attrgetter("rank")))
