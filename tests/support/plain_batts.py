"""Generated batt files run as plain Python, to compare with the engine. Only text of our own is run."""

from collections import Counter
from collections.abc import Callable
from itertools import accumulate
from typing import Any

from arcbatt.batt.coordinator import as_tuples, entries_of
from arcbatt.dsl.failures import Failure
from arcbatt.engine.backend import RunOptions
from arcbatt.engine.choose import choose
from arcbatt.engine.plan import plan_of
from arcbatt.engine.running.sample_runner import MODE_OF_STYLE
from arcbatt.engine.work import plan_for
from arcbatt.program.graph import Batt
from arcbatt.tasks import Task
from arcbatt.tasks.samples import TaskLike

Tuples = tuple[list[Any], list[Any]]


def function_of(text: str) -> Callable[..., Tuples]:
    """The function that a generated file defines."""
    namespace: dict[str, Any] = {}
    exec(compile(text, "batt.py", "exec"), namespace)  # noqa: S102 - written by batt_source
    function: Callable[..., Tuples] = namespace["batt"]
    return function


def plain_tuples(text: str, task: Task) -> list[Tuples | None]:
    """What the file gives on each sample; None where it raises."""
    batt = function_of(text)
    rows: list[Tuples | None] = []
    for given, expected in task.samples:
        try:
            rows.append(batt(task.id, task.pairs, given, expected, None))
        except Exception:
            rows.append(None)
    return rows


def engine_tuples(batt: Batt, task: Task, backend: str) -> list[Tuples | None]:
    """What the engine gives on each sample; None where a line of the vectorized style fails.

    In style `gpu-direct` the entries before the first line that fails.
    """
    mode = MODE_OF_STYLE[batt.style]
    inputs = [task]
    chosen, _ = choose(backend)
    (rows,) = chosen.outcomes(plan_for(batt, mode), inputs, RunOptions(on_failure=mode))
    tuples: list[Tuples | None] = [as_tuples(entries_of(batt), mode == "pile", row) for row in rows]
    if batt.style in ("vectorized", "gpu-direct"):
        (lines,) = chosen.outcomes(plan_of([line.node for line in batt.listing.lines]), inputs, RunOptions())
        for place, outcomes in enumerate(lines):
            failed = [position for position, each in enumerate(outcomes) if isinstance(each, Failure)]
            if failed:
                given = tuples[place] if batt.style == "gpu-direct" else None
                tuples[place] = given and _before(batt, given, failed[0])
    return tuples


def _before(batt: Batt, given: Tuples, end: int) -> Tuples:
    """The entries that a file makes before the line at some position, each after its line, in order."""
    made = list(accumulate(batt.listing.outputs, max))
    kept = Counter(program.kind for program, position in zip(batt.programs, made) if position < end)
    return given[0][: kept["solver"]], given[1][: kept["differ"]]


def engine_outcomes(batt: Batt, task: TaskLike, backend: str, mode: str) -> list[list[Any]]:
    """The values of a batt's programs on each sample; a failure by its kind alone."""
    (rows,) = choose(backend)[0].outcomes(
        plan_for(batt, mode),  # type: ignore[arg-type]
        [task],
        RunOptions(on_failure=mode),  # type: ignore[arg-type]
    )
    return [[f"failed: {x.kind}" if isinstance(x, Failure) else x for x in row] for row in rows]
