"""`evolve`: populations bred on tasks, in worker processes, with all that is found kept in an archive."""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from math import inf
from multiprocessing import current_process
from time import monotonic
from typing import TypeAlias

from arcbatt.archive.archive import Archive
from arcbatt.arguments import listed, require_callbacks, require_flags, require_kind
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.table import names_of_own_ops
from arcbatt.engine.backend import OWN_SECONDS, FailureMode, how_many, too_heavy
from arcbatt.engine.candidates import CANDIDATE_LIMITS
from arcbatt.engine.results import Reply
from arcbatt.engine.run import run
from arcbatt.engine.running.sample_runner import MOST_MEMORY
from arcbatt.engine.running.worker import failed
from arcbatt.engine.running.worker_pool import WorkerPool
from arcbatt.errors import ArcbattError
from arcbatt.library import load_library
from arcbatt.notices import tell
from arcbatt.program.graph import A_PROGRAM, Program
from arcbatt.program.merge import distinct, unapplied
from arcbatt.program.names import own_name
from arcbatt.search.evolve import plugins
from arcbatt.search.evolve.breeder import DEFAULT_STEPS, LONGEST_SEED, EvolveSettings
from arcbatt.search.evolve.epochs import (
    Epoch,
    EpochRequest,
    Epochs,
    Goal,
    IslandId,
    Schedule,
    ScheduledIsland,
)
from arcbatt.search.evolve.evolution import (
    BAD_ENDS,
    WAITS,
    BestProgram,
    Evolution,
    EvolutionInterrupted,
    EvolutionStopped,
    EvolveProgress,
)
from arcbatt.search.evolve.exchange import Exchange
from arcbatt.search.evolve.island import Island, IslandProgress
from arcbatt.search.evolve.keeping import Keeping
from arcbatt.search.evolve.plugins import Fitness, Mutation, Selection
from arcbatt.search.evolve.population import Member
from arcbatt.signals import defer_interrupts
from arcbatt.tasks import Task
from arcbatt.tasks.intake import GivenTasks, tasks_of
from arcbatt.text import plural, shorten

SECONDS_ON_CLUSTER = 1.0  # of an epoch there: an island is sent to and fro

OnFound: TypeAlias = Callable[[BestProgram], None] | None
OnProgress: TypeAlias = Callable[[EvolveProgress], None] | None


