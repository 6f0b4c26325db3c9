"""`arcbatt fuzz`: two backends on random programs, compared node by node."""

from typing import Annotated

from typer import Option

from arcbatt.commands import DONE, SOME_REFUSED, interrupted, options
from arcbatt.errors import ArcbattError
from arcbatt.library import load_library
from arcbatt.testing.fuzz import fuzz
from arcbatt.text import plural
from arcbatt.view.progress import progress


def execute(
    seconds: Annotated[float, Option(min=0.0, metavar="N", help="How long to go on.")] = 60.0,
    seed: options.Seed = 0,
    backends: Annotated[
        str, Option(metavar="A,B", help="The two backends to compare; `run -h` names all of them.")
    ] = "reference,native",
    evaluations: Annotated[
        int | None, Option(min=1, metavar="N", help="Stop after N evaluations, a program on a sample each.")
    ] = None,
) -> int:
    """Compare two backends on random programs, node by node, and print each difference as a test case.

    A backend is what runs programs, a node is one expression of a program. All backends must give the same
    values and the same failures.

    Exit code: 0 no difference, 1 differences were found.
    """
    names = tuple(name.strip() for name in backends.split(","))
    if len(names) != 2:
        raise ArcbattError(f"--backends is {backends!r}; it must name two backends, such as reference,native")
    library = list(load_library("solvers"))
    with progress(None, "programs") as advance:
        report = fuzz(seconds, seed, (names[0], names[1]), library, evaluations, advance)
    for difference in report.differences:
        print(difference.as_test((names[0], names[1])))
    failures = ", ".join(f"{kind} {count:,}" for kind, count in sorted(report.failures.items()))
    print(
        f"{plural(report.programs, 'program')}, {plural(report.evaluations, 'evaluation')}, "
        f"{plural(report.nodes, 'node')} compared; failures {failures or 'none'}; "
        f"{plural(len(report.differences), 'difference')} (seed {seed})"
    )
    if report.interrupted:
        return interrupted()
    return SOME_REFUSED if report.differences else DONE
