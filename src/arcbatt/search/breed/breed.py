"""`breed`: rounds of `card` and `run-batt`, one after the other, with all that they keep in a store."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import SystemRandom

from arcbatt.engine.backend import how_many, too_heavy
from arcbatt.errors import ArcbattError
from arcbatt.library import load_library
from arcbatt.notices import tell
from arcbatt.program.graph import Program
from arcbatt.search.breed.card import SEED_BITS
from arcbatt.search.breed.rounds import BreedSettings, Rounds
from arcbatt.search.breed.state import BreedState, RankedDiffer, RoundCounts
from arcbatt.search.breed.stores import Store, identity
from arcbatt.signals import defer_interrupts
from arcbatt.tasks import Task
from arcbatt.text import shorten

OnRound = Callable[[RoundCounts], None]


@dataclass
class Breeding:
    """What rounds have bred: the tasks, the last state, and whether Ctrl-C came first.

    `refused` says of tasks that are too heavy for the limits why.
    """

    tasks: list[Task]
    state: BreedState
    solved: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False


def breed(
    tasks: Sequence[Task],
    settings: BreedSettings,
    store: Store | None = None,
    *,
    rounds: int = 1,
    seed: int | None = None,
    solvers: Sequence[Program] = (),
    differs: Sequence[Program] = (),
    resume: bool = False,
    threads: int | None = None,
    on_begin: OnRound | None = None,
    on_round: OnRound | None = None,
) -> Breeding:
    """Breed on tasks until there have been so many rounds.

    The first round starts from the `solvers` and `differs` that are given and from those of the store;
    where there are none, from the library. Without a `seed` each breeding has one by chance, which the state
    tells. With `resume` the breeding of the same settings in the store goes on; `on_begin` gets the counts of
    each round that is done already, `on_round` those of each new one.
    """
    refused = {task.id: reason for task in tasks if (reason := too_heavy(task, settings.limits))}
    ready = [task for task in tasks if task.id not in refused]
    if not ready:
        because = "".join(
            f": task {shorten(each)} is too heavy: {refused[each]}" for each in list(refused)[:1]
        )
        raise ArcbattError(f"there is no task to breed on{because}; name other tasks")
    loop = Rounds(ready, settings, how_many("threads", threads) or 1)
    state = None if store is None else _found(store, identity(settings, ready, seed), seed, resume)
    if state is None:
        seed = SystemRandom().getrandbits(SEED_BITS) if seed is None else seed
        state, newcomers = loop.begin(*_start(ready, settings, store, solvers, differs), seed)
        found_by = identity(settings, ready, seed)
        if store is not None:
            with defer_interrupts():
                store.commit(found_by, state, newcomers)
    else:
        found_by = identity(settings, ready, state.seed)
    breeding = Breeding(ready, state, refused=refused)
    if on_begin is not None:
        for counts in state.rounds:
            on_begin(counts)
    try:
        while len(breeding.state.rounds) < rounds:
            state, newcomers = loop.next(breeding.state)
            with defer_interrupts():
                if store is not None:
                    store.commit(found_by, state, newcomers)
                breeding.state = state
                if on_round is not None:
                    on_round(state.rounds[-1])
    except KeyboardInterrupt:
        breeding.interrupted = True
    breeding.solved = [task.id for task in ready if loop.is_solved(task, breeding.state)]
    return breeding


def _found(store: Store, settings: dict[str, object], seed: int | None, resume: bool) -> BreedState | None:
    """The state to go on with; a breeding that is there and not to be resumed is refused."""
    if not resume and seed is None:
        return None
    state = store.find(settings, seed)
    if state is not None and not resume:
        raise ArcbattError(
            f"{store.name}: holds this breeding already, with {len(state.rounds)} rounds; "
            "resume it, or choose another seed for a new one"
        )
    if state is None and resume:
        tell(f"{store.name}: holds no breeding on these tasks with these settings; a new one begins")
    return state


def _start(
    tasks: Sequence[Task],
    settings: BreedSettings,
    store: Store | None,
    solvers: Sequence[Program],
    differs: Sequence[Program],
) -> tuple[list[Program], list[RankedDiffer]]:
    """The solvers and differs of the first round."""
    kept = [] if store is None else store.solvers(tasks, settings.keep)
    known = [] if store is None else store.differs()
    given = [RankedDiffer(differ, None) for differ in differs]
    return (
        [*solvers, *kept] or list(load_library("solvers")),
        [*given, *known] or [RankedDiffer(differ, None) for differ in load_library("differs")],
    )
