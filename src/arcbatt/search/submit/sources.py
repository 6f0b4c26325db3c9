"""The programs of a submission: from program files, archives, and what searches have found or written."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from arcbatt.archive.archive import Archive
from arcbatt.arguments import collected, require_file_name, shown
from arcbatt.dsl.table import TABLE
from arcbatt.errors import ArcbattError
from arcbatt.files import content_of_file, is_database, opening_of_file
from arcbatt.json_lines import BAD_DATA, is_summary, row_of
from arcbatt.library import LIBRARY, load_library
from arcbatt.program.graph import Node, Program
from arcbatt.program.parse import load_programs
from arcbatt.search.evolve.evolution import Evolution
from arcbatt.search.solve.answers import Source
from arcbatt.search.solve.ranking import description_length
from arcbatt.search.solve.solution import Solution, program_of_row
from arcbatt.search.state_codec import count_from
from arcbatt.tasks.submission import ATTEMPT_NAMES

FileKind = Literal["archive", "lines", "programs"]
MOST_BYTES = 1 << 30  # of a file of JSON lines
MOST_COST = 1_000_000  # bits
LOOKED_AT = 256  # bytes that tell lines of JSON from programs
REFUSED_TASK = {"task", "refused"}  # the keys of a line of `evolve` on a task that is too heavy
SOURCES = "a program file or folder, an archive, or the JSON lines of solve or evolve"


@dataclass(frozen=True)
class SubmitCandidate:
    """A program that may answer a task, and its description length.

    `searched` has the description lengths by which a search has found it, by the id of the task.
    """

    program: Program
    source: Source
    cost: int
    searched: Mapping[str, int] = field(default_factory=dict)

    def cost_on(self, task_id: str) -> int:
        """The description length of the program on a task."""
        return self.searched.get(task_id, self.cost)


Origin: TypeAlias = SubmitCandidate | Program | Archive | Solution | Evolution | str | os.PathLike[str]


def candidate(program: Program, source: Source, searched: Mapping[str, int] | None = None) -> SubmitCandidate:
    """A program as a candidate, with the cost of such programs."""
    return SubmitCandidate(program, source, description_length(program, source), dict(searched or {}))


def candidates_from(origins: Origin | Iterable[Origin]) -> list[SubmitCandidate]:
    """The solvers that origins have; programs of the same content are one candidate.

    >>> from arcbatt.program.parse import parse_programs
    >>> programs = parse_programs("def a(I): return rot90(I)\\ndef b(I): return rot90(I)")
    >>> [(each.program.name, each.cost) for each in candidates_from(programs)]
    [('a', 2)]
    """
    alone = isinstance(
        origins, SubmitCandidate | Program | Archive | Solution | Evolution | str | os.PathLike
    )
    found: dict[Node, SubmitCandidate] = {}
    given: Any = origins
    for origin in [given] if alone else collected(given, f"source of programs; name {SOURCES}"):
        for each in _candidates(origin):
            if each.program.kind != "solver":
                continue
            known = found.setdefault(each.program.root, each)
            if each.searched and known is not each:
                joined = replace(known, searched={**each.searched, **known.searched})
                found[each.program.root] = joined
    if not found:
        raise ArcbattError(f"there is no solver in what a submission is to be made of; name {SOURCES}")
    return list(found.values())


def _candidates(origin: Any) -> Iterator[SubmitCandidate]:
    """The candidates of one origin."""
    if isinstance(origin, SubmitCandidate):
        yield origin
    elif isinstance(origin, Program):
        yield candidate(origin, "program")
    elif isinstance(origin, Archive):
        yield from _from_archive(origin)
    elif isinstance(origin, Solution):
        for found in origin.found.values():
            for answer in found.answers:
                yield candidate(answer.program, answer.source, {found.task.id: answer.cost})
    elif isinstance(origin, Evolution):
        yield from (candidate(find.program, "search") for find in origin.best.values())
    elif isinstance(origin, str | os.PathLike):
        require_file_name("a source of programs", origin)
        yield from _from_file(os.fspath(origin))
    else:
        raise ArcbattError(f"{shown(origin)} has no programs; name {SOURCES}")


def _from_file(name: str) -> Iterator[SubmitCandidate]:
    kind = kind_of_file(name)
    if name == LIBRARY and not Path(name).exists():
        yield from (candidate(program, "library") for program in load_library("solvers"))
    elif kind == "archive":
        with Archive(name, readonly=True) as archive:
            yield from _from_archive(archive)
    elif kind == "lines":
        yield from _from_lines(name)
    else:
        yield from (candidate(program, "program") for program in load_programs(name))


def kind_of_file(name: str) -> FileKind:
    """The kind of a source by its content: a database is an archive, an object of JSON begins a line."""
    if is_database(name):
        return "archive"
    return "lines" if opening_of_file(name, LOOKED_AT).startswith(b"{") else "programs"


def _from_archive(archive: Archive) -> Iterator[SubmitCandidate]:
    """The solvers of an archive; without damaged ones, and those that need an op of a user's own."""
    count = 0
    for stored in archive.programs(kind="solver"):
        program = archive.read_or_tell(stored) if all(name in TABLE for name in stored.own_ops) else None
        if program is not None:
            count += 1
            yield candidate(program, "archive")
    if not count:
        raise ArcbattError(f"{archive.path}: there is no solver in this archive; name one that has some")


def _from_lines(name: str) -> Iterator[SubmitCandidate]:
    """The programs of the JSON lines of a search; a torn last line is left out."""
    content = content_of_file(name, MOST_BYTES)
    lines = content.splitlines(keepends=True)
    if content.count(b"attempt_1") and _is_submission(row_of(content) or {}):
        raise ArcbattError(f"{name}: is a submission itself; --check checks one, a source is {SOURCES}")
    count = 0
    for number, line in enumerate(lines, 1):
        row = _row(name, number, line, is_last=number == len(lines))
        for found in _programs_of(name, number, row):
            count += 1
            yield found
    if not count:
        raise ArcbattError(
            f"{name}: there is no program in these lines; name those of a search that found some"
        )


def _row(name: str, number: int, line: bytes, is_last: bool) -> dict[str, Any]:
    row = row_of(line) if line.strip() else {}
    if row is not None:
        return row
    if is_last and number > 1 and not line.endswith(b"\n"):
        return {}
    raise ArcbattError(f"{name}:{number}: is no line of solve or evolve; a source is {SOURCES}")


def _programs_of(name: str, number: int, row: Mapping[str, Any]) -> list[SubmitCandidate]:
    """The programs of a line: the answers of `solve`, or the find of `evolve`."""
    if is_summary(row) or row.keys() == REFUSED_TASK or not row:
        return []
    if "program" in row and "code" not in row:
        raise ArcbattError(
            f"{name}:{number}: has the name of a program and not its code; name the program file instead"
        )
    try:
        if "answers" not in row:
            return [candidate(program_of_row(row), "search")]
        task = str(row["task"])
        return [
            candidate(program_of_row(answer), "search", {task: _cost_from(answer["cost"])})
            for answer in row["answers"]
        ]
    except BAD_DATA:
        raise ArcbattError(f"{name}:{number}: is no line of solve or evolve; a source is {SOURCES}") from None


def _cost_from(number: Any) -> int:
    if count_from(number) > MOST_COST:
        raise ValueError(f"{number!r} is no description length")
    return int(number)


def _is_submission(data: Mapping[str, Any]) -> bool:
    return any(
        isinstance(entry, dict) and not entry.keys().isdisjoint(ATTEMPT_NAMES)
        for entries in data.values()
        if isinstance(entries, list)
        for entry in entries
    )
