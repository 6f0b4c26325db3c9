"""What `from batt_gpu import batch_process_samples_gpu` provides: functions on many samples."""

from arcbatt.batt.historical.gpu_status import gpu_flag as __getattr__  # noqa: F401 - of this module
from arcbatt.batt.historical.safe_runtime import batch_process_samples_gpu
from arcbatt.batt.historical.samples_batch import batch_batt_gpu

__all__ = ["batch_batt_gpu", "batch_process_samples_gpu"]
