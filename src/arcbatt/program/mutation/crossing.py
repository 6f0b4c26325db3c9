"""Crossover: a part of one program replaces a node of the same type in another."""

from collections.abc import Callable, Iterator

from arcbatt.dsl.static.queries import OpIndex
from arcbatt.program.graph import Node, Program
from arcbatt.program.mutation.edit import Candidate
from arcbatt.program.mutation.sites import Site, SitedProgram, fingerprints
from arcbatt.program.typed import typed


def crossed(
    program: Program, partner: Program, count: int, index: OpIndex, chance: Callable[[], float]
) -> Iterator[Candidate]:
    """Up to `count` different candidates, in random order; `chance` gives numbers from 0 to 1."""
    sited = SitedProgram(typed(program.root, index), program.kind, index)
    own, other = set(sited.typed.nodes), typed(partner.root, index)
    pairs: list[tuple[Site, Node]] = []
    for site in sited.sites:
        if site.known.type.settled and site.node.kind != "constant":
            parts = [other.nodes[place] for place in other.places(site.known.type)]
            pairs += [(site, part) for part in parts if part not in own and _may_use(program, part)]
    prints, found = fingerprints(), 0
    prints.meet(program.root)
    while pairs and found < count:
        chosen = int(chance() * len(pairs))
        site, part = pairs[chosen]
        pairs[chosen] = pairs[-1]
        pairs.pop()
        for candidate in site.candidates([part], site.known, prints):
            found += 1
            yield candidate


def _may_use(program: Program, part: Node) -> bool:
    return program.kind == "differ" or "C" not in part.needs
