"""Collectors: the weight that a higher-order op holds, updated after each application."""

from typing import Any

from arcbatt.dsl.table import Collector
from arcbatt.dsl.values import Value, weight

Arguments = tuple[Value, ...]


def tuple_of_results(*arguments: Any) -> Collector:
    """Results in a Tuple: each one counts."""
    total = 1

    def collect(applied_to: Arguments, result: Value) -> int:
        nonlocal total
        total += weight(result)
        return total

    return collect


def set_of_results(*arguments: Any) -> Collector:
    """Results in a Set: equal ones count once."""
    total = 1
    seen: set[Value] = set()

    def collect(applied_to: Arguments, result: Value) -> int:
        nonlocal total
        if result not in seen:
            seen.add(result)
            total += weight(result)
        return total

    return collect


def results_in_kind_of(position: int) -> Any:
    """Results in a container of the kind of the argument at that position."""

    def results_in_kind(*arguments: Any) -> Collector:
        return tuple_of_results() if type(arguments[position]) is tuple else set_of_results()

    return results_in_kind


def kept_elements(*arguments: Any) -> Collector:
    """The elements for which a condition holds."""
    total = 1

    def collect(applied_to: Arguments, result: Value) -> int:
        nonlocal total
        if result:
            total += weight(applied_to[0])
        return total

    return collect


def elements_of_results(samples: tuple[Any, ...], *arguments: Any) -> Collector:
    """The elements of container results, first over all inputs, then afresh over all outputs."""
    total, applications = 1, 0

    def collect(applied_to: Arguments, result: Any) -> int:
        nonlocal total, applications
        if applications == len(samples):
            total = 1
        applications += 1
        total += weight(result) - 1
        return total

    return collect
