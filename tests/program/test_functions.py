"""Functions of a solver file that others call: they become part of the programs that call them."""

import pytest

import arcbatt as ab
from arcbatt.errors import ProgramError
from arcbatt.program.graph import Node, Program

I = Node.input("I")


def parse(text: str) -> dict[str, Program]:
    return {program.name: program for program in ab.parse_programs(text, strict=True)}


def refusals(text: str) -> list[str]:
    programs = ab.parse_programs(text + "\ndef solve_sound(I): return I\n", on_refused="ignore")
    return [error.reason for error in programs.refused]


def test_a_call_of_a_function_is_what_it_gives_on_the_arguments() -> None:
    found = parse(
        "def beside(left, right):\n    row = hconcat(left, right)\n    return rot90(row)\n"
        "def solve_x(I):\n    turned = rot180(I)\n    return beside(turned, I)\n"
    )
    assert list(found) == ["solve_x"]
    assert found["solve_x"].root is Node.op("rot90", Node.op("hconcat", Node.op("rot180", I), I))


def test_the_same_program_has_the_same_hash_however_it_is_written() -> None:
    found = parse(
        "def mirrored(grid): return vmirror(grid)\ndef solve_a(I): return mirrored(I)\n"
        "def solve_b(I): return vmirror(I)"
    )
    assert found["solve_a"].hash == found["solve_b"].hash


@pytest.mark.parametrize(
    ("called", "given"),
    [
        ("f(I, ONE)", "fill(I, ONE, ofcolor(I, ONE))"),
        ("f(grid=I, color=ONE)", "fill(I, ONE, ofcolor(I, ONE))"),
        (
            "f(I, color=f(I, TWO))",
            "fill(I, fill(I, TWO, ofcolor(I, TWO)), ofcolor(I, fill(I, TWO, ofcolor(I, TWO))))",
        ),
        ("g(I)", "fill(rot90(I), THREE, ofcolor(rot90(I), THREE))"),
        ("h(I)", "compose(rot90, hmirror)(I)"),
        ("made()(I)", "compose(rot90, hmirror)(I)"),
        ("shadow(I, rot90)", "x"),
    ],
)
def test_arguments_are_bound_as_in_python(called: str, given: str) -> None:
    functions = (
        "def g(I): return f(rot90(I), THREE)\n"
        "def f(grid, color): return fill(grid, color, ofcolor(grid, color))\n"
        "def h(C):\n    turn = made()\n    return turn(C)\n"
        "def made(): return compose(rot90, hmirror)\n"
        "def shadow(size, height): return height(size)\n"
    )
    found = parse(f"{functions}def solve_x(I): return {called}\n")["solve_x"]
    expected = "x = rot90\n    return x(I)" if given == "x" else f"return {given}"
    assert found.root is parse(f"def solve_x(I):\n    {expected}\n")["solve_x"].root


def test_a_function_may_be_used_before_it_is_defined_and_call_others() -> None:
    lines = [f"def h{k}(x): return h{k + 1}(rot90(x))" for k in range(300)]
    found = parse("\n".join(["def solve_x(I): return h0(I)", *lines, "def h300(x): return hmirror(x)"]))
    assert len(found["solve_x"].nodes) == 302


def test_a_program_may_call_another() -> None:
    found = parse("def solve_a(I): return turned(I)\ndef turned(I): return rot90(I)\n")
    assert list(found) == ["solve_a", "turned"]
    assert found["solve_a"].hash == found["turned"].hash


def test_equal_calls_are_one_expression_however_many_they_are() -> None:
    lines = [f"def h{k + 1}(x): return hconcat(h{k}(x), h{k}(x))" for k in range(60)]
    found = parse("\n".join(["def h0(x): return rot90(x)", *lines, "def solve_x(I): return h60(I)"]))
    assert len(found["solve_x"].nodes) == 62


@pytest.mark.slow
def test_functions_that_double_without_end_are_refused_soon() -> None:
    lines = [f"def h{k + 1}(x): return hconcat(h{k}(hmirror(x)), h{k}(rot90(x)))" for k in range(60)]
    text = "\n".join(["def h0(x): return rot90(x)", *lines, "def solve_x(I): return h60(I)"])
    first, *others = refusals(text)
    assert "more than 100,000 ops" in first
    assert all("is called, and it is refused" in reason for reason in others)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def f(x): return f(x)", "f: it calls itself; a function must not call itself, even indirectly"),
        ("def f(x): return g(x)\ndef g(x): return f(x)", "which calls it in turn"),
        ("def f(x): return rot(x)", "there is no op or variable 'rot'"),
        (
            "def f(x): return rot90(x)\ndef solve_a(I): return apply(f, I)",
            "call it, but do not pass it as a value",
        ),
        ("def f(x): return rot90(x)\ndef solve_a(I): return f(I, I)", "'f' takes 1 argument, not 2: x"),
        ("def f(x): return rot90(x)\ndef solve_a(I): return f()", "'f' takes 1 argument, not 0: x"),
        ("def f(x): return rot90(x)\ndef solve_a(I): return f(y=I)", "'f' has no parameter 'y'"),
        ("def f(x): return rot90(x)\ndef solve_a(I): return f(I, x=I)", "'f' gets its parameter 'x' twice"),
        ("def f(x): return rot90(x)\ndef f(x): return x\ndef solve_a(I): return f(I)", "called and defined"),
        ("def f(x, y=ONE): return rot90(x)", "no decorators, defaults"),
        ("def f(x):\n    for y in x: pass\n    return x", "expected a line `name = op(...)`, got a loop"),
        ("def rot90(x): return x", "'rot90' is a name of the language; give the function another one"),
        ("def rot90(I): return I\ndef solve_a(I): return rot90(I)", "'rot90' is a name of the language and"),
        ("def solve_a(I): return apply(rot90, I)\ndef rot90(I): return I", "give the function another name"),
        ("def f(ONE): return (ONE, TWO)", "'ONE' stands in a literal"),
        ("def f(x): return I", "'I' is used but not a parameter"),
        ("def solve_a(grid): return grid", "parameters are (grid); they must be (I) or (S, I, C)"),
        ("def f(x, x): return x", "each has its own name"),
    ],
)
def test_what_cannot_be_put_in_place_is_refused_in_a_sentence(text: str, words: str) -> None:
    assert any(words in reason for reason in refusals(text)), refusals(text)


