"""Files that are no programs: one clear sentence, no traceback, and nothing of them is executed."""

import json
import os
import tracemalloc
from pathlib import Path

import pytest

from support.commands import Command, Write

DEEP = 10_000
LONG = 200_000  # beyond what any Python parses


def program(expression: str) -> str:
    return f"def solve_00d62c1b(I):\n    return {expression}\n"


CASES: dict[str, tuple[str | bytes, str]] = {
    "lambda": (
        program("apply(lambda x: x, I)"),
        ":2:18: solve_00d62c1b: expected an op, a constant or an earlier line, got a lambda",
    ),
    "comprehension": (
        program("[x for x in I]"),
        ":2:12: solve_00d62c1b: expected an op, a constant or an earlier line, got a comprehension",
    ),
    "attribute": (
        program("I.__class__"),
        ":2:12: solve_00d62c1b: expected an op, a constant or an earlier line, got an attribute",
    ),
    "deep call": (
        program("rot90(" * DEEP + "I" + ")" * DEEP),
        ": this is not Python: too many nested parentheses",
    ),
    "long call": (program("rot90" + "(I)" * LONG), ": an expression is nested too deeply"),
    "long attribute": (program("I" + ".x" * LONG), ": an expression is nested too deeply"),
    "million lines": (
        program("I") + "# nothing\n" * 1_000_000,
        ": the file has 1,000,003 lines; a program file",
    ),
    "binary": (bytes(range(256)), ":3:115: byte 0x80 is not UTF-8"),
    "Latin letters": (b"# \xc3\xa9\r\n# na\xefve\r\n", ":2:5: byte 0xef is not UTF-8"),
    "mark and Latin letters": (b"\xef\xbb\xbf# \xe9", ":1:3: byte 0xe9 is not UTF-8"),
    "null bytes": (b"def solve_x(I):\n    return I\0\n", ":2:13: this is not Python: there is a null byte"),
    "empty": ("", ":1:1: there is no program; one looks like `def solve_x(I):`"),
    "prose": ("Dear reader,\n", ":1:6: this is not Python"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_file_that_is_no_program_is_refused_in_one_line(cli: Command, write: Write, case: str) -> None:
    content, sentence = CASES[case]
    file = write("hostile.py", content)
    answer = cli("run", file, "--limit", 1)
    assert answer.code == 2
    assert answer.out == ""
    assert len(answer.err.splitlines()) == 1
    assert answer.err.startswith(str(file))
    assert sentence in answer.err


@pytest.mark.parametrize(
    "code",
    [
        "def solve_00d62c1b(I):\n    return __import__('os').system('touch {marker}')\n",
        "import os\nos.system('touch {marker}')\ndef solve_00d62c1b(I):\n    return I\n",
        "def solve_00d62c1b(I=open('{marker}', 'w')):\n    return I\n",
        "@print\ndef solve_00d62c1b(I):\n    return open('{marker}', 'w')\n",
        "class A:\n    open('{marker}', 'w')\n",
    ],
)
def test_nothing_of_a_file_is_executed(process: Command, write: Write, tmp_path: Path, code: str) -> None:
    marker = tmp_path / "marker"
    file = write("evil.py", code.replace("{marker}", str(marker)))
    answer = process("run", file, "--limit", 2)
    assert answer.code in (1, 2)
    assert answer.err.startswith(f"{file}:")
    assert "Traceback" not in answer.err
    assert not marker.exists()


@pytest.mark.parametrize("command", ["run", "profile"])
@pytest.mark.parametrize("good", ["", "def solve_00d62c1b(I):\n    return I\n"])
def test_refusals_of_a_file_are_summed_up(cli: Command, write: Write, command: str, good: str) -> None:
    folder = write("lib/one.py", "x = 1\n" * 25 + good).parent
    write("lib/two.py", "x = 1\n")
    answer = cli(command, folder)
    assert answer.code == (1 if good else 2)
    told = [line for line in answer.err.splitlines() if not line.startswith("arcbatt trace ")]
    counted = ["arcbatt: 26 statements were refused, see above"]
    assert told[12:] == (counted if good and command == "run" else [])
    assert told[9].startswith(f"{folder / 'one.py'}:10:1: an assignment outside a function")
    assert told[10] == f"{folder / 'one.py'}:11:1: refused from here on as well: 15 more"
    assert told[11].startswith(f"{folder / 'two.py'}:1:1: an assignment")


def test_missing_file_ends_before_anything_runs(process: Command, solvers: Path) -> None:
    answer = process("run", solvers, "nosuch.py")
    assert answer == type(answer)(2, "", "arcbatt: nosuch.py: cannot be read: No such file or directory\n")


def test_folder_without_programs_is_named(cli: Command, tmp_path: Path) -> None:
    answer = cli("run", tmp_path)
    assert answer.code == 2
    sentence = "there are no .py or .def files in this folder; name one that has program files"
    assert answer.err == f"arcbatt: {tmp_path}: {sentence}\n"


OTHER_FILES = {
    "archive": ("run {} --archive {{}}", "maybe an archive; `arcbatt archive export FILE OUT.py` writes"),
    "lines of run": ("run {} --json {{}}", "has the JSON lines of a run; `arcbatt report` takes them"),
    "lines of solve": ("solve 00d62c1b --steps 1 --json {{}}", "of a search; `arcbatt submit` takes them"),
    "lines of evolve": ("evolve {} --tasks 00d62c1b --steps 1 --json {{}}", "of a search; `arcbatt submit`"),
    "page": ("trace {} 00d62c1b --html {{}}", "is a page of HTML; a browser shows it"),
}


@pytest.mark.parametrize("made_by", OTHER_FILES)
def test_a_file_that_is_plainly_something_else_is_named_with_what_takes_it(
    cli: Command, write: Write, tmp_path: Path, made_by: str
) -> None:
    line, sentence = OTHER_FILES[made_by]
    one, file = write("one.py", "def solve_00d62c1b(I):\n    return I\n"), tmp_path / "made"
    assert cli(*line.format(one).format(file).split()).code == 0
    for command in (["run", file], ["trace", file, "00d62c1b"], ["profile", file], ["evolve", file]):
        answer = cli(*command)
        assert (answer.code, answer.out) == (2, "")
        assert f"{file}:1:1: the file " in answer.err
        assert sentence in answer.err


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no /dev/zero here")
def test_endless_device_is_not_read(cli: Command) -> None:
    answer = cli("run", "/dev/zero")
    assert answer.code == 2
    assert answer.err == (
        "arcbatt: /dev/zero: is neither a regular file nor a folder; save its content to a file first\n"
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_no_file_of_ops(cli: Command, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ops.py")
    answer = cli("--ops", tmp_path / "ops.py", "ops", "add")
    assert (answer.code, answer.out) == (2, "")
    assert "ops.py: is no regular file" in answer.err


def test_control_characters_of_a_file_name_do_not_reach_the_terminal(cli: Command, tmp_path: Path) -> None:
    answer = cli("run", tmp_path / "red\x1b[31m\n.py")
    assert answer.code == 2
    assert "\x1b" not in answer.err
    assert len(answer.err.splitlines()) == 1


def test_task_file_that_is_no_task_is_named(cli: Command, solvers: Path, write: Write) -> None:
    answer = cli("run", solvers, "--tasks", write("task.json", '{"train": 5}'))
    assert answer.code == 2
    assert "task.json" in answer.err
    assert len(answer.err.splitlines()) == 1


HOSTILE = "\x1b[2J\x07gone"
ODD_BATT = f"""
def batt(task_id, S, I, C, log_path):
    s = []
    o = []
    t1 = vmirror(I)
    o.append((1, False, {HOSTILE!r}, t1))
    return o, s
"""


@pytest.mark.parametrize(
    "command",
    [
        ("run", "solve.py", "--tasks", "x_challenges.json", "--pairs", "all"),
        ("run-batt", "-b", "odd.py", "--data", "x_challenges.json"),
        ("show", "x_challenges.json"),
        ("show", "x_challenges.json", "--program", "solve.py"),
        ("profile", "odd.py", "--tasks", "x_challenges.json"),
        ("card", "odd.py", "-fs", "-f", "card.py"),
    ],
    ids=" ".join,
)
def test_ids_from_files_do_not_steer_the_terminal(
    cli: Command, write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: tuple[str, ...]
) -> None:
    pair = {"input": [[1, 2]], "output": [[2, 1]]}
    write("x_challenges.json", json.dumps({HOSTILE: {"train": [pair], "test": [pair]}}))
    write("odd.py", ODD_BATT)
    write("solve.py", "def solve_00d62c1b(I):\n    return vmirror(I)\n")
    monkeypatch.chdir(tmp_path)
    answer = cli(*command)
    assert answer.code == 0, answer.err
    assert "gone" in answer.out or command[0] in ("profile", "card")
    for shown in (answer.out, answer.err):
        assert all(letter == "\n" or letter.isprintable() for letter in shown)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["simplify", "profile"])
def test_a_program_of_very_many_lines_is_refused_before_it_is_parsed(
    cli: Command, write: Write, command: str
) -> None:
    """A batt file may have that many lines, and these commands take either."""
    lines = "".join(f"    x{number} = rot90(I)\n" for number in range(200_000))
    file = write("long.py", f"def solve_67a3c6ac(I):\n{lines}    return I\n")
    tracemalloc.start()
    try:
        answer = cli(command, file)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert answer.code == 2
    assert "it has 200,000 lines; a program may have 20,000" in answer.err
    assert peak < 100 << 20
