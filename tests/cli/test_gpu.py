"""`arcbatt gpu` tells what there is, and having no GPU is no error."""

import json
from pathlib import Path

import pytest

from arcbatt.engine.backend import choose
from arcbatt.engine.calibration import Calibration, store, stored
from arcbatt.engine.devices import check_gpu_status
from cli.commands import Command


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_the_status_is_printed_and_what_runs_programs(cli: Command) -> None:
    answer = cli("gpu")
    backend, why = choose("auto")
    status = check_gpu_status()
    assert answer.code == 0
    assert answer.err == ""
    *shown, last = answer.out.splitlines()
    assert [line for line in shown if "device" not in line] == [
        line for line in status.lines() if "device" not in line
    ]
    assert last == f"programs run on the {backend.name} backend: {why}"


def test_the_reason_is_told_where_no_gpu_can_be_used(cli: Command) -> None:
    status = check_gpu_status()
    told = f"no GPU can be used: {status.reason}"
    assert (told in cli("gpu").out.splitlines()) != status.usable


def test_a_user_without_a_home_has_no_cache_and_no_error(
    cli: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cli("gpu").code == 0
    store("a device", Calibration(cpu=3e-6, device=1e-6, overhead=0.002))
    assert stored() == {}


def test_the_status_as_json(cli: Command) -> None:
    answer = cli("gpu", "--json")
    status = check_gpu_status()
    assert answer.code == 0
    (line,) = answer.out.splitlines()
    told = json.loads(line)
    assert told["usable"] == status.usable
    assert told["reason"] == status.reason
    assert told["backend"] == choose("auto")[0].name
    assert [device["name"] for device in told["devices"]] == [device.name for device in status.devices]
    assert told.keys() == {
        "devices", "driver", "cuda", "nvrtc", "cupy", "reason", "usable", "backend", "calibrations",
    }  # fmt: skip


def test_without_the_compiled_core_it_works_as_well(process: Command) -> None:
    answer = process("gpu", ARCBATT_REFERENCE="1")
    assert answer.code == 0
    assert answer.out.splitlines()[-1].startswith("programs run on the reference backend: ")
