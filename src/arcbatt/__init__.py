"""Run large numbers of small ARC programs on large numbers of grids: exactly, safely and fast."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for readers and type checkers; at run time `__getattr__` imports a name on request
    from arcbatt.archive.archive import Archive as Archive
    from arcbatt.archive.terms import Terms as Terms
    from arcbatt.batt.context import batch_dsl_context as batch_dsl_context
    from arcbatt.batt.coordinator import BatchInput as BatchInput
    from arcbatt.batt.coordinator import BatchResult as BatchResult
    from arcbatt.batt.coordinator import MegaBatchCoordinator as MegaBatchCoordinator
    from arcbatt.batt.env import OKT as OKT
    from arcbatt.batt.env import Env as Env
    from arcbatt.batt.historical.batch_context import BatchContext as BatchContext
    from arcbatt.batt.historical.gpu_status import check_gpu_status as check_gpu_status
    from arcbatt.batt.operations import GPUDSLOperations as GPUDSLOperations
    from arcbatt.batt.per_op_backend import Selection as Selection
    from arcbatt.batt.residency.gpu_env import GPUEnv as GPUEnv
    from arcbatt.batt.residency.residency_cache import GPUTransferManager as GPUTransferManager
    from arcbatt.dsl.encoding import decode as decode
    from arcbatt.dsl.encoding import encode as encode
    from arcbatt.dsl.failures import Failure as Failure
    from arcbatt.dsl.functions import fn as fn
    from arcbatt.dsl.limits import Limits as Limits
    from arcbatt.dsl.own_ops import own_ops as own_ops
    from arcbatt.dsl.own_ops import register_op as register_op
    from arcbatt.dsl.own_ops import unregister_op as unregister_op
    from arcbatt.engine.results import Interrupted as Interrupted
    from arcbatt.engine.results import Results as Results
    from arcbatt.engine.run import call as call
    from arcbatt.engine.run import run as run
    from arcbatt.engine.tracing.trace import FailedApplication as FailedApplication
    from arcbatt.engine.tracing.trace import Trace as Trace
    from arcbatt.engine.tracing.trace import TraceStep as TraceStep
    from arcbatt.engine.tracing.trace import trace as trace
    from arcbatt.errors import ArcbattError as ArcbattError
    from arcbatt.errors import NothingRunWarning as NothingRunWarning
    from arcbatt.errors import RefusedProgramWarning as RefusedProgramWarning
    from arcbatt.program.batt_files.read import load_batt as load_batt
    from arcbatt.program.batt_files.read import parse_batt as parse_batt
    from arcbatt.program.batt_files.write import batt_source as batt_source
    from arcbatt.program.graph import Batt as Batt
    from arcbatt.program.graph import Program as Program
    from arcbatt.program.merge import batt_of as batt_of
    from arcbatt.program.merge import merge as merge
    from arcbatt.program.mutation.edit import Candidate as Candidate
    from arcbatt.program.mutation.edit import Change as Change
    from arcbatt.program.mutation.mutate import Mutator as Mutator
    from arcbatt.program.parse import load_programs as load_programs
    from arcbatt.program.parse import parse_programs as parse_programs
    from arcbatt.search.evolve.evolution import Evolution as Evolution
    from arcbatt.search.evolve.evolution import EvolutionInterrupted as EvolutionInterrupted
    from arcbatt.search.evolve.evolution import EvolutionStopped as EvolutionStopped
    from arcbatt.search.evolve.evolve import evolve as evolve
    from arcbatt.search.solve.answers import Answer as Answer
    from arcbatt.search.solve.solution import Solution as Solution
    from arcbatt.search.solve.solution import SolveInterrupted as SolveInterrupted
    from arcbatt.search.solve.solution import SolveStopped as SolveStopped
    from arcbatt.search.solve.solution import TaskAnswers as TaskAnswers
    from arcbatt.search.solve.solve import solve as solve
    from arcbatt.search.submit.submit import submit as submit
    from arcbatt.tasks import Sample as Sample
    from arcbatt.tasks import Task as Task
    from arcbatt.tasks import TaskSet as TaskSet
    from arcbatt.tasks import load_tasks as load_tasks
    from arcbatt.tasks.submission_check import SubmissionCheck as SubmissionCheck
    from arcbatt.tasks.submission_check import check_submission as check_submission
    from arcbatt.view.export.saving import save_picture as save_picture
    from arcbatt.view.report.report import report as report


def _refuse_subinterpreter() -> None:
    """Raise ImportError in a subinterpreter: interpreters would share the types of the compiled core."""
    for name in ("_interpreters", "_xxsubinterpreters"):  # newer and older Pythons
        try:
            interpreters = import_module(name)
        except ImportError:
            continue
        if interpreters.get_current() != interpreters.get_main():
            raise ImportError(
                "arcbatt works in the main interpreter only; use processes, not subinterpreters"
            )
        return


_refuse_subinterpreter()

# The public names by module. A module is imported when one of its names is first used: `import arcbatt`
# takes no time, so Ctrl-C reaches the command, which handles it, and no half-imported package.
PUBLIC = {
    "archive.archive": "Archive",
    "archive.terms": "Terms",
    "batt.historical.batch_context": "BatchContext",
    "batt.context": "batch_dsl_context",
    "batt.coordinator": "BatchInput BatchResult MegaBatchCoordinator",
    "batt.env": "Env OKT",
    "batt.historical.gpu_status": "check_gpu_status",
    "batt.operations": "GPUDSLOperations",
    "batt.per_op_backend": "Selection",
    "batt.residency.gpu_env": "GPUEnv",
    "batt.residency.residency_cache": "GPUTransferManager",
    "dsl.encoding": "decode encode",
    "dsl.failures": "Failure",
    "dsl.functions": "fn",
    "dsl.limits": "Limits",
    "dsl.own_ops": "own_ops register_op unregister_op",
    "engine.results": "Interrupted Results",
    "engine.run": "call run",
    "engine.tracing.trace": "FailedApplication Trace TraceStep trace",
    "errors": "ArcbattError NothingRunWarning RefusedProgramWarning",
    "program.batt_files.read": "load_batt parse_batt",
    "program.batt_files.write": "batt_source",
    "program.graph": "Batt Program",
    "program.merge": "batt_of merge",
    "program.mutation.edit": "Candidate Change",
    "program.mutation.mutate": "Mutator",
    "program.parse": "load_programs parse_programs",
    "search.evolve.evolution": "Evolution EvolutionInterrupted EvolutionStopped",
    "search.evolve.evolve": "evolve",
    "search.solve.answers": "Answer",
    "search.solve.solution": "Solution SolveInterrupted SolveStopped TaskAnswers",
    "search.solve.solve": "solve",
    "search.submit.submit": "submit",
    "tasks": "Sample Task TaskSet load_tasks",
    "tasks.submission_check": "SubmissionCheck check_submission",
    "view.export.saving": "save_picture",
    "view.report.report": "report",
}
ON_REQUEST = {name: f"{__name__}.{module}" for module, names in PUBLIC.items() for name in names.split()}

__all__ = sorted(ON_REQUEST)  # noqa: PLE0605 (made from the table, not repeated by hand)

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in ON_REQUEST:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(ON_REQUEST[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *ON_REQUEST})
