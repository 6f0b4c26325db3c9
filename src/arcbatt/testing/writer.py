"""Random well-typed programs, built op by op: arguments are chosen and functions composed by type."""

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any, NamedTuple, TypeAlias

from arcbatt.dsl.failures import OpFailed
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.machine import Machine
from arcbatt.dsl.static.matching import STRICT, Binding, Types, binding_order, closed, resolved, variables
from arcbatt.dsl.static.queries import op_index
from arcbatt.dsl.static.types import ANY, CELL, GRID, IJ, INDICES, INTEGER, OBJECT, StaticType
from arcbatt.dsl.table import TABLE, Param
from arcbatt.dsl.types import BOOLEAN
from arcbatt.dsl.values import Value, weight
from arcbatt.program.graph import Node
from arcbatt.program.typed import TYPES_OF_INPUTS
from arcbatt.testing.random_values import random_arguments

DEEPEST_FUNCTION = 3
MOST_TRIES = 12
DRAWS = 12
GROWTH = 3  # an op whose results weigh more than this times its arguments is drawn less often
TRIAL_LIMITS = Limits(items=2000, calls=500)
PAIRS = ((0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, -1), (2, 2), (3, 3), (0, 2), (5, 4))
SMALL = (0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, -1, -2)
USUAL_TYPES = (INTEGER, INTEGER, IJ, OBJECT, OBJECT, INDICES, GRID, CELL)


class TypedNode(NamedTuple):
    """A node with its type; of a function under construction, the result type."""

    node: Node
    type: StaticType


class FilledParameter(NamedTuple):
    """A node for a parameter, and the type variables bound so far."""

    node: Node
    binding: Binding


# Writes a function from arguments of some types to a wanted type, up to a depth.
Way: TypeAlias = Callable[[Any, Types, StaticType, int], TypedNode | None]


