"""Runs in an archive: the settings of each, and how far it got."""

from typing import TYPE_CHECKING, Any

from arcbatt.archive.terms import digest_of
from arcbatt.arguments import require_text, shown
from arcbatt.errors import ArcbattError
from arcbatt.json_lines import canonical

if TYPE_CHECKING:
    from arcbatt.archive.archive import Archive

ADD_RUN = "INSERT INTO runs (digest, kind, settings) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
PUT_STATE = """
INSERT INTO run_states (run, key, version, state) VALUES (?, ?, ?, ?)
ON CONFLICT (run, key) DO UPDATE SET version = excluded.version, state = excluded.state
"""
# A run that is started anew has done as much as it did before: its results are there.
PUT_PROGRESS = "UPDATE runs SET done = max(done, ?), total = ? WHERE id = ?"
ADD_STEPS = "UPDATE runs SET done = done + ? WHERE id = ?"


class Run:
    """A run, found by its kind and settings; its states are bytes of the run's own, by key.

    A state has a version, which grows by one with each `advance`: of two processes that advance the same
    state, one is told that it came too late, and nothing of its step is kept.
    """

    def __init__(self, archive: "Archive", kind: str, settings: dict[str, Any]) -> None:
        self._archive, self.kind, self.settings = archive, kind, settings
        try:
            text = canonical(settings)
            text.encode()
        except (TypeError, ValueError, RecursionError):
            raise ArcbattError("the settings of a run must be plain data, as JSON has it") from None
        self._row = bytes.fromhex(digest_of(f"{kind}\n{text}")), kind, text

    @property
    def digest(self) -> str:
        """The identity of the run."""
        return self._row[0].hex()

    def state(self, key: str) -> tuple[int, bytes] | None:
        """The version and the content of a state; None if there is none yet."""
        require_text("key", key)
        row = self._archive.connection.one(
            "SELECT version, state FROM run_states JOIN runs ON runs.id = run WHERE digest = ? AND key = ?",
            (self._row[0], key),
        )
        return None if row is None else (int(row[0]), bytes(row[1]))

    def states(self) -> dict[str, int]:
        """The versions of all states, by key."""
        rows = self._archive.connection.rows(
            "SELECT key, version FROM run_states JOIN runs ON runs.id = run WHERE digest = ? ORDER BY key",
            (self._row[0],),
        )
        return {str(key): int(version) for key, version in rows}

    def advance(self, key: str, version: int, state: bytes, steps: int = 0) -> bool:
        """Commit a new state together with all that was added to the archive since the last commit.

        The stored version must be `version - 1`, where 0 stands for no state. If it is not, another process
        was faster: nothing is kept, also not what was added, and the result is False. `steps` is the work
        that the run has done for this state; `Archive.runs` tells the sum.
        """
        require_text("key", key)
        _require_count("version", version, 1)
        _require_count("steps", steps, 0)
        if not isinstance(state, bytes | bytearray | memoryview):
            raise ArcbattError(f"the state of a run is {shown(state)}; it must be bytes")
        return self._archive.commit_with(lambda: self._put(key, version, state, steps))

    def put_progress(self, done: int, total: int) -> None:
        """Write how much of the run is done, inside the transaction of `Archive.commit_with`."""
        self._archive.connection.execute(PUT_PROGRESS, (done, total, self._added()))

    def _added(self) -> int:
        """The id of the run, which is added if it is new; a failed transaction takes both back."""
        connection = self._archive.connection
        connection.execute(ADD_RUN, self._row)
        row = connection.one("SELECT id FROM runs WHERE digest = ?", self._row[:1])
        assert row is not None
        return int(row[0])

    def _put(self, key: str, version: int, state: bytes, steps: int) -> bool:
        """Write a state inside a transaction, if it follows the stored one."""
        connection, run = self._archive.connection, self._added()
        found = connection.one("SELECT version FROM run_states WHERE run = ? AND key = ?", (run, key))
        if (0 if found is None else found[0]) != version - 1:
            return False
        connection.execute(PUT_STATE, (run, key, version, bytes(state)))
        connection.execute(ADD_STEPS, (steps, run))
        return True

    def __repr__(self) -> str:
        return f"<run {self.kind} {self.digest[:12]}>"


def _require_count(name: str, count: object, least: int) -> None:
    if type(count) is not int or not least <= count < 1 << 63:
        raise ArcbattError(f"{name} is {shown(count)}; it must be an integer, {least} or more")
