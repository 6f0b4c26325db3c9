"""Random programs of higher-order ops: composite functions over containers of every kind, loops in loops."""

from functools import cache
from random import Random
from typing import NamedTuple

from arcbatt.dsl.contract import HIGHEST, LOWEST
from arcbatt.dsl.static.matching import STRICT, Binding, Types, closed, resolved
from arcbatt.dsl.static.notation import static_type
from arcbatt.dsl.static.queries import op_index
from arcbatt.dsl.static.types import ANY, GRID, IJ, INTEGER, StaticType
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.values import Value, ordered
from arcbatt.program.graph import Node
from arcbatt.testing.random_values import anything, function_of, grid, value_of
from arcbatt.testing.writer import ProgramWriter, TypedNode

ELEMENTS = tuple(
    map(
        static_type,
        (
            *("Integer", "Integer", "IJ", "IJ", "IJ", "Cell", "Cell", "Object", "Object", "Indices", "Grid"),
            *("(IJ, IJ)", "(IJ, IJ)", "(Integer, Integer)", "((IJ, IJ), (IJ, IJ))", "(IJ, Cell)"),
            *("(Integer, Object)", "(Object, Object)", "(Grid, Grid)", "Tuple[IJ]", "Tuple[Integer]"),
            *("Set[Integer]", "Set[Object]", "Tuple[Cell]", "Set[(IJ, Integer)]", "Tuple[Set[IJ]]"),
        ),
    )
)
FUNCTIONS = tuple(map(static_type, ("(Integer -> Integer)", "(IJ -> Integer)", "(Indices -> Indices)")))
# Lengths of containers: mostly a few elements, also none, one, about a warp, several warps, and more elements
# than go through a column at a time.
LENGTHS = (0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 7, 8, 9)
LONG = (12, 16, 24, 31, 32, 33, 64, 65, 100, 255, 256, 257, 300)
SIZE = 3  # of an element
# Numbers about the edges of the packed forms: of keys, of cells and pairs that fit a word.
PACKING_EDGES = tuple(
    number
    for bits in (8, 12, 24, 30)
    for edge in (1 << (bits - 1), -(1 << (bits - 1)), 1 << bits)
    for number in (edge - 1, edge, edge + 1)
)
POOL = 256  # elements of a type that are made once: most containers are made of these
# Ops that the core runs over whole columns by code of their own, and that programs use most.
USUAL = frozenset(
    (
        *("add", "subtract", "multiply", "divide", "invert", "even", "double", "halve", "increment"),
        *("decrement", "crement", "sign", "positive", "greater", "equality", "flip", "both", "either"),
        *("toivec", "tojvec", "first", "last", "astuple", "contained", "size", "identity", "shift"),
        *("recolor", "color", "toindices", "index", "manhattan", "branch", "combine", "initset", "insert"),
        *("remove", "normalize", "ulcorner", "uppermost", "leftmost", "height", "width", "shape", "center"),
        *("palette", "colorcount", "neighbors", "dneighbors", "ineighbors", "hfrontier", "vfrontier"),
        *("shoot", "connect", "backdrop"),
    )
)
# Ops whose results for many locations the core merges without building each of them, with the position of a
# location among their arguments.
DRAWING = (
    *(("neighbors", 0), ("dneighbors", 0), ("ineighbors", 0), ("hfrontier", 0), ("vfrontier", 0)),
    *(("connect", 0), ("connect", 1), ("shoot", 0), ("shoot", 1), ("shift", 1), ("shift", 1)),
)
TIMES = (0, 1, 2, 2, 3, 4, 20, -1)  # of powers


class Input(NamedTuple):
    """An input of a program: its name, and the type that its values mostly have."""

    name: str
    type: StaticType


def input_types(random: Random) -> tuple[Input, ...]:
    """Types for I, C and S: containers of all kinds, grids and plain values."""
    return tuple(Input(name, _some_container(random)) for name in ("I", "C", "S"))


