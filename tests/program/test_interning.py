"""Equal expressions are one object, also among threads, and last only as long as somebody holds them."""

import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from arcbatt.interning import InternTable
from arcbatt.program.graph import Node

THREADS = 4


class Thing:
    """Something that weak references may refer to."""


@pytest.fixture
def hasty_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty_switches")
def test_threads_that_make_equal_nodes_get_the_same_ones() -> None:
    barrier = Barrier(THREADS)

    def chain(_: int) -> list[Node]:
        barrier.wait()
        nodes = [Node.input("I")]
        for number in range(300):
            Node.op("add", nodes[-1], nodes[-1])  # made and forgotten at once
            nodes.append(Node.op("fill", nodes[-1], Node.constant(number)))
        return nodes

    with ThreadPoolExecutor(THREADS) as pool:
        for _ in range(5):
            first, *others = pool.map(chain, range(THREADS))
            assert all(one is another for other in others for one, another in zip(first, other))


@pytest.mark.slow
def test_what_nobody_holds_is_forgotten() -> None:
    known = InternTable[Thing]()
    held = [known.keep(number, Thing()) for number in range(10)]
    del held[5:]
    gc.collect()
    assert [known.get(number) is not None for number in range(10)] == [True] * 5 + [False] * 5


@pytest.mark.slow
def test_an_object_that_ends_in_a_cycle_makes_room_for_its_successor() -> None:
    known = InternTable[Thing]()
    first = known.keep("a", Thing())
    first.__dict__["itself"] = first
    del first
    gc.collect()
    second = Thing()
    assert known.keep("a", second) is second is known.get("a")


def test_the_end_of_a_deep_graph_is_the_end_of_all_its_nodes() -> None:
    node = Node.op("mark", Node.input("I"))
    key = (node.kind, node.head, node.args)
    for _ in range(50_000):
        node = Node.op("mark", node)
    assert Node.known.get(key) is not None
    del node
    assert Node.known.get(key) is None
