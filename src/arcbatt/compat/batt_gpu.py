"""What `from batt_gpu import batch_process_samples_gpu` gives: inputs, outputs and colours of all samples."""

from arcbatt.batt.runtime import batch_process_samples_gpu

__all__ = ["batch_process_samples_gpu"]
