"""The archive of `evolve`: what its populations take, and the states of its islands."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from arcbatt.archive.archive import Archive
from arcbatt.archive.terms import digest_of
from arcbatt.dsl.table import names_of_own_ops
from arcbatt.engine.records.record import Record
from arcbatt.search.evolve.breeder import LONGEST_SEED, EvolveSettings
from arcbatt.search.evolve.epochs import Epoch, IslandId, ScheduledIsland
from arcbatt.search.evolve.island import Island, progress_from
from arcbatt.search.state_codec import state_decoding_errors
from arcbatt.search.store import SearchStore, identity_of_results, key_of_task

KIND = "evolve"  # of the runs in an archive
FROM_ARCHIVE = 16  # of the best programs that an archive has for a task: so many are seeds
SEEDS = "seeds"  # the key of the state that says which


class IslandStore:
    """A search in an archive, where each island has a state.

    It is committed together with the programs that its population has taken. An archive changes while it is
    in use, so the seeds that it gave to each island are written down once.
    """

    def __init__(
        self, archive: Archive, settings: EvolveSettings, island_ids: Sequence[IslandId], resume: bool
    ) -> None:
        self._archive, self._island_ids = archive, island_ids
        islands = len({island.number for island in island_ids})
        identity = _identity(settings, islands)
        self._store = SearchStore(
            archive, KIND, identity, settings.on_failure, settings.limits, settings.backend
        )
        tasks = [island.task for island in island_ids]
        digests = {task: key_of_task(task) for task in tasks}
        self._keys = [f"{digests[island.task]} {island.number}" for island in island_ids]
        if not self._store.is_begun(tasks, self._keys, resume, "choose another seed") and resume:
            self._store.tell_of_new("on these tasks with these settings")
        self._seeds = self._store.choice(SEEDS, {}, self._with_new_islands)

    def slot(self, number: int) -> ScheduledIsland:
        """An island as the archive has it, or at its beginning."""
        key = self._keys[number]
        state = self._store.state(key)
        if state is None:
            seeds = tuple(self._archive.program(known).program for known in self._seeds[key])
            state = Island(seeds=seeds).text()
        return ScheduledIsland(number, state, progress_from(state))

    def catch_up(self, slot: ScheduledIsland) -> bool:
        """Take the state of an island from the archive, if another process has bred it; whether one has."""
        state = self._store.state_of_others(self._keys[slot.island_index])
        if state is None:
            return False
        slot.state, slot.progress = state, progress_from(state)
        return True

    def commit(self, slot: ScheduledIsland, epoch: Epoch) -> bool:
        """Commit what an epoch has found, and its state; False if another process has bred the island."""
        if epoch.born:
            programs, parents, verdicts, scores = zip(*epoch.born)
            record = Record(
                self._island_ids[slot.island_index].task, programs, b"".join(verdicts), b"".join(scores)
            )
            self._store.add(record, {program.hash: made_of for program, made_of in zip(programs, parents)})
        steps = epoch.progress.steps - slot.progress.steps
        return self._store.advance(self._keys[slot.island_index], epoch.state, steps)

    def _with_new_islands(self, chosen: Any) -> dict[str, list[str]]:
        """The hashes of the seeds from the archive, by island; those of new islands are chosen now."""
        with state_decoding_errors():
            seeds = {str(key): [str(known) for known in hashes] for key, hashes in chosen.items()}
        for island, key in zip(self._island_ids, self._keys):
            if key not in seeds:
                best = self._archive.best(island.task, FROM_ARCHIVE, blind=True)
                seeds[key] = [found.hash for found in best if self._may_start(found.hash)]
        return seeds

    def _may_start(self, known: str) -> bool:
        """Whether a population may start with a program: it is sound, not too long, and its ops are known."""
        stored = self._archive.program(known)
        if not names_of_own_ops().issuperset(stored.own_ops):
            return False
        program = self._archive.read_or_tell(stored)
        return program is not None and program.size <= LONGEST_SEED


def _identity(settings: EvolveSettings, islands: int) -> dict[str, Any]:
    """What a search is found by: all that its generations depend on, besides the task.

    The number of islands counts only if they exchange members.
    """
    exchange = {
        "exchange": settings.exchange,
        "deterministic": settings.deterministic,
        "islands": islands,
    }
    hashes = [program.hash for program in settings.seeds]
    functions = (settings.fitness, settings.selection, settings.mutation)
    return {
        "seed": settings.seed,
        "seeds": digest_of(" ".join(hashes)),
        "generation": settings.generation,
        "members": settings.members,
        "rate": settings.rate,
        "differs": [program.hash for program in settings.differs],
        "plugins": [_text_of(function) for function in functions],
        **identity_of_results(settings.on_failure, settings.limits),
        **(exchange if settings.exchange else {}),
    }


def _text_of(function: Callable[..., Any]) -> str:
    """A function by its name and a digest of its own source, if there is one: not of what it calls."""
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        source = ""
    return f"{getattr(function, '__name__', '')} {digest_of(source)}"
