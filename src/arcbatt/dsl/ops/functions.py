"""Functions: building them, applying them over containers, ranking by them."""

from collections.abc import Iterable
from typing import Any

from arcbatt.dsl.failures import OpFailed
from arcbatt.dsl.held_weight import kept_elements, results_in_kind_of, set_of_results, tuple_of_results
from arcbatt.dsl.ops.containers import same_kind
from arcbatt.dsl.table import Forecast, op
from arcbatt.dsl.types import (
    AnyValue,
    Condition,
    Container,
    Containers,
    FilledContainer,
    Fn,
    Fn1,
    Fn2,
    FnAny,
    Fns,
    Integer,
    Set,
    Tuple,
    is_container,
)
from arcbatt.dsl.values import Function, Value, order_key, ordered
from arcbatt.dsl.work import CONSTANT, GATHERING, MAKING, PAIRING, PICKING, RANKING, SORTING


def merged(outer: Container, results: list[Any]) -> Container:
    """The elements of container results, in a container of the outer kind."""
    if not all(map(is_container, results)):
        raise OpFailed("TYPE")
    return same_kind(outer, (x for inner in results for x in ordered(inner)))


def _rank_key(value: Value) -> tuple[Any, ...]:
    """Like the canonical order, but Sets rank by their number of elements."""
    if type(value) is int:
        return (0, value)
    if type(value) is tuple:
        return (1, tuple(map(_rank_key, value)))
    if type(value) is frozenset:
        return (2, len(value))
    return order_key(value)


def ranks(keys: Iterable[Any]) -> list[Any]:
    """Ranking keys in a form that Python compares as the language does; they must be of one kind."""
    keys = list(keys)
    kinds = set(map(type, keys))
    if kinds <= {int}:
        return keys
    if kinds == {frozenset}:
        return list(map(len, keys))
    if kinds == {tuple}:
        return list(map(_rank_key, keys))
    raise OpFailed("TYPE")


def _greatest(keys: list[Any]) -> int:
    rank = ranks(keys)
    return max(range(len(rank)), key=rank.__getitem__)


def _smallest(keys: list[Any]) -> int:
    rank = ranks(keys)
    return min(range(len(rank)), key=rank.__getitem__)


@op(signature="a -> a", selects=True, work=CONSTANT, idempotent=True)
def identity(x: AnyValue) -> AnyValue:
    """x itself.

    >>> call("identity", 7)
    7
    """
    return x


@op(signature="(b -> c), (a -> b) -> (a -> c)", work=CONSTANT)
def compose(outer: Fn1, inner: Fn1) -> Fn1:
    """The function x -> outer(inner(x)).

    >>> call(fn("compose", fn("size"), fn("dedupe")), (1, 1, 2))
    2
    """
    return Function("compose", (outer, inner), 1)


@op(signature="(c -> d), (b -> c), (a -> b) -> (a -> d)", work=CONSTANT)
def chain(h: Fn1, g: Fn1, f: Fn1) -> Fn1:
    """The function x -> h(g(f(x))).

    >>> call(fn("chain", fn("double"), fn("size"), fn("dedupe")), (1, 1, 2))
    4
    """
    return Function("chain", (h, g, f), 1)


@op(signature="(b, c -> d), (a -> b), (a -> c) -> (a -> d)", work=CONSTANT)
def fork(outer: Fn2, a: Fn1, b: Fn1) -> Fn1:
    """The function x -> outer(a(x), b(x)).

    >>> call(fn("fork", fn("add"), fn("first"), fn("last")), (3, 9, 4))
    7
    """
    return Function("fork", (outer, a, b), 1)


@op(signature="(a -> b), b -> (a -> Integer)", work=CONSTANT)
def matcher(function: Fn1, target: AnyValue) -> Fn1:
    """The function x -> whether function(x) equals the target.

    >>> call(fn("matcher", fn("size"), 2), (5, 6))
    1
    """
    return Function("matcher", (function, target), 1)


