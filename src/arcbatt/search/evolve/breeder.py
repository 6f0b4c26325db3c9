"""One generation after another of an island: candidates are bred, judged, and the best of them are taken."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import attrgetter
from random import Random
from typing import ClassVar, NamedTuple

import numpy as np

from arcbatt.dsl.constants import INPUTS
from arcbatt.dsl.limits import Limits
from arcbatt.engine.backend import FailureMode, require_limits
from arcbatt.engine.candidates import CANDIDATE_LIMITS, ON_FAILURE, CandidateJudge, Judgements
from arcbatt.engine.choose import BACKEND
from arcbatt.program.graph import HASH_MARK, Node, Program, topological
from arcbatt.program.mutation.edit import Candidate
from arcbatt.program.mutation.mutate import Mutator
from arcbatt.search.evolve import plugins
from arcbatt.search.evolve.callbacks import fitness_of, mutants, selected
from arcbatt.search.evolve.island import Island, IslandProgress, after_generation
from arcbatt.search.evolve.plugins import Fitness, Mutation, Selection
from arcbatt.search.evolve.population import Member, Population
from arcbatt.settings import SEED, Settings, setting
from arcbatt.tasks import Task

STRAY = 8  # one generation in so many breeds by chance, even while there are single edits left
CROSSING = 0.25  # the share of litters that have two parents, of those that are bred by chance
DIGITS = 10  # of a hash in the name of a program
PORTION = 128  # single edits of a member, after which it is the turn of others
LITTER = 64  # candidates of the same parents, at most

LONGEST_SEED = 1_000  # lines: a generation takes about 2 kB for each line of each candidate
DEFAULT_STEPS = 20_000  # of an island, if no budget is given
MOST_ISLANDS = 100_000  # of a task


@dataclass(frozen=True)
class EvolveSettings(Settings):
    """The settings of a search: when it ends, how many islands it has, and what their generations depend on.

    `seeds` are judged in the first generation, and parts of them may take the places of parts of members.
    A generation has so many candidates. `rate` is that of the mutator. `differs` give marks to outputs, for
    `fitness` to go by. After so many generations as `exchange` says the islands of a task exchange members
    (0: never), `deterministic` ones all after the same generation.
    """

    seeds: tuple[Program, ...] = ()
    steps: int | None = setting(
        None,
        f"So many programs on each task; {DEFAULT_STEPS:,} if neither this nor --seconds is given.",
        least=0,
    )
    seconds: float | None = setting(None, "So many seconds for all tasks together.", least=0, metavar="S")
    beyond: int | None = setting(
        0, "Go on for so many programs after the first that fits, to find smaller ones.", least=0
    )
    patience: int | None = setting(None, "Leave a task after so many programs without a better one.", least=0)
    islands: int = setting(
        1, "So many populations on each task, each with its own chance.", least=1, most=MOST_ISLANDS
    )
    exchange: int = setting(
        50,
        "Populations on the same task take over each other's best members every so many generations; "
        "0 is never.",
        least=0,
    )
    deterministic: bool = setting(
        False,
        "Populations on the same task wait for each other before they exchange members, so that the same "
        "seed gives the same programs with several islands, too.",
    )
    members: int = setting(32, "So many members in a population.", least=1)
    seed: int = setting(0, SEED)
    on_failure: FailureMode = setting("fail", ON_FAILURE)
    backend: str = setting("auto", BACKEND)
    generation: int = setting(128, least=1)
    differs: tuple[Program, ...] = ()
    limits: Limits = setting(CANDIDATE_LIMITS, check=require_limits)
    fitness: Fitness = setting(plugins.fitness)
    selection: Selection = setting(plugins.selection)
    mutation: Mutation = setting(plugins.mutation)
    rate: ClassVar[float] = 0.1

    def is_exchange(self, generation: int) -> bool:
        """Whether islands exchange members after so many generations.

        >>> [generation for generation in range(10) if EvolveSettings(exchange=4).is_exchange(generation)]
        [4, 8]
        """
        return self.exchange > 0 and generation > 0 and generation % self.exchange == 0


class NewMember(NamedTuple):
    """A program that a population has taken: its parents, and its verdicts and scores on the task."""

    program: Program
    parents: tuple[str, ...]  # by their hashes
    verdicts: bytes
    scores: bytes


class _Litter(NamedTuple):
    """Candidates of the same parents."""

    parents: tuple[Member, ...]
    candidates: Sequence[Candidate]


class Breeder:
    """Breeds one island; the next generation depends on the state of the island and on the settings alone."""

    def __init__(self, task: Task, number: int, settings: EvolveSettings) -> None:
        self.task, self.number, self.settings = task, number, settings
        self._seeds = {program.root: program for program in settings.seeds}
        self._judge = CandidateJudge(
            task, settings.on_failure, settings.limits, settings.backend, settings.differs
        )
        self._random = Random()
        self._mutator = Mutator(self._random, rate=settings.rate, task_pairs=task, partners=settings.seeds)
        # The edits of members that are under way: how many were taken, and the rest.
        self._edits: dict[Node, tuple[int, Iterator[Candidate]]] = {}

    def next(self, island: Island, immigrants: Sequence[Member] = ()) -> tuple[Island, list[NewMember]]:
        """The island a generation later, and the programs that its population has taken, in this order.

        Immigrants are members of other islands of the task: the population takes those that it has room for.
        """
        generation = island.progress.generation
        # Each generation has its own random numbers: nothing but the state leads from one to the next.
        self._random.seed(f"{self.settings.seed} {self.task.id} {self.number} {generation}")
        population = Population(island.members, self.settings.members)
        progress = self._exchanged(island.progress, population, immigrants)
        if generation == 0:
            litters = [self._first(island.seeds)]
        else:
            edited = self._edited(population) if generation % STRAY else []
            litters = edited or self._by_chance(population)
        roots = [candidate.root for litter in litters for candidate in litter.candidates]
        born = self._taken(population, litters, self._judge.judge(roots), generation) if roots else []
        members = tuple(population)
        return Island(after_generation(progress, len(roots), members), members), born

    def _exchanged(
        self, progress: IslandProgress, population: Population, immigrants: Sequence[Member]
    ) -> IslandProgress:
        """Let the population take immigrants; its best member before that is the island's emigrant."""
        generation = progress.generation
        if self.settings.deterministic and self.settings.is_exchange(generation):
            progress = replace(progress, emigrant=progress.best)
        arrived = [replace(member, born=generation) for member in immigrants]
        for member in arrived:
            population.take(member)
        taken = sum(member in population for member in arrived)
        return replace(progress, immigrants=progress.immigrants + taken)

    def _first(self, more: Sequence[Program]) -> _Litter:
        """The seeds, which have no parents."""
        return _Litter((), [Candidate(program.root, ()) for program in (*self.settings.seeds, *more)])

    def _edited(self, population: Population) -> list[_Litter]:
        """Single edits of some members; none if those of all members have been tried.

        Every other time the best member comes first, and in between the oldest.
        """
        litters: list[_Litter] = []
        while len(litters) * LITTER < self.settings.generation:
            waiting = [member for member in population if not member.exhausted]
            if not waiting:
                break
            if len(litters) % 2:
                waiting.sort(key=attrgetter("born"))
            # A member that had many edits in vain lets the next one have some.
            turns = [index + member.edited // PORTION for index, member in enumerate(waiting)]
            member = waiting[turns.index(min(turns))]
            litters.append(_Litter((member,), self._next_edits(population, member)))
        return litters

    def _next_edits(self, population: Population, member: Member) -> list[Candidate]:
        """The next single edits of a member."""
        root = member.program.root
        done, edits = self._edits.get(root, (-1, iter(())))
        if done != member.edited:  # another process was at work on this island
            edits = self._mutator.single_edits(member.program, start=member.edited)
        portion = list(islice(edits, LITTER))
        edited, exhausted = member.edited + len(portion), len(portion) < LITTER
        population.replace(member, edited=edited, exhausted=exhausted)
        kept = {each.program.root for each in population if not each.exhausted}
        self._edits = {key: value for key, value in self._edits.items() if key in kept}
        if not exhausted:
            self._edits[root] = edited, edits
        return portion

    def _by_chance(self, population: Population) -> list[_Litter]:
        """Candidates of members that `selection` chooses: crossed, or as `mutation` makes them."""
        settings, random, mutator = self.settings, self._random, self._mutator
        litters: list[_Litter] = []
        missing = settings.generation
        for _ in range(settings.generation if population.members else 0):
            member, partner = (selected(settings.selection, population.members, random) for _ in range(2))
            most = min(LITTER, missing)
            if partner is not member and random.random() < CROSSING:
                crossed = mutator.crossed(member.program, partner.program, most)
                litters.append(_Litter((member, partner), list(crossed)))
            else:
                bred = mutants(settings.mutation, mutator, member, random, most)
                litters.append(_Litter((member,), bred))
            missing -= len(litters[-1].candidates)
            if not missing:
                break
        return litters

    def _taken(
        self, population: Population, litters: Sequence[_Litter], judged: Judgements, generation: int
    ) -> list[NewMember]:
        """Let the population take the candidates that are fit enough; those that it took."""
        fitness = fitness_of(self.settings.fitness, judged)
        fit = np.flatnonzero(judged.fits | (fitness > population.least)).tolist()
        if not fit:
            return []
        every = [(litter.parents, candidate) for litter in litters for candidate in litter.candidates]
        behaviours, exact = judged.behaviour.tolist(), judged.fits.tolist()
        taken: dict[Member, int] = {}
        for index in fit:
            root = every[index][1].root
            values = (fitness[index].item(), len(topological([root])), behaviours[index], exact[index])
            if population.admits(*values):
                member = Member(self._program(root), *values, generation)
                if population.take(member):
                    taken[member] = index
        # A member may have been replaced again by a later candidate.
        return [
            _born(member.program, *every[index], judged, index)
            for member, index in taken.items()
            if member in population
        ]

    def _program(self, root: Node) -> Program:
        """A candidate as a program: an equal seed, or one that is named after its hash.

        Its name tells nothing of the task: populations of several tasks may breed one program.
        """
        known = self._seeds.get(root)
        if known is not None:
            return known
        name = f"bred{HASH_MARK}{root.digest.hex()[:DIGITS]}"
        return Program(name, "solver", ("I",) if root.needs <= {"I"} else INPUTS, root, evo=True)


def _born(
    program: Program, parents: Sequence[Member], candidate: Candidate, judged: Judgements, index: int
) -> NewMember:
    begin, end, found = index * judged.samples, (index + 1) * judged.samples, judged.found
    return NewMember(
        program.altered(changes=tuple(map(str, candidate.changes))),
        tuple(parent.program.hash for parent in parents),
        found.verdicts[begin:end],
        found.scores[4 * begin : 4 * end],
    )
