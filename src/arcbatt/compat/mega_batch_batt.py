"""What `from mega_batch_batt import MegaBatchCoordinator` provides: whole batches, and their profile."""

from arcbatt.batt.coordinator import BatchInput, BatchResult, MegaBatchCoordinator
from arcbatt.batt.historical.function_profile import profile_batt_operations
from arcbatt.batt.historical.gpu_status import gpu_flag as __getattr__  # noqa: F401 - of this module
from arcbatt.batt.historical.samples_batch import batch_batt_gpu

__all__ = [
    "BatchInput",
    "BatchResult",
    "MegaBatchCoordinator",
    "batch_batt_gpu",
    "profile_batt_operations",
]
