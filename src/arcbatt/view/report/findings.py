"""What a report tells: programs, tasks, and what each program did on each task, in compact columns."""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from arcbatt.dsl.failures import KINDS
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.engine.backend import FailureMode
from arcbatt.engine.records.record import Outcome
from arcbatt.engine.records.verdicts import Verdict
from arcbatt.program.graph import Program
from arcbatt.tasks import Sample, Task

IS_EXACT, IS_WRONG, NOT_JUDGED = "1", "0", "-"
NO_MEAN = -1
Origin = Literal["library", "file", "unknown"]  # where the programs stand
Pair = tuple[int, int]  # the number of a task, and that of a program


class Pattern(NamedTuple):
    """What a program did on the samples of a task.

    `exact` has a letter for each sample, demo then test: `1` exact, `0` not, `-` not judged. `failures` are
    the numbers of failed samples by kind, `lost` is the number of samples without a result.
    """

    exact: str
    failures: tuple[tuple[str, int], ...] = ()
    lost: int = 0

    @property
    def solved(self) -> bool:
        """Whether every sample with a known output is exact.

        >>> Pattern("11-").solved, Pattern("10").solved, Pattern("--").solved
        (True, False, False)
        """
        return IS_EXACT in self.exact and IS_WRONG not in self.exact


def pattern_of(outcome: Outcome) -> Pattern:
    """The pattern of an outcome."""
    exact = "".join(letter_of(verdict) for verdict in outcome.demo + outcome.test)
    return Pattern(exact, tuple(outcome.failures.items()), outcome.lost)


def letter_of(exact: bool | None) -> str:
    """The letter of a sample."""
    return NOT_JUDGED if exact is None else IS_EXACT if exact else IS_WRONG


def pattern_of_verdicts(verdicts: Sequence[Verdict], samples: Sequence[Sample]) -> Pattern:
    """The pattern of verdicts; None on a sample with a known output means that its result was lost.

    >>> samples = [Sample(((1,),), ((1,),)), Sample(((2,),), None)]
    >>> pattern_of_verdicts(["TYPE", None], samples)
    Pattern(exact='0-', failures=(('TYPE', 1),), lost=0)
    """
    known = [sample.output is not None for sample in samples]
    exact = "".join(letter_of(told is True if judged else None) for told, judged in zip(verdicts, known))
    counts = Counter(verdict for verdict in verdicts if isinstance(verdict, str))
    lost = sum(told is None and judged for told, judged in zip(verdicts, known))
    return Pattern(exact, tuple((kind, counts[kind]) for kind in KINDS if counts[kind]), lost)


@dataclass(frozen=True)
class Subject:
    """A program as a report knows it: by its name at least; with `program` it can run."""

    name: str
    hash: str = ""
    source: str = ""
    program: Program | None = field(default=None, compare=False, repr=False)

    @property
    def lines(self) -> int:
        """The lines of the source below its first; 0 if the source is not known."""
        return max(0, self.source.count("\n") - 1)


@dataclass
class TaskFindings:
    """A task and the programs on it: columns of their numbers, of patterns and of scores.

    A score is the mean partial score of the demo samples, from 0 to 1000, or `NO_MEAN`. `seconds` is what a
    search has spent on the task. With `is_ranked` the programs stand best first: a search knows more of them
    than their samples tell.
    """

    id: str
    demo: int
    test: int
    task: Task | None = None
    seconds: float | None = None
    is_ranked: bool = False
    programs: "array[int]" = field(default_factory=lambda: array("L"))
    patterns: "array[int]" = field(default_factory=lambda: array("L"))
    scores: "array[int]" = field(default_factory=lambda: array("l"))

    def put(self, programs: Iterable[int], patterns: Iterable[int], scores: Iterable[int]) -> None:
        """Replace the columns."""
        self.programs, self.patterns = array("L", programs), array("L", patterns)
        self.scores = array("l", scores)


class LineageStep(NamedTuple):
    """A step of a lineage: the program with the number `child` was made of the one with the hash `parent`."""

    child: int
    parent: str
    mutation: str


class KeptTime(NamedTuple):
    """The score and time of a program on a task in a kept population."""

    program: int
    task: str
    score: float
    time: float


