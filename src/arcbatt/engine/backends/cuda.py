"""The backend `cuda`: the CUDA devices of this machine."""

from functools import cache

from arcbatt.engine.backends.device import DeviceBackend
from arcbatt.engine.gpu import cuda
from arcbatt.errors import BackendError


def open_backend() -> DeviceBackend:
    """The devices with their kernels loaded; after a failure, each call raises the same error."""
    found = opened_once()
    if isinstance(found, BackendError):
        raise found.with_traceback(None)
    return found


@cache
def opened_once() -> DeviceBackend | BackendError:
    """The devices, or the error that opening them raised; a process opens them once."""
    try:
        return DeviceBackend("cuda", cuda.cuda_gpus())
    except BackendError as error:
        return error
