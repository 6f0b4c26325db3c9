"""Exchange between islands: who takes what from whom, and that nothing of it depends on the order of work."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from operator import attrgetter
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.archive.archive import Archive
from arcbatt.search.evolve import island_store
from arcbatt.search.evolve.breeder import Breeder, EvolveSettings
from arcbatt.search.evolve.epochs import Epoch, EpochRequest, Epochs, Goal, IslandId, ScheduledIsland
from arcbatt.search.evolve.exchange import MOST_IMMIGRANTS, Exchange
from arcbatt.search.evolve.island import Island, IslandProgress, after_generation, island_from, progress_from
from arcbatt.search.evolve.population import Member
from support.searches import SEEDS, finds, tasks

(TASK,) = tasks("67a3c6ac")
MIRRORS = ab.parse_programs("""
def solve_v(I): return vmirror(I)
def solve_h(I): return hmirror(I)
""")
THREE = tasks("00d62c1b,67a3c6ac,007bbfb7")
HOW: dict[str, Any] = {"islands": 3, "exchange": 3, "members": 8, "steps": 1300, "beyond": 200}


# A model of a search: islands whose generations are numbers, bred by drivers that share an archive.


def member(place: int, fitness: int, exact: bool = False) -> Member:
    return Member(SEEDS[place], fitness, 1, place, exact)


def bred(
    place: int, progress: IslandProgress, immigrants: tuple[Member, ...], settings: EvolveSettings
) -> IslandProgress:
    """A generation that depends on all that one may depend on, and on nothing else."""
    best = progress.best
    taken = [each.fitness for each in (best, *immigrants) if each is not None]
    chance = crc32(repr((place, progress.generation, taken)).encode())
    if settings.is_exchange(progress.generation):
        progress = replace(progress, emigrant=best)
    fitness = max(taken, default=0) + (chance % 5 if chance % 3 == 0 else 0)
    members = (member(place, int(fitness), fitness >= 40),)
    return after_generation(progress, 1 + chance % 4, members)


class Driver:
    """A process of a search: its view of the islands, and the work that it has handed out."""

    def __init__(self, archive: list[IslandProgress], settings: EvolveSettings, goal: Goal) -> None:
        self.archive, self.settings, self.goal = archive, settings, goal
        self.slots = [ScheduledIsland(place, b"", progress) for place, progress in enumerate(archive)]
        places = [IslandId(TASK, number) for number in range(len(archive))]
        self.exchange = Exchange(self.slots, places, settings, goal)
        self.ready = self.exchange.begin()
        self.under_way: list[tuple[ScheduledIsland, IslandProgress]] = []

    def act(self, chance: Random) -> bool:
        """Hand out an island, or take one back; False if there is nothing to do."""
        if self.ready and (not self.under_way or chance.random() < 0.5):
            slot = self.ready.pop(chance.randrange(len(self.ready)))
            if not self._caught_up(slot):
                self.under_way.append((slot, self._after_an_epoch(slot, chance)))
            return True
        if not self.under_way:
            return False
        slot, progress = self.under_way.pop(chance.randrange(len(self.under_way)))
        if not self._caught_up(slot):
            slot.progress = self.archive[slot.island_index] = progress
            self.ready += self.exchange.taken_back(slot)
        return True

    def _caught_up(self, slot: ScheduledIsland) -> bool:
        if self.archive[slot.island_index] is slot.progress:
            return False
        slot.progress = self.archive[slot.island_index]
        self.ready += self.exchange.taken_back(slot)
        return True

    def _after_an_epoch(self, slot: ScheduledIsland, chance: Random) -> IslandProgress:
        progress, immigrants = slot.progress, self.exchange.immigrants(slot)
        is_wanted = self.goal.reached(progress) is not None
        for _ in range(chance.randint(1, 5)):
            progress, immigrants = bred(slot.island_index, progress, immigrants, self.settings), ()
            if self.settings.is_exchange(progress.generation):
                break
            if not is_wanted and self.goal.reached(progress) is not None:
                break
        return progress


def ended(
    islands: list[IslandProgress], settings: EvolveSettings, goal: Goal, drivers: int, chance: Random
) -> list[IslandProgress]:
    archive = list(islands)
    working = [Driver(archive, settings, goal) for _ in range(drivers)]
    while working:
        driver = chance.choice(working)
        if not driver.act(chance):
            working.remove(driver)
    return archive


BOUNDS = st.none() | st.integers(0, 40)
GOALS = st.builds(Goal, steps=st.integers(0, 60), beyond=BOUNDS, patience=BOUNDS)


def by_definition(islands: int, settings: EvolveSettings, goal: Goal) -> list[IslandProgress]:
    """Where islands in step end: all are bred from one exchange to the next before any goes on."""
    all_progress = [IslandProgress()] * islands
    immigrants: list[tuple[Member, ...]] = [()] * islands

    def go_on(place: int, is_wanted: bool) -> None:
        while is_wanted or goal.reached(all_progress[place]) is None:
            all_progress[place] = bred(place, all_progress[place], immigrants[place], settings)
            immigrants[place] = ()
            if settings.is_exchange(all_progress[place].generation):
                break

    for exchange in count(settings.exchange, settings.exchange):
        for place in range(islands):
            go_on(place, is_wanted=False)
        if all(goal.reached(progress) for progress in all_progress):
            return all_progress
        for place in range(islands):
            if all_progress[place].generation < exchange:
                go_on(place, is_wanted=True)
        best = [progress.best for progress in all_progress if progress.best is not None]
        best.sort(key=attrgetter("rank"))
        immigrants = [tuple(each for each in best if each.behaviour != place) for place in range(islands)]
    raise AssertionError


@given(st.integers(1, 3), st.integers(1, 6), GOALS, st.integers(0, 2**32), st.integers(1, 3))
def test_islands_in_step_end_alike_in_any_order_of_work(
    islands: int, every: int, goal: Goal, seed: int, drivers: int
) -> None:
    settings = EvolveSettings(exchange=every, deterministic=True)
    end = ended([IslandProgress()] * islands, settings, goal, drivers, Random(seed))
    assert all(goal.reached(progress) for progress in end)
    assert list(map(facts, end)) == list(map(facts, by_definition(islands, settings, goal)))


@given(st.integers(1, 3), st.integers(1, 6), st.integers(0, 30), st.integers(0, 30), st.integers(0, 2**32))
def test_search_that_is_given_more_steps_ends_where_one_with_all_steps_ends(
    islands: int, every: int, few: int, more: int, seed: int
) -> None:
    settings, chance = EvolveSettings(exchange=every, deterministic=True), Random(seed)
    start = [IslandProgress()] * islands
    whole = ended(start, settings, Goal(few + more, None), 1, chance)
    parts = ended(
        ended(start, settings, Goal(few, None), 1, chance), settings, Goal(few + more, None), 1, chance
    )
    assert list(map(facts, parts)) == list(map(facts, whole))


@given(st.integers(1, 3), st.integers(0, 6), GOALS, st.integers(0, 2**32))
def test_free_running_islands_end_too(islands: int, every: int, goal: Goal, seed: int) -> None:
    end = ended([IslandProgress()] * islands, EvolveSettings(exchange=every), goal, 2, Random(seed))
    assert all(goal.reached(progress) for progress in end)


def facts(progress: IslandProgress) -> tuple[Any, ...]:
    best = progress.best
    return progress.generation, progress.steps, progress.improved, progress.fitted, best and best.fitness


# Islands of programs


def test_best_members_of_other_islands_come_into_a_population() -> None:
    settings = EvolveSettings(generation=1, exchange=1)
    places = [IslandId(TASK, number) for number in range(2)]
    islands = [
        Breeder(*place, settings).next(Island(seeds=(program,)))[0] for place, program in zip(places, MIRRORS)
    ]
    slots = [ScheduledIsland(place, b"", island.progress) for place, island in enumerate(islands)]
    immigrants = Exchange(slots, places, settings, Goal()).immigrants(slots[1])
    assert [each.program.root for each in immigrants] == [MIRRORS[0].root]
    assert islands[1].progress.fitted is None
    after, born = Breeder(TASK, 1, settings).next(islands[1], immigrants)
    assert after.members[0].program.root is MIRRORS[0].root
    assert (after.members[0].born, after.progress.immigrants) == (1, 1)
    assert after.progress.fitted is not None
    assert MIRRORS[0].root not in [each.program.root for each in born]  # its island has put it in the archive


def test_island_takes_nothing_between_exchanges_and_only_the_best_at_one() -> None:
    number = MOST_IMMIGRANTS + 3
    settings = EvolveSettings(exchange=5)
    programs = ab.parse_programs(
        "".join(f"def solve_{i}(I): return canvas(0, astuple(1, {i + 1}))\n" for i in range(number))
    )
    best = [Member(program, fitness, 1, 0, False) for fitness, program in enumerate(programs)]
    slots = [
        ScheduledIsland(place, b"", IslandProgress(generation=5, best=each))
        for place, each in enumerate(best)
    ]
    exchange = Exchange(slots, [IslandId(TASK, place) for place in range(number)], settings, Goal())
    assert list(exchange.immigrants(slots[-1])) == best[-2 : -2 - MOST_IMMIGRANTS : -1]
    slots[-1].progress = IslandProgress(generation=6)
    assert exchange.immigrants(slots[-1]) == ()


def test_immigrants_and_emigrants_are_in_the_state_of_an_island() -> None:
    progress = IslandProgress(5, 600, 1, None, member(0, 10), 2, member(1, 8))
    again = island_from(Island(progress, (member(0, 10),)).text()).progress
    assert again.immigrants == 2
    assert again.emigrant is not None
    assert again.emigrant.program == SEEDS[1]
    assert b"emigrant" not in Island(replace(progress, emigrant=None, immigrants=0)).text()


def test_emigrant_is_the_best_member_before_the_exchange() -> None:
    settings = EvolveSettings(generation=1, exchange=1, deterministic=True)
    breeder = Breeder(TASK, 1, settings)
    island, _ = breeder.next(Island(seeds=(MIRRORS[1],)))
    assert island.progress.emigrant is None
    better = replace(member(0, 10**6, exact=True), program=MIRRORS[0])
    after, _ = breeder.next(island, [better])
    assert after.progress.best is not None
    assert after.progress.best.program == MIRRORS[0]
    assert after.progress.emigrant is island.members[0]


class Noting:
    """A breeder that notes what it is asked for, and breeds members that fit nothing."""

    calls: list[tuple[int, int]]

    def __init__(self, *_: object) -> None:
        self.calls = Noting.calls = []

    def next(self, island: Island, immigrants: tuple[Member, ...]) -> tuple[Island, list[Any]]:
        self.calls.append((island.progress.generation, len(immigrants)))
        members = (member(0, 10),)
        return Island(after_generation(island.progress, 1, members), members), []


@pytest.mark.parametrize("steps", [5, 100])
def test_epoch_ends_with_an_exchange_also_for_an_island_that_is_over(
    monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    monkeypatch.setattr("arcbatt.search.evolve.epochs.Breeder", Noting)
    epochs = Epochs([IslandId(TASK, 0)], EvolveSettings(exchange=4), Goal(steps), seconds=60)
    state = Island(IslandProgress(8, 50, best=member(0, 10)), (member(0, 10),)).text()
    epoch = epochs(EpochRequest(0, state, (member(1, 10),)))
    assert epoch.progress.generation == 12
    assert Noting.calls == [(8, 1), (9, 0), (10, 0), (11, 0)]


# Searches

Opened = Callable[[str], Archive]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    archives: list[Archive] = []

    def open_one(name: str) -> Archive:
        archives.append(ab.Archive(tmp_path / name))
        return archives[-1]

    yield open_one
    for archive in archives:
        archive.close()


def exported(archive: Archive, folder: Path) -> bytes:
    archive.export(folder / "export.jsonl")
    return (folder / "export.jsonl").read_bytes()


def test_deterministic_search_is_the_same_with_any_workers_epochs_and_parts(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    how = {**HOW, "deterministic": True}
    whole = opened("whole.db")
    found = ab.evolve(THREE, SEEDS, workers=1, archive=whole, **how)
    assert found.immigrants > 0
    two = opened("two.db")
    assert finds(ab.evolve(THREE, SEEDS, workers=2, archive=two, **how)) == finds(found)
    assert exported(two, tmp_path) == exported(whole, tmp_path)
    monkeypatch.setattr("arcbatt.search.evolve.evolve.Epochs", partial(Epochs, seconds=0))
    short = opened("short.db")
    for steps in (0, 250, 900, 1300):
        again = {**how, "steps": steps, "resume": steps > 0}
        last = ab.evolve(THREE, SEEDS, workers=1 + steps % 2, archive=short, **again)
    assert finds(last) == finds(found)
    assert (last.steps, last.ended) == (found.steps, found.ended)
    assert exported(short, tmp_path) == exported(whole, tmp_path)


def test_find_has_the_fewest_steps_of_the_islands_that_have_it(opened: Opened) -> None:
    archive, (task,) = opened("a.db"), tasks("00d62c1b")
    how = HOW | {"deterministic": True, "steps": 2000, "seed": 4, "workers": 1, "archive": archive}
    best = ab.evolve(task, SEEDS, **how).best[task.id]
    run = archive.run(island_store.KIND, archive.runs()[0].settings)
    states = [run.state(key) for key in run.states() if key != island_store.SEEDS]
    islands = [progress_from(state[1]) for state in states if state is not None]
    steps = [each.improved for each in islands if each.best and each.best.program.hash == best.program.hash]
    assert max(steps) > min(steps)
    again = ab.evolve(task, SEEDS, resume=True, **how)  # all islands are over, and looked at in their order
    assert best.steps == again.best[task.id].steps == min(steps)


def test_exchange_makes_another_search(opened: Opened) -> None:
    archive = opened("a.db")
    how = {**HOW, "steps": 100, "workers": 1, "archive": archive}
    for change in ({}, {"exchange": 2}, {"deterministic": True}, {"islands": 2}, {"exchange": 0}):
        ab.evolve(TASK, SEEDS, **(how | change))
    assert len(archive.runs()) == 5


def test_exchange_means_nothing_to_a_single_island(opened: Opened) -> None:
    archive = opened("a.db")
    ab.evolve(TASK, SEEDS, steps=100, workers=1, archive=archive)
    ab.evolve(TASK, SEEDS, steps=200, workers=1, archive=archive, exchange=3, deterministic=True, resume=True)
    ab.evolve(TASK, SEEDS, steps=300, workers=1, archive=archive, islands=2, exchange=0, resume=True)
    assert len(archive.runs()) == 1


@pytest.mark.parametrize("workers", [1, 2])
def test_free_running_search_exchanges_members_ends_and_goes_on(opened: Opened, workers: int) -> None:
    archive = opened("a.db")
    how = HOW | {"beyond": None, "workers": workers, "archive": archive}
    first = ab.evolve(THREE, SEEDS, **(how | {"steps": 2500}))
    assert first.immigrants == first.summary()["immigrants"] > 0
    more = ab.evolve(THREE, SEEDS, **(how | {"steps": 3000}), resume=True)
    assert more.steps > first.steps
    assert more.immigrants >= first.immigrants
    assert len(more.ended) == 9


class Losing(Epochs):
    """Epochs of a worker that dies when it gets the second island, so many times as there are files."""

    lives: Path

    def __call__(self, work: EpochRequest) -> Epoch:
        if work.island_index == 1 and (files := list(self.lives.iterdir())):
            files[0].unlink()
            os._exit(1)
        return super().__call__(work)


@pytest.mark.skipif(os.name != "posix", reason="needs fork")
@pytest.mark.parametrize("losses", [2, 3])
def test_lost_workers_hold_nobody_up_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, losses: int
) -> None:
    how: dict[str, Any] = {**HOW, "deterministic": True, "workers": 2, "islands": 2}
    undisturbed = ab.evolve(tasks("0520fde7"), SEEDS, **how)
    Losing.lives = tmp_path
    for number in range(losses):
        (tmp_path / str(number)).touch()
    monkeypatch.setattr("arcbatt.search.evolve.evolve.Epochs", Losing)
    found = ab.evolve(tasks("0520fde7"), SEEDS, **how)
    if losses == 2:  # a worker is tried three times
        assert finds(found) == finds(undisturbed)
        assert found.ended == undisturbed.ended
    else:
        assert found.stopped == [
            "task 0520fde7, island 0: is not bred further, since it waits for an island that was stopped",
            "task 0520fde7, island 1: is not bred further, since its worker was stopped: crashed",
        ]
