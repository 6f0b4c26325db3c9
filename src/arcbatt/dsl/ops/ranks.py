"""Dialect: elements by rank, from the front (0, 1, ...) or from the back (-1, -2, ...)."""

from collections.abc import Sequence
from typing import Any

from arcbatt.dsl.failures import OpFailed
from arcbatt.dsl.held_weight import tuple_of_results
from arcbatt.dsl.ops.containers import counts_descending
from arcbatt.dsl.ops.functions import order, ranks
from arcbatt.dsl.ops.grids import colors
from arcbatt.dsl.table import op, record, restriction
from arcbatt.dsl.types import (
    AnyValue,
    FilledContainer,
    FilledElement,
    FilledIntegers,
    Fn1,
    Grid0,
    Integer,
    Object,
    Rank,
)
from arcbatt.dsl.values import ordered
from arcbatt.dsl.work import PICKING, RANKING, SORTING, TALLYING


def place_of(rank: int, length: int) -> int:
    """The index that a rank means in a sequence of that length."""
    if not -length <= rank < length:
        raise OpFailed("INDEX")
    return rank % length


def _at(rank: int, elements: Sequence[Any]) -> Any:
    return elements[place_of(rank, len(elements))]


@op(signature="(a, b) -> b; k[a] -> a", order_sensitive=True, selects=True, work=PICKING)
def second(container: FilledContainer) -> AnyValue:
    """The second element.

    >>> call("second", (4, 5, 6))
    5
    """
    return _at(1, ordered(container))


@op(signature="k[a], Integer -> a", order_sensitive=True, selects=True, work=PICKING)
def get_nth_f(container: FilledContainer, rank: Rank) -> AnyValue:
    """The element at a rank.

    >>> call("get_nth_f", frozenset({7, 8, 9}), -1)
    9
    """
    return _at(rank, ordered(container))


restriction("get_nth_t", "get_nth_f", group="ranks")


def get_nth_by_key(container: FilledContainer, rank: Rank, key: Fn1) -> AnyValue:
    """The element at a rank in the order of a key, ascending.

    >>> call("get_nth_by_key_t", (3, -5, 1), 0, fn("identity"))
    -5
    """
    place = place_of(rank, len(container))
    return order(container, key)[place]


_by_key = record(
    get_nth_by_key,
    signature="k[a], Integer, (a -> b) -> a",
    work=RANKING,
    order_sensitive=True,
    selects=True,
    collects=tuple_of_results,
)
restriction("get_nth_by_key_t", _by_key, group="ranks")
restriction("get_nth_by_key_f", _by_key, group="ranks")


@op(order_sensitive=True, selects=True)
def get_rank(container: FilledIntegers, rank: Rank) -> Integer:
    """The Integer at a rank in descending order.

    >>> call("get_rank", (3, 9, 3, 5), 1)
    5
    """
    return _at(rank, sorted(container, reverse=True))


def _by_key_descending(container: Any, compfunc: Any, rank: int) -> tuple[Any, Any]:
    """The element at a rank in the stable descending order of a key, and its key."""
    place = place_of(rank, len(container))
    elements = ordered(container)
    keys = [compfunc(x) for x in elements]
    rank_of = ranks(keys)
    chosen = sorted(range(len(elements)), key=rank_of.__getitem__, reverse=True)[place]
    return elements[chosen], keys[chosen]


@op(
    signature="k[a], (a -> b), Integer -> a",
    order_sensitive=True,
    selects=True,
    collects=tuple_of_results,
    work=RANKING,
)
def get_arg_rank(container: FilledContainer, compfunc: Fn1, rank: Rank) -> AnyValue:
    """The element at a rank in the descending order of a key; equal ones keep their order.

    >>> call("get_arg_rank", ((1,), (2, 3), (4, 5)), fn("size"), 1)
    (4, 5)
    """
    return _by_key_descending(container, compfunc, rank)[0]


@op(
    signature="k[a], (a -> b), Integer -> b",
    order_sensitive=True,
    selects=True,
    collects=tuple_of_results,
    work=RANKING,
)
def get_val_rank(container: FilledContainer, compfunc: Fn1, rank: Rank) -> AnyValue:
    """The key of the element that get_arg_rank returns.

    >>> call("get_val_rank", ((1,), (2, 3), (4, 5)), fn("size"), -1)
    1
    """
    return _by_key_descending(container, compfunc, rank)[1]


@op(signature="k[a], Integer -> a", order_sensitive=True, selects=True, work=TALLYING)
def get_common_rank(container: FilledContainer, rank: Rank) -> AnyValue:
    """The element at a rank among the distinct ones by count, descending, then by value, ascending.

    >>> call("get_common_rank", (1, 2, 2, 3), 0)
    2
    """
    return _at(rank, counts_descending(container))


def get_color_rank(element: FilledElement, rank: Rank) -> Integer:
    """The colour at a rank among those present by number of cells, descending.

    >>> call("get_color_rank_t", ((1, 2), (2, 2)), -1)
    1
    """
    return _at(rank, counts_descending(colors(element)))


restriction("get_arg_rank_t", "get_arg_rank", group="ranks")
restriction("get_arg_rank_f", "get_arg_rank", group="ranks")
restriction("get_val_rank_t", "get_val_rank", group="ranks")
restriction("get_val_rank_f", "get_val_rank", group="ranks")
restriction("get_common_rank_t", "get_common_rank", group="ranks")
restriction("get_common_rank_f", "get_common_rank", group="ranks")

_by_color = record(get_color_rank, work=SORTING, order_sensitive=True, selects=True)
restriction("get_color_rank_t", _by_color, element=("grid", Grid0), group="ranks")
restriction("get_color_rank_f", _by_color, element=("obj", Object), group="ranks")
