"""What is said of the GPUs of a machine: the real answer of this one, and others in words."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from arcbatt.engine import choose as choosing
from arcbatt.engine.choose import AVAILABLE, choose, open_devices
from arcbatt.engine.gpu.devices import DRIVER, Device, GpuStatus, check_gpu_status
from arcbatt.errors import BackendError
from support.commands import environment

CARD = Device("NVIDIA L4", "8.9", 24 << 30, 21 << 30)
READY = GpuStatus((CARD,), "550.54.15", "12.4", "12.9.86", "13.3.0")


def test_the_status_of_this_machine_is_consistent() -> None:
    status = check_gpu_status()
    assert status.usable == (status.reason is None)
    assert status == replace(check_gpu_status(), devices=status.devices)
    if status.usable:
        assert status.devices
        assert status.cupy
        assert status.cuda
    for device in status.devices:
        assert device.name
        assert device.memory_total > 0


def test_without_a_driver_that_is_the_reason() -> None:
    status = check_gpu_status()
    if status.cuda is not None or "driver" not in str(status.reason):
        pytest.skip("this machine has an NVIDIA driver")
    assert status.devices == ()
    assert status.reason == f"there is no NVIDIA driver: {DRIVER[0]} cannot be loaded"


@pytest.mark.process
def test_asking_imports_no_gpu_package_and_the_package_itself_does_not_ask() -> None:
    script = (
        "import sys, arcbatt, arcbatt.commands.main\n"
        "print('ctypes' in sys.modules and 'arcbatt.engine.gpu.devices' in sys.modules)\n"
        "from arcbatt.engine.gpu.devices import check_gpu_status\n"
        "check_gpu_status()\n"
        "print(sorted(sys.modules.keys() & {'cupy', 'numba', 'torch', 'pynvml', 'cuda'}))\n"
    )
    run = [sys.executable, "-c", script]
    done = subprocess.run(run, env=environment(), capture_output=True, text=True, check=True)
    assert done.stdout == "False\n[]\n"


def test_a_status_in_words() -> None:
    assert READY.usable
    assert READY.lines() == [
        "device 0: NVIDIA L4, compute capability 8.9, 24.0 GiB of memory, 21.0 GiB free",
        "driver: 550.54.15",
        "CUDA: 12.4",
        "NVRTC: 12.9.86",
        "CuPy: 13.3.0",
    ]


def test_what_is_not_known_is_not_made_up() -> None:
    status = replace(READY, devices=(replace(CARD, memory_free=None),), driver=None, nvrtc=None)
    assert status.lines() == [
        "device 0: NVIDIA L4, compute capability 8.9, 24.0 GiB of memory",
        "driver: of unknown version",
        "CUDA: 12.4",
        "NVRTC: none",
        "CuPy: 13.3.0",
    ]


def test_a_device_that_cannot_be_used_is_shown_with_the_reason() -> None:
    status = replace(READY, cupy=None, reason="CuPy is not installed")
    assert not status.usable
    assert status.lines()[:2] == [
        "device 0: " + CARD.line(),
        "no GPU can be used: CuPy is not installed",
    ]
    assert not replace(READY, devices=()).usable


@pytest.mark.parametrize("name", ["auto", "native", "reference", "gpu"])
def test_a_backend_without_devices_has_none_to_open(name: str) -> None:
    with pytest.raises(BackendError, match=f"^backend '{name}' runs on no device; use cuda or emulated$"):
        open_devices(name)


@pytest.mark.parametrize("name", ["cuda", "emulated"])
@pytest.mark.parametrize("ask", [open_devices, choose])
def test_devices_need_the_core(
    ask: Callable[[str], object], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "NO_CORE", "the core is at sea")
    with pytest.raises(BackendError, match=f"^backend '{name}' cannot run: the core is at sea"):
        ask(name)


@pytest.mark.skipif("native" not in AVAILABLE, reason="the compiled core is not installed")
def test_emulated_devices_are_opened_as_they_are_described(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARCBATT_EMULATED", "devices=3 memory=64M")
    opened = open_devices("emulated")
    assert opened.name == "emulated"
    assert [(gpu.name, gpu.free_memory()) for gpu in opened.gpus] == [
        (f"emulated:{number}", 64 << 20) for number in range(3)
    ]
