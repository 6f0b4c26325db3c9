"""Drawing programs for a batt: by their scores, by chance alone, or in their order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, TypeVar

from arcbatt.engine.scoring.differs import BEST_MARK
from arcbatt.program.graph import Program
from arcbatt.search.breed.card import chosen
from arcbatt.tasks import Task

By = Literal["score", "even", "first"]

Item = TypeVar("Item")


def drawn(items: Sequence[Item], weights: Sequence[int], count: int, random: Random) -> list[Item]:
    """`count` of some items, or all if there are fewer, each drawn once with a chance as its weight says.

    They come in the order in which they are drawn. A weight is a whole number, 1 or more.

    >>> drawn("abc", [1, 1, 1000], 2, Random(1)), drawn("ab", [1, 1], 5, Random(1))
    (['c', 'b'], ['a', 'b'])
    """
    left, shares = list(range(len(items))), list(weights)
    total, found = sum(shares), list[Item]()
    while left and len(found) < count:
        point = int(random.random() * total)  # the same numbers in every version of Python
        place = 0
        while point >= shares[place]:
            point -= shares[place]
            place += 1
        found.append(items[left[place]])
        total -= shares[place]
        del left[place], shares[place]
    return found


def weight_of(score: float) -> int:
    """The weight of a program with a score from 0 to 1000: the square, so that the best come often.

    >>> weight_of(1000), weight_of(500), weight_of(0)
    (1000000, 250000, 1)
    """
    return max(1, round(min(max(score, 0), BEST_MARK)) ** 2)


def scores_of_kept(solvers: Sequence[Program], tasks: Mapping[str, Task]) -> list[float | None]:
    """The scores of solvers from 0 to 1000 in the populations that they come from; None where there is none.

    A score of the historical form is the share of the samples of the task, or, if that is not known, of the
    best score there is for the task.
    """
    most: dict[str | None, float] = {}
    for solver in solvers:
        if solver.kept is not None and solver.kept.is_sum:
            most[solver.task_id] = max(most.get(solver.task_id, 1), solver.kept.score)
    for task_id, task in tasks.items():
        if task_id in most:
            most[task_id] = max(most[task_id], len(task.samples))
    return [None if solver.kept is None else _score(solver, most) for solver in solvers]


def _score(solver: Program, most: Mapping[str | None, float]) -> float:
    assert solver.kept is not None
    score = solver.kept.score
    return BEST_MARK * score / most[solver.task_id] if solver.kept.is_sum else score


def way_of(programs: Sequence[Program]) -> By:
    """How programs are drawn where nothing else is asked for: by score if one of them has a score."""
    return "first" if all(program.kept is None for program in programs) else "score"


@dataclass(frozen=True)
class Drawing:
    """How the programs of a batt are drawn; without `by`, by `way_of` them."""

    by: By | None
    seed: int

    def solvers(self, solvers: Sequence[Program], count: int, tasks: Mapping[str, Task]) -> list[Program]:
        """`count` solvers, all for 0; of a negative count so many by chance.

        >>> from arcbatt.library import load_library
        >>> solvers = load_library("solvers")
        >>> [len(Drawing("score", 1).solvers(solvers, count, {})) for count in (2, -3)]
        [2, 3]
        """
        by = self.by or way_of(solvers)
        if by == "first" or not count:
            return chosen(solvers, count, self.seed)
        return self._drawn(by, solvers, scores_of_kept(solvers, tasks), abs(count), "solvers")

    def differs(self, differs: Sequence[Program], count: int) -> list[Program]:
        """`count` differs, all for 0."""
        by = self.by or way_of(differs)
        if by == "first" or not count:
            return chosen(differs, count, self.seed)
        scores = [None if differ.kept is None else differ.kept.score for differ in differs]
        return self._drawn(by, differs, scores, count, "differs")

    def _drawn(
        self, by: By, programs: Sequence[Program], scores: Sequence[float | None], count: int, what: str
    ) -> list[Program]:
        """A program without a score is drawn like one with half of the best score there is."""
        middle = max((score for score in scores if score is not None), default=BEST_MARK) / 2
        weights = [1 if by == "even" else weight_of(middle if score is None else score) for score in scores]
        return drawn(programs, weights, count, Random(f"{self.seed} {what}"))
