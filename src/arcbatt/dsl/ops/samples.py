"""Dialect: what the demo pairs of a task have in common."""

from collections.abc import Iterable
from typing import Any

from arcbatt.dsl.contract import NO_TURN
from arcbatt.dsl.failures import OpFailed
from arcbatt.dsl.held_weight import elements_of_results
from arcbatt.dsl.ops.codes import mir_rot_t
from arcbatt.dsl.table import op
from arcbatt.dsl.types import AnyValue, FilledSamples, Fn1, Gatherer, Integer, Samples, Tuple
from arcbatt.dsl.values import ordered
from arcbatt.dsl.work import GATHERING, PICKING


@op(selects=True)
def dedupe_pair_tuple(S: Samples) -> Samples:
    """The pairs whose input differs from their output.

    >>> call("dedupe_pair_tuple", ((((1,),), ((1,),)), (((2,),), ((3,),))))
    ((((2,),), ((3,),)),)
    """
    return tuple(pair for pair in S if pair[0] != pair[1])


def _gathered(function: Any, grids: Iterable[Any]) -> tuple[Any, ...]:
    return tuple([x for grid in grids for x in ordered(function(grid))])


def _inputs_and_outputs(S: Samples, function: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    inputs = _gathered(function, (pair[0] for pair in S))
    outputs = _gathered(function, (pair[1] for pair in S))
    return inputs, outputs


def _only_in(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    elsewhere = frozenset(b)
    return tuple(x for x in dict.fromkeys(a) if x not in elsewhere)


@op(
    signature="Samples, (Grid -> k[a]) -> Tuple[a]",
    order_sensitive=True,
    selects=True,
    collects=elements_of_results,
    work=GATHERING,
)
def c_iz(S: Samples, function: Gatherer) -> Tuple:
    """What the function finds in the inputs but not in the outputs.

    >>> call("c_iz", ((((1, 2),), ((2, 3),)),), fn("p_g"))
    (1,)
    """
    inputs, outputs = _inputs_and_outputs(S, function)
    return _only_in(inputs, outputs)


@op(
    signature="Samples, (Grid -> k[a]) -> Tuple[a]",
    order_sensitive=True,
    selects=True,
    collects=elements_of_results,
    work=GATHERING,
)
def c_zo(S: Samples, function: Gatherer) -> Tuple:
    """What the function finds in the outputs but not in the inputs.

    >>> call("c_zo", ((((1, 2),), ((2, 3),)),), fn("p_g"))
    (3,)
    """
    inputs, outputs = _inputs_and_outputs(S, function)
    return _only_in(outputs, inputs)


@op(
    signature="Samples, (Grid -> k[a]), (Tuple[a] -> b) -> b",
    order_sensitive=True,
    selects=True,
    collects=elements_of_results,
    work=PICKING,
)
def c_iz_n(S: Samples, function: Gatherer, pick: Fn1) -> AnyValue:
    """One pick from what the function finds in the inputs but not in the outputs.

    >>> call("c_iz_n", ((((1, 2),), ((2, 3),)),), fn("p_g"), fn("first"))
    1
    """
    return pick(c_iz(S, function))


@op(
    signature="Samples, (Grid -> k[a]), (Tuple[a] -> b) -> b",
    order_sensitive=True,
    selects=True,
    collects=elements_of_results,
    work=PICKING,
)
def c_zo_n(S: Samples, function: Gatherer, pick: Fn1) -> AnyValue:
    """One pick from what the function finds in the outputs but not in the inputs.

    >>> call("c_zo_n", ((((1, 2),), ((2, 3),)),), fn("p_g"), fn("first"))
    3
    """
    return pick(c_zo(S, function))


@op
def a_mr(S: FilledSamples) -> Integer:
    """The smallest number for mir_rot_t that turns every input into its output.

    >>> call("a_mr", ((((1, 2),), ((2, 1),)),))
    2
    """
    for turn in range(NO_TURN + 1):
        if all(mir_rot_t(before, turn) == after for before, after in S):
            return turn
    raise OpFailed("INDEX")
