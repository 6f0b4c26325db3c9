"""What `check_gpu_status()` and `GPU_AVAILABLE` say of the GPUs of this machine."""

import sys

from arcbatt.batt.historical.safe_runtime import missing
from arcbatt.engine.choose import has_gpu
from arcbatt.engine.gpu import devices
from arcbatt.engine.gpu.devices import GpuStatus


def check_gpu_status() -> GpuStatus:
    """Print the GPUs of this machine, or the reason why none can be used, and return them as data."""
    status = devices.check_gpu_status()
    for line in status.lines():
        print(line)
    return status


def gpu_flag(name: str) -> object:
    """The value of `GPU_AVAILABLE`, which kept files import; it is asked for when somebody looks at it."""
    if name != "GPU_AVAILABLE":
        return missing(name, sys._getframe(1), AttributeError(f"arcbatt.compat has no {name!r} here"))
    return has_gpu()