def _some_container(random: Random) -> StaticType:
    roll = random.randrange(16)
    if roll < 3:
        return GRID
    if roll == 3:
        return random.choice((INTEGER, IJ))
    elements = FUNCTIONS if roll == 4 else ELEMENTS
    return StaticType("tuple" if roll % 2 else "set", (random.choice(elements),))


def input_value(random: Random, wanted: StaticType) -> Value:
    """A value of a type for an input, now and then with an element of another type, or of another type."""
    roll = random.randrange(48)
    if roll == 0:
        return anything(random, SIZE)
    if wanted.kind not in ("set", "tuple"):
        return grid(random, random.choice((1, 2, 4, 6, 10))) if wanted is GRID else value_of(random, wanted)
    length = random.choice(LENGTHS if random.randrange(10) else LONG)
    elements = random.choices(_pool(wanted.parts[0]), k=length)
    if elements and roll < 14:
        place = random.randrange(length)
        if roll < 4:
            elements[place] = anything(random, SIZE)
        elif roll < 8:
            elements[place] = _element(random, wanted.parts[0])
        else:
            elements[place] = _with_edge(random, elements[place])
    if wanted.kind == "set":
        return frozenset(elements)
    return tuple(elements)


def _with_edge(random: Random, value: Value) -> Value:
    """The value with one of its Integers at an edge of the packed forms, if it has any."""
    if type(value) is int:
        edge = random.choice(PACKING_EDGES)
        return edge if random.randrange(2) or not LOWEST <= value + edge <= HIGHEST else value + edge
    if not isinstance(value, tuple | frozenset) or not value:
        return value
    elements = list(ordered(value))
    place = random.randrange(len(elements))
    elements[place] = _with_edge(random, elements[place])
    return tuple(elements) if isinstance(value, tuple) else frozenset(elements)


@cache
def _pool(wanted: StaticType) -> list[Value]:
    random = Random(repr(wanted))
    return [_element(random, wanted) for _ in range(POOL)]


def _element(random: Random, wanted: StaticType) -> Value:
    if wanted.is_function:
        return function_of(random, wanted)
    return value_of(random, wanted, SIZE)


@cache
def loop_ops() -> tuple[str, ...]:
    """The ops that apply functions."""
    return tuple(op.name for op in TABLE.values() if op.higher_order)


@cache
def _inner_loops() -> tuple[tuple[str, int, int], ...]:
    """The ops of one function and one container, with the places of both."""
    found = []
    for name in loop_ops():
        params = TABLE[name].signature.alternatives[0].params
        kinds = [param.kind for param in params]
        if sorted(kind == "function" for kind in kinds) == [False, True]:
            place = kinds.index("function")
            if params[place].arity == 1 and kinds[1 - place] in ("tuple", "set"):
                found.append((name, place, 1 - place))
    return tuple(found)


