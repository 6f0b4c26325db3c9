"""Unique names of programs: programs that share a name but differ in content get a hash suffix."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import count

from arcbatt.dsl.table import TABLE
from arcbatt.errors import AmbiguousName
from arcbatt.program.graph import HASH_MARK, Node, Program, ProgramKind, stem, topological

SHORTEST_HASH = 6  # digits of a hash in a name; a name gets more if others begin with the same
CANDIDATES_TOLD = 10

Content = tuple[Node, ProgramKind]


def content_of(program: Program) -> Content:
    """The identity of a program apart from its name: its expression and its kind."""
    return program.root, program.kind


def own_name(name: str, digest: str, taken: Iterable[str] = ()) -> str:
    """A name with the shortest hash suffix that makes it unused.

    >>> own_name("solve_x", "1f3a9c07"), own_name("solve_x~5b0d11", "1f3a9c07", {"solve_x~1f3a9c"})
    ('solve_x~1f3a9c', 'solve_x~1f3a9c0')
    """
    return free_name(stem(name), digest, taken)


def free_name(base: str, digest: str, taken: Iterable[str]) -> str:
    """`own_name`, for a name without a suffix."""
    for digits in range(SHORTEST_HASH, len(digest)):
        candidate = f"{base}{HASH_MARK}{digest[:digits]}"
        if candidate not in taken:
            return candidate
    return f"{base}{HASH_MARK}{digest}"


def under_own_names(programs: Iterable[Program]) -> tuple[Program, ...]:
    """The programs under unique names: those that share a name but differ in content get a hash suffix.

    None keeps the shared name, which would be ambiguous.

    >>> from arcbatt.program.parse import parse_programs
    >>> one, other = (parse_programs(f"def solve_x(I): return {op}(I)")[0] for op in ("rot90", "rot180"))
    >>> [program.name for program in under_own_names([one, other, one])]
    ['solve_x~9c7be7', 'solve_x~c047a3', 'solve_x~9c7be7']
    """
    given = tuple(programs)
    if len({program.name for program in given}) == len(given):
        return given
    by_name: dict[str, dict[Content, Program]] = {}
    for program in given:
        by_name.setdefault(program.name, {}).setdefault(content_of(program), program)
    shared = {name: found for name, found in by_name.items() if len(found) > 1}
    if not shared:
        return given
    taken = by_name.keys() - shared.keys()
    names: dict[tuple[str, Content], str] = {}
    for name, found in shared.items():
        for digits in range(SHORTEST_HASH, 2 * Node.DIGEST_SIZE + 1):
            new = [f"{stem(name)}{HASH_MARK}{program.hash[:digits]}" for program in found.values()]
            if len(set(new)) == len(new) and taken.isdisjoint(new):
                break
        else:  # a solver and a differ may be the same expression
            new = [f"{own} {kind}" for own, (_, kind) in zip(new, found)]
        taken |= set(new)
        names |= {(name, content): own for content, own in zip(found, new)}
    return tuple(
        program if program.name not in shared else program.altered(name=names[program.name, content])
        for program in given
        for content in [content_of(program)]
    )


def under_names_in_batt(programs: Sequence[Program]) -> tuple[Program, ...]:
    """The programs of a batt file under unique names; ids stay as in the file.

    A differ is named after the solver that it scores. If several solvers have the id in its entry, it scores
    the one whose expression is part of its own, if there is exactly one.
    """
    solvers = under_own_names(program for program in programs if program.kind == "solver")
    by_id: dict[str, dict[Node, Program]] = {}
    for solver in solvers:
        by_id.setdefault(solver.id, {}).setdefault(solver.root, solver)
    shared = {scored: found for scored, found in by_id.items() if len(found) > 1}
    remaining = iter(solvers)
    return under_own_names(
        next(remaining) if program.kind == "solver" else _named_after_scored(program, shared)
        for program in programs
    )


def _named_after_scored(differ: Program, shared: dict[str, dict[Node, Program]]) -> Program:
    candidates = shared.get(differ.scored_id)
    if candidates is None:
        return differ
    inside = [candidates[node] for node in topological([differ.root]) if node in candidates]
    parts = {part for solver in inside for part in topological([solver.root]) if part is not solver.root}
    whole = [solver for solver in inside if solver.root not in parts]
    return replace(differ, name=f"{differ.id}({whole[0].name})") if len(whole) == 1 else differ


def names_of_functions(named: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Unique names of functions for one file, for names with the hashes of programs.

    Those that several programs share, and the names of ops, get a hash.

    >>> named = [("a", "1f3a9c07"), ("b", "5b0d1122"), ("a", "0f0f0f0f"), ("trim", "abababab")]
    >>> list(names_of_functions(named))
    ['a_1f3a9c', 'b', 'a_0f0f0f', 'trim_ababab']
    """
    counts = Counter(name for name, _ in named)
    taken = {name for name, count in counts.items() if count == 1}
    for name, digest in named:
        if counts[name] > 1 or name in TABLE:
            name = _with_digits(name, digest, taken)
            taken.add(name)
        yield name


