"""Errors, and what is said where the package cannot do its work."""

import copy
import pickle
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.engine.choose import AVAILABLE
from arcbatt.errors import ProgramError

ATTACKS = Path(__file__).parent / "data" / "attacks"


def test_a_copied_or_pickled_refusal_keeps_its_place() -> None:
    with pytest.raises(ProgramError) as caught:
        ab.parse_programs(
            "def solve_x(I):\n    return nosuch(I)\ndef solve_y(I):\n    return 5.5\n", "mine.py"
        )
    error = caught.value
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (str(again), again.reason, again.file) == (str(error), error.reason, "mine.py")
        assert (again.line, again.column) == (error.line, error.column) == (2, 12)
        assert again.program == error.program == "solve_x"
        assert [str(other) for other in again.others] == [str(other) for other in error.others] != []


INTERRUPTED_IMPORT = """
import sys

class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == interrupting:
            raise KeyboardInterrupt

_, command, interrupting = sys.argv
sys.meta_path.insert(0, Interrupting())
sys.argv = ["arcbatt", command]
from arcbatt.__main__ import main
main()
"""


@pytest.mark.process
@pytest.mark.parametrize(
    "module", ["typer", "arcbatt.commands.main", "arcbatt.commands.ops", "arcbatt.dsl.ops", "rich.table"]
)
def test_ctrl_c_during_import_is_one_sentence(module: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED_IMPORT, "ops", module]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "arcbatt: interrupted\n")


# Runs a file line by line: a line that raises costs no other.
LINE_BY_LINE = """
import sys
for line in open(sys.argv[1]):
    try:
        exec(line)
    except Exception as error:
        print(error, flush=True)
"""
MAIN_ONLY = "arcbatt works in the main interpreter only; use processes, not subinterpreters"
needs_subinterpreters = pytest.mark.skipif(
    find_spec("_xxsubinterpreters") is None, reason="this Python has no legacy subinterpreters"
)


def ended_lines(file: Path) -> list[str]:
    """What a file prints that runs line by line, on both streams."""
    ended = subprocess.run(
        [sys.executable, "-c", LINE_BY_LINE, str(file)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 0, ended.stderr
    return [*ended.stdout.splitlines(), *ended.stderr.splitlines()]


@pytest.mark.process
@needs_subinterpreters
def test_a_subinterpreter_is_refused_and_the_main_interpreter_goes_on() -> None:
    before, refused, after = ended_lines(ATTACKS / "subinterp.py")
    assert (before, after) == ("before ((2, 1),)", "after ((2, 1),)")
    assert "ImportError" in refused
    assert MAIN_ONLY in refused


@pytest.mark.process
@needs_subinterpreters
@pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")
@pytest.mark.parametrize("is_loaded", [True, False])
def test_the_core_alone_is_refused_in_a_subinterpreter(tmp_path: Path, is_loaded: bool) -> None:
    """It is loaded by its path, past the check of the package."""
    core = find_spec("arcbatt._core")
    assert core is not None
    load = f"from importlib import util; s = util.spec_from_file_location('_core', {core.origin!r}); "
    load += "m = util.module_from_spec(s); s.loader.exec_module(m)"
    script = tmp_path / "script.py"
    inside = "import _xxsubinterpreters as si; i = si.create(); si.run_string(i, load)"
    script.write_text(f"load = {load!r}\n" + "import arcbatt._core\n" * is_loaded + f"{inside}\n")
    (refused,) = ended_lines(script)
    assert MAIN_ONLY in refused