@op(
    signature="(a, b -> c), a -> (b -> c); (a, b, c -> d), a -> (b, c -> d); "
    "(a, b, c, d -> e), a -> (b, c, d -> e)",
    work=CONSTANT,
)
def lbind(function: Fn, fixed: AnyValue) -> FnAny:
    """The function with its first argument fixed.

    >>> call(fn("lbind", fn("subtract"), 10), 3)
    7
    """
    return Function("lbind", (function, fixed), function.arity - 1)


@op(
    signature="(a, b -> c), b -> (a -> c); (a, b, c -> d), c -> (a, b -> d); "
    "(a, b, c, d -> e), d -> (a, b, c -> e)",
    work=CONSTANT,
)
def rbind(function: Fn, fixed: AnyValue) -> FnAny:
    """The function with its last argument fixed.

    >>> call(fn("rbind", fn("subtract"), 10), 3)
    -7
    """
    return Function("rbind", (function, fixed), function.arity - 1)


def _power_forecast(function: Function, n: int) -> Forecast:
    if n != 1 and function.arity != 1:
        raise OpFailed("TYPE")
    if n < 1:
        raise OpFailed("DEPTH")
    return Forecast(n * function.weight + n - 1, function.nest + n - 1)


@op(signature="(a -> a), Integer -> (a -> a)", forecast=_power_forecast, work=MAKING)
def power(function: FnAny, n: Integer) -> FnAny:
    """The function composed with itself, n times in all.

    >>> call(call("power", fn("double"), 3), 1)
    8
    """
    result = function
    for _ in range(n - 1):
        result = compose(function, result)
    return result


@op(signature="(a -> b), k[a] -> k[b]", collects=results_in_kind_of(1), work=GATHERING)
def apply(function: Fn1, container: Container) -> Container:
    """The function of every element, in a container of the same kind.

    >>> call("apply", fn("double"), (1, 2))
    (2, 4)
    """
    return same_kind(container, [function(x) for x in ordered(container)])


@op(signature="k[(a -> b)], a -> k[b]", collects=results_in_kind_of(0), work=GATHERING)
def rapply(functions: Fns, value: AnyValue) -> Container:
    """Every function of one value, in a container of the kind that holds the functions.

    >>> call("rapply", (fn("double"), fn("halve")), 4)
    (8, 2)
    """
    return same_kind(functions, [function(value) for function in ordered(functions)])


@op(
    signature="(a -> m[b]), k[a] -> k[b]",
    order_sensitive=True,
    selects=True,
    collects=results_in_kind_of(1),
    work=GATHERING,
)
def mapply(function: Fn1, container: Container) -> Container:
    """The function of every element, with the results merged.

    >>> call("mapply", fn("totuple"), ((1, 2), (2, 3)))
    (1, 2, 2, 3)
    """
    return merged(container, [function(x) for x in ordered(container)])


@op(signature="(a, b -> c), Tuple[a], Tuple[b] -> Tuple[c]", collects=tuple_of_results, work=GATHERING)
def papply(function: Fn2, a: Tuple, b: Tuple) -> Tuple:
    """The function of the elements of a and b at the same position.

    >>> call("papply", fn("add"), (1, 2), (10, 20))
    (11, 22)
    """
    return tuple([function(x, y) for x, y in zip(a, b)])


@op(
    signature="(a, b -> k[c]), Tuple[a], Tuple[b] -> Tuple[c]",
    order_sensitive=True,
    selects=True,
    collects=tuple_of_results,
    work=GATHERING,
)
def mpapply(function: Fn2, a: Tuple, b: Tuple) -> Tuple:
    """The function of the elements of a and b at the same position, with the results merged.

    >>> call("mpapply", fn("astuple"), (1, 2), (10, 20))
    (1, 10, 2, 20)
    """
    result = merged((), [function(x, y) for x, y in zip(a, b)])
    assert isinstance(result, tuple)
    return result


@op(signature="(a, b -> c), k[a], m[b] -> Set[c]", collects=set_of_results, work=PAIRING)
def prapply(function: Fn2, a: Container, b: Container) -> Set:
    """The function of every element of a with every element of b.

    >>> sorted(call("prapply", fn("add"), (0, 1), (10, 20)))
    [10, 11, 20, 21]
    """
    return frozenset([function(x, y) for y in ordered(b) for x in ordered(a)])


