"""`arcbatt trace`: a person sees at once where a program goes wrong, in the terminal and on a page."""

import html
import re
import shlex
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.view.grids import MOST, PALETTE
from arcbatt.view.terminal.trace_report import TraceReport
from support.commands import Answer, Command, Write

TASK = '{"train": [{"input": [[1, 2], [3, 4]], "output": [[2, 1], [4, 3]]}], "test": [{"input": [[5, 6]]}]}'
ROWS = """# a comment
def solve_x(I):
    turned = rot90(I)
    measure = fork(add, height, first)
    return apply(measure, turned)
"""


@pytest.fixture
def task(write: Write) -> Path:
    return write("0123abcd.json", TASK)


@pytest.fixture
def rows(write: Write) -> Path:
    return write("rows.py", ROWS)


def shown(cli: Command, task: Path, write: Write, body: str, *options: object) -> list[str]:
    program = write("one.py", f"def solve_x(I):\n    {body}\n")
    answer = cli("trace", program, task, *options)
    assert answer.code == 0, answer.err
    return answer.out.splitlines()


def sentence(answer: Answer) -> str:
    assert answer.code == 2
    assert answer.out == ""
    assert len(answer.err.splitlines()) == 1
    return answer.err


def test_a_failure_is_traced_to_the_application_in_one_command(cli: Command, rows: Path, task: Path) -> None:
    answer = cli("trace", rows, task)
    assert answer.code == 0
    assert answer.out.splitlines() == [
        "solve_x on 0123abcd, demo 1: it fails with TYPE in line 5",
        f"lines of {rows}",
        "",
        "  I: input 2 x 2    expected 2 x 2",
        "  1 2               2 1",
        "  3 4            -> 4 3",
        "",
        "3  turned = rot90(I)",
        "   a Grid of 2 x 2",
        "   3 1",
        "   4 2",
        "",
        "4  measure = fork(add, height, first)",
        "   fork(add, height, first), a Function of 1 argument",
        "",
        "5  return apply(measure, turned)",
        "   fails with TYPE in apply -> fork -> height at element 1 of 2; see below",
        "",
        "TYPE in line 5: return apply(measure, turned)",
        "  apply(fork(add, height, first), a Grid of 2 x 2)",
        "    fork(add, height, first)((3, 1)), for element 1 of 2",
        "      height((3, 1))",
        "        its argument 'piece' is the row (3, 1), a pair of Integers; height takes a Grid or a Patch,",
        "        which is Indices or an Object; size gives the number of elements of a row",
    ]
    words = shlex.split(answer.err.partition(" shows each application")[0])
    assert words[-4:] == ["--sample", "demo 1", "--into", "5"]
    inside = cli(*words[1:])
    assert inside.code == 0
    assert "     element 1 of 2: fork(add, height, first)((3, 1)) fails with TYPE\n" in inside.out


def test_a_wrong_output_has_its_differing_cells_marked(cli: Command, task: Path, write: Write) -> None:
    lines = shown(cli, task, write, "return fill(vmirror(I), NINE, initset(DOWN))")
    assert lines[0] == "solve_x on 0123abcd, demo 1: it is wrong"
    assert lines[-3:] == [
        "  expected 2 x 2    output: 1 cell of 4 wrong",
        "  2 1               2 1",
        "  4 3               9*3",
    ]


def test_an_output_that_is_no_grid_is_told(cli: Command, task: Path, write: Write) -> None:
    assert shown(cli, task, write, "return height(I)")[-1] == "the output is not a grid: the Integer 2"


def test_an_exact_program_is_traced_on_the_first_sample(cli: Command, task: Path, write: Write) -> None:
    lines = shown(cli, task, write, "return vmirror(I)")
    assert lines[0] == "solve_x on 0123abcd, demo 1: it is exact"
    assert lines[-1] == "   4 3"


