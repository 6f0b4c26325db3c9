"""What `from dsl_gpu import replace_gpu` provides: each op by its name and `_gpu`, run by the engine."""

import sys
from typing import Any

from arcbatt.batt.historical.gpu_status import gpu_flag
from arcbatt.batt.historical.safe_runtime import missing
from arcbatt.compat.gpu_dsl_operations import gpu_ops
from arcbatt.dsl.table import ALIASES, TABLE

ENDING = "_gpu"


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return [f"{op}{ENDING}" for op in (*TABLE, *ALIASES)]
    if name == "GPU_AVAILABLE":
        return gpu_flag(name)
    op = name.removesuffix(ENDING)
    if op == name or op not in (*TABLE, *ALIASES):
        reason = f"dsl_gpu has no op {name!r}; an op is there by its name and {ENDING!r}"
        return missing(name, sys._getframe(1), AttributeError(reason))
    return getattr(gpu_ops, f"batch_{op}_wrapper")
