"""Ranking: the description length of a program, and the outputs for a test input, best first."""

from collections.abc import Iterable, Sequence
from math import log2

from arcbatt.program.graph import Program
from arcbatt.search.solve.answers import Answer, Source
from arcbatt.tasks import Task
from arcbatt.tasks.tasks import Grid

# Programs that people wrote, and that fit another task, are nearly always right there; others may be overfit.
NAMING = 4  # the cost of a program of the library: two templates
COST_OF_LINE = 2  # of any other: about what a template costs for each of its ops


def description_length(program: Program, source: Source) -> int:
    """The cost of a known program in bits: it is enough to name one of the library.

    >>> from arcbatt.program.parse import parse_programs
    >>> (program,) = parse_programs("def f(I): return hmirror(rot90(trim(I)))")
    >>> description_length(program, "archive"), description_length(program, "library")
    (6, 4)
    """
    lines = program.size
    return NAMING if source == "library" else COST_OF_LINE * lines


def guessed(task: Task, answers: Iterable[Answer], guesses: int) -> list[list[Grid]]:
    """The distinct outputs for each test input, best first: this is the one place that ranks outputs.

    An output counts as much as its best programs: those that are exact on most demo samples. It is described
    by any of them, so each is a vote: with the costs c of n programs the output costs -log2(2^-c1 + ... +
    2^-cn) bits. Twice as many programs of one length make it a bit cheaper.
    """
    given = list(answers)
    return [_ranked(number, given)[:guesses] for number in range(len(task.test))]


def _ranked(number: int, answers: Sequence[Answer]) -> list[Grid]:
    """The distinct outputs for one test input."""
    voters: dict[Grid, list[Answer]] = {}
    for answer in answers:
        output = answer.outputs[number]
        if output is not None:
            voters.setdefault(output, []).append(answer)
    return sorted(voters, key=lambda output: _rank(voters[output]))


def _rank(answers: Sequence[Answer]) -> tuple[float, ...]:
    """Less is better: more demo samples, then the shorter description of all that count."""
    demos = max(answer.demos for answer in answers)
    return -demos, bits([answer.cost for answer in answers if answer.demos == demos])


def bits(costs: Iterable[int]) -> float:
    """The description length of what any of several programs describes, by their costs.

    >>> bits([6]), bits([6, 6]), bits([6, 6, 6, 6])
    (6.0, 5.0, 4.0)
    """
    ordered = sorted(costs)  # the sum of floats depends on their order
    return ordered[0] - log2(sum(2.0 ** (ordered[0] - cost) for cost in ordered))
