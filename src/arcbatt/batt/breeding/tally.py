"""What a batt did on a task, counted in the record of it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from arcbatt.batt.scoring import marks_of
from arcbatt.dsl.contract import EXACT, FAILED
from arcbatt.dsl.failures import Kind
from arcbatt.engine.results import FAILURES, Ending, Outcome, Outputs, Record
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import RAW_INPUT, Program, ProgramKind
from arcbatt.tasks import Task


@dataclass
class Tally:
    """Counts over the samples of a task, or of many.

    `outputs` are the solvers' outputs, of `asked`, that do not count as failed; `demo_exact` and `test_exact`
    those that equal the expected output; `failures` the solvers' failures by kind. `marks` sum up what
    differs give to solvers' outputs, as scoring.py counts it, on samples whose output is known; `scored` are
    so many.
    `ends` counts the samples that came to a bad end, by status and kind.
    """

    samples: int = 0
    asked: int = 0
    outputs: int = 0
    demo_exact: int = 0
    test_exact: int = 0
    marks: int = 0
    scored: int = 0
    failures: Counter[Kind] = field(default_factory=Counter)
    ends: Counter[tuple[Ending, str]] = field(default_factory=Counter)

    def add(self, other: "Tally") -> None:
        """Count another tally in."""
        for name in ("samples", "asked", "outputs", "demo_exact", "test_exact", "marks", "scored"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.failures.update(other.failures)
        self.ends.update(other.ends)

    @property
    def mean(self) -> float | None:
        """The mean mark, from 0 to 1000, that the differs give to solvers' outputs."""
        return self.marks / self.scored if self.scored else None


@dataclass(frozen=True)
class TaskTally:
    """What is counted in the record of one task, and its solvers that are exact where the output is known."""

    record: Record

    @property
    def task(self) -> Task:
        """The task."""
        return self.record.task

    @cached_property
    def tally(self) -> Tally:
        """The counts."""
        record, samples = self.record, self.task.samples
        shape = len(record.programs), len(samples)
        verdicts = np.frombuffer(record.verdicts, np.uint8).reshape(shape)[self._places("solver")]
        tally = Tally(samples=len(samples), asked=verdicts.size)
        lost = dict(record.ends)
        tally.ends.update((end.status, end.kind) for end in lost.values())
        exact = (verdicts == EXACT).sum(axis=0)
        tally.demo_exact = int(exact[: len(self.task.demo)].sum())
        tally.test_exact = int(exact[len(self.task.demo) :].sum())
        kinds, counts = np.unique(verdicts[verdicts >= FAILED], return_counts=True)
        tally.failures.update({FAILURES[kind]: int(count) for kind, count in zip(kinds, counts)})
        tally.outputs = len(verdicts) * (len(samples) - len(lost)) - int(counts.sum())
        known = [k for k, sample in enumerate(samples) if sample.output is not None and k not in lost]
        scores = np.frombuffer(record.scores, np.intc).reshape(shape)[self._places("differ")]
        tally.marks, tally.scored = int(marks_of(scores[:, known]).sum()), len(scores) * len(known)
        return tally

    def _places(self, kind: ProgramKind) -> list[int]:
        """Where the solvers stand, or the differs on a solver's output."""
        return [
            place
            for place, program in enumerate(self.record.programs)
            if program.kind == kind and (kind == "solver" or program.scored_id != RAW_INPUT)
        ]

    @cached_property
    def winners(self) -> tuple[Program, ...]:
        """The solvers that are exact wherever the output is known, each once."""
        return tuple({(program.name, program.root): program for program in self.record.solved_by()}.values())

    @property
    def solvers(self) -> tuple[str, ...]:
        """The names of the winners."""
        return tuple(winner.name for winner in self.winners)

    @property
    def lost(self) -> int:
        """How many samples came to a bad end."""
        return len(self.record.ends)

    def outcomes(self) -> Iterator[Outcome]:
        """What each solver did on the task; a sample that came to a bad end is not exact."""
        return (self.record.outcome(place, _without_outputs) for place in self._places("solver"))


def _without_outputs(program: Program, task: Task) -> Outputs:
    raise ArcbattError(f"the outputs of {program.name} on {task.id} are not kept; run it alone to see them")