def evolve(
    tasks: GivenTasks,
    seeds: Iterable[Program] | None = None,
    *,
    differs: Iterable[Program] = (),
    steps: int | None = None,
    seconds: float | None = None,
    archive: Archive | None = None,
    resume: bool = False,
    seed: int = 0,
    workers: int | None = None,
    cluster: str | None = None,
    islands: int = 1,
    exchange: int | None = None,
    deterministic: bool = False,
    beyond: int | None = 0,
    patience: int | None = None,
    members: int = EvolveSettings.members,
    generation: int = EvolveSettings.generation,
    on_failure: FailureMode = "fail",
    limits: Limits = CANDIDATE_LIMITS,
    backend: str = "auto",
    fitness: Fitness = plugins.fitness,
    selection: Selection = plugins.selection,
    mutation: Mutation = plugins.mutation,
    on_found: OnFound = None,
    on_progress: OnProgress = None,
) -> Evolution:
    """Breed programs on tasks until some fit: each task has a population of its own, an island.

    Tasks are whatever `arcbatt.load_tasks` takes.

    A population starts with the best of the `seeds` (the library, if none are given) and of what the
    `archive` has for the task. Candidates are judged on the demo samples; test samples are never selected by.
    Partial scores say how near a wrong output is, and so do `differs`, if any are given: the library's are
    `arcbatt.library.load_library("differs")`.

    An island ends after `steps` candidates, `beyond` steps after its first program that fits all demo samples
    (0: at once, None: never), or `patience` steps without a better program. The whole search ends after
    `seconds`. The same `seed`, seeds and `steps` give the same programs, whatever the number of workers, and
    on a Ray cluster, if `cluster` names one (`local`, `auto`, or an address).

    Several `islands` of a task exchange their best members every `exchange` generations (0: never; 50 if
    not given). They take what the others have by then, so the programs depend on chance, unless the search
    is `deterministic`: then islands wait for each other before an exchange.

    No programs are bred on a task that is heavier than `limits` allow: `refused` of what is returned says so.

    With an archive, each program that a population takes is in it within a second, and so is the state of
    every island: `resume` goes on with a search of the same settings where it stopped.

    >>> import arcbatt as ab
    >>> seeds = ab.parse_programs("def solve_67a3c6ac(I): return hmirror(I)")
    >>> found = ab.evolve(ab.load_tasks("67a3c6ac"), seeds, workers=1)
    >>> found
    <evolution: programs that fit 1 task of 1, after ... steps>
    >>> found.winners[0].program.root, found.winners[0].outcome
    (vmirror(I), <solve_67a3c6ac~... on 67a3c6ac: demo 3/3, test 1/1>)
    """
    settings = EvolveSettings(
        steps=steps,
        seconds=seconds,
        beyond=beyond,
        patience=patience,
        islands=islands,
        exchange=EvolveSettings.exchange if exchange is None else exchange,
        deterministic=deterministic,
        members=members,
        seed=seed,
        on_failure=on_failure,
        backend=backend,
        generation=generation,
        limits=limits,
        fitness=fitness,
        selection=selection,
        mutation=mutation,
    )
    require_flags(resume=resume)
    require_callbacks(on_found=on_found, on_progress=on_progress)
    if settings.deterministic and settings.exchange == 0:
        raise ArcbattError(
            "deterministic is for islands that exchange members, and exchange is 0; leave one of both out"
        )
    if archive is not None:
        require_kind(archive, Archive, "archive; arcbatt.Archive(...) opens one")
    elif resume:
        raise ArcbattError("a search can only be resumed from an archive; name one")
    if cluster is not None:
        _require_cluster(cluster)
    found = tasks_of(tasks)
    given = load_library("solvers") if seeds is None else listed(seeds, Program, A_PROGRAM)
    has_one = settings.islands == 1
    settings = replace(
        settings,
        seeds=tuple(distinct(_short_enough([program for program in given if program.kind == "solver"]))),
        differs=tuple(distinct(unapplied(_differs(differs)))),
        steps=DEFAULT_STEPS if settings.steps is settings.seconds is None else settings.steps,
        exchange=0 if has_one else settings.exchange,
        deterministic=settings.deterministic and not has_one,
    )
    heavy = {task.id: reason for task in found if (reason := too_heavy(task, settings.limits))}
    island_ids = [
        IslandId(task, number) for task in found if task.id not in heavy for number in range(settings.islands)
    ]
    keeping = None if archive is None else Keeping(archive, settings, island_ids, resume)
    evolution = Evolution(tuple(found), refused=heavy)
    goal = Goal(settings.steps, settings.beyond, settings.patience)
    search = _IslandSearch(island_ids, settings, goal, keeping, evolution, on_found, on_progress)
    return search.run(how_many("workers", workers), cluster)


def _short_enough(seeds: list[Program]) -> list[Program]:
    """The programs that a population may start with; longer ones would take too much memory."""
    short = [program for program in seeds if program.size <= LONGEST_SEED]
    if len(short) < len(seeds):
        longest = max(seeds, key=lambda program: program.size)
        sentence = (
            f"expected start programs of at most {LONGEST_SEED:,} lines, "
            f"got {shorten(longest.name)} with {longest.size:,}; cut it into shorter ones"
        )
        if not short:
            raise ArcbattError(sentence)
        tell(f"{sentence} ({len(seeds) - len(short):,} of {plural(len(seeds), 'program')} left out)")
    return short


def _differs(given: Iterable[Program]) -> list[Program]:
    differs = listed(given, Program, A_PROGRAM)
    other = next((program for program in differs if program.kind != "differ"), None)
    if other is not None:
        raise ArcbattError(f"differs has program {other.name}, which is a {other.kind}; give differs alone")
    return differs


def _require_cluster(address: str) -> None:
    """Refuse a cluster that cannot be used, and ops of a user's own on any, before a search begins."""
    from arcbatt.engine.cluster.sending import require_cluster, require_no_own_ops  # most searches do without

    require_cluster(address)
    require_no_own_ops(names_of_own_ops())


