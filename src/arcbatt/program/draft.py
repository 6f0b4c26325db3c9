"""A program while it is changed: nodes are exchanged one by one, and each must fit where it stands."""

from typing import NamedTuple

from arcbatt.dsl.types import GRID0
from arcbatt.program.forms import ANY, Form, may_be
from arcbatt.program.graph import Node, Program, expression
from arcbatt.program.inference import Analysis, Inference

LONGEST_ARGUMENT = 24


class Change(NamedTuple):
    """What stood in a line and what stands there now; the text is made when it is wanted.

    >>> print(Change(Node.op("rot90", Node.input("I")), Node.op("rot180", Node.input("I"))))
    was rot90(I), now rot180(I)
    """

    before: Node
    after: Node

    def __str__(self) -> str:
        return f"was {_line(self.before)}, now {_line(self.after)}"


def _line(node: Node) -> str:
    """A node with each of its arguments cut short, so that a change in the last one can be seen."""
    if node.kind not in ("op", "call"):
        return expression(node, LONGEST_ARGUMENT)
    parts = [expression(arg, LONGEST_ARGUMENT) for arg in node.args]
    head = node.head if node.kind == "op" else parts.pop(0)
    return f"{head}({', '.join(parts)})"


class Draft:
    """A program in the making: what stands at each place, and the forms of all nodes met so far."""

    __slots__ = ("_inference", "_wild", "analysis", "changes", "forms", "nodes", "program")

    def __init__(self, program: Program, analysis: Analysis, inference: Inference, wild: bool) -> None:
        self.program = program
        self.analysis = analysis
        self.nodes = list(analysis.nodes)
        self.forms = dict(analysis.forms)
        self.changes: list[Change] = []
        self._inference = inference
        self._wild = wild

    def form(self, node: Node) -> Form | None:
        """The form of a node; None if an argument never fits."""
        known = self.forms.get(node)
        if known is None:
            for arg in node.args:
                if arg not in self.forms and self.form(arg) is None:
                    return None
            known = self._inference.form(node, self.forms)
            if known is None and self._wild:
                known = ANY
            if known is not None:
                self.forms[node] = known
        return known

    def put(self, place: int, node: Node) -> bool:
        """Let another node stand at a place, and rebuild what depends on it; False if it does not fit."""
        nodes, forms = self.nodes, self.forms
        old = nodes[place]
        form = self.form(node)
        if node is old or form is None or not self._is_fit(form, old):
            return False
        same = form is forms[old]
        swapped = {old: node}
        rebuilt = [(place, node)]
        fresh = not self.changes
        for later in self.analysis.dependants(place) if fresh else range(place + 1, len(nodes)):
            before = nodes[later]
            if not fresh and swapped.keys().isdisjoint(before.args):
                continue
            args = tuple([swapped.get(arg, arg) for arg in before.args])
            form = forms[before]
            if not same:
                given = self._inference.result(before.head, tuple([forms[arg] for arg in args]))
                if not self._is_fit(given, before):
                    return False
                form = given or ANY
            after = Node(before.kind, before.head, args)
            forms[after] = form
            swapped[before] = after
            rebuilt.append((later, after))
        if not same and not self._gives_the_same(swapped.get(nodes[-1], nodes[-1])):
            return False
        for later, after in rebuilt:
            nodes[later] = after
        self.changes.append(Change(old, node))
        return True

    def _is_fit(self, form: Form | None, before: Node) -> bool:
        """Whether a form may take the place of a node's: no type errs, and what was settled stays so."""
        if self._wild or before in self.analysis.ill_typed:
            return True
        return form is not None and (form.settled or not self.forms[before].settled)

    def _gives_the_same(self, root: Node) -> bool:
        """Whether a new root gives what the old one gives, or at least a grid where the program solves."""
        before, after = self.forms[self.nodes[-1]], self.forms[root]
        if before is after or self._wild or not before.settled:
            return True
        return self.program.kind == "solver" and may_be(GRID0, after)

    def may_use(self, node: Node) -> bool:
        """Whether a node may stand in the program: a solver sees no C."""
        return self.program.kind == "differ" or "C" not in node.needs
