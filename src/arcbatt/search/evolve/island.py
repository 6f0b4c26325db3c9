"""The state of an island between two generations, and its form in an archive."""

import json
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from arcbatt.program.graph import Program
from arcbatt.search.evolve.population import Member
from arcbatt.search.state_codec import (
    count_from,
    program_as_json,
    program_from,
    require_form,
    state_decoding_errors,
)

FORM = 1  # of the text in an archive; another form is refused


@dataclass(frozen=True)
class IslandProgress:
    """How far an island is: generations, steps, and its best member.

    A step is a candidate that was bred and judged. `improved` is the step after which the best member was
    last replaced, `fitted` the one after which a member first was exact on all demo samples. `immigrants`
    counts the members that came from other islands; `emigrant` was the best member at the last exchange, if
    others may still ask for it.
    """

    generation: int = 0
    steps: int = 0
    improved: int = 0
    fitted: int | None = None
    best: Member | None = None
    immigrants: int = 0
    emigrant: Member | None = None


BEGINNING = IslandProgress()


@dataclass(frozen=True)
class Island:
    """A population on one task as it stands between two generations; members are sorted, best first.

    `seeds` are programs that the first generation judges besides those that all islands start with.
    """

    progress: IslandProgress = BEGINNING
    members: tuple[Member, ...] = ()
    seeds: tuple[Program, ...] = ()

    def text(self) -> bytes:
        """The island as text for an archive."""
        progress = self.progress
        data = {
            "form": FORM,
            "generation": progress.generation,
            "steps": progress.steps,
            "improved": progress.improved,
            "fitted": progress.fitted,
            "members": [_member_as_json(member) for member in self.members],
            "seeds": [program_as_json(program) for program in self.seeds],
        }
        if progress.immigrants:
            data["immigrants"] = progress.immigrants
        if progress.emigrant is not None:
            data["emigrant"] = _member_as_json(progress.emigrant)
        return json.dumps(data, separators=(",", ":")).encode()


def island_from(text: bytes) -> Island:
    """The island that a text of an archive describes.

    >>> island_from(Island(IslandProgress(generation=3, steps=384)).text()).progress.steps
    384
    """
    return _read(text, whole=True)


def progress_from(text: bytes) -> IslandProgress:
    """How far the island is that a text describes; of its members only the best is read."""
    return _read(text, whole=False).progress


def _read(text: bytes, whole: bool) -> Island:
    with state_decoding_errors():
        data = json.loads(text)
        require_form(data, FORM)
        rows = data["members"] if whole else data["members"][:1]
        members = tuple(_member_from(*row) for row in rows)
        progress = IslandProgress(
            count_from(data["generation"]),
            count_from(data["steps"]),
            count_from(data["improved"]),
            None if data["fitted"] is None else count_from(data["fitted"]),
            members[0] if members else None,
            count_from(data.get("immigrants", 0)),
            _member_from(*data["emigrant"]) if "emigrant" in data else None,
        )
        return Island(progress, members, tuple(program_from(*row) for row in data["seeds"]))


def _member_as_json(member: Member) -> list[Any]:
    row = (member.fitness, member.size, member.behaviour, member.exact)
    return [program_as_json(member.program), *row, member.born, member.edited, member.exhausted]


def _member_from(
    program: Any,
    fitness: Any,
    size: Any,
    behaviour: Any,
    exact: Any,
    born: Any,
    edited: Any,
    exhausted: Any,
) -> Member:
    if not isinstance(fitness, int | float) or not isfinite(fitness):
        raise ValueError(f"{fitness!r} is no fitness")
    row = (
        count_from(size),
        count_from(behaviour),
        bool(exact),
        count_from(born),
        count_from(edited),
        bool(exhausted),
    )
    return Member(program_from(*program), fitness, *row)


def after_generation(
    progress: IslandProgress, candidates: int, members: tuple[Member, ...]
) -> IslandProgress:
    """The progress of an island after one more generation of so many candidates."""
    # A generation without candidates counts as a step, too, so that every budget is used up one day.
    steps = progress.steps + max(1, candidates)
    best = members[0] if members else None
    if best is not None and (progress.best is None or best.rank < progress.best.rank):
        progress = replace(progress, improved=steps)
    if progress.fitted is None and best is not None and any(member.exact for member in members):
        progress = replace(progress, fitted=steps)
    return replace(progress, generation=progress.generation + 1, steps=steps, best=best)
