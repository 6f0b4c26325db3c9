"""`arcbatt bench`: measures, tells each figure when it is there, and writes all of them as JSON."""

import json
import sys
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, TextIO

from typer import Context, Option

from arcbatt.bench import (
    archive,
    batches,
    batts,
    columns,
    drop_ins,
    elements,
    evolve,
    measures,
    planning,
    solve,
)
from arcbatt.bench.batches import Timing
from arcbatt.bench.measures import Measure
from arcbatt.commands import DONE, interrupted, options
from arcbatt.commands.outputs import require_output
from arcbatt.files import whole_file


def execute(
    context: Context,
    quick: Annotated[bool, Option("--quick", help="Less work, rougher figures, no large batches.")] = False,
    json_file: options.FiguresFile = None,
) -> int:
    """Run the project's benchmarks; every figure is a ratio or a cost measured in this one run.

    Exit code: 0 all was measured; 2 the JSON could not be written; 130 interrupted, what was done by then is
    reported.
    """
    require_output(json_file, context.obj)
    return DONE if _run_benchmarks(quick, json_file) else interrupted()


@dataclass
class Figures:
    """What has been measured so far."""

    measures: list[Measure] = field(default_factory=list)
    paces: list[Timing] = field(default_factory=list)
    break_even: str | None = None
    interrupted: bool = False

    def as_json(self) -> dict[str, Any]:
        """The figures as plain data."""
        data = {
            "measures": [asdict(measure) for measure in self.measures],
            "paces": [timing.as_json() for timing in self.paces],
            "break_even": self.break_even,
        }
        return data | ({"interrupted": True} if self.interrupted else {})


def _run_benchmarks(quick: bool, json_file: str | None) -> bool:
    """Run the benchmarks; after Ctrl-C the figures so far are written, and the answer is False."""
    figures = Figures()
    with whole_file(json_file) if json_file else nullcontext() as file:
        try:
            _measure(figures, quick, sys.stderr if json_file == "-" else sys.stdout)
        except KeyboardInterrupt:
            if not figures.measures and not figures.paces:
                raise
            figures.interrupted = True
        if file is not None:
            file.write(json.dumps(figures.as_json()) + "\n")
    return not figures.interrupted


def _measure(figures: Figures, quick: bool, told: TextIO) -> None:
    shared = measures.Bench(quick)
    every = (measures, elements, planning, batts, drop_ins, columns, archive, evolve, solve)
    for measure in (measure for module in every for measure in module.MEASURES):
        figures.measures.append(measure(shared))
        print(figures.measures[-1].line(), file=told, flush=True)
    backends, no_device = batches.backends_here()
    seconds = batches.SECONDS_IF_QUICK if quick else batches.SECONDS
    print(batches.heading(seconds), file=told)
    for timing in batches.sweep(backends, shared.tasks, seconds):
        figures.paces.append(timing)
        print(timing.line(), file=told, flush=True)
    figures.break_even = batches.break_even_in_words(figures.paces, no_device)
    print(f"break-even batch of a device: {figures.break_even}", file=told)
