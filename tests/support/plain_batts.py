"""Generated batt files run as plain Python, to compare with the engine. Only text of our own is run."""

from collections.abc import Callable
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
    """What the engine gives on each sample; None where a line of the vectorized style fails."""
    mode = MODE_OF_STYLE[batt.style]
    inputs = [task]
    chosen, _ = choose(backend)
    (rows,) = chosen.outcomes(plan_for(batt, mode), inputs, RunOptions(on_failure=mode))
    tuples: list[Tuples | None] = [as_tuples(entries_of(batt), mode == "pile", row) for row in rows]
    if batt.style == "vectorized":
        (lines,) = chosen.outcomes(plan_of([line.node for line in batt.listing.lines]), inputs, RunOptions())
        for place, outcomes in enumerate(lines):
            if any(isinstance(outcome, Failure) for outcome in outcomes):
                tuples[place] = None
    return tuples


def engine_outcomes(batt: Batt, task: TaskLike, backend: str, mode: str) -> list[list[Any]]:
    """The values of a batt's programs on each sample; a failure by its kind alone."""
    (rows,) = choose(backend)[0].outcomes(
        plan_for(batt, mode),  # type: ignore[arg-type]
        [task],
        RunOptions(on_failure=mode),  # type: ignore[arg-type]
    )
    return [[f"failed: {x.kind}" if isinstance(x, Failure) else x for x in row] for row in rows]
