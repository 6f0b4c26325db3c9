"""The profile of a batt function: which ops its calls run most, measured in the engine."""

from collections.abc import Callable, Iterable
from typing import Any

from arcbatt.arguments import require_count
from arcbatt.batt.coordinator import batt_behind
from arcbatt.batt.historical.samples_batch import inputs_of
from arcbatt.engine.profile.profile import Profile, profile
from arcbatt.program.graph import Batt
from arcbatt.tasks.samples import by_task

MOST_INPUTS = 100
MOST_OPS = 50


def profile_batt_operations(
    batt_func: Callable[..., Any] | Batt | str,
    inputs: Iterable[Any],
    top: int = MOST_OPS,
    backend: str = "auto",
) -> Profile:
    """Print what the ops of a batt cost on the first 100 inputs, the most expensive first, and return it.

    `batt_func` is a function from a file, a coordinator's `batt`, or the name of a file. The function's file
    is read as data, and its lines run in the engine. `inputs` have the forms of samples of `batch_batt_gpu`.
    Times are those of the op, without the ops it applies.
    """
    require_count("top", top, 1)
    given = inputs_of(inputs)[:MOST_INPUTS]
    samples: Any = by_task((each.task_id, each.S, each.I, each.C) for each in given)
    found = profile(batt_behind(batt_func), samples, "all", backend)
    cost = found.cost
    print(
        f"{cost.runs:,} runs of ops on {len(given)} inputs in {cost.seconds:.6f} s, {found.backend} backend"
    )
    print(f"{'runs':>10} {'nodes':>7} {'seconds':>12} {'a run':>12} {'share':>6}  op")
    for op in found.ops[:top]:
        each = op.cost.seconds / op.cost.runs if op.cost.runs else 0.0
        share = f"{found.share(op.cost):.1%}"
        print(
            f"{op.cost.runs:>10,} {op.nodes:>7,} {op.cost.seconds:>12.6f} {each:>12.9f} {share:>6}  {op.name}"
        )
    return found
