"""Programs are read as data: plain DSL is understood, everything else is refused with place and reason."""

import ast
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.errors import ProgramError
from arcbatt.program.graph import Node, Program


def parse_one(text: str) -> Program:
    (program,) = ab.parse_programs(text, strict=True)
    return program


def refusal(text: str) -> ProgramError:
    with pytest.raises(ProgramError) as caught:
        ab.parse_programs(text, "file.py", strict=True)
    assert "\n" not in str(caught.value)
    return caught.value


I = Node.input("I")


def test_lines_become_a_graph() -> None:
    program = parse_one("def solve_x(I):\n    x1 = hmirror(I)\n    O = vconcat(I, x1)\n    return O")
    assert program.root is Node.op("vconcat", I, Node.op("hmirror", I))
    assert program.kind == "solver"
    assert program.inputs == ("I",)


@pytest.mark.parametrize(
    "body",
    [
        "return vconcat(I, hmirror(I))",
        "x = hmirror(I); return vconcat(I, x)",
        "x = hmirror(piece=I)\n    return vconcat(b=x, a=I)",
        "unused = rot90(I)\n    y = I\n    z = hmirror(y)\n    return vconcat(I, z)",
        '"""What it does."""\n    O = vconcat(I, hmirror(I))  # a comment\n    return O',
        "f = hmirror\n    return vconcat(I, f(I))",
    ],
)
def test_spelling_does_not_change_identity(body: str) -> None:
    plain = "def solve_x(I):\n    x1 = hmirror(I)\n    O = vconcat(I, x1)\n    return O"
    if "f = " in body:
        assert parse_one(f"def s(I):\n    {body}").hash != parse_one(plain).hash
    else:
        assert parse_one(f"def s(I):\n    {body}").hash == parse_one(plain).hash


def test_constants_are_values_whatever_their_name() -> None:
    by_color, by_number, by_literal = (
        parse_one(f"def s(I): return replace(I, {name}, {other})").hash
        for name, other in (("RED", "BLACK"), ("TWO", "ZERO"), ("2", "0"))
    )
    assert by_color == by_number == by_literal


def test_literals_may_be_pairs_and_negative() -> None:
    program = parse_one("def s(I): return crop(I, (0, -1), (TWO, True))")
    assert program.root.args[1:] == (Node.constant((0, -1)), Node.constant((2, 1)))


def test_ops_as_arguments_are_functions() -> None:
    program = parse_one("def s(I): return apply(compose(size, difference_t), I)")
    assert program.root.args[0].args[1] is Node.function("difference_tuple")


def test_a_call_of_a_call_calls_the_function_it_gives() -> None:
    program = parse_one("def s(I): return compose(hmirror, rot90)(I)")
    assert program.root.kind == "call"
    assert program.root.args[1] is I


