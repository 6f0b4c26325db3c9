"""What `gpu` shows: the devices, the versions, what has been measured, and what runs programs."""

import json
from dataclasses import asdict

from arcbatt.engine.backend import choose
from arcbatt.engine.calibration import stored
from arcbatt.engine.devices import check_gpu_status


def show_gpus(as_json: bool) -> None:
    """Print it, a fact a line, or all of it as one line of JSON."""
    status, (backend, why), known = check_gpu_status(), choose("auto"), stored()
    if as_json:
        measured = {key: asdict(entry) for key, entry in known.items()}
        told = {"usable": status.usable, "backend": backend.name, "calibrations": measured}
        print(json.dumps(asdict(status) | told))
        return
    for line in status.lines():
        print(line)
    for key, entry in known.items():
        print(f"measured: {key}: {entry.in_words()}")
    print(f"programs run on the {backend.name} backend: {why}")
