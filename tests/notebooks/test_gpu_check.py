"""The notebook for a machine with a GPU runs from top to bottom on emulated devices."""

import re
from pathlib import Path

import pytest

from arcbatt.engine.choose import AVAILABLE
from support.notebooks import Notebook

NOTEBOOK = Notebook("gpu_check")
# Two emulated devices that share small batches, and as little work as shows all that there is to show.
SMALL = {
    "ARCBATT_EMULATED": "devices=2 groups=1",
    "ARCBATT_NOTEBOOK_BACKEND": "emulated",
    "ARCBATT_NOTEBOOK_TASKS": "27a28665,6150a2bd 6fa7a44f,88a62173",
    "ARCBATT_NOTEBOOK_SAMPLES": "8",
    "ARCBATT_NOTEBOOK_LARGEST": "10",
    "ARCBATT_NOTEBOOK_SECONDS": "3",
}
needs_core = pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")


@needs_core
def test_notebook_runs_from_top_to_bottom_on_emulated_devices(tmp_path: Path) -> None:
    done = NOTEBOOK.execute(NOTEBOOK.code, tmp_path, **SMALL)
    assert done.returncode == 0, done.stderr
    report = done.stdout[done.stdout.index("### arcbatt on emulated:0, emulated:1") :]
    said = r"- emulated:\d: ([\d,]+) nodes on \d samples compared .+: 0 differ; .+ reran on the CPU: 0\n"
    nodes = [int(number.replace(",", "")) for number in re.findall(said, report)]
    assert len(nodes) == 2
    assert sum(nodes) > 8 * 2000
    assert report.count("2 transfers a batch") == 2
    rows = [line.strip("| ").split(" | ") for line in report.splitlines() if re.match(r"\| \d", line)]
    assert {where for _, where, *_ in rows} == {"CPU", "one device", "all 2 devices"}
    assert {(agrees, reran) for *_, agrees, reran in rows} == {("yes", "0")}


def test_install_without_a_wheel_ends_in_one_sentence(tmp_path: Path) -> None:
    done = NOTEBOOK.execute(["settings", "install"], tmp_path, options=("-I", "-S"))
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        f"There is no arcbatt-*.whl under {tmp_path}: attach a dataset with one, then run all cells."
    ]


def test_install_is_left_out_where_arcbatt_is_there(tmp_path: Path) -> None:
    done = NOTEBOOK.execute(["settings", "install"], tmp_path)
    assert (done.returncode, done.stdout) == (0, "arcbatt can be imported already; nothing is installed.\n")


def test_machine_without_a_gpu_ends_in_one_sentence(tmp_path: Path) -> None:
    hidden = {"CUDA_VISIBLE_DEVICES": "", "ARCBATT_NOTEBOOK_BACKEND": "cuda"}
    done = NOTEBOOK.execute(["settings", "install", "devices"], tmp_path, **hidden)
    assert done.returncode == 1
    assert re.fullmatch(r"There is no GPU to check, as .+\. Choose an accelerator, .+\n", done.stderr)


@needs_core
def test_devices_that_cannot_be_used_end_in_one_sentence(tmp_path: Path) -> None:
    wrong = {"ARCBATT_NOTEBOOK_BACKEND": "emulated", "ARCBATT_EMULATED": "devices=0"}
    done = NOTEBOOK.execute(["settings", "install", "devices"], tmp_path, **wrong)
    assert done.returncode == 1
    assert re.fullmatch(r"The devices cannot be used: .+ 1 or more devices .+\. .+\.\n", done.stderr)
