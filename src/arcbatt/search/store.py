"""Searches in archives: each is a run there, whose states are committed with the programs of each step."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from arcbatt.archive.archive import Archive
from arcbatt.archive.rows.tasks import digest_of_task
from arcbatt.archive.terms import Terms, language_version
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.dsl.table import names_of_own_ops
from arcbatt.engine.backend import FailureMode
from arcbatt.engine.records.record import Record
from arcbatt.engine.records.verdicts import Outputs
from arcbatt.engine.run import run
from arcbatt.errors import ArcbattError
from arcbatt.json_lines import canonical
from arcbatt.notices import tell
from arcbatt.program.graph import Program
from arcbatt.search.state_codec import state_decoding_errors
from arcbatt.tasks import Task


def identity_of_results(on_failure: FailureMode, limits: Limits) -> dict[str, Any]:
    """What the results of a search depend on besides programs and tasks, as a part of its identity."""
    return {
        "on_failure": on_failure,
        "limits": asdict(limits),
        "language": language_version(),
        "own_ops": Terms().with_ops(names_of_own_ops()).own_ops,
    }


class SearchStore:
    """A search kept in an archive: a run there, found by its kind and settings.

    Parts of the search, such as islands, have a state each, by key. Several processes may share a search: a
    new state follows the one that this process has read or written last, and is refused if there is another.
    """

    def __init__(
        self,
        archive: Archive,
        kind: str,
        settings: Mapping[str, Any],
        on_failure: FailureMode = "fail",
        limits: Limits = DEFAULT_LIMITS,
        backend: str = "auto",
    ) -> None:
        self.archive, self.kind, self.settings = archive, kind, settings
        self._run = archive.run(kind, dict(settings))
        self._terms, self._backend = Terms(on_failure, limits), backend
        self._versions: dict[str, int] = {}

    def is_begun(self, tasks: Sequence[Task], keys: Sequence[str], resume: bool, instead: str) -> bool:
        """Whether a part has a state, of some keys and their tasks; refused unless it is to be resumed."""
        states = self._run.states()
        begun = next((task for task, key in zip(tasks, keys) if key in states), None)
        if begun is not None and not resume:
            raise ArcbattError(
                f"{self.archive.path}: holds this search already, for task {begun.id} and maybe others; "
                f"resume it, or {instead} for a new one"
            )
        return begun is not None

    @property
    def has_states(self) -> bool:
        """Whether the search has begun, maybe on other parts."""
        return bool(self._run.states())

    def tell_of_new(self, what: str) -> None:
        """Tell that a search to be resumed begins anew, if the archive has others of its kind."""
        if any(run.kind == self.kind for run in self.archive.runs()):
            tell(f"{self.archive.path}: holds no search {what}; a new one begins")

    def state(self, key: str) -> bytes | None:
        """The state of a part, as the archive has it by now."""
        self._versions[key], text = self._run.state(key) or (0, None)
        return text

    def state_of_others(self, key: str) -> bytes | None:
        """The state of a part, if another process has written one since it was read or written here."""
        before = self._versions.get(key, 0)
        text = self.state(key)
        return text if self._versions[key] != before else None

    def advance(self, key: str, state: bytes, steps: int = 0) -> bool:
        """Commit a state with all that was added; False, and nothing is kept, if another is there."""
        version = self._versions.get(key, 0) + 1
        is_kept = self._run.advance(key, version, state, steps)
        if is_kept:
            self._versions[key] = version
        return is_kept

    def choice(self, key: str, nothing: Any, choose: Callable[[Any], Any]) -> Any:
        """Plain data that all processes of a search share, since the archive changes while it is in use.

        `choose` makes it of what is chosen already, which is `nothing` at the beginning.
        """
        while True:
            text = self.state(key)
            with state_decoding_errors():
                before = nothing if text is None else json.loads(text)
            after = choose(before)
            if after == before or self.advance(key, canonical(after).encode()):
                return after

    def add(self, record: Record, parents: Mapping[str, Sequence[str]] | None = None) -> None:
        """Add the results of programs with lineage, and their outputs if they win."""
        self.archive.add_programs(record.programs, parents)
        self.archive.add_record(record, self._terms, lambda program: self._outputs(program, record.task))

    def _outputs(self, program: Program, task: Task) -> Outputs:
        on_failure, limits = self._terms.on_failure, self._terms.limits
        return run(program, task, "all", self._backend, 1, on_failure, limits)[program, task].outputs


def key_of_task(task: Task) -> str:
    """The key of a task in a search."""
    return digest_of_task(task).hex()
