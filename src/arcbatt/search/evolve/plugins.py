"""The three functions that steer a search, each of which may be replaced: fitness, selection, mutation."""

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import TYPE_CHECKING

from arcbatt.engine.candidates import Judgements
from arcbatt.program.mutation.edit import Candidate
from arcbatt.program.mutation.mutate import Mutator
from arcbatt.search.evolve.population import Member

if TYPE_CHECKING:
    import numpy.typing as npt

Fitness = Callable[[Judgements], "npt.ArrayLike"]
Selection = Callable[[Sequence[Member], Random], Member]
Mutation = Callable[[Mutator, Member, Random], Iterable[Candidate]]


def fitness(judged: Judgements) -> "npt.ArrayLike":
    """One number for each candidate, the larger the fitter: the sum of the partial scores on demo samples.

    If there are differs, the mean of their marks is added for each sample: it counts as much as the partial
    score, and an exact sample has the most of both.
    """
    return judged.score + judged.marks / judged.differs if judged.differs else judged.score


def selection(members: Sequence[Member], random: Random) -> Member:
    """The parent of the next candidates: any member, which are sorted best first, the best most often.

    Only `random.random()` gives the same numbers in every version of Python.
    """
    return members[int(random.random() ** 2 * len(members))]


def mutation(mutator: Mutator, member: Member, random: Random) -> Iterable[Candidate]:
    """Candidates of a member: typed edits of one line or of several."""
    return mutator.candidates(member.program, 64)
