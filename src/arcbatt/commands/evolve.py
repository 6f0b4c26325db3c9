"""`arcbatt evolve`: breeds programs on tasks, keeps them in an archive, writes winners as a solver file."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

from rich.text import Text
from typer import Context, Option

import arcbatt
from arcbatt.commands import DONE, NOTHING_DONE, SOME_REFUSED, interrupted, options
from arcbatt.commands.inputs import Refusals, program_files, read_programs
from arcbatt.commands.outputs import (
    JsonOutput,
    json_output,
    require_different,
    require_output,
    tell_of_heavy,
    write_solvers,
)
from arcbatt.commands.own_ops import import_plugins
from arcbatt.errors import ArcbattError
from arcbatt.library import library_files
from arcbatt.notices import tell
from arcbatt.search.evolve.breeder import EvolveSettings
from arcbatt.search.evolve.evolution import Evolution, EvolutionInterrupted, EvolutionStopped
from arcbatt.signals import defer_interrupts
from arcbatt.tasks import load_tasks
from arcbatt.tasks.load import task_files
from arcbatt.view.screen import Screen
from arcbatt.view.terminal import evolve_report


def execute(
    context: Context,
    *,
    programs: options.Programs = None,
    tasks: options.Tasks = "arc1/training",
    settings: EvolveSettings,
    workers: Annotated[int | None, options.threads("So many processes")] = None,
    archive_file: options.ArchiveFile = None,
    resume: Annotated[
        bool, Option("--resume", help="Go on where a search of the same settings in the archive stopped.")
    ] = False,
    shard: options.Shard = None,
    cluster: options.Cluster = None,
    out_file: Annotated[
        str | None,
        Option("--out", metavar="FILE", help="Write the winners to this file, a solver for each task."),
    ] = None,
    json_file: Annotated[
        str | None,
        Option(
            "--json",
            metavar="FILE",
            help="Write a line of JSON for each better program of a task as it is found, and one for the "
            "summary; - is standard output.",
        ),
    ] = None,
    plugins: Annotated[
        str | None,
        Option(
            metavar="FILE",
            help="A Python file that defines fitness, selection or mutation; unlike programs it is executed.",
        ),
    ] = None,
    differs: Annotated[
        list[str] | None,
        Option(
            metavar="library|FILE",
            help="Differs that say, besides partial scores, how near an output is: those of the library or "
            "of a file; may be given several times. None by default: partial scores alone are faster.",
        ),
    ] = None,
    strict: options.Strict = False,
) -> int:
    """Breed programs on tasks until some solve them.

    Each task has a population. It starts with those PROGRAMS that come nearest to the expected outputs, and
    with the best that the archive has for the task. Every small change of the best members is tried, then
    larger ones and crosses. A program fits a task if it is right on all demo samples: this ends the search on
    the task. Test samples are reported, never searched by.

    The same seed, programs and steps give the same programs again, with any number of workers; several
    --islands that exchange members need --deterministic for that. With an archive nothing that was found is
    lost: after `kill -9` the same command with --resume goes on.

    Exit code: 0 done, whatever was found; 1 some programs were refused; 2 nothing was done, or a file could
    not be written; 130 interrupted, what was found by then is reported (143 by SIGTERM, 129 by SIGHUP).
    """
    refused = Refusals(strict)
    files, of_differs = program_files(programs or ()), _files_of_differs(differs or ())
    read = [*files, *of_differs, *task_files(tasks), *context.obj, *([plugins] if plugins else [])]
    for output in (out_file, json_file, archive_file):
        require_output(output, read)
    require_different((out_file, json_file, archive_file))
    functions = import_plugins(plugins) if plugins else {}
    seeds = [program for program in read_programs(files, refused) if program.kind == "solver"]
    if not seeds:
        tell("there is no solver among the programs to start from; name a file that has one")
        return NOTHING_DONE
    scoring = [program for program in read_programs(of_differs, refused) if program.kind == "differ"]
    if of_differs and not scoring:
        tell(f"there is no differ in {', '.join(map(str, of_differs))}; name a file that has one, or library")
        return NOTHING_DONE
    wanted = options.part_of(load_tasks(tasks), shard)
    with ExitStack() as opened:
        lines = opened.enter_context(json_output(json_file))
        archive = opened.enter_context(arcbatt.Archive(archive_file)) if archive_file is not None else None
        error: ArcbattError | None = None
        try:
            with evolve_report.search_progress() as update:
                evolution = arcbatt.evolve(
                    list(wanted),
                    **vars(settings) | functions | {"seeds": seeds, "differs": scoring},
                    archive=archive,
                    resume=resume,
                    workers=workers,
                    cluster=cluster,
                    on_found=lambda found: lines.write(found.as_json()),
                    on_progress=update,
                )
        except EvolutionInterrupted as stopped:
            evolution = stopped.evolution
        except EvolutionStopped as stopped:
            evolution, error = stopped.evolution, stopped
        try:
            with defer_interrupts():  # a signal that comes now must not leave one file without the other
                found = [(find.task, find.program) for find in evolution.winners]
                write_solvers(out_file, found, "no program fits a task")
                if error is None:
                    _finish(lines, evolution)
        finally:
            _report(evolution, to_stdout="-" not in (json_file, out_file))
            tell_of_heavy(evolution.refused, "no programs were bred on it")
        if error is not None:
            raise error
    if evolution.interrupted:
        return interrupted()
    return SOME_REFUSED if refused.count else DONE


def _files_of_differs(names: Sequence[str]) -> list[Path]:
    """The files that names of differs stand for: each a file, a folder, or the library."""
    files = [library_files("differs") if name == "library" else program_files([name]) for name in names]
    return list(dict.fromkeys(file for found in files for file in found))


def _finish(lines: JsonOutput, evolution: Evolution) -> None:
    """Write the last lines: those of tasks that were refused, and the summary."""
    for task_id, reason in evolution.refused.items():
        lines.write({"task": task_id, "refused": reason})
    lines.write({"summary": evolution.summary() | ({"interrupted": True} if evolution.interrupted else {})})


def _report(evolution: Evolution, to_stdout: bool) -> None:
    screen = Screen(stderr=not to_stdout)
    if to_stdout and evolution.best:
        screen.print(evolve_report.finds_table(evolution, screen.width))
        print()
    screen.print([Text(evolve_report.summary_line(evolution))])
    for sentence in evolution.stopped:
        tell(sentence)
