"""Verdicts on outputs and scores of them: what they are, and the bytes that they are kept as."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from arcbatt.dsl.contract import (
    BEST_SCORE,
    COLOR_COUNT,
    EXACT,
    FAILED,
    NO_SCORE,
    PART_OF_CELLS,
    PART_OF_COLORS,
    PART_OF_SIDE,
    UNJUDGED,
    WRONG,
    Status,
)
from arcbatt.dsl.failures import KINDS, Failure, Kind
from arcbatt.dsl.types import is_filled_grid
from arcbatt.dsl.values import Value

# Exact or not; the kind of a failure; None for a value that is compared with nothing.
Verdict: TypeAlias = bool | Kind | None
Outputs: TypeAlias = Sequence[Value | Failure]
# The verdicts and scores of a task as backends write them: program by program, sample by sample.
Judged: TypeAlias = tuple[bytes, bytes]

# The meaning of a verdict's byte.
FAILURES: dict[int, Kind] = {FAILED + Status[kind]: kind for kind in KINDS}
VERDICTS: dict[int, Verdict] = {WRONG: False, EXACT: True, UNJUDGED: None, **FAILURES}


def verdict_code(outcome: Value | Failure, expected: Any, judged: bool) -> int:
    """The verdict on an outcome, as a byte; an outcome that is not judged is neither right nor wrong."""
    if isinstance(outcome, Failure):
        return FAILED + Status[outcome.kind]
    if expected is None or not judged:
        return UNJUDGED
    return EXACT if outcome == expected else WRONG


def failures_in(rows: Sequence[bytes]) -> dict[Kind, int]:
    """The number of failures among verdicts, by kind."""
    return {kind: sum(row.count(code) for row in rows) for code, kind in FAILURES.items()}


def with_failures(verdicts: bytes, solvers: Sequence[int], failures: bytes, samples: int) -> bytes:
    """Verdicts of mode `default` with the `failures` that some solvers, by index, have in mode `fail`.

    An exact output stays exact; any other output counts as failed if a node failed in mode `fail`.

    >>> type_failure = verdict_code(Failure("TYPE"), None, True)
    >>> [VERDICTS[code] for code in with_failures(bytes([WRONG, EXACT]), [0], bytes([type_failure] * 2), 2)]
    ['TYPE', True]
    """
    import numpy as np  # not above: the import takes longer than the start of a command without it

    if not failures:
        return verdicts
    changed = np.frombuffer(verdicts, np.uint8).reshape(-1, samples).copy()
    failed = np.frombuffer(failures, np.uint8).reshape(-1, samples)
    of_solvers = changed[solvers]
    changed[solvers] = np.where((failed >= FAILED) & (of_solvers != EXACT), failed, of_solvers)
    return changed.tobytes()


def partial_score(outcome: Value | Failure, expected: Any) -> int:
    """How near an output comes to the expected grid, from 0 to 1000; 1000 for the expected output alone.

    100 for the right height and 100 for the right width, 700 for the share of right cells in the larger of
    the two grids, 100 for the share of common colours in the colours of both; each is rounded down. Integers
    that are no colour, 0 to 9, count as one colour more. A failure, or a value that is no grid, has 0.

    >>> partial_score(((1, 2), (3, 4)), ((1, 2), (3, 3)))
    800
    >>> partial_score(((1, 2),), ((1, 2), (3, 3)))
    516
    """
    if isinstance(outcome, Failure):
        return 0
    if outcome == expected:
        return BEST_SCORE
    if not (is_filled_grid(outcome) and is_filled_grid(expected)):
        return 0
    given: Any = outcome
    sides = (len(given) == len(expected)) + (len(given[0]) == len(expected[0]))
    right = sum(a == b for rows in zip(given, expected) for a, b in zip(*rows))
    larger = max(len(grid) * len(grid[0]) for grid in (given, expected))
    found, wanted = (
        {cell if 0 <= cell < COLOR_COUNT else COLOR_COUNT for row in grid for cell in row}
        for grid in (given, expected)
    )
    colors = PART_OF_COLORS * len(found & wanted) // len(found | wanted)
    score: int = PART_OF_SIDE * sides + PART_OF_CELLS * right // larger + colors
    return score


def score_of(outcome: Value | Failure) -> int:
    """The score of a differ's outcome: the Integer that the pair begins with, or NO_SCORE.

    >>> score_of((700, ()))
    700
    """
    if type(outcome) is tuple and len(outcome) == 2 and type(outcome[0]) is int:
        return outcome[0]
    return NO_SCORE
