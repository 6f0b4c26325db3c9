"""`arcbatt report`: the results of a run, or an archive, as one HTML page."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Context, Option

import arcbatt
from arcbatt.commands import DONE, SOME_REFUSED
from arcbatt.commands.inputs import Refusals, program_files, read_programs
from arcbatt.commands.outputs import require_output
from arcbatt.notices import note
from arcbatt.tasks import load_tasks
from arcbatt.tasks.load import task_files
from arcbatt.text import plural, printable


def execute(
    context: Context,
    source: Annotated[
        str,
        Argument(
            metavar="SOURCE",
            help="Lines of JSON that run, run-batt or solve wrote with --json, or an archive (--archive).",
        ),
    ],
    output: Annotated[
        str, Option("-o", "--output", metavar="FILE", help="The page to write.")
    ] = "report.html",
    programs: Annotated[
        list[str] | None,
        Option(
            metavar="FILE",
            help="A file or folder with the programs of the results; may be given several times. By default "
            "they are those of the library. An archive has its programs itself.",
        ),
    ] = None,
    tasks: Annotated[
        str | None,
        Option(
            metavar="SPEC",
            help="The tasks of the results, as `run --tasks` takes them. By default they are published ones.",
        ),
    ] = None,
) -> int:
    """Make one HTML page of results, which any browser shows without a network.

    The page has a summary, the tasks as pictures, the programs of each task, outputs beside expected ones
    with differing cells marked, failures by kind, lineage and times. It can be sorted, filtered and searched;
    `?` lists its keys.

    Lines of `run --json` have names and verdicts alone. Programs are found by name and key among those of
    --programs; one that is not found has verdicts only. The outputs of the best programs of each task, and of
    those written for it, are computed again. Whatever is missing is noted on the page and told.

    Exit code: 0; 1 some programs were refused, the page was written; 2 no page was written.
    """
    refused = Refusals(strict=False)
    read = program_files(programs) if programs else []
    require_output(output, [source, *read, *(task_files(tasks) if tasks else []), *context.obj])
    counts = arcbatt.report(
        source,
        output,
        programs=read_programs(read, refused) if programs else None,
        tasks=None if tasks is None else load_tasks(tasks),
        on_note=lambda sentence: note(f"{source}: {sentence}"),
    )
    told = ", ".join(plural(counts[noun], noun.removesuffix("s")) for noun in ("tasks", "programs", "pairs"))
    if output != "-":
        told += f", {plural(counts['tasks_solved'], 'task')} solved"
        print(f"{printable(output)}: {told}; {_size(output)}")
    return SOME_REFUSED if refused.count else DONE


def _size(file: str) -> str:
    """The size of a file in words."""
    return f"{Path(file).stat().st_size / 1e6:,.1f} MB"
