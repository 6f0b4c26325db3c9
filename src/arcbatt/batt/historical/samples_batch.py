"""Many calls of a batt function in the words of the papers: `batch_batt_gpu([sample1, sample2, ...])`."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from arcbatt.arguments import collected, expected
from arcbatt.batt.coordinator import BatchInput, MegaBatchCoordinator, batt_behind
from arcbatt.errors import ArcbattError
from arcbatt.program.batt_files.body import PARAMETERS
from arcbatt.program.graph import Batt

A_SAMPLE = (
    "sample; give {'input': grid, 'output': grid}, an arcbatt.BatchInput, or the arguments "
    f"({', '.join(PARAMETERS)})"
)


def batch_batt_gpu(
    samples: Iterable[Any],
    batt: Callable[..., Any] | Batt | str = "batt",
    *,
    task_id: str = "",
    S: Any = None,
    log_path: str | None = None,
    enable_gpu: bool = True,
) -> list[tuple[list[Any], list[Any]]]:
    """The (o, s) of each sample; all of them run together, on a device where that is faster.

    A sample is {'input': grid, 'output': grid}, a BatchInput, or the five arguments of a call. Samples as
    dicts belong to one task, whose demo pairs are `S`: by default those samples that have an output.
    """
    inputs = inputs_of(samples, task_id, S, log_path)
    with MegaBatchCoordinator(batt_behind(batt), enable_gpu=enable_gpu) as coordinator:
        results = coordinator.process_batch(inputs)
    for result in results:
        if result.status != "ok":
            raise ArcbattError(f"sample {result.batch_idx} has no result: {result.reason or result.status}")
    return [(result.o_result, result.s_result) for result in results]


def inputs_of(
    samples: Iterable[Any], task_id: str = "", S: Any = None, log_path: str | None = None
) -> list[BatchInput]:
    """The inputs that samples in any of these forms stand for."""
    given = collected(samples, A_SAMPLE)
    pairs = _pairs(given) if S is None else S
    return [_input(sample, number, task_id, pairs, log_path) for number, sample in enumerate(given)]


def _pairs(samples: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(
        (_frozen(sample["input"]), _frozen(sample["output"]))
        for sample in samples
        if isinstance(sample, Mapping) and "input" in sample and sample.get("output") is not None
    )


def _input(sample: Any, number: int, task_id: str, pairs: Any, log_path: str | None) -> BatchInput:
    if isinstance(sample, BatchInput):
        return sample
    if isinstance(sample, Mapping) and "input" in sample:
        return BatchInput(task_id, 0, "demo", number, pairs, _frozen(sample["input"]), None, log_path)
    if isinstance(sample, tuple | list) and len(sample) == len(PARAMETERS):
        name, own_pairs, grid, output, log = sample
        return BatchInput(name, 0, "demo", number, own_pairs, grid, output, log)
    raise ArcbattError(f"sample {number}: {expected(A_SAMPLE, sample)}")


def _frozen(grid: Any) -> Any:
    return tuple(map(tuple, grid)) if isinstance(grid, list | tuple) else grid
