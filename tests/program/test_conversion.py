"""Programs as files of every form: each stays the same program on the way there and back."""

import pytest

import arcbatt as ab
from arcbatt.library import load_library
from arcbatt.program.batt_files.read import parse_batt
from arcbatt.program.forms.conversion import FORMS, ONE_LINERS, SOLVERS, converted
from arcbatt.program.graph import Batt, Node, Program
from arcbatt.program.merge import batt_of, merge

STYLES = [form for form in FORMS if form not in (SOLVERS, ONE_LINERS)]


def _batt() -> Batt:
    return batt_of(load_library("solvers")[:12], load_library("differs")[:3])


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("form", [SOLVERS, ONE_LINERS])
def test_a_batt_and_back_holds_the_same_programs(style: str, form: str) -> None:
    batt = _batt()
    as_functions = converted(batt, form)
    assert (as_functions.programs, as_functions.left_out) == (15, ())
    merged = merge(ab.parse_programs(as_functions.text, strict=True))
    text = converted(merged, style).text
    again = parse_batt(text, strict=True)
    assert again.style == style
    assert {program.root for program in again} == {program.root for program in batt}
    assert {program.root for program in ab.parse_programs(converted(again, form).text)} == {
        program.root for program in merged
    }


@pytest.mark.parametrize("style", STYLES)
def test_a_batt_keeps_its_lines_in_another_style(style: str) -> None:
    text = converted(Batt(tuple(_batt().programs[:5])), "vectorized").text.replace(
        "    return o, s", "    t900 = rot90(I)\n    return o, s"
    )
    batt = parse_batt(text)
    again = parse_batt(converted(batt, style).text)
    assert [line.number for line in again.listing.lines] == [line.number for line in batt.listing.lines]
    assert again.listing.lines[-1].number == 900
    assert again.programs == batt.programs


def test_functions_stand_in_a_file_as_arc_dsl_has_them() -> None:
    (program,) = ab.parse_programs("def solve_x(S, I, C):\n x1 = trim(I)\n return hconcat(x1, x1)")
    assert converted(merge([program]), SOLVERS).text == (
        "from dsl import *\nfrom constants import *\n\n\n"
        "def solve_x(I):\n    x1 = trim(I)\n    O = hconcat(x1, x1)\n    return O\n"
    )


@pytest.mark.parametrize("name", ["rot90", "class", "differ_1", "00d62c1b", "aabf363d", "a b"])
@pytest.mark.parametrize("form", [SOLVERS, ONE_LINERS])
def test_solvers_of_any_name_read_back_as_solvers(name: str, form: str) -> None:
    solver = Program(name, "solver", ("I",), Node.op("rot90", Node.input("I")))
    (again,) = ab.parse_programs(converted(merge([solver]), form).text, strict=True)
    assert again.kind == "solver"
    assert again.root is solver.root
    assert again.task_id == solver.task_id


def test_what_no_text_can_say_is_built_by_ops_or_left_out_with_its_name() -> None:
    grid = Node.input("I")
    call = Node.call(Node.function("rot90"), grid)
    lost = Node.call(Node.input("None"), grid)
    programs = [Program("a", "solver", ("I",), call), Program("b", "solver", ("I",), lost)]
    for form, count in ((SOLVERS, 2), (ONE_LINERS, 1)):
        made = converted(merge(programs), form)
        again = ab.parse_programs(made.text, strict=True)
        assert made.programs == len(again) == count
        assert [program([[1, 2]]) for program in again][:1] == [((1,), (2,))]
    assert made.left_out == (
        "b: expected calls of functions, got a call of None; write it with --to solvers",
    )
