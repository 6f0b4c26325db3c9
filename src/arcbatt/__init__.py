"""Run very many small ARC programs on very many grids: exactly, safely and fast."""

from arcbatt.dsl.encoding import decode as decode
from arcbatt.dsl.encoding import encode as encode
from arcbatt.dsl.failures import Failure as Failure
from arcbatt.dsl.functions import fn as fn
from arcbatt.dsl.limits import Limits as Limits
from arcbatt.engine.results import Results as Results
from arcbatt.engine.run import call as call
from arcbatt.engine.run import run as run
from arcbatt.errors import ArcbattError as ArcbattError
from arcbatt.program.graph import Batt as Batt
from arcbatt.program.graph import Program as Program
from arcbatt.program.merge import merge as merge
from arcbatt.program.parse import load_programs as load_programs
from arcbatt.program.parse import parse_programs as parse_programs
from arcbatt.tasks import Task as Task
from arcbatt.tasks import TaskSet as TaskSet
from arcbatt.tasks import load_tasks as load_tasks

__version__ = "0.1.0"
