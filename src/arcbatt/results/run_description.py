"""What a writer of results gets from a run."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from arcbatt.engine.records.record import Record
from arcbatt.engine.records.verdicts import Outputs
from arcbatt.engine.scoring.tally import Marks
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Program
from arcbatt.tasks import Task

# The lines of JSON of a record: each solver with plain data.
Lines = Callable[[Record], Iterable[tuple[Program, dict[str, Any]]]]
Winning = Callable[[Program, Task], Outputs]
Marking = Callable[[Record], dict[Program, Marks]]


@dataclass(frozen=True)
class RunDescription:
    """What is written of a record of a run: lines of JSON, the outputs of a winner, the marks of differs.

    `differs` is a digest of the differs, if there are any: marks belong to them. With `loses_samples` a lost
    sample is lost for all programs of its task, else for one. The archive tells of the run by `command`,
    and by `settings` besides programs, tasks and terms.
    """

    command: str
    lines: Lines
    winning: Winning
    marking: Marking | None = None
    differs: str = ""
    loses_samples: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)


class OutputsLost(ArcbattError):
    """A winner that runs again for its outputs, and has none: a limit of time or memory came first."""
