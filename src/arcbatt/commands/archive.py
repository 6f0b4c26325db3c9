"""`arcbatt archive`: questions to an archive, exchange with other files, and checks."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any, cast, get_args

from rich.text import Text
from typer import Argument, Option

from arcbatt.archive.archive import Archive
from arcbatt.archive.connection import PATIENCE, corrupt_row_errors
from arcbatt.archive.export import Form
from arcbatt.archive.queries import RunSummary
from arcbatt.commands import DONE, NOTHING_DONE, SOME_REFUSED, options
from arcbatt.commands.inputs import REFUSALS_TOLD
from arcbatt.errors import ArcbattError
from arcbatt.notices import note, tell
from arcbatt.program.folders import FolderForm
from arcbatt.program.graph import Style
from arcbatt.tasks import load_tasks
from arcbatt.text import plural
from arcbatt.view.screen import Screen
from arcbatt.view.terminal import archive_report

File = Annotated[str, Argument(metavar="FILE", help="The archive.")]
Program = Annotated[
    str, Argument(metavar="PROGRAM", help="A program: its name, or its hash, of which six digits suffice.")
]
AsJson = Annotated[bool, Option("--json", help="Lines of JSON instead of a table.")]
Solved = Annotated[bool, Option("--solved", help="Only programs that solve a task.")]
TaskId = Annotated[str | None, Option("--task", metavar="ID", help="Only this task.")]
Wait = Annotated[
    float,
    Option("--wait", min=0, metavar="SECONDS", help="How long to wait while another process writes."),
]
SUBJECTS = ("tasks", "programs", "generalists", "runs")


def best(
    file: File,
    task: Annotated[str, Argument(metavar="TASK", help="The id of a task.")],
    count: Annotated[int, Option("--count", min=1, metavar="N", help="How many programs.")] = 10,
    blind: Annotated[
        bool, Option("--blind", help="Do not look at test samples: those that solve the task are not first.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Show the best programs of a task.

    Those that solve it come first, then the order is by exact demo samples, score and size. The
    score is the mean partial score of the demo samples, from 0 to 1000, or that of differs.

    Exit code: 0; 2 if there is no result, or no archive.
    """
    with _opened(file) as archive:
        found = archive.best(task, count, blind=blind)
    if not found:
        tell(f"{file}: there is no result of task {task}; `arcbatt archive list` tells the tasks")
        return NOTHING_DONE
    _print(found, archive_report.results_table, archive_report.result_data, as_json)
    return DONE


def listing(
    file: File,
    subject: Annotated[
        str, Argument(metavar="|".join(SUBJECTS), help="What to list; generalists solve several tasks.")
    ] = "tasks",
    solved: Solved = False,
    as_json: AsJson = False,
) -> int:
    """List tasks, programs or runs.

    Tasks stand with their best programs. Generalists are programs that solve several tasks.
    """
    if subject not in SUBJECTS:
        raise ArcbattError(f"there is no list of {subject!r}; use one of {', '.join(SUBJECTS)}")
    with _opened(file) as archive:
        if subject == "tasks":
            tasks = [each for each in archive.overview() if each.winners or not solved]
            won = sum(bool(each.winners) for each in tasks)
            counts = f"{plural(len(archive), 'program')}, {plural(len(tasks), 'task')}"
            summary = f"{counts}, {won:,} of them solved"
            _print(tasks, archive_report.tasks_table, archive_report.task_data, as_json, summary)
        elif subject == "programs":
            winners = {result.hash for result in archive.results(solved=True)} if solved else None
            programs = [each for each in archive if winners is None or each.hash in winners]
            summary = plural(len(programs), "program")
            _print(programs, archive_report.programs_table, archive_report.program_data, as_json, summary)
        elif subject == "generalists":
            found = archive.generalists()
            summary = f"programs that solve more than one task: {len(found):,}"
            _print(found, archive_report.generalists_table, _generalist, as_json, summary)
        else:
            runs = archive.runs()
            summary = plural(len(runs), "run")
            _print(runs, archive_report.runs_table, RunSummary._asdict, as_json, summary)
    return DONE


def show(file: File, program: Program, as_json: AsJson = False) -> int:
    """Show the source of a program and its results.

    Results under other settings are other results: the failure mode stands beside each, and what else is
    not as usual.
    """
    screen = Screen()
    with _opened(file) as archive:
        stored = archive.program(program)
        found = sorted(archive.results(stored), key=lambda result: (not result.solved, -result.rank))
        parents = {step.hash for step in archive.lineage(stored) if step.depth == 1}
        children, kept = archive.children(stored), archive.kept(stored)
    if as_json:
        results = [archive_report.result_data(result) for result in found]
        print(json.dumps(archive_report.program_data(stored) | {"results": results}))
        return DONE
    screen.draw(archive_report.program_lines(stored, len(parents), len(children), kept))
    if found:
        print()
        screen.print(archive_report.program_results_table(found, screen.width))
    return DONE


def lineage(file: File, program: Program, as_json: AsJson = False) -> int:
    """Show what a program was made of.

    These are its parents, theirs and so on, with the mutations between them.
    """
    with _opened(file) as archive:
        steps = archive.lineage(program)
    _print(steps, archive_report.lineage_table, archive_report.step_data, as_json)
    return DONE