def test_solvers_and_differs_may_take_samples_and_comparison() -> None:
    solver, differ = ab.parse_programs(
        "from dsl import *\nimport os, sys\ndef solve_x(S, I, C): return I\n"
        "def differ_y(S, I, C): return astuple(ONE, palette(C))"
    )
    assert (solver.kind, differ.kind) == ("solver", "differ")
    assert solver.inputs == ("S", "I", "C")


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("def s(I):\n    x = fil(I, ONE, I)\n    return x", 2, 9, "'fill'"),
        ("def s(I):\n    x = fill(I, ONES, I)\n    return x", 2, 17, "'ONE'"),
        ("def s(I):\n    found = objects(I, T, F, T)\n    return merge(fuond)", 3, 18, "'found'"),
        ("def s(I):\n    return fill(I, ONE)", 2, 12, "takes 3 arguments, not 2"),
        ("def s(I):\n    return rot90(I, ONE)", 2, 12, "takes 1 argument, not 2"),
        ("def s(I):\n    return fill(I, ONE, ptach=I)", 2, 12, "'patch'"),
        ("def s(I):\n    return fill(I, ONE, value=I)", 2, 12, "twice"),
        ("def s(I):\n    x = y\n    y = I\n    return x", 2, 9, "'y'"),
        ("def s(I):\n    x = I\n    x = rot90(x)\n    return x", 3, 5, "assigned twice"),
        ("def s(I):\n    size = rot90(I)\n    return size", 2, 5, "name of the language"),
        ("def s(I):\n    x = lambda y: y\n    return x", 2, 5, "a lambda"),
        ("def s(I):\n    return apply(lambda y: y, I)", 2, 18, "a lambda"),
        ("def s(I):\n    return tuple(x for x in I)", 2, 12, "'tuple'"),
        ("def s(I):\n    x = [y for y in I]\n    return x", 2, 9, "a comprehension"),
        ("def s(I):\n    for x in I:\n        pass\n    return I", 2, 5, "a loop"),
        ("def s(I):\n    while T:\n        pass\n    return I", 2, 5, "a loop"),
        ("def s(I):\n    import os\n    return I", 2, 5, "an import"),
        ("def s(I):\n    return I.shape", 2, 12, "an attribute"),
        ("def s(I):\n    return I.shape()", 2, 12, "an attribute"),
        ("def s(I):\n    return I[0]", 2, 12, "brackets"),
        ("def s(I):\n    return add(1, 2) + 3", 2, 12, "operator"),
        ("def s(I):\n    return 'text'", 2, 12, "str"),
        ("def s(I):\n    return 1.5", 2, 12, "float"),
        ("def s(I):\n    return add(*I)", 2, 12, "takes 2 arguments"),
        ("def s(I):\n    return T(I)", 2, 12, "constant"),
        ("def s(I):\n    return palette(C)", 2, 20, "used but not a parameter"),
        ("def s(I):\n    x, y = I\n    return x", 2, 5, "one name"),
        ("def s(I):\n    x = y = I\n    return x", 2, 5, "one name"),
        ("def s(I):\n    x = rot90(I)", 2, 5, "return"),
        ("def s(I):\n    return", 2, 5, "return"),
        ("def s(I):\n    return I\n    x = I", 2, 5, "before the last line"),
        ("def s(I):\n    return I\n    return I", 2, 5, "before the last line"),
        ("def s(grid):\n    return grid", 1, 1, "(I) or (S, I, C)"),
        ("def s():\n    return ONE", 1, 1, "(I) or (S, I, C)"),
        ("def s(I, *J):\n    return I", 1, 1, "starred"),
        ("@cache\ndef s(I):\n    return I", 2, 1, "decorators"),
        ("async def s(I):\n    return I", 1, 1, "async"),
        ("class X: pass\ndef s(I): return I", 1, 1, "a class"),
        ("x = 1\ndef s(I): return I", 1, 1, "assignment"),
        ('__import__("os").system("touch x")\ndef s(I): return I', 1, 1, "outside a function"),
        ('def s(I): return __import__("os").system("touch x")', 1, 18, "an attribute"),
        ("def s(I): return I\ndef s(I): return rot90(I)", 2, 1, "twice"),
        ("def s(I):\n    x = (\n    return I", 2, 9, "not Python"),
        ("nothing here: at all", 1, 9, "not Python"),
        ("import os", 1, 1, "no program"),
        ("def s(I):\n    return x(I, y=3)", 2, 12, "'x'"),
        ("def s(I):\n    f = rot90\n    return f(grid=I)", 3, 12, "keyword"),
    ],
)
def test_what_is_not_plain_dsl_is_refused_with_place_and_reason(
    text: str, line: int, column: int, words: str
) -> None:
    error = refusal(text)
    assert (error.file, error.line, error.column) == ("file.py", line, column), str(error)
    assert words in str(error)


def test_one_bad_program_does_not_cost_the_others() -> None:
    programs = ab.parse_programs(
        "def a(I): return rot90(I)\ndef b(I): return nothing(I)\nprint(1)\ndef c(I): return hmirror(I)",
        on_refused="ignore",
    )
    assert [program.name for program in programs] == ["a", "c"]
    assert [error.line for error in programs.refused] == [2, 3]


def test_a_syntax_error_does_not_cost_the_other_programs() -> None:
    good, bad, other = (
        "def a(I):\n    return rot90(I)\n",
        "def b(I):\n    return ((I\n",
        "def c(I):\n    return I\n",
    )
    text = f"from dsl import *\n\n{good}\n{bad}\n{other}"
    programs = ab.parse_programs(text, on_refused="ignore")
    assert [program.name for program in programs] == ["a", "c"]
    assert [error.line for error in programs.refused] == [7]


def test_a_null_byte_does_not_cost_the_other_programs() -> None:
    programs = ab.parse_programs(
        "def a(I): return I\n\ndef b(I):\n    return \0I\n\ndef c(I): return rot90(I)\n",
        on_refused="ignore",
    )
    assert [program.name for program in programs] == ["a", "c"]
    assert [(error.line, error.column) for error in programs.refused] == [(4, 12)]


@pytest.mark.parametrize(
    "text",
    [
        "def s(I): return " + "rot90(" * 10_000 + "I" + ")" * 10_000,
        "def s(I): return " + "-" * 10_000 + "1",
        "def s(I): return I" + ".x" * 10_000,
        "def s(I): return I" + "(I)" * 10_000,
        "def s(I): return I" + "(I)" * 2_000,
        "def s(I):\n    return I\0",
    ],
    ids=["calls", "signs", "attributes", "calls of calls", "fewer calls of calls", "a null byte"],
)
def test_deep_or_odd_text_is_refused_in_one_sentence(text: str) -> None:
    assert len(str(refusal(text))) < 200


