"""The backend `emulated`: emulated GPUs with the settings of the environment variable."""

from arcbatt.engine.backends.device import DeviceBackend
from arcbatt.engine.gpu.emulated import emulated_gpus


def open_backend() -> DeviceBackend:
    """New devices at each call."""
    return DeviceBackend("emulated", emulated_gpus())
