"""`report`: results, an archive or a file of either as one HTML page."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from arcbatt.archive.archive import Archive
from arcbatt.arguments import listed, require_callbacks, require_count, require_file_name, shown
from arcbatt.engine.results import Results
from arcbatt.errors import ArcbattError
from arcbatt.files import is_database, require_apart, require_no_database, require_writable, whole_file
from arcbatt.program.graph import A_PROGRAM, Program
from arcbatt.search.solve.solution import Solution
from arcbatt.tasks import Task
from arcbatt.tasks.intake import GivenTasks, tasks_of
from arcbatt.view.report.archives import of_archive
from arcbatt.view.report.chosen_outputs import add_outputs, add_scores
from arcbatt.view.report.findings import ReportFindings, shortened
from arcbatt.view.report.lines import of_lines
from arcbatt.view.report.packing import blocks
from arcbatt.view.report.page import html
from arcbatt.view.report.results import of_results, of_solution

MOST_PAIRS = 300_000  # in the lists of a page
OUTPUT_BYTES = 4 << 20  # of the outputs in a page
Source = Results | Solution | Archive | str | os.PathLike[str]


def report(
    source: Source,
    path: str | os.PathLike[str],
    *,
    programs: Iterable[Program] | None = None,
    tasks: GivenTasks | None = None,
    output_bytes: int = OUTPUT_BYTES,
    on_note: Callable[[str], None] | None = None,
) -> dict[str, int]:
    """Write the report of results as one HTML file, which needs no network; returns its numbers.

    `source` is what `run` or `solve` returned, an archive, or the path of an archive or of the lines of JSON
    that `arcbatt run --json` or `arcbatt solve --json` wrote. Lines of `run` have no programs and no grids:
    these are found by name and key among `programs`, by default those of the library, and `tasks`, as
    `load_tasks` takes them, by default published ones. The outputs of chosen pairs, which
    the engine computes again, take about `output_bytes` at most. `on_note` is called with each note of the
    page about what is missing, such as programs that are not found.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = run(parse_programs("def solve_67a3c6ac(I): return vmirror(I)"), load_tasks("67a3c6ac"))
    ...     report(results, f"{folder}/report.html")["tasks_solved"]
    1
    """
    require_file_name("path", path)
    require_callbacks(on_note=on_note)
    require_count("output_bytes", output_bytes)
    given = None if programs is None else listed(programs, Program, A_PROGRAM)
    chosen = None if tasks is None else list(tasks_of(tasks))
    if isinstance(source, str | os.PathLike):
        require_file_name("source", source)
    target = os.fspath(path)
    require_apart(target, [source.path if isinstance(source, Archive) else source])
    require_no_database(target)
    require_writable(target)
    findings = _findings(source, given, chosen)
    counts = findings.counts()
    shortened(findings, MOST_PAIRS)
    add_scores(findings)
    add_outputs(findings, output_bytes)
    with whole_file(target) as file:
        file.write(html(f"arcbatt report: {findings.title}", blocks(findings, counts)))
    if on_note is not None:
        for sentence in findings.notes:
            on_note(sentence)
    return {name: count for name, count in counts.items() if isinstance(count, int)}


def _findings(source: Source, programs: list[Program] | None, tasks: list[Task] | None) -> ReportFindings:
    if isinstance(source, Results):
        return of_results(source, "results")
    if isinstance(source, Solution):
        return of_solution(source, "solution")
    if isinstance(source, Archive):
        source.commit()
        return of_archive(source, Path(source.path).name)
    if not isinstance(source, str | os.PathLike):
        raise ArcbattError(
            f"{shown(source)} cannot be reported; give results of arcbatt.run or arcbatt.solve, an archive, "
            "or the path of an archive or of lines of JSON"
        )
    file = os.fspath(source)
    if is_database(file):
        with Archive(file, readonly=True) as archive:
            return of_archive(archive, Path(file).name)
    return of_lines(file, programs, tasks)
