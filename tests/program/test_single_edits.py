"""Single edits, random candidates and crossover: distinct, well typed, the same each time, and complete."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import islice

import pytest

import arcbatt as ab
from arcbatt.library import load_library
from arcbatt.program.graph import Node, Program
from arcbatt.program.mutation import sites
from arcbatt.program.typed import well_typed


def program(line: str) -> Program:
    """The solver that gives the value of a line."""
    (found,) = ab.parse_programs(f"def solve_x(S, I, C): return {line}", strict=True)
    return replace(found, inputs=("I",))


def edits(line: str, **options: object) -> list[Node]:
    """The roots of all single edits of a line."""
    return [candidate.root for candidate in ab.Mutator(**options).single_edits(program(line))]


@pytest.mark.parametrize(
    ("line", "edited"),
    [
        ("fill(I, THREE, ofcolor(I, TWO))", "fill(I, SEVEN, ofcolor(I, TWO))"),
        ("fill(I, THREE, ofcolor(I, TWO))", "fill(I, THREE, ofcolor(I, NINE))"),
        ("crop(I, ORIGIN, shape(I))", "crop(I, UNITY, shape(I))"),
        ("hconcat(I, rot90(I))", "vconcat(I, rot90(I))"),
        ("hconcat(I, rot90(I))", "hconcat(rot90(I), I)"),
        ("hconcat(I, rot90(I))", "rot90(I)"),
        ("hconcat(I, rot90(I))", "I"),
        ("hconcat(I, rot90(I))", "hconcat(I, I)"),
        ("hconcat(I, rot90(I))", "hconcat(rot90(I), rot90(I))"),
        ("hconcat(I, rot90(I))", "hconcat(trim(I), rot90(I))"),
        ("hconcat(I, rot90(I))", "hconcat(trim(I), rot90(trim(I)))"),
        ("hconcat(I, rot90(I))", "hconcat(I, mir_rot_t(I, A4))"),
        ("hconcat(hconcat(I, I), I)", "hconcat(hconcat(trim(I), I), trim(I))"),
        ("hconcat(rot90(I), rot90(I))", "hconcat(rot90(I), rot90(trim(I)))"),
        ("hconcat(rot90(trim(I)), rot90(trim(I)))", "hconcat(rot90(trim(I)), rot90(compress(I)))"),
        ("rot90(I)", "hconcat(I, rot90(I))"),
        ("rot90(I)", "rot90(hupscale(I, TWO))"),
        ("rot90(I)", "replace(rot90(I), ONE, TWO)"),
        ("ofcolor(I, TWO)", "fill(I, THREE, ofcolor(I, TWO))"),
        ("fill(I, height(I), asindices(I))", "fill(I, TWO, asindices(I))"),
        ("hconcat(rot90(I), trim(I))", "hconcat(rot90(I), compress(rot90(I)))"),
        ("hconcat(rot90(I), trim(I))", "hconcat(rot90(I), vconcat(rot90(I), rot90(I)))"),
        ("apply(first, I)", "apply(last, I)"),
        ("merge(objects(I, T, F, T))", "merge(sizefilter(objects(I, T, F, T), ONE))"),
        ("merge(objects(I, T, F, T))", "merge(sfilter(objects(I, T, F, T), vline))"),
        ("mapply(dneighbors, ofcolor(I, TWO))", "mapply(compose(corners, dneighbors), ofcolor(I, TWO))"),
        ("mapply(dneighbors, ofcolor(I, TWO))", "mapply(rbind(shoot, UP), ofcolor(I, TWO))"),
        ("first(hsplit(I, TWO))", "first(mapply(rbind(vsplit, TWO), hsplit(I, TWO)))"),
    ],
)
def test_an_edit_of_each_sort_is_among_the_single_edits(line: str, edited: str):
    assert program(edited).root in edits(line)


@pytest.mark.parametrize("seed", range(3))
def test_single_edits_are_distinct_well_typed_and_not_the_program(seed: int):
    for solver in load_library("solvers")[seed * 7 :: 90]:
        found = list(islice(ab.Mutator().single_edits(solver), 3000))
        roots = [candidate.root for candidate in found]
        assert len({*roots, solver.root}) == len(roots) + 1
        assert all(well_typed(candidate.program(solver)) for candidate in found[:: 1 + len(found) // 200])


def test_single_edits_have_one_change_each_which_leads_to_their_root():
    parent = program("fill(I, THREE, ofcolor(I, TWO))")
    for candidate in islice(ab.Mutator().single_edits(parent), 500):
        (change,) = candidate.changes
        assert change.before in parent.nodes
        assert change.after in candidate.program(parent).nodes
        assert change.after not in parent.nodes or change.before not in candidate.program(parent).nodes


@pytest.mark.parametrize("number", range(5, 300, 71))
def test_single_edits_are_the_same_whether_nodes_are_made_in_python_or_in_the_core(
    number: int, monkeypatch: pytest.MonkeyPatch
):
    solver = load_library("solvers")[number]
    here = list(islice(ab.Mutator().single_edits(solver), 2000))
    monkeypatch.setattr(sites, "remaker", None)
    there = list(islice(ab.Mutator().single_edits(solver), 2000))
    assert here == there


def test_single_edits_do_not_depend_on_the_hashes_of_a_process():
    script = (
        "from itertools import islice\n"
        "import arcbatt as ab\n"
        "from arcbatt.library import load_library\n"
        "library = load_library('solvers')\n"
        "edits = ab.Mutator(partners=library[:40]).single_edits(library[9])\n"
        "print(*[candidate.root.digest.hex() for candidate in islice(edits, 2000)])\n"
    )
    told = [
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert told[0] == told[1]


@pytest.mark.parametrize("in_python", [False, True])
def test_single_edits_go_on_where_a_search_stopped(in_python: bool, monkeypatch: pytest.MonkeyPatch):
    if in_python:
        monkeypatch.setattr(sites, "remaker", None)
    parent = program("fill(I, THREE, ofcolor(rot90(I), TWO))")
    every = list(ab.Mutator().single_edits(parent))
    for start in (0, 1, 255, 1000, len(every) - 1, len(every), len(every) + 5):
        assert list(ab.Mutator().single_edits(parent, start=start)) == every[start:]


def test_single_edits_of_some_lines_change_no_other():
    parent = program("fill(I, THREE, ofcolor(I, TWO))")
    (line,) = [node for node in parent.nodes if node.head == "ofcolor"]
    found = list(ab.Mutator().single_edits(parent, lines=[line]))
    assert found
    assert all(candidate.changes[0].before is line for candidate in found)


def test_seed_and_chance_do_not_touch_single_edits():
    used = ab.Mutator(5)
    used.mutated(program("rot90(I)"))
    again = [candidate.root for candidate in used.single_edits(program("hconcat(I, rot90(I))"))]
    assert again == edits("hconcat(I, rot90(I))", seed=1)


def test_a_solver_gets_no_edit_that_sees_the_output_and_a_differ_does():
    partner = program("hconcat(C, I)")
    (differ,) = ab.parse_programs("def differ_x(S, I, C): return astuple(size(I), size(C))")
    mutator = ab.Mutator(partners=[partner])
    assert not any("C" in each.root.needs for each in mutator.single_edits(program("rot90(I)")))
    assert not any("C" in each.root.needs for each in mutator.crossed(program("rot90(I)"), partner, 9))
    found = {candidate.root for candidate in mutator.single_edits(differ)}
    assert Node.op("astuple", *(Node.op("size", Node.input("C")),) * 2) in found


def test_expressions_that_partners_share_are_among_the_single_edits():
    partners = [
        program("rot90(subgrid(first(objects(I, T, T, T)), I))"),
        program("trim(subgrid(first(objects(I, T, T, T)), I))"),
    ]
    wanted = program("rot180(subgrid(first(objects(I, T, T, T)), I))").root
    assert wanted in edits("rot180(I)", partners=partners)
    assert wanted not in edits("rot180(I)", partners=partners[:1])


@pytest.mark.parametrize(
    ("line", "edited", "partners"),
    [
        ("rot90(I)", "hconcat(rot90(I), trim(I))", ["trim(I)"]),
        ("rot90(I)", "fill(rot90(I), TWO, asindices(I))", ["recolor(ONE, asindices(I))"]),
    ],
)
def test_what_partners_use_is_part_of_larger_edits(line: str, edited: str, partners: list[str]):
    assert program(edited).root in edits(line, partners=[program(partner) for partner in partners])
    assert program(edited).root not in edits(line)


def test_hints_of_the_task_are_among_the_single_edits():
    pairs = ((((1, 0),), ((2, 0),)),)
    wanted = program("fill(I, c_zo_n(S, p_g, rbind(get_nth_t, F0)), asindices(I))").root
    assert wanted in edits("fill(I, FIVE, asindices(I))", task_pairs=pairs)


def test_candidates_are_the_mutants_without_names():
    parent = load_library("solvers")[4]
    mutants = list(ab.Mutator(3).mutants(parent, 50))
    found = list(ab.Mutator(3).candidates(parent, 50))
    assert [candidate.root for candidate in found] == [mutant.root for mutant in mutants]
    assert [candidate.changes for candidate in found] == [mutant.changes for mutant in mutants]


def test_a_candidate_becomes_a_program_with_the_changes_of_its_parent_and_its_own():
    parent = ab.Mutator(1).mutated(program("hconcat(I, rot90(I))"))
    candidate = next(ab.Mutator().single_edits(parent))
    child = candidate.program(parent)
    assert child.root is candidate.root
    assert child.name.startswith("solve_x~")
    assert child.evo
    assert child.changes == parent.changes + candidate.changes


def test_crossing_puts_parts_of_one_program_into_another_and_fits():
    one, other = program("fill(I, THREE, ofcolor(I, TWO))"), program("vconcat(rot90(I), trim(I))")
    found = list(ab.Mutator(2).crossed(one, other, 20))
    assert len({candidate.root for candidate in found} - {one.root}) == len(found) > 5
    assert all(well_typed(candidate.program(one)) for candidate in found)
    parts = {node for node in other.nodes if node.args}
    assert all(parts & {*candidate.program(one).nodes} for candidate in found)
    again = [candidate.root for candidate in ab.Mutator(2).crossed(one, other, 20)]
    assert again == [candidate.root for candidate in found]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: ab.Mutator("1"), "seed: expected an integer or a random.Random, got '1'"),
        (lambda: ab.Mutator(rate=1.5), "rate: expected a number from 0 to 1, got 1.5"),
        (lambda: ab.Mutator(rate="often"), "rate: expected a number from 0 to 1, got 'often'"),
        (lambda: ab.Mutator(partners=["rot90"]), "expected a program, got 'rot90'; .*"),
        (lambda: ab.Mutator().mutated("rot90"), "expected a program, got 'rot90'; .*"),
        (lambda: ab.Mutator().mutants(None, 3), "expected a program, got None; .*"),
        (lambda: ab.Mutator().candidates(program("rot90(I)"), -1), "count: expected an integer >= 0, got -1"),
        (lambda: ab.Mutator().single_edits(3), "expected a program, got 3; .*"),
        (
            lambda: ab.Mutator().single_edits(program("rot90(I)"), [2]),
            "expected a line of a program, got 2; .*",
        ),
        (
            lambda: ab.Mutator().single_edits(program("I"), start=-2),
            "start: expected an integer >= 0, got -2",
        ),
        (lambda: ab.Mutator().crossed(program("rot90(I)"), 7, 2), "expected a program, got 7; .*"),
        (
            lambda: ab.Mutator().crossed(program("I"), program("I"), "x"),
            "count: expected an integer >= 0, got 'x'",
        ),
    ],
)
def test_a_wrong_argument_is_refused_with_one_sentence(wrong: Callable[[], object], message: str):
    with pytest.raises(ab.ArcbattError, match=f"^{message}$"):
        wrong()
