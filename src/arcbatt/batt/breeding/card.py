"""Making batts: solvers are chosen, mutated and merged with the differs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from random import Random
from typing import TypeVar

from arcbatt.program.graph import Batt, Node, Program, topological
from arcbatt.program.merge import batt_of, distinct, unapplied
from arcbatt.program.mutation.mutate import DEFAULT_RATE, Mutator
from arcbatt.settings import Settings, setting
from arcbatt.tasks import Task

Item = TypeVar("Item")
SEED_BITS = 32  # of a seed by chance


@dataclass(frozen=True, kw_only=True)
class MutationSettings(Settings):
    """Which programs are mutated, and how much."""

    freeze_solvers: bool = setting(False, "Do not mutate solvers.", flags=("-fs", "--freeze-solvers"))
    freeze_differs: bool = setting(False, "Do not mutate differs.", flags=("-fd", "--freeze-differs"))
    rate: float = setting(
        DEFAULT_RATE, "The chance that a line of a program changes.", least=0.0, most=1.0, metavar="R"
    )
    wild: bool = setting(False, "Mutate without regard to types; most such mutants fail.")


@dataclass(frozen=True)
class Recipe(MutationSettings):
    """How a batt is made: what is mutated, and the seed of all randomness."""

    seed: int = setting(0, least=-inf, most=inf)
    mutants: int = setting(1, "So many mutants of each program.", least=1)


def chosen(programs: Sequence[Program], count: int, seed: int) -> list[Program]:
    """The first `count` programs; all for 0, a random sample for a negative count.

    >>> from arcbatt.library import load_library
    >>> [len(chosen(load_library("differs"), count, 0)) for count in (2, -3)]
    [2, 3]
    """
    if count >= 0:
        return list(programs[: count or None])
    return sampled(programs, -count, seed)


def sampled(items: Iterable[Item], count: int, seed: int) -> list[Item]:
    """A random sample of `count` items, in their order; all if there are fewer.

    >>> sampled("abcdef", 3, seed=1), sampled("ab", 3, seed=1)
    (['a', 'b', 'e'], ['a', 'b'])
    """
    every = list(items)
    places = Random(seed).sample(range(len(every)), min(count, len(every)))
    return [every[place] for place in sorted(places)]


def make_batt(
    solvers: Iterable[Program],
    differs: Iterable[Program],
    recipe: Recipe,
    tasks: Mapping[str, Task] | None = None,
) -> Batt:
    """A batt of solvers and differs, mutated unless frozen; a differ scores the raw input and each output."""
    return batt_of(*bred(solvers, differs, recipe, tasks))


def bred(
    solvers: Iterable[Program],
    differs: Iterable[Program],
    recipe: Recipe,
    tasks: Mapping[str, Task] | None = None,
) -> tuple[list[Program], list[Program]]:
    """The solvers and the differs of a batt, mutated unless they are frozen.

    The demo pairs of a solver's task, if known, guide its mutation. Duplicates are left out.
    """
    solving, scoring, known = list(solvers), unapplied(differs), set[Node]()
    if not recipe.freeze_solvers:
        of_each = [(tasks or {}).get(solver.task_id or "") for solver in solving]
        solving = [mutant for _, mutants in litters(solving, recipe, of_each, known) for mutant in mutants]
    if not recipe.freeze_differs:
        of_none = [None] * len(scoring)
        scoring = [mutant for _, mutants in litters(scoring, recipe, of_none, known) for mutant in mutants]
    return distinct(_named_by_id(solver) for solver in solving), distinct(scoring)


def litters(
    programs: Sequence[Program], recipe: Recipe, tasks: Sequence[Task | None], known: set[Node]
) -> Iterator[tuple[Program, list[Program]]]:
    """Each program with its mutants, which are in none of the litters before, nor `known`.

    `tasks` has for each program the task that guides its mutation, if there is one. Parts of the other
    programs may take the places of parts of each.
    """
    for program, task in zip(programs, tasks, strict=True):
        yield program, _mutants(program, recipe, programs, task, known)


def entries(solvers: int, differs: int, recipe: Recipe) -> int:
    """The number of entries of differs in a batt: each scores the raw input and every solver's output.

    >>> entries(10, 3, Recipe(mutants=5, freeze_differs=True))
    153
    """
    solvers *= 1 if recipe.freeze_solvers else recipe.mutants
    differs *= 1 if recipe.freeze_differs else recipe.mutants
    return (solvers + 1) * differs


def least_lines(solvers: Sequence[Program], differs: Sequence[Program]) -> int:
    """An estimate from below of the lines of a batt: the entries of differs and the nodes they depend on.

    >>> from arcbatt.program.parse import parse_programs
    >>> solvers = parse_programs("def a(I): return rot90(I)")
    >>> least_lines(solvers, parse_programs("def differ_x(S, I, C): return astuple(size(I), size(C))"))
    6
    """
    nodes = topological(differ.root for differ in differs)
    anew = sum(bool(node.args) and "I" in node.needs for node in nodes)  # these differ for each scored output
    return (len(solvers) + 1) * (len(differs) + anew)


def _mutants(
    program: Program, recipe: Recipe, partners: Sequence[Program], task: Task | None, known: set[Node]
) -> list[Program]:
    """New mutants of a program; its randomness depends on the seed and on its name alone."""
    random = Random(f"{recipe.seed} {program.name}")
    mutator = Mutator(random, rate=recipe.rate, wild=recipe.wild, task_pairs=task, partners=partners)
    found: list[Program] = []
    # Up to len(known) mutants may be duplicates.
    for mutant in mutator.mutants(program, recipe.mutants + len(known)):
        if mutant.root not in known:
            known.add(mutant.root)
            found.append(mutant)
        if len(found) == recipe.mutants:
            break
    return found


def _named_by_id(solver: Program) -> Program:
    """A solver under the id that a batt gives it: `solve_00d62c1b` is 00d62c1b there."""
    return replace(solver, name=solver.name.removeprefix("solve_"))
