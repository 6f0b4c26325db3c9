"""Answers: explanations of a task as programs: simplified, replayed by the engine, ranked."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from arcbatt.dsl.limits import DEFAULT_LIMITS
from arcbatt.engine.candidates import CandidateJudge
from arcbatt.engine.records.record import Outcome, Record
from arcbatt.engine.run import run
from arcbatt.program.graph import Node, Program, topological
from arcbatt.program.names import own_name
from arcbatt.program.simplify import shortcuts, simplify
from arcbatt.rendered import Rendered
from arcbatt.tasks import Task
from arcbatt.tasks.read import grid_fault
from arcbatt.tasks.tasks import Grid

if TYPE_CHECKING:
    from arcbatt.search.solve.enumeration import Explanation

Source = Literal["search", "library", "archive", "program"]

PORTION = 8  # explanations that are replayed together


@dataclass(frozen=True)
class Answer(Rendered):
    """A program for a task, as the engine has replayed it alone.

    `cost` is its description length, `layers` the number of pieces that its output is stacked of, `demos` the
    number of demo samples that are exact. `outputs` has for each test input the grid that the program gives,
    or None where it gives none. `provenance` is plain data: where the program comes from.
    """

    task: Task
    program: Program
    cost: int
    layers: int
    demos: int
    source: Source
    outputs: tuple[Grid | None, ...] = field(repr=False)
    provenance: Mapping[str, Any] = field(repr=False)
    record: Record | None = field(default=None, repr=False, compare=False)

    @property
    def fits(self) -> bool:
        """Whether every demo sample is exact; test samples have no part in it."""
        return self.demos == len(self.task.demo) > 0

    @property
    def test(self) -> tuple[bool | None, ...]:
        """For each test input whether the output is right; None where nobody knows."""
        return tuple(
            None if sample.output is None else output == sample.output
            for output, sample in zip(self.outputs, self.task.test)
        )

    @property
    def rank(self) -> tuple[int, int, int, str]:
        """Less is better: more demo samples, then the shorter description, then the smaller program."""
        return -self.demos, self.cost, len(self.program.nodes), self.program.hash

    def as_json(self) -> dict[str, Any]:
        """The answer as plain data."""
        return {
            "program": self.program.name,
            "code": self.program.source(),
            "hash": self.program.hash,
            "cost": self.cost,
            "layers": self.layers,
            "demos": self.demos,
            "fits": self.fits,
            "source": self.source,
            "test": list(self.test),
            "outputs": list(self.outputs),
            "provenance": dict(sorted(self.provenance.items())),
        }


class Replay(NamedTuple):
    """What a program did on all samples of a task when it ran alone."""

    program: Program
    record: Record
    outcome: Outcome

    @property
    def demos(self) -> int:
        """The number of demo samples that are exact."""
        return sum(exact is True for exact in self.outcome.demo)

    @property
    def outputs(self) -> tuple[Grid | None, ...]:
        """The grids for the test inputs; None where there is none that ARC allows."""
        values: Any = self.outcome.outputs[len(self.outcome.task.demo) :]
        return tuple(value if grid_fault(value) is None else None for value in values)

    def does_the_same(self, other: "Replay") -> bool:
        """Whether another program gives the same on every sample."""
        same_verdicts = self.record.verdicts == other.record.verdicts
        return same_verdicts and list(self.outcome.outputs) == list(other.outcome.outputs)

    def answer(self, cost: int, layers: int, source: Source, provenance: Mapping[str, Any]) -> Answer:
        """The answer that the program is."""
        given = (self.demos, source, self.outputs, provenance, self.record)
        return Answer(self.record.task, self.program, cost, layers, *given)


def replayed(task: Task, programs: Sequence[Program]) -> list[Replay]:
    """Run programs on a task with the engine and the limits that everybody runs them with."""
    results = run(programs, task, "all", threads=1, partial_scores=True)
    record, size = results.records[task.id], len(task.samples)
    return [
        Replay(
            program,
            Record(
                task,
                (program,),
                record.codes(place),
                record.scores[4 * place * size : 4 * (place + 1) * size],
            ),
            results[program, task],
        )
        for place, program in enumerate(record.programs)
    ]


def named_for(task: Task, root: Node) -> Program:
    """The solver of a task that has this root."""
    inputs = ("I",) if root.needs <= {"I"} else ("S", "I", "C")
    return Program(own_name(f"solve_{task.id}", root.digest.hex()), "solver", inputs, root)


class KnownProgram(NamedTuple):
    """A program that nobody had to search for, its description length, and where it comes from."""

    program: Program
    cost: int
    source: Source


def known_answers(task: Task, known: Sequence[KnownProgram]) -> list[Answer]:
    """Known programs as answers of a task, replayed on all its samples; they are named after the task.

    >>> from arcbatt.program.parse import parse_programs
    >>> from arcbatt.tasks import load_tasks
    >>> (program,) = parse_programs("def turn(I): return vmirror(I)")
    >>> (answer,) = known_answers(load_tasks("67a3c6ac")[0], [KnownProgram(program, 2, "program")])
    >>> answer.program.name, answer.demos, answer.fits, answer.provenance
    ('solve_67a3c6ac~...', 3, True, {'program': 'turn'})
    """
    if not known:
        return []
    by_root = {each.program.root: each for each in known}
    return [
        replay.answer(each.cost, 1, each.source, {"program": each.program.name})
        for replay in replayed(task, [named_for(task, root) for root in by_root])
        for each in [by_root[replay.program.root]]
    ]


class Guesses:
    """The distinct outputs for each test input, at most `most` of them, in the order in which they come.

    >>> from arcbatt.tasks import load_tasks
    >>> guesses = Guesses(load_tasks("00d62c1b")[0], 2)
    >>> guesses.take([((1,),)]), guesses.take([((1,),)]), guesses.take([None]), guesses.take([((2,),)])
    (True, False, False, True)
    >>> guesses.full, guesses.grids
    (True, [[((1,),), ((2,),)]])
    """

    def __init__(self, task: Task, most: int) -> None:
        self.grids: list[list[Grid]] = [[] for _ in task.test]
        self._most, self._taken = most, 0

    def take(self, outputs: Iterable[Grid | None]) -> bool:
        """Take the outputs of a program; whether there is a new one among them.

        A task without test inputs takes one program.
        """
        new = not self.grids and not self._taken
        for grids, output in zip(self.grids, outputs):
            if output is not None and len(grids) < self._most and output not in grids:
                grids.append(output)
                new = True
        self._taken += new
        return new

    @property
    def full(self) -> bool:
        """Whether no program can bring a new output."""
        return all(len(grids) == self._most for grids in self.grids) and bool(self.grids or self._taken)


class ExplainedAnswers(NamedTuple):
    """The answers that explanations gave, best first, and how many replays were not as explained."""

    answers: list[Answer]
    replay_failures: int


def answers_from(
    task: Task, explanations: Iterable["Explanation"], guesses: int, provenance: Mapping[str, Any]
) -> ExplainedAnswers:
    """The answers of explanations: as few as give `guesses` distinct outputs for each test input.

    An explanation whose program is exact on fewer demo samples than it claims is none: it is counted.
    """
    ranked = sorted(explanations, key=lambda found: (-found.demos, found.cost))  # stable: the order is given
    collected, answers, failures = Guesses(task, guesses), list[Answer](), 0
    for start in range(0, len(ranked), PORTION):
        if collected.full:
            break
        portion = ranked[start : start + PORTION]
        for explanation, replay in zip(portion, _simplified(task, [found.root for found in portion])):
            if replay.demos < explanation.demos:
                failures += 1
            elif collected.take(replay.outputs):
                replay = _shortened(task, replay)
                told = {"templates": list(explanation.templates), "cost": explanation.cost}
                told |= {"layers": explanation.layers, **provenance}
                answers.append(replay.answer(explanation.cost, explanation.layers, "search", told))
    return ExplainedAnswers(answers, failures)


def _simplified(task: Task, roots: Sequence[Node]) -> Iterator[Replay]:
    """The replays of roots, each simplified if that gives the same on every sample."""
    simple = [simplify(root) for root in roots]
    programs = {root: named_for(task, root) for root in (*roots, *simple)}
    replays = {replay.program.root: replay for replay in replayed(task, list(programs.values()))}
    for root, simpler in zip(roots, simple):
        same = simpler is root or replays[simpler].does_the_same(replays[root])
        yield replays[simpler if same else root]


def _shortened(task: Task, replay: Replay) -> Replay:
    """The same without steps that change nothing on any sample of the task."""
    judge, shortest = CandidateJudge(task, limits=DEFAULT_LIMITS), replay.program.root
    while shorter := list(shortcuts(shortest)):
        first, *others = judge.judge([shortest, *shorter]).behaviour.tolist()
        same = [root for root, behaviour in zip(shorter, others) if behaviour == first]
        if not same:
            break
        shortest = min(same, key=lambda root: (len(topological([root])), root.digest))
    if shortest is replay.program.root:
        return replay
    short = next(_simplified(task, [shortest]))
    return short if short.does_the_same(replay) else replay


def best_answers(task: Task, answers: Iterable[Answer], guesses: int) -> tuple[Answer, ...]:
    """The answers that give the first `guesses` distinct outputs for each test input, best first."""
    collected = Guesses(task, guesses)
    ranked = sorted(answers, key=lambda answer: answer.rank)
    return tuple(answer for answer in ranked if collected.take(answer.outputs))
