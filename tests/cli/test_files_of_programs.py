"""`convert` and `simplify`: files of users in every form, proved to stay what they are."""

import json
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.commands import simplify as simplify_command
from arcbatt.program.forms.conversion import FORMS
from support.commands import Command, Write

TURNS = """
def solve_00d62c1b(I):
    x1 = hmirror(I)
    x2 = hmirror(x1)
    x3 = vmirror(I)
    x4 = rot90(x2)
    x5 = rot90(x2)
    O = hconcat(x4, x5)
    return O
"""
NOT_EQUAL = """
def solve_x(I):
    return rot90(rot270(trim(trim(I))))
"""
WRONG = """
def solve_y(I):
    for x in I:
        return x
"""


def _roots(path: Path) -> list[str]:
    return [program.hash for program in ab.load_programs(path, strict=True)]


@pytest.mark.parametrize("form", FORMS)
def test_a_file_of_every_form_becomes_a_file_of_functions_again(
    form: str, cli: Command, solvers: Path, tmp_path: Path
) -> None:
    other, back = tmp_path / "other.txt", tmp_path / "back.py"
    answer = cli("convert", solvers, "--to", form, "-o", other)
    assert (answer.code, answer.out) == (0, f"{other}: 4 programs as {form}\n")
    assert cli("convert", other, "--to", "solvers", "-o", back).code == 0
    assert _roots(back) == _roots(solvers)


def test_standard_output_is_the_default_and_holds_the_file_alone(cli: Command, solvers: Path) -> None:
    answer = cli("convert", solvers, "--to", "one-liners")
    assert answer.out.count("\n") == 4
    assert answer.err == "-: 4 programs as one-liners\n"
    assert answer.out.splitlines()[3] == "def turn(S, I, C): return rot90(I)"


def test_a_folder_of_kept_solvers_becomes_one_file(cli: Command, write: Write, tmp_path: Path) -> None:
    for name, text in (
        ("solve_00d62c1b", "def solve(S, I, C):\n    return rot90(I)\n"),
        ("solve_007bbfb7", "hconcat(I, I)\n"),
    ):
        (tmp_path / "kept" / name / "5" / "9").mkdir(parents=True)
        (tmp_path / "kept" / name / "5" / "9" / f"{'ab' * 16}.def").write_text(text)
    out = tmp_path / "all.def"
    assert cli("convert", tmp_path / "kept", "--to", "one-liners", "-o", out).code == 0
    texts = [line.partition(": ")[2] for line in out.read_text().splitlines()]
    assert sorted(texts) == ["return hconcat(I, I)", "return rot90(I)"]
    assert {program.task_id for program in ab.load_programs(out)} == {"00d62c1b", "007bbfb7"}


def test_refused_programs_are_named_and_the_others_written(
    cli: Command, write: Write, tmp_path: Path
) -> None:
    file, out = write("mine.py", TURNS + WRONG), tmp_path / "out.def"
    answer = cli("convert", file, "--to", "one-liners", "-o", out)
    assert answer.code == 1
    assert "the last line must be" in answer.err
    assert len(_roots(out)) == 1
    deep = "".join(f"    y{k} = vconcat(y{k - 1}, y{k - 1})\n" for k in range(1, 30))
    file = write("deep.py", f"{TURNS}\ndef solve_y(I):\n    y0 = rot90(I)\n{deep}    return y29\n")
    answer = cli("convert", file, "--to", "one-liners", "-o", out)
    assert answer.code == 1
    assert len(_roots(out)) == 1
    assert answer.err == (
        "arcbatt: left out: solve_y: expected at most 50,000 ops, got 1,073,741,823, since lines are used "
        "several times, for one expression; write it with --to solvers\n"
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nosuch.py", "--to", "pile"], "nosuch.py: cannot be read: No such file or directory"),
        (["{}", "--to", "pil"], "--to: expected one of solvers, one-liners, pile, guarded"),
        (["{}", "--to", "pile", "-o", "{}"], "is read here and would be overwritten"),
        (["{}"], "Missing option '--to'"),
    ],
)
def test_what_cannot_be_converted_is_one_sentence(
    words: list[str], sentence: str, cli: Command, solvers: Path
) -> None:
    before = solvers.read_text()
    answer = cli("convert", *(word.format(solvers) for word in words))
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert sentence in answer.err
    assert solvers.read_text() == before


def test_simplified_programs_are_proved_and_the_lines_that_went_are_counted(
    cli: Command, write: Write, tmp_path: Path
) -> None:
    file, out = write("mine.py", TURNS), tmp_path / "out.py"
    answer = cli("simplify", file, "-o", out)
    assert answer.code == 0
    assert answer.err == ""
    assert answer.out == (
        "solve_00d62c1b: 6 lines, 2 now\n"
        f"{out}: 1 program; 4 lines of 6 went; 1 changed program proved on 400 tasks, 1,718 samples\n"
    )
    (program,) = ab.load_programs(out)
    assert repr(program.root) == "hconcat(rot90(I), rot90(I))"
    for task in ab.load_tasks("arc1/training")[:5]:
        (before,) = ab.load_programs(file)
        assert [program(sample.input) for sample in task.demo] == [
            before(sample.input) for sample in task.demo
        ]


