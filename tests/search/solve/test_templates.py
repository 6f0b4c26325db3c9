"""Templates: lines of a sort, a cost and an expression with typed holes, and the ones of the package."""

import pickle
from pathlib import Path

import pytest

from arcbatt.dsl.contract import Sort
from arcbatt.engine.cluster.sending import as_sent, from_sent
from arcbatt.errors import ArcbattError, ProgramError
from arcbatt.program.forms.graph_text import graph_from_text
from arcbatt.program.graph import Node, topological
from arcbatt.search.solve.templates import FOLDER, load_templates, parse_templates

WRONG = [
    ("grid 2 vmirror(I)", 1, "this is no template; a line is `<sort> <cost>: <expression>`"),
    ("grid 2:", 1, "this is no template"),
    ("grids: hsplit(I, TWO)", 1, "this is no template"),
    ("grit 2: vmirror(I)", 1, "there is no sort 'grit'; did you mean 'grid'?"),
    ("xyz 2: vmirror(I)", 1, "there is no sort 'xyz'; sorts are grid, grids, object"),
    ("grid 0: vmirror(I)", 6, "the cost '0' is no number from 1 to 9"),
    ("grid 10: vmirror(I)", 6, "the cost '10' is no number from 1 to 9"),
    ("grid two: vmirror(I)", 6, "the cost 'two' is no number from 1 to 9"),
    ("grid 2: vmirror(?gird)", 18, "there is no sort 'gird'; did you mean 'grid'?"),
    ("grid 2: vmirror(?)", 17, "'?' is no hole; one is `?` and a sort"),
    ("grid 2: vmirror(?grid12)", 17, "'?grid12' is no hole"),
    ("grid 2: ?grid", 8, "the expression is a hole alone"),
    (
        "grid 2: fill(?grid, ?color, combine(?indices1, combine(?indices2, ?indices3)))",
        8,
        "there are 5 holes; a template has at most 4",
    ),
    ("grid 2: vmiror(?grid)", 9, "there is no op or variable 'vmiror'; did you mean 'vmirror'?"),
    ("grid 2: fill(?grid, ?color)", 9, "'fill' takes 3 arguments, not 2"),
    ("grid 2: vmirror(?grid", 1, "this is not Python: '(' was never closed"),
    ("grid 2: x = 3", 9, "this is not Python"),
    ("grid 2: vmirror(I); rot90(I)", 19, "this is not Python"),
    ("change 2: lambda x: x", 11, "a lambda is no part of the language"),
    ("grid 2: fill(I, 3, (?vector, 2))", 21, "'?vector' stands in a literal"),
    (f"grid 2: {'vmirror(' * 61}I{')' * 61}", 8, "there are 61 ops; a template has at most 60"),
    ("grid 2: C", 9, "C is what the answer is compared with; use I and S"),
    ("grid 2: None", 9, "None is no value of the language"),
    ("grid 2: vmirror(?color)", 1, "'vmirror' does not take (Integer): vmirror(piece: Piece)"),
    ("grid 2: paint(?grid, ?objects)", 1, "'paint' does not take (Grid, Set[Object])"),
    ("grid 2: ofcolor(?grid, ?color)", 1, "the expression gives Indices, which is no grid"),
    ("predicate 2: vmirror", 1, "a predicate is a function (Object -> Integer), and the expression gives"),
    ("change 2: size", 1, "a change is a function (Grid -> Grid), and the expression gives Integer"),
    ("measure 2: ONE", 1, "and the expression is no such function"),
]


@pytest.mark.parametrize(("line", "column", "reason"), WRONG, ids=[line for line, _, _ in WRONG])
def test_wrong_line_is_refused_with_its_place_and_what_would_be_right(
    line: str, column: int, reason: str
) -> None:
    with pytest.raises(ArcbattError) as caught:
        parse_templates(f"# a comment\ngrid 1: I\n{line}\n", "mine.dsl")
    error = caught.value
    assert isinstance(error, ProgramError)
    assert reason in error.reason
    assert "\n" not in str(error)
    assert (error.file, error.line, error.column) == ("mine.dsl", 3, column)


def test_holes_are_numbered_in_order_of_appearance_and_equal_names_are_one_hole() -> None:
    (template,) = parse_templates("grid 3: fill(?grid, ?color2, ofcolor(?grid, ?color1))  # twice", "a.dsl")
    fill, ofcolor = Node.input("?1"), Node.input("?2")
    grid = Node.input("?0")
    assert template.root is Node.op("fill", grid, fill, Node.op("ofcolor", grid, ofcolor))
    assert template.holes == (Sort.grid, Sort.color, Sort.color)
    assert (template.cost, template.result, template.place) == (3, Sort.grid, "a.dsl:1")
    assert template.text == "fill(?grid, ?color2, ofcolor(?grid, ?color1))"


def test_names_mean_what_they_mean_in_programs() -> None:
    (template,) = parse_templates("objects 1: o_g(?grid, R5)")
    assert template.root is Node.op("o_g", Node.input("?0"), Node.constant(5))
    (template,) = parse_templates("predicate 1: compose(flip, square)")
    assert template.root is Node.op("compose", Node.function("flip"), Node.function("square"))
    (template,) = parse_templates("grid 1: ?change(?grid)")
    assert template.root is Node.call(Node.input("?0"), Node.input("?1"))


def test_objects_may_be_a_set_or_a_tuple() -> None:
    lines = "object 1: first_t(?objects)\nobject 1: get_arg_rank_f(?objects, ?measure, F1)"
    assert [template.holes[0] for template in parse_templates(lines)] == [Sort.objects] * 2


def test_every_template_of_the_package_is_read_and_fits() -> None:
    templates = load_templates()
    lines = [
        line
        for file in FOLDER.glob("*.dsl")
        for line in file.read_text("utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    assert sorted(template.line for template in templates) == sorted(lines)
    assert {template.result for template in templates} == set(Sort)
    for template in templates:
        inputs = {node.head for node in topological([template.root]) if node.kind == "input"}
        assert inputs - {"I", "S"} == {f"?{place}" for place in range(len(template.holes))}


def test_files_of_the_package_begin_with_what_they_hold() -> None:
    assert all(file.read_text("utf-8").startswith("# ") for file in FOLDER.glob("*.dsl"))


def test_lines_of_the_user_come_after_ours_and_replace_equal_ones(tmp_path: Path) -> None:
    mine = tmp_path / "mine.dsl"
    mine.write_text("grid 9: vmirror(?grid)\ngrid 4: vmirror(hmirror(?grid))\n", encoding="utf-8")
    ours, both = load_templates(), load_templates([mine])
    assert len(both) == len(ours) + 1
    assert both[-1].place == f"{mine}:2"
    (cost,) = (template.cost for template in both if template.text == "vmirror(?grid)")
    assert cost == 9


def test_file_that_is_not_there_is_named() -> None:
    with pytest.raises(ArcbattError, match=r"no_such\.dsl"):
        load_templates(["no_such.dsl"])


def test_templates_reach_other_processes_and_nodes_of_a_cluster_unchanged() -> None:
    templates = load_templates()
    assert pickle.loads(pickle.dumps(templates)) == templates
    assert from_sent(as_sent(templates)) == templates


def test_hole_is_no_input_of_a_program_in_an_archive() -> None:
    with pytest.raises(ArcbattError, match=r"expected an input I, S or C, got '\?0' in node 1"):
        graph_from_text('[["input", "?0", []]]')