def test_objects_and_locations_stand_where_they_are(cli: Command, task: Path, write: Write) -> None:
    lines = shown(cli, task, write, "x = ofcolor(I, FOUR); y = objects(I, T, F, F); return toobject(x, I)")
    assert lines[lines.index("   Indices of 1 location") + 1 :][:2] == ["   . .", "   . #"]
    assert "   a Set of 4 Objects" in lines
    assert lines[lines.index("   an Object of 1 Cell") + 1 :][:2] == ["   . .", "   . 4"]


@pytest.mark.parametrize(
    ("sample", "name"), [("1", "demo 1"), ("2", "test 1"), ("test1", "test 1"), ("demo 1", "demo 1")]
)
def test_a_sample_is_chosen(cli: Command, task: Path, rows: Path, sample: str, name: str) -> None:
    assert cli("trace", rows, task, "--sample", sample).out.startswith(f"solve_x on 0123abcd, {name}: ")


def test_what_is_inside_a_line(cli: Command, task: Path, write: Write) -> None:
    lines = shown(cli, task, write, "return apply(compose(double, first), rot90(I))", "--into", 2)
    assert lines[3:] == [
        "2  return apply(compose(double, first), rot90(I))",
        "",
        "   compose(double, first)",
        "     compose(double, first), a Function of 1 argument",
        "",
        "   rot90(I)",
        "     a Grid of 2 x 2",
        "     3 1",
        "     4 2",
        "",
        "   apply(compose(double, first), rot90(I))",
        "     (6, 8), a pair of Integers",
        "     element 1 of 2: compose(double, first)((3, 1)) = 6",
        "       first((3, 1)) = 3",
        "       double(3) = 6",
        "     element 2 of 2: compose(double, first)((4, 2)) = 8",
        "       first((4, 2)) = 4",
        "       double(4) = 8",
    ]


def test_many_applications_are_cut_with_a_sentence(cli: Command, task: Path, write: Write) -> None:
    body = "return apply(lbind(divide, NINE), interval(TEN, NEG_TWO, NEG_ONE))"
    lines = shown(cli, task, write, body, "--into", 2)
    assert lines[-4:] == [
        "       divide(9, 3) = 3",
        "     2 applications left out here",
        "     element 11 of 12: lbind(divide, 9)(0) fails with ZERO",
        "       divide(9, 0) fails with ZERO",
    ]


def test_a_deep_tree_is_cut_with_a_sentence(cli: Command, task: Path, write: Write) -> None:
    page = task.with_suffix(".html")
    body = "f = fork(rapply, initset, identity); return f(f)"
    lines = shown(cli, task, write, body, "--into", 2, "--html", page)
    assert lines[-1].strip() == "the applications inside are left out"
    assert len(lines) < 60
    assert "<li>the applications inside are left out</li>" in page.read_text()


def test_large_values_are_cut_with_a_sentence(cli: Command, task: Path, write: Write) -> None:
    lines = shown(cli, task, write, "x = upscale(I, HUNDRED); y = interval(ZERO, THOUSAND, ONE); return I")
    assert f"   only the first {MOST} rows and columns are shown" in lines
    assert any(line.endswith("only the beginning is shown") for line in lines)
    assert len(lines) < 3 * MOST


def test_a_narrow_terminal_gets_folded_sentences(rows: Path, task: Path) -> None:
    found = ab.trace(ab.load_programs(rows)[0], ab.load_tasks(task)[0])
    report = [line.plain for line in TraceReport(found, 40, None).lines()]
    assert max(map(len, report)) <= 40
    assert len(report) > len(list(TraceReport(found, 120, None).lines()))


