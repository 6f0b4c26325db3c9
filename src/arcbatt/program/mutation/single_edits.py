"""All typed single edits of a program, likely ones first."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import NamedTuple, TypeAlias

from arcbatt.dsl.static.types import IJ, INTEGER, StaticType
from arcbatt.dsl.values import Function
from arcbatt.program.graph import Node, Program
from arcbatt.program.mutation.alternatives import ParamRef
from arcbatt.program.mutation.edit import Candidate, Draft
from arcbatt.program.mutation.repertoire import Origin, Repertoire
from arcbatt.program.mutation.sites import Site, SitedProgram, fingerprints
from arcbatt.program.mutation.task_hints import TaskHints
from arcbatt.program.typed import NodeType, sure_type, type_of_node, typed

# Replacements of one type.
Batch: TypeAlias = tuple[NodeType, Iterable[Draft]]
Rule: TypeAlias = Callable[[Site], Iterator[Batch]]
Pool: TypeAlias = Mapping[StaticType, Sequence[Node]]

MOST_AT_ONCE = 256  # candidates that are made before the first of them is returned
MOST_SHARED = 24  # expressions of a type that partners share, as arguments


class Round(NamedTuple):
    """Rules that are tried at all sites before the next round begins.

    `further`: the sites are those in nodes of several uses.
    """

    rules: tuple[Rule, ...]
    further: bool = False


class SingleEdits:
    """The single edits of a program: at each site, each replacement that the rules find and that fits."""

    def __init__(self, program: Program, repertoire: Repertoire, hints: TaskHints | None) -> None:
        self._program = program
        self._repertoire = repertoire
        self._index = repertoire.index
        self._hints = hints
        self._sited = SitedProgram(typed(program.root, self._index), program.kind, self._index)
        alike = (self._constants, self._like_functions, self._deletions, self._swaps)
        near = (self._existing, self._hinted, self._wraps)
        others = (self._other_functions, self._other_swaps, self._other_wraps, self._other_existing)
        self._rounds = (
            Round(alike),
            Round(near),
            Round(others),
            Round((self._expressions, self._any_constants, self._parts)),
            Round((*alike, *near, *others), further=True),
            Round((self._unary,)),
            Round((self._binary_around,)),
            Round((self._higher_order, self._composed, self._bound_functions)),
            Round((self._unary, self._binary_around), further=True),
            Round((self._ternary_around,)),
            Round((self._shared_functions,)),
            Round((self._with_bound_functions,)),
            Round((self._binary,)),
            Round((self._binary_around_more,)),
            Round((self._ternary_around_more,)),
        )

    def candidates(self, lines: Collection[Node] | None = None, start: int = 0) -> Iterator[Candidate]:
        """Each edit but the first ones, of some lines only if they are given."""
        prints = fingerprints(start)
        prints.meet(self._program.root)
        for rules, further in self._rounds:
            for site in self._sited.further_sites if further else self._sited.sites:
                if lines is not None and site.line not in lines:
                    continue
                for rule in rules:
                    for known, drafts in rule(site):
                        remaining = iter(drafts)
                        while portion := list(islice(remaining, MOST_AT_ONCE)):
                            yield from site.candidates(portion, known, prints)

    # Existing nodes, or constants.

    def _constants(self, site: Site) -> Iterator[Batch]:
        if site.node.kind == "constant":
            yield site.known, self._repertoire.alternatives.constants(site.ref, site.node.head)

    def _any_constants(self, site: Site) -> Iterator[Batch]:
        """Every constant that its parameter may have, for an Integer or a pair."""
        if site.known.type in (INTEGER, IJ):
            yield site.known, self._repertoire.constants(site.known.type, site.ref)

    def _hinted(self, site: Site) -> Iterator[Batch]:
        """Expressions that compute a colour or a rotation from the samples."""
        role = site.ref.param.role if site.ref else None
        if self._hints is not None and role is not None:
            for node in self._hints.of_role(role):
                yield type_of_node(node, self._index), [node]

    def _like_functions(self, site: Site) -> Iterator[Batch]:
        """Other ops of the same signature, for an op as a function."""
        head = site.node.head
        if isinstance(head, Function) and not head.parts:
            yield site.known, self._repertoire.like_functions(head.name)

    def _other_functions(self, site: Site) -> Iterator[Batch]:
        """All ops of the arity, for a function."""
        if site.known.type.is_function:
            yield from self._repertoire.functions(site.known.type.arity)

    def _deletions(self, site: Site) -> Iterator[Batch]:
        for arg in site.node.args:
            yield type_of_node(arg, self._index), [arg]

    def _existing(self, site: Site) -> Iterator[Batch]:
        yield site.known, [node for known, node in self._nodes(site) if known.type is site.known.type]

    def _other_existing(self, site: Site) -> Iterator[Batch]:
        """Other nodes of the program, of other types."""
        for known, node in self._nodes(site):
            if known.type is not site.known.type:
                yield known, [node]

    def _expressions(self, site: Site) -> Iterator[Batch]:
        """Expressions that several partners share."""
        wanted, material = site.known.type, self._repertoire.material
        if not wanted.is_function:
            yield site.known, material.expressions(wanted)
            return
        for node in material.functions:
            known = type_of_node(node, self._index)
            if known.type.arity == wanted.arity:
                yield known, [node]

    # Ops on existing nodes.

    def _swaps(self, site: Site) -> Iterator[Batch]:
        """Other ops on the same arguments, with a result of the same type."""
        if site.node.kind == "op":
            yield from self._applied(site.node.args, site.known.type)

    def _other_swaps(self, site: Site) -> Iterator[Batch]:
        """Other ops on the same arguments, or on these in another order."""
        args = site.node.args
        if site.node.kind == "op":
            yield from self._applied(args)
            if len(args) == 2:
                yield from self._applied((args[1], args[0]))

    def _wraps(self, site: Site) -> Iterator[Batch]:
        """Ops of one argument around the node, with a result of the same type."""
        node = site.node
        if node.kind != "constant":
            yield site.known, [("op", name, (node,)) for name in self._repertoire.wrappers(site.known.type)]

    def _other_wraps(self, site: Site) -> Iterator[Batch]:
        yield from self._applied((site.node,))

    def _parts(self, site: Site) -> Iterator[Batch]:
        """The parts of the arguments, in place of the line, and ops of one argument on them."""
        for arg in site.node.args:
            for part in arg.args:
                yield type_of_node(part, self._index), [part]
            yield from self._applied((arg,))

    def _unary(self, site: Site) -> Iterator[Batch]:
        for _, node in self._nodes(site):
            yield from self._applied((node,))

    def _binary_around(self, site: Site) -> Iterator[Batch]:
        """Ops of two arguments around the node or its arguments, the other one a node or a constant."""
        pool = self._pool(site)
        for node in (site.node, *site.node.args):
            yield from self._filled(site, (node, None), pool)
            yield from self._filled(site, (None, node), pool)

    def _ternary_around(self, site: Site) -> Iterator[Batch]:
        """Ops of three arguments around the node, the others nodes or constants."""
        node, pool = site.node, self._pool(site)
        for args in ((node, None, None), (None, node, None), (None, None, node)):
            yield from self._filled(site, args, pool)

    def _binary_around_more(self, site: Site) -> Iterator[Batch]:
        """As `_binary_around`, the other argument an op on a node, or an expression that partners share."""
        node, pool = site.node, self._pool_of_more(site)
        yield from self._filled(site, (node, None), pool)
        yield from self._filled(site, (None, node), pool)

    def _ternary_around_more(self, site: Site) -> Iterator[Batch]:
        """As `_binary_around_more`, with a constant between the arguments."""
        pool = self._pool_of_more(site)
        yield from self._filled(site, (site.node, None, None), {INTEGER: (), IJ: ()}, pool)

    def _binary(self, site: Site) -> Iterator[Batch]:
        yield from self._filled(site, (None, None), self._pool(site))

    def _higher_order(self, site: Site) -> Iterator[Batch]:
        """Ops that take a function and the node, the function any op."""
        yield from self._with_function(site, "ops")

    def _with_bound_functions(self, site: Site) -> Iterator[Batch]:
        """Ops that take a function and the node, the function an op with a constant bound to it."""
        yield from self._with_function(site, "bound")

    def _shared_functions(self, site: Site) -> Iterator[Batch]:
        """Ops that take the node and a function that partners share, and compositions with such functions."""
        yield from self._with_function(site, "shared")
        shared = [(type_of_node(node, self._index), (node,)) for node in self._repertoire.material.functions]
        yield from self._compositions(site, [pair for pair in shared if pair[0].type.arity == 1])

    def _with_function(self, site: Site, origin: Origin) -> Iterator[Batch]:
        node, known = site.node, site.known.type
        if not known.is_function and known not in (INTEGER, IJ):
            for result, cards in self._repertoire.higher_order(known, origin):
                if site.admits(result):
                    yield (
                        result,
                        [
                            ("op", name, (function, node) if is_first else (node, function))
                            for name, function, is_first in cards
                        ],
                    )

    def _composed(self, site: Site) -> Iterator[Batch]:
        yield from self._compositions(site, self._repertoire.functions(1))

    def _compositions(
        self, site: Site, functions: Iterable[tuple[NodeType, Sequence[Node]]]
    ) -> Iterator[Batch]:
        node, known = site.node, site.known.type
        if not (known.is_function and known.arity == 1):
            return
        for other, nodes in functions:
            after = sure_type(self._index, "compose", (other.type, known))
            if after is not None:
                yield after, [("op", "compose", (one, node)) for one in nodes]
            before = sure_type(self._index, "compose", (known, other.type))
            if before is not None:
                yield before, [("op", "compose", (node, one)) for one in nodes]

    def _bound_functions(self, site: Site) -> Iterator[Batch]:
        """Ops with a constant or a node bound to them, for a function."""
        if not site.known.type.is_function:
            return
        for bound, nodes in self._pool(site).items():
            for result, builder, place, functions in self._repertoire.binders(site.known.type.arity, bound):
                if site.admits(result):
                    for function in functions:
                        constants = self._repertoire.constants(bound, ParamRef(function.head.name, place))
                        yield result, [("op", builder, (function, node)) for node in (*nodes, *constants)]

    # What the rules share.

    def _nodes(self, site: Site) -> Iterator[tuple[NodeType, Node]]:
        """The nodes of the program that do not depend on the site."""
        known = self._sited.typed
        for place, node in enumerate(known.nodes):
            if place not in site.barred and ("C" not in node.needs or self._program.kind == "differ"):
                yield known.types[place], node

    def _pool(self, site: Site) -> dict[StaticType, list[Node]]:
        """The nodes that do not depend on the site and are not constants, by type, and room for constants."""
        found: dict[StaticType, list[Node]] = {INTEGER: [], IJ: []}
        for known, node in self._nodes(site):
            if known.type.settled and not known.type.is_function and node.kind != "constant":
                found.setdefault(known.type, []).append(node)
        return found

    def _pool_of_more(self, site: Site) -> dict[StaticType, list[Node]]:
        """Ops of one argument on nodes, of those that partners use, and expressions that partners share."""
        found: dict[StaticType, list[Node]] = {}
        material = self._repertoire.material
        for known, nodes in self._pool(site).items():
            for result, names in self._repertoire.takers((known,)):
                made = [Node("op", name, (node,)) for name in names if material.uses(name) for node in nodes]
                found.setdefault(result.type, []).extend(made)
        for known in material.types:
            found.setdefault(known, []).extend(material.expressions(known)[:MOST_SHARED])
        return {known: list(dict.fromkeys(nodes)) for known, nodes in found.items()}

    def _applied(self, args: tuple[Node, ...], wanted: StaticType | None = None) -> Iterator[Batch]:
        """Ops on some arguments, not all of them constants; with a wanted type only those that give it."""
        if all(arg.kind == "constant" for arg in args):
            return
        types = tuple([type_of_node(arg, self._index).type for arg in args])
        for result, names in self._repertoire.takers(types):
            if wanted is None or result.type is wanted:
                yield result, [("op", name, args) for name in names]

    def _filled(
        self, site: Site, args: tuple[Node | None, ...], pool: Pool, pool_of_last: Pool | None = None
    ) -> Iterator[Batch]:
        """Ops on some arguments, of which those that are None may be any node of a pool or a constant."""
        choices = [pool if arg is None else {type_of_node(arg, self._index).type: [arg]} for arg in args]
        if pool_of_last is not None:
            choices[-1] = pool_of_last
        for types in product(*choices):
            for result, names in self._repertoire.takers(types):
                if not site.admits(result):
                    continue
                for name in names:
                    nodes = [
                        by_type[known]
                        if args[place] is not None
                        else (*by_type[known], *self._repertoire.constants(known, ParamRef(name, place)))
                        for place, (known, by_type) in enumerate(zip(types, choices))
                    ]
                    yield (
                        result,
                        [
                            ("op", name, chosen)
                            for chosen in product(*nodes)
                            if any(node.kind != "constant" for node in chosen)
                        ],
                    )
