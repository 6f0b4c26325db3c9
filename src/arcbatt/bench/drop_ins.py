"""The measurements of the drop-ins: one batt file on plain `Env` and by each way into the engine."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from time import perf_counter
from typing import Any

from arcbatt.batt.context import batch_dsl_context
from arcbatt.batt.coordinator import MegaBatchCoordinator
from arcbatt.batt.operations import GPUDSLOperations
from arcbatt.batt.residency.gpu_env import GPUEnv
from arcbatt.bench.batts import five_differs
from arcbatt.bench.measures import STATUS, Bench, Measure, figure_of, seconds
from arcbatt.dsl.limits import DEFAULT_LIMITS
from arcbatt.dsl.table import TABLE
from arcbatt.engine.choose import choose
from arcbatt.library import load_library
from arcbatt.program.batt_files.write import batt_source
from arcbatt.program.merge import batt_of
from arcbatt.tasks import load_tasks

SOLVERS = 20  # with five differs about 1,000 lines
FEW, SOME, MANY = 20, 200, 4000  # samples
ON_CPU = partial(GPUEnv, enable_gpu=False)

Arguments = tuple[str, Any, Any, Any, None]


def samples(count: int) -> list[Arguments]:
    """The arguments of a batt for so many samples, in the order of the tasks."""
    tasks = load_tasks("arc2/training")
    every = [(task.id, task.pairs, given, wanted, None) for task in tasks for given, wanted in task.samples]
    return every[:count]


@contextmanager
def pile_file() -> Iterator[Path]:
    """A batt file of about 1,000 lines in style `pile`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "pile.py")
        path.write_text(batt_source(batt_of(load_library("solvers")[:SOLVERS], five_differs()), "pile"))
        yield path


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
    return _ratio("batch_dsl_context, 200 samples", plain, fast, 40, "a sample")


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


def memory(bench: Bench) -> Measure:
    """Peak memory of a run on `GPUEnv` over the same on `Env`."""
    peaks = []
    with pile_file() as path:
        for env in ("Env", "GPUEnv"):
            script = (
                "from pathlib import Path\n"
                "from arcbatt.batt.env import Env\n"
                "from arcbatt.batt.residency.gpu_env import GPUEnv\n"
                "from arcbatt.bench.drop_ins import FEW, module_of, samples\n"
                "from arcbatt.bench.measures import peak_memory\n"
                f"module = module_of(Path({str(path)!r}))\n"
                f"module.Env = {env}\n"
                "for call in samples(FEW):\n"
                "    module.batt(*call)\n"
                "print(peak_memory())\n"
            )
            peaks.append(figure_of(script))
    detail = f"{peaks[0]:.0f} MB and {peaks[1]:.0f} MB"
    return Measure("memory of GPUEnv over Env", peaks[1] - peaks[0], "MB", 10, False, detail)


MEASURES = (
    *(one_at_a_time, in_context, through_coordinator, batch_of_grids, transfers),
    *([memory] if STATUS.exists() else ()),
)
