"""The parts of the core that all ops rest on, tested in C++ (units.cpp)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOT_RUN = 3  # the exit code for a group that this build does not have
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the headers that the build writes."""
    made = tmp_path_factory.mktemp("units")
    subprocess.run([sys.executable, ROOT / "core" / "build" / "glue.py", made / "glue"], check=True)
    return made


def built(folder: Path, *options: str) -> Path | None:
    """The program of the tests, or none where the compiler or its sanitizers cannot make it."""
    program = folder / "units"
    command = [os.environ.get("CXX") or "c++", "-std=c++20", "-g", *options, f"-I{ROOT / 'core'}"]
    command += [f"-I{folder / 'glue'}", "-o", str(program), str(Path(__file__).with_name("units.cpp"))]
    if shutil.which(command[0]) is None:
        return None
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode and not options:
        pytest.fail(result.stderr[:4000])
    return program if result.returncode == 0 else None


@pytest.fixture(scope="module")
def units(folder: Path) -> Path:
    program = built(folder, *SANITIZERS) or built(folder)
    if program is None:
        pytest.skip("there is no C++ compiler")
    return program


@pytest.mark.parametrize("group", ["sort", "bitboard", "compaction"])
def test_units_of_the_core(units: Path, group: str) -> None:
    result = subprocess.run([units, group], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_a_touch_of_free_memory_is_noticed(units: Path) -> None:
    result = subprocess.run([units, "free memory"], capture_output=True, text=True, check=False)
    if result.returncode == NOT_RUN:
        pytest.skip("the compiler has no AddressSanitizer that arenas know")
    assert "use-after-poison" in result.stderr
