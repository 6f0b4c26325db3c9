"""Calls of the functions that steer a search: what they raise, or give wrongly, becomes one sentence."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from arcbatt.arguments import shown
from arcbatt.dsl.own.errors import OpError, location_of, text_of
from arcbatt.engine.candidates import Judgements
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Node
from arcbatt.program.mutation.edit import Candidate
from arcbatt.program.mutation.mutate import Mutator
from arcbatt.search.evolve.plugins import Fitness, Mutation, Selection
from arcbatt.search.evolve.population import Member


def fitness_of(fitness: Fitness, judged: Judgements) -> npt.NDArray[Any]:
    """The fitness of candidates: one finite number for each."""
    with _blamed("fitness", fitness):
        numbers = np.asarray(fitness(judged))
    if numbers.shape != (len(judged),) or numbers.dtype.kind not in "iuf" or not np.isfinite(numbers).all():
        raise ArcbattError(
            f"fitness gave {numbers.dtype} of shape {numbers.shape}; it must give one finite number for each "
            f"candidate, and there are {len(judged):,}"
        )
    return numbers


def selected(selection: Selection, members: Sequence[Member], random: Random) -> Member:
    """The member that is chosen."""
    with _blamed("selection", selection):
        chosen = selection(members, random)
    if not any(chosen is member for member in members):
        raise ArcbattError(f"selection gave {shown(chosen)}; it must give one of the members")
    return chosen


def mutants(
    mutation: Mutation, mutator: Mutator, member: Member, random: Random, most: int
) -> list[Candidate]:
    """The first candidates of a member, at most so many."""
    with _blamed("mutation", mutation):
        found: list[Any] = list(islice(mutation(mutator, member, random), most))
    for candidate in found:
        if not (isinstance(candidate, Candidate) and isinstance(candidate.root, Node)):
            raise ArcbattError(
                f"mutation gave {shown(candidate)}; it must give candidates, as a Mutator does"
            )
    return found


@contextmanager
def _blamed(name: str, function: Callable[..., Any]) -> Iterator[None]:
    """Turn an exception of a function into a sentence with the file and the line."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        file, line = location_of(function, error)
        told = OpError(name, type(error).__qualname__, text_of(error), file, line, "")
        raise ArcbattError(f"{name} failed: {told}") from None
