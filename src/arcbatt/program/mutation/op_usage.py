"""Material for edits: which ops programs use most, and expressions that several of them share."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from arcbatt.dsl.static.queries import OpIndex
from arcbatt.dsl.static.types import StaticType
from arcbatt.program.graph import Node, ops_named, topological
from arcbatt.program.typed import type_of_node

FEWEST_PROGRAMS = 2  # that share an expression
LARGEST_EXPRESSION = 12  # nodes


class OpUsage:
    """How often programs use each op, and the expressions that at least two of them share.

    >>> from arcbatt.dsl.static.queries import op_index
    >>> from arcbatt.dsl.static.types import GRID
    >>> from arcbatt.program.parse import parse_programs
    >>> programs = parse_programs('''
    ... def a(I): return rot90(trim(I))
    ... def b(I): return hconcat(trim(I), I)
    ... def c(I): return trim(rot90(I))
    ... ''')
    >>> material = OpUsage(tuple(program.root for program in programs), op_index())
    >>> material.expressions(GRID), material.uses("trim")
    ([trim(I)], 3)
    """

    def __init__(self, roots: Sequence[Node], index: OpIndex) -> None:
        counts: Counter[str] = Counter()
        shared: Counter[Node] = Counter()
        for root in roots:
            nodes = topological([root])
            counts.update(name for node in nodes for name in ops_named(node))
            shared.update(node for node in nodes if node.args and node is not root)
        self._counts = counts
        self._expressions: dict[StaticType, list[Node]] = {}
        self.functions: list[Node] = []
        # A counter keeps the order of first occurrence, and sorting keeps that of equal counts.
        for node, count in sorted(shared.items(), key=lambda item: -item[1]):
            if count < FEWEST_PROGRAMS:
                break
            if "C" in node.needs or len(topological([node])) > LARGEST_EXPRESSION:
                continue
            known = type_of_node(node, index)
            if known.sure and known.type.is_function:
                self.functions.append(node)
            elif known.sure:
                self._expressions.setdefault(known.type, []).append(node)

    def uses(self, name: str) -> int:
        """How often the programs use an op."""
        return self._counts[name]

    def by_use(self, names: Iterable[str]) -> list[str]:
        """Names of ops, those first that the programs use most."""
        return sorted(names, key=lambda name: -self._counts[name])

    @property
    def types(self) -> list[StaticType]:
        """The types of shared expressions."""
        return list(self._expressions)

    def expressions(self, wanted: StaticType) -> list[Node]:
        """The shared expressions of a type, those first that most programs have."""
        return self._expressions.get(wanted, [])


material_of = lru_cache(maxsize=8)(OpUsage)
