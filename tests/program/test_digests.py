"""Digests of nodes: the compiled core computes what Python does."""

import pickle
from random import Random
from typing import Any

import pytest

from arcbatt.dsl.values import Function
from arcbatt.library import load_library
from arcbatt.program.graph import Node, digest_in_python, topological
from arcbatt.testing.random_programs import mutated

pytest.importorskip("arcbatt._core", reason="the compiled core is not installed")


def both_digests(node: Node) -> tuple[bytes, bytes]:
    """The digest by the core and by Python; nodes keep theirs, so each computes it with all others anew."""
    found = []
    for compute in (lambda: node.digest, lambda: digest_in_python(node)):
        for each in topological([node]):
            each._digest = None
        found.append(compute())
    return found[0], found[1]


def test_core_and_python_compute_the_same_digests() -> None:
    random = Random(1)
    solvers = load_library("solvers")[::10]
    for program in (*solvers, *(mutated(solver, random) for solver in solvers), *load_library("differs")[:3]):
        in_core, in_python = both_digests(program.root)
        assert in_core == in_python


@pytest.mark.parametrize(
    "value",
    [0, -7, (1, 2), ((1, 2), (3, 4)), (), frozenset(), frozenset({(0, 1), (1, 0)}), Function("rot90", (), 1)],
)
def test_constants_have_the_same_digest_in_core_and_python(value: Any) -> None:
    in_core, in_python = both_digests(Node.constant(value))
    assert in_core == in_python


@pytest.mark.parametrize("length", [*range(90, 140), 255, 256, 257, 1000])
def test_contents_of_any_length_have_the_same_digest(length: int) -> None:
    """The hash works in blocks of 128 bytes; a full last block is no empty one more."""
    in_core, in_python = both_digests(Node.op("x" * length, Node.input("I")))
    assert in_core == in_python


@pytest.mark.parametrize("count", range(10))
def test_ops_and_calls_of_many_arguments_have_the_same_digest(count: int) -> None:
    args = [Node.constant(number) for number in range(count)]
    for node in (Node.op("astuple", *args), Node.call(Node.function("rot90"), *args)):
        in_core, in_python = both_digests(node)
        assert in_core == in_python


def test_a_digest_is_known_beforehand() -> None:
    """It names files and programs, so it must never change."""
    assert Node.op("rot90", Node.input("I")).digest.hex()[:6] == "9c7be7"


def test_a_deep_graph_has_a_digest() -> None:
    node = Node.input("I")
    for _ in range(50_000):
        node = Node.op("rot90", node)
    assert pickle.loads(pickle.dumps(node)).digest == node.digest
