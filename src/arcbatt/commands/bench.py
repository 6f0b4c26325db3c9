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
from arcbatt.bench.worst import dearest
from arcbatt.commands import DONE, interrupted, options
from arcbatt.commands.outputs import require_output
from arcbatt.dsl.table import TABLE
from arcbatt.files import whole_file

SHOWN = 10  # combinations


def execute(
    context: Context,
    quick: Annotated[bool, Option("--quick", help="Less work, rougher figures, no large batches.")] = False,
    json_file: options.FiguresFile = None,
    every_op: Annotated[
        str | None,
        Option(
            metavar="FILE",
            help="Instead, run every op on every kind of arguments, and write the hundred that take "
            "longest for their units of work as lines of JSON; - is standard output.",
        ),
    ] = None,
) -> int:
    """Run the project's benchmarks; every figure is a ratio or a cost measured in this one run.

    Exit code: 0 all was measured; 2 the JSON could not be written; 130 interrupted, what was done by then is
    reported.
    """
    require_output(json_file, context.obj)
    require_output(every_op, context.obj)
    if every_op is not None:
        return _search_every_op(every_op, quick)
    return DONE if _run_benchmarks(quick, json_file) else interrupted()


def _search_every_op(path: str, quick: bool) -> int:
    """Search the combinations that take longest for their work, tell what the worst are, and write them."""
    told = sys.stderr if path == "-" else sys.stdout
    found: list[dearest.ApplicationCost] = []
    for op in TABLE.values():
        found.extend(dearest.searched([op], dearest.MOST_IF_QUICK if quick else dearest.MOST))
        print(f"\r{len(found):,} combinations of {op.name:24}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    hundred = dearest.dearest(found, again=dearest.KEPT if quick else dearest.AGAIN)
    print(f"{len(found):,} combinations, the worst evaluations:", file=told)
    for dear, seconds in dearest.confirmed(hundred[:SHOWN]):
        print(f"{dear.line()}; a whole evaluation {seconds:.2f} s", file=told)
    with whole_file(path) as file:
        file.writelines(dearest.written(hundred))
    return DONE


@dataclass
class BenchFigures:
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
    figures = BenchFigures()
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


def _measure(figures: BenchFigures, quick: bool, told: TextIO) -> None:
    shared = measures.Bench(quick)
    every = (measures, elements, dearest, planning, batts, drop_ins, columns, archive, evolve, solve)
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
