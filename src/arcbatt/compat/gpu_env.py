"""What `from gpu_env import GPUEnv` provides: the environment whose values stay in the engine."""

from arcbatt.batt.env import OKT
from arcbatt.batt.historical.gpu_status import check_gpu_status
from arcbatt.batt.historical.gpu_status import gpu_flag as __getattr__  # noqa: F401 - of this module
from arcbatt.batt.residency.gpu_env import GPUEnv
from arcbatt.batt.residency.residency_cache import GPUTransferManager
from arcbatt.dsl.own_ops import register_op, unregister_op

__all__ = ["OKT", "GPUEnv", "GPUTransferManager", "check_gpu_status", "register_op", "unregister_op"]