def test_a_terminal_gets_colours(
    cli: Command, rows: Path, task: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLORTERM": "truecolor"}.items():
        monkeypatch.setenv(name, value)
    assert "48;2;0;116;217m" in cli("trace", rows, task).out
    assert "48;2" not in cli("trace", rows, task, "--no-color").out


def test_open_cells_and_locations_are_seen_in_colour_too(task: Path) -> None:
    found = ab.trace("def solve_x(I): return ofcolor(I, FOUR)", ab.load_tasks(task)[0])
    report = [line.plain for line in TraceReport(found, 80, PALETTE).lines()]
    assert "    . #" in report


def test_a_program_of_the_library_is_traced(cli: Command) -> None:
    answer = cli("trace", "solve_007bbfb7", "007bbfb7")
    assert answer.out.startswith("solve_007bbfb7 on 007bbfb7, demo 1: it is exact\nlines of ")


def test_a_page_of_html_has_it_all_and_needs_nothing(
    cli: Command, rows: Path, task: Path, tmp_path: Path
) -> None:
    page = tmp_path / "trace.html"
    assert cli("trace", rows, task, "--html", page, "--into", 5).code == 0
    text = page.read_text("utf-8")
    for words in (
        "<h1>solve_x on 0123abcd, demo 1: it fails with TYPE in line 5</h1>",
        "height takes a Grid or a Patch",
        'aria-label="line 3"',
        "Inside line 5",
        'name="viewport"',
        "color-scheme: light dark",
    ):
        assert words in text
    assert "<script" not in text
    assert not re.search(r"(src|href)=|url\(|@import", text)
    assert text.count("<svg") >= 3


def test_cells_that_are_far_apart_are_cut_on_a_page_too(cli: Command, task: Path, write: Write) -> None:
    body = "x = insert((2000000000, -2000000000), asindices(I)); return upscale(I, HUNDRED)"
    page = task.with_suffix(".html")
    lines = shown(cli, task, write, body, "--html", page)
    assert "   cells outside of this picture are not shown" in lines
    assert f"   only the first {MOST} rows and columns are shown" in lines
    assert "<p>cells outside of this picture are not shown</p>" in page.read_text()
    assert page.stat().st_size < 200_000


def test_names_and_sources_on_a_page_are_text(cli: Command, write: Write, tmp_path: Path) -> None:
    name = "<script>alert(1)<\u2028script>"
    task = ab.Task(name, demo=(ab.Sample(((1,),), ((2,),)),), test=())
    (program,) = ab.parse_programs(
        "def solve_x(I):\n    y = I  # </script><img src=x>\n    return (rot90(I)\n    # <b>\n    )",
        f"{name}.py",
    )
    shown = ab.trace(program.altered(name=f"{name}\ud800"), task)._repr_html_()
    assert shown is not None
    assert "<script" not in shown
    assert "<img" not in shown
    assert "<b>\n" not in shown
    assert html.escape("<script>alert(1)<") in shown
    shown.encode()


def test_a_notebook_shows_a_trace(rows: Path, task: Path) -> None:
    found = ab.trace(ab.load_programs(rows)[0], ab.load_tasks(task)[0])
    shown = found._repr_html_()
    assert shown is not None
    assert shown.startswith('<div class="arcbatt">')
    assert "its argument &#x27;piece&#x27; is the row (3, 1)" in shown


def test_control_characters_do_not_reach_the_terminal(cli: Command, task: Path, write: Write) -> None:
    program = write("x\x1b[2J.py", "def solve_x(I):\n    return (rot90(\n    # \x1b[31m\n    I))\n")
    answer = cli("trace", program, task)
    assert answer.code == 0
    assert "\x1b" not in answer.out + answer.err


def test_an_unknown_program_is_one_sentence(cli: Command, rows: Path, task: Path) -> None:
    assert "there is no program 'nosuch'" in sentence(cli("trace", "nosuch", task))
    assert "there is no program 'solve_y' in" in sentence(cli("trace", f"{rows}:solve_y", task))


def test_a_file_of_several_programs_needs_a_name(cli: Command, solvers: Path, task: Path) -> None:
    assert f"name one of them, such as {solvers}:solve_007bbfb7" in sentence(cli("trace", solvers, task))
    assert cli("trace", f"{solvers}:turn", task).code == 0


@pytest.mark.parametrize("sample", ["0", "3", "-1", "99999999999999999999", "demo 2", "first", ""])
def test_a_sample_that_is_not_there_is_one_sentence(
    cli: Command, rows: Path, task: Path, sample: str
) -> None:
    assert "has no sample" in sentence(cli("trace", rows, task, f"--sample={sample}"))


@pytest.mark.parametrize("line", ["0", "1", "6", "-5", "10000000000"])
def test_a_line_outside_of_the_program_is_one_sentence(
    cli: Command, rows: Path, task: Path, line: str
) -> None:
    assert "its lines are 3 to 5" in sentence(cli("trace", rows, task, f"--into={line}"))


def test_several_tasks_or_none_are_one_sentence(cli: Command, rows: Path) -> None:
    assert "holds 2 tasks; give one, such as 007bbfb7" in sentence(cli("trace", rows, "007bbfb7,00d62c1b"))
    assert "007bbfb7" in sentence(cli("trace", rows, "007bbfb8"))


def test_a_page_that_cannot_be_written_is_one_sentence(
    cli: Command, rows: Path, task: Path, tmp_path: Path
) -> None:
    assert "nosuch" in sentence(cli("trace", rows, task, "--html", tmp_path / "nosuch" / "a.html"))
    assert "would be overwritten" in sentence(cli("trace", rows, task, "--html", rows))
    assert "would be overwritten" in sentence(cli("trace", rows, task, "--html", task))
    assert rows.read_text() == ROWS


def pointed_to(answer: Answer) -> list[str]:
    """The words of the command that the last line of an answer points to."""
    *_, last = answer.err.splitlines()
    command, found, _ = last.partition(" shows line by line")
    assert found
    return shlex.split(command)[1:]


def test_run_points_to_a_trace_that_can_be_run(cli: Command, solvers: Path) -> None:
    answer = cli("run", solvers)
    assert pointed_to(answer) == ["trace", f"{solvers}:solve_00d62c1b", "00d62c1b"]
    assert cli(*pointed_to(answer)).out.startswith("solve_00d62c1b on 00d62c1b, demo 1: it is wrong")


def test_run_points_to_tasks_of_a_file_of_the_user(cli: Command, task: Path, write: Write) -> None:
    program = write("my programs.py", "def solve_0123abcd(I): return height(first(I))")
    other = write("tasks/4567abcd.json", TASK)
    write("tasks/0123abcd.json", TASK)
    for spec in (task, other.parent, f"{other.parent}:0123abcd"):
        answer = cli("run", program, "--tasks", spec)
        assert cli(*pointed_to(answer)).out.startswith(
            "solve_0123abcd on 0123abcd, demo 1: it fails with TYPE"
        )


def test_run_points_to_nothing_where_all_is_solved(cli: Command) -> None:
    answer = cli("run", "--tasks", "007bbfb7")
    assert "shows line by line" not in answer.out + answer.err


def test_json_of_a_run_has_no_pointer(cli: Command, solvers: Path) -> None:
    answer = cli("run", solvers, "--json", "-")
    assert "arcbatt trace" not in answer.out


def test_show_points_to_a_trace_that_can_be_run(cli: Command, task: Path, rows: Path, write: Write) -> None:
    answer = cli("show", task, "--program", rows)
    assert pointed_to(answer) == ["trace", str(rows), str(task)]
    assert cli(*pointed_to(answer)).code == 0
    right = write("right.py", "def solve_x(I): return vmirror(I)")
    assert cli("show", task, "--program", right).err == ""


@pytest.mark.parametrize(
    "command", [["trace", "mixed.py", "be94b721"], ["show", "be94b721", "--program", "mixed.py"]]
)
def test_the_program_of_the_task_is_not_replaced_by_another_if_it_is_refused(
    cli: Command, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write("mixed.py", "def solve_be94b721(I):\n    return rot09(I)\n\ndef turn(I):\n    return rot90(I)\n")
    answer = cli(*command)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("arcbatt: mixed.py:2:12: solve_be94b721: there is no op or variable 'rot09'")
