"""Replies of workers: the result of a piece of work, or why there is none."""

from dataclasses import dataclass, field, replace
from typing import Generic, Literal, NamedTuple, TypeVar

from arcbatt.dsl.own.errors import OpError
from arcbatt.program.graph import Program

Ending = Literal["ok", "failed", "timeout", "out of memory", "crashed", "given up", "refused"]
Result = TypeVar("Result")


class OpFault(NamedTuple):
    """A kind of fault of own ops on a sample: the first program that it came up in, and in how many it did.

    `row` is the number of that program among those that ran together.
    """

    error: OpError
    row: int
    programs: int

    def of(self, program: Program, task: str, sample: str) -> OpError:
        """The fault with its first case."""
        return replace(self.error, program=program.name, task=task, sample=sample, count=self.programs)


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
