"""Failures of ops, of eight kinds: as data and, inside ops, as an exception."""

from dataclasses import dataclass
from typing import Literal, get_args

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

    `node` is the node of the program that failed first, where there is one.

    >>> Failure("ZERO")
    Failure(kind='ZERO', node=None)
    """

    kind: Kind
    node: object | None = None


class OpFailed(Exception):
    """Raised inside an op; the engine turns it into a `Failure`, so no user ever sees it."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(kind)
        self.kind: Kind = kind
