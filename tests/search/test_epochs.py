"""Schedules: which island is bred next."""

from math import inf

from arcbatt.search.evolve.epochs import Schedule, ScheduledIsland


def slots(number: int) -> list[ScheduledIsland]:
    return [ScheduledIsland(place, b"") for place in range(number)]


def test_turns_of_islands_grow_alike() -> None:
    schedule = Schedule(slots(3), inf, lambda slot: False)
    places = []
    for number, request in zip(range(9), schedule):
        places.append(request.island_index)
        schedule.go_on(schedule.taken_back(number))
    assert places == [0, 1, 2, 0, 0, 1, 1, 2, 2]


def test_island_that_another_process_has_bred_comes_after_all_others() -> None:
    elsewhere = {0, 3}

    def overtaken(slot: ScheduledIsland) -> bool:
        if slot.island_index not in elsewhere:
            return False
        elsewhere.remove(slot.island_index)
        schedule.give_way(slot)
        return True

    schedule = Schedule(slots(6), inf, overtaken)
    places = [next(schedule).island_index for _ in range(6)]
    assert sorted(places[:4]) == [1, 2, 4, 5]
    assert sorted(places[4:]) == [0, 3]


def test_processes_that_meet_at_an_island_go_different_ways() -> None:
    ways = set()
    for _ in range(4):
        schedule = Schedule(slots(30), inf, lambda slot: False)
        assert next(schedule).island_index == 0
        schedule.give_way(schedule.taken_back(0))
        ways.add(tuple(request.island_index for request in schedule))
    assert len(ways) == 4


def test_schedule_ends_with_the_time() -> None:
    assert list(Schedule(slots(2), 0, lambda slot: False)) == []
