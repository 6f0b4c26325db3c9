"""The measurements of the drop-ins: one batt file on plain `Env` and by each way into the engine."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from time import perf_counter
from typing import Any

from arcbatt.batt.context import BatchRunner, batch_dsl_context
from arcbatt.batt.coordinator import MegaBatchCoordinator
from arcbatt.batt.operations import GPUDSLOperations
from arcbatt.batt.residency.gpu_env import GPUEnv
from arcbatt.bench.batts import five_differs
from arcbatt.bench.measures import STATUS, Bench, Measure, cpu_seconds, figure_of, seconds
from arcbatt.bench.plain_python import bare
from arcbatt.dsl.limits import DEFAULT_LIMITS
from arcbatt.dsl.table import TABLE
from arcbatt.engine.choose import choose
from arcbatt.library import load_library
from arcbatt.program.batt_files.write import batt_source
from arcbatt.program.graph import Node, Program, Style
from arcbatt.program.merge import batt_of
from arcbatt.tasks import load_tasks

SOLVERS = 20  # with five differs about 1,000 lines
FEW_SOLVERS = 5  # with five differs about 300
LIGHT_LINES = 300
FEW, SOME, MANY = 20, 200, 4000  # samples
ON_CPU = partial(GPUEnv, enable_gpu=False)

Arguments = tuple[str, Any, Any, Any, None]


def samples(count: int) -> list[Arguments]:
    """The arguments of a batt for so many samples, in the order of the tasks."""
    tasks = load_tasks("arc2/training")
    every = [(task.id, task.pairs, given, wanted, None) for task in tasks for given, wanted in task.samples]
    return every[:count]


@contextmanager
def batt_file(style: Style, solvers: int = SOLVERS) -> Iterator[Path]:
    """A batt file of some solvers and five differs."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{style}.py")
        path.write_text(batt_source(batt_of(load_library("solvers")[:solvers], five_differs()), style))
        yield path


def pile_file() -> AbstractContextManager[Path]:
    """A batt file of about 1,000 lines in style `pile`."""
    return batt_file("pile")


@contextmanager
def light_file(style: Style) -> Iterator[Path]:
    """A batt file of turns and flips, one after the other: each takes a few microseconds."""
    ops, node = ("rot90", "hmirror", "rot180", "vmirror"), Node.input("I")
    solvers = []
    for number in range(1, LIGHT_LINES + 1):
        node = Node.op(ops[number % len(ops)], node)
        if number % (LIGHT_LINES // 20) == 0:
            solvers.append(Program(f"solve_{number}", "solver", ("I",), node))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"light_{style}.py")
        path.write_text(batt_source(batt_of(solvers, []), style))
        yield path


