"""`arcbatt --ops FILE`: ops of a user's own in every command."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arcbatt.dsl import ops as ops  # fills the table
from arcbatt.dsl.table import TABLE
from arcbatt.engine.choose import AVAILABLE
from support.commands import Command, Write, end_session, environment

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


@pytest.mark.parametrize(
    "words", [["run", "--ops", "own.py", "mine.py"], ["archive", "check", "--ops=own.py"]]
)
def test_the_option_for_own_ops_behind_the_command_is_answered_with_its_place(
    cli: Command, words: list[str]
) -> None:
    answer = cli(*words)
    assert (answer.code, answer.out) == (2, "")
    command = words[0] if words[0] == "run" else "archive check"
    assert answer.err == f"arcbatt: --ops stands before the command: arcbatt --ops FILE {command} ...\n"
    assert "requires an argument" in cli("--ops").err


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
    assert "1 of 1 task solved" in process("--ops", own_ops, "run", solver).out
    batt = tmp_path / "batt.py"
    made = process("--ops", own_ops, "card", solver, "-f", batt, "-fd", "--mutants", 8, "--seed", 1)
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


HANGING = """
import resource, sys
import arcbatt as ab
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))  # in case the test itself is killed

@ab.register_op
def spin(grid: "Grid") -> "Grid":
    print("at work", file=sys.stderr, flush=True)
    while True:
        pass

@ab.register_op
def deaf(grid: "Grid") -> "Grid":
    print("at work", file=sys.stderr, flush=True)
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
"""
CALL = "import arcbatt as ab, own; ab.call('spin', ((1,),))"
APPLY = "import arcbatt as ab, own; ab.call('apply', ab.fn('spin'), (((1,),),), backend='reference')"
LINE = """
import arcbatt as ab, own
from arcbatt.batt.runtime import Env
Env(0, "t", ()).do_pile(1, [ab.fn("spin"), ((1,),)])
"""
SCORE = """
import arcbatt as ab, own
from arcbatt.batt.scoring import score
score(ab.load_programs("mine.py"), ab.load_tasks("67a3c6ac"))
"""


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent")
@pytest.mark.parametrize(
    "words",
    [
        ["-m", "arcbatt", "--ops", "own.py", "run", "mine.py", "--tasks", "67a3c6ac", "--pairs", "all"],
        ["-m", "arcbatt", "--ops", "own.py", "run", "deaf.py", "--tasks", "67a3c6ac", "--pairs", "all"],
        ["-m", "arcbatt", "--ops", "own.py", "show", "67a3c6ac", "--program", "deaf.py"],
        ["-m", "arcbatt", "--ops", "own.py", "profile", "mine.py", "--tasks", "67a3c6ac", "--pairs", "all"],
        ["-c", CALL],
        ["-c", APPLY],
        ["-c", LINE],
        ["-c", SCORE],
    ],
    ids=["run", "run of a deaf op", "show", "profile", "call", "apply", "Env", "score"],
)
def test_one_ctrl_c_ends_an_op_that_hangs(words: list[str], write: Write, tmp_path: Path) -> None:
    write("own.py", HANGING)
    write("mine.py", "def solve_67a3c6ac(I): return spin(I)\n")
    write("deaf.py", "def solve_67a3c6ac(I): return deaf(I)\n")
    with subprocess.Popen(
        [sys.executable, *words],
        env=environment() | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            assert process.stderr is not None
            assert any("at work" in line for line in process.stderr)
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
            _, rest = process.communicate(timeout=40)
        finally:
            end_session(process)
    if words[0] == "-m":
        assert process.returncode == 130
        assert "interrupted" in rest
    else:
        assert process.returncode == -signal.SIGINT
        assert rest.rstrip().endswith("KeyboardInterrupt")


IMPORTED = """
import sys
from arcbatt.commands.main import main
try:
    main(["run", "--limit", "2"])
finally:
    print(*{"arcbatt.engine.running.worker_pool", "arcbatt.archive.archive"} & {*sys.modules}, sep=",")
"""


@pytest.mark.process
def test_a_run_without_them_imports_neither_workers_nor_archive() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == ""