class ProgramWriter:
    """Writes one program, op by op; `nodes` are the nodes that may be arguments, by type."""

    def __init__(self, random: Random, inputs: tuple[str, ...]) -> None:
        self.random = random
        self.nodes: dict[StaticType, list[Node]] = {}
        self.unused: set[Node] = set()
        self.doubtful: set[Node] = set()
        self._below: dict[Node, frozenset[Node]] = {}
        for name in inputs:
            self.nodes.setdefault(TYPES_OF_INPUTS[name], []).append(Node.input(name))

    def write(self, count: int, wanted: StaticType) -> Node | None:
        """A node of a type with about that many ops below it, or the largest that was found."""
        best, most = None, 0
        for _ in range(MOST_TRIES * count):
            written = self._write_op() if self.random.randrange(20) else self._write_call()
            if written is not None and STRICT.fits(wanted, written.type, {}):
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

    def _write_op(self) -> TypedNode | None:
        name = self.random.choice(self.random.choice(_families()))
        if self.random.randrange(DRAWS) < _habits(name).failures:
            return None
        return self._op_on_known(name)

    def _op_on_known(self, name: str) -> TypedNode | None:
        """An op on arguments of fitting types, or None if there are none."""
        arrow = self.random.choice(TABLE[name].signature.alternatives)
        filled = self._arguments(TABLE[name].params, arrow.params)
        if filled is None:
            return None
        arguments, binding = filled
        if all(node.kind == "constant" for node in arguments) and self.random.randrange(10):
            return None
        return self._kept(Node.op(name, *arguments), closed(resolved(arrow.result, binding)))

    def _write_call(self) -> TypedNode | None:
        arguments = [self._known(ANY) for _ in range(self.random.choice((1, 1, 2, 2, 3)))]
        function = self._function(tuple(argument.type for argument in arguments), ANY, DEEPEST_FUNCTION)
        # Source text reads a call of a constant op as the op itself.
        if function is None or function.node.kind == "constant":
            return None
        return self._kept(Node.call(function.node, *(argument.node for argument in arguments)), function.type)

    def _kept(self, node: Node, type: StaticType) -> TypedNode:
        """Keep a node as an argument for later ones."""
        nodes = self.nodes.setdefault(type, [])
        if node not in nodes:
            nodes.append(node)
            self.unused.add(node)
            if (
                node.kind == "call"
                or _habits(node.head).gives_nothing
                or not self.doubtful.isdisjoint(node.args)
            ):
                self.doubtful.add(node)
            self.unused.difference_update(self._ops_below(node) - {node})
        return TypedNode(node, type)

    def _arguments(self, params: tuple[Param, ...], patterns: Types) -> tuple[list[Node], Binding] | None:
        """Nodes for all parameters, and the type variables that they bind."""
        nodes: dict[int, Node] = {}
        binding: Binding = {}
        for place in binding_order(patterns):
            filled = self._argument(patterns[place], binding, params[place])
            if filled is None:
                return None
            nodes[place], binding = filled
        return [nodes[place] for place in range(len(params))], binding

    def _argument(self, pattern: StaticType, binding: Binding, param: Param) -> FilledParameter | None:
        pattern = resolved(pattern, binding)
        if pattern.kind == "function":
            return self._function_argument(pattern, binding)
        if pattern == INTEGER:
            return FilledParameter(self._integer(param), binding)
        if pattern.kind == "variable":
            any_node = self._known(ANY)
            return FilledParameter(any_node.node, {**binding, pattern.name: any_node.type})
        known = self._known_or_none(pattern, must_be_filled=param.requirement == "filled")
        if known is not None:
            extended = dict(binding)
            STRICT.fits(pattern, known.type, extended)
            return FilledParameter(known.node, extended)
        if pattern.holds_function:
            return self._functions_argument(pattern, binding)
        return None

    def _function_argument(self, pattern: StaticType, binding: Binding) -> FilledParameter | None:
        arguments, binding = self._settled(pattern.parts[:-1], binding)
        wanted = resolved(pattern.parts[-1], binding)
        function = self._function(arguments, wanted, DEEPEST_FUNCTION)
        # No op ranks by functions, and few do anything else with them.
        if function is None or (wanted.kind == "variable" and function.type.kind == "function"):
            return None
        extended = dict(binding)
        return (
            FilledParameter(function.node, extended) if STRICT.fits(wanted, function.type, extended) else None
        )

    def _functions_argument(self, pattern: StaticType, binding: Binding) -> FilledParameter | None:
        """A new container of one or two functions."""
        if pattern.kind not in ("tuple", "set") or pattern.parts[0].kind != "function":
            return None
        first = self._function_argument(pattern.parts[0], binding)
        if first is None or pattern.kind == "set":
            return first and FilledParameter(Node.op("initset", first.node), first.binding)
        second = self._function_argument(pattern.parts[0], first.binding)
        return second and FilledParameter(Node.op("astuple", first.node, second.node), second.binding)

    def _settled(self, patterns: Types, binding: Binding) -> tuple[Types, Binding]:
        """Patterns with every open variable bound to some type."""
        for pattern in patterns:
            for name in variables(resolved(pattern, binding)):
                binding = {**binding, name: self._some_type()}
        return tuple(resolved(pattern, binding) for pattern in patterns), binding

    def _some_type(self) -> StaticType:
        if self.random.randrange(2):
            return self.random.choice(USUAL_TYPES)
        known = self.random.choice(list(self.nodes))
        return known.parts[0] if known.kind in ("set", "tuple") else known

    def _known(self, pattern: StaticType) -> TypedNode:
        known = self._known_or_none(pattern) if self.random.randrange(3) else None
        if known is not None:
            return known
        if self.random.randrange(2):
            return TypedNode(Node.constant(self.random.choice(PAIRS)), IJ)
        return TypedNode(Node.constant(self.random.choice(SMALL)), INTEGER)

    def _known_or_none(self, pattern: StaticType, must_be_filled: bool = False) -> TypedNode | None:
        """An existing node, preferably one that nothing uses yet; a pair may be a constant."""
        if pattern == IJ and (IJ not in self.nodes or self.random.randrange(2)):
            return TypedNode(Node.constant(self.random.choice(PAIRS)), IJ)
        shunned = self.doubtful if self.random.randrange(48) < (45 if must_be_filled else 8) else ()
        known = [
            TypedNode(node, known_type)
            for known_type, nodes in self.nodes.items()
            if STRICT.fits(pattern, known_type, {})
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
        """A constant, at these odds against an existing node."""
        if known and self.random.randrange(odds + 1) == 0:
            return self.random.choice(known)
        return Node.constant(self.random.choice(constants))

    def _function(self, arguments: Types, wanted: StaticType, depth: int) -> TypedNode | None:
        """A function from arguments of these types to the wanted type, with its result type."""
        ways = self.ways_of_one if len(arguments) == 1 else self.ways_of_more
        for _ in range(3 if depth > 0 else 0):
            function = self.random.choice(ways)(self, arguments, wanted, depth - 1)
            if function is not None:
                return function
        return self._primitive(arguments, wanted, depth)

    def _primitive(self, arguments: Types, wanted: StaticType, depth: int) -> TypedNode | None:
        options = op_index().takers(arguments, wanted)
        if not options:
            return None
        name, result = self.random.choice(options)
        return TypedNode(Node.function(name), result)

    def _known_function(self, arguments: Types, wanted: StaticType, depth: int) -> TypedNode | None:
        known = self._known_or_none(StaticType("function", (*arguments, wanted)))
        result = known and op_index().applied(known.type, arguments)
        return TypedNode(known.node, result) if known and result else None

    def _bound(self, arguments: Types, wanted: StaticType, depth: int) -> TypedNode | None:
        options = op_index().partial_takers(arguments, wanted)
        if not options:
            return None
        name, arrow, left = taker = self.random.choice(options)
        filled = self._argument(taker.missing, {}, TABLE[name].params[0 if left else -1])
        if filled is None:
            return None
        result = closed(resolved(arrow.result, filled.binding))
        if not STRICT.fits(wanted, result, {}):
            return None
        return TypedNode(Node.op("lbind" if left else "rbind", Node.function(name), filled.node), result)

    def _bound_function(self, arguments: Types, wanted: StaticType, depth: int) -> TypedNode | None:
        if len(arguments) > 2:
            return None
        fixed = self._known(ANY)
        left = self.random.randrange(2) == 0
        types = (fixed.type, *arguments) if left else (*arguments, fixed.type)
        function = self._function(types, wanted, depth)
        binder = "lbind" if left else "rbind"
        return function and TypedNode(Node.op(binder, function.node, fixed.node), function.type)

    def _composed(self, arguments: Types, wanted: StaticType, depth: int) -> TypedNode | None:
        inner = self._function(arguments, ANY, depth)
        outer = inner and self._function((inner.type,), wanted, depth)
        return outer and inner and TypedNode(Node.op("compose", outer.node, inner.node), outer.type)

    def _chained(self, arguments: Types, wanted: StaticType, depth: int) -> TypedNode | None:
        f = self._function(arguments, ANY, depth)
        g = f and self._function((f.type,), ANY, depth)
        h = g and self._function((g.type,), wanted, depth)
        return f and g and h and TypedNode(Node.op("chain", h.node, g.node, f.node), h.type)

    def _forked(self, arguments: Types, wanted: StaticType, depth: int) -> TypedNode | None:
        a = self._function(arguments, self.random.choice((ANY, INTEGER)), depth)
        b = a and self._function(arguments, self.random.choice((ANY, a.type, a.type)), depth)
        outer = a and b and self._function((a.type, b.type), wanted, depth)
        return a and b and outer and TypedNode(Node.op("fork", outer.node, a.node, b.node), outer.type)

    def _matching(self, arguments: Types, wanted: StaticType, depth: int) -> TypedNode | None:
        if not STRICT.fits(wanted, INTEGER, {}):
            return None
        function = self._function(arguments, self.random.choice((INTEGER, INTEGER, ANY)), depth)
        if function is None:
            return None
        if function.type == INTEGER:
            target = Node.constant(self.random.choice(SMALL))
        else:
            known = self._known_or_none(function.type)
            if known is None:
                return None
            target = known.node
        return TypedNode(Node.op("matcher", function.node, target), INTEGER)

    def _powered(self, arguments: Types, wanted: StaticType, depth: int) -> TypedNode | None:
        return self._power(arguments, wanted, depth, lambda: Node.constant(self.random.choice((1, 2, 2, 3))))

    def _power(
        self, arguments: Types, wanted: StaticType, depth: int, times: Callable[[], Node]
    ) -> TypedNode | None:
        if not STRICT.fits(wanted, arguments[0], {}):
            return None
        function = self._function(arguments, arguments[0], depth)
        if function is None or function.type != arguments[0]:
            return None
        return TypedNode(Node.op("power", function.node, times()), arguments[0])

    # The ways to write a function of several arguments, and of one.
    ways_of_more: tuple[Way, ...] = (
        _primitive,
        _primitive,
        _bound,
        _bound,
        _bound_function,
        _known_function,
    )
    ways_of_one: tuple[Way, ...] = (
        *ways_of_more,
        _primitive,
        _bound,
        _composed,
        _chained,
        _forked,
        _matching,
        _powered,
    )


@cache
def _families() -> tuple[tuple[str, ...], ...]:
    """The ops, each together with its restrictions."""
    found: dict[str, list[str]] = {}
    for op in TABLE.values():
        found.setdefault(op.restricts or op.name, []).append(op.name)
    return tuple(map(tuple, found.values()))


class Habits(NamedTuple):
    """Statistics of an op on random arguments: how often it fails or would on larger ones, empty results."""

    failures: int
    gives_nothing: bool


@cache
def _habits(name: str) -> Habits:
    """The habits of an op; an untrusted op is not run."""
    op, machine = TABLE[name], Machine(TRIAL_LIMITS)
    failures, nothing = 0, op.selects and op.result.default in ((), frozenset())
    for number in range(DRAWS if op.trusted else 0):
        arguments, _ = random_arguments(Random(f"{name} {number}"), op, 4)
        try:
            result = machine.run(op, arguments)
        except OpFailed:
            failures += 1
        else:
            nothing |= _is_nothing(result) and not any(map(_holds_nothing, arguments))
            # A product of two grids of a task exceeds the limit of size more often than not.
            failures += number % 4 > 0 and weight(result) > GROWTH * sum(map(weight, arguments))
    return Habits(failures, nothing)


def _is_nothing(value: Value) -> bool:
    """Whether a value is an empty container, or a grid without cells."""
    return value in ((), frozenset()) or (type(value) is tuple and value[0] == ())


def _holds_nothing(value: Value) -> bool:
    parts = value if isinstance(value, tuple | frozenset) else ()
    return _is_nothing(value) or any(map(_holds_nothing, parts))
