"""Lines of batts to run in an environment, and how to run them."""

from typing import Any

import arcbatt as ab
from arcbatt.batt.env import OKT, Env
from arcbatt.batt.runtime import (
    ONE,
    ORIGIN,
    TWO,
    UNITY,
    ZERO,
    T,
    add,
    apply,
    astuple,
    chain,
    compose,
    divide,
    first,
    fork,
    hmirror,
    identity,
    insert,
    last,
    merge,
    objects,
    repeat,
    rot90,
    size,
    toindices,
)  # fmt: skip

GRID = ((1, 2), (3, 4))
PAIRS = ((GRID, ((0,),)), (((5, 5),), GRID))
DEEP: Any = ()
for _ in range(101):
    DEEP = (DEEP,)

Line = tuple[Any, ...]


def run_lines(env: Env, lines: list[Line]) -> list[OKT]:
    """The outcomes of lines; in a line, a string such as "t2" stands for what that line gave."""
    given: dict[str, OKT] = {}
    for number, line in enumerate(lines, 1):
        named = [given[part] for part in line if isinstance(part, str)]
        pile = [_filled_in(part, given) for part in line]
        given[f"t{number}"] = env.do_pile(number, pile, all(okt.ok for okt in named))
    return list(given.values())


def _filled_in(part: Any, given: dict[str, OKT]) -> Any:
    if isinstance(part, str):
        return given[part].t
    if type(part) in (tuple, list, frozenset) and part is not DEEP:
        return type(part)(_filled_in(element, given) for element in part)
    return part


LINES: dict[str, list[Line]] = {
    "values": [(rot90, GRID), (objects, "t1", T, T, T), (size, "t2"), (merge, "t2"), (toindices, "t4")],
    "small values": [
        (add, ORIGIN, UNITY),
        (identity, ()),
        (insert, (1, (2, 3)), frozenset()),
        (add, True, TWO),
    ],
    "large numbers": [(add, (1 << 31) - 1, ONE), (identity, (1 << 30, -(1 << 31))), (add, 1 << 31, ONE)],
    "results inside of arguments": [
        (rot90, GRID),
        (objects, "t1", T, T, T),
        (first, ("t1", "t1")),
        (size, ["t2"]),
        (apply, rot90, ("t1", GRID)),
        (identity, (("t2", 1), frozenset({"t2"}))),
        (compose, rot90, rot90),
        (apply, first, (("t7", "t1"), ("t7",))),
    ],
    "lists": [(rot90, [[1, 2], [3, 4]]), (size, [1, {2}]), (rot90, ((True, False),))],
    "functions": [
        (compose, first, last),
        ("t1", GRID),
        (fork, astuple, "t1", size),
        ("t3", GRID),
        (apply, "t1", PAIRS),
        (identity, rot90),
        ("t6", GRID),
        (ab.fn("rbind", ab.fn("add"), 3), 4),
        (chain, "t1", identity, identity),
    ],
    "calls of what is no function": [(identity, GRID), ("t1", GRID), (5, GRID), (GRID, ONE), (None,)],
    "calls of primitives stand in": [
        (identity, rot90),
        ("t1", ONE),
        (identity, objects),
        ("t3", ONE, T, T, T),
    ],
    "composites do not stand in": [(compose, rot90, rot90), ("t1", ONE), (rot90, ONE)],
    "no values": [(rot90, None), (rot90, 1.5), (identity, (1.0, 2)), (identity, DEEP), (rot90, "x".join)],
    "too many arguments": [(add, *range(9)), (add,), (add, 1, 2, 3)],
    "functions of Python": [
        (len, GRID),
        (lambda grid: [*grid], GRID),
        (rot90, "t2"),
        (max, "t2"),
        (int, "t1"),
    ],
    "sets of sets": [(objects, ((1, 0, 2), (0, 0, 0), (3, 0, 4)), T, T, T), (divide, "t1", ZERO)],
    "dependents of failures": [(divide, ONE, ZERO), (add, "t1", ONE), (rot90, ONE), (hmirror, "t3")],
    "lines that never end": [(repeat, ONE, 10**6), (repeat, GRID, 10**5)],
}