def _with_digits(name: str, digest: str, taken: Container[str]) -> str:
    for digits in range(SHORTEST_HASH, len(digest) + 1):
        candidate = f"{name}_{digest[:digits]}"
        if candidate not in taken:
            return candidate
    return next(own for number in count(2) if (own := f"{name}_{digest}_{number}") not in taken)


class ProgramIndex:
    """Finds programs by the program itself, by its hash, or by a unique name.

    >>> from arcbatt.program.parse import parse_programs
    >>> programs = parse_programs("def a(I): return rot90(I)\\ndef b(I): return I")
    >>> index = ProgramIndex(programs)
    >>> index.places("b"), index.places(programs[0]), index.places(programs[1].hash), index.places("c")
    ([1], [0], [1], [])
    """

    def __init__(self, programs: Sequence[Program]) -> None:
        self.programs = programs
        self._by_name: dict[str, list[int]] = {}
        for place, program in enumerate(programs):
            self._by_name.setdefault(program.name, []).append(place)

    @cached_property
    def _by_root(self) -> dict[Node, list[int]]:
        places: dict[Node, list[int]] = {}
        for place, program in enumerate(self.programs):
            places.setdefault(program.root, []).append(place)
        return places

    @cached_property
    def _by_hash(self) -> dict[str, list[int]]:
        return {root.digest.hex(): places for root, places in self._by_root.items()}

    def places(self, asked: Program | str) -> list[int]:
        """The places of a program; several only if equal programs stand there."""
        if isinstance(asked, Program):
            return self._places_of(asked)
        found = self._by_name.get(asked) or self._by_hash.get(asked) or []
        if len({content_of(self.programs[place]) for place in found}) > 1:
            raise self._ambiguous(asked, found)
        if not found:
            namesakes = self._namesakes(asked)
            if len(namesakes) > 1:
                raise self._ambiguous(asked, namesakes)
        return found

    def _places_of(self, program: Program) -> list[int]:
        found = [
            place
            for place in self._by_root.get(program.root, ())
            if self.programs[place].kind == program.kind
        ]
        for closest in (
            [place for place in found if self.programs[place] is program],
            [place for place in found if self.programs[place].name == program.name],
        ):
            if closest:
                return closest
        return found

    def _namesakes(self, name: str) -> list[int]:
        """The programs whose name is this one with a hash suffix, or with a longer one."""
        longer = name if HASH_MARK in name else f"{name}{HASH_MARK}"
        return [
            place
            for place, program in enumerate(self.programs)
            if program.name.startswith(longer) and stem(program.name) == stem(name)
        ]

    def _ambiguous(self, asked: str, places: Sequence[int]) -> AmbiguousName:
        programs = [self.programs[place] for place in places]
        names = list(dict.fromkeys(program.name for program in programs))
        if len(names) == 1:
            names = [f"{program.name} ({program.kind} {program.hash})" for program in programs]
        more = f" and {len(names) - CANDIDATES_TOLD:,} more" if len(names) > CANDIDATES_TOLD else ""
        told = f"{', '.join(names[:CANDIDATES_TOLD])}{more}"
        return AmbiguousName(f"{asked!r} may mean any of {told}; ask by one of these names, or by program")
