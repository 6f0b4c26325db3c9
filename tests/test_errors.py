"""Errors, and what is said where the package cannot do its work."""

import copy
import pickle
import subprocess
import sys
from importlib.util import find_spec

import pytest

import arcbatt as ab
from arcbatt.engine.choose import AVAILABLE
from arcbatt.errors import ProgramError


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


@pytest.mark.parametrize(
    "module", ["typer", "arcbatt.commands.main", "arcbatt.commands.ops", "arcbatt.dsl.ops", "rich.table"]
)
def test_ctrl_c_during_import_is_one_sentence(module: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED_IMPORT, "ops", module]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "arcbatt: interrupted\n")


SUBINTERPRETER = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
import arcbatt as ab
print(ab.call("add", 1, 2, backend="native"))
inner = '''
import arcbatt as ab
try:
    ab.call("add", 1, 2, backend="native")
except ab.ArcbattError as error:
    print(error, flush=True)
print(ab.call("add", 1, 2), flush=True)
'''
new = interpreters.create()
interpreters.run_string(new, inner)
interpreters.destroy(new)
print(ab.call("add", 1, 2, backend="native"))
"""


@pytest.mark.skipif(
    "native" not in AVAILABLE or not (find_spec("_interpreters") or find_spec("_xxsubinterpreters")),
    reason="without the compiled core, or without subinterpreters",
)
def test_a_subinterpreter_is_refused_the_compiled_core_with_a_sentence() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SUBINTERPRETER], capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.stderr == ""
    first, sentence, inside, last = ended.stdout.splitlines()
    assert (first, inside, last) == ("3", "3", "3")
    assert "cannot run: the compiled core works in the main interpreter only" in sentence
