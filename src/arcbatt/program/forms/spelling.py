"""Making programs expressible as source text: they may hold values and calls that one line cannot express."""

from functools import reduce

from arcbatt.dsl.table import TABLE
from arcbatt.dsl.types import NOTHING
from arcbatt.dsl.values import Function, Value, ordered
from arcbatt.program.graph import Node, topological


def as_source_says(root: Node) -> Node:
    """A graph that source text can express, with the same value and failures; usually the same object.

    >>> as_source_says(Node.call(Node.function("rot90"), Node.input("I")))
    identity(rot90)(I)
    """
    said: dict[Node, Node] = {}
    for node in topological([root]):
        said[node] = expressible(node, tuple(said[arg] for arg in node.args))
    return said[root]


def expressible(node: Node, args: tuple[Node, ...]) -> Node:
    """A node that source text can express: the same one, or one with the same value and failures.

    A line calls an op with the right number of arguments, or a variable with any number.
    """
    if node.kind == "constant":
        return _spelled(node.head)
    if node.kind == "op" and len(args) != TABLE[node.head].arity:
        return Node.call(Node.op("identity", Node.function(node.head)), *args)
    if node.kind == "call" and args[0].kind == "constant":
        return Node.call(Node.op("identity", args[0]), *args[1:])
    return Node(node.kind, node.head, args)


def _spelled(value: Value) -> Node:
    """A constant that is a literal or an op's name, or else the ops that build the value."""
    if isinstance(value, Function):
        return Node.op(value.name, *map(_spelled, value.parts)) if value.parts else Node.constant(value)
    if _is_literal(value):
        return Node.constant(value)
    assert isinstance(value, tuple | frozenset)
    elements = map(_spelled, ordered(value))
    if type(value) is tuple:
        one = Node.constant(1)
        singles = (Node.op("repeat", element, one) for element in elements)
        return reduce(lambda tuple_, single: Node.op("combine", tuple_, single), singles)
    nothing = Node.constant(NOTHING)
    empty = Node.op("product", nothing, nothing)
    return reduce(lambda set_, element: Node.op("insert", element, set_), elements, empty)


def _is_literal(value: Value) -> bool:
    return type(value) is int or (type(value) is tuple and all(map(_is_literal, value)))
