"""Populations: sorted, bounded, each behaviour once, with a front of fitness and size."""

from hypothesis import given
from hypothesis import strategies as st

from arcbatt.program.graph import Node, Program
from arcbatt.search.evolve.population import Member, Population

MOST = 5
rows = st.lists(st.tuples(st.integers(1, 9), st.integers(0, 15)), max_size=40)


def member(fitness: int, size: int, behaviour: int, born: int = 1) -> Member:
    root = Node.constant((fitness, size, behaviour))
    return Member(Program("p", "solver", ("I",), root), fitness, size, behaviour, False, born)


def offered(size: int, behaviour: int) -> Member:
    """Equal behaviour is equal fitness, since outputs decide it."""
    return member(behaviour * 7 % 10, size, behaviour)


def grown(sizes_and_behaviours: list[tuple[int, int]]) -> Population:
    population = Population((), MOST)
    for row in sizes_and_behaviours:
        population.take(offered(*row))
    return population


def test_smaller_program_of_equal_behaviour_stays() -> None:
    population = Population((), MOST)
    large, small = member(3, 8, 1), member(3, 2, 1)
    assert population.take(large)
    assert population.take(small)
    assert not population.take(large)
    assert list(population) == [small]


def test_least_fit_behind_the_front_goes_first() -> None:
    population = Population((), 3)
    tiny, best, heavy, better = member(1, 1, 1), member(9, 5, 2), member(2, 9, 3), member(3, 9, 4)
    for each in (tiny, best, heavy, better):
        population.take(each)
    assert list(population) == [best, better, tiny]
    assert population.front() == [best, tiny]


def test_founder_stays_until_its_edits_have_been_tried() -> None:
    population = Population((), 4)
    founder = member(0, 9, 0, born=0)
    for each in (founder, *(member(fitness, 9, fitness) for fitness in range(1, 9)), member(0, 1, 0)):
        population.take(each)
    assert founder in population
    population.replace(founder, exhausted=True)
    population.take(member(9, 9, 9))
    assert [each.fitness for each in population] == [9, 8, 7, 6]


@given(rows)
def test_members_are_sorted_few_and_of_different_behaviour(given_rows: list[tuple[int, int]]) -> None:
    members = grown(given_rows).members
    assert len(members) <= MOST
    assert len({each.behaviour for each in members}) == len(members)
    assert members == sorted(members, key=lambda each: each.rank)


@given(rows)
def test_no_member_of_the_front_is_dominated(given_rows: list[tuple[int, int]]) -> None:
    population = grown(given_rows)
    for one in population.front():
        assert not any(
            other.fitness >= one.fitness and other.size <= one.size
            for other in population
            if (other.fitness, other.size) != (one.fitness, one.size)
        )


@given(rows)
def test_fittest_behaviour_is_never_lost(given_rows: list[tuple[int, int]]) -> None:
    population = grown(given_rows)
    fittest = max((offered(*row).fitness for row in given_rows), default=None)
    assert fittest is None or population.members[0].fitness == fittest


@given(rows)
def test_only_what_is_admitted_is_taken(given_rows: list[tuple[int, int]]) -> None:
    members = grown(given_rows).members
    for behaviour in range(16):
        for size in range(1, 10):
            population, new = Population(members, MOST), offered(size, behaviour)
            admitted = population.admits(new.fitness, new.size, new.behaviour, new.exact)
            assert admitted or not population.take(new)