def export(
    file: File,
    out: Annotated[str, Argument(metavar="OUT", help="The file or folder to write; - is standard output.")],
    form: Annotated[
        str | None,
        options.choice(
            "--form",
            get_args(Form),
            "json: all as canonical JSON lines; solvers: a solver file; batt: a batt file; folder: "
            "solve_<id>/<score>/<time>/<hash>.py. By default solvers for a .py file, else json.",
        ),
    ] = None,
    style: Annotated[str, options.choice("--style", get_args(Style), "The style of a batt.")] = "vectorized",
    task: TaskId = None,
    solved: Solved = False,
    count: Annotated[
        int | None, Option("--count", min=1, metavar="N", help="Only the best N programs of each task.")
    ] = None,
    scores: options.Scores = "mean",
) -> int:
    """Write programs or all to another file.

    Archives with equal content give equal JSON lines, whatever the order in which it was found. Solvers that
    are chosen by task get the name of the task. A program that cannot be read is left out.

    Exit code: 0 all was written; 1 some programs cannot be read; 2 nothing was written.
    """
    if Path(out).is_file() and Path(file).is_file() and Path(out).samefile(file):
        raise ArcbattError(f"{out}: is the archive itself; name another file to write")
    if count is not None and (form or _form(out)) == "json":
        raise ArcbattError(
            "--count goes with programs, not with JSON lines; use --form solvers, or leave it out"
        )
    with _opened(file) as archive:
        refused = archive.export(
            out,
            cast(Form, form or _form(out)),
            task=task,
            solved=solved,
            count=count,
            style=cast(Style, style),
            scores=cast(FolderForm, scores),
        )
    _tell_refused(file, refused)
    return SOME_REFUSED if refused else DONE


def _tell_refused(source: str, refused: Sequence[str]) -> None:
    for reason in refused[:REFUSALS_TOLD]:
        note(reason)
    if len(refused) > REFUSALS_TOLD:
        note(f"{source}: refused as well: {len(refused) - REFUSALS_TOLD:,} more")


def _form(out: str) -> Form:
    return "solvers" if out.endswith(".py") else "json"


def import_(
    file: Annotated[str, Argument(metavar="FILE", help="The archive; it is made if it is not there.")],
    sources: Annotated[
        list[str],
        Argument(
            metavar="SOURCES",
            help="Program files, batts, folders, kept populations, exports, score files, JSON of `run`.",
        ),
    ],
    tasks: Annotated[
        str | None, Option(metavar="SPEC", help="The tasks that scores are of, if they are not published.")
    ] = None,
    wait: Wait = PATIENCE,
) -> int:
    """Import programs and results.

    Program files are read as data and never executed. Lines and programs that cannot be read are reported,
    and the rest is imported.

    Exit code: 0 all was imported; 1 some was refused; 2 nothing was imported.
    """
    _require_files(sources)
    given = load_tasks(tasks) if tasks is not None else ()
    programs = results = refused = 0
    with Archive(file, patience=wait) as archive:
        for source in sources:
            done = archive.import_file(source, given)
            programs, results = programs + done.programs, results + done.results
            refused += len(done.refused)
            _tell_refused(source, done.refused)
    print(f"imported {plural(programs, 'program')} and {plural(results, 'result')}")
    if refused and not programs and not results:
        return NOTHING_DONE
    return SOME_REFUSED if refused else DONE


def merge(
    file: Annotated[str, Argument(metavar="FILE", help="The archive to add to; made if it is not there.")],
    others: Annotated[
        list[str], Argument(metavar="OTHERS", help="The archives to add; they stay as they are.")
    ],
    wait: Wait = PATIENCE,
) -> int:
    """Add other archives to one.

    Programs, tasks, results and lineage are added, and nothing gets in twice. Runs are not.
    """
    for other in others:
        Archive(other, readonly=True).close()  # a wrong name costs no work
    with Archive(file, patience=wait) as archive:
        archive.merge(*others)
        print(f"{file}: {plural(len(archive), 'program')}, {plural(len(archive.tasks()), 'task')}")
    return DONE


def check(
    file: File,
    replay: Annotated[
        bool, Option("--replay", help="Run the winners again, on the terms of their results.")
    ] = False,
) -> int:
    """Check an archive for damage.

    The database is checked, every source against its hash, and the results against their verdicts.

    Exit code: 0 no fault; 1 faults were found; 2 the file is no archive.
    """
    with _opened(file) as archive:
        findings = archive.check(replay=replay)
    Screen().print(archive_report.findings_lines(findings))
    return SOME_REFUSED if findings.faults else DONE


ACTIONS: dict[str, Callable[..., int]] = {
    "best": best,
    "list": listing,
    "show": show,
    "lineage": lineage,
    "export": export,
    "import": import_,
    "merge": merge,
    "check": check,
}


@contextmanager
def _opened(file: str) -> Iterator[Archive]:
    """An archive to read; a damaged row in it is an error of one sentence."""
    with closing(Archive(file, readonly=True)) as archive, corrupt_row_errors(file):
        yield archive


def _require_files(names: Iterable[str]) -> None:
    """Refuse names of files that are not there before anything is written."""
    for name in names:
        if not os.path.lexists(name):
            raise ArcbattError(f"{name}: there is no such file")


def _print(
    found: Sequence[Any],
    as_table: Callable[[Any, int | None], Iterable[Text]],
    as_data: Callable[[Any], dict[str, Any]],
    as_json: bool,
    summary: str = "",
) -> None:
    """Print lines of JSON, or a table and a summary below it."""
    if as_json:
        for each in found:
            print(json.dumps(as_data(each)))
        return
    screen = Screen()
    if found:
        screen.print(as_table(found, screen.width))
    if summary:
        screen.print([*([Text("")] if found else []), Text(summary)])


def _generalist(found: tuple[Any, tuple[str, ...]]) -> dict[str, Any]:
    stored, tasks = found
    return archive_report.program_data(stored) | {"tasks": list(tasks)}
