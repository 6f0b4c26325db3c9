"""Failures of ops, of eight kinds: as data and, inside ops, as an exception."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from arcbatt.dsl.own.errors import Fault, OpError

Kind = Literal["TYPE", "EMPTY", "ZERO", "INDEX", "RANGE", "SIZE", "CALLS", "DEPTH"]
KINDS: tuple[Kind, ...] = get_args(Kind)

MEANINGS: dict[Kind, str] = {
    "TYPE": "an argument has a shape its parameter does not admit, or a function does not fit",
    "EMPTY": "a container, patch or grid that must hold something is empty",
    "ZERO": "division by zero, or a step or factor of zero",
    "INDEX": "a location, rank or element that is not there",
    "RANGE": "an integer of the result does not fit 32 bits",
    "SIZE": "a result heavier than the item limit",
    "CALLS": "more function applications in one op than the call limit",
    "DEPTH": "a value or a stack of applications deeper than the depth limit",
}


@dataclass(frozen=True)
class Failure:
    """The outcome of an op, node or program that has no value.

    `node` is the node of the program that failed first, if any. In the outcome of a single call, `error` is
    the fault of the user's op that caused the failure; failures are equal with and without it.

    >>> Failure("ZERO")
    Failure(kind='ZERO', node=None)
    """

    kind: Kind
    node: object | None = None
    error: "OpError | None" = field(default=None, repr=False, compare=False)


class OpFailed(Exception):
    """Raised inside an op; the engine turns it into a `Failure`, so users never see it.

    `fault` is what a user's own op has done wrong, if that is the cause.
    """

    def __init__(self, kind: Kind, fault: "Fault | None" = None) -> None:
        super().__init__(kind)
        self.kind: Kind = kind
        self.fault = fault
