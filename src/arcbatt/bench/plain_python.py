"""The plain-Python baseline: op bodies called directly, functions as closures; no checks and no limits."""

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.dsl.constants import CONSTANTS
from arcbatt.dsl.table import TABLE, find
from arcbatt.dsl.values import Function
from arcbatt.engine.plan import wanted_root
from arcbatt.program.batt_files.write import batt_source
from arcbatt.program.graph import Batt, Node, Program, topological
from arcbatt.tasks import Grid

Plain = Callable[..., Any]


def _compose(outer: Plain, inner: Plain) -> Plain:
    return lambda x: outer(inner(x))


def _chain(h: Plain, g: Plain, f: Plain) -> Plain:
    return lambda x: h(g(f(x)))


def _fork(outer: Plain, a: Plain, b: Plain) -> Plain:
    return lambda x: outer(a(x), b(x))


def _matcher(function: Plain, target: Any) -> Plain:
    return lambda x: int(function(x) == target)


def _lbind(function: Plain, fixed: Any) -> Plain:
    return lambda *rest: function(fixed, *rest)


def _rbind(function: Plain, fixed: Any) -> Plain:
    return lambda *rest: function(*rest, fixed)


def _power(function: Plain, n: int) -> Plain:
    return function if n == 1 else _compose(function, _power(function, n - 1))


def _rapply(functions: Any, value: Any) -> Any:
    return type(functions)([function(value) for function in functions])


CLOSURES: dict[str, Plain] = {
    "compose": _compose,
    "chain": _chain,
    "fork": _fork,
    "matcher": _matcher,
    "lbind": _lbind,
    "rbind": _rbind,
    "power": _power,
    "rapply": _rapply,
}


def plain_op(name: str) -> Plain:
    """The plain Python function of an op: its body, or a closure for ops that build functions."""
    return CLOSURES.get(name) or TABLE[name].body


def bare(module: ModuleType) -> ModuleType:
    """The module of a batt file in style `guarded`, in which each op is its bare body."""
    for name in list(vars(module)):
        op = find(name)
        if op is not None:
            setattr(module, name, plain_op(op.name))
    return module


class PlainProgram:
    """A program as a list of Python calls.

    >>> from arcbatt.program.parse import parse_programs
    >>> (program,) = parse_programs("def s(I): return apply(compose(double, first), I)")
    >>> PlainProgram(program)((), ((1, 2), (3, 4)), None)
    (2, 6)
    """

    def __init__(self, program: Program) -> None:
        nodes = topological([wanted_root(program)])
        place = {node: number for number, node in enumerate(nodes)}
        self.start: list[Any] = [_known(node) for node in nodes]
        self.inputs = [(k, node.head) for k, node in enumerate(nodes) if node.kind == "input"]
        self.steps = [
            (k, plain_op(node.head) if node.kind == "op" else None, tuple(place[arg] for arg in node.args))
            for k, node in enumerate(nodes)
            if node.kind in ("op", "call")
        ]

    def __call__(self, samples: Any, grid: Grid, comparison: Grid | None) -> Any:
        """The result on one sample; whatever goes wrong is raised as Python raises it."""
        values = self.start.copy()
        given = {"S": samples, "I": grid, "C": comparison}
        for place, name in self.inputs:
            values[place] = given.get(name)
        for place, body, args in self.steps:
            if body is None:
                function, *rest = (values[arg] for arg in args)
                values[place] = function(*rest)
            else:
                values[place] = body(*[values[arg] for arg in args])
        return values[-1]


def _known(node: Node) -> Any:
    if node.kind != "constant":
        return None
    return plain_op(node.head.name) if isinstance(node.head, Function) else node.head


def function_of(text: str, name: str, names: dict[str, Any]) -> Plain:
    """A function of a batt file, which finds its names among `names`."""
    exec(text, names)  # noqa: S102 - written by batt_source
    function: Plain = names[name]
    return function


def bare_function(batt: Batt) -> Plain:
    """The lines of a batt as a Python function that calls op bodies, without checks."""
    source = batt_source(batt, "vectorized")
    names: dict[str, Any] = {}
    function = function_of(source[source.index("def batt(") :], "batt", names)
    assert isinstance(function, FunctionType)
    for name in function.__code__.co_names:
        op = find(name)
        if name in CONSTANTS or op is not None:
            names[name] = CONSTANTS[name] if op is None else plain_op(op.name)
    return function