class LoopWriter(ProgramWriter):
    """Writes programs most of whose nodes apply functions to containers.

    A function may build closures of its argument and run loops over them, so loops capture the elements of
    outer loops. Functions occur again, in other functions and in the same one.
    """

    def __init__(self, random: Random, inputs: tuple[Input, ...]) -> None:
        super().__init__(random, ())
        self._functions: dict[Types, list[TypedNode]] = {}
        for name, known_type in inputs:
            self.nodes.setdefault(known_type, []).append(Node.input(name))

    def loops(self, count: int) -> list[Node]:
        """So many nodes that apply functions, or fewer if the types at hand admit no more."""
        found: dict[Node, None] = {}
        for _ in range(4 * count):
            roll = self.random.randrange(10)
            if roll == 0:
                written = self._write_call()
            elif roll in (2, 3):
                written = self._write_merged_drawing()
            elif roll == 1:
                self._write_op()
                continue
            else:
                written = self._op_on_known(self.random.choice(loop_ops()))
            if written is not None and written.node.needs:
                found[written.node] = None
                if len(found) == count:
                    break
        return list(found)

    def _write_merged_drawing(self) -> TypedNode | None:
        """The merge of what an op draws for each of many locations."""
        name, position = self.random.choice(DRAWING)
        function = Node.function(name)
        params = TABLE[name].params
        if len(params) == 2:
            other = 1 - position
            filled = self._argument(static_type(params[other].type.static), {}, params[other])
            if filled is None:
                return None
            function = Node.op("rbind" if other else "lbind", function, filled.node)
        if self.random.randrange(4) == 0:
            moved = self._function((IJ,), IJ, 1)
            function = Node.op("compose", function, moved.node) if moved else function
        result = static_type("Indices")
        if self.random.randrange(3) == 0:
            color = self._function((IJ,), INTEGER, 1)
            if color is None:
                return None
            function = Node.op("fork", Node.function("recolor"), color.node, function)
            result = static_type("Object")
        return self._kept(Node.op("mapply", function, self._many_locations()), result)

    def _many_locations(self) -> Node:
        """Known locations, or those of a large canvas: more than a block of the core holds."""
        known = self._known_or_none(StaticType("set", (IJ,)))
        if known and self.random.randrange(3) == 0:
            return known.node
        sides = (self.random.randrange(14, 40), self.random.randrange(14, 40))
        return Node.op("asindices", Node.op("canvas", Node.constant(0), Node.constant(sides)))

    def _function(self, arguments: Types, wanted: StaticType, depth: int) -> TypedNode | None:
        known = [written for written in self._functions.get(arguments, ()) if self._gives(written, wanted)]
        if known and self.random.randrange(5) == 0:
            return self.random.choice(known)
        written = super()._function(arguments, wanted, depth)
        if written is not None:
            self._functions.setdefault(arguments, []).append(written)
        return written

    @staticmethod
    def _gives(written: TypedNode, wanted: StaticType) -> bool:
        return STRICT.fits(wanted, written.type, {})

    def _primitive(self, arguments: Types, wanted: StaticType, depth: int) -> TypedNode | None:
        if self.random.randrange(2):
            usual = [taker for taker in op_index().takers(arguments, wanted) if taker.name in USUAL]
            if usual:
                name, result = self.random.choice(usual)
                return TypedNode(Node.function(name), result)
        return super()._primitive(arguments, wanted, depth)

    def _constant(self, arguments: Types, wanted: StaticType, depth: int) -> TypedNode | None:
        """A function that gives the same whatever its argument."""
        known = self._known_or_none(wanted) if wanted is not ANY else self._known(ANY)
        if known is None:
            return None
        second = Node.op("lbind", Node.function("branch"), Node.constant(0))
        return TypedNode(Node.op("rbind", second, known.node), known.type)

    def _repeated(self, arguments: Types, wanted: StaticType, depth: int) -> TypedNode | None:
        """A function that needs the same inner function twice."""
        inner = self._function(arguments, ANY, depth)
        outer = inner and self._function((inner.type, inner.type), wanted, depth)
        return inner and outer and TypedNode(Node.op("fork", outer.node, inner.node, inner.node), outer.type)

    def _compared(self, arguments: Types, wanted: StaticType, depth: int) -> TypedNode | None:
        """Whether two functions give the same, of whatever types: or pairs that are made the other way."""
        if not STRICT.fits(wanted, INTEGER, {}):
            return None
        one, other = (self._function(arguments, ANY, depth) for _ in range(2))
        if one is None or other is None:
            return None
        parts = [one.node, other.node]
        if self.random.randrange(2):
            parts = [Node.op("fork", Node.function("astuple"), *order) for order in (parts, parts[::-1])]
        return TypedNode(Node.op("fork", Node.function("equality"), *parts), INTEGER)

    def _raised(self, arguments: Types, wanted: StaticType, depth: int) -> TypedNode | None:
        """A power, also of none, negative, or unknown height."""

        def times() -> Node:
            return self._one_of(self.nodes.get(INTEGER, []), TIMES, 4)

        return self._power(arguments, wanted, depth, times)

    def _nested(self, arguments: Types, wanted: StaticType, depth: int) -> TypedNode | None:
        """A function that runs a loop: over its argument, or over another container with a closure of it."""
        name, at_function, at_container = self.random.choice(_inner_loops())
        arrow = self.random.choice(TABLE[name].signature.alternatives)
        pattern = arrow.params[at_container]
        container = self._inner_container(arguments, pattern, depth)
        binding: Binding = {}
        if container is None or not STRICT.fits(pattern, container.type, binding):
            return None
        expected = resolved(arrow.params[at_function], binding)
        closure = self._closure(arguments[0], expected, depth, may_be_fixed=container.varies)
        if closure is None or not STRICT.fits(expected.parts[-1], closure.type, binding):
            return None
        result = closed(resolved(arrow.result, binding))
        if not STRICT.fits(wanted, result, {}):
            return None
        return TypedNode(_joined(name, at_function, closure, container), result)

    def _inner_container(self, arguments: Types, pattern: StaticType, depth: int) -> "_LoopArgument | None":
        if self.random.randrange(2):
            known = self._known_or_none(pattern)
            return known and _LoopArgument(known.node, known.type, varies=False)
        if self.random.randrange(2) and STRICT.fits(pattern, arguments[0], {}):
            return _LoopArgument(Node.function("identity"), arguments[0], varies=True)
        made = self._function(arguments, pattern, min(depth, 1))
        return made and _LoopArgument(made.node, made.type, varies=True)

    def _closure(
        self, outer: StaticType, expected: StaticType, depth: int, may_be_fixed: bool
    ) -> "_LoopArgument | None":
        """A function of the elements of an inner loop, or a function that makes one of an outer element."""
        element, wanted = expected.parts[0], expected.parts[-1]
        roll = self.random.randrange(6)
        if roll < 2 and may_be_fixed:
            fixed = self._function((element,), wanted, depth)
            return fixed and _LoopArgument(fixed.node, fixed.type, varies=False)
        if roll == 2 and STRICT.fits(wanted, INTEGER, {}):
            inner = self._function((element,), outer, depth)
            return inner and _LoopArgument(_partial("matcher", inner.node), INTEGER, varies=True)
        if roll == 3 and outer == INTEGER and STRICT.fits(wanted, element, {}):
            step = self._function((element,), element, depth)
            return step and _LoopArgument(_partial("power", step.node), element, varies=True)
        binder, types = self.random.choice((("lbind", (outer, element)), ("rbind", (element, outer))))
        body = self._function(types, wanted, depth)
        return body and _LoopArgument(_partial(binder, body.node), body.type, varies=True)

    ways_of_more = (*ProgramWriter.ways_of_more, _primitive, _primitive)
    ways_of_one = (
        *ProgramWriter.ways_of_one,
        *(_primitive, _primitive, _primitive),
        *(
            ProgramWriter._composed,
            ProgramWriter._chained,
            ProgramWriter._forked,
            ProgramWriter._forked,
            ProgramWriter._matching,
        ),
        *(_constant, _repeated, _compared, _raised, _nested, _nested),
    )


class _LoopArgument(NamedTuple):
    """An argument of an inner loop: a node, or with `varies` a function that makes it of the outer element.

    The type of a function is the type of its result.
    """

    node: Node
    type: StaticType
    varies: bool


def _partial(binder: str, function: Node) -> Node:
    """The function that binds its argument, or raises or matches by it: `lbind(rbind, function)`, say."""
    return Node.op("lbind", Node.function(binder), function)


def _joined(name: str, at_function: int, closure: _LoopArgument, container: _LoopArgument) -> Node:
    """The function of the outer element that runs the loop `name`."""
    parts = (closure, container) if at_function == 0 else (container, closure)
    loop = Node.function(name)
    if closure.varies and container.varies:
        return Node.op("fork", loop, parts[0].node, parts[1].node)
    if parts[0].varies:
        return Node.op("compose", Node.op("rbind", loop, parts[1].node), parts[0].node)
    return Node.op("compose", Node.op("lbind", loop, parts[0].node), parts[1].node)
