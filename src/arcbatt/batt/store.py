"""A file of confirmed scores, by the content of program and task, the settings and the language version."""

import json
import os
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from arcbatt import __version__
from arcbatt.batt.scoring import Score, Scorer
from arcbatt.dsl.failures import KINDS
from arcbatt.dsl.table import TABLE
from arcbatt.engine.results import Verdict
from arcbatt.errors import ArcbattError
from arcbatt.files import UnreadableFile, content_of_file, locked_folder, whole_file
from arcbatt.program.graph import Program, ops_named
from arcbatt.tasks import Task

MOST_SCORES = 100_000
LARGEST_STORE = 1 << 30  # bytes


class Key(NamedTuple):
    """The key of a score: the hash of a program, the id of a task, a digest of its grids and the settings."""

    program: str
    task: str
    terms: str


class Entry(NamedTuple):
    """The stored part of a score, with the name and the source of its program."""

    name: str
    verdicts: tuple[Verdict, ...]
    mean: float
    source: str = ""


class ScoreStore:
    """The scores in a file of JSON lines; of more than `most` the oldest are dropped.

    Entries of another version of the language are ignored, and dropped when the file is written. Several
    stores, also of several processes, may add to one file: each reads it again before it writes, under a lock
    on systems with `flock`. A store sees the entries of others after its own next `add`.
    """

    def __init__(self, path: str | os.PathLike[str], most: int = MOST_SCORES) -> None:
        self.path, self.most = os.fspath(path), most
        self._entries = dict(_read(self.path, language_version()))

    def find(self, program: Program, task: Task, scorer: Scorer) -> Score | None:
        """The stored score of a program on a task with these settings, if there is one."""
        entry = self._entries.get(_key(program, task, scorer))
        return entry and Score(program, task, entry.verdicts, entry.mean)

    def add(self, scores: Iterable[Score], scorer: Scorer) -> None:
        """Add scores to the file, each after its program got the same one alone."""
        new: dict[Key, Entry] = {}
        for score in scores:
            _require_known_ops(score.program, *scorer.differs)
            scorer.confirmed(score)
            key = _key(score.program, score.task, scorer)
            new.pop(key, None)
            new[key] = Entry(score.program.name, score.verdicts, score.mean, score.program.source())
        language = language_version()
        with locked_folder(self.path):
            known = {key: entry for key, entry in _read(self.path, language) if key not in new}
            rows = [*known.items(), *new.items()]
            entries = dict(rows[max(0, len(rows) - self.most) :])
            with whole_file(self.path) as file:
                for key, entry in entries.items():
                    file.write(json.dumps({"language": language} | key._asdict() | entry._asdict()) + "\n")
        self._entries = entries

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[tuple[Key, Entry]]:
        return iter(self._entries.items())


def language_version() -> str:
    """The version of the package with a digest of its ops; a user's own ops are no part of it.

    >>> language_version().startswith(__version__ + "+")
    True
    """
    known = [
        (op.declaration, [param.requirement for param in op.params]) for op in TABLE.values() if op.trusted
    ]
    return f"{__version__}+{_digest(known)}"


def _digest(content: Any) -> str:
    return blake2b(repr(content).encode(), digest_size=8).hexdigest()


def _key(program: Program, task: Task, scorer: Scorer) -> Key:
    """The key of a score; the grids are part of it, since an id may name another task elsewhere."""
    differs = [differ.hash for differ in scorer.differs]
    terms = _digest((len(task.demo), task.samples, differs, scorer.on_failure, scorer.limits))
    return Key(program.hash, task.id, terms)


def _require_known_ops(*programs: Program) -> None:
    for program in programs:
        name = next(
            (name for node in program.nodes for name in ops_named(node) if not TABLE[name].trusted), None
        )
        if name is not None:
            raise ArcbattError(
                f"program {program.name} uses {name!r}, an op of your own: its scores cannot be stored, "
                "for nothing would tell when the op has changed"
            )


def _read(path: str, language: str) -> Iterator[tuple[Key, Entry]]:
    """The entries of a file that this version of the language made; none if there is no file."""
    try:
        lines = content_of_file(path, LARGEST_STORE).decode().splitlines() if Path(path).exists() else []
    except (UnreadableFile, UnicodeDecodeError) as error:
        raise ArcbattError(f"{path}: the scores cannot be read: {error.reason}") from None
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            if row["language"] == language:
                yield _entry(row)
        except (ValueError, TypeError, KeyError, RecursionError):
            raise ArcbattError(
                f"{path}:{number}: this is no stored score; take the line out, or score into another file"
            ) from None


def _entry(row: dict[str, Any]) -> tuple[Key, Entry]:
    key = Key(*(str(row[field]) for field in Key._fields))
    verdicts = tuple(row["verdicts"])
    if not all(verdict is None or isinstance(verdict, bool) or verdict in KINDS for verdict in verdicts):
        raise ValueError(verdicts)
    return key, Entry(str(row["name"]), verdicts, float(row["mean"]), str(row.get("source", "")))
