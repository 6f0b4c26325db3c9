"""What `from gpu_env import GPUEnv` gives: the environment whose values stay in the engine."""

from arcbatt.batt.residency.gpu_env import GPUEnv, check_gpu_status

__all__ = ["GPUEnv", "check_gpu_status"]
