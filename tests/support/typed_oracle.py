"""A second definition of the typed container ops, in plain Python alone, and the vectors that it gives.

`python tests/support/typed_oracle.py` writes tests/data/typed.jsonl. Nothing of the package is used, so
that the vectors can tell when it is wrong.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

FILE = Path(__file__).parents[1] / "data" / "typed.jsonl"


class Fails(Exception):
    """An op or a function fails with a kind."""


class Primitive(NamedTuple):
    """An op of one argument as a function value."""

    name: str
    body: Callable[[Any], Any]


def is_container(value: Any) -> bool:
    return type(value) in (tuple, frozenset)


def key(value: Any) -> tuple[Any, ...]:
    """The canonical order: Integers, Tuples, Sets, functions."""
    if type(value) is int:
        return (0, value)
    if type(value) is tuple:
        return (1, tuple(map(key, value)))
    if type(value) is frozenset:
        return (2, tuple(sorted(map(key, value))))
    return (3, value.name)


def visited(container: Any) -> list[Any]:
    """The elements of a container in the order in which it is gone through."""
    return list(container) if type(container) is tuple else sorted(container, key=key)


def require(condition: bool, kind: str = "TYPE") -> None:
    if not condition:
        raise Fails(kind)


def needs(
    test: Callable[[Any], bool], body: Callable[[Any], Any], kind: str = "TYPE"
) -> Callable[[Any], Any]:
    def checked(x: Any) -> Any:
        require(test(x), kind)
        return body(x)

    return checked


def is_integer(value: Any) -> bool:
    return type(value) is int


def first_of(x: Any) -> Any:
    require(is_container(x))
    require(len(x) > 0, "EMPTY")
    return visited(x)[0]


IDENTITY = Primitive("identity", lambda x: x)
EVEN = Primitive("even", needs(is_integer, lambda x: int(x % 2 == 0)))
DOUBLE = Primitive("double", needs(is_integer, lambda x: 2 * x))
SIZE = Primitive("size", needs(is_container, len))
FIRST = Primitive("first", first_of)
INITSET = Primitive("initset", lambda x: frozenset([x]))
TOTUPLE = Primitive("totuple", needs(is_container, lambda x: tuple(visited(x))))
TWO_ARGUMENTS = Primitive("add", lambda x: None)

A_TUPLE, A_SET, AS_GIVEN = "a Tuple", "a Set", "as given"


def made(kind: str, container: Any, elements: Iterable[Any]) -> Any:
    """The elements in a container of the kind that the op gives."""
    as_tuple = type(container) is tuple if kind == AS_GIVEN else kind == A_TUPLE
    return tuple(elements) if as_tuple else frozenset(elements)


def require_container(container: Any, filled: bool = False) -> None:
    require(is_container(container))
    require(not filled or len(container) > 0, "EMPTY")


def require_containers(containers: Any) -> None:
    require(is_container(containers) and all(map(is_container, containers)))


def require_function(function: Any) -> None:
    require(type(function) is Primitive and function is not TWO_ARGUMENTS)


def difference(kind: str, a: Any, b: Any) -> Any:
    require(is_container(a) and is_container(b))
    return made(kind, a, (x for x in visited(a) if x not in visited(b)))


def combine(kind: str, a: Any, b: Any) -> Any:
    require(is_container(a) and is_container(b))
    return made(kind, a, visited(a) + visited(b))


def size(kind: str, container: Any) -> Any:
    require_container(container)
    return len(container)


def merge(kind: str, containers: Any) -> Any:
    require_containers(containers)
    return made(kind, containers, (x for inner in visited(containers) for x in visited(inner)))


def by_count(container: Any, sign: int) -> list[Any]:
    elements = visited(container)
    distinct = sorted(dict.fromkeys(elements), key=key)
    return sorted(distinct, key=lambda x: sign * elements.count(x))


def mostcommon(kind: str, container: Any) -> Any:
    require_container(container, filled=True)
    return by_count(container, -1)[0]


def leastcommon(kind: str, container: Any) -> Any:
    require_container(container, filled=True)
    return by_count(container, 1)[0]


def first(kind: str, container: Any) -> Any:
    require_container(container, filled=True)
    return visited(container)[0]


def last(kind: str, container: Any) -> Any:
    require_container(container, filled=True)
    return visited(container)[-1]


def remove(kind: str, value: Any, container: Any) -> Any:
    require_container(container)
    return made(kind, container, (x for x in visited(container) if x != value))


def other(kind: str, container: Any, value: Any) -> Any:
    require_container(container, filled=True)
    others = [x for x in visited(container) if x != value]
    require(bool(others), "INDEX")
    return others[0]


def rank_key(value: Any) -> tuple[Any, ...]:
    if type(value) is tuple:
        return (1, tuple(map(rank_key, value)))
    return (2, len(value)) if type(value) is frozenset else key(value)


def keys_of(container: Any, function: Primitive) -> list[Any]:
    """What a function gives for each element: things of one kind that can be ranked."""
    keys = [function.body(x) for x in visited(container)]
    kinds = set(map(type, keys))
    require(len(kinds) == 1 and kinds <= {int, tuple, frozenset})
    return keys


def place_of_extreme(keys: list[Any], greatest: bool) -> int:
    choose = max if greatest else min
    return choose(range(len(keys)), key=lambda k: rank_key(keys[k]))


def argmax(kind: str, container: Any, function: Any, greatest: bool = True) -> Any:
    require_function(function)
    require_container(container, filled=True)
    return visited(container)[place_of_extreme(keys_of(container, function), greatest)]


def argmin(kind: str, container: Any, function: Any) -> Any:
    return argmax(kind, container, function, greatest=False)


def valmax(kind: str, container: Any, function: Any, greatest: bool = True) -> Any:
    require_function(function)
    require_container(container)
    if not container:
        return function.body(0)
    keys = keys_of(container, function)
    return keys[place_of_extreme(keys, greatest)]


def valmin(kind: str, container: Any, function: Any) -> Any:
    return valmax(kind, container, function, greatest=False)


def kept(container: Any, function: Primitive) -> list[Any]:
    found = []
    for x in visited(container):
        answer = function.body(x)
        require(is_integer(answer))
        if answer:
            found.append(x)
    return found


def sfilter(kind: str, container: Any, function: Any) -> Any:
    require_function(function)
    require_container(container)
    return made(kind, container, kept(container, function))


def mfilter(kind: str, containers: Any, function: Any) -> Any:
    require_function(function)
    require_containers(containers)
    return made(kind, containers, (x for inner in kept(containers, function) for x in visited(inner)))


def apply(kind: str, function: Any, container: Any) -> Any:
    require_function(function)
    require_container(container)
    return made(kind, container, [function.body(x) for x in visited(container)])


def rapply(kind: str, functions: Any, value: Any) -> Any:
    require_container(functions)
    for function in functions:
        require_function(function)
    return made(kind, functions, [function.body(value) for function in visited(functions)])


def mapply(kind: str, function: Any, container: Any) -> Any:
    require_function(function)
    require_container(container)
    results = [function.body(x) for x in visited(container)]
    require(all(map(is_container, results)))
    return made(kind, container, (x for result in results for x in visited(result)))


def sizefilter(kind: str, containers: Any, n: Any) -> Any:
    require_containers(containers)
    require(is_integer(n))
    return made(kind, containers, (x for x in visited(containers) if len(x) == n))


def is_location(value: Any) -> bool:
    return type(value) is tuple and len(value) == 2 and all(map(is_integer, value))


def is_cell(value: Any) -> bool:
    return type(value) is tuple and len(value) == 2 and is_integer(value[0]) and is_location(value[1])


def colorfilter(kind: str, objects: Any, color: Any) -> Any:
    require_containers(objects)
    require(all(is_cell(x) for cells in objects for x in cells) and is_integer(color))
    require(all(map(len, objects)), "EMPTY")
    return made(kind, objects, (cells for cells in visited(objects) if visited(cells)[0][0] == color))


def place(rank: Any, count: int) -> int:
    require(-count <= rank < count, "INDEX")
    return int(rank)


def get_nth(kind: str, container: Any, rank: Any) -> Any:
    require(is_integer(rank))
    require_container(container, filled=True)
    return visited(container)[place(rank, len(container))]


def get_nth_by_key(kind: str, container: Any, rank: Any, function: Any) -> Any:
    require(is_integer(rank))
    require_function(function)
    require_container(container, filled=True)
    where = place(rank, len(container))
    return visited(container)[ranking(keys_of(container, function), 1)[where]]


def ranking(keys: list[Any], sign: int) -> list[int]:
    """Places by key, ascending or descending; equal ones keep their order."""
    return sorted(range(len(keys)), key=lambda k: rank_key(keys[k]), reverse=sign < 0)


def get_val_rank(kind: str, container: Any, function: Any, rank: Any) -> Any:
    require(is_integer(rank))
    require_function(function)
    require_container(container, filled=True)
    where = place(rank, len(container))
    keys = keys_of(container, function)
    return keys[ranking(keys, -1)[where]]


def get_arg_rank(kind: str, container: Any, function: Any, rank: Any) -> Any:
    get_val_rank(kind, container, function, rank)
    keys = keys_of(container, function)
    return visited(container)[ranking(keys, -1)[rank]]


def get_common_rank(kind: str, container: Any, rank: Any) -> Any:
    require(is_integer(rank))
    require_container(container, filled=True)
    distinct = by_count(container, -1)
    return distinct[place(rank, len(distinct))]


def recolor_i(kind: str, color: Any, patch: Any) -> Any:
    require(is_integer(color) and is_container(patch) and all(map(is_location, patch)))
    return frozenset((color, at) for at in patch)


def recolor_o(kind: str, color: Any, patch: Any) -> Any:
    require(is_integer(color) and is_container(patch) and all(map(is_cell, patch)))
    return frozenset((color, at) for _, at in patch)


# By op: the body, and the kind of container of `x_t` and of `x_f`.
BOTH_AS_GIVEN = (AS_GIVEN, AS_GIVEN)
A_TUPLE_AND_AS_GIVEN = (A_TUPLE, AS_GIVEN)
BODIES: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "difference": (difference, (A_TUPLE,)),
    "combine": (combine, A_TUPLE_AND_AS_GIVEN),
    "size": (size, BOTH_AS_GIVEN),
    "merge": (merge, A_TUPLE_AND_AS_GIVEN),
    "mostcommon": (mostcommon, BOTH_AS_GIVEN),
    "leastcommon": (leastcommon, BOTH_AS_GIVEN),
    "first": (first, BOTH_AS_GIVEN),
    "last": (last, BOTH_AS_GIVEN),
    "remove": (remove, A_TUPLE_AND_AS_GIVEN),
    "other": (other, BOTH_AS_GIVEN),
    "valmax": (valmax, BOTH_AS_GIVEN),
    "valmin": (valmin, BOTH_AS_GIVEN),
    "argmax": (argmax, BOTH_AS_GIVEN),
    "argmin": (argmin, BOTH_AS_GIVEN),
    "sfilter": (sfilter, (A_TUPLE, A_SET)),
    "mfilter": (mfilter, A_TUPLE_AND_AS_GIVEN),
    "apply": (apply, A_TUPLE_AND_AS_GIVEN),
    "rapply": (rapply, A_TUPLE_AND_AS_GIVEN),
    "mapply": (mapply, A_TUPLE_AND_AS_GIVEN),
    "sizefilter": (sizefilter, (A_TUPLE,)),
    "colorfilter": (colorfilter, (A_TUPLE,)),
    "get_nth": (get_nth, BOTH_AS_GIVEN),
    "get_nth_by_key": (get_nth_by_key, BOTH_AS_GIVEN),
    "get_arg_rank": (get_arg_rank, BOTH_AS_GIVEN),
    "get_val_rank": (get_val_rank, BOTH_AS_GIVEN),
    "get_common_rank": (get_common_rank, BOTH_AS_GIVEN),
}
OTHER_NAMES = {"difference_t": "difference_tuple"}


def both(*tuples: Any) -> list[Any]:
    """Some Tuples, each followed by the Set of its elements."""
    return [kind(elements) for elements in tuples for kind in (tuple, frozenset)]


def cells(color: int, *locations: tuple[int, int]) -> tuple[Any, ...]:
    return tuple((color, at) for at in locations)


NUMBERS = both((), (3,), (4, 1, 3, 1, 2), (-5, -5, 0, 7, 7))
NESTED = both(
    (), ((2, 3), (1, 2), (2, 3)), ((), (7,), frozenset({9, 8})), (frozenset({(1, 1)}), ((0, 5), (0, 4)))
)
PATCHES = both(((2, 1), (0, 3), (2, 1)), cells(4, (1, 1), (0, 0)))
MIXED = both((5, (), frozenset({1}), 5, FIRST))
CONTAINERS = [*NUMBERS, *NESTED, *PATCHES, *MIXED]
OBJECTS = both(
    (),
    (cells(4, (1, 1), (0, 0)), cells(3, (5, 5)), cells(4, (2, 2))),
    (frozenset(cells(4, (0, 1)) + cells(2, (0, 0))), cells(4, (9, 9)) + cells(2, (0, 0))),
    (cells(1, (0, 0)), ()),
    ((), ()),
    (cells(1, (0, 0)), 3),
)
FUNCTIONS = both((), (DOUBLE, IDENTITY, EVEN, IDENTITY), (INITSET, FIRST), (SIZE, TWO_ARGUMENTS), (SIZE, 3))
KEYS = [IDENTITY, EVEN, SIZE, FIRST]
NO_CONTAINERS = [5, FIRST]

WITH_KEYS = [*product(CONTAINERS, KEYS), *product([(), frozenset(), 5], [TWO_ARGUMENTS, 5, SIZE])]
ONE_CONTAINER = [*product([*CONTAINERS, *NO_CONTAINERS])]
TWO_CONTAINERS = [
    *product(CONTAINERS, both((1, 3, 1), ((2, 3),), ((2, 1),))),
    *product(NO_CONTAINERS, [()]),
    ((), 5),
]
APPLIED = [
    *product([*KEYS, INITSET, TOTUPLE], CONTAINERS),
    *product([TWO_ARGUMENTS, 5, SIZE], [(), frozenset(), 5]),
]
WITH_RANKS = [*product([*CONTAINERS, *NO_CONTAINERS], [0, 1, -1, -4, ()])]
WITH_KEYS_AND_RANKS = [
    *product(CONTAINERS, KEYS, [0, -1, 2]),
    *product([(), frozenset()], [5, TWO_ARGUMENTS], [0]),
]

ARGUMENTS: dict[str, list[tuple[Any, ...]]] = {
    "difference": TWO_CONTAINERS,
    "combine": TWO_CONTAINERS,
    "size": ONE_CONTAINER,
    "merge": ONE_CONTAINER,
    "mostcommon": ONE_CONTAINER,
    "leastcommon": ONE_CONTAINER,
    "first": ONE_CONTAINER,
    "last": ONE_CONTAINER,
    "remove": [*product([1, 5, (2, 3), FIRST], [*CONTAINERS, *NO_CONTAINERS])],
    "other": [*product([*CONTAINERS, *NO_CONTAINERS], [1, 3, 4, ()])],
    "valmax": WITH_KEYS,
    "valmin": WITH_KEYS,
    "argmax": WITH_KEYS,
    "argmin": WITH_KEYS,
    "sfilter": WITH_KEYS,
    "mfilter": WITH_KEYS,
    "apply": APPLIED,
    "mapply": APPLIED,
    "rapply": [*product(FUNCTIONS, [4, (1, 2)]), (FIRST, 4), (4, 4)],
    "sizefilter": [*product([*NESTED, *PATCHES, *NUMBERS, 5], [0, 2]), ((), ()), (frozenset(), ())],
    "colorfilter": [*product(OBJECTS, [4, 2]), (5, 4), ((), ()), (((3, 4),), 4)],
    "get_nth": WITH_RANKS,
    "get_common_rank": WITH_RANKS,
    "get_nth_by_key": [(container, rank, function) for container, function, rank in WITH_KEYS_AND_RANKS],
    "get_arg_rank": WITH_KEYS_AND_RANKS,
    "get_val_rank": WITH_KEYS_AND_RANKS,
}
PATCHES_TO_RECOLOR = [*PATCHES, *both((), ((1, 2), (3, (4, 5)))), 5, ((1, 2, 3),)]


def encoded(value: Any) -> Any:
    """A value in the JSON form of the vectors."""
    if type(value) is int:
        return value
    if type(value) is Primitive:
        return {"f": [value.name]}
    return {"t" if type(value) is tuple else "s": list(map(encoded, visited(value)))}


def vector(name: str, body: Callable[..., Any], kind: str, arguments: tuple[Any, ...]) -> str:
    try:
        out = encoded(body(kind, *arguments))
    except Fails as failed:
        out = {"fail": failed.args[0]}
    line = {"op": name, "args": list(map(encoded, arguments)), "out": out}
    return json.dumps(line, separators=(",", ":"))


def vectors() -> Iterator[str]:
    """All lines of the file."""
    for stem, (body, kinds) in BODIES.items():
        for suffix, kind in zip("tf", kinds):
            name = f"{stem}_{suffix}"
            lines = [vector(OTHER_NAMES.get(name, name), body, kind, given) for given in ARGUMENTS[stem]]
            yield from dict.fromkeys(lines)
    for body in (recolor_i, recolor_o):
        for patch in PATCHES_TO_RECOLOR:
            yield vector(body.__name__, body, A_SET, (7, patch))


if __name__ == "__main__":
    FILE.write_text("".join(f"{line}\n" for line in vectors()))
