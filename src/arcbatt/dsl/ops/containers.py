"""Containers: building, joining, picking from and counting Tuples and Sets."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from arcbatt.dsl.failures import OpFailed
from arcbatt.dsl.table import Forecast, op
from arcbatt.dsl.types import (
    AnyValue,
    Boolean,
    Container,
    Containers,
    FilledContainer,
    FilledTuple,
    Integer,
    Integers,
    NonZero,
    Set,
    Tuple,
)
from arcbatt.dsl.values import order_key, ordered, size_of
from arcbatt.dsl.work import (
    BUILD,
    CONSTANT,
    MAKING,
    PICKING,
    SCAN,
    SCANNING,
    SEEK,
    SORTING,
    TALLY,
    TALLYING,
    WorkRule,
)


def same_kind(container: Container, elements: Iterable[Any]) -> Container:
    """The elements as a Tuple or a Set, like the container."""
    return tuple(elements) if type(container) is tuple else frozenset(elements)


def counts_descending(elements: Iterable[Any]) -> list[Any]:
    """The distinct elements by count, most frequent first, smaller elements first among equals."""
    counts = Counter(elements)
    return sorted(sorted(counts, key=order_key), key=lambda element: -counts[element])


@op(signature="a, k[a] -> Integer", work=SCANNING)
def contained(value: AnyValue, container: Container) -> Boolean:
    """Whether the value is an element of the container.

    >>> call("contained", 2, (1, 2))
    1
    """
    return int(value in container)


@op(signature="k[a] -> Integer", work=CONSTANT)
def size(container: Container) -> Integer:
    """The number of elements.

    >>> call("size", (4, 4, 4))
    3
    """
    return len(container)


@op(signature="k[a], m[a] -> k[a]", order_sensitive=True, work=WorkRule((BUILD, TALLY), BUILD))
def combine(a: Container, b: Container) -> Container:
    """The elements of a, then those of b, in a container of a's kind.

    >>> call("combine", (1, 2), (2, 3))
    (1, 2, 2, 3)
    """
    return a + ordered(b) if type(a) is tuple else a | frozenset(b)  # type: ignore[operator]


@op(
    signature="Set[a], Set[a] -> Set[a]",
    selects=True,
    work=WorkRule(SCAN, BUILD, sorts_lighter=True),
    idempotent=True,
    commutes=True,
)
def intersection(a: Set, b: Set) -> Set:
    """The elements that a and b have in common.

    >>> call("intersection", frozenset({1, 2}), frozenset({2, 3}))
    frozenset({2})
    """
    return a & b


@op(
    signature="k[a], m[a] -> k[a]",
    selects=True,
    work=WorkRule((SEEK, SCAN), BUILD, sorts_lighter=True, listed=TALLY),
    idempotent=True,
)
def difference(a: Container, b: Container) -> Container:
    """The elements of a that are not in b, in a container of a's kind.

    >>> call("difference", (1, 2, 1, 3), (2,))
    (1, 1, 3)
    """
    unwanted = frozenset(b)
    return same_kind(a, (x for x in a if x not in unwanted))


@op(signature="Tuple[a] -> Tuple[a]", selects=True, work=TALLYING, idempotent=True)
def dedupe(tup: Tuple) -> Tuple:
    """The distinct elements, each where it occurs first.

    >>> call("dedupe", (3, 1, 3, 2, 1))
    (3, 1, 2)
    """
    return tuple(dict.fromkeys(tup))


@op(signature="k[m[a]] -> k[a]", order_sensitive=True, selects=True, work=SORTING)
def merge(containers: Containers) -> Container:
    """The elements of all inner containers, in a container of the outer kind.

    >>> call("merge", ((1, 2), (2, 3)))
    (1, 2, 2, 3)
    """
    return same_kind(containers, (x for inner in containers for x in ordered(inner)))


def _repeat_forecast(item: Any, num: int) -> Forecast:
    weight, nest = size_of(item)
    return Forecast(1 + num * weight, 1 + nest) if num > 0 else Forecast(1, 1)


@op(signature="a, Integer -> Tuple[a]", forecast=_repeat_forecast, work=MAKING)
def repeat(item: AnyValue, num: Integer) -> Tuple:
    """A Tuple of num copies.

    >>> call("repeat", 7, 3)
    (7, 7, 7)
    """
    return (item,) * num


@op(selects=True, work=SCANNING)
def maximum(container: Integers) -> Integer:
    """The largest Integer; 0 if the container is empty.

    >>> call("maximum", (3, 9, 2))
    9
    """
    return max(container, default=0)


@op(selects=True, work=SCANNING)
def minimum(container: Integers) -> Integer:
    """The smallest Integer; 0 if the container is empty.

    >>> call("minimum", (3, 9, 2))
    2
    """
    return min(container, default=0)


@op(signature="Tuple[a] -> a", order_sensitive=True, selects=True, work=TALLYING)
def mostcommon(container: FilledTuple) -> AnyValue:
    """The most frequent element; of several the smallest.

    >>> call("mostcommon", (3, 1, 3, 1, 2))
    1
    """
    counts = Counter(container)
    most = max(counts.values())
    return min((x for x, count in counts.items() if count == most), key=order_key)


@op(signature="Tuple[a] -> a", order_sensitive=True, selects=True, work=TALLYING)
def leastcommon(container: FilledTuple) -> AnyValue:
    """The least frequent element; of several the smallest.

    >>> call("leastcommon", (3, 1, 3, 1, 2))
    2
    """
    counts = Counter(container)
    fewest = min(counts.values())
    return min((x for x, count in counts.items() if count == fewest), key=order_key)


@op(signature="a -> Set[a]", work=CONSTANT)
def initset(value: AnyValue) -> Set:
    """The Set with only this value.

    >>> call("initset", 3)
    frozenset({3})
    """
    return frozenset((value,))


@op(signature="a, Set[a] -> Set[a]")
def insert(value: AnyValue, container: Set) -> Set:
    """The Set with the value added.

    >>> call("insert", 3, frozenset())
    frozenset({3})
    """
    return container | {value}


@op(signature="a, k[a] -> k[a]", selects=True)
def remove(value: AnyValue, container: Container) -> Container:
    """The container without the elements equal to the value.

    >>> call("remove", 1, (1, 2, 1))
    (2,)
    """
    return same_kind(container, (x for x in container if x != value))


@op(signature="(a, b) -> a; k[a] -> a", order_sensitive=True, selects=True, work=PICKING)
def first(container: FilledContainer) -> AnyValue:
    """The first element; of a Set the smallest.

    >>> call("first", (4, 5))
    4
    """
    return ordered(container)[0]


@op(signature="(a, b) -> b; k[a] -> a", order_sensitive=True, selects=True, work=PICKING)
def last(container: FilledContainer) -> AnyValue:
    """The last element; of a Set the largest.

    >>> call("last", (4, 5))
    5
    """
    return ordered(container)[-1]


@op(signature="k[a], a -> a", order_sensitive=True, selects=True, work=SCANNING)
def other(container: FilledContainer, value: AnyValue) -> AnyValue:
    """The first element that differs from the value.

    >>> call("other", (2, 3), 2)
    3
    """
    for element in ordered(container):
        if element != value:
            return element
    raise OpFailed("INDEX")


@op(signature="k[a] -> Tuple[a]", order_sensitive=True, selects=True, idempotent=True)
def totuple(container: Container) -> Tuple:
    """The elements as a Tuple, in iteration order.

    >>> call("totuple", frozenset({2, 1}))
    (1, 2)
    """
    return ordered(container)


def _interval_forecast(start: int, stop: int, step: int) -> Forecast:
    return Forecast(1 + len(range(start, stop, step)), 1)


@op(signature="Integer, Integer, Integer -> Tuple[Integer]", forecast=_interval_forecast, work=MAKING)
def interval(start: Integer, stop: Integer, step: NonZero) -> Tuple:
    """start, start + step, ... up to stop, which is excluded.

    >>> call("interval", 5, 0, -2)
    (5, 3, 1)
    """
    return tuple(range(start, stop, step))


@op(signature="a, b -> (a, b)", work=MAKING)
def astuple(a: AnyValue, b: AnyValue) -> Tuple:
    """The pair (a, b).

    >>> call("astuple", 1, (2, 3))
    (1, (2, 3))
    """
    return (a, b)


def _product_forecast(a: Container, b: Container) -> Forecast:
    if not a or not b:
        return Forecast(1, 1)
    (weight_a, nest_a), (weight_b, nest_b) = size_of(frozenset(a)), size_of(frozenset(b))
    count_a, count_b = len(frozenset(a)), len(frozenset(b))
    weight = 1 + count_a * count_b + (weight_a - 1) * count_b + (weight_b - 1) * count_a
    return Forecast(weight, 1 + max(nest_a, nest_b))


@op(signature="k[a], m[b] -> Set[(a, b)]", forecast=_product_forecast, work=TALLYING)
def product(a: Container, b: Container) -> Set:
    """All pairs (x, y) with x from a and y from b.

    >>> sorted(call("product", (0, 1), (5,)))
    [(0, 5), (1, 5)]
    """
    return frozenset((x, y) for x in a for y in b)


@op(signature="Tuple[a], Tuple[b] -> Tuple[(a, b)]")
def pair(a: Tuple, b: Tuple) -> Tuple:
    """The pairs of elements at the same position, as many as the shorter Tuple has.

    >>> call("pair", (1, 2, 3), (4, 5))
    ((1, 4), (2, 5))
    """
    return tuple(zip(a, b))


@op(signature="k[m[a]], Integer -> Set[m[a]]", selects=True, work=SORTING, idempotent=True)
def sizefilter(container: Containers, n: Integer) -> Set:
    """The Set of the elements that have exactly n elements.

    >>> call("sizefilter", ((1,), (2, 3)), 2)
    frozenset({(2, 3)})
    """
    return frozenset(x for x in container if len(x) == n)
