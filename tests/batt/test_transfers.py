"""The transfer manager knows data by its content, keeps what is read often, and keeps its budget."""

from collections import Counter
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt.batt.residency.residency_cache import HOT, LEAST_BYTES, GPUTransferManager
from arcbatt.dsl.values import Value, intake, weight
from arcbatt.errors import ArcbattError, ValueRefused
from arcbatt.testing.values import random_value
from support.strategies import any_value

law = settings(derandomize=True, max_examples=60, database=None)


@dataclass(eq=False)
class Handle:
    """Something resident; equal only to itself."""

    value: Value


def managed(budget: int, size: int | None = None) -> GPUTransferManager[Handle]:
    """A manager whose data takes `size` bytes each, or 100 for each unit of weight."""

    def upload(value: Value) -> tuple[Handle, int]:
        return Handle(value), 100 * weight(value) if size is None else size

    return GPUTransferManager(upload, lambda handle: handle.value, budget=budget)


def grid(color: int) -> tuple[tuple[int, ...], ...]:
    return ((color, color), (color, 0))


def test_equal_data_is_one_entry_and_different_data_never_is() -> None:
    manager = managed(10_000)
    same = [manager.to_device(data) for data in (grid(1), grid(1), [[1, 1], [True, False]])]
    assert len(set(same)) == 1
    assert manager.to_device(grid(2)) not in same
    assert (len(manager), manager.uploads) == (2, 2)


def test_what_only_looks_like_data_that_is_there_is_refused() -> None:
    manager = managed(10_000)
    manager.to_device((1, 0))
    for impostor in ((1.0, 0), (1, 0.0), 1j, None, "x"):
        with pytest.raises(ValueRefused):
            manager.to_device(impostor)


def test_a_list_that_was_changed_is_read_anew() -> None:
    manager = managed(10_000)
    rows = [[1, 2]]
    first = manager.to_device(rows)
    rows[0][0] = 7
    assert (first.value, manager.to_device(rows).value) == (((1, 2),), ((7, 2),))


def test_the_least_recently_read_leaves_first() -> None:
    manager = managed(300, size=100)
    for color in (1, 2, 3, 1, 4):
        manager.to_device(grid(color))
    assert [color for color in range(1, 5) if grid(color) in manager] == [1, 3, 4]


def test_hot_data_stays_while_colder_data_passes() -> None:
    manager = managed(300, size=100)
    for _ in range(HOT):
        manager.to_device(grid(0))
    for color in range(1, 9):
        manager.to_device(grid(color))
    assert manager.uploads == 9
    assert [color for color in range(9) if grid(color) in manager] == [0, 7, 8]


def test_hot_data_that_nobody_reads_any_more_leaves_in_the_end() -> None:
    manager = managed(200, size=100)
    for color in (1, 2, 3):
        for _ in range(HOT):
            manager.to_device(grid(color))
    assert [color for color in (1, 2, 3) if grid(color) in manager] == [2, 3]


def test_data_larger_than_the_budget_is_uploaded_but_never_stays() -> None:
    manager = managed(300)
    small = manager.to_device(5)
    large = tuple(range(50))
    assert manager.to_device(large).value == manager.to_device(large).value == large
    assert (manager.uploads, len(manager)) == (3, 1)
    assert manager.to_device(5) is small


def test_even_the_smallest_data_counts() -> None:
    manager = managed(10 * LEAST_BYTES, size=0)
    for number in range(100):
        manager.to_device(number)
    assert (len(manager), manager.bytes) == (10, 10 * LEAST_BYTES)


def test_cleared_it_holds_nothing_and_still_knows_its_counts() -> None:
    manager = managed(10_000)
    assert manager.to_host(manager.to_device(grid(1))) == grid(1)
    manager.clear()
    assert (len(manager), manager.bytes, manager.uploads, manager.downloads) == (0, 0, 1, 1)
    manager.to_device(grid(1))
    assert manager.uploads == 2


def test_a_negative_budget_is_refused() -> None:
    with pytest.raises(ArcbattError, match="budget: expected an integer >= 0, got -1"):
        managed(-1)


@law
@given(
    st.lists(any_value(3), min_size=1, max_size=8), st.integers(0, 5000), st.randoms(use_true_random=False)
)
def test_under_any_workload_the_budget_is_kept_and_the_counts_are_right(
    values: list[Value], budget: int, random: Random
) -> None:
    manager = managed(budget)
    uploaded: Counter[Value] = Counter()
    handles: dict[Value, Handle] = {}
    for step in range(80):
        value = random.choice(values) if random.randrange(8) else random_value(random, "Any", 3)
        was_there = value in manager
        handle = manager.to_device(random.choice((value, copied(value))))
        assert handle.value == value
        assert manager.bytes <= budget
        if was_there:
            assert handle is handles[value]
        else:
            uploaded[value] += 1
        handles[value] = handle
        if step == 40 and random.randrange(2):
            manager.clear()
    held = [value for value in handles if value in manager]
    assert len(held) == len(manager)
    assert manager.bytes == sum(max(100 * weight(value), LEAST_BYTES) for value in held)
    assert manager.uploads == uploaded.total()


def copied(value: Value) -> Value:
    """An equal value that is, where it can be, another object."""
    return intake(list(value) if isinstance(value, tuple) else value)
