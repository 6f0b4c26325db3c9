"""One round after another: solvers and differs are drawn, mutated and judged, and the best are kept."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arcbatt.batt.breeding.card import SEED_BITS, MutationSettings, Recipe, litters
from arcbatt.batt.breeding.differ_ranking import NO_BETTER_THAN_CHANCE, Agreement
from arcbatt.batt.breeding.drawing import By, drawn, weight_of
from arcbatt.dsl.contract import EXACT
from arcbatt.dsl.limits import Limits
from arcbatt.engine.backend import FailureMode, require_limits
from arcbatt.engine.candidates import CANDIDATE_LIMITS, ON_FAILURE, CandidateJudge, Judgements
from arcbatt.engine.choose import BACKEND
from arcbatt.engine.differs import every_mark
from arcbatt.engine.run import Pairs
from arcbatt.program.graph import Node, Program
from arcbatt.program.merge import distinct
from arcbatt.program.names import own_name, under_own_names
from arcbatt.search.breed.state import BreedState, PartialSolver, RankedDiffer, RoundCounts
from arcbatt.search.evolve.breeder import LONGEST_SEED
from arcbatt.settings import setting
from arcbatt.tasks import Task

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class BreedSettings(MutationSettings):
    """What rounds depend on, besides the tasks and the state.

    Each round draws `count` solvers of each task and `differs` differs, makes `mutants` of each solver and
    one of each differ, and keeps the best `keep` solvers of each task and as many differs. With `pairs`
    "own" a mutant runs on the task that its parent was kept for, with "all" on every task that is bred on.
    """

    count: int = setting(8, "So many solvers of each task drawn a round.", least=1, flags=("-c", "--count"))
    mutants: int = setting(16, "So many mutants of each.", least=1)
    keep: int = setting(
        32, "Keep the best N solvers of each task, solved or not, and as many differs.", least=1
    )
    differs: int = setting(8, "So many differs drawn a round.", least=1)
    by: By = setting(
        "score",
        "How solvers are drawn. score: better ones more often; even: all with the same chance; first: in "
        "their order.",
    )
    pairs: Pairs = setting(
        "own",
        "own: a mutant runs on the task that its parent was kept for; all: on every unsolved task.",
    )
    on_failure: FailureMode = setting("default", ON_FAILURE)
    backend: str = setting("auto", BACKEND)
    limits: Limits = setting(CANDIDATE_LIMITS, check=require_limits)


class Newcomers(NamedTuple):
    """The solvers that a task has kept for the first time: their verdicts and partial scores, and parents."""

    task: Task
    programs: tuple[Program, ...]
    verdicts: bytes
    scores: bytes
    parents: Mapping[Node, str]  # the hash of the parent of each mutant, by its root


@dataclass(frozen=True)
class _CandidateScores:
    """Candidates of a task with what was found of them; `marks` are by differ, candidate and demo sample."""

    task: Task
    programs: Sequence[Program]
    found: Judgements
    marks: npt.NDArray[np.integer] = field(repr=False)

    @property
    def parts(self) -> Numbers:
        """The partial scores by candidate and sample; a failure has 0."""
        given = np.frombuffer(self.found.found.scores, np.intc).reshape(len(self.programs), -1)
        return np.maximum(given, 0).astype(np.int64)

    @property
    def demo_parts(self) -> Numbers:
        """The partial scores on demo samples."""
        return self.parts[:, : len(self.task.demo)]


class Rounds:
    """Breeds on tasks, round after round; the next round depends on the state and the settings alone."""

    def __init__(self, tasks: Sequence[Task], settings: BreedSettings, threads: int) -> None:
        self.tasks, self.settings, self._threads = list(tasks), settings, threads

    def begin(
        self, solvers: Sequence[Program], differs: Sequence[RankedDiffer], seed: int
    ) -> tuple[BreedState, list[Newcomers]]:
        """The state before the first round: the best of some solvers on each task, each by partial scores."""
        short = under_own_names(solver for solver in distinct(solvers) if solver.size <= LONGEST_SEED)
        known = {each.program.root: each for each in reversed(differs)}
        state = BreedState(seed, {task.id: () for task in self.tasks}, tuple(reversed(known.values())))
        given = {task.id: [_kept_for(task.id, solver) for solver in short] for task in self.tasks}
        return self._kept(state, self._judged(self.tasks, given, ()), [], {}, {})

    def next(self, state: BreedState) -> tuple[BreedState, list[Newcomers]]:
        """The state after one more round, and what each task has kept for the first time."""
        settings, number = self.settings, len(state.rounds) + 1
        random = Random(f"{state.seed} {number}")  # nothing but the state leads from one round to the next
        recipe = Recipe(
            random.getrandbits(SEED_BITS), settings.mutants, rate=settings.rate, wild=settings.wild
        )
        tasks = self._unsolved(state) or self.tasks
        drawn_for = [(task, self._drawn(state, task, random)) for task in tasks]
        parents = [parent for _, each in drawn_for for parent in each]
        scoring = self._drawn_differs(state, random)
        known = {each.program.root for every in state.populations.values() for each in every}
        bred: dict[str, list[Program]] = {task.id: [] for task in tasks}
        made_of: dict[Node, str] = {}
        if not settings.freeze_solvers:
            guides = [task for task, each in drawn_for for _ in each]
            of_each = zip(guides, litters(parents, recipe, guides, known), strict=True)
            for task, (parent, mutants) in of_each:
                bred[task.id] += mutants
                made_of.update((mutant.root, parent.hash) for mutant in mutants)
        if settings.pairs == "all":
            every = [mutant for mutants in bred.values() for mutant in mutants]
            bred = {task.id: [_kept_for(task.id, mutant) for mutant in every] for task in tasks}
        given = {
            task.id: [each.program for each in state.populations[task.id]] + bred[task.id] for task in tasks
        }
        mutated: list[Program] = []
        if not settings.freeze_differs:
            once = Recipe(recipe.seed, rate=settings.rate, wild=settings.wild)
            seen = {each.program.root for each in state.differs}
            unguided = litters(scoring, once, [None] * len(scoring), seen)
            mutated = [mutant for _, mutants in unguided for mutant in mutants]
        differs = [*scoring, *mutated]
        judged = self._judged(tasks, given, differs)
        ranked = _ranked_differs(scoring, mutated, judged)
        after, newcomers = self._kept(state, judged, differs, ranked, made_of)
        return self._counted(after, state, newcomers, number), newcomers

    def is_solved(self, task: Task, state: BreedState) -> bool:
        """Whether a solver that is kept for a task is exact on all its demo samples."""
        kept = state.populations[task.id]
        return bool(kept) and kept[0].exact == max(len(task.demo), 1)

    def _unsolved(self, state: BreedState) -> list[Task]:
        return [task for task in self.tasks if not self.is_solved(task, state)]

    def _drawn(self, state: BreedState, task: Task, random: Random) -> list[Program]:
        """The parents of a round for a task."""
        kept, demos, settings = state.populations[task.id], len(task.demo), self.settings
        if settings.by == "first":
            return [each.program for each in kept[: settings.count]]
        weights = [1 if settings.by == "even" else weight_of(each.score(demos)) for each in kept]
        return drawn([each.program for each in kept], weights, settings.count, random)

    def _drawn_differs(self, state: BreedState, random: Random) -> list[Program]:
        """The differs of a round; those that were never compared come first."""
        unknown = [each.program for each in state.differs if each.score is None]
        known = [each for each in state.differs if each.score is not None]
        weights = [weight_of(each.score or 0) for each in known]
        rest = drawn([each.program for each in known], weights, self.settings.differs, random)
        return [*unknown, *rest][: max(self.settings.differs, len(unknown))]

    def _judged(
        self, tasks: Sequence[Task], given: Mapping[str, Sequence[Program]], differs: Sequence[Program]
    ) -> list[_CandidateScores]:
        """Candidates judged on their tasks, each task in one thread."""
        settings = self.settings

        def judge(task: Task) -> _CandidateScores:
            examine = CandidateJudge(task, settings.on_failure, settings.limits, settings.backend, differs)
            programs = given[task.id]
            found = examine.judge([program.root for program in programs])
            seen = found.found
            marks = every_mark(seen.outputs, seen.marks, len(programs), len(task.demo), len(differs))
            return _CandidateScores(task, programs, found, marks)

        with _threads(self._threads) as pool:
            return list(pool.map(judge, [task for task in tasks if given[task.id]]))

    def _kept(
        self,
        state: BreedState,
        judged: Sequence[_CandidateScores],
        differs: Sequence[Program],
        ranked: Mapping[Node, int],
        made_of: Mapping[Node, str],
    ) -> tuple[BreedState, list[Newcomers]]:
        """The state with the best of the candidates of each task, and of the differs."""
        populations = dict(state.populations)
        weights = [max(0, ranked.get(differ.root, 0) - round(NO_BETTER_THAN_CHANCE)) for differ in differs]
        newcomers: list[Newcomers] = []
        dropped: list[tuple[str, str]] = []
        for each in judged:
            before = {partial.program.root for partial in populations[each.task.id]}
            indices = _best(each, weights, self.settings.keep)
            populations[each.task.id] = tuple(_partial(each, index) for index in indices)
            newcomers.append(_newcomers(each, indices, before, made_of))
            after = {partial.program.root for partial in populations[each.task.id]}
            dropped += [(each.task.id, root.digest.hex()) for root in before - after]
        pool = self._kept_differs(state, differs, ranked)
        roots = {each.program.root for each in pool}
        gone = sorted(each.program.hash for each in state.differs if each.program.root not in roots)
        after_round = BreedState(
            state.seed, populations, tuple(pool), state.rounds, tuple(sorted(dropped)), tuple(gone)
        )
        return after_round, [each for each in newcomers if each.programs]

    def _kept_differs(
        self, state: BreedState, differs: Sequence[Program], ranked: Mapping[Node, int]
    ) -> list[RankedDiffer]:
        """The best differs; those that were not drawn keep their score."""
        pool = {each.program.root: each for each in state.differs}
        for differ in differs:
            if differ.root in ranked:
                known = pool.get(differ.root, RankedDiffer(differ, None))
                pool[differ.root] = known.after(ranked[differ.root])
        order = sorted(
            pool.values(),
            key=lambda each: (
                -(NO_BETTER_THAN_CHANCE if each.score is None else each.score),
                each.program.size,
                each.program.hash,
            ),
        )
        return order[: self.settings.keep] if state.differs and ranked else order

    def _counted(
        self, after: BreedState, before: BreedState, newcomers: Sequence[Newcomers], number: int
    ) -> BreedState:
        """The state with the counts of the round."""
        solved = [after.populations[task.id][0] for task in self.tasks if self.is_solved(task, after)]
        bests = [
            kept[0].score(len(task.demo)) if (kept := after.populations[task.id]) else 0.0
            for task in self.tasks
        ]
        scores = [each.score for each in after.differs if each.score is not None]
        counts = RoundCounts(
            round=number,
            tasks=len(self.tasks),
            solved=len(solved),
            right=sum(each.is_right for each in solved),
            kept=sum(map(len, after.populations.values())),
            new=sum(len(each.programs) for each in newcomers),
            best=round(sum(bests) / max(len(bests), 1), 3),
            differs=len(after.differs),
            differ=max(scores, default=None),
        )
        return BreedState(
            after.seed,
            after.populations,
            after.differs,
            (*before.rounds, counts),
            after.dropped,
            after.dropped_differs,
        )


@contextmanager
def _threads(count: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that finish what they are at and no more if an error, or Ctrl-C, ends the round."""
    pool = ThreadPoolExecutor(count)
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _kept_for(task_id: str, solver: Program) -> Program:
    """A solver under a name that tells its task."""
    if solver.task_id == task_id:
        return solver.altered(name=_plain_name(solver), entry_id=None)
    return solver.altered(name=own_name(f"solve_{task_id}", solver.hash), entry_id=None)


