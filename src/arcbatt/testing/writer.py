"""Writing well typed programs at random: arguments are chosen and closures built so that shapes fit."""

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.dsl.table import TABLE, Param
from arcbatt.dsl.types import BOOLEAN
from arcbatt.program.graph import Node
from arcbatt.testing.shapes import (
    ANY,
    CELL,
    GRID,
    IJ,
    INDICES,
    INTEGER,
    OBJECT,
    SAMPLES,
    Binding,
    Shape,
    holds_function,
    matched,
    resolved,
    signatures_of,
    variables,
)
from arcbatt.testing.takers import bindable, families, primitives

DEEPEST_FUNCTION = 3
MOST_TRIES = 12
PAIRS = ((0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, -1), (2, 2), (3, 3), (0, 2), (5, 4))
SMALL = (0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, -1, -2)
USUAL_SHAPES = (INTEGER, INTEGER, IJ, OBJECT, OBJECT, INDICES, GRID, CELL)
INPUT_SHAPES = {"I": GRID, "S": SAMPLES, "C": GRID}

# What these give may be empty even if what they are given is not.
# fmt: off
THINNING = frozenset(
    {
        "intersection", "difference", "remove", "remove_t", "sizefilter", "sizefilter_t", "colorfilter",
        "colorfilter_t", "sfilter", "mfilter", "mapply", "mpapply", "c_iz", "c_zo", "dedupe_pair_tuple",
        "interval", "repeat", "ofcolor", "delta", "connect", "shoot", "toobject", "occurrences",
        "fgpartition", "frontiers", "canvas", "crop", "trim", "tophalf", "bottomhalf", "lefthalf",
        "righthalf", "compress", "subgrid", "hupscale", "vupscale", "upscale", "hsplit", "vsplit",
    }
)
# fmt: on
# These fail on most arguments, however well typed: shapes of grids, places and elements must happen to agree.
DEMANDING = frozenset({"cellwise", "vconcat", "a_mr", "index", "extract"})


class Written(NamedTuple):
    """A node with its shape; in the making of functions, with the shape of what the function gives."""

    node: Node
    shape: Shape


class Filled(NamedTuple):
    """A node for a parameter, with the shapes of all variables that are known by then."""

    node: Node
    binding: Binding


