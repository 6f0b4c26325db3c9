"""Programs as one nested expression: every plausible form is read, one form is written."""

from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.errors import ProgramError
from arcbatt.library import load_library
from arcbatt.program.forms.one_liners import MOST_NESTED, MOST_OPS, one_liner
from arcbatt.program.graph import Node

EXPRESSION = "fill(I, TWO, f_ofcolor(I, get_color_rank_t(I, L1)))"
FORMS = [
    f"def solve_00d62c1b(S, I, C): return {EXPRESSION}\n",
    f"def solve_00d62c1b(S, I, C):\n    return {EXPRESSION}\n",
    f"solve_00d62c1b = lambda S, I, C: {EXPRESSION}\n",
    f"from pile import *\n\nsolve_00d62c1b = lambda I: {EXPRESSION}\n",
]
MD5 = "0f3c9d2a" * 4


def _root() -> Node:
    (program,) = ab.parse_programs(f"def solve_x(I): return {EXPRESSION}")
    return program.root


@pytest.mark.parametrize("text", FORMS)
@pytest.mark.parametrize("name", ["mine.def", "mine.py"])
def test_functions_and_lambdas_are_read_from_every_file(text: str, name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(text)
    (program,) = ab.load_programs(file, strict=True)
    assert (program.name, program.kind) == ("solve_00d62c1b", "solver")
    assert program.root is _root()
    assert program.origin is not None
    assert program.origin.line == text[: text.index("solve")].count("\n") + 1


@pytest.mark.parametrize("text", [EXPRESSION, f"# kept\n{EXPRESSION}\n", f"lambda S, I, C: {EXPRESSION}"])
@pytest.mark.parametrize(
    ("path", "name", "kind"),
    [
        (f"solver_def/{MD5}.def", "solve", "solver"),
        (f"solver_def/{MD5}", "solve", "solver"),
        (f"solver_md5/{MD5}.py", "solve", "solver"),
        (f"differ_def/{MD5}.def", "differ", "differ"),
        (f"solve_00d62c1b/7/10/{MD5}.py", "solve_00d62c1b~", "solver"),
    ],
)
def test_an_expression_alone_is_a_program_where_the_file_is_one(
    text: str, path: str, name: str, kind: str, tmp_path: Path
) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(text)
    for where in (file, tmp_path):
        (program,) = ab.load_programs(where, strict=True)
        assert program.name.startswith(name)
        assert program.kind == kind
        assert program.root is _root()


def test_expressions_alone_may_stand_in_one_file(tmp_path: Path) -> None:
    file = tmp_path / "all.def"
    file.write_text("rot90(I)\nlambda I: rot180(I)\n\nrot270(I)\n")
    programs = ab.load_programs(file, strict=True)
    assert [(each.name, repr(each.root)) for each in programs] == [
        ("solve", "rot90(I)"),
        ("solve_2", "rot180(I)"),
        ("solve_3", "rot270(I)"),
    ]
    assert [ab.trace(each, "00d62c1b", 0).steps[-1].line for each in programs] == [1, 2, 4]


def test_an_expression_alone_is_refused_in_a_file_of_functions() -> None:
    with pytest.raises(ProgramError, match="a call of 'fill' outside a function"):
        ab.parse_programs(EXPRESSION, "mine.py")


def test_a_lambda_may_be_called_by_others_of_its_file() -> None:
    text = "twice = lambda grid: hconcat(grid, grid)\nsolve_x = lambda I: twice(rot90(I))"
    (program,) = ab.parse_programs(text, strict=True)
    assert repr(program.root) == "hconcat(rot90(I), rot90(I))"


def test_a_file_of_many_lambdas_is_read_in_pieces() -> None:
    text = "".join(f"solve_{number} = lambda I: upscale(I, {number})\n" for number in range(6_000))
    assert len(ab.parse_programs(text, strict=True)) == 6_000


def test_a_lambda_is_traced_where_it_stands() -> None:
    text = "\nsolve_x = lambda I: rot90(hmirror(I))"
    (program,) = ab.parse_programs(text, "mine.def")
    assert [step.line for step in ab.trace(program, "00d62c1b", 0).steps] == [2]


def test_every_program_of_the_library_is_the_same_as_one_line() -> None:
    programs = load_library("all")
    assert len(programs) > 300
    for program in programs:
        text = one_liner(program, "differ_x" if program.kind == "differ" else "solve_x")
        assert text.count("\n") == 1
        (again,) = ab.parse_programs(text, "x.def", strict=True)
        assert again.root is program.root


@pytest.mark.parametrize(
    "lines",
    [
        "x1 = compose(rot90, trim)\n x2 = fork(hconcat, x1, x1)\n return x2(I)",
        "x1 = lbind(lbind, fill)\n x2 = x1(I)\n x3 = x2(TWO)\n return x3(asindices(I))",
        "x1 = chain(first, merge, fgpartition)\n x2 = x1(I)\n return subgrid(x2, I)",
    ],
)
def test_function_values_are_called_inside_the_expression(lines: str) -> None:
    (program,) = ab.parse_programs(f"def solve_x(I):\n {lines}")
    (again,) = ab.parse_programs(one_liner(program, "solve_x"), strict=True)
    assert again.root is program.root


def test_lines_that_are_used_twice_too_often_are_refused_in_a_sentence() -> None:
    lines = "".join(f" x{k} = vconcat(x{k - 1}, x{k - 1})\n" for k in range(1, 61))
    (program,) = ab.parse_programs(f"def solve_x(I):\n x0 = rot90(I)\n{lines} return x60")
    with pytest.raises(ab.ArcbattError) as told:
        one_liner(program, "solve_x")
    assert str(told.value) == (
        f"solve_x: expected at most {MOST_OPS:,} ops, got more than 10^12, since lines are used several "
        "times, for one expression; write it with --to solvers"
    )


def test_what_nests_too_deeply_for_python_is_refused_and_what_is_written_can_be_read() -> None:
    lines = "".join(f" x{k} = rot90(x{k - 1})\n" for k in range(1, MOST_NESTED + 2))
    (deep,) = ab.parse_programs(f"def solve_x(I):\n x0 = trim(I)\n{lines} return x{MOST_NESTED - 1}")
    (again,) = ab.parse_programs(one_liner(deep, "solve_x"), strict=True)
    assert again.root is deep.root
    (deeper,) = ab.parse_programs(f"def solve_x(I):\n x0 = trim(I)\n{lines} return x{MOST_NESTED}")
    with pytest.raises(ab.ArcbattError, match=f"nested at most {MOST_NESTED} deep, got {MOST_NESTED + 1}"):
        one_liner(deeper, "solve_x")


@pytest.mark.parametrize("file", ["all.def", "all.py"])
def test_files_without_task_names_are_read_one_after_the_other(file: str) -> None:
    text = (
        "def solve(S, I, C): return vmirror(I)\n"
        "def solve(S, I, C):\n    x1 = hmirror(I)\n    return x1\n"
        "solve = lambda I: rot90(I)\n"
        "def differ(S, I, C): return size(I)\n"
        "def differ(S, I, C): return size(C)\n"
    )
    programs = ab.parse_programs(text, file, strict=True)
    assert [(program.name, repr(program.root)) for program in programs] == [
        ("solve", "vmirror(I)"),
        ("solve_2", "hmirror(I)"),
        ("solve_3", "rot90(I)"),
        ("differ", "size(I)"),
        ("differ_2", "size(C)"),
    ]


def test_a_call_of_a_name_that_stands_for_two_programs_is_refused() -> None:
    text = "def solve(I): return vmirror(I)\ndef solve(I): return hmirror(I)\ndef solve_x(I): return solve(I)"
    programs = ab.parse_programs(text, on_refused="ignore")
    assert [program.name for program in programs] == ["solve", "solve_2"]
    assert "'solve' is called and defined twice" in str(programs.refused[0])
