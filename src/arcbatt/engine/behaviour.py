"""The behaviour of a program: one number for its outputs on all samples, which equal outputs share."""

from array import array
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TypeGuard

from arcbatt.dsl.contract import (
    DIGEST_FACTOR,
    DIGEST_OF_FAILURE,
    DIGEST_OF_FUNCTION,
    DIGEST_OF_NAME,
    DIGEST_OF_ROW,
    DIGEST_OF_SET,
    DIGEST_OF_TUPLE,
    Status,
)
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.values import Function, Value, ordered

ALL_BITS = (1 << 64) - 1


def behaviour_of(outcomes: Sequence[Value | Failure]) -> int:
    """The digest of a program's outcomes, 64 bits; a failure counts by its kind.

    Programs with equal outcomes have equal digests; those with other outcomes have others, but for chance.

    >>> behaviour_of([((1, 2), (3, 4)), Failure("TYPE")]) == behaviour_of([((1, 2), (3, 4)), Failure("SIZE")])
    False
    """
    return _mixed_all(DIGEST_OF_TUPLE, len(outcomes), map(_digest_of_outcome, outcomes))


def digest_of(value: Value) -> int:
    """The digest of a value: of an Integer itself, of all else its kind, its length and what it holds.

    A Tuple of Integers from -128 to 127, such as a row of a grid, is taken eight at a time.
    """
    if isinstance(value, int):
        return value & ALL_BITS
    if _is_row(value):
        letters = array("b", value).tobytes()
        words = (int.from_bytes(letters[k : k + 8], "little") for k in range(0, len(letters), 8))
        return _mixed_all(DIGEST_OF_ROW, len(value), words)
    if isinstance(value, Function):
        start = _mixed(DIGEST_OF_FUNCTION, _digest_of_name(value.name))
        return _mixed_all(start, len(value.parts), map(digest_of, value.parts))
    start = DIGEST_OF_TUPLE if isinstance(value, tuple) else DIGEST_OF_SET
    return _mixed_all(start, len(value), map(digest_of, ordered(value)))


def _is_row(value: Value) -> TypeGuard[tuple[int, ...]]:
    if not isinstance(value, tuple) or set(map(type, value)) != {int}:
        return False
    return bool(min(value) >= -128 and max(value) <= 127)


def _digest_of_outcome(outcome: Value | Failure) -> int:
    if isinstance(outcome, Failure):
        return _mixed(DIGEST_OF_FAILURE, Status[outcome.kind])
    return digest_of(outcome)


@cache
def _digest_of_name(name: str) -> int:
    letters = name.encode()
    return _mixed_all(DIGEST_OF_NAME, len(letters), letters)


def _mixed_all(start: int, count: int, words: Iterable[int]) -> int:
    digest = _mixed(start, count)
    for word in words:
        digest = _mixed(digest, word)
    return digest


def _mixed(digest: int, word: int) -> int:
    """A digest with a word mixed in: no digest that differs before is equal afterwards."""
    product = (digest ^ word) * DIGEST_FACTOR & ALL_BITS
    return product ^ product >> 32