def test_a_refused_function_costs_those_that_call_it_and_no_other() -> None:
    programs = ab.parse_programs(
        "def bad(x):\n    while x: pass\n    return x\n"
        "def solve_a(I): return bad(I)\ndef solve_b(I): return good(I)\ndef good(x): return rot90(x)",
        on_refused="ignore",
    )
    assert [program.name for program in programs] == ["solve_b"]
    assert [(error.line, error.reason.partition(":")[0]) for error in programs.refused] == [
        (2, "bad"),
        (4, "solve_a"),
    ]
    assert "'bad' is called, and it is refused in line 2" in programs.refused[1].reason


def test_a_function_that_nobody_calls_is_no_program() -> None:
    assert list(parse("def spare(x): return rot90(x)\ndef solve_x(I): return I")) == ["solve_x"]
    with pytest.raises(ProgramError, match=r"they must be \(I\) or \(S, I, C\)"):
        ab.parse_programs("def spare(x): return rot90(x)")


def test_places_are_right_in_a_file_that_is_read_in_pieces() -> None:
    programs = [f"def solve_{k}(I):\n    return rot90(I)\n\n" for k in range(2_000)]
    odd = "def solve_odd(I):\n    return rot(I)\n\ndef solve_late(I):\n    return f(I, I)\n\nx = 1\n"
    found = ab.parse_programs("".join(programs) + odd + "def f(x):\n    return x\n", on_refused="ignore")
    assert len(found) == 2_000
    assert [error.line for error in found.refused] == [6_002, 6_005, 6_007]


@pytest.mark.slow
def test_a_file_of_very_many_programs_is_read() -> None:
    comments = "# a line that says nothing\n" * 100
    text = "".join(f"def solve_{k}(I):\n    return canvas({k}, I)\n{comments}" for k in range(2_000))
    assert text.count("\n") > 200_000
    assert len(ab.parse_programs(text, on_refused="ignore")) == 2_000


def test_the_name_of_a_mutant_reads_back() -> None:
    (program,) = ab.parse_programs("def solve_67a3c6ac(I): return rot90(I)")
    name = f"solve_67a3c6ac~{program.hash[:6]}"
    text = f"def solve_67a3c6ac_{program.hash[:6]}(I): return rot90(I)\ndef solve_a_123abc(I): return I"
    assert list(parse(text)) == [name, "solve_a_123abc"]


def test_a_function_value_that_is_called_twice_reads_back() -> None:
    call = Node.call(Node.function("rot90"), I)
    again = Node.call(Node.function("rot90"), call)
    program = Program("solve_x", "solver", ("I",), again)
    assert ab.parse_programs(program.source(), strict=True) == [program]


BRED = """
def solve(S, I, C):
    t1 = mir_rot_t(I, R5)
    t1 = mir_rot_t(I, R2)
    pass
    t2 = EIGHT(I)
    t3: Grid = vmirror(t1)
    t4, t5 = t1, t3
    t6 = last_t(I, ONE)
    t7 = t6(t2)
    return {result}
"""


def test_an_odd_line_of_a_bred_solver_costs_what_depends_on_it() -> None:
    found = {
        result: ab.parse_programs(BRED.format(result=result), "kept.py")
        for result in ("t1", "t3", "t4", "t6", "t7")
    }
    assert str(found["t1"][0].root) == "mir_rot_t(I, 2)"
    assert str(found["t3"][0].root) == "vmirror(mir_rot_t(I, 2))"
    task = ab.load_tasks("67a3c6ac")
    for result, programs in found.items():
        assert [str(warning)[:10] for warning in programs.warnings] == ["kept.py:4:", "kept.py:5:"]
        outcome = ab.run(programs, task, pairs="all")[programs[0], "67a3c6ac"]
        assert outcome.solved == (result == "t1")
        assert outcome.failures == ({"TYPE": 4} if result in ("t4", "t6", "t7") else {})


@pytest.mark.parametrize(
    ("text", "strict"),
    [
        (BRED.format(result="t1"), True),
        (BRED.format(result="t1").replace("def solve(", "def solve_67a3c6ac("), False),
        ("def solve(S, I, C):\n    for x in I: pass\n    return I\n", False),
        ("def solve(S, I, C):\n    t1 = apply(lambda x: x, I)\n    return I\n", False),
        ("def solve(S, I, C):\n    t1 = rot90(I)\n", False),
    ],
)
def test_odd_solvers_are_refused_where_nobody_bred_them_and_where_they_are_no_straight_lines(
    text: str, strict: bool
) -> None:
    with pytest.raises(ProgramError):
        ab.parse_programs(text, strict=strict)
