"""What `check_gpu_status()` says of the GPUs of this machine."""

from arcbatt.engine.gpu import devices
from arcbatt.engine.gpu.devices import GpuStatus


def check_gpu_status() -> GpuStatus:
    """Print the GPUs of this machine, or the reason why none can be used, and return them as data."""
    status = devices.check_gpu_status()
    for line in status.lines():
        print(line)
    return status
