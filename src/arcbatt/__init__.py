"""Run very many small ARC programs on very many grids: exactly, safely and fast."""

from arcbatt.dsl.encoding import decode, encode
from arcbatt.dsl.failures import Failure
from arcbatt.dsl.functions import fn
from arcbatt.dsl.limits import Limits
from arcbatt.engine.results import Results
from arcbatt.engine.run import call, run
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Batt, Program
from arcbatt.program.merge import merge
from arcbatt.program.parse import load_programs, parse_programs
from arcbatt.tasks import Task, TaskSet, load_tasks

__all__ = [
    "ArcbattError",
    "Batt",
    "Failure",
    "Limits",
    "Program",
    "Results",
    "Task",
    "TaskSet",
    "call",
    "decode",
    "encode",
    "fn",
    "load_programs",
    "load_tasks",
    "merge",
    "parse_programs",
    "run",
]

__version__ = "0.1.0"
