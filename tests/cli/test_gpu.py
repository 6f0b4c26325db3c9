"""`arcbatt gpu` tells what there is, and having no GPU is no error."""

import json
from functools import partial
from pathlib import Path

import pytest

from arcbatt.engine.choose import choose
from arcbatt.engine.gpu.calibration import calibrate, version_key
from arcbatt.engine.gpu.devices import Device, GpuStatus, check_gpu_status
from arcbatt.engine.gpu.kernels import shipped_in_words
from arcbatt.engine.gpu.measurements import Calibration, add, stored
from support.commands import Command

SOME = Calibration(cpu=3e-6, device=1e-6, overhead=0.002)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_the_status_is_printed_and_what_runs_programs(cli: Command) -> None:
    answer = cli("gpu")
    backend, why = choose("auto")
    status = check_gpu_status()
    assert answer.code == 0
    assert answer.err == ""
    *shown, kernels, last = answer.out.splitlines()
    assert f"kernels: {shipped_in_words()}" in [*shown, kernels]
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
    monkeypatch.setattr("os.path.expanduser", lambda path: path)  # as it does where nobody knows the home
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cli("gpu").code == 0
    add("a device", SOME)
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
        "devices", "driver", "cuda", "nvrtc", "cupy", "reason", "usable", "backend", "kernels",
        "calibrations",
    }  # fmt: skip


def test_the_kernels_of_devices_are_told(cli: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    status = GpuStatus((Device("Tesla T4", "7.5", 16 << 30),) * 2)
    monkeypatch.setattr("arcbatt.commands.gpu.check_gpu_status", lambda: status)
    monkeypatch.setattr("arcbatt.commands.gpu.origin", lambda architecture: f"for {architecture}")
    shown = cli("gpu").out.splitlines()
    assert "kernel of device 1: for sm_75" in shown
    told = json.loads(cli("gpu", "--json").out)["kernels"]
    assert told["of_devices"] == ["for sm_75", "for sm_75"]


def test_measurements_of_this_version_are_shown_and_no_others(cli: Command) -> None:
    for number in range(2):
        add(f"{version_key()}: a device", SOME)
        add(f"arcbatt 0.0.{number}, kernel none: a device", SOME)
    told = f"measured 2x: {version_key()}: a device: {SOME.in_words()}"
    assert [line for line in cli("gpu").out.splitlines() if line.startswith("measured")] == [told]
    assert json.loads(cli("gpu", "--json").out)["calibrations"] == {
        f"{version_key()}: a device": {"cpu": 3e-6, "device": 1e-6, "overhead": 0.002, "measurements": 2}
    }


def test_calibrate_measures_anew_and_shows_it(cli: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("arcbatt._core", reason="the compiled core is not installed")
    monkeypatch.setenv("ARCBATT_AUTO_DEVICE", "emulated")
    quickly = partial(calibrate, gauge=lambda: None, measure=lambda *_: SOME)
    monkeypatch.setattr("arcbatt.commands.gpu.calibrate", quickly)
    answer = cli("gpu", "--calibrate")
    assert (answer.code, answer.err) == (0, "")
    (told,) = (line for line in answer.out.splitlines() if line.startswith("measured"))
    assert told.startswith(f"measured 3x: {version_key()}: emulated (no driver) against ")
    assert told.endswith(SOME.in_words())


def test_without_a_device_there_is_nothing_to_calibrate(
    cli: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARCBATT_AUTO_DEVICE", "none")
    answer = cli("gpu", "--calibrate")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("arcbatt: there is no device to calibrate: ")


def test_without_the_compiled_core_it_works_as_well(process: Command) -> None:
    answer = process("gpu", ARCBATT_REFERENCE="1")
    assert answer.code == 0
    assert answer.out.splitlines()[-1].startswith("programs run on the reference backend: ")