def _plain_name(solver: Program) -> str:
    return solver.name if solver.name.startswith("solve_") else f"solve_{solver.name}"


def _best(judged: _CandidateScores, weights: Sequence[int], keep: int) -> list[int]:
    """The indices of the best candidates, best first; of those that behave alike the smallest.

    More exact demo samples come first, then the partial scores together with the marks of the differs, of
    which each counts as much as it ranks better than chance.
    """
    exact = judged.found.demo_exact.tolist()
    parts = judged.demo_parts.sum(axis=1)
    told = parts
    if sum(weights):
        marks = judged.marks.sum(axis=2)
        told = (np.array(weights, np.int64)[:, None] * marks).sum(axis=0) // sum(weights)
    nearness = (parts + told).tolist()
    behaviours = judged.found.behaviour.tolist()
    programs = judged.programs
    order = sorted(
        range(len(programs)),
        key=lambda index: (-exact[index], -nearness[index], programs[index].size, programs[index].hash),
    )
    chosen: list[int] = []
    seen: set[int] = set()
    for index in order:
        if behaviours[index] not in seen:
            seen.add(behaviours[index])
            chosen.append(index)
            if len(chosen) == keep:
                break
    return chosen


def _partial(judged: _CandidateScores, index: int) -> PartialSolver:
    known = [number for number, sample in enumerate(judged.task.samples) if sample.output is not None]
    return PartialSolver(
        judged.programs[index],
        int(judged.found.demo_exact[index]),
        int(judged.demo_parts[index].sum()),
        bool((judged.found.verdicts[index][known] == EXACT).all()),
    )


