"""Counts over the record of a batt on a task: outputs, exact samples, marks, failures."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from arcbatt.dsl.contract import EXACT
from arcbatt.dsl.failures import Kind
from arcbatt.engine.records.record import Outcome, Record
from arcbatt.engine.records.replies import Ending
from arcbatt.engine.records.verdicts import FAILURES
from arcbatt.engine.scoring.differs import marks_of
from arcbatt.program.graph import RAW_INPUT, Program, ProgramKind
from arcbatt.tasks import Task


@dataclass
class Tally:
    """Counts over the samples of a task, or of many.

    `asked` counts the pairs of a solver and a sample, `outputs` those that did not fail, `demo_exact` and
    `test_exact` those whose output is the expected one, `failures` those that failed, by kind. `marks` is the
    sum and `scored` the number of the marks that differs give to solvers' outputs on samples whose output is
    known. `ends` counts the samples lost to a crash or a limit of time or memory, by status and kind.
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


class Marks(NamedTuple):
    """The sum of some marks of differs, and how many there are."""

    total: int
    number: int


NO_MARKS = Marks(0, 0)


def groups_of(programs: Sequence[Program]) -> list[tuple[int, ...]]:
    """The indices of programs in groups: each solver with the differs that score its output.

    A differ of a solver that is not there goes with the first one, a differ of the raw input with none.

    >>> from arcbatt.program.merge import batt_of
    >>> from arcbatt.program.parse import parse_programs
    >>> solvers = parse_programs("def a(I): return rot90(I)\\ndef b(I): return rot180(I)")
    >>> batt = batt_of(solvers, parse_programs("def differ_y(S, I, C): return astuple(I, C)"))
    >>> [[batt.programs[index].name for index in group] for group in groups_of(batt.programs)]
    [['a', 'differ_y(a)'], ['b', 'differ_y(b)']]
    """
    groups = {index: [index] for index, program in enumerate(programs) if program.kind == "solver"}
    owners: dict[str, int] = {}
    for index in groups:
        owners.setdefault(programs[index].id, index)
    for index, program in enumerate(programs):
        if program.kind == "differ" and program.scored_id != RAW_INPUT:
            owner = owners.get(program.scored_id, next(iter(groups), index))
            groups.setdefault(owner, []).append(index)
    return [tuple(group) for group in groups.values()]


@dataclass(frozen=True)
class TaskTally:
    """The counts of one task, and its winners: the solvers that are exact wherever the output is known."""

    record: Record
    known: Marks = NO_MARKS  # of solvers whose differs are not in the record: their results were known

    @property
    def task(self) -> Task:
        """The task."""
        return self.record.task

    @cached_property
    def tally(self) -> Tally:
        """The counts."""
        record, samples, demo = self.record, self.task.samples, len(self.task.demo)
        lost = dict(record.ends)
        rows = record.table()[self._places("solver")]
        counts = {kind: int((rows == code).sum()) for code, kind in FAILURES.items()}
        failures = {kind: count for kind, count in counts.items() if count}
        known = [k for k, sample in enumerate(samples) if sample.output is not None and k not in lost]
        scores = marks_of(record.scores, len(record.programs), len(samples))
        marks = scores[self._places("differ")][:, known]
        return Tally(
            samples=len(samples),
            asked=len(rows) * len(samples),
            outputs=len(rows) * (len(samples) - len(lost)) - sum(failures.values()),
            demo_exact=int((rows[:, :demo] == EXACT).sum()),
            test_exact=int((rows[:, demo:] == EXACT).sum()),
            marks=int(marks.sum()) + self.known.total,
            scored=marks.size + self.known.number,
            failures=Counter(failures),
            ends=Counter((end.status, end.kind) for end in lost.values()),
        )

    def _places(self, kind: ProgramKind) -> list[int]:
        """The indices of the solvers, or of the differs on solvers' outputs."""
        return [
            index
            for index, program in enumerate(self.record.programs)
            if program.kind == kind and (kind == "solver" or program.scored_id != RAW_INPUT)
        ]

    def marks_by_solver(self) -> dict[int, Marks]:
        """The marks of the outputs of each solver, by its index; a lost sample has none."""
        record, lost = self.record, dict(self.record.ends)
        samples = self.task.samples
        known = [k for k, sample in enumerate(samples) if sample.output is not None and k not in lost]
        scores = marks_of(record.scores, len(record.programs), len(samples))
        found: dict[int, Marks] = {}
        for solver, *differs in groups_of(record.programs):
            marks = scores[differs][:, known]
            found[solver] = Marks(int(marks.sum()), marks.size)
        return found

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
        """The number of samples lost to a crash or a limit of time or memory."""
        return len(self.record.ends)

    def outcomes(self) -> Iterator[Outcome]:
        """The outcome of each solver on the task; a lost sample is not exact."""
        return (outcome for outcome in self.record.outcomes() if outcome.program.kind == "solver")
