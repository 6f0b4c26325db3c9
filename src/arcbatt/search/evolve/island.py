"""The state of an island between two generations, and its form in an archive."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from arcbatt.archive.rows.programs import graph_from_text, graph_text
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Program
from arcbatt.search.evolve.population import Member

FORM = 1  # of the text in an archive; another form is refused


@dataclass(frozen=True)
class Standing:
    """How far an island is: generations, steps, and its best member.

    A step is a candidate that was bred and judged. `improved` is the step after which the best member was
    last replaced, `fitted` the one after which a member first was exact on all demo samples.
    """

    generation: int = 0
    steps: int = 0
    improved: int = 0
    fitted: int | None = None
    best: Member | None = None


BEGINNING = Standing()


@dataclass(frozen=True)
class Island:
    """A population on one task as it stands between two generations; members are sorted, best first.

    `seeds` are programs that the first generation judges besides those that all islands start with.
    """

    standing: Standing = BEGINNING
    members: tuple[Member, ...] = ()
    seeds: tuple[Program, ...] = ()

    def text(self) -> bytes:
        """The island as text for an archive."""
        standing = self.standing
        return json.dumps(
            {
                "form": FORM,
                "generation": standing.generation,
                "steps": standing.steps,
                "improved": standing.improved,
                "fitted": standing.fitted,
                "members": [_member_as_json(member) for member in self.members],
                "seeds": [_program_as_json(program) for program in self.seeds],
            },
            separators=(",", ":"),
        ).encode()


def island_from(text: bytes) -> Island:
    """The island that a text of an archive describes.

    >>> island_from(Island(Standing(generation=3, steps=384)).text()).standing.steps
    384
    """
    return _read(text, whole=True)


def standing_from(text: bytes) -> Standing:
    """How far the island is that a text describes; only its best member is read."""
    return _read(text, whole=False).standing


@contextmanager
def damage_told() -> Iterator[None]:
    """Turn what is raised by data that is not as it was written into a sentence."""
    try:
        yield
    except (ArcbattError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise ArcbattError(
            f"the state of this run is damaged in the archive: {type(error).__name__}: {error}; "
            "start another run, with another seed"
        ) from None


def _read(text: bytes, whole: bool) -> Island:
    with damage_told():
        data = json.loads(text)
        if data["form"] != FORM:
            raise ValueError(f"its form is {data['form']!r}, and {FORM} is known")
        rows = data["members"] if whole else data["members"][:1]
        members = tuple(_member_from(*row) for row in rows)
        standing = Standing(
            _count(data["generation"]),
            _count(data["steps"]),
            _count(data["improved"]),
            None if data["fitted"] is None else _count(data["fitted"]),
            members[0] if members else None,
        )
        return Island(standing, members, tuple(_program_from(*row) for row in data["seeds"]))


def _member_as_json(member: Member) -> list[Any]:
    row = (member.fitness, member.size, member.behaviour, member.exact)
    return [_program_as_json(member.program), *row, member.born, member.edited, member.exhausted]


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
    row = (_count(size), _count(behaviour), bool(exact), _count(born), _count(edited), bool(exhausted))
    return Member(_program_from(*program), fitness, *row)


def _program_as_json(program: Program) -> list[Any]:
    return [program.name, program.inputs, graph_text(program.nodes)]


def _program_from(name: Any, inputs: Any, graph: Any) -> Program:
    if not isinstance(name, str) or not all(isinstance(each, str) for each in inputs):
        raise ValueError(f"{name!r} is no name of a program")
    return Program(name, "solver", tuple(inputs), graph_from_text(graph))


def _count(number: Any) -> int:
    if type(number) is not int or number < 0:
        raise ValueError(f"{number!r} is no count")
    return number


def after_generation(standing: Standing, candidates: int, members: tuple[Member, ...]) -> Standing:
    """The standing of an island after one more generation of so many candidates."""
    # A generation without candidates counts as a step, too, so that every budget is used up one day.
    steps = standing.steps + max(1, candidates)
    best = members[0] if members else None
    if best is not None and (standing.best is None or best.rank < standing.best.rank):
        standing = replace(standing, improved=steps)
    if standing.fitted is None and best is not None and any(member.exact for member in members):
        standing = replace(standing, fitted=steps)
    return replace(standing, generation=standing.generation + 1, steps=steps, best=best)
