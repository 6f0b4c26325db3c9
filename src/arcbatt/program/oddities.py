"""Oddities: faults of a program file that do not stop its reading, reported by kind with line and count."""

import ast
from collections.abc import Callable
from dataclasses import dataclass

from arcbatt.errors import ProgramError


@dataclass(frozen=True)
class Oddity:
    """A fault of a file: where it occurs first, how often, the reason, and its effect.

    >>> print(Oddity("batt.py", 7, 3, "there is no op 'rot09'", "the line fails with TYPE"))
    batt.py:7: there is no op 'rot09': the line fails with TYPE (3 places)
    """

    file: str
    line: int
    count: int
    reason: str
    effect: str

    def __str__(self) -> str:
        places = f" ({self.count:,} places)" if self.count > 1 else ""
        return f"{self.file}:{self.line}: {self.reason}: {self.effect}{places}"


class Oddities:
    """Collects the oddities of a file by kind; with `strict` the first one is an error."""

    def __init__(self, file: str, strict: bool) -> None:
        self.file, self.strict = file, strict
        self._first: dict[str, tuple[int, str, str]] = {}
        self._counts: dict[str, int] = {}

    def add(self, kind: str, node: ast.AST, reason: str | Callable[[], str], effect: str) -> None:
        """Note an oddity, or refuse it; a callable `reason` is called only for the first of its kind."""
        if self.strict:
            raise refusal(node, self.file, reason if isinstance(reason, str) else reason())
        if kind not in self._first:
            text = reason if isinstance(reason, str) else reason()
            self._first[kind] = getattr(node, "lineno", 1), text, effect
        self._counts[kind] = self._counts.get(kind, 0) + 1

    @property
    def total(self) -> int:
        """The number of oddities of all kinds."""
        return sum(self._counts.values())

    @property
    def found(self) -> tuple[Oddity, ...]:
        """The oddities noted, one of each kind."""
        return tuple(
            Oddity(self.file, line, self._counts[kind], reason, effect)
            for kind, (line, reason, effect) in self._first.items()
        )


def refusal(node: ast.AST, file: str, reason: str, program: str = "") -> ProgramError:
    """The error that refuses a piece of syntax, naming the program that contains it."""
    column = getattr(node, "col_offset", 0) + 1
    return ProgramError(reason, file, getattr(node, "lineno", 1), column, program)