class _IslandSearch:
    """The islands of a search, bred epoch by epoch."""

    def __init__(
        self,
        island_ids: Sequence[IslandId],
        settings: EvolveSettings,
        goal: Goal,
        keeping: Keeping | None,
        evolution: Evolution,
        on_found: OnFound,
        on_progress: OnProgress,
    ) -> None:
        self._island_ids, self._settings, self._goal, self._keeping = island_ids, settings, goal, keeping
        self._on_found, self._on_progress = on_found, on_progress
        self._best: dict[str, Member] = {}
        self._started, self._steps_before = monotonic(), 0
        self._last: BestProgram | None = None
        self._slots = [self._slot(number) for number in range(len(island_ids))]
        self._exchange = Exchange(self._slots, island_ids, settings, goal)
        self.evolution = evolution

    def run(self, workers: int, cluster: str | None) -> Evolution:
        """Breed until all islands have been bred long enough, or the time is over."""
        self._steps_before = sum(slot.progress.steps for slot in self._slots)
        seconds = self._settings.seconds
        try:
            with defer_interrupts():  # what an archive holds is told as a whole
                for slot in self._slots:
                    self._note(slot, IslandProgress(), self._better(slot, slot.progress))
            most = min(workers, sum(not self._is_over(slot) for slot in self._slots))
            schedule = Schedule(
                self._first(),
                inf if seconds is None else self._started + seconds,
                lambda slot: self._gave_way(schedule, slot),
                self._exchange.immigrants,
            )
            with closing(self._answers(schedule, most, cluster)) as answers:
                for number, answer in answers:
                    self._take(schedule, schedule.taken_back(number), answer)
            self._note_waiting()
        except KeyboardInterrupt:
            self.evolution.interrupted = True
            raise EvolutionInterrupted(self.evolution) from None
        except ArcbattError as error:
            raise EvolutionStopped(str(error), self.evolution) from error
        finally:
            self.evolution.seconds = monotonic() - self._started
            self.evolution.pace = self._progress().steps_per_second
        return self.evolution

    def _slot(self, number: int) -> ScheduledIsland:
        if self._keeping is not None:
            return self._keeping.slot(number)
        return ScheduledIsland(number, Island().text(), 0)

    def _answers(
        self, schedule: Schedule, workers: int, cluster: str | None
    ) -> Generator[tuple[int, Reply[Epoch]], None, None]:
        """The epochs that workers have done, by the numbers that the schedule gave them.

        One worker is this process, unless there are ops of a user's own: these may never end.
        """
        if cluster is not None:
            from arcbatt.engine.cluster.pool import ClusterPool  # most searches do without

            epochs = Epochs(self._island_ids, self._settings, self._goal, SECONDS_ON_CLUSTER)
            with ClusterPool[EpochRequest, Epoch](epochs, cluster) as pool:
                yield from pool.as_answered(schedule)
            return
        epochs = Epochs(self._island_ids, self._settings, self._goal)
        has_own_ops = bool(names_of_own_ops())
        if workers < 1 or (workers == 1 and not has_own_ops) or current_process().daemon:
            for number, work in enumerate(schedule):
                try:
                    yield number, Reply("ok", epochs(work))
                except Exception as error:
                    yield number, failed(error)
            return
        with WorkerPool(epochs, workers, OWN_SECONDS if has_own_ops else None, MOST_MEMORY) as pool:
            yield from pool.as_answered(schedule)

    def _take(self, schedule: Schedule, slot: ScheduledIsland, answer: Reply[Epoch]) -> None:
        """Keep what an epoch has found, and let its island be bred further if it is not over."""
        task, epoch = self._island_ids[slot.island_index].task, answer.result
        if answer.status == "failed":
            said = "" if answer.kind == ArcbattError.__name__ else f"{answer.kind}: "
            raise ArcbattError(f"breeding on task {task.id} failed: {said}{answer.reason}")
        if epoch is None:
            self.evolution.ended[self._key(slot)] = answer.status
            return
        better = self._better(slot, epoch.progress)
        with defer_interrupts():  # a signal must not come between the archive and what is told
            is_kept = self._keeping is None or self._keeping.commit(slot, epoch)
            if is_kept:
                before = slot.progress
                slot.state, slot.progress, slot.version = epoch.state, epoch.progress, slot.version + 1
                self._note(slot, before, better)
        if is_kept:
            self._go_on(slot, schedule.go_on, schedule.go_on)
        else:
            self._gave_way(schedule, slot)

    def _gave_way(self, schedule: Schedule, slot: ScheduledIsland) -> bool:
        """Let an island wait if another process has bred it meanwhile; whether one has."""
        before = slot.progress
        with defer_interrupts():
            if self._keeping is None or not self._keeping.catch_up(slot):
                return False
            self._steps_before += slot.progress.steps - before.steps
            self._note(slot, before, self._better(slot, slot.progress))
        self._go_on(slot, schedule.give_way, schedule.go_on)
        return True

    def _first(self) -> list[ScheduledIsland]:
        """The islands to begin with."""
        first = self._exchange.begin()
        for slot in first:
            self.evolution.ended.pop(self._key(slot), None)
        return first

    def _go_on(
        self,
        slot: ScheduledIsland,
        itself: Callable[[ScheduledIsland], None],
        other: Callable[[ScheduledIsland], None],
    ) -> None:
        """Let an island be bred further if it may, and all others that have waited for it."""
        self._is_over(slot)
        for free in self._exchange.taken_back(slot):
            self.evolution.ended.pop(self._key(free), None)  # another one may want it, though it is over
            (itself if free is slot else other)(free)

    def _note_waiting(self) -> None:
        """Say of islands that wait for one without a worker that they do."""
        ended = self.evolution.ended
        stopped = {task for (task, _), reason in ended.items() if reason in BAD_ENDS}
        for slot in self._exchange.waiting():
            if self._key(slot)[0] in stopped:
                ended[self._key(slot)] = WAITS

    def _key(self, slot: ScheduledIsland) -> tuple[str, int]:
        """The id of the task of an island, and its number."""
        island_id = self._island_ids[slot.island_index]
        return island_id.task.id, island_id.number

    def _is_over(self, slot: ScheduledIsland) -> bool:
        reason = self._goal.reached(slot.progress)
        if reason is not None:
            self.evolution.ended[self._key(slot)] = reason
        return reason is not None

    def _better(self, slot: ScheduledIsland, progress: IslandProgress) -> BestProgram | None:
        """The best program of an island, if it is better than those of its task before."""
        task = self._island_ids[slot.island_index].task
        known, best = self._best.get(task.id), progress.best
        if best is None or (known is not None and known.rank <= best.rank):
            return None
        return self._alone(task, best, progress.improved)

    def _note(self, slot: ScheduledIsland, before: IslandProgress, better: BestProgram | None) -> None:
        """Count an epoch, and tell what it has found."""
        evolution, progress, task = self.evolution, slot.progress, self._island_ids[slot.island_index].task
        evolution.generations += progress.generation - before.generation
        evolution.steps += progress.steps - before.steps
        evolution.immigrants += progress.immigrants - before.immigrants
        known, best = self._best.get(task.id), progress.best
        if best is not None and better is not None:
            self._best[task.id] = best
            self._last = evolution.best[task.id] = better
            if self._on_found is not None:
                self._on_found(better)
        elif best is not None and known is not None and best.rank == known.rank:
            # Of islands that find the same, the one with the fewest steps counts, whichever comes first.
            steps = min(evolution.best[task.id].steps, progress.improved)
            evolution.best[task.id] = replace(evolution.best[task.id], steps=steps)
        if self._on_progress is not None:
            self._on_progress(self._progress())

    def _alone(self, task: Task, best: Member, steps: int) -> BestProgram:
        """The best member of a task as it runs alone, apart from all others."""
        settings = self._settings
        program = replace(best.program, name=own_name(f"solve_{task.id}", best.program.hash))
        results = run(
            program,
            task,
            "all",
            settings.backend,
            threads=1,
            on_failure=settings.on_failure,
            limits=settings.limits,
            partial_scores=True,
        )
        found = BestProgram(task, program, best.fitness, best.size, steps, results[program, task])
        if found.fits != best.exact:
            raise ArcbattError(
                f"{program.name} on task {task.id} does something else alone than in the search; "
                "this is an error of arcbatt, please report it with this program"
            )
        return found

    def _progress(self) -> EvolveProgress:
        evolution = self.evolution
        seconds = max(monotonic() - self._started, 1e-9)
        return EvolveProgress(
            tasks=len(evolution.tasks),
            fitted=len(evolution.winners),
            over=len(evolution.ended),
            islands=len(self._island_ids),
            generations=evolution.generations,
            steps=evolution.steps,
            steps_per_second=(evolution.steps - self._steps_before) / seconds,
            best=self._last,
        )
