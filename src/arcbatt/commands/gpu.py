"""`arcbatt gpu`: the devices, versions, kernels and measurements, and the backend that runs programs."""

import json
from dataclasses import asdict
from typing import Annotated

from typer import Option

from arcbatt.engine.backend import RunOptions, how_many
from arcbatt.engine.choose import choose
from arcbatt.engine.gpu.calibration import CalibratedBackend, calibrate, version_key
from arcbatt.engine.gpu.devices import check_gpu_status
from arcbatt.engine.gpu.kernels import origin, shipped_in_words, shipped_kernels
from arcbatt.engine.gpu.measurements import Calibration, agreed, stored
from arcbatt.errors import ArcbattError


def execute(
    calibrate: Annotated[
        bool,
        Option(
            "--calibrate",
            help="First measure the CPU and the GPUs anew; `--backend auto` takes the faster for each batch.",
        ),
    ] = False,
    as_json: Annotated[bool, Option("--json", help="The status as one line of JSON.")] = False,
) -> None:
    """Show the GPUs of this machine, the driver and the compiler, or why no GPU can be used.

    Exit code: 0; 2 with --calibrate where there is no device to measure, or where it cannot be measured.
    """
    if calibrate:
        _calibrate_devices()
    _show(as_json)


def _calibrate_devices() -> None:
    """Measure the devices that `auto` considers, against all cores."""
    chosen, why = choose("auto")
    if not isinstance(chosen, CalibratedBackend):
        reason = check_gpu_status().reason or why
        raise ArcbattError(
            f"there is no device to calibrate: {reason}; ARCBATT_AUTO_DEVICE=emulated takes an emulated one"
        )
    calibrate(chosen.device, chosen.cpu, RunOptions(threads=how_many("threads", None)))


def _known() -> dict[str, tuple[Calibration, int]]:
    """The calibrations of this version by device, and the number of their measurements."""
    return {
        key: (agreed([one.calibration for one in rows]), len(rows))
        for key, rows in stored().items()
        if key.startswith(f"{version_key()}: ")
    }


def _show(as_json: bool) -> None:
    """Print the status, one fact on each line, or as one line of JSON."""
    status, (backend, why), known = check_gpu_status(), choose("auto"), _known()
    of_devices = [origin(device.architecture) for device in status.devices]
    if as_json:
        measured = {key: asdict(entry) | {"measurements": count} for key, (entry, count) in known.items()}
        kernels = {"shipped": list(shipped_kernels()), "of_devices": of_devices}
        told = {
            "usable": status.usable,
            "backend": backend.name,
            "kernels": kernels,
            "calibrations": measured,
        }
        print(json.dumps(asdict(status) | told))
        return
    for line in status.lines():
        print(line)
    print(f"kernels: {shipped_in_words()}")
    for number, where in enumerate(of_devices):
        print(f"kernel of device {number}: {where}")
    for key, (entry, count) in known.items():
        print(f"measured {count}x: {key}: {entry.in_words()}")
    print(f"programs run on the {backend.name} backend: {why}")