def chain(count: int) -> str:
    """A program of so many ops, one a line."""
    lines = "".join(f"    x{n + 1} = rot90(x{n})\n" for n in range(count))
    return f"def s(I):\n{lines}    return x{count}\n".replace("rot90(x0)", "rot90(I)", 1)


@pytest.mark.slow
@pytest.mark.parametrize("count", [20_001, 1_000_000])
def test_a_program_of_too_many_lines_is_refused_before_it_is_parsed(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its syntax tree would take 4.5 kB a line."""
    texts: list[str] = []
    monkeypatch.setattr(ast, "parse", lambda text, *_: texts.append(text) or ast.Module([], []))
    expected = f"mine.py:1:1: s: it has {count:,} lines; a program may have 20,000, and a batt file 600,000"
    with pytest.raises(ab.ArcbattError) as caught:
        ab.parse_programs(chain(count), "mine.py")
    assert str(caught.value) == expected
    assert texts == []


def test_a_line_of_too_many_statements_is_refused_before_it_is_parsed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As lines they would be too many, too."""
    texts: list[str] = []
    monkeypatch.setattr(ast, "parse", lambda text, *_: texts.append(text) or ast.Module([], []))
    statements = "; ".join(f"x{n} = rot90(I)" for n in range(100_000))
    reason = str(refusal(f"def s(I):\n    {statements}\n    return x0\n"))
    assert "s: it has 100,000 lines; a program may have 20,000" in reason
    assert texts == []


def test_a_program_that_is_too_long_costs_no_other() -> None:
    programs = ab.parse_programs(chain(30_000) + "def t(I): return rot90(I)\n", on_refused="ignore")
    assert [program.name for program in programs] == ["t"]
    assert [(error.program, error.line) for error in programs.refused] == [("s", 1)]


def test_comments_and_empty_lines_do_not_count_for_the_length_of_a_program() -> None:
    assert parse_one(chain(3) + "\n    # nothing\n" * 30_000).name == "s"


@pytest.mark.slow
def test_a_long_chain_of_lines_is_read_and_written() -> None:
    program = parse_one(chain(20_000))
    assert len(program.nodes) == 20_001
    assert parse_one(program.source()).hash == program.hash


def test_source_of_a_program_reads_back_as_the_same_program() -> None:
    text = (
        "def solve_x(S, I, C):\n"
        "    x1 = mir_rot_t(I, A2)\n"
        "    x2 = rbind(get_nth_t, F0)\n"
        "    x3 = c_zo_n(S, p_g, x2)\n"
        "    x4 = o_g(I, R5)\n"
        "    x5 = get_nth_f(x4, L1)\n"
        "    O = fill(x1, x3, x5)\n"
        "    return O\n"
    )
    program = parse_one(text)
    assert program.source() == text
    assert parse_one(program.source()).hash == program.hash


@pytest.mark.parametrize("returned", ["I", "TWO", "rot90", "(3, 4)", "-7"])
def test_a_program_may_return_what_is_no_op(returned: str) -> None:
    program = parse_one(f"def s(I): return {returned}")
    assert parse_one(program.source()).hash == program.hash


def test_task_id_is_the_hexadecimal_part_of_the_name() -> None:
    names = {
        "solve_00d62c1b": "00d62c1b",
        "solve_00d62c1b_v2": "00d62c1b",
        "solve_x": None,
        "solve_00d62c1b00": None,
    }
    assert {name: parse_one(f"def {name}(I): return I").task_id for name in names} == names


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    binary = tmp_path / "binary.py"
    binary.write_bytes(b"def s(I):\n    return \xff\n")
    for path, words in (
        (tmp_path / "none.py", "cannot be read"),
        (binary, "UTF-8"),
    ):
        with pytest.raises(ProgramError, match=words):
            ab.load_programs(path)


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "marked.py"
    file.write_text("def s(I): return I", encoding="utf-8-sig")
    assert len(ab.load_programs(file)) == 1


def test_nothing_of_a_file_is_executed(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    file = tmp_path / "bad.py"
    file.write_text(
        f"import {trace.name}\n__import__('os').system('touch {trace}')\n"
        f"def s(I, x=__import__('os').system('touch {trace}')): return I\n"
        f"@__import__('os').system('touch {trace}')\ndef t(I): return I\n"
        "def good(I): return I\n"
    )
    programs = ab.load_programs(file, on_refused="ignore")
    assert [program.name for program in programs] == ["good"]
    assert len(programs.refused) == 3
    assert not trace.exists()
