"""What a run gives: a verdict for each program, task and sample, outputs on demand, and statistics."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from arcbatt.dsl.failures import KINDS, Failure, Kind
from arcbatt.dsl.values import Value
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Program
from arcbatt.tasks import Grid, Task

# Exact or not; how the program failed; None where there is a value and nothing to compare it with.
Verdict: TypeAlias = bool | Kind | None
Outputs: TypeAlias = tuple[Value | Failure, ...]


def verdict(program: Program, outcome: Value | Failure, expected: Grid | None) -> Verdict:
    """The verdict on one outcome; a differ is never right or wrong."""
    if isinstance(outcome, Failure):
        return outcome.kind
    if expected is None or program.kind == "differ":
        return None
    return outcome == expected


@dataclass(frozen=True)
class Outcome:
    """One program on one task."""

    program: Program
    task: Task
    verdicts: tuple[Verdict, ...] = field(repr=False)
    _rerun: Callable[[Program, Task], Outputs] = field(repr=False, compare=False)

    @property
    def demo(self) -> tuple[bool, ...]:
        """For each demo sample whether the output is exact."""
        return tuple(verdict is True for verdict in self.verdicts[: len(self.task.demo)])

    @property
    def test(self) -> tuple[bool, ...]:
        """For each test sample whether the output is exact."""
        return tuple(verdict is True for verdict in self.verdicts[len(self.task.demo) :])

    @property
    def solved(self) -> bool:
        """Whether every sample with a known output is exact."""
        known = [v for v, sample in zip(self.verdicts, self.task.samples) if sample.output is not None]
        return bool(known) and all(verdict is True for verdict in known)

    @property
    def failures(self) -> dict[Kind, int]:
        """How many samples failed, by kind."""
        counts = Counter(verdict for verdict in self.verdicts if isinstance(verdict, str))
        return {kind: counts[kind] for kind in KINDS if counts[kind]}

    @cached_property
    def outputs(self) -> Outputs:
        """One value or Failure a sample, demo then test; made when first asked for, not kept by the run."""
        return self._rerun(self.program, self.task)

    def as_json(self) -> dict[str, Any]:
        """The outcome as plain data."""
        return {
            "program": self.program.name,
            "task": self.task.id,
            "demo": list(self.demo),
            "test": list(self.test),
            "solved": self.solved,
            "failures": self.failures,
        }


@dataclass
class Stats:
    """What a run did and how long it took."""

    backend: str
    why: str
    threads: int
    programs: int = 0
    tasks: int = 0
    nodes: int = 0
    evaluations: int = 0
    failures: dict[Kind, int] = field(default_factory=dict)
    seconds: float = 0.0
    seconds_by_stage: dict[str, float] = field(default_factory=dict)

    @property
    def evaluations_per_second(self) -> float:
        """Programs run on samples in a second."""
        return self.evaluations / self.seconds if self.seconds else 0.0


class Results:
    """The outcomes of a run by (program name, task id)."""

    def __init__(self, outcomes: dict[tuple[str, str], Outcome], stats: Stats) -> None:
        self._outcomes = outcomes
        self.stats = stats

    @cached_property
    def solved(self) -> frozenset[tuple[str, str]]:
        """The (program name, task id) of which every sample is exact."""
        return frozenset(key for key, outcome in self._outcomes.items() if outcome.solved)

    def __getitem__(self, key: tuple[str, str]) -> Outcome:
        try:
            return self._outcomes[key]
        except KeyError:
            raise ArcbattError(f"there is no result for program and task {key!r} in this run") from None

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self._outcomes.values())

    def __len__(self) -> int:
        return len(self._outcomes)

    def __repr__(self) -> str:
        stats = self.stats
        return f"<results of {stats.programs} programs on {stats.tasks} tasks, {len(self.solved)} solved>"

    def summary(self) -> dict[str, Any]:
        """The run in numbers, as plain data."""
        stats = self.stats
        return {
            "programs": stats.programs,
            "tasks": stats.tasks,
            "evaluations": stats.evaluations,
            "solved": len(self.solved),
            "seconds": round(stats.seconds, 6),
            "evaluations_per_second": round(stats.evaluations_per_second, 1),
            "backend": stats.backend,
            "threads": stats.threads,
        }


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `results` holds all that was done by then."""

    def __init__(self, results: Results) -> None:
        super().__init__("the run was interrupted")
        self.results = results
