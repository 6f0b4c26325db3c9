"""Kernels that came with the package: used where they were made from this source and run on the device."""

import json
from pathlib import Path
from typing import Any

import pytest

from arcbatt.engine.gpu import kernels, nvrtc
from arcbatt.engine.gpu.kernels import (
    FOLDER,
    LIST,
    ShippedKernel,
    origin,
    runs_on,
    shipped_in_words,
    shipped_kernel,
    shipped_kernels,
    write_kernels,
)

SOURCE = "the kernel of this package"
CUBINS = {architecture: f"code for {architecture}".encode() for architecture in nvrtc.ARCHITECTURES}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a package that came with kernels."""
    monkeypatch.setattr("importlib.resources.files", lambda package: tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "kernel.cu").write_text(SOURCE)
    write_kernels(tmp_path / FOLDER, SOURCE, "12.9", CUBINS)
    return tmp_path / FOLDER


@pytest.mark.usefixtures("folder")
def test_what_was_written_is_found() -> None:
    assert {name: each.cubin for name, each in shipped_kernels().items()} == CUBINS
    assert shipped_in_words() == "shipped for sm_60, sm_75, sm_89, made by NVRTC 12.9; NVRTC compiles others"


@pytest.mark.parametrize(
    ("architecture", "found"),
    [
        ("sm_60", "sm_60"),
        ("sm_61", "sm_60"),
        ("sm_70", None),
        ("sm_75", "sm_75"),
        ("sm_80", None),
        ("sm_86", None),
        ("sm_89", "sm_89"),
        ("sm_90", None),
        ("sm_90a", None),
        ("sm_100", None),
        ("sm_120", None),
        ("sm_35", None),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_device_takes_a_kernel_of_its_major_version_that_is_not_newer(
    architecture: str, found: str | None
) -> None:
    shipped = shipped_kernel(architecture)
    assert (shipped and shipped.architecture) == found


def test_the_nearest_of_several_is_taken(folder: Path) -> None:
    write_kernels(folder, SOURCE, "12.9", {"sm_80": b"old", "sm_86": b"near", "sm_89": b"new"})
    assert shipped_kernel("sm_87") == ShippedKernel("sm_86", "12.9", b"near")
    assert not runs_on("sm_89", "sm_87")


def test_kernels_of_another_source_are_not_used(folder: Path) -> None:
    (folder.parent / "kernel.cu").write_text(SOURCE + " ")
    assert shipped_kernels() == {}
    assert shipped_in_words() == "none shipped; NVRTC compiles them"


def test_kernels_made_with_other_options_are_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvrtc, "MOST_REGISTERS", 64)
    assert list(shipped_kernels()) == ["sm_75"]  # which has a bound of its own


def test_a_kernel_that_is_not_whole_is_not_used(folder: Path) -> None:
    (folder / "sm_75.cubin").write_bytes(CUBINS["sm_75"][:-1])
    assert list(shipped_kernels()) == ["sm_60", "sm_89"]
    (folder / "sm_60.cubin").unlink()
    assert "sm_60" not in shipped_kernels()


@pytest.mark.parametrize("content", ["", "{", "[]", "null", "{}", '{"source": 1, "kernels": 2}'])
def test_a_damaged_list_is_as_none(content: str, folder: Path) -> None:
    (folder / LIST).write_text(content)
    assert shipped_kernels() == {}


@pytest.mark.parametrize("entry", [None, 1, {}, {"digest": 1}, {"digest": "", "options": None}])
def test_a_damaged_entry_is_not_used(entry: Any, folder: Path) -> None:
    content = json.loads((folder / LIST).read_text())
    content["kernels"]["sm_89"] = entry
    (folder / LIST).write_text(json.dumps(content))
    assert "sm_89" not in shipped_kernels()


def test_where_a_kernel_comes_from_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "compiler_version", lambda: "12.9")
    assert origin("sm_61") == "shipped for sm_60"
    assert origin("sm_86").startswith("to be compiled at the first use")
    monkeypatch.setattr(kernels, "is_cached", lambda architecture: True)
    assert origin("sm_86") == "in the cache, compiled before"
    monkeypatch.setattr(kernels, "compiler_version", lambda: None)
    assert origin("sm_86") == "missing: NVRTC must compile it, and it is not installed"
    (folder / LIST).unlink()
    assert origin("sm_61").startswith("missing")
