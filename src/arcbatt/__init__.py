"""Run very many small ARC programs on very many grids: exactly, safely and fast."""

from arcbatt.dsl.encoding import decode, encode
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.functions import fn
from arcbatt.dsl.limits import Limits
from arcbatt.dsl.registry import own_ops, register_op, unregister_op
from arcbatt.engine.results import Interrupted, Results
from arcbatt.engine.run import call, run
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Batt, Program
from arcbatt.program.merge import batt_of, merge
from arcbatt.program.parse import load_programs, parse_programs
from arcbatt.program.read_batt import load_batt, parse_batt
from arcbatt.program.write_batt import batt_source
from arcbatt.tasks import Sample, Task, TaskSet, load_tasks

__all__ = [
    "ArcbattError",
    "Batt",
    "Failure",
    "Interrupted",
    "Limits",
    "Program",
    "Results",
    "Sample",
    "Task",
    "TaskSet",
    "batt_of",
    "batt_source",
    "call",
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
