"""What a batt file of style `batch` imports: ops on columns, and columns as the results of samples."""

from collections.abc import Sequence
from itertools import repeat
from typing import Any

from arcbatt.batt.operations import GPUDSLOperations as GPUDSLOperations
from arcbatt.batt.operations import is_column
from arcbatt.errors import ArcbattError

Entries = list[tuple[int, Any, str, Any]]


def columns_of(demos: Any, inputs: Any, expected: Any) -> tuple[list[Any], list[Any], list[Any], int]:
    """The columns of S, I and C, with an element for each sample, and the number of samples.

    >>> columns_of(((), ()), (((1,),), ((2,),)), (None, None))
    ([(), ()], [((1,),), ((2,),)], [None, None], 2)
    """
    columns = list(demos), list(inputs), list(expected)
    lengths = list(map(len, columns))
    if len(set(lengths)) > 1:
        found = ", ".join(map(str, lengths))
        raise ArcbattError(f"expected Ss, Is and Cs of one length, got {found}; give one of each per sample")
    return *columns, lengths[0]


def rows_of(o: Entries, s: Entries, rows: int) -> list[tuple[Entries, Entries]]:
    """The lists o and s of each sample, from lists whose values are columns.

    >>> rows_of([(1, False, "solve_x", [5, 6])], [], 2)
    [([(1, False, 'solve_x', 5)], []), ([(1, False, 'solve_x', 6)], [])]
    """
    return list(zip(_by_row(o, rows), _by_row(s, rows)))


def _by_row(entries: Sequence[tuple[int, Any, str, Any]], rows: int) -> list[Entries]:
    columns = (column if is_column(column) else [column] * rows for *_, column in entries)
    made = [zip(*map(repeat, entry[:3]), column) for entry, column in zip(entries, columns)]
    return list(map(list, zip(*made))) if made else [[] for _ in range(rows)]