def bare_seconds(path: Path, calls: list[Arguments]) -> float:
    """CPU time of a sample for a file in style `guarded` on bare op bodies, from a part of the samples."""
    batt = bare(module_of(path)).batt
    part = calls[:: max(1, len(calls) // FEW)]

    def run() -> None:
        for call in part:
            with suppress(Exception):
                batt(*call)

    return min(cpu_seconds(run) for _ in range(3)) / len(part)


def _calls_of(work: Callable[[], Any], count: int) -> float:
    """CPU time of a call, from the quickest of three rounds of so many; the first round does not count."""
    work()
    return min(cpu_seconds(work) for _ in range(3)) / count


def _require_direct(batch: BatchRunner) -> None:
    if batch.report.plain_inputs or batch.report.direct_ops:
        raise AssertionError("a direct call did not go through the engine")


def direct_calls(bench: Bench) -> Measure:
    """Direct calls of a batt of about 300 lines inside a context, sample by sample."""
    calls = samples(SOME)
    with batt_file("guarded", FEW_SOLVERS) as path:
        plain, module = bare_seconds(path, calls), module_of(path)
        with batch_dsl_context() as batch:
            fast = _calls_of(lambda: [module.batt(*call) for call in calls], len(calls))
    _require_direct(batch)
    lines = batch.report.recorded[0].lines
    return _ratio(f"direct call in a context, {lines} lines, to bare Python", plain, fast, 4, "a sample")


def light_direct_calls(bench: Bench) -> Measure:
    """The same with a batt of light lines."""
    calls = samples(SOME)
    with light_file("guarded") as path:
        plain, module = bare_seconds(path, calls), module_of(path)
        with batch_dsl_context() as batch:
            fast = _calls_of(lambda: [module.batt(*call) for call in calls], len(calls))
    _require_direct(batch)
    return _ratio(f"the same, {LIGHT_LINES} light lines", plain, fast, 4, "a sample")


def mapped(bench: Bench) -> Measure:
    """`batch.map` on 200 samples, all results read."""
    calls = samples(SOME)
    with batt_file("guarded", FEW_SOLVERS) as path:
        plain, module = bare_seconds(path, calls), module_of(path)
        with batch_dsl_context(threads=1) as batch:
            fast = _calls_of(lambda: batch.map(module.batt, calls), len(calls))
    return _ratio("batch.map, 200 samples, to bare Python", plain, fast, 10, "a sample")


def environment(bench: Bench) -> Measure:
    """A pile on `GPUEnv`, sample by sample: Python runs each line."""
    calls = samples(FEW)
    with batt_file("guarded", FEW_SOLVERS) as path:
        plain = bare_seconds(path, calls)
    with batt_file("pile", FEW_SOLVERS) as path:
        module = module_of(path)
        module.Env = ON_CPU
        fast = _calls_of(lambda: [module.batt(*call) for call in calls], len(calls))
    return _ratio("GPUEnv to bare Python", plain, fast, 1, "a sample")


def coordinated(bench: Bench) -> Measure:
    """A coordinator on one thread, all results read."""
    count = SOME if bench.quick else MANY
    with batt_file("guarded", FEW_SOLVERS) as path:
        plain = bare_seconds(path, samples(count))
        with MegaBatchCoordinator(str(path), enable_gpu=False, max_workers=1) as coordinator:
            inputs = coordinator.collect_inputs(load_tasks("arc2/training"))[:count]

            def run() -> None:
                for batch in coordinator.create_batches(inputs):
                    for result in coordinator.process_batch(batch):
                        list(result.o_result)
                        list(result.s_result)

            fast = _calls_of(run, len(inputs))
    return _ratio(f"MegaBatchCoordinator, {count:,} samples, to bare Python", plain, fast, 10, "a sample")


def module_of(path: Path) -> Any:
    """The module of a batt file that the project itself has written."""
    spec = spec_from_file_location("pile", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _plain_seconds(module: Any, calls: list[Arguments]) -> float:
    """Seconds of a sample on plain `Env`, from a part of them spread over all."""
    part = calls[:: max(1, len(calls) // FEW)]
    return seconds(lambda: [module.batt(*call) for call in part]) / len(part)


def _ratio(name: str, plain: float, fast: float, target: float, what: str) -> Measure:
    detail = f"{plain * 1e3:.3f} ms and {fast * 1e3:.3f} ms {what}"
    return Measure(name, plain / fast, "x", target, True, detail)


def one_at_a_time(bench: Bench) -> Measure:
    """A pile on `GPUEnv`, sample by sample."""
    with pile_file() as path:
        module, calls = module_of(path), samples(FEW)
        plain = _plain_seconds(module, calls)
        module.Env = ON_CPU
        module.batt(*calls[0])
        fast = seconds(lambda: [module.batt(*call) for call in calls]) / len(calls)
    return _ratio("GPUEnv, one sample at a time", plain, fast, 4, "a sample")


def in_context(bench: Bench) -> Measure:
    """The same inside `batch_dsl_context`."""
    with pile_file() as path, batch_dsl_context(threads=1) as batch:
        module, calls = module_of(path), samples(SOME)
        plain = _plain_seconds(module, calls)
        fast = seconds(lambda: batch.map(module.batt, calls)) / len(calls)
    return _ratio("batch_dsl_context, 200 samples", plain, fast, 10, "a sample")


def through_coordinator(bench: Bench) -> Measure:
    """The same file on 4,000 samples by the coordinator, on one thread."""
    count = SOME if bench.quick else MANY
    with pile_file() as path:
        plain = _plain_seconds(module_of(path), samples(count))
        with MegaBatchCoordinator(str(path), max_workers=1, on_failure="file") as coordinator:
            inputs = coordinator.collect_inputs(load_tasks("arc2/training"))[:count]
            started = perf_counter()
            results = [coordinator.process_batch(batch) for batch in coordinator.create_batches(inputs)]
            coordinator.merge_results(inputs, (result for batch in results for result in batch))
            fast = (perf_counter() - started) / count
    return _ratio(f"MegaBatchCoordinator, {count:,} samples", plain, fast, 60, "a sample")


def batch_of_grids(bench: Bench) -> Measure:
    """`batch_o_g` on 1,000 grids."""
    grids = [call[2] for call in samples(1000)]
    reference, _ = choose("reference")
    op = TABLE["o_g"]
    plain = seconds(lambda: [reference.call(op, (grid, 5), DEFAULT_LIMITS) for grid in grids]) / len(grids)
    operations = GPUDSLOperations()
    operations.batch_o_g(grids, [5] * len(grids))
    fast = min(seconds(lambda: operations.batch_o_g(grids, [5] * len(grids))) for _ in range(5)) / len(grids)
    return _ratio("batch_o_g, 1,000 grids", plain, fast, 40, "a grid")


def transfers(bench: Bench) -> Measure:
    """What `GPUEnv` moves in one batt."""
    with pile_file() as path:
        module, made = module_of(path), []

        def env(*arguments: Any) -> GPUEnv:
            made.append(ON_CPU(*arguments))
            return made[-1]

        module.Env = env
        module.batt(*samples(1)[0])
        stats = made[0].stats
    moved = stats.uploads + stats.downloads
    detail = f"{stats.uploads} in, {stats.downloads} out"
    return Measure("transfers of a batt on GPUEnv", moved, "", 9, False, detail)


MEMORY_SCRIPT = """
from pathlib import Path
from arcbatt.batt.coordinator import BatchInput, MegaBatchCoordinator
from arcbatt.batt.env import Env
from arcbatt.batt.residency.gpu_env import GPUEnv
from arcbatt.bench.drop_ins import ON_CPU, module_of, samples
from arcbatt.bench.measures import peak_memory
path, way, count, size = {arguments}
calls = samples(count)
if way == "coordinator":
    with MegaBatchCoordinator(path, size, enable_gpu=False, max_workers=1) as coordinator:
        inputs = [BatchInput(task, 0, "demo", 0, S, I, C, log) for task, S, I, C, log in calls]
        for batch in coordinator.create_batches(inputs):
            for result in coordinator.process_batch(batch):
                list(result.o_result), list(result.s_result)
else:
    module = module_of(Path(path))
    module.Env = ON_CPU if way == "GPUEnv" else Env
    for call in calls:
        module.batt(*call)
print(peak_memory())
"""


def _memory(bench: Bench, way: str, batch_size: int = 1000) -> Measure:
    """Peak memory of a process that runs a small batt on many samples, to that of plain Python."""
    count = SOME if bench.quick else MANY
    with batt_file("pile", 1) as path:
        peaks = [
            figure_of(MEMORY_SCRIPT.format(arguments=repr((str(path), each, count, batch_size))))
            for each in ("Env", way)
        ]
    detail = f"{peaks[0]:.0f} MB and {peaks[1]:.0f} MB, whole processes, {count:,} samples"
    over = 100 * (peaks[1] / peaks[0] - 1)
    name = f"memory of {way} over plain Python"
    if batch_size != 1000:
        name += f", batches of {batch_size}"
    return Measure(name, over, "%", 5, False, detail)


def memory_of_environment(bench: Bench) -> Measure:
    """What `GPUEnv` takes beyond `Env`."""
    return _memory(bench, "GPUEnv")


def memory_of_coordinator(bench: Bench) -> Measure:
    """What the coordinator takes beyond plain Python; it holds the results of a batch of 1,000 at a time."""
    return _memory(bench, "coordinator")


def memory_of_small_batches(bench: Bench) -> Measure:
    """The same with batches of 100."""
    return _memory(bench, "coordinator", 100)


MEASURES = (
    *(direct_calls, light_direct_calls, mapped, environment, coordinated),
    *(one_at_a_time, in_context, through_coordinator, batch_of_grids, transfers),
    *([memory_of_environment, memory_of_coordinator, memory_of_small_batches] if STATUS.exists() else ()),
)
