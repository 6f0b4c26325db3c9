"""Plans: the compiled core and Python plan the same, and constants fail under the limits alike."""

import pickle
from random import Random
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.dsl.contract import Stage
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.values import Function
from arcbatt.engine import plan as planning
from arcbatt.engine.plan import Plan, plan, plan_of
from arcbatt.library import load_library
from arcbatt.program import graph
from arcbatt.program.graph import NONE, Node, Program
from arcbatt.program.merge import WITHHELD
from arcbatt.testing.random_programs import mutated
from support.backends import needs_core

pytest.importorskip("arcbatt._core", reason="the compiled core is not installed")

PROGRAMS = load_library("solvers")[:40]


def planned_in_python(programs: list[Program], monkeypatch: pytest.MonkeyPatch) -> Plan:
    """The plan as a package without the core makes it."""
    with monkeypatch.context() as patch:
        for module in (graph, planning):
            patch.setattr(module, "core_graph", lambda *_: None)
        return plan(programs)


def test_core_and_python_plan_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(3)
    programs = [*PROGRAMS, *(mutated(program, random) for program in PROGRAMS), *load_library("differs")]
    here, there = plan(programs), planned_in_python(programs, monkeypatch)
    assert tuple(here.steps) == there.steps
    assert (here.roots, here.ops, list(here.nodes)) == (there.roots, there.ops, list(there.nodes))


def test_nodes_have_the_stage_of_their_latest_input() -> None:
    demo, given, expected = (Node.input(name) for name in "SIC")
    nodes = [
        Node.constant(3),
        Node.op("size", demo),
        Node.op("add", Node.op("size", demo), Node.constant(3)),
        Node.op("add", Node.op("size", given), Node.op("size", demo)),
        Node.op("size", expected),
        Node.op("size", WITHHELD),
        Node.op("size", NONE),
    ]
    planned = plan_of(nodes)
    sample, task, constant = Stage.sample, Stage.task, Stage.constant
    stages = [planned.steps[root].stage for root in planned.roots]
    assert stages == [constant, task, task, sample, sample, constant, constant]


def test_a_root_that_is_asked_for_twice_is_one_step() -> None:
    node = Node.op("rot90", Node.input("I"))
    planned = plan_of([node, Node.input("I"), node])
    assert planned.roots == (1, 0, 1)
    assert list(planned.nodes) == [Node.input("I"), node]


def test_a_plan_survives_pickling() -> None:
    planned = plan(PROGRAMS[:3])
    assert pickle.loads(pickle.dumps(planned)) == planned


def test_a_node_whose_kind_was_unpickled_is_planned_like_others() -> None:
    kind = "".join(["o", "p"])  # equal to the kind of an op, but another object
    assert plan_of([Node(kind, "rot270", (Node.input("I"),))]).ops == {"rot270"}  # type: ignore[arg-type]


@pytest.mark.parametrize("head", [0, (1, 2), ()])
def test_what_is_no_node_is_refused(head: Any) -> None:
    with pytest.raises(TypeError, match="no node"):
        plan_of([head])


CONSTANTS: list[Any] = [
    7,
    1 << 31,
    -(1 << 31),
    (1, 2),
    (1, (2, 3)),
    (1, 1 << 31),
    ((1, 2), (3, 4)),
    ((1, 2), (3,)),
    (),
    frozenset(),
    frozenset({(0, 1), (2, 3)}),
    frozenset({(5, (0, 1))}),
    frozenset({(5, (0, 1 << 40))}),
    (((((1,),),),),),
    tuple(range(40)),
    Function("rot90", (), 1),
    Function("compose", (Function("rot90", (), 1), Function("rot180", (), 1)), 1),
    ((Function("rot90", (), 1),),),
]


@needs_core
@pytest.mark.parametrize(
    "limits",
    [
        Limits(),
        *(Limits(items=n) for n in range(1, 12)),
        Limits(depth=1),
        Limits(depth=2),
        Limits(depth=3),
        Limits(items=4, depth=2),
    ],
)
def test_constants_fail_under_limits_as_on_the_reference(limits: Limits) -> None:
    programs = [
        Program(f"p{number}", "solver", ("I",), Node.op("identity", Node.constant(constant)))
        for number, constant in enumerate(CONSTANTS)
    ]
    sample = ab.Task("t", demo=(), test=(ab.Sample((), None),))
    rows = [
        [
            ab.run(program, sample, "all", backend, limits=limits)[program, sample].outputs
            for program in programs
        ]
        for backend in ("reference", "native")
    ]
    assert rows[0] == rows[1]
