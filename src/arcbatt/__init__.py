"""Run very many small ARC programs on very many grids: exactly, safely and fast."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for readers of the code; at run time `__getattr__` imports what is asked for
    from arcbatt.batt.context import batch_dsl_context
    from arcbatt.batt.coordinator import BatchInput, BatchResult, MegaBatchCoordinator
    from arcbatt.batt.env import OKT, Env
    from arcbatt.batt.operations import GPUDSLOperations
    from arcbatt.batt.per_op_backend import Selection
    from arcbatt.batt.residency.gpu_env import GPUEnv
    from arcbatt.batt.residency.residency_cache import GPUTransferManager
    from arcbatt.dsl.encoding import decode, encode
    from arcbatt.dsl.failures import Failure
    from arcbatt.dsl.functions import fn
    from arcbatt.dsl.limits import Limits
    from arcbatt.dsl.own_ops import own_ops, register_op, unregister_op
    from arcbatt.engine.gpu.devices import check_gpu_status
    from arcbatt.engine.results import Interrupted, Results
    from arcbatt.engine.run import call, run
    from arcbatt.errors import ArcbattError
    from arcbatt.program.batt_files.read import load_batt, parse_batt
    from arcbatt.program.batt_files.write import batt_source
    from arcbatt.program.graph import Batt, Program
    from arcbatt.program.merge import batt_of, merge
    from arcbatt.program.parse import load_programs, parse_programs
    from arcbatt.tasks import Sample, Task, TaskSet, load_tasks

# The module of each public name, imported when somebody asks for the name: `import arcbatt` is done at once,
# so that Ctrl-C meets the command, which answers it, and no half-made package.
ON_REQUEST = {
    "ArcbattError": "arcbatt.errors",
    "BatchInput": "arcbatt.batt.coordinator",
    "BatchResult": "arcbatt.batt.coordinator",
    "Batt": "arcbatt.program.graph",
    "Env": "arcbatt.batt.env",
    "Failure": "arcbatt.dsl.failures",
    "GPUDSLOperations": "arcbatt.batt.operations",
    "GPUEnv": "arcbatt.batt.residency.gpu_env",
    "GPUTransferManager": "arcbatt.batt.residency.residency_cache",
    "Interrupted": "arcbatt.engine.results",
    "Limits": "arcbatt.dsl.limits",
    "MegaBatchCoordinator": "arcbatt.batt.coordinator",
    "OKT": "arcbatt.batt.env",
    "Program": "arcbatt.program.graph",
    "Results": "arcbatt.engine.results",
    "Sample": "arcbatt.tasks",
    "Selection": "arcbatt.batt.per_op_backend",
    "Task": "arcbatt.tasks",
    "TaskSet": "arcbatt.tasks",
    "batch_dsl_context": "arcbatt.batt.context",
    "batt_of": "arcbatt.program.merge",
    "batt_source": "arcbatt.program.batt_files.write",
    "call": "arcbatt.engine.run",
    "check_gpu_status": "arcbatt.engine.gpu.devices",
    "decode": "arcbatt.dsl.encoding",
    "encode": "arcbatt.dsl.encoding",
    "fn": "arcbatt.dsl.functions",
    "load_batt": "arcbatt.program.batt_files.read",
    "load_programs": "arcbatt.program.parse",
    "load_tasks": "arcbatt.tasks",
    "merge": "arcbatt.program.merge",
    "own_ops": "arcbatt.dsl.own_ops",
    "parse_batt": "arcbatt.program.batt_files.read",
    "parse_programs": "arcbatt.program.parse",
    "register_op": "arcbatt.dsl.own_ops",
    "run": "arcbatt.engine.run",
    "unregister_op": "arcbatt.dsl.own_ops",
}

__all__ = [
    "OKT",
    "ArcbattError",
    "BatchInput",
    "BatchResult",
    "Batt",
    "Env",
    "Failure",
    "GPUDSLOperations",
    "GPUEnv",
    "GPUTransferManager",
    "Interrupted",
    "Limits",
    "MegaBatchCoordinator",
    "Program",
    "Results",
    "Sample",
    "Selection",
    "Task",
    "TaskSet",
    "batch_dsl_context",
    "batt_of",
    "batt_source",
    "call",
    "check_gpu_status",
    "decode",
    "encode",
    "fn",
    "load_batt",
    "load_programs",
    "load_tasks",
    "merge",
    "own_ops",
    "parse_batt",
    "parse_programs",
    "register_op",
    "run",
    "unregister_op",
]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in ON_REQUEST:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(ON_REQUEST[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *ON_REQUEST})
