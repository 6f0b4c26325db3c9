"""What the tables of the language tests are made of: one call of an op and what it must give."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import arcbatt as ab
from arcbatt.dsl.values import text

Call = Callable[..., Any]

HIGHEST = 2**31 - 1
LOWEST = -(2**31)


def setof(*elements: Any) -> frozenset[Any]:
    """A Set of the language: `setof(1, 2)`."""
    return frozenset(elements)


def constantly(value: Any) -> Any:
    """A function value of one argument that gives `value` whatever it gets: x -> branch(1, value, x)."""
    return ab.fn("lbind", ab.fn("lbind", ab.fn("branch"), 1), value)


def failed(outcome: Any) -> Any:
    """The kind of a failure; a value stays as it is, so that a wrong outcome shows itself."""
    return outcome.kind if isinstance(outcome, ab.Failure) else outcome


def shown(part: Any) -> str:
    """A value in the name of a test: short, and the same in every process, as sets of functions are not."""
    return part if isinstance(part, str) else text(part, 60)


@dataclass(frozen=True)
class Case:
    """A line of a table."""

    op: str
    arguments: tuple[Any, ...]
    gives: Any
    fails: str | None

    def __str__(self) -> str:
        return f"{self.op}{shown(self.arguments)}"

    def check(self, call: Call) -> None:
        outcome = call(self.op, *self.arguments)
        if self.fails is not None:
            assert failed(outcome) == self.fails
        else:
            assert outcome == self.gives


def case(op: str, *arguments: Any, gives: Any = None, fails: str | None = None) -> Case:
    """`case("first", (5, 7), gives=5)` or `case("first", (), fails="EMPTY")`."""
    assert (gives is None) != (fails is None)
    return Case(op, arguments, gives, fails)
