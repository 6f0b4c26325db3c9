"""The archive of a search: what its populations take, and the states of its islands."""

import inspect
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from arcbatt.archive.archive import Archive
from arcbatt.archive.rows.tasks import digest_of_task
from arcbatt.archive.terms import Terms, canonical, digest_of, language_version
from arcbatt.dsl.table import names_of_own_ops
from arcbatt.engine.results import Outputs, Record
from arcbatt.engine.run import run
from arcbatt.errors import ArcbattError
from arcbatt.notices import tell
from arcbatt.program.graph import Program
from arcbatt.search.evolve.breeder import LONGEST_SEED, EvolveSettings
from arcbatt.search.evolve.epochs import Epoch, IslandId, ScheduledIsland
from arcbatt.search.evolve.island import Island, progress_from
from arcbatt.search.state_codec import state_decoding_errors
from arcbatt.tasks import Task

KIND = "evolve"  # of the runs in an archive
FROM_ARCHIVE = 16  # of the best programs that an archive has for a task: so many are seeds
SEEDS = "seeds"  # the key of the state that says which


class Keeping:
    """Keeps a search in an archive: the search is a run there, found by its settings.

    The state of an island is committed together with the programs that its population has taken. An archive
    changes while it is in use, so the seeds that it gave to each island are written down once.
    """

    def __init__(
        self, archive: Archive, settings: EvolveSettings, places: Sequence[IslandId], resume: bool
    ) -> None:
        self._archive, self._settings, self._places = archive, settings, places
        self._terms = Terms(settings.on_failure, settings.limits)
        islands = len({place.number for place in places})
        self._run = archive.run(KIND, _identity(settings, islands))
        digests = {place.task: digest_of_task(place.task).hex() for place in places}
        self._keys = [f"{digests[place.task]} {place.number}" for place in places]
        states = self._run.states()
        known = [place for place, key in zip(places, self._keys) if key in states]
        if known and not resume:
            raise ArcbattError(
                f"{archive.path}: holds this search already, for task {known[0].task.id} and maybe others; "
                "resume it, or choose another seed for a new one"
            )
        if resume and not known and any(run.kind == KIND for run in archive.runs()):
            tell(f"{archive.path}: holds no search on these tasks with these settings; a new one begins")
        self._seeds = self._chosen_seeds()

    def slot(self, number: int) -> ScheduledIsland:
        """An island as the archive has it, or at its beginning."""
        key = self._keys[number]
        found = self._run.state(key)
        if found is None:
            seeds = tuple(self._archive.program(known).program for known in self._seeds[key])
            found = 0, Island(seeds=seeds).text()
        version, state = found
        return ScheduledIsland(number, state, version, progress_from(state))

    def catch_up(self, slot: ScheduledIsland) -> bool:
        """Take the state of an island from the archive, if another process has bred it; whether one has."""
        found = self._run.state(self._keys[slot.island_index])
        if found is None or found[0] == slot.version:
            return False
        slot.version, slot.state = found
        slot.progress = progress_from(slot.state)
        return True

    def commit(self, slot: ScheduledIsland, epoch: Epoch) -> bool:
        """Commit what an epoch has found, and its state; False if another process has bred the island."""
        task = self._places[slot.island_index].task
        for born in epoch.born:
            self._archive.add_programs([born.program], {born.program.hash: born.parents})
        if epoch.born:
            programs, _, verdicts, scores = zip(*epoch.born)
            record = Record(task, programs, b"".join(verdicts), b"".join(scores))
            self._archive.add_record(record, self._terms, lambda program: self._outputs(program, task))
        steps = epoch.progress.steps - slot.progress.steps
        return self._run.advance(self._keys[slot.island_index], slot.version + 1, epoch.state, steps)

    def _outputs(self, program: Program, task: Task) -> Outputs:
        settings = self._settings
        results = run(program, task, "all", settings.backend, 1, settings.on_failure, settings.limits)
        return results[program, task].outputs

    def _chosen_seeds(self) -> dict[str, list[str]]:
        """The hashes of the seeds from the archive, by island; those of new islands are chosen now."""
        while True:
            version, text = self._run.state(SEEDS) or (0, b"{}")
            chosen = _hashes_by_island(text)
            new = [(place, key) for place, key in zip(self._places, self._keys) if key not in chosen]
            if not new:
                return chosen
            for place, key in new:
                best = self._archive.best(place.task, FROM_ARCHIVE, blind=True)
                chosen[key] = [found.hash for found in best if self._may_start(found.hash)]
            if self._run.advance(SEEDS, version + 1, canonical(chosen).encode()):
                return chosen

    def _may_start(self, known: str) -> bool:
        """Whether a population may start with a program: it is sound, not too long, and its ops are known."""
        stored = self._archive.program(known)
        if not names_of_own_ops().issuperset(stored.own_ops):
            return False
        program = self._archive.read_or_tell(stored)
        return program is not None and program.size <= LONGEST_SEED


def _hashes_by_island(text: bytes) -> dict[str, list[str]]:
    with state_decoding_errors():
        return {str(key): [str(known) for known in hashes] for key, hashes in json.loads(text).items()}


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
        "on_failure": settings.on_failure,
        "limits": asdict(settings.limits),
        "plugins": [_text_of(function) for function in functions],
        "language": language_version(),
        "own_ops": Terms().with_ops(names_of_own_ops()).own_ops,
        **(exchange if settings.exchange else {}),
    }


def _text_of(function: Callable[..., Any]) -> str:
    """A function by its name and a digest of its own source, if there is one: not of what it calls."""
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        source = ""
    return f"{getattr(function, '__name__', '')} {digest_of(source)}"
