"""`arcbatt --ops FILE`: ops of a user's own in every command."""

import sys
from pathlib import Path

import pytest

from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.dsl.table import TABLE
from arcbatt.engine.choose import AVAILABLE
from support.commands import Command, Write

OPS = '''
import arcbatt as ab

@ab.register_op
def brighten(grid: "Grid", by: "Integer") -> "Grid":
    """Every colour raised."""
    return tuple(tuple(color + by for color in row) for row in grid)
'''

IMPORT = "import arcbatt as ab\n@ab.register_op\n"


@pytest.fixture
def own_ops(write: Write) -> Path:
    return write("own.py", OPS)


@pytest.fixture
def solver(write: Write) -> Path:
    return write("mine.py", "def solve_67a3c6ac(I): return brighten(vmirror(I), ZERO)\n")


def test_they_are_part_of_the_language(process: Command, own_ops: Path) -> None:
    page = process("--ops", own_ops, "ops")
    assert "own: registered by you" in page.out
    assert "brighten(grid: Grid, by: Integer) -> Grid0" in process("--ops", own_ops, "ops", "brighten").out
    assert "brighten" not in process("ops").out


@pytest.mark.parametrize("content", ["", "import arcbatt as ab\nab.call('add', 1, 2)\n"])
def test_a_file_that_registers_nothing_is_named(process: Command, write: Write, content: str) -> None:
    file = write("none.py", content)
    answer = process("--ops", file, "ops", "add")
    assert (answer.code, answer.err) == (
        0,
        f"arcbatt: {file}: registers no op; arcbatt.register_op makes an op of a Python function\n",
    )


def test_programs_and_batts_use_them(process: Command, own_ops: Path, solver: Path, tmp_path: Path) -> None:
    assert "1 solved" in process("--ops", own_ops, "run", solver).out
    batt = tmp_path / "batt.py"
    made = process("--ops", own_ops, "card", solver, "-f", batt, "-fd", "--mutants", 8)
    assert made.code == 0, made.err
    assert "brighten" in batt.read_text()
    ran = process("--ops", own_ops, "run-batt", "-b", batt, "-c", 1)
    assert (ran.code, ran.err) == (0, "")
    without = process("run-batt", "-b", batt, "-c", 1)
    assert without.code == 0
    assert "there is no op or variable 'brighten': what uses it fails with TYPE" in without.err
    refused = process("run-batt", "-b", batt, "-c", 1, "--strict")
    assert (refused.code, refused.out) == (2, "")
    assert "brighten" in refused.err


@pytest.mark.skipif(sys.platform != "linux", reason="needs memory limits")
@pytest.mark.parametrize("backend", AVAILABLE)
def test_an_op_that_takes_too_much_memory_costs_only_its_samples(
    backend: str, process: Command, write: Write
) -> None:
    body = "    return (bytearray(1 << 32),) if len(grid) == 6 else grid\n"
    own = write("own.py", f"{IMPORT}def hog(grid: 'Grid') -> 'Grid':\n{body}")
    hog = write("hog.py", "def solve_67a3c6ac(I): return hog(vmirror(I))\n")
    batt = write("batt.py", "")
    assert process("--ops", own, "card", hog, "-f", batt, "-fs", "-fd").code == 0
    ran = process("--ops", own, "run-batt", "-b", batt, "-i", "67a3c6ac", "--backend", backend)
    assert (ran.code, ran.err) == (1, "")
    assert "out of memory 1" in ran.out
    assert "exact 2 demo, 1 test" in ran.out


def test_an_op_that_wants_to_end_the_process_costs_only_itself(process: Command, write: Write) -> None:
    own = write("own.py", f"import sys\n{IMPORT}def leave(g: 'Grid') -> 'Grid': sys.exit(0)\n")
    solvers = write("s.py", "def solve_a(I): return leave(I)\ndef solve_67a3c6ac(I): return vmirror(I)\n")
    ran = process("--ops", own, "run", solvers, "--tasks", "67a3c6ac", "--pairs", "all")
    assert "TYPE 4" in ran.out
    batt = write("batt.py", "")
    assert process("--ops", own, "card", solvers, "-f", batt, "-fs", "-fd").code == 0
    ran = process("--ops", own, "run-batt", "-b", batt, "-i", "67a3c6ac")
    assert (ran.code, ran.err) == (0, "")
    assert "exact 3 demo, 1 test; mean score 535.7; failures TYPE 4; solved by 67a3c6ac" in ran.out
    ran = process("--ops", own, "run-batt", "-b", batt, "-i", "67a3c6ac", "--on-failure", "fail")
    assert "exact 3 demo, 1 test; mean score 500.0; failures TYPE 4; solved by 67a3c6ac" in ran.out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "import arcbatt as ab\n@ab.register_op\ndef rot90(g: 'Grid') -> 'Grid': return g\n",
            "'rot90' is taken",
        ),
        ("import arcbatt as ab\n@ab.register_op\ndef f(g: 'Gird') -> 'Grid': return g\n", "Gird"),
        (
            "import arcbatt as ab\n@ab.register_op\ndef f(g: 'Grid'): return g\n",
            "does not say what it returns",
        ),
        ("1 / 0\n", "ZeroDivisionError"),
        ("import sys\nsys.exit(0)\n", "its ops cannot be imported: SystemExit: 0"),
        ("def\n", "SyntaxError"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_line(
    text: str, said: str, cli: Command, write: Write
) -> None:
    before = list(TABLE)
    answer = cli("--ops", write("bad.py", text), "ops", "rot90")
    assert answer.code == 2
    assert said in answer.err
    assert answer.err.count("\n") == 1
    assert list(TABLE) == before
