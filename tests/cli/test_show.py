"""`arcbatt show`: tasks drawn, and what a program gives beside what is expected."""

from pathlib import Path

import pytest

from arcbatt.library import load_library
from arcbatt.view.grids import MOST, PALETTE, SMALL_PALETTE, Panel, grid_lines, palette, side_by_side
from support.commands import Command, Write

TASK = '{"train": [{"input": [[1, 2], [3, 4]], "output": [[2, 1], [4, 3]]}], "test": [{"input": [[5, 6]]}]}'


@pytest.fixture
def task(write: Write) -> Path:
    return write("0123abcd.json", TASK)


def shown(cli: Command, task: Path, write: Write, expression: str) -> list[str]:
    program = write("one.py", f"def solve_x(I):\n    return {expression}\n")
    answer = cli("show", task, "--program", program)
    assert answer.code == 0
    return answer.out.splitlines()


def test_task_is_drawn_as_digits_where_there_is_no_terminal(cli: Command, task: Path) -> None:
    answer = cli("show", task)
    assert answer.code == 0
    assert answer.out.splitlines() == [
        "0123abcd: 1 demo, 1 test",
        "",
        "demo 1",
        "  input 2 x 2    output 2 x 2",
        "  1 2            2 1",
        "  3 4         -> 4 3",
        "",
        "test 1",
        "  input 1 x 2",
        "  5 6",
    ]


def test_exact_output_of_a_program(cli: Command, task: Path, write: Write) -> None:
    lines = shown(cli, task, write, "vmirror(I)")
    assert lines[1] == "solve_x solves it: demo 1/1, test unknown exact"
    assert lines[4] == "  input 2 x 2    output 2 x 2    solve_x: exact"
    assert lines[5] == "  1 2            2 1             2 1"
    assert lines[9] == "  input 1 x 2    solve_x: 1 x 2"
    assert lines[10] == "  5 6         -> 6 5"


def test_wrong_cells_are_marked(cli: Command, task: Path, write: Write) -> None:
    lines = shown(cli, task, write, "fill(vmirror(I), NINE, initset(DOWN))")
    assert lines[1] == "solve_x does not solve it: demo 0/1, test unknown exact"
    assert lines[4].endswith("solve_x: 1 cell of 4 wrong")
    assert lines[6].endswith("9*3")


def test_output_of_another_shape(cli: Command, task: Path, write: Write) -> None:
    lines = shown(cli, task, write, "hconcat(vmirror(I), I)")
    assert lines[4].endswith("solve_x: 2 x 4, not 2 x 2")
    assert lines[5].endswith("2 1 1*2*")


def test_failure_is_shown_with_its_kind_and_place(cli: Command, task: Path, write: Write) -> None:
    lines = shown(cli, task, write, "fill(I, divide(height(I), ZERO), asindices(I))")
    assert lines[4].endswith("solve_x: ZERO")
    assert lines[5].endswith("division by zero, or a step or factor of zero")
    assert lines[6].endswith("in divide(height(I), 0)")


def test_value_that_is_no_grid_is_written_out(cli: Command, task: Path, write: Write) -> None:
    lines = shown(cli, task, write, "palette(I)")
    assert lines[4].endswith("solve_x: no grid")
    assert lines[5].endswith("{1, 2, 3, 4}")


def test_huge_output_is_cut_off(cli: Command, task: Path, write: Write) -> None:
    lines = shown(cli, task, write, "upscale(I, HUNDRED)")
    assert any("200 x 200, not 2 x 2" in line for line in lines)
    assert any(f"only the first {MOST} rows and columns are shown" in line for line in lines)
    assert len(lines) < 3 * MOST


def test_numbers_that_are_no_colours_keep_the_columns(cli: Command, task: Path, write: Write) -> None:
    lines = shown(cli, task, write, "replace(vmirror(I), TWO, -100)")
    assert lines[5].endswith("-100*   1")
    assert lines[6].endswith("   4    3")


def test_program_of_a_file_is_chosen_by_the_task(cli: Command, solvers: Path) -> None:
    assert "solve_007bbfb7 solves it" in cli("show", "007bbfb7", "--program", solvers).out
    answer = cli("show", "0520fde7", "--program", solvers)
    assert answer.code == 2
    assert f"holds 4 programs; name one of them, such as {solvers}:solve_007bbfb7" in answer.err


def test_program_is_chosen_by_name(cli: Command, solvers: Path) -> None:
    assert "turn does not solve it" in cli("show", "007bbfb7", "--program", f"{solvers}:turn").out
    assert "there is no program 'tur' in" in cli("show", "007bbfb7", "--program", f"{solvers}:tur").err


def test_program_of_the_library_is_found(cli: Command) -> None:
    program = load_library("differs")[0]
    assert f"{program.name} does not solve it" in cli("show", "007bbfb7", "--program", program.name).out


@pytest.mark.parametrize("program", ["nosuch", "nosuch.py", ""])
def test_unknown_program_is_answered_with_one_sentence(cli: Command, program: str) -> None:
    answer = cli("show", "007bbfb7", "--program", program)
    assert answer.code == 2
    assert len(answer.err.splitlines()) == 1


def test_unknown_task_is_answered_with_the_nearest(cli: Command) -> None:
    answer = cli("show", "007bbfb8")
    assert answer.code == 2
    assert "007bbfb7" in answer.err


def test_several_tasks_are_drawn_one_after_the_other(cli: Command) -> None:
    out = cli("show", "007bbfb7,00d62c1b").out
    assert out.index("007bbfb7: 5 demo") < out.index("\n\n00d62c1b: 5 demo")


def test_terminal_gets_the_colours_of_arc(cli: Command, task: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLORTERM": "truecolor"}.items():
        monkeypatch.setenv(name, value)
    colored = cli("show", task).out
    assert "48;2;0;116;217m" in colored
    assert "1 2" not in colored
    plain = cli("show", task, "--no-color").out
    assert "48;2" not in plain
    assert "1 2" in plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert "48;2" not in cli("show", task).out


def test_narrow_terminal_gets_panels_below_each_other() -> None:
    grid = grid_lines(((1,) * 10,), None)
    panels = [Panel("in", grid, leads=True), Panel("out", grid)]
    assert len(list(side_by_side(panels, 80))) == 2
    assert [line.plain for line in side_by_side(panels, 30)] == [
        "  in",
        "  1 1 1 1 1 1 1 1 1 1",
        "",
        "  out",
        "  1 1 1 1 1 1 1 1 1 1",
    ]


def test_marked_cells_are_seen_in_colour_too() -> None:
    (line,) = grid_lines(((3, 3, 12),), PALETTE, marked=frozenset({(0, 1)}))
    assert line.plain == "    ><12 "
    assert [str(span.style) for span in line.spans][:2] == [PALETTE[3]] * 2


def test_terminal_with_few_colours_still_tells_all_ten_apart() -> None:
    assert palette(None) is None
    assert palette("truecolor") is palette("256") is PALETTE
    assert palette("standard") is SMALL_PALETTE
    for styles in (PALETTE, SMALL_PALETTE):
        assert len({style.partition(" on ")[2] for style in styles}) == 10
