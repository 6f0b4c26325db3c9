"""What `from gpu_dsl_operations import GPUDSLOperations, gpu_ops` provides: ops on columns."""

from arcbatt.batt.historical.gpu_status import gpu_flag as __getattr__  # noqa: F401 - of this module
from arcbatt.batt.operations import GPUDSLOperations

__all__ = ["GPUDSLOperations", "get_gpu_ops", "gpu_ops"]

gpu_ops = GPUDSLOperations()


def get_gpu_ops(enable_gpu: bool = True) -> GPUDSLOperations:
    """The operations that all callers share."""
    return gpu_ops if enable_gpu else GPUDSLOperations(enable_gpu=False)
