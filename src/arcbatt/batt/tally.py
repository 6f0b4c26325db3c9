"""What a batt did on a task, counted from the judgements of its samples."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from arcbatt.batt.execution import Execution, Judgement
from arcbatt.batt.scoring import marks_of
from arcbatt.batt.worker import Answer, Status
from arcbatt.dsl.contract import EXACT, FAILED, WRONG
from arcbatt.dsl.failures import Kind
from arcbatt.engine.results import FAILURES, VERDICTS, Outcome, Outputs
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import RAW_INPUT, Batt, Program
from arcbatt.tasks import Task
from arcbatt.tasks.samples import batches


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
    ends: Counter[tuple[Status, str]] = field(default_factory=Counter)

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
    """A tally of one task, the solvers that are exact wherever the output is known, and all answers."""

    task: Task
    tally: Tally
    winners: tuple[Program, ...]
    batt: Batt = field(repr=False)
    answers: Sequence[Answer[Judgement]] = field(repr=False)

    @property
    def solvers(self) -> tuple[str, ...]:
        """The names of the winners."""
        return tuple(winner.name for winner in self.winners)

    @property
    def lost(self) -> int:
        """How many samples came to a bad end."""
        return sum(answer.result is None for answer in self.answers)

    def outcomes(self) -> Iterator[Outcome]:
        """What each solver did on the task; a sample that came to a bad end is not exact."""
        for place, program in enumerate(self.batt.programs):
            if program.kind == "solver":
                codes = [answer.result.verdicts[place] if answer.result else WRONG for answer in self.answers]
                verdicts = tuple(VERDICTS[code] for code in codes)
                yield Outcome(program, self.task, verdicts, (None,) * len(verdicts), _without_outputs)


def _without_outputs(program: Program, task: Task) -> Outputs:
    raise ArcbattError(f"the outputs of {program.name} on {task.id} are not kept; run it alone to see them")


def tally_of(batt: Batt, task: Task, answers: Sequence[Answer[Judgement]]) -> TaskTally:
    """What the answers for the samples of a task, demo then test, come to."""
    solvers = [place for place, program in enumerate(batt.programs) if program.kind == "solver"]
    on_solvers = [
        place
        for place, program in enumerate(batt.programs)
        if program.kind == "differ" and program.scored_id != RAW_INPUT
    ]
    tally = Tally(samples=len(answers), asked=len(answers) * len(solvers))
    exact_on: Counter[int] = Counter()
    for number, answer in enumerate(answers):
        if answer.result is None:
            tally.ends[answer.status, answer.kind] += 1
            continue
        codes, scores = answer.result
        exact = [place for place in solvers if codes[place] == EXACT]
        failed = [FAILURES[codes[place]] for place in solvers if codes[place] >= FAILED]
        exact_on.update(exact)
        tally.outputs += len(solvers) - len(failed)
        tally.failures.update(failed)
        if number < len(task.demo):
            tally.demo_exact += len(exact)
        else:
            tally.test_exact += len(exact)
        if task.samples[number].output is not None:
            tally.marks += int(marks_of([scores[place] for place in on_solvers]).sum())
            tally.scored += len(on_solvers)
    known = sum(sample.output is not None for sample in task.samples)
    solved = [batt.programs[place] for place in solvers if known and exact_on[place] == known]
    winners = {(program.name, program.root): program for program in solved}
    return TaskTally(task, tally, tuple(winners.values()), batt, answers)


def tallies(execution: Execution, tasks: Iterable[Task], batch_size: int | None) -> Iterator[TaskTally]:
    """The tally of each task, in order; batches hold so many samples, or without a size one task each."""
    tasks = list(tasks)
    answers = (answer for batch in batches(tasks, batch_size) for answer in execution.judgements(batch))
    for task in tasks:
        yield tally_of(execution.batt, task, [next(answers) for _ in task.samples])
