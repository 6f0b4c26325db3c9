"""Sequences of outcomes that stay packed in the core until they are read."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, overload

from arcbatt import _core
from arcbatt.dsl.failures import Failure, Kind
from arcbatt.dsl.values import Value


class PackedOutcomes(Sequence[Value | Failure]):
    """A sequence of values and failures; the first read converts all of them to Python values."""

    __slots__ = ("_count", "_kept", "_made", "_start")

    def __init__(self, kept: _core.OutcomeStore, start: int, count: int) -> None:
        self._kept: _core.OutcomeStore | None = kept
        self._start, self._count = start, count
        self._made: tuple[Value | Failure, ...] = ()

    @property
    def values(self) -> tuple[Value | Failure, ...]:
        """All of them as Python values."""
        if self._kept is not None:
            self._made = self._kept.values(self._start, self._count)
            self._kept = None
        return self._made

    @property
    def failures(self) -> Counter[Kind]:
        """The number of failures by kind, counted without converting values."""
        return Counter(self.kinds_of_failures())

    def kinds_of_failures(self) -> list[Kind]:
        """The kind of each failure, in the order of the outcomes."""
        if self._kept is not None:
            return self._kept.failures(self._start, self._count)
        return [outcome.kind for outcome in self._made if isinstance(outcome, Failure)]

    def replace_failures(self, value_of: Callable[[int], Value]) -> None:
        """Put values in place of the failures, by their indices; only before anybody has read an outcome."""
        assert self._kept is not None
        indices = self._kept.places_of_failures(self._start, self._count)
        values = [value_of(index) for index in indices]
        self._kept.replace([self._start + index for index in indices], values)

    def one(self, index: int) -> Value | Failure:
        """One of them as a Python value; the others stay packed."""
        if self._kept is None:
            return self._made[index]
        made: tuple[Value | Failure, ...] = self._kept.values(self._start + index, 1)
        return made[0]

    def first_difference(self, other: "PackedOutcomes") -> int | None:
        """The index of the first outcome that differs; if none was read yet, packed forms are compared."""
        if self._kept is None or other._kept is None:
            pairs = zip(self.values, other.values, strict=True)
            return next((index for index, (one, two) in enumerate(pairs) if one != two), None)
        index = self._kept.first_difference(self._start, other._kept, other._start, self._count)
        return index if index < self._count else None

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Value | Failure: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Value | Failure, ...]: ...
    def __getitem__(self, index: int | slice) -> Value | Failure | tuple[Value | Failure, ...]:
        return self.values[index]

    def __iter__(self) -> Any:
        return iter(self.values)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PackedOutcomes | tuple | list):
            return self.values == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.values)

    def __add__(self, other: Iterable[Any]) -> list[Any]:
        return [*self, *other]

    def __radd__(self, other: Iterable[Any]) -> list[Any]:
        return [*other, *self]

    def __repr__(self) -> str:
        return repr(list(self.values))

    def __reduce__(self) -> Any:
        return tuple, (self.values,)


class PackedColumn(PackedOutcomes):
    """Outcomes of a batch that stay packed after a read, too: the next batch takes them without conversion.

    `ops` are the user's own ops at the time: they number the functions among the outcomes.
    """

    __slots__ = ("_column", "ops")

    def __init__(self, kept: _core.OutcomeStore, count: int, ops: Any) -> None:
        self._kept, self._start, self._count, self._made = kept, 0, count, ()
        self._column = kept, 0
        self.ops = ops

    @property
    def packed(self) -> tuple[_core.OutcomeStore, int]:
        """The column as the core takes it: the store of outcomes, and the number of the first."""
        return self._column
