"""The search in the core: templates go in, expressions that explain the outputs of a task come out."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TypeAlias

from arcbatt import _core
from arcbatt.dsl.contract import PARTS, Judging, LayerKind, NodeKind, SearchEnd, Stage
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.table import names_of_own_ops
from arcbatt.engine.backends.native import INPUT_KINDS, CoreOptions, packed_inputs
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import STAGE_OF_INPUT, Node, substituted
from arcbatt.search.solve.searching import SEARCH_LIMITS
from arcbatt.search.solve.templates import MOST_HOLES, Template
from arcbatt.tasks import Task

MOST_EXPLANATIONS = 12
UNBOUNDED = (1 << 64) - 1

Counts: TypeAlias = tuple[int, int, int, int, int, int, float, float]
Layer: TypeAlias = tuple[int, int, int, int | None, int, int | None]
Row: TypeAlias = tuple[int, int, list[Layer]]
Found: TypeAlias = tuple[list[Row], list[tuple[int, list[int]]], int, Counts]  # as the core tells it


@dataclass(frozen=True)
class Budget:
    """How long a search on a task may last: template applications, seconds of CPU, bytes."""

    steps: int | None = None
    seconds: float | None = None
    memory: int = 512 << 20


@dataclass(frozen=True)
class Explanation:
    """An expression for the output of a task, which fits some or all of its demo samples."""

    root: Node
    cost: int
    demos: int
    layers: int
    templates: tuple[str, ...]


class SearchResult:
    """What a search on one task has found; the expressions are built when they are asked for."""

    def __init__(
        self,
        templates: Sequence[Template],
        found: Found,
    ) -> None:
        self._templates = templates
        self._rows, self._states, end, counts = found
        self.ended = SearchEnd(end).name
        self.steps, self.vectors, self.failures, self.peak_bytes, self.layers, self.level = counts[:6]
        self.seconds, self.enumerating = counts[6:]

    @cached_property
    def explanations(self) -> list[Explanation]:
        """The explanations with distinct outputs on test samples, best first."""
        nodes: list[Node] = []
        used: list[frozenset[int]] = []
        for made_by, args in self._states:
            holes = {Node.input(f"?{k}"): nodes[arg] for k, arg in enumerate(args)}
            nodes.append(substituted(self._templates[made_by].root, holes))
            used.append(frozenset((made_by,)).union(*(used[arg] for arg in args)))
        made = []
        for cost, demos, layers in self._rows:
            root = _drawn(layers, nodes)
            states = (state for _, *places in layers for state in (places[0], places[2], places[4]))
            templates = frozenset[int]().union(*(used[state] for state in states if state is not None))
            texts = tuple(self._templates[number].line for number in sorted(templates))
            made.append(Explanation(root, cost, demos, len(layers), texts))
        return made


def _drawn(layers: Sequence[Layer], nodes: Sequence[Node]) -> Node:
    """The expression that draws layers, the lowest first."""
    drawn = lowest = nodes[layers[0][1]]
    for kind, state, number, color_state, source, other in layers:
        color = Node.constant(number) if color_state is None else nodes[color_state]
        part = nodes[state]
        if kind == LayerKind.canvas:
            drawn = Node.op("canvas", color, part)
        elif kind == LayerKind.overlay:
            drawn = Node.op("overlay", drawn, part, Node.constant(0))
        elif kind == LayerKind.object:
            drawn = Node.op("paint", drawn, part)
        elif kind == LayerKind.indices:
            drawn = Node.op("fill", drawn, color, part)
        elif other is not None:
            joined = "intersection" if kind == LayerKind.common else "difference"
            drawn = Node.op("fill", drawn, color, Node.op(joined, part, nodes[other]))
        elif kind == LayerKind.recolored:
            drawn = Node.op("fill", drawn, color, Node.op("ofcolor", lowest, Node.constant(source)))
    return drawn


class Enumerator:
    """Searches for expressions made of templates. Several threads may search with one at the same time."""

    def __init__(self, templates: Sequence[Template], limits: Limits = SEARCH_LIMITS) -> None:
        self.templates = list(templates)
        _require_own_ops_absent(self.templates)
        self._options = CoreOptions(limits)
        holes = {f"?{place}": place for place in range(MOST_HOLES)}
        stages = STAGE_OF_INPUT | dict.fromkeys(holes, Stage.sample)
        graph = _core.Graph(Node, [template.root for template in self.templates], stages)
        kinds = INPUT_KINDS | {name: NodeKind.part + PARTS * place for name, place in holes.items()}
        place = {node: number for number, node in enumerate(graph.nodes)}
        roots = [place[template.root] for template in self.templates]
        self._plan = _core.make_plan(
            graph,
            roots,
            [Judging.as_score] * len(roots),
            self._options.vocabulary_of(kinds),
            self._options.limits,
            self._options.foreign,
        )
        rows: list[tuple[int, int, tuple[int, ...]]] = [
            (template.cost, template.result, template.holes) for template in self.templates
        ]
        self._core = _core.TemplateSet(self._plan, rows, self._options.limits)

    def search(self, task: Task, budget: Budget) -> SearchResult:
        """Search for expressions that explain the demo outputs of a task."""
        return SearchResult(self.templates, self.found(task, budget))

    def found(self, task: Task, budget: Budget) -> Found:
        """The same as plain data, which can be sent from one machine to another."""
        steps = UNBOUNDED if budget.steps is None else budget.steps
        seconds = inf if budget.seconds is None else budget.seconds
        packed = packed_inputs([task], self._options)
        return self._core.search(packed, len(task.demo), steps, seconds, budget.memory, MOST_EXPLANATIONS)

    def stop(self) -> None:
        """End the searches that run, and those that come."""
        self._core.stop()


def _require_own_ops_absent(templates: Sequence[Template]) -> None:
    """Refuse templates with ops that the core does not have: a search runs no Python for its states."""
    own = set(names_of_own_ops())
    for template in templates if own else ():
        found = sorted(template.ops & own)
        if found:
            what = f"{found[0]!r} is an op of your own; a template has ops of the language alone"
            raise ArcbattError(f"{template.place}: {what}")
