"""`arcbatt breed`: rounds of `card` and `run-batt`, which keep the best solvers of each task."""

import sys
from contextlib import ExitStack
from time import monotonic
from typing import Annotated, Any, cast

from typer import Context, Option

from arcbatt.archive.archive import Archive
from arcbatt.commands import DONE, NOTHING_DONE, SOME_REFUSED, interrupted, options
from arcbatt.commands.inputs import Refusals, read_programs
from arcbatt.commands.kept_sources import program_sources, programs_of_archive
from arcbatt.commands.outputs import JsonOutput, json_output, require_different, require_output, tell_of_heavy
from arcbatt.errors import ArcbattError
from arcbatt.files import require_no_database
from arcbatt.program.folders import FolderForm
from arcbatt.program.merge import unapplied
from arcbatt.search.breed.breed import Breeding, breed
from arcbatt.search.breed.rounds import BreedSettings
from arcbatt.search.breed.state import RoundCounts
from arcbatt.search.breed.stores import ArchiveStore, FolderStore, Store
from arcbatt.tasks import load_tasks
from arcbatt.tasks.load import task_files
from arcbatt.text import plural


def execute(
    context: Context,
    *,
    programs: options.Sources = None,
    tasks: options.Tasks = "arc1/training",
    rounds: Annotated[
        int, Option(min=1, metavar="N", help="So many rounds, those before a --resume included.")
    ] = 1,
    archive_file: Annotated[
        str | None,
        Option(
            "--archive",
            metavar="FILE",
            help="Keep solvers and differs in this archive, and start from what it has for the tasks.",
        ),
    ] = None,
    save: Annotated[
        str | None,
        Option(
            "--save",
            metavar="DIR",
            help="Keep solvers in this folder instead, and start from those in it; differs go to the folder "
            "beside it: differ_dir beside solver_dir, DIR_differs beside any other.",
        ),
    ] = None,
    scores: options.Scores = "mean",
    resume: Annotated[
        bool, Option("--resume", help="Go on where a breeding with the same settings stopped.")
    ] = False,
    settings: BreedSettings,
    seed: options.OwnSeed = None,
    workers: Annotated[int | None, options.threads("How many threads")] = None,
    json_file: Annotated[
        str | None,
        Option(
            "--json",
            metavar="FILE",
            help="Write a line of JSON for each round, and one for the summary; - is standard output.",
        ),
    ] = None,
    shard: options.Shard = None,
    strict: options.Strict = False,
) -> int:
    """Breed solvers and differs, round after round: what `card` and `run-batt` do in a shell loop.

    In each round solvers and differs are drawn by score and mutated, the mutants run on the tasks, and the
    best solvers of each task are kept, whether or not they solve it. Only demo samples count. Tasks with a
    solver that is exact on all demo samples rest until the others have one, too. Differs are kept by how
    well they rank solvers.

    The first round starts from PROGRAMS and from what the archive or folder has; without either, from the
    library. With an archive or a folder a breeding that was stopped, or killed, goes on with --resume, and
    ends like one that nothing has disturbed. The same --seed gives the same programs and scores with any
    number of threads.

    Examples:

      arcbatt breed near.py --tasks 67a3c6ac,a416b8f3 --rounds 4

      arcbatt breed --archive pop.db --rounds 100 --resume

      arcbatt breed --save solver_dir --scores sum --rounds 100 --resume

    Exit code: 0 done, whatever was found; 1 some programs were refused; 2 nothing was done, or a file could
    not be written; 130 interrupted, the rounds done by then are kept (143 by SIGTERM, 129 by SIGHUP).
    """
    if archive_file is not None and save is not None:
        raise ArcbattError("--archive and --save are two places for the same; name one of them")
    if resume and archive_file is None and save is None:
        raise ArcbattError("--resume needs the place where the breeding is kept; name --archive or --save")
    if scores != "mean" and save is None:
        raise ArcbattError("--scores is the form of a folder; name one with --save")
    refused = Refusals(strict)
    files, archives = program_sources(programs or ())
    read = [*files, *task_files(tasks), *context.obj]
    for output in (json_file, archive_file):
        require_output(output, [*read, *(archives if output == json_file else ())])
    require_different((json_file, archive_file))
    if json_file not in (None, "-"):
        require_no_database(json_file)
    chosen = options.part_of(load_tasks(tasks), shard)
    given = read_programs(files, refused)
    for archive in archives:
        given += programs_of_archive(archive, [task.id for task in chosen], settings.keep)
    if programs and not given:
        return NOTHING_DONE
    with ExitStack() as opened:
        store: Store | None = None
        if archive_file is not None:
            store = ArchiveStore(opened.enter_context(Archive(archive_file)), settings)
        elif save is not None:
            store = FolderStore(save, settings, list(chosen), cast(FolderForm, scores))
        report = _BreedReport(opened.enter_context(json_output(json_file)))
        found = breed(
            list(chosen),
            settings,
            store,
            rounds=rounds,
            seed=seed,
            solvers=[program for program in given if program.kind == "solver"],
            differs=unapplied(program for program in given if program.kind == "differ"),
            resume=resume,
            threads=workers,
            on_begin=report.earlier,
            on_round=report.round,
        )
        report.finish(found)
    tell_of_heavy(found.refused, "it is not bred on")
    if found.interrupted:
        return interrupted()
    return SOME_REFUSED if refused.count else DONE


class _BreedReport:
    """A line for each round on standard output, and lines of JSON in a file."""

    def __init__(self, lines: JsonOutput) -> None:
        self._lines = lines
        self._out = sys.stderr if lines.is_stdout else sys.stdout
        self._started = self._before = monotonic()

    def earlier(self, counts: RoundCounts) -> None:
        """Write a round that was done before, of which the time is not known."""
        self._lines.write(counts._asdict())

    def round(self, counts: RoundCounts) -> None:
        """Tell of a round that is done."""
        now = monotonic()
        seconds, self._before = now - self._before, now
        print(_round_line(counts, seconds), file=self._out, flush=True)
        self._lines.write(counts._asdict() | {"seconds": round(seconds, 3)})

    def finish(self, found: Breeding) -> None:
        """Tell of all rounds."""
        rounds, state = found.state.rounds, found.state
        told = rounds[-1]._asdict() if rounds else {"round": 0, "tasks": len(found.tasks)}
        del told["round"]
        summary = {"rounds": len(rounds), "seed": state.seed, **told, "solved_tasks": found.solved}
        more: dict[str, Any] = {"refused": found.refused} if found.refused else {}
        more["seconds"] = round(monotonic() - self._started, 3)
        if found.interrupted:
            more["interrupted"] = True
        self._lines.write({"summary": summary | more})
        print(
            f"{plural(len(rounds), 'round')}, seed {state.seed}: "
            f"{len(found.solved):,} of {plural(len(found.tasks), 'task')} solved",
            file=self._out,
        )


def _round_line(counts: RoundCounts, seconds: float) -> str:
    differ = "" if counts.differ is None else f", best {counts.differ}"
    return (
        f"round {counts.round}: {counts.solved:,} of {plural(counts.tasks, 'task')} solved, "
        f"{plural(counts.kept, 'solver')} kept ({counts.new:,} new), best score {counts.best:.1f} "
        f"in the mean, {plural(counts.differs, 'differ')}{differ}, {seconds:.2f} s"
    )
