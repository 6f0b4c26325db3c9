"""`arcbatt fuzz`: several backends on random programs, compared node by node."""

from typing import Annotated, cast

from typer import Option

from arcbatt.commands import DONE, SOME_REFUSED, interrupted, options
from arcbatt.library import load_library
from arcbatt.testing.fuzz import ColumnChoice, fuzz
from arcbatt.text import plural
from arcbatt.view.progress import progress
from arcbatt.view.terminal.profile_report import percent


def execute(
    seconds: Annotated[float, Option(min=0.0, metavar="N", help="How long to go on.")] = 60.0,
    seed: options.Seed = 0,
    backends: Annotated[
        str, Option(metavar="A,B", help="The backends to compare; `run -h` names all of them.")
    ] = "reference,native",
    evaluations: Annotated[
        int | None, Option(min=1, metavar="N", help="Stop after N evaluations, a program on a sample each.")
    ] = None,
    columns: Annotated[
        str,
        Option(
            metavar="always|never|both",
            help="Where the core runs a function over all elements of a container at once. With both, each "
            "backend is compared with itself, too, mostly on loops over containers. The old word worthwhile "
            "means always.",
        ),
    ] = "always",
) -> int:
    """Compare backends on random programs, node by node, and print each difference as a test case.

    A backend is what runs programs, a node is one expression of a program. All backends must give the same
    values and the same failures.

    Exit code: 0 no difference, 1 differences were found.
    """
    names = [name.strip() for name in backends.split(",")]
    library = list(load_library("solvers"))
    choice = cast(ColumnChoice, "always" if columns == "worthwhile" else columns)
    with progress(None, "programs") as advance:
        report = fuzz(seconds, seed, names, library, evaluations, advance, choice)
    for difference in report.differences:
        print(difference.as_test())
    if report.elements.count:
        print(f"{plural(report.elements.count, 'element')}, {percent(report.elements.share)} in columns")
    failures = ", ".join(f"{kind} {count:,}" for kind, count in sorted(report.failures.items()))
    print(
        f"{plural(report.programs, 'program')}, {plural(report.evaluations, 'evaluation')}, "
        f"{plural(report.nodes, 'node')} compared; failures {failures or 'none'}; "
        f"{plural(len(report.differences), 'difference')} (seed {seed})"
    )
    if report.interrupted:
        return interrupted()
    return SOME_REFUSED if report.differences else DONE
