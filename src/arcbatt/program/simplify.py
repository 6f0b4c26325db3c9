"""Simpler graphs of the same meaning: steps that change nothing, or undo each other, are left out."""

from collections.abc import Callable, Iterator
from functools import cache

from arcbatt.dsl.static.queries import op_index
from arcbatt.dsl.static.types import ANY, GRID, INDICES, OBJECT
from arcbatt.dsl.table import TABLE
from arcbatt.dsl.values import Function
from arcbatt.program.graph import Node, substituted, topological
from arcbatt.program.typed import type_of_node

Rule = Callable[[Node], Node | None]

TURNS = ("rot90", "rot180", "rot270", "hmirror", "vmirror", "dmirror", "cmirror")
SPECIMEN = ((1, 2), (3, 4))  # every turn of it is a different grid
TIMES_ONE = ("upscale", "hupscale", "vupscale", "downscale")
RECOLOURINGS = ("replace", "switch")
UNARY_BUILDERS = ("compose", "chain", "fork", "matcher", "power")  # these give functions of one argument


def simplify(root: Node) -> Node:
    """A graph with the same meaning, maybe smaller; parts that cannot be simplified stay the same objects.

    The rules hold for grids with at least one cell and for patches. A graph that fails on an empty value may
    fail elsewhere, or not at all, after simplification.

    >>> grid = Node.input("I")
    >>> simplify(Node.op("vmirror", Node.op("vmirror", Node.op("identity", grid))))
    I
    >>> simplify(Node.op("rot90", Node.op("rot180", grid)))
    rot270(I)
    >>> simplify(Node.op("replace", grid, Node.constant(3), Node.constant(3)))
    I
    """
    made: dict[Node, Node] = {}
    for node in topological([root]):
        same = all(made[arg] is arg for arg in node.args)
        new = node if same else Node(node.kind, node.head, tuple([made[arg] for arg in node.args]))
        made[node] = _simplest(new)
    return made[root]


def shortcuts(root: Node) -> Iterator[Node]:
    """The graphs that skip one step: an argument of the same type replaces it.

    Some may do the same on the inputs that matter; run them to find out.

    >>> list(shortcuts(Node.op("rot90", Node.op("trim", Node.input("I")))))
    [rot90(I), trim(I)]
    """
    index = op_index()
    for node in topological([root]):
        known = type_of_node(node, index).type if node.args else ANY
        for arg in dict.fromkeys(node.args):
            if known != ANY and type_of_node(arg, index).type == known:
                yield substituted(root, {node: arg})


def _simplest(node: Node) -> Node:
    """A node with simplified arguments, simplified itself."""
    while node.kind == "op" and len(node.args) == TABLE[node.head].arity:
        for rule in RULES:
            simpler = rule(node)
            if simpler is not None:
                node = simpler
                break
        else:
            return node
    return node


def _without_identity(node: Node) -> Node | None:
    """`identity(x)` is x; f after or before identity is f."""
    if node.head == "identity":
        return node.args[0]
    if node.head != "compose":
        return None
    outer, inner = node.args
    if _is_identity(inner) and _is_unary(outer):
        return outer
    return inner if _is_identity(outer) and _is_unary(inner) else None


def _is_identity(node: Node) -> bool:
    return node is Node.function("identity")


def _is_unary(node: Node) -> bool:
    """Whether a node is certainly a function of one argument."""
    if node.kind == "constant":
        return isinstance(node.head, Function) and node.head.arity == 1
    return node.kind == "op" and node.head in UNARY_BUILDERS


def _one_turn(node: Node) -> Node | None:
    """Two turns of a grid, one after the other, are one turn or none."""
    inner = node.args[0] if node.args else node
    if node.head not in TURNS or inner.kind != "op" or inner.head not in TURNS or not _is_grid(inner.args[0]):
        return None
    turn = _product(node.head, inner.head)
    return inner.args[0] if turn is None else Node.op(turn, inner.args[0])


@cache
def _product(outer: str, inner: str) -> str | None:
    """The turn equal to two turns; None if they undo each other."""
    turned = TABLE[outer].body(TABLE[inner].body(SPECIMEN))
    return next((name for name in TURNS if TABLE[name].body(SPECIMEN) == turned), None)


def _without_effect(node: Node) -> Node | None:
    """A step that returns its input: a colour replaced by itself, a scale of one, a shift by nothing."""
    first, *others = node.args or (node,)
    heads = [other.head if other.kind == "constant" else None for other in others]
    if node.head in RECOLOURINGS and heads[0] == heads[1] and heads[0] in range(10) and _is_grid(first):
        return first
    if node.head in TIMES_ONE and heads == [1] and _is_grid(first):
        return first
    return first if node.head == "shift" and heads == [(0, 0)] and _is_patch(first) else None


def _once(node: Node) -> Node | None:
    """Steps repeated in vain, or undone: `fill(fill(x, c, p), c, p)`, `vmirror(vmirror(p))`."""
    inner = node.args[0] if node.args else node
    if inner.kind != "op" or inner.head != node.head or inner.args[1:] != node.args[1:]:
        return None
    op = TABLE[node.head]
    if op.involution and op.arity == 1 and _is_patch(inner.args[0]):
        return inner.args[0]
    return inner if op.idempotent else None


def _of_a_single_one(node: Node) -> Node | None:
    """The first, or the union, of a Set with one element is the element itself."""
    inner = node.args[0] if node.args else node
    if inner.kind != "op" or inner.head != "initset":
        return None
    element = inner.args[0]
    return element if node.head == "first" or (node.head == "merge" and _is_patch(element)) else None


RULES: tuple[Rule, ...] = (_without_identity, _one_turn, _without_effect, _once, _of_a_single_one)


def _is_grid(node: Node) -> bool:
    return type_of_node(node, op_index()).type == GRID


def _is_patch(node: Node) -> bool:
    return type_of_node(node, op_index()).type in (INDICES, OBJECT)
