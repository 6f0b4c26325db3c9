"""The statements of programs: lines, names and texts of a person's file, found again for a trace."""

import copy
import pickle
from dataclasses import replace
from time import process_time

import pytest

from arcbatt.library import load_library
from arcbatt.program import statements
from arcbatt.program.graph import Node, Program
from arcbatt.program.parse import MOST_LINES_AT_ONCE, parse_programs
from arcbatt.program.statements import Statement, lines_written, statements_of
from arcbatt.testing.random_programs import random_program

TEXT = """import everything

def framed(grid, color):
    '''A helper.'''
    edge = box(asindices(grid))
    return fill(grid, color, edge)

def solve_a(I):
    x1 = framed(I, ONE); x2 = rot90(
        framed(x1, TWO))
    return hconcat(x2, rot180(x1))

def solve_b(I): return I
"""


def listed(program: Program) -> list[tuple[int, str, str]]:
    return [(each.line, each.name, each.text) for each in statements_of(program).statements]


def test_statements_are_those_of_the_file():
    program = parse_programs(TEXT, "mine.py")[0]
    assert statements_of(program).file == "mine.py"
    own = [each for each in statements_of(program).statements if not each.calls]
    assert [(each.line, each.name, each.text) for each in own] == [
        (9, "x1", "x1 = framed(I, ONE)"),
        (9, "x2", "x2 = rot90(\n        framed(x1, TWO))"),
        (11, "return", "return hconcat(x2, rot180(x1))"),
    ]


def test_statements_of_a_called_function_come_before_the_call_with_its_arguments():
    program = parse_programs(TEXT, "mine.py")[0]
    found = statements_of(program).statements
    assert [(each.line, each.function, each.calls) for each in found[:3]] == [
        (5, "framed", (9,)),
        (6, "framed", (9,)),
        (9, "", ()),
    ]
    assert repr(found[1].node) == "fill(I, 1, box(asindices(I)))"
    assert [each.calls for each in found[3:5]] == [(10,), (10,)]
    assert found[1].node is found[2].node


def test_parts_are_the_calls_of_a_statement_innermost_first():
    last = statements_of(parse_programs(TEXT)[0]).statements[-1]
    assert [part.text for part in last.parts] == ["rot180(x1)", "hconcat(x2, rot180(x1))"]
    assert last.parts[-1].node is last.node


def test_the_last_statement_is_the_result_of_every_program_of_the_library():
    for program in load_library("all")[::7]:
        found = statements_of(program)
        assert found.file
        assert found.statements[-1].name == "return"
        assert found.statements[-1].line > program.origin.line


def test_program_of_a_large_file_is_found_without_reading_the_others(monkeypatch: pytest.MonkeyPatch):
    lines = "".join(f"def solve_{n}(I):\n    y = rot90(I)\n    return turned(y)\n" for n in range(2_000))
    text = f"{lines}def turned(grid):\n    return rot90(grid)\n"
    assert text.count("\n") > MOST_LINES_AT_ONCE
    programs = parse_programs(text, "large.py")
    texts = []
    real = statements.parsed
    monkeypatch.setattr(statements, "parsed", lambda text, *rest: texts.append(text) or real(text, *rest))
    assert listed(programs[1000]) == [
        (3002, "y", "y = rot90(I)"),
        (6002, "return", "return rot90(grid)"),
        (3003, "return", "return turned(y)"),
    ]
    assert len(texts) == 2


def test_separators_that_are_no_line_breaks_for_python_are_none_for_line_numbers():
    text = "\x0c\n# \u2028 and \x1c\ndef solve_x(I):\n    return rot90(I)\ndef broken(:\n"
    (program,) = parse_programs(text, on_refused="ignore")
    assert listed(program) == [(4, "return", "return rot90(I)")]


def test_text_with_letters_of_several_bytes_is_cut_at_the_right_place():
    (program,) = parse_programs("def solve_x(I): größe = rot90(I); return größe")
    assert [each[2] for each in listed(program)] == ["größe = rot90(I)", "return größe"]


