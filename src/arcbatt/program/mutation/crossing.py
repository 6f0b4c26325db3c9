"""Crossover: a part of one program takes the place of a node of the same type in another."""

from collections.abc import Callable, Iterator

from arcbatt.dsl.static.queries import OpIndex
from arcbatt.program.graph import Node, Program
from arcbatt.program.mutation.edit import Candidate, Change
from arcbatt.program.mutation.sites import Site, SitedProgram
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
    roots = {program.root}
    while pairs and len(roots) <= count:
        chosen = int(chance() * len(pairs))
        site, part = pairs[chosen]
        pairs[chosen] = pairs[-1]
        pairs.pop()
        types = site.types_after(site.known)
        assert types is not None, "a node of the same type always fits"
        for line, root in site.rebuilt([part], site.known, types):
            if root not in roots:
                roots.add(root)
                yield Candidate(root, (Change(site.line, line),))


def _may_use(program: Program, part: Node) -> bool:
    return program.kind == "differ" or "C" not in part.needs
