"""The exceptions of the package: all derive from `ArcbattError` and carry one clear sentence."""

from typing import Any


class ArcbattError(Exception):
    """Base of every exception that arcbatt raises on purpose; its text is written for users."""


class ValueRefused(ArcbattError, ValueError):
    """A Python object that is not a value of the language, or that exceeds a limit."""


class LimitPassed(ValueRefused):
    """A value that is larger, or nested deeper, than the limits allow; higher limits would accept it."""


class ResultMissing(ArcbattError, KeyError):
    """A run has no result for a program and a task."""

    __str__ = Exception.__str__  # a KeyError would put the sentence in quotes


class AmbiguousName(ArcbattError, LookupError):
    """A name that several programs share; the message lists them."""


class TaskError(ArcbattError):
    """Task data that cannot be read; the message names the file, the task and the sample."""


class TaskMissing(TaskError, KeyError):
    """A set has no task of an id."""

    __str__ = Exception.__str__  # a KeyError would put the sentence in quotes


class PlaceMissing(TaskError, IndexError):
    """A set has no task at an index."""


class BackendError(ArcbattError):
    """A requested backend that is not available here."""


class OutOfMemory(BackendError, MemoryError):
    """A program needs more memory than a lane can have."""


class RefusedProgramWarning(UserWarning):
    """Programs of a text, file or folder that are not plain DSL and are left out; the others are read."""


class NothingRunWarning(UserWarning):
    """A run with nothing to do: no program has a task among the tasks, or one of the two is empty."""


class ProgramError(ArcbattError):
    """A program that is not plain DSL; the message says where, and what would be right.

    `program` is the name of the refused function; it is empty if the fault is outside functions.
    If a whole file is refused, `others` has the errors after the first.
    """

    def __init__(
        self, reason: str, file: str = "<string>", line: int = 1, column: int = 1, program: str = ""
    ) -> None:
        super().__init__(f"{file}:{line}:{column}: {reason}")
        self.reason, self.file, self.line, self.column, self.program = reason, file, line, column, program
        self.others: list[ProgramError] = []

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep the location in copies and in errors sent to another process."""
        place = self.reason, self.file, self.line, self.column, self.program
        return type(self), place, {"others": self.others}
