"""Replies of workers: the result of a piece of work, or why there is none."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeVar

from arcbatt.dsl.own.errors import OpError
from arcbatt.program.graph import Program
from arcbatt.tasks import Task

Ending = Literal["ok", "failed", "timeout", "out of memory", "crashed", "given up", "refused"]
Result = TypeVar("Result")


class OpFault(Protocol):
    """A kind of fault of an own op on a sample, and the place of the first program that it came up in."""

    @property
    def place(self) -> int:
        """The place of the program."""

    def on(self, programs: Sequence[Program], place: int, task: Task, sample: int) -> OpError:
        """The fault with its first case."""

    def of(self, programs: Sequence[Program], task: str, sample: str) -> OpError:
        """The same where the sample is known by its name."""


@dataclass(frozen=True)
class Reply(Generic[Result]):
    """The result of a piece of work in a worker, or why there is none.

    `kind` is the class of the exception if the status is `failed`, the end of the process (`SIGSEGV`,
    `exit 3`) if it is `crashed`, the op at fault if it was `given up`, and what a task weighs that was
    `refused`. `reason` says more on a failure and on an op that was given up. `op` is the user's own op that
    was at work when a limit of time or memory, or a crash, came. `seen` are the faults of own ops.
    """

    status: Ending
    result: Result | None = None
    kind: str = ""
    reason: str = ""
    op: str = field(default="", repr=False)
    seen: tuple[OpFault, ...] = field(default=(), repr=False)