@op(
    signature="k[a], (a -> Integer) -> k[a]",
    selects=True,
    collects=kept_elements,
    work=MAKING,
    idempotent=True,
)
def sfilter(container: Container, condition: Condition) -> Container:
    """The elements for which the condition holds.

    >>> call("sfilter", (1, 2, 3, 4), fn("even"))
    (2, 4)
    """
    return same_kind(container, [x for x in ordered(container) if condition(x)])


@op(
    signature="k[m[a]], (m[a] -> Integer) -> k[a]",
    order_sensitive=True,
    selects=True,
    collects=kept_elements,
    work=SORTING,
)
def mfilter(container: Containers, function: Condition) -> Container:
    """The elements for which the condition holds, merged.

    >>> call("mfilter", ((1, 2), (3,), (4, 5)), fn("matcher", fn("size"), 2))
    (1, 2, 4, 5)
    """
    return merged(container, [x for x in ordered(container) if function(x)])


@op(signature="k[a], (a -> Integer) -> a", order_sensitive=True, selects=True, work=PICKING)
def extract(container: FilledContainer, condition: Condition) -> AnyValue:
    """The first element for which the condition holds.

    >>> call("extract", (1, 2, 4), fn("even"))
    2
    """
    for element in ordered(container):
        if condition(element):
            return element
    raise OpFailed("INDEX")


@op(
    signature="k[a], (a -> b) -> Tuple[a]",
    order_sensitive=True,
    selects=True,
    collects=tuple_of_results,
    work=RANKING,
)
def order(container: Container, compfunc: Fn1) -> Tuple:
    """The elements sorted by the function, ascending; equal ones keep their order.

    >>> call("order", (3, -1, 2), fn("invert"))
    (3, 2, -1)
    """
    elements = ordered(container)
    rank = ranks(compfunc(x) for x in elements)
    return tuple(elements[k] for k in sorted(range(len(elements)), key=rank.__getitem__))


@op(
    signature="k[a], (a -> b) -> a",
    order_sensitive=True,
    selects=True,
    collects=tuple_of_results,
    work=PICKING,
)
def argmax(container: FilledContainer, compfunc: Fn1) -> AnyValue:
    """The element for which the function is greatest; of several the first.

    >>> call("argmax", ((1,), (2, 3), (4, 5)), fn("size"))
    (2, 3)
    """
    elements = ordered(container)
    return elements[_greatest([compfunc(x) for x in elements])]


@op(
    signature="k[a], (a -> b) -> a",
    order_sensitive=True,
    selects=True,
    collects=tuple_of_results,
    work=PICKING,
)
def argmin(container: FilledContainer, compfunc: Fn1) -> AnyValue:
    """The element for which the function is smallest; of several the first.

    >>> call("argmin", ((1, 2), (3,), (4,)), fn("size"))
    (3,)
    """
    elements = ordered(container)
    return elements[_smallest([compfunc(x) for x in elements])]


@op(
    signature="k[a], (a -> b) -> b",
    order_sensitive=True,
    selects=True,
    collects=tuple_of_results,
    work=PICKING,
)
def valmax(container: Container, compfunc: Fn1) -> AnyValue:
    """The greatest value of the function over the elements; the function of 0 if there are none.

    >>> call("valmax", ((1,), (2, 3)), fn("size"))
    2
    """
    if not container:
        return compfunc(0)
    keys = [compfunc(x) for x in ordered(container)]
    return keys[_greatest(keys)]


@op(
    signature="k[a], (a -> b) -> b",
    order_sensitive=True,
    selects=True,
    collects=tuple_of_results,
    work=PICKING,
)
def valmin(container: Container, compfunc: Fn1) -> AnyValue:
    """The smallest value of the function over the elements; the function of 0 if there are none.

    >>> call("valmin", ((1,), (2, 3)), fn("size"))
    1
    """
    if not container:
        return compfunc(0)
    keys = [compfunc(x) for x in ordered(container)]
    return keys[_smallest(keys)]
