"""Simplified graphs: smaller, and of the same meaning on every grid."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.program.graph import Node, Program, topological
from arcbatt.program.simplify import RECOLOURINGS, TIMES_ONE, TURNS, simplify
from arcbatt.tasks import Sample

GRID = Node.input("I")
COLOURS = st.integers(0, 9)
GRIDS = st.integers(1, 6).flatmap(
    lambda width: st.lists(st.tuples(*[COLOURS] * width), min_size=1, max_size=6).map(tuple)
)


def expression(text: str) -> Node:
    (program,) = ab.parse_programs(f"def solve_x(I): return {text}")
    return program.root


def outcome(root: Node, grid: object) -> object:
    task = ab.Task("x", (Sample(((0,),), ((0,),)),), (Sample(grid, None),))  # type: ignore[arg-type]
    program = Program("solve_x", "solver", ("I",), root)
    return ab.run(program, task, "all", "native", threads=1)[program, task].outputs[-1]


def step(inner: Node) -> st.SearchStrategy[Node]:
    """A grid after one more step; each rule has its turn."""
    one, nothing = Node.constant(1), Node.constant((0, 0))
    colour = COLOURS.map(Node.constant)
    shown = Node.op("ofcolor", inner, Node.constant(3))
    cells = Node.op("asobject", inner)
    same = Node.op("compose", Node.function("vmirror"), Node.function("identity"))
    return st.one_of(
        st.sampled_from(TURNS).map(lambda name: Node.op(name, inner)),
        st.sampled_from(TIMES_ONE).map(lambda name: Node.op(name, inner, one)),
        st.builds(lambda name, c: Node.op(name, inner, c, c), st.sampled_from(RECOLOURINGS), colour),
        st.builds(lambda a, b: Node.op("replace", inner, a, b), colour, colour),
        st.builds(lambda c: Node.op("fill", Node.op("fill", inner, c, shown), c, shown), colour),
        st.sampled_from(
            [
                Node.op("identity", inner),
                Node.op("paint", inner, Node.op("shift", cells, nothing)),
                Node.op("paint", inner, Node.op("merge", Node.op("initset", cells))),
                Node.op("fill", inner, one, Node.op("toindices", Node.op("toindices", cells))),
                Node.op("paint", inner, Node.op("normalize", Node.op("normalize", cells))),
                Node.op("first", Node.op("initset", inner)),
                Node.call(same, inner),
            ]
        ),
    )


def after(steps: int) -> st.SearchStrategy[Node]:
    """A grid after so many steps."""
    found: st.SearchStrategy[Node] = st.just(GRID)
    for _ in range(steps):
        found = found.flatmap(step)
    return found


@pytest.mark.slow
@settings(max_examples=300)
@given(st.integers(1, 6).flatmap(after), GRIDS)
def test_simplified_graph_gives_what_the_graph_gives(root: Node, grid: object) -> None:
    simple = simplify(root)
    assert len(topological([simple])) <= len(topological([root]))
    assert outcome(simple, grid) == outcome(root, grid)


@pytest.mark.parametrize(
    ("text", "simple"),
    [
        ("vmirror(vmirror(I))", "I"),
        ("rot90(rot90(rot90(rot90(I))))", "I"),
        ("hmirror(vmirror(I))", "rot180(I)"),
        ("dmirror(hmirror(I))", "rot90(I)"),
        ("identity(identity(rot90(I)))", "rot90(I)"),
        ("replace(I, THREE, THREE)", "I"),
        ("upscale(vmirror(I), ONE)", "vmirror(I)"),
        ("fill(fill(I, ONE, ofcolor(I, TWO)), ONE, ofcolor(I, TWO))", "fill(I, ONE, ofcolor(I, TWO))"),
        ("cover(cover(I, ofcolor(I, TWO)), ofcolor(I, TWO))", "cover(I, ofcolor(I, TWO))"),
        ("cover(I, vmirror(vmirror(ofcolor(I, TWO))))", "cover(I, ofcolor(I, TWO))"),
        ("paint(I, merge(initset(shift(asobject(I), ORIGIN))))", "paint(I, asobject(I))"),
        (
            "merge(apply(compose(identity, compose(asobject, identity)), initset(I)))",
            "merge(apply(asobject, initset(I)))",
        ),
    ],
)
def test_steps_without_effect_are_left_out(text: str, simple: str) -> None:
    assert simplify(expression(text)) is expression(simple)


@pytest.mark.parametrize(
    "text",
    [
        "vmirror(hmirror(first(objects(I, T, F, T))))",  # an object, whose turns are others
        "fill(fill(I, ONE, ofcolor(I, TWO)), THREE, ofcolor(I, TWO))",
        "replace(I, THREE, mostcolor(I))",
        "upscale(I, TWO)",
        "cover(cover(I, ofcolor(I, ONE)), ofcolor(I, TWO))",
        "invert(invert(size(I)))",  # fails for the least Integer
        "downscale(upscale(I, TWO), TWO)",
        "compose(rbind(add, ONE), identity)",
    ],
)
def test_everything_else_stays_the_same_object(text: str) -> None:
    assert simplify(expression(text)) is expression(text)
