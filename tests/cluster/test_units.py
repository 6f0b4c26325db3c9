"""Units of a run on a cluster: every program of every task once, in units whose length fits the cluster."""

from itertools import pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.engine.cluster.judging import SECONDS, Places, Units
from arcbatt.engine.portions import TRIAL, weight

TASKS = list(ab.load_tasks("arc1/training"))[:40]
PACE = 2e-7  # seconds of a program, for each unit of the weight of a task


def lengths(programs: int, places: int) -> list[float]:
    """The seconds that the units of a run take, at a steady pace."""
    wanted = [tuple(range(programs))] * len(TASKS)
    units = Units(TASKS, wanted, map(len, wanted), whole=False)
    units.places = places
    taken = []
    for number, unit in enumerate(units):
        taken.append(sum(weight(task) * len(some.places) for task, some in unit) * PACE)
        units.done(number, taken[-1])
    return taken


@given(st.integers(0, 2**32), st.integers(1, 60), st.booleans())
def test_units_have_every_wanted_program_of_a_task_once(seed: int, programs: int, whole: bool) -> None:
    random = Random(seed)
    wanted = [tuple(random.sample(range(programs), random.randint(0, programs))) for _ in TASKS]
    units = Units(TASKS, wanted, map(len, wanted), whole)
    found: dict[str, list[int]] = {task.id: [] for task in TASKS}
    for number, unit in enumerate(units):
        assert len({task.id for task, _ in unit}) == len(unit)
        for task, places in unit:
            found[task.id] += places.places
        units.done(number, random.uniform(0, 2))
    assert found == {task.id: list(some) for task, some in zip(TASKS, wanted)}


def test_units_take_a_second_and_less_at_the_end() -> None:
    taken = lengths(40_000, places=2)
    middle = taken[len(taken) // 2]
    assert 0.8 * SECONDS < middle < 1.5 * SECONDS
    assert taken[-1] < 3 * TRIAL < middle


def test_units_of_a_large_cluster_become_shorter_sooner() -> None:
    few, many = (sum(length > SECONDS / 2 for length in lengths(40_000, places)) for places in (2, 8))
    assert few > many > 0


@given(st.lists(st.integers(0, 30), unique=True))
def test_places_are_those_that_were_packed(places: list[int]) -> None:
    assert list(Places.of(places).places) == places
    is_run = all(after == before + 1 for before, after in pairwise(places))
    assert bool(Places.of(places).each) != is_run