class Writer:
    """Writes one program, op by op; `nodes` holds what is there to be used as arguments, by shape."""

    def __init__(self, random: Random, inputs: tuple[str, ...]) -> None:
        self.random = random
        self.nodes: dict[Shape, list[Node]] = {}
        self.unused: set[Node] = set()
        self.doubtful: set[Node] = set()
        self._below: dict[Node, frozenset[Node]] = {}
        for name in inputs:
            self.nodes.setdefault(INPUT_SHAPES[name], []).append(Node.input(name))

    def write(self, count: int, wanted: Shape) -> Node | None:
        """A node of a shape with about that many ops below it, or the nearest to that if luck is bad."""
        best, most = None, 0
        for _ in range(MOST_TRIES * count):
            written = self._write_op() if self.random.randrange(20) else self._write_call()
            if written is not None and matched(wanted, written.shape, {}) is not None:
                size = len(self._ops_below(written.node))
                if size > most and (size <= 2 * count or best is None):
                    best, most = written.node, size
                if most >= count:
                    break
        return best

    def _ops_below(self, node: Node) -> frozenset[Node]:
        """The node and all ops that it needs."""
        if node.kind in ("constant", "input"):
            return frozenset()
        if node not in self._below:
            self._below[node] = frozenset({node}).union(*map(self._ops_below, node.args))
        return self._below[node]

    def _write_op(self) -> Written | None:
        name = self.random.choice(self.random.choice(families()))
        if name in DEMANDING and self.random.randrange(4):
            return None
        signature = self.random.choice(signatures_of(name))
        filled = self._arguments(TABLE[name].params, signature.params)
        if filled is None:
            return None
        arguments, binding = filled
        if all(node.kind == "constant" for node in arguments) and self.random.randrange(10):
            return None
        return self._kept(Node.op(name, *arguments), _closed(resolved(signature.result, binding)))

    def _write_call(self) -> Written | None:
        arguments = [self._known(ANY) for _ in range(self.random.choice((1, 1, 2, 2, 3)))]
        function = self._function(tuple(argument.shape for argument in arguments), ANY, DEEPEST_FUNCTION)
        # An op that is called by its own name is no call of a value.
        if function is None or function.node.kind == "constant":
            return None
        return self._kept(
            Node.call(function.node, *(argument.node for argument in arguments)), function.shape
        )

    def _kept(self, node: Node, shape: Shape) -> Written:
        """A node that further ones may use."""
        nodes = self.nodes.setdefault(shape, [])
        if node not in nodes:
            nodes.append(node)
            self.unused.add(node)
            if _is_thinning(node) or not self.doubtful.isdisjoint(node.args):
                self.doubtful.add(node)
            self.unused.difference_update(self._ops_below(node) - {node})
        return Written(node, shape)

    def _arguments(
        self, params: tuple[Param, ...], patterns: tuple[Shape, ...]
    ) -> tuple[list[Node], Binding] | None:
        """Nodes for all parameters: concrete shapes first, functions last and from right to left."""

        def turn(place: int) -> tuple[int, int]:
            if holds_function(patterns[place]):
                return 2, -place
            return int(patterns[place].kind == "variable"), place

        nodes: dict[int, Node] = {}
        binding: Binding = {}
        for place in sorted(range(len(params)), key=turn):
            filled = self._argument(patterns[place], binding, params[place])
            if filled is None:
                return None
            nodes[place], binding = filled
        return [nodes[place] for place in range(len(params))], binding

    def _argument(self, pattern: Shape, binding: Binding, param: Param) -> Filled | None:
        pattern = resolved(pattern, binding)
        if pattern.kind == "function":
            return self._function_argument(pattern, binding)
        if pattern == INTEGER:
            return Filled(self._integer(param), binding)
        if pattern.kind == "variable":
            any_node = self._known(ANY)
            return Filled(any_node.node, {**binding, pattern.name: any_node.shape})
        known = self._known_or_none(pattern, must_be_filled=param.requirement == "filled")
        if known is not None:
            extended = matched(pattern, known.shape, binding)
            assert extended is not None
            return Filled(known.node, extended)
        if holds_function(pattern):
            return self._functions_argument(pattern, binding)
        return None

    def _function_argument(self, pattern: Shape, binding: Binding) -> Filled | None:
        arguments, binding = self._settled(pattern.parts[:-1], binding)
        wanted = resolved(pattern.parts[-1], binding)
        function = self._function(arguments, wanted, DEEPEST_FUNCTION)
        # No op ranks by functions, and few do anything else with them.
        if function is None or (wanted.kind == "variable" and function.shape.kind == "function"):
            return None
        extended = matched(wanted, function.shape, binding)
        return None if extended is None else Filled(function.node, extended)

    def _functions_argument(self, pattern: Shape, binding: Binding) -> Filled | None:
        """A container of one or two functions, made for the occasion."""
        if pattern.kind not in ("tuple", "set") or pattern.parts[0].kind != "function":
            return None
        first = self._function_argument(pattern.parts[0], binding)
        if first is None or pattern.kind == "set":
            return first and Filled(Node.op("initset", first.node), first.binding)
        second = self._function_argument(pattern.parts[0], first.binding)
        return second and Filled(Node.op("astuple", first.node, second.node), second.binding)

    def _settled(self, patterns: tuple[Shape, ...], binding: Binding) -> tuple[tuple[Shape, ...], Binding]:
        """Patterns with every open variable bound to some shape."""
        for pattern in patterns:
            for name in variables(resolved(pattern, binding)):
                binding = {**binding, name: self._some_shape()}
        return tuple(resolved(pattern, binding) for pattern in patterns), binding

    def _some_shape(self) -> Shape:
        if self.random.randrange(2):
            return self.random.choice(USUAL_SHAPES)
        known = self.random.choice(list(self.nodes))
        return known.parts[0] if known.kind in ("set", "tuple") else known

    def _known(self, pattern: Shape) -> Written:
        known = self._known_or_none(pattern) if self.random.randrange(3) else None
        if known is not None:
            return known
        if self.random.randrange(2):
            return Written(Node.constant(self.random.choice(PAIRS)), IJ)
        return Written(Node.constant(self.random.choice(SMALL)), INTEGER)

    def _known_or_none(self, pattern: Shape, must_be_filled: bool = False) -> Written | None:
        """A node that is there already, rather one that nothing uses yet; a pair may be a constant."""
        if pattern == IJ and (IJ not in self.nodes or self.random.randrange(2)):
            return Written(Node.constant(self.random.choice(PAIRS)), IJ)
        shunned = self.doubtful if must_be_filled and self.random.randrange(16) else ()
        known = [
            Written(node, shape)
            for shape, nodes in self.nodes.items()
            if matched(pattern, shape, {}) is not None
            for node in nodes
            if node not in shunned
        ]
        if not known:
            return None
        unused = [written for written in known if written.node in self.unused]
        return self.random.choice(unused if unused and self.random.randrange(4) else known)

    def _integer(self, param: Param) -> Node:
        known = self.nodes.get(INTEGER, [])
        if param.type is BOOLEAN:
            return self._one_of(known, (0, 1), 4)
        if param.role == "color":
            return self._one_of(known, tuple(range(10)), 1)
        if param.role == "rank":
            return self._one_of(known, (0, -1, 0, -1, 1, -2), 12)
        if param.role is not None:
            return self._one_of(known, (0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7), 12)
        if param.requirement == "nonzero":
            return self._one_of(known, (1, 2, 3, -1), 4)
        return self._one_of(known, SMALL, 1)

    def _one_of(self, known: list[Node], constants: tuple[int, ...], odds: int) -> Node:
        """A constant, at these odds against a node that is there already."""
        if known and self.random.randrange(odds + 1) == 0:
            return self.random.choice(known)
        return Node.constant(self.random.choice(constants))

    def _function(self, arguments: tuple[Shape, ...], wanted: Shape, depth: int) -> Written | None:
        """A function that takes arguments of these shapes and gives what is wanted, with what it gives."""
        ways = _WAYS_OF_ONE if len(arguments) == 1 else _WAYS_OF_MORE
        for _ in range(3 if depth > 0 else 0):
            function = self.random.choice(ways)(self, arguments, wanted, depth - 1)
            if function is not None:
                return function
        return self._primitive(arguments, wanted, depth)

    def _primitive(self, arguments: tuple[Shape, ...], wanted: Shape, depth: int) -> Written | None:
        options = primitives(arguments, wanted)
        if not options:
            return None
        name, result = self.random.choice(options)
        return Written(Node.function(name), result)

    def _known_function(self, arguments: tuple[Shape, ...], wanted: Shape, depth: int) -> Written | None:
        known = self._known_or_none(Shape("function", (*arguments, wanted)))
        return known and Written(known.node, known.shape.parts[-1])

    def _bound(self, arguments: tuple[Shape, ...], wanted: Shape, depth: int) -> Written | None:
        options = bindable(arguments, wanted)
        if not options:
            return None
        name, signature, left = self.random.choice(options)
        place = 0 if left else -1
        filled = self._argument(signature.params[place], {}, TABLE[name].params[place])
        if filled is None:
            return None
        result = _closed(resolved(signature.result, filled.binding))
        if matched(wanted, result, {}) is None:
            return None
        return Written(Node.op("lbind" if left else "rbind", Node.function(name), filled.node), result)

    def _bound_function(self, arguments: tuple[Shape, ...], wanted: Shape, depth: int) -> Written | None:
        if len(arguments) > 2:
            return None
        fixed = self._known(ANY)
        left = self.random.randrange(2) == 0
        shapes = (fixed.shape, *arguments) if left else (*arguments, fixed.shape)
        function = self._function(shapes, wanted, depth)
        binder = "lbind" if left else "rbind"
        return function and Written(Node.op(binder, function.node, fixed.node), function.shape)

    def _composed(self, arguments: tuple[Shape, ...], wanted: Shape, depth: int) -> Written | None:
        inner = self._function(arguments, ANY, depth)
        outer = inner and self._function((inner.shape,), wanted, depth)
        return outer and inner and Written(Node.op("compose", outer.node, inner.node), outer.shape)

    def _chained(self, arguments: tuple[Shape, ...], wanted: Shape, depth: int) -> Written | None:
        f = self._function(arguments, ANY, depth)
        g = f and self._function((f.shape,), ANY, depth)
        h = g and self._function((g.shape,), wanted, depth)
        return f and g and h and Written(Node.op("chain", h.node, g.node, f.node), h.shape)

    def _forked(self, arguments: tuple[Shape, ...], wanted: Shape, depth: int) -> Written | None:
        a = self._function(arguments, self.random.choice((ANY, INTEGER)), depth)
        b = a and self._function(arguments, self.random.choice((ANY, a.shape, a.shape)), depth)
        outer = a and b and self._function((a.shape, b.shape), wanted, depth)
        return a and b and outer and Written(Node.op("fork", outer.node, a.node, b.node), outer.shape)

    def _matching(self, arguments: tuple[Shape, ...], wanted: Shape, depth: int) -> Written | None:
        if matched(wanted, INTEGER, {}) is None:
            return None
        function = self._function(arguments, self.random.choice((INTEGER, INTEGER, ANY)), depth)
        if function is None:
            return None
        if function.shape == INTEGER:
            target = Node.constant(self.random.choice(SMALL))
        else:
            known = self._known_or_none(function.shape)
            if known is None:
                return None
            target = known.node
        return Written(Node.op("matcher", function.node, target), INTEGER)

    def _powered(self, arguments: tuple[Shape, ...], wanted: Shape, depth: int) -> Written | None:
        if matched(wanted, arguments[0], {}) is None:
            return None
        function = self._function(arguments, arguments[0], depth)
        if function is None or function.shape != arguments[0]:
            return None
        times = Node.constant(self.random.choice((1, 2, 2, 3)))
        return Written(Node.op("power", function.node, times), arguments[0])


_Way = Callable[[Writer, tuple[Shape, ...], Shape, int], Written | None]
_WAYS_OF_MORE: tuple[_Way, ...] = (
    Writer._primitive,
    Writer._primitive,
    Writer._bound,
    Writer._bound,
    Writer._bound_function,
    Writer._known_function,
)
_WAYS_OF_ONE: tuple[_Way, ...] = (
    *_WAYS_OF_MORE,
    Writer._primitive,
    Writer._bound,
    Writer._composed,
    Writer._chained,
    Writer._forked,
    Writer._matching,
    Writer._powered,
)


def _is_thinning(node: Node) -> bool:
    return node.kind == "call" or node.head in THINNING or TABLE[node.head].restricts in THINNING


def _closed(shape: Shape) -> Shape:
    """A shape in which nothing is open any more."""
    return resolved(shape, dict.fromkeys(variables(shape), ANY))
