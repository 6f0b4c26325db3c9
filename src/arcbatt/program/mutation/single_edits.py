"""All typed single edits of a program, likely ones first."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice, product
from typing import TypeAlias

from arcbatt.dsl.static.queries import OpIndex
from arcbatt.dsl.static.types import IJ, INTEGER, StaticType
from arcbatt.dsl.values import Function
from arcbatt.program.graph import Node, Program
from arcbatt.program.mutation.alternatives import Alternatives, ParamRef, alternatives_of
from arcbatt.program.mutation.edit import Candidate, Draft
from arcbatt.program.mutation.material import Material
from arcbatt.program.mutation.sites import Site, SitedProgram, fingerprints
from arcbatt.program.mutation.task_hints import TaskHints
from arcbatt.program.typed import NodeType, sure_type, type_of_node, typed

# Replacements of one type.
Batch: TypeAlias = tuple[NodeType, Iterable[Draft]]
Rule: TypeAlias = Callable[[Site], Iterator[Batch]]

MOST_AT_ONCE = 256  # candidates that are made before the first of them is handed out
IDLE = frozenset({"identity"})  # ops that give their argument


class SingleEdits:
    """The single edits of a program: at each site, each replacement that the rules find and that fits.

    Rules come in rounds. Each round goes through all sites, and the next one begins when all are done.
    """

    def __init__(self, program: Program, index: OpIndex, material: Material, hints: TaskHints | None) -> None:
        self._program = program
        self._index = index
        self._material = material
        self._hints = hints
        self._alternatives: Alternatives = alternatives_of(index)
        self._sited = SitedProgram(typed(program.root, index), program.kind, index)
        self._taking: dict[tuple[StaticType, ...], list[tuple[NodeType, list[str]]]] = {}
        self._rounds: tuple[tuple[Rule, ...], ...] = (
            (self._constants, self._like_functions, self._deletions, self._swaps),
            (self._existing, self._hinted, self._wraps),
            (self._other_functions, self._other_swaps, self._other_wraps, self._other_existing),
            (self._expressions, self._any_constants, self._parts),
            (self._unary, self._binary_around, self._bound_functions),
            (self._higher_order, self._composed),
            (self._ternary_around, self._binary),
        )

    def candidates(self, lines: Collection[Node] | None = None) -> Iterator[Candidate]:
        """Each edit, of some lines only if they are given."""
        sites = [site for site in self._sited.sites if lines is None or site.line in lines]
        prints = fingerprints()
        prints.meet(self._program.root)
        for rules in self._rounds:
            for site in sites:
                for rule in rules:
                    for known, drafts in rule(site):
                        remaining = iter(drafts)
                        while portion := list(islice(remaining, MOST_AT_ONCE)):
                            yield from site.candidates(portion, known, prints)

    # Nodes that there are already, or constants.

    def _constants(self, site: Site) -> Iterator[Batch]:
        """Other constants of the same family, for a constant."""
        if site.node.kind == "constant":
            yield site.known, self._alternatives.constants(site.ref, site.node.head)

    def _any_constants(self, site: Site) -> Iterator[Batch]:
        """Every constant that its parameter may have, for an Integer or a pair."""
        if site.known.type in (INTEGER, IJ):
            yield site.known, self._constants_of(site.known.type, site.ref)

    def _hinted(self, site: Site) -> Iterator[Batch]:
        """Expressions that compute colours and rotations from the samples, and the constants they give."""
        role = site.ref.param.role if site.ref else None
        if self._hints is not None and role is not None:
            for node in self._hints.of_role(role):
                yield type_of_node(node, self._index), [node]

    def _like_functions(self, site: Site) -> Iterator[Batch]:
        """Other ops of the same signature, for an op as a function."""
        head = site.node.head
        if isinstance(head, Function) and not head.parts:
            yield site.known, self._by_use(self._alternatives.functions(head.name)[0])

    def _other_functions(self, site: Site) -> Iterator[Batch]:
        """All ops of the arity, for a function."""
        if site.known.type.is_function:
            yield from self._functions(site.known.type.arity)

    def _deletions(self, site: Site) -> Iterator[Batch]:
        """The arguments in place of the line."""
        for arg in site.node.args:
            yield type_of_node(arg, self._index), [arg]

    def _existing(self, site: Site) -> Iterator[Batch]:
        """Other nodes of the program, of the same type."""
        yield site.known, [node for known, node in self._pool(site) if known.type is site.known.type]

    def _other_existing(self, site: Site) -> Iterator[Batch]:
        """Other nodes of the program, of other types."""
        for known, node in self._pool(site):
            if known.type is not site.known.type:
                yield known, [node]

    def _expressions(self, site: Site) -> Iterator[Batch]:
        """Expressions that several partners share."""
        if not site.known.type.is_function:
            yield site.known, self._material.expressions(site.known.type)
        else:
            for node in self._material.functions:
                known = type_of_node(node, self._index)
                if known.type.arity == site.known.type.arity:
                    yield known, [node]

    # Ops on nodes that there are already.

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
        yield (
            site.known,
            [
                ("op", name, (node,))
                for name in self._material.by_use(self._alternatives.wrappers(site.known.type))
            ],
        )

    def _other_wraps(self, site: Site) -> Iterator[Batch]:
        """Ops of one argument around the node."""
        yield from self._applied((site.node,))

    def _parts(self, site: Site) -> Iterator[Batch]:
        """What the arguments are made of, in place of the line, and ops of one argument on them."""
        for arg in site.node.args:
            for part in arg.args:
                yield type_of_node(part, self._index), [part]
            yield from self._applied((arg,))

    def _unary(self, site: Site) -> Iterator[Batch]:
        """Ops of one argument on any node."""
        for _, node in self._pool(site):
            yield from self._applied((node,))

    def _binary_around(self, site: Site) -> Iterator[Batch]:
        """Ops of two arguments around the node or its arguments, the other one a node or a constant."""
        for node in (site.node, *site.node.args):
            yield from self._filled(site, (node, None))
            yield from self._filled(site, (None, node))

    def _ternary_around(self, site: Site) -> Iterator[Batch]:
        """Ops of three arguments around the node, the others nodes or constants."""
        node = site.node
        for args in ((node, None, None), (None, node, None), (None, None, node)):
            yield from self._filled(site, args)

    def _binary(self, site: Site) -> Iterator[Batch]:
        """Ops of two arguments on any nodes and constants."""
        yield from self._filled(site, (None, None))

    def _higher_order(self, site: Site) -> Iterator[Batch]:
        """Ops that take a function and the node, the function any op."""
        known = site.known.type
        if known.is_function or known in (INTEGER, IJ):
            return
        for function_type, functions in (*self._functions(1), *self._functions(2)):
            for is_first in (True, False):
                types = (function_type.type, known) if is_first else (known, function_type.type)
                for result, names in self._takers(types):
                    if site.types_after(result) is not None:
                        yield (
                            result,
                            [
                                ("op", name, (function, site.node) if is_first else (site.node, function))
                                for name in names
                                for function in functions
                            ],
                        )

    def _composed(self, site: Site) -> Iterator[Batch]:
        """Compositions of the function with any op."""
        known = site.known.type
        if not known.is_function:
            return
        if known.arity == 1:
            for function_type, functions in self._functions(1):
                for is_first in (True, False):
                    types = (function_type.type, known) if is_first else (known, function_type.type)
                    result = sure_type(self._index, "compose", types)
                    if result is not None and site.types_after(result) is not None:
                        yield (
                            result,
                            [
                                ("op", "compose", (one, site.node) if is_first else (site.node, one))
                                for one in functions
                            ],
                        )

    def _bound_functions(self, site: Site) -> Iterator[Batch]:
        """Ops with a constant or a node bound to them, for a function."""
        known = site.known.type
        if not known.is_function:
            return
        pool = self._by_type(site)
        for function_type, functions in self._functions(known.arity + 1):
            for builder, place in (("lbind", 0), ("rbind", known.arity)):
                for other, nodes in pool.items():
                    result = sure_type(self._index, builder, (function_type.type, other))
                    if result is None or site.types_after(result) is None:
                        continue
                    yield (
                        result,
                        [
                            ("op", builder, (function, node))
                            for function in functions
                            for node in (
                                *nodes,
                                *self._constants_of(other, ParamRef(function.head.name, place)),
                            )
                        ],
                    )

    # What the rules share.

    def _pool(self, site: Site) -> Iterator[tuple[NodeType, Node]]:
        """The nodes of the program that do not depend on the site."""
        known = self._sited.typed
        for place, node in enumerate(known.nodes):
            if place not in site.barred and ("C" not in node.needs or self._program.kind == "differ"):
                yield known.types[place], node

    def _by_type(self, site: Site) -> dict[StaticType, list[Node]]:
        """The nodes that do not depend on the site and are no constants, by type, and room for constants."""
        found: dict[StaticType, list[Node]] = {INTEGER: [], IJ: []}
        for known, node in self._pool(site):
            if known.type.settled and not known.type.is_function and node.kind != "constant":
                found.setdefault(known.type, []).append(node)
        return found

    def _constants_of(self, wanted: StaticType, ref: ParamRef | None) -> tuple[Node, ...]:
        return self._alternatives.all_constants(wanted, ref) if wanted in (INTEGER, IJ) else ()

    def _applied(self, args: tuple[Node, ...], wanted: StaticType | None = None) -> Iterator[Batch]:
        """Ops on some arguments, not all of them constants; with a wanted type only those that give it."""
        if all(arg.kind == "constant" for arg in args):
            return
        types = tuple([type_of_node(arg, self._index).type for arg in args])
        for result, names in self._takers(types):
            if wanted is None or result.type is wanted:
                yield result, [("op", name, args) for name in names]

    def _filled(self, site: Site, args: tuple[Node | None, ...]) -> Iterator[Batch]:
        """Ops on some arguments, of which those that are None may be any node or constant."""
        pool = self._by_type(site)
        choices = [pool if arg is None else {type_of_node(arg, self._index).type: [arg]} for arg in args]
        for types in product(*choices):
            for result, names in self._takers(types):
                if site.types_after(result) is None:
                    continue
                for name in names:
                    nodes = [
                        by_type[known]
                        if args[place] is not None
                        else (*by_type[known], *self._constants_of(known, ParamRef(name, place)))
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

    def _takers(self, types: tuple[StaticType, ...]) -> list[tuple[NodeType, list[str]]]:
        """The ops that take these types, by their result type, those first that partners use most."""
        known = self._taking.get(types)
        if known is None:
            by_result: dict[StaticType, list[str]] = {}
            for name, result in self._alternatives.takers(types):
                if name not in IDLE and result.settled:
                    by_result.setdefault(result, []).append(name)
            known = self._taking[types] = [
                (NodeType(result, True, True, self._index), self._material.by_use(names))
                for result, names in by_result.items()
            ]
        return known

    def _functions(self, arity: int) -> list[tuple[NodeType, list[Node]]]:
        """All ops of an arity as function values, by their type."""
        return [
            (known, self._by_use(functions)) for known, functions in self._alternatives.by_signature(arity)
        ]

    def _by_use(self, functions: Sequence[Node]) -> list[Node]:
        return sorted(functions, key=lambda function: -self._material.uses(function.head.name))