@dataclass
class ReportFindings:
    """All that a report tells.

    `kind` is the command that found it, or `archive`; `on_failure` and `limits` are its settings. `notes` are
    sentences on what is missing, and why. `outputs` has for chosen pairs the outcome of each sample as text,
    `times` the seconds of chosen pairs. A run of `runs` is a command, how far it got, and its settings.
    """

    title: str
    kind: str
    summary: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    origin: Origin = "unknown"
    on_failure: FailureMode = "fail"
    limits: Limits = DEFAULT_LIMITS
    subjects: list[Subject] = field(default_factory=list)
    patterns: list[Pattern] = field(default_factory=list)
    tasks: list[TaskFindings] = field(default_factory=list)
    steps: list[LineageStep] = field(default_factory=list)
    kept: list[KeptTime] = field(default_factory=list)
    runs: list[tuple[str, str, str]] = field(default_factory=list)
    outputs: dict[Pair, list[str]] = field(default_factory=dict)
    times: dict[Pair, float] = field(default_factory=dict)
    _subjects: dict[tuple[str, str], int] = field(default_factory=dict, repr=False)
    _programs: dict[int, tuple[int, Program]] = field(default_factory=dict, repr=False)  # by object
    _patterns: dict[Pattern, int] = field(default_factory=dict, repr=False)

    def number_of(self, subject: Subject) -> int:
        """The number of a program, which is new or known by name and hash."""
        key = subject.name, subject.hash
        number = self._subjects.get(key)
        if number is None:
            number = self._subjects[key] = len(self.subjects)
            self.subjects.append(subject)
        return number

    def number_of_program(self, program: Program) -> int:
        """The number of a program that is known in full."""
        number, _ = self._programs.get(id(program), (None, None))
        if number is None:  # its source is made once
            number = self.number_of(Subject(program.name, program.hash, program.source(), program))
            self._programs[id(program)] = number, program
        return number

    def add(self, task: TaskFindings, program: int, pattern: Pattern, score: int = NO_MEAN) -> None:
        """Add what a program did on a task."""
        number = self._patterns.get(pattern)
        if number is None:
            number = self._patterns[pattern] = len(self.patterns)
            self.patterns.append(pattern)
        task.programs.append(program)
        task.patterns.append(number)
        task.scores.append(score)

    @property
    def pairs(self) -> int:
        """The number of pairs of program and task."""
        return sum(len(task.programs) for task in self.tasks)

    def counts(self) -> dict[str, Any]:
        """The pairs in numbers: solved tasks and pairs, evaluations, failures by kind, lost samples."""
        told = [Counter(task.patterns) for task in self.tasks]
        solved = [number for number, pattern in enumerate(self.patterns) if pattern.solved]
        failures: Counter[str] = Counter()
        for number, count in sum(told, Counter()).items():
            for kind, failed in self.patterns[number].failures:
                failures[kind] += failed * count
        return {
            "tasks": len(self.tasks),
            "programs": len(self.subjects),
            "pairs": self.pairs,
            "tasks_solved": sum(any(counts[number] for number in solved) for counts in told),
            "pairs_solved": sum(counts[number] for counts in told for number in solved),
            "evaluations": sum(len(task.programs) * (task.demo + task.test) for task in self.tasks),
            "failures": {kind: failures[kind] for kind in KINDS if failures[kind]},
            "lost": sum(self.patterns[number].lost * count for one in told for number, count in one.items()),
        }


def shortened(findings: ReportFindings, most: int) -> None:
    """Leave each task its best programs, so that there are at most `most` pairs in all or one a task."""
    if findings.pairs <= most:
        return
    room = max(1, most // max(1, len(findings.tasks)))
    findings.notes.append(
        f"There are {findings.pairs:,} pairs of program and task; the lists have the best {room:,} programs "
        "of each task. The numbers in the summary are those of all."
    )
    for task in findings.tasks:
        chosen = sorted(best_first(findings, task)[:room])
        columns = (task.programs, task.patterns, task.scores)
        task.put(*([column[place] for place in chosen] for column in columns))


def best_first(findings: ReportFindings, task: TaskFindings) -> list[int]:
    """The indices of the programs of a task, best first.

    Unless the search has ranked them, the order is that of `Archive.best`: programs that solve the task,
    then by exact demo samples, score and size.
    """
    if task.is_ranked:
        return list(range(len(task.programs)))
    worth = [(one.solved, one.exact[: task.demo].count(IS_EXACT)) for one in findings.patterns]
    lines = [-subject.lines for subject in findings.subjects]
    return sorted(
        range(len(task.programs)),
        key=lambda index: (*worth[task.patterns[index]], task.scores[index], lines[task.programs[index]]),
        reverse=True,
    )
