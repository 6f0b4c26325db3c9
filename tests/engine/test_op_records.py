"""The C++ side of the op table: an op without its C++ struct does not compile, and the compiler names it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMPILER = shutil.which("c++")
# Declares one more op, then writes the headers as the build does.
GLUE = """
import sys
sys.path.insert(0, {core!r})
import glue
from arcbatt.dsl.table import op
from arcbatt.dsl.types import *
from arcbatt.dsl import functions
{declaration}
glue.main()
"""

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")


def errors_of_the_core_with(declaration: str, folder: Path) -> list[str]:
    """What the compiler says of the machine when the table has one more op that only Python knows."""
    script = GLUE.format(core=str(ROOT / "core" / "build"), declaration=declaration)
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    subprocess.run([sys.executable, "-c", script, str(folder)], env=environment, check=True)
    source = folder / "machine.cpp"
    source.write_text('#include "machine/vm.h"\n')
    command = [str(COMPILER), "-std=c++20", "-fsyntax-only", f"-I{folder}", f"-I{ROOT / 'core'}", str(source)]
    compiled = subprocess.run(command, check=False, text=True, capture_output=True)
    return [line for line in compiled.stderr.splitlines() if "error" in line]


def test_the_core_compiles_with_the_ops_that_it_has(tmp_path: Path) -> None:
    assert errors_of_the_core_with("", tmp_path) == []


@pytest.mark.parametrize(
    "declaration",
    [
        "@op(signature='(a -> b), k[a] -> k[b]')\n"
        "def forgotten(function: Fn1, container: Container) -> Container: ...",
        "@op(signature='(a -> b) -> (a -> b)')\n"
        "def forgotten(function: Fn1) -> Fn1: ...\n"
        "glue.COMPOSITES = functions.COMPOSITES | {'forgotten'}",
    ],
    ids=["higher-order", "composite"],
)
def test_an_op_without_its_cpp_struct_does_not_compile(declaration: str, tmp_path: Path) -> None:
    errors = errors_of_the_core_with(declaration, tmp_path)
    assert errors
    assert all("op_forgotten" in error for error in errors), errors
