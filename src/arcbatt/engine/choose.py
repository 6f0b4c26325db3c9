"""The choice of a backend: by name, or the best that this machine has."""

import os
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import get_args

from arcbatt.arguments import require_one_of, shown
from arcbatt.engine.backend import Backend, BackendName
from arcbatt.errors import BackendError
from arcbatt.settings import SettingSpec

BACKENDS: tuple[BackendName, ...] = get_args(BackendName)
DEVICE_BACKENDS: tuple[BackendName, ...] = ("cuda", "emulated")
# An environment variable: the devices that `auto` considers, `cuda` (the default), `emulated` or `none`.
AUTO_DEVICE = "ARCBATT_AUTO_DEVICE"


def _why_no_core() -> str | None:
    """Why the compiled core cannot be used; None if it can. Nothing is imported to find out."""
    if os.environ.get("ARCBATT_REFERENCE"):
        return "the compiled core is switched off by ARCBATT_REFERENCE"
    if find_spec("arcbatt._core") is None:
        return "the compiled core is not installed; install with a C++20 compiler at hand"
    return None


NO_CORE = _why_no_core()
AVAILABLE: tuple[BackendName, ...] = ("reference",) if NO_CORE else ("reference", "native")


def choose(name: str, devices: bool = True) -> tuple[Backend, str]:
    """The backend to use and the reason for it; `auto` considers GPUs unless `devices` is False.

    >>> backend, why = choose("reference")
    >>> backend.name, why
    ('reference', 'asked for')
    """
    require_backend(name)
    if name == "auto":
        return _best() if devices else best_cpu()
    backend = _opened(name)
    left = is_of_devices(name) and not backend.gpus
    return backend, "asked for" + ("; its devices have failed, so all runs on the CPU" if left else "")


def require_backend(name: object) -> None:
    """Refuse a name that no backend has."""
    if not isinstance(name, str) or name not in BACKENDS:
        raise BackendError(f"there is no backend {shown(name)}; use one of {', '.join(BACKENDS)}")


BACKEND = SettingSpec(
    "What runs the programs: Python (reference), the compiled core (native), GPUs (cuda), an emulated GPU "
    "for tests (emulated), or the fastest of these at hand (auto).",
    metavar="|".join(BACKENDS),
    check=require_backend,
    name="backend",
)


def is_of_devices(name: str) -> bool:
    """Whether a backend of this name runs on devices."""
    return name in DEVICE_BACKENDS


def best_cpu() -> tuple[Backend, str]:
    """The fastest backend that needs no device, and the reason for it."""
    if NO_CORE is not None:
        return _opened("reference"), NO_CORE
    try:
        return _opened("native"), "the compiled core is installed"
    except BackendError as error:
        return _opened("reference"), str(error)


def _best() -> tuple[Backend, str]:
    cpu, why = best_cpu()
    try:
        device = _device_for_auto() if cpu.in_core else None
    except BackendError as error:
        return cpu, f"{why}, and {error}"
    if device is None:
        return cpu, why
    from arcbatt.engine.gpu.calibration import CalibratedBackend

    return CalibratedBackend(cpu, device), "the number of samples decides between the CPU and a device"


def _device_for_auto() -> Backend | None:
    """The devices that `auto` considers."""
    wanted = device_of_auto()
    if not wanted or (wanted == "cuda" and not has_gpu()):
        return None
    return open_devices(wanted)


def device_of_auto() -> str:
    """The backend of devices that `auto` considers; "" if it considers none."""
    wanted = os.environ.get(AUTO_DEVICE, "cuda")
    require_one_of(AUTO_DEVICE, wanted, ("none", *DEVICE_BACKENDS))
    return "" if wanted == "none" else wanted


@cache
def has_gpu() -> bool:
    """Whether there is a GPU to use; asked once in a process."""
    from arcbatt.engine.gpu.devices import check_gpu_status

    return check_gpu_status().usable


def open_devices(name: str) -> Backend:
    """The backend `cuda` or `emulated` with its devices and their kernels; a process opens `cuda` once."""
    if not is_of_devices(name):
        raise BackendError(f"backend {name!r} runs on no device; use {' or '.join(DEVICE_BACKENDS)}")
    return _opened(name)


def _opened(name: str) -> Backend:
    """The backend of a name, which is the name of its module too; all but `reference` need the core."""
    if name != "reference" and NO_CORE is not None:
        raise BackendError(f"backend {name!r} cannot run: {NO_CORE}")
    return _opener(name)()


@cache
def _opener(name: str) -> Callable[[], Backend]:
    try:
        opener: Callable[[], Backend] = import_module(f"arcbatt.engine.backends.{name}").open_backend
    except ImportError as error:
        raise BackendError(f"the compiled core cannot be loaded: {error}") from None
    return opener