def test_a_program_that_would_do_something_else_is_kept_and_named(
    cli: Command, write: Write, tmp_path: Path
) -> None:
    file, out = write("mine.py", TURNS + NOT_EQUAL), tmp_path / "out.py"
    answer = cli("simplify", file, "-o", out, "--tasks", "00d62c1b,017c7c7b")
    assert answer.code == 0
    kept = "solve_x: kept as it was: simplified, on 017c7c7b demo 1 it gives another value\n"
    assert kept in answer.out
    assert answer.out.endswith("; 1 program kept as before\n")
    assert _roots(out)[1] == _roots(file)[1]
    assert _roots(out)[0] != _roots(file)[0]
    one_task = cli("simplify", file, "-o", out, "--tasks", "00d62c1b")
    assert "kept" not in one_task.out
    assert "2 changed programs proved on 1 task, 6 samples" in one_task.out
    assert _roots(out)[1] != _roots(file)[1]


@pytest.mark.parametrize("style", FORMS)
def test_simplify_keeps_the_form_of_the_file(style: str, cli: Command, write: Write, tmp_path: Path) -> None:
    suffix = "def" if style == "one-liners" else "py"
    file, out = tmp_path / f"given.{suffix}", tmp_path / f"out.{suffix}"
    assert cli("convert", write("mine.py", TURNS + NOT_EQUAL), "--to", style, "-o", file).code == 0
    answer = cli("simplify", file, "-o", out, "--tasks", "017c7c7b,00d62c1b")
    assert answer.code == 0
    assert "1 changed program proved" in answer.out
    assert "solve_x: kept" in answer.out
    again = tmp_path / f"again.{suffix}"
    assert cli("convert", out, "--to", style, "-o", again).code == 0
    assert again.read_text() == out.read_text()
    assert {repr(program.root) for program in ab.load_programs(out)} == {
        "hconcat(rot90(I), rot90(I))",
        "rot90(rot270(trim(trim(I))))",
    }


def test_a_differ_is_proved_on_inputs_and_on_expected_outputs(
    cli: Command, write: Write, tmp_path: Path
) -> None:
    text = "def differ_x(S, I, C):\n    x1 = vmirror(vmirror(I))\n    return astuple(equality(x1, C), x1)\n"
    out = tmp_path / "out.py"
    answer = cli("simplify", write("mine.py", text), "-o", out, "--tasks", "00d62c1b")
    assert "differ_x: 4 lines, 2 now" in answer.out
    assert "1 changed program proved" in answer.out


def test_programs_with_ops_of_the_users_own_stay_as_they_are(
    process: Command, write: Write, tmp_path: Path
) -> None:
    ops = "import arcbatt as ab\n\n@ab.register_op\ndef same(grid: 'Grid') -> 'Grid':\n    return grid\n"
    text = "def solve_x(I): return vmirror(vmirror(same(I)))\ndef solve_y(I): return vmirror(vmirror(I))\n"
    own, file, out = write("own.py", ops), write("mine.py", text), tmp_path / "out.py"
    answer = process("--ops", own, "simplify", file, "-o", out, "--tasks", "00d62c1b")
    assert answer.code == 0, answer.err
    assert "solve_x: kept as it was, since it uses ops of your own\n" in answer.out
    assert "O = vmirror(x2)" in out.read_text()
    assert "def solve_y(I):\n    return I" in out.read_text()


def test_the_tasks_of_programs_are_among_those_they_are_proved_on(
    cli: Command, write: Write, tmp_path: Path
) -> None:
    text = TURNS.replace("00d62c1b", "00576224")  # of the evaluation tasks
    answer = cli("simplify", write("mine.py", text), "-o", tmp_path / "out.py")
    assert "proved on 401 tasks" in answer.out


def test_an_interrupted_proof_leaves_the_file_as_it_was(
    cli: Command, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    file, out = write("mine.py", TURNS), write("out.py", "# before\n")
    monkeypatch.setattr(simplify_command, "first_differences", interrupted)
    answer = cli("simplify", file, "-o", out)
    assert (answer.code, answer.out, answer.err) == (130, "", "arcbatt: interrupted\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.py", "out.py"]
    assert out.read_text() == "# before\n"


def test_json_is_no_form(cli: Command, write: Write) -> None:
    file = write("lines.json", json.dumps({"program": "x"}))
    answer = cli("convert", file, "--to", "solvers")
    assert (answer.code, answer.err.count("\n")) == (2, 1)