def _newcomers(
    judged: _CandidateScores, indices: Sequence[int], before: set[Node], made_of: Mapping[Node, str]
) -> Newcomers:
    """Those of the kept candidates that were not kept before."""
    new = [index for index in indices if judged.programs[index].root not in before]
    programs = tuple(judged.programs[index] for index in new)
    scores = np.frombuffer(judged.found.found.scores, np.intc).reshape(len(judged.programs), -1)
    parents = {program.root: made_of[program.root] for program in programs if program.root in made_of}
    return Newcomers(
        judged.task, programs, judged.found.verdicts[new].tobytes(), scores[new].tobytes(), parents
    )


def _ranked_differs(
    known: Sequence[Program], mutated: Sequence[Program], judged: Sequence[_CandidateScores]
) -> dict[Node, int]:
    """The scores of differs by what they say of the candidates; no mutant has the marks of another differ."""
    differs = [*known, *mutated]
    agreement = Agreement(len(differs))
    digests = [blake2b(digest_size=16) for _ in differs]
    for each in judged:
        agreement.add(each.marks, each.demo_parts)
        for digest, marks in zip(digests, each.marks):
            digest.update(marks.tobytes())
    ranked: dict[Node, int] = {}
    seen: set[bytes] = set()
    for index, (score, digest) in enumerate(zip(agreement.scores() or (), digests)):
        if index < len(known) or digest.digest() not in seen:
            ranked[differs[index].root] = score
        seen.add(digest.digest())
    return ranked