def test_odd_line_of_a_bred_solver_is_a_statement():
    (program,) = parse_programs("def solve(S, I, C):\n    y: int = rot90(I)\n    return y")
    assert listed(program) == [(2, "y", "y: int = rot90(I)"), (3, "return", "return y")]


def test_statements_of_a_solver_do_not_see_the_answer():
    (solver,) = parse_programs("def solve_x(S, I, C): return hconcat(I, C)")
    (differ,) = parse_programs("def differ_x(S, I, C): return astuple(I, C)")
    assert "C" not in statements_of(solver).statements[-1].node.needs
    assert "C" in statements_of(differ).statements[-1].node.needs


BATT = """
def batt(task_id, S, I, C, log_path):
    s = []
    o = []
    t1 = rot90(I)
    t2 = hmirror(I)
    t3 = vmirror(t1)
    o.append((2, False, 'aaaaaaaa', t2))
    o.append((3, False, 'bbbbbbbb', t3))
    return o, s
"""


def test_program_of_a_batt_has_the_lines_that_its_output_needs():
    program = parse_programs(BATT, "batt.py")[1]
    assert listed(program) == [
        (5, "t1", "t1 = rot90(I)"),
        (7, "t3", "t3 = vmirror(t1)"),
        (9, "return", "o.append((3, False, 'bbbbbbbb', t3))"),
    ]


def test_program_without_a_file_has_the_lines_of_its_source():
    for seed in range(40):
        program = random_program(seed, well_typed=False)
        found = statements_of(program)
        lines = program.source().splitlines()
        assert found.file == ""
        assert [lines[each.line - 1].strip() for each in found.statements] == [
            each.text for each in found.statements
        ]


def test_program_that_has_changed_since_it_was_read_has_the_lines_of_its_source():
    (program,) = parse_programs("def solve_x(I):\n    return rot90(I)", "x.py")
    changed = replace(program, root=Node.op("hmirror", program.root))
    assert changed.origin is not None
    assert [each[2] for each in listed(changed)] == ["x1 = rot90(I)", "O = hmirror(x1)", "return O"]


def test_calls_that_unfold_without_end_are_left_out():
    text = "def f0(a): return rot90(a)\n"
    for n in range(1, 14):
        text += f"def f{n}(a):\n    b = f{n - 1}(a)\n    return f{n - 1}(b)\n"
    found = statements_of(parse_programs(f"{text}def solve_x(I): return f13(I)")[0])
    assert len(found.statements) <= statements.MOST_UNFOLDED + 1
    assert found.left_out > 0
    assert found.statements[-1] == Statement(
        text.count("\n") + 1, "return", "return f13(I)", found.statements[-1].node, found.statements[-1].parts
    )


def test_origin_is_shared_by_the_programs_of_a_file_and_left_out_of_pickles():
    one, other = parse_programs(TEXT * 1 + "#" * 100_000, "mine.py")
    assert one.origin.text is other.origin.text
    assert len(pickle.dumps([one, other])) < 2_000
    for again in (pickle.loads(pickle.dumps(one)), copy.copy(one)):
        assert again == one
        assert hash(again) == hash(one)
        assert again.origin is None
        assert again.altered(name="solve_c").origin is None


def test_the_lines_of_many_programs_of_a_file_are_counted_in_linear_time() -> None:
    def seconds(count: int) -> float:
        text = "\n".join(
            f"def solve_{number}(I):\n    x1 = hmirror(I)\n    x2 = trim(I)\n    return rot90(x1)"
            for number in range(count)
        )
        programs = parse_programs(text)
        started = process_time()
        assert {lines_written(program) for program in programs} == {3}
        return process_time() - started

    seconds(10)
    assert seconds(600) < 24 * min(seconds(60), seconds(60))  # clock: growth of processor time
